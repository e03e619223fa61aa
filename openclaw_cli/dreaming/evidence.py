"""Evidence belongs to the statement, not to its line number (``dreaming.md`` 12.2).

Before a note's snippets are counted, the entries that point into it are settled: an entry
whose text moved follows it, one whose text is gone and whose place another text has taken
leaves the store, two entries of one statement become one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from openclaw_cli.dreaming.snippets import Snippet
from openclaw_cli.memory.entries import Entry, claim_hash, entry_key
from openclaw_cli.memory.joining import join
from openclaw_cli.memory.notes import Note, NoteReader
from openclaw_cli.memory.recall_store import RecallStore
from openclaw_cli.memory.rehydration import Live, NotLive, find_live
from openclaw_cli.memory.similarity import is_same_claim

_CLAIM = re.compile(r":[0-9a-f]{12}$")


def settle(
    store: RecallStore,
    signals: dict[str, dict[str, Any]],
    path: str,
    *,
    snippets: Iterable[Snippet],
    reader: NoteReader,
) -> dict[str, Entry]:
    """Bring the entries of the note ``path`` in line with its text; those that left.

    ``signals`` are the phase signals, which move with their entries. Promoted entries keep
    their key: ``MEMORY.md`` refers to it.
    """
    taken: dict[str, str] = {}
    for snippet in snippets:
        taken.setdefault(entry_key(path, snippet.start, snippet.end), snippet.text)
    moves: dict[str, Live] = {}
    gone: dict[str, Entry] = {}
    for key, entry in store.entries.items():
        if entry["path"] != path or "promotedAt" in entry:
            continue
        replaced = key in taken and not is_same_claim(entry["snippet"], taken[key])
        live = _without_blank_lines(find_live(entry, reader), reader.read(path))
        if isinstance(live, Live) and _moved(entry, live, replaced=replaced):
            moves[key] = live
        elif isinstance(live, NotLive) and live.reason == "no-match" and replaced:
            gone[key] = entry
    if moves or gone:
        _rebuild(store, signals, moves, gone)
    return gone


def _without_blank_lines(live: Live | NotLive, note: Note | str | None) -> Live | NotLive:
    """The live range without blank lines around its text."""
    if not isinstance(live, Live) or not isinstance(note, Note):
        return live
    filled = [n for n in range(live.start_line, live.end_line + 1) if note.lines[n - 1].strip()]
    return live._replace(start_line=filled[0], end_line=filled[-1]) if filled else live


def _moved(entry: Entry, live: Live, *, replaced: bool) -> bool:
    """Whether the entry is to follow its text: as many lines elsewhere, or its place lost."""
    if (live.start_line, live.end_line) == (entry["startLine"], entry["endLine"]):
        return False
    span = entry["endLine"] - entry["startLine"]
    return replaced or live.end_line - live.start_line == span


def _rebuild(
    store: RecallStore,
    signals: dict[str, dict[str, Any]],
    moves: dict[str, Live],
    gone: dict[str, Entry],
) -> None:
    staying = {key for key in store.entries if key not in moves and key not in gone}
    entries: dict[str, Entry] = {}
    renamed: dict[str, str] = {}
    for key, entry in store.entries.items():
        if key in gone:
            continue
        target = _key_after(key, entry, moves, entries.keys() | staying, store)
        if target != key:
            renamed[key] = target
            live = moves[key]
            entry = entry | {
                "key": target, "startLine": live.start_line, "endLine": live.end_line
            }  # fmt: skip
        holder = entries.get(target)
        if holder is None:
            entries[target] = entry
        elif is_same_claim(holder["snippet"], entry["snippet"]):
            join(holder, entry)
        else:  # its place went to a text that moved there
            aside = f"{target}:{claim_hash(entry['snippet'])}"
            entries[aside] = entry | {"key": aside}
            renamed[key] = aside
    store.entries = entries
    _rename_signals(signals, renamed, gone)


def _key_after(
    key: str, entry: Entry, moves: dict[str, Live], occupied: set[str], store: RecallStore
) -> str:
    """The key of an entry's new place; its old one where another statement has the new."""
    live = moves.get(key)
    if live is None:
        return key
    claim = _CLAIM.search(key)
    target = entry_key(entry["path"], live.start_line, live.end_line)
    target += claim[0] if claim else ""
    holder = store.entries.get(target) if target in occupied else None
    if holder is not None and (
        "promotedAt" in holder or not is_same_claim(holder["snippet"], entry["snippet"])
    ):
        return key
    return target


def _rename_signals(
    signals: dict[str, dict[str, Any]], renamed: dict[str, str], gone: dict[str, Entry]
) -> None:
    rows = {key: row for key, row in signals.items() if key not in gone}
    moved = {key: rows.pop(key) for key in renamed if key in rows}
    for key, row in moved.items():
        target = renamed[key]
        other = rows.get(target)
        rows[target] = (row | {"key": target}) if other is None else _joined(other, row)
    signals.clear()
    signals.update(rows)


def _joined(row: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """One row for two of the same statement: the larger counts, the later times."""
    return row | {
        name: max(row.get(name, value), value)
        for name, value in other.items()
        if name.startswith("last") or name in ("lightHits", "remHits")
    }
