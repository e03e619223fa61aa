"""Changing the configuration file: one value and the stamps, everything else byte for byte.

A change is planned as a new text, checked, and written under the file's lock; the text
before goes to ``<config>.bak``. An unchanged value writes nothing (``design.md`` 3).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from openclaw_cli import __version__
from openclaw_cli.config import paths as config_paths
from openclaw_cli.config import validation
from openclaw_cli.config.load import Config, find_path, load
from openclaw_cli.config.splice import NoSuchPlace, same, wrap
from openclaw_cli.errors import InvalidConfig, OpenClawError, UnknownName
from openclaw_cli.state import clock, files, lock
from openclaw_cli.state.paths import Paths
from openclaw_cli.state.tuples import NamedTuple

Place = tuple[str | int, ...]

PRIVATE = 0o600
MISSING = object()
STAMP = "meta"


class Edit(NamedTuple):
    """What a change does: ``before`` and ``after`` are values, or ``MISSING``."""

    place: Place
    before: Any
    after: Any
    path: Path
    text: str
    old_text: str | None

    @property
    def changed(self) -> bool:
        """Whether anything is to be written."""
        return not same(self.before, self.after)

    @property
    def backup(self) -> Path | None:
        """Where the text before goes, None when there was no file or nothing changes."""
        if self.old_text is None or not self.changed:
            return None
        return self.path.with_name(self.path.name + ".bak")


def set_value(
    state: Paths, place: Place, value: Any, *, now_ms: int, dry_run: bool = False
) -> Edit:
    """Set one value; raises ``InvalidConfig`` when the result breaks the schema there."""
    return _change(state, lambda config: _plan_set(config, place, value, now_ms), dry_run)


def unset_value(state: Paths, place: Place, *, now_ms: int, dry_run: bool = False) -> Edit:
    """Remove one key or list item; raises ``UnknownName`` when there is none."""
    return _change(state, lambda config: _plan_unset(config, place, now_ms), dry_run)


def find(data: Any, place: Place) -> Any:
    """The value at ``place``, or ``MISSING``; an explicit null is found."""
    for key in place:
        in_object = isinstance(data, dict) and key in data
        in_list = isinstance(data, list) and isinstance(key, int) and key < len(data)
        if not in_object and not in_list:
            return MISSING
        data = data[key]
    return data


def replaced(data: Any, place: Place, value: Any) -> Any:
    """``data`` with ``value`` at ``place`` (``MISSING`` removes); ``data`` itself stays."""
    key, rest = place[0], place[1:]
    below = find(data, (key,))
    if rest:
        new = wrap(value, rest) if below is MISSING else replaced(below, rest, value)
    else:
        new = value
    if isinstance(data, dict):
        kept = {name: item for name, item in data.items() if new is not MISSING or name != key}
        return kept if new is MISSING else {**kept, key: new}
    items = list(data)
    index = key if isinstance(key, int) else len(items)
    items[index : index + 1] = [] if new is MISSING else [new]
    return items


def _change(state: Paths, plan: Callable[[Config], Edit], dry_run: bool) -> Edit:
    environ: Mapping[str, str] = os.environ
    if dry_run:
        return plan(load(state, validate=False, environ=environ))
    path = find_path(state, environ)
    files.make_dir(path.parent)
    with lock.file_lock(path):
        edit = plan(load(state, validate=False, environ=environ))
        if edit.changed:
            _write(edit)
    return edit


def _write(edit: Edit) -> None:
    if edit.backup is not None and edit.old_text is not None:
        files.write_atomic(edit.backup, edit.old_text, mode=PRIVATE, force_mode=True)
    files.write_atomic(edit.path, edit.text, mode=PRIVATE, force_mode=True, follow_link=True)


def _plan_set(config: Config, place: Place, value: Any, now_ms: int) -> Edit:
    before = find(config.data, place)
    editor = _editor(config)
    try:
        text = editor.set_value(_text(config), place, value)
    except NoSuchPlace as error:
        raise UnknownName(f"{config_paths.render(place)}: {error}", path=config.path) from None
    return _finished(config, Edit(place, before, value, config.path, text, config.text), now_ms)


def _plan_unset(config: Config, place: Place, now_ms: int) -> Edit:
    name = config_paths.render(place)
    before = find(config.data, place)
    if before is MISSING:
        raise UnknownName(
            f"config path not found: {name}",
            path=config.path,
            hint="openclaw config get shows what is there",
        )
    text = _editor(config).unset_value(_text(config), place)
    return _finished(config, Edit(place, before, MISSING, config.path, text, config.text), now_ms)


def _finished(config: Config, edit: Edit, now_ms: int) -> Edit:
    """The edit with its stamps, after checking that it does what it should, and only that."""
    if not edit.changed:
        return edit
    after = _reread(config, edit.text)
    if not any(same(after.data, wanted) for wanted in _outcomes(config.data, edit)):
        raise OpenClawError(
            f"{config.path} cannot be edited at {config_paths.render(edit.place)}; "
            "it is left as it was",
            path=config.path,
            hint="change it by hand, then run openclaw config validate",
        )
    _refuse_new_issues(config, after, edit)
    text = edit.text
    if edit.place[0] != STAMP:
        editor = _editor(config)
        text = editor.set_value(text, (STAMP, "lastTouchedVersion"), __version__)
        text = editor.set_value(text, (STAMP, "lastTouchedAt"), clock.iso(now_ms))
    return edit._replace(text=text)


def _outcomes(data: Any, edit: Edit) -> Iterator[Any]:
    """What the file may hold afterwards: dotted TOML keys leave no empty table behind."""
    place = edit.place
    yield replaced(data, place, edit.after)
    while edit.after is MISSING and len(place) > 1:
        last, place = place[-1], place[:-1]
        if find(data, place).keys() != {last} if isinstance(last, str) else True:
            return
        yield replaced(data, place, MISSING)


def _refuse_new_issues(before: Config, after: Config, edit: Edit) -> None:
    """Raise ``InvalidConfig`` for what this edit makes wrong; old faults do not stop it."""
    old, new = validation.check(before), validation.check(after)
    fresh = [issue for issue in new.issues if issue not in old.issues]
    if edit.after is MISSING:
        # Removing a list item renumbers the faults behind it; only more of them are new.
        fresh = fresh if len(new.issues) > len(old.issues) else []
    else:
        name = config_paths.render(edit.place)
        fresh += [w for w in new.warnings if w not in old.warnings and w.path.startswith(name)]
    if fresh:
        raise InvalidConfig("; ".join(map(str, fresh)), path=after.path)


def _reread(config: Config, text: str) -> Config:
    return Config(config.paths, config.path, text, environ=config.environ)


def _text(config: Config) -> str:
    if config.text is not None and config.text.strip():
        return config.text
    return "" if config.path.suffix == ".toml" else "{}\n"


def _editor(config: Config) -> Any:
    """The module that edits this file's format: both offer the same two functions."""
    if config.path.suffix == ".toml":
        from openclaw_cli.config import toml

        return toml
    from openclaw_cli.config import splice

    return splice
