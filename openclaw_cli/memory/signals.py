"""Phase signals: how often light and REM sleep met an entry.

``memory/.dreams/phase-signals.json`` (``memory.md`` 4.6). Written by the sweep under the
recall store's lock; an unreadable file counts as empty for readers and is never
overwritten silently: ``load`` tells the reason.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from openclaw_cli.errors import OpenClawError
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state import clock, files

MAX_HITS = 9999
WHAT = "phase signals"
_FIELDS_OF_PHASE = {"light": ("lightHits", "lastLightAt"), "rem": ("remHits", "lastRemAt")}
_TIMES = ("lastLightAt", "lastRemAt", "lastRemConsideredAt")


class PhaseSignals:
    """Rows by entry key, in the file's form. ``problem`` says why a file was not read."""

    def __init__(
        self,
        entries: dict[str, dict[str, Any]] | None = None,
        *,
        problem: str | None = None,
        extra: dict[str, Any] | None = None,
    ) -> None:
        self.entries = entries or {}
        self.problem = problem
        self.extra = extra or {}

    def hit(self, key: str, phase: str, now_ms: int) -> None:
        """Count a hit of ``phase`` (``light`` or ``rem``) on ``key`` at ``now_ms``."""
        row = self._row(key)
        count, stamp = _FIELDS_OF_PHASE[phase]
        row[count] = min(MAX_HITS, row[count] + 1)
        row[stamp] = clock.iso(now_ms)

    def consider(self, key: str, now_ms: int) -> None:
        """Note that REM sleep looked at ``key`` without counting a hit."""
        self._row(key)["lastRemConsideredAt"] = clock.iso(now_ms)

    def prune(self, known: Container[str]) -> int:
        """Drop rows without hits and rows whose key is not in ``known``; how many."""
        gone = [
            key
            for key, row in self.entries.items()
            if key not in known or not (row["lightHits"] or row["remHits"])
        ]
        for key in gone:
            del self.entries[key]
        return len(gone)

    def _row(self, key: str) -> dict[str, Any]:
        return self.entries.setdefault(key, {"key": key, "lightHits": 0, "remHits": 0})


def load(workspace: Workspace) -> PhaseSignals:
    """Read the signals; a missing or unreadable file has none."""
    try:
        files.refuse_link(workspace.signals_path, what=WHAT)
        document = files.load_json(workspace.signals_path, what=WHAT)
    except OpenClawError as error:
        return PhaseSignals(problem=error.message)
    if document is None:
        return PhaseSignals()
    if not isinstance(document, dict):
        return PhaseSignals(problem=f"{WHAT} {workspace.signals_path} hold no object")
    rows = document.get("entries")
    signals = PhaseSignals(extra={k: v for k, v in document.items() if k != "entries"})
    for key, raw in rows.items() if isinstance(rows, dict) else ():
        row = _normalize(key, raw)
        if row is not None:
            signals.entries[key] = row
    return signals


def dumps(signals: PhaseSignals, now_ms: int) -> str:
    """The document text of ``signals`` with ``updatedAt`` = now."""
    from openclaw_cli.state.jsonnum import dumps as write_json

    document = {"version": 1} | signals.extra | {"updatedAt": clock.iso(now_ms)}
    return write_json(document | {"entries": signals.entries}) + "\n"


def save(workspace: Workspace, signals: PhaseSignals, now_ms: int) -> None:
    """Write the signals. A file that could not be read is first moved aside, not lost."""
    from openclaw_cli.memory.recall_store import make_dreams_dir

    make_dreams_dir(workspace)
    files.refuse_link(workspace.signals_path, what=WHAT)
    if signals.problem is not None and workspace.signals_path.exists():
        stamp = clock.archive_stamp(now_ms)
        aside = workspace.signals_path.with_name(f"{workspace.signals_path.name}.corrupt-{stamp}")
        if not aside.exists():
            files.rename_durable(workspace.signals_path, aside)
    text = dumps(signals, now_ms)
    files.write_atomic(workspace.signals_path, text, mode=files.PRIVATE_FILE, force_mode=True)


def _normalize(key: str, raw: Any) -> dict[str, Any] | None:
    if not isinstance(raw, dict):
        return None
    light, rem = _hits(raw.get("lightHits")), _hits(raw.get("remHits"))
    if not light and not rem:
        return None
    row: dict[str, Any] = {"key": key, "lightHits": light, "remHits": rem}
    for name in _TIMES:
        value = raw.get(name)
        if isinstance(value, str) and value.strip():
            row[name] = value
    known = ("key", "lightHits", "remHits", *_TIMES)
    return row | {name: value for name, value in raw.items() if name not in known}


def _hits(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return max(0, int(value)) if value == value and abs(value) < 2**53 else 0
