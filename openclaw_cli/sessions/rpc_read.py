"""Gateway methods that look into sessions: preview, get, resolve, usage (``sessions.md`` 13)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import OpenClawError, UnknownName
from openclaw_cli.sessions import discovery, entry, keys, reading, selection, transcript
from openclaw_cli.sessions.rpc_list import items
from openclaw_cli.sessions.selection import Selected
from openclaw_cli.state import clock

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths

PREVIEW_ITEMS = 12
PREVIEW_CHARS = 240
GET_LIMIT = 200
USAGE_LIMIT = 50

_COUNTERS = ("input", "output", "cacheRead", "cacheWrite", "totalTokens")


def preview(config: Config, paths: Paths, params: dict[str, Any], now_ms: int) -> dict[str, Any]:
    """``sessions.preview``: the last messages of each key, cut to ``maxChars``."""
    limit, chars = params.get("limit", PREVIEW_ITEMS), params.get("maxChars", PREVIEW_CHARS)
    found = []
    for key in params["keys"]:
        try:
            selected = selection.select(config, paths, key)
            spoken = _spoken(selected, paths)[-limit:]
        except UnknownName:
            found.append({"key": key, "status": "missing", "items": []})
        except OpenClawError as error:
            found.append({"key": key, "status": "error", "items": [], "error": error.message})
        else:
            shown = [{"role": role, "text": text[:chars]} for role, text, _ in spoken]
            found.append({"key": key, "status": "ok" if shown else "empty", "items": shown})
    return {"ts": now_ms, "previews": found}


def get(config: Config, paths: Paths, params: dict[str, Any], now_ms: int) -> dict[str, Any]:
    """``sessions.get``: the last messages of a session, as stored."""
    selected = selection.select(config, paths, params["key"])
    read = _read(selected, paths)
    path = transcript.active_path(read.entries) if read else []
    messages = [m for line in path if (m := transcript.message_of(line)) is not None]
    return {
        "key": selected.key,
        "sessionId": selected.row.get("sessionId") if isinstance(selected.row, dict) else None,
        "messages": messages[-params.get("limit", GET_LIMIT) :],
        "messageCount": len(messages),
    }


def resolve(config: Config, paths: Paths, params: dict[str, Any], now_ms: int) -> dict[str, Any]:
    """``sessions.resolve``: the stored key that a key, a session id or a label means."""
    given = [name for name in ("key", "sessionId", "label") if params.get(name, "").strip()]
    if len(given) != 1:
        raise OpenClawError(
            "sessions.resolve needs exactly one of key, sessionId and label",
            code="INVALID_REQUEST",
        )
    agent = params.get("agentId")
    if given[0] != "label":
        selected = selection.select(config, paths, params[given[0]], agent=agent)
        return {"ok": True, "key": selected.key}
    targets = discovery.targets(config, paths, agent=agent, all_agents=not agent)
    wanted = params["label"].strip()
    found = [
        item.key
        for item in items(reading.load_all(targets))
        if item.row.get("label") == wanted
        and params.get("spawnedBy") in (None, item.row.get("spawnedBy"))
        and _included(item.key, params)
    ]
    if len(found) == 1:
        return {"ok": True, "key": found[0]}
    if found:
        raise OpenClawError(
            f'label "{wanted}" means {len(found)} sessions: {", ".join(found[:10])}',
            code="ambiguous-key",
        )
    raise UnknownName(f'no session is labelled "{wanted}"', code="unknown-session")


def usage(config: Config, paths: Paths, params: dict[str, Any], now_ms: int) -> dict[str, Any]:
    """``sessions.usage``: tokens that models used, by session, from the transcripts.

    ``startDate`` and ``endDate`` are days (``YYYY-MM-DD``, UTC) and count in full; mirrors
    of sent messages do not count.
    """
    start, end = _span(params)
    if params.get("key"):
        chosen = [selection.select(config, paths, params["key"], agent=params.get("agentId"))]
    else:
        agent = params.get("agentId")
        targets = discovery.targets(config, paths, agent=agent, all_agents=not agent)
        stored = items(reading.load_all(targets))
        stored.sort(key=lambda item: entry.updated_ms(item.row) or 0, reverse=True)
        limit = params.get("limit", USAGE_LIMIT)
        chosen = [Selected(item.source.target, item.key, item.row) for item in stored[:limit]]
    sessions = []
    totals = dict.fromkeys(_COUNTERS, 0)
    for selected in chosen:
        counted = _count(selected, paths, start, end)
        sessions.append(
            {
                "key": selected.key,
                "agentId": keys.agent_of(selected.key, selected.target.agent_id),
                "sessionId": selected.row.get("sessionId"),
                "updatedAt": entry.updated_ms(selected.row),
                "usage": counted,
            }
        )
        for name in _COUNTERS:
            totals[name] += counted[name]
    return {
        "updatedAt": now_ms,
        "startDate": params.get("startDate"),
        "endDate": params.get("endDate"),
        "sessions": sessions,
        "totals": totals,
    }


def _included(key: str, params: dict[str, Any]) -> bool:
    text = keys.normalize(key)
    if text == "global":
        return bool(params.get("includeGlobal"))
    return text != "unknown" or bool(params.get("includeUnknown"))


def _span(params: dict[str, Any]) -> tuple[int | None, int | None]:
    found: list[int | None] = []
    for name, extra in (("startDate", 0), ("endDate", clock.DAY_MS)):
        text = params.get(name)
        at = clock.parse_iso(text) if text else None
        if text and (at is None or len(text.strip()) != len("2026-11-20")):
            raise OpenClawError(
                f"invalid sessions.usage params: '{name}' must be a day like 2026-11-20",
                code="INVALID_REQUEST",
            )
        found.append(None if at is None else at + extra)
    return found[0], found[1]


def _count(selected: Selected, paths: Paths, start: int | None, end: int | None) -> dict[str, int]:
    counted = dict.fromkeys((*_COUNTERS, "calls"), 0)
    read = _read(selected, paths)
    for line in read.entries if read else []:
        message = transcript.message_of(line)
        if message is None or message.get("role") != "assistant" or transcript.is_mirror(message):
            continue
        at, used = transcript.timestamp_of(line), message.get("usage")
        outside = at is not None and (
            (start is not None and at < start) or (end is not None and at >= end)
        )
        if outside or not isinstance(used, dict):
            continue
        counted["calls"] += 1
        for name in _COUNTERS:
            counted[name] += int(entry.number(used.get(name)) or 0)
    return counted


def _spoken(selected: Selected, paths: Paths) -> list[tuple[str, str, dict[str, Any]]]:
    read = _read(selected, paths)
    if read is None:
        return []
    lines: Iterable[dict[str, Any]] = transcript.active_path(read.entries)
    return list(transcript.conversation(lines))


def _read(selected: Selected, paths: Paths) -> transcript.Transcript | None:
    if not entry.is_usable(selected.row):
        return None
    path = discovery.find_transcript(selected.row, selected.target, paths).path
    return None if path is None else transcript.read(path)
