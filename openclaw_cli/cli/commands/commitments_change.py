"""``openclaw commitments snooze`` and ``edit`` (``commitments.md`` 10.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.commands.commitments import change_rows, render_outcome, render_row
from openclaw_cli.cli.options import command, completed, dry_run_options, option, require_words
from openclaw_cli.errors import UsageProblem

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from openclaw_cli.commitments.record import Row
    from openclaw_cli.commitments.store import Step, Store


def zone_option(function: Any) -> Any:
    """``--tz``, for times without an offset."""
    return option("--tz", metavar="ZONE", help="Zone of times without one (default: the row's).")(
        function
    )


@command()
@click.argument("ids", nargs=-1, metavar="ID...", shell_complete=completed("commitment_ids"))
@option("--for", "duration", metavar="DURATION", help="For so long: 90m, 12h, 2d.")
@option("--until", metavar="TIME", help="Until then: an ISO time, or 20m, 1.5h from now.")
@zone_option
@dry_run_options
@click.pass_obj
def snooze(
    app: App, /, ids: tuple[str, ...], dry_run: bool, exit_code: bool, as_json: bool, **when: Any
) -> None:
    """Put open follow-ups to sleep.

    They are due again when the sleep is over. A sleep past the end of the window moves the
    window, so that nothing expires asleep.

    \b
    Examples:
      openclaw commitments snooze cm_mwoe5eo0_1e989e0a77 --for 2d
      openclaw commitments snooze cm_mwoe5eo0_1e989e0a77 --until 2026-11-21T10:00:00
    """
    from openclaw_cli.commitments import lifecycle, store

    require_words(ids, "commitment id")
    words = [word.strip() for word in ids if word.strip()]
    _require_one_time(when)
    until = _until(store.load(app.paths).valid, words, when, app.now_ms())
    outcome = change_rows(
        app,
        lambda found: lifecycle.snooze(found, words, until, app.now_ms()),
        command="commitments snooze",
        dry_run=dry_run,
    )
    report = {
        "snoozed": outcome.changed,
        "unchanged": outcome.unchanged,
        "unknown": outcome.unknown,
        "until": {row_id: until[row_id] for row_id in outcome.changed},
        "dryRun": dry_run,
    }
    verb = "Would snooze" if dry_run else "Snoozed"
    app.emit(report, as_json=as_json, render=lambda doc: _render_snooze(doc, verb))
    if dry_run:
        app.finish_dry_run(work=bool(outcome.steps), exit_code=exit_code)
    app.finish(failed=bool(outcome.unknown))


@command()
@click.argument("row_id", metavar="ID", shell_complete=completed("commitment_ids"))
@option("--text", metavar="T", help="The suggested text.")
@option("--earliest", metavar="TIME", help="Not before then; a time in the past means at once.")
@option("--latest", metavar="TIME", help="The end of the window.")
@zone_option
@dry_run_options
@click.pass_obj
def edit(
    app: App, /, row_id: str, dry_run: bool, exit_code: bool, as_json: bool, **wish: Any
) -> None:
    """Change the text or the window of an open follow-up.

    \b
    Examples:
      openclaw commitments edit cm_mwoe5eo0_1e989e0a77 --text "How was the first day?"
      openclaw commitments edit cm_mwoe5eo0_1e989e0a77 --earliest 2026-11-23T18:00:00+01:00
    """
    from openclaw_cli.commitments import edit as core
    from openclaw_cli.commitments import lifecycle, store

    if wish["text"] is None and wish["earliest"] is None and wish["latest"] is None:
        raise UsageProblem("say what to change: --text, --earliest or --latest")
    app.config  # noqa: B018 - an invalid configuration stops before the store is touched
    wanted = row_id.strip()
    seen = store.load(app.paths)
    zone = _zone(lifecycle.find(seen, wanted)[1], wish["tz"])
    times = {name: _moment(wish[name], zone, app.now_ms()) for name in ("earliest", "latest")}
    change = core.Wish(wish["text"], times["earliest"], times["latest"])
    planned, steps = core.plan(seen, wanted, change, app.now_ms())

    def decide(found: Store) -> list[Step]:
        nonlocal planned
        planned, made = core.plan(found, wanted, change, app.now_ms())
        return made

    if not dry_run:
        store.update(app.paths, decide, command="commitments edit", now_ms=app.now_ms())
    from openclaw_cli.commitments.record import public

    report = {"commitment": public(planned), "changed": bool(steps), "dryRun": dry_run}
    app.emit(report, as_json=as_json, render=_render_edit)
    if dry_run:
        app.finish_dry_run(work=bool(steps), exit_code=exit_code)


def _require_one_time(when: Mapping[str, Any]) -> None:
    if (when["duration"] is None) == (when["until"] is None):
        raise UsageProblem("say how long: either --for DURATION or --until TIME")
    if when["tz"] is not None and when["until"] is None:
        raise UsageProblem("--tz goes with --until")


def _until(
    rows: Iterable[Row], words: list[str], when: Mapping[str, Any], now_ms: int
) -> dict[str, int]:
    """The end of the sleep of each row; it differs where times are in the row's zone."""
    if when["duration"] is not None:
        from openclaw_cli.config.units import parse_duration_ms

        try:
            length_ms = parse_duration_ms(when["duration"], None)
        except ValueError as error:
            raise UsageProblem(f"--for: {error}", hint="for example --for 2d") from error
        if not length_ms:
            raise UsageProblem("--for must be longer than nothing", hint="for example --for 2d")
        ends = now_ms + length_ms
        return dict.fromkeys(words, ends)
    from openclaw_cli.schedule import times

    found = {row["id"]: row for row in rows if row["id"] in words}
    until = {}
    for row_id in words:
        at_ms = times.parse_at(when["until"], _zone(found.get(row_id), when["tz"]), now_ms)
        if at_ms <= now_ms:
            raise UsageProblem(f"--until {when['until']!r} is not in the future")
        until[row_id] = at_ms
    return until


def _zone(row: Row | None, name: str | None) -> ZoneInfo | None:
    """The zone of ``--tz``, else the row's; None (UTC) where neither is one."""
    from openclaw_cli.schedule import times
    from openclaw_cli.state import clock

    if name is not None:
        return times.parse_zone(name)
    return clock.find_zone(row["dueWindow"]["timezone"]) if row is not None else None


def _moment(text: str | None, zone: ZoneInfo | None, now_ms: int) -> int | None:
    """A time that may lie in the past, None where none is given."""
    if text is None:
        return None
    from openclaw_cli.schedule import times

    return times.parse_time(text, zone, now_ms)


def _render_snooze(document: Any, verb: str) -> Iterable[str]:
    yield from render_outcome({**document, "changed": document["snoozed"]}, verb)
    from openclaw_cli.state.clock import iso

    for row_id, at_ms in document["until"].items():
        yield f"  {row_id} until {iso(at_ms)}"


def _render_edit(document: Any) -> Iterable[str]:
    if not document["changed"]:
        yield "Nothing to change."
    elif document["dryRun"]:
        yield "It would read:"
    yield from render_row(document["commitment"])
