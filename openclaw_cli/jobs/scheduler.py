"""Installing, removing and showing the entry, whichever scheduler is to hold it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openclaw_cli.errors import OpenClawError
from openclaw_cli.jobs import crontab, entry, starter, systemd
from openclaw_cli.jobs.starter import CRON, SYSTEMD
from openclaw_cli.state import files
from openclaw_cli.state.tuples import NamedTuple


class Choice(NamedTuple):
    """Which scheduler, and whose: ``kind`` None takes the best that there is."""

    kind: str | None = None
    system: bool = False


def install(choice: Choice, environ: Mapping[str, str], *, dry_run: bool) -> dict[str, Any]:
    """Put the entry in; ``{kind, changed, entry, files, notes}``. The same again: no change."""
    kind = choice.kind or _best(choice.system)
    program = entry.this_program(environ)
    if kind == SYSTEMD:
        return _install_systemd(program, environ, choice.system, dry_run=dry_run)
    if choice.system:
        return _install_cron_file(program, dry_run=dry_run)
    before = crontab.read()
    block = entry.cron_line_text(program)
    after = crontab.with_block(before, block)
    changed = after != before
    if changed and not dry_run:
        crontab.write(after)
    return _document(CRON, changed, block, [])


def uninstall(choice: Choice, environ: Mapping[str, str], *, dry_run: bool) -> dict[str, Any]:
    """Remove the entry from where it is; without a choice from everywhere."""
    removed: list[Path] = []
    kinds: list[str] = []
    gone: list[str] = []
    if choice.kind in (None, SYSTEMD):
        folder = systemd.unit_dir(environ, system=choice.system)
        found = systemd.uninstall(folder, system=choice.system, dry_run=dry_run)
        if found:
            kinds.append(SYSTEMD)
            removed += found
    if choice.kind in (None, CRON) and choice.system:
        if starter.cron_file_text() is not None:
            kinds.append(CRON)
            removed.append(crontab.SYSTEM_FILE)
            if not dry_run:
                files.remove_durable(crontab.SYSTEM_FILE)
    elif choice.kind in (None, CRON):
        block = _remove_block(must_exist=choice.kind == CRON, dry_run=dry_run)
        if block is not None:
            kinds.append(CRON)
            gone.append(block)
    kind = kinds[0] if kinds else choice.kind
    return _document(kind, bool(kinds), "".join(gone) or None, removed)


def shown(choice: Choice, environ: Mapping[str, str]) -> dict[str, Any]:
    """The entry as ``install`` would write it."""
    kind = choice.kind or _best(choice.system)
    program = entry.this_program(environ)
    user = _user() if choice.system else None
    if kind == CRON:
        where = [crontab.SYSTEM_FILE] if choice.system else []
        return _document(CRON, False, entry.cron_line_text(program, user), where)
    folder = systemd.unit_dir(environ, system=choice.system)
    units = _units(program, user)
    text = "\n".join(f"# {folder / name}\n{body}" for name, body in units.items())
    return _document(SYSTEMD, False, text, [folder / name for name in units])


def _best(system: bool) -> str:
    return SYSTEMD if systemd.works(system=system) else CRON


def _install_systemd(
    program: entry.Program, environ: Mapping[str, str], system: bool, *, dry_run: bool
) -> dict[str, Any]:
    if not dry_run and not systemd.works(system=system):
        whose = "of the system" if system else "of this user"
        raise OpenClawError(
            f"the systemd manager {whose} does not answer",
            hint="use 'openclaw jobs install --cron'",
            code="systemd",
        )
    folder = systemd.unit_dir(environ, system=system)
    units = _units(program, _user() if system else None)
    if dry_run:
        written = [
            folder / name
            for name, text in units.items()
            if files.read_text(folder / name, what="systemd unit") != text
        ]
    else:
        written = systemd.install(folder, units, system=system)
    text = "\n".join(units.values())
    document = _document(SYSTEMD, bool(written), text, [folder / name for name in units])
    if not system and systemd.lingers() is False:
        document["notes"] = [
            "the timer runs only while you are logged in; 'loginctl enable-linger' changes that"
        ]
    return document


def _install_cron_file(program: entry.Program, *, dry_run: bool) -> dict[str, Any]:
    text = entry.cron_line_text(program, _user())
    changed = starter.cron_file_text() != text
    if changed and not dry_run:
        files.write_if_changed(crontab.SYSTEM_FILE, text, mode=0o644)
    return _document(CRON, changed, text, [crontab.SYSTEM_FILE])


def _remove_block(*, must_exist: bool, dry_run: bool) -> str | None:
    """Take our block out of the crontab; its text, None when there was none."""
    try:
        before = crontab.read()
    except crontab.NoCrontab:
        if must_exist:
            raise
        return None
    block = crontab.block_of(before)
    if block is not None and not dry_run:
        crontab.write(crontab.without_block(before))
    return block


def _units(program: entry.Program, user: str | None) -> dict[str, str]:
    return {
        systemd.SERVICE: entry.service_text(program, user),
        systemd.TIMER: entry.timer_text(),
    }


def _user() -> str:
    import getpass

    return getpass.getuser()


def _document(
    kind: str | None, changed: bool, text: str | None, where: list[Path]
) -> dict[str, Any]:
    return {
        "kind": kind,
        "changed": changed,
        "entry": text,
        "files": [str(path) for path in where],
        "notes": [],
    }
