"""How a session begins or begins anew: the row, the first lines, the old one's archive.

``sessions.md`` 4.5, 3.2 and 14.2. All writing of rows goes through ``Place.change``.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.agent.session import Place
from openclaw_cli.sessions import entry, keys, names, origin, rollover, transcript
from openclaw_cli.sessions.routing import Inbound
from openclaw_cli.state import clock

if TYPE_CHECKING:
    from openclaw_cli.sessions.entry import Row
    from openclaw_cli.sessions.write_path import Draft


def received(place: Place, inbound: Inbound) -> Row:
    """The row of the session, created where missing, with what the message tells.

    Origin and routing follow the message; turns of the system change neither. Clocks of an
    existing row stay: they move when the turn is done, after the reset check.
    """

    def edit(row: Row | None, _draft: Draft) -> Row:
        started = row if row is not None and isinstance(row.get("sessionId"), str) else None
        base = started or _new_row(place, row, inbound)
        if inbound.system or not _tells_anything(inbound):
            return base
        told = origin.described(base, inbound)
        return entry.routed(told, origin.delivery_from(inbound)) if inbound.channel else told

    row = place.change(edit)
    assert row is not None  # noqa: S101 - edit always returns a row
    return row


def renew(place: Place, old: Row, new_id: str, *, rule: str, pin: dict[str, Any] | None) -> Row:
    """Give the session a new id; the old transcript becomes a ``.reset.`` archive.

    ``rule`` (``daily``, ``idle``, ``new``, ``reset``) is the reason in the trail; ``pin`` are
    model fields that a person chose for the new session.
    """

    def edit(row: Row | None, draft: Draft) -> Row:
        present = row if row is not None else old
        fresh = rollover.renewed(present, new_id=new_id, now_ms=place.now_ms)
        draft.archive(place.key, present, rule=rule)
        return fresh | (pin or {})

    row = place.change(edit)
    assert row is not None  # noqa: S101 - edit always returns a row
    return row


def isolate(place: Place, new_id: str) -> Row:
    """A new session for a run of its own (``rollover.isolated``); an old transcript is archived."""

    def edit(row: Row | None, draft: Draft) -> Row:
        if row is not None:
            draft.archive(place.key, row, rule="isolated-run")
        return rollover.isolated(row, new_id=new_id, now_ms=place.now_ms)

    row = place.change(edit)
    assert row is not None  # noqa: S101 - edit always returns a row
    return row


def first_lines(
    place: Place, row: Row, path: Path, *, provider: str | None, model: str | None
) -> list[dict[str, Any]]:
    """What a transcript that does not exist yet begins with: header, model, thinking level."""
    taken: set[str] = set()
    header = transcript.make_header(
        str(row["sessionId"]), now_ms=place.now_ms, cwd=os.getcwd(), parent=_parent_of(place, row)
    )
    lines = [header, *_forked_lines(place, row)]
    taken |= {str(line["id"]) for line in lines}
    parent = str(lines[-1]["id"]) if len(lines) > 1 else None

    def add(kind: str, fields: dict[str, Any]) -> None:
        nonlocal parent
        line = transcript.make_entry(
            kind, fields, parent_id=parent, now_ms=place.now_ms, taken=taken
        )
        parent = line["id"]
        lines.append(line)

    if model:
        add("model_change", {"provider": provider, "modelId": model})
    add("thinking_level_change", {"thinkingLevel": row.get("thinkingLevel") or "off"})
    if model:
        snapshot = {"timestamp": place.now_ms, "provider": provider, "modelId": model}
        add("custom", {"customType": "model-snapshot", "data": snapshot})
    return lines


def _tells_anything(inbound: Inbound) -> bool:
    """Whether a message says where it comes from; one typed at the terminal does not."""
    facts = (inbound.channel, inbound.sender, inbound.group_id, inbound.conversation_label)
    return any(facts)


def _new_row(place: Place, row: Row | None, inbound: Inbound) -> Row:
    """A first row; fields of a row that lost its session id stay."""
    new_id = place.new_id()
    fresh = entry.merged(row, {"sessionId": new_id}, now_ms=place.now_ms, new_id=new_id)
    if inbound.thread_id and inbound.thread_id.strip():
        name = names.transcript_name(new_id, inbound.thread_id.strip())
        if name is not None:
            fresh = fresh | {"sessionFile": name}
    if _fork_source(place, fresh) is not None:
        stamp = clock.archive_stamp(place.now_ms).replace(".", "-")
        fresh = fresh | {"forkedFromParent": True, "sessionFile": f"{stamp}_{new_id}.jsonl"}
    return fresh


def _fork_source(place: Place, row: Row) -> Path | None:
    """The transcript of the parent that a new thread starts from, None without one."""
    base = keys.split_thread(place.key)
    if base.thread_id is None:
        return None
    parent = Place(place.config, place.agent_id, base.base, place.now_ms)
    found = parent.row()
    session = place.config.get("session")
    if found is None or not isinstance(found.get("sessionId"), str):
        return None
    if not rollover.forks_parent(found, session if isinstance(session, dict) else {}):
        return None
    path = parent.transcript_path(found)
    return path if path.is_file() else None


def _parent_of(place: Place, row: Row) -> str | None:
    source = _fork_source(place, row) if _is_new_fork(row) else None
    return None if source is None else str(source)


def _forked_lines(place: Place, row: Row) -> list[dict[str, Any]]:
    """The parent's active branch, which a fork starts with."""
    source = _fork_source(place, row) if _is_new_fork(row) else None
    return [] if source is None else transcript.active_path(transcript.read(source).entries)


def _is_new_fork(row: Row) -> bool:
    """Whether this is the thread's first session; one that was reset begins empty."""
    return row.get("forkedFromParent") is True and not row.get("usageFamilySessionIds")
