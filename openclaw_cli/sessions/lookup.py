"""Finding a session's row under every spelling its key may have (``sessions.md`` 1.2-1.5, 2.5).

One conversation can be stored as a case variant, with ``dm`` for ``direct``, under an alias
of the main key, as a bare legacy key, or as ``group:<id>``. ``variants`` names all such
rows; ids of Signal groups and Matrix rooms that differ by case are different sessions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from openclaw_cli.errors import OpenClawError, UnknownName
from openclaw_cli.sessions import entry, keys
from openclaw_cli.sessions.routing import KeyRules
from openclaw_cli.state.tuples import NamedTuple

NEAREST = 3
_NEAR_ENOUGH = 0.5
_SEARCHED_KEYS = 2000


class Adoption(NamedTuple):
    """What a write through ``key`` starts from: the newest row and the spellings to drop."""

    key: str
    row: dict[str, Any] | None
    retired: list[str]


def canonical(key: str, rules: KeyRules, *, agent_id: str | None = None) -> str:
    """The spelling under which this project writes the session that ``key`` means.

    ``agent_id`` owns bare keys (default: the default agent). Bare ``group:`` keys stay,
    since they do not tell their channel.
    """
    text = keys.normalize(key)
    if text.startswith("group:"):
        return text
    text = keys.for_agent(agent_id or rules.default_agent, text)
    parsed = keys.parse(text)
    if parsed is None:
        return text
    if parsed.rest in (keys.MAIN, rules.main):
        return keys.main_key(parsed.agent_id, rules.main)
    return keys.as_direct(text)


def spellings(key: str, rules: KeyRules, *, agent_id: str | None = None) -> list[str]:
    """Every normalised spelling of the session of ``key``, the canonical one first."""
    owner = agent_id or rules.default_agent
    first = canonical(key, rules, agent_id=agent_id)
    found = [first, *keys.twins(first)]
    parsed = keys.parse(first)
    if first == "global" and rules.global_scope:
        found += [keys.main_key(owner), keys.main_key(owner, rules.main)]
    elif parsed is not None:
        if parsed.rest == rules.main:
            found.append(keys.main_key(parsed.agent_id))
        found += _group_spellings(parsed)
        if parsed.agent_id == owner:
            found += [keys.rest_of(spelling) for spelling in list(found)]
    return list(dict.fromkeys(found))


def variants(
    rows: Mapping[str, Any], key: str, rules: KeyRules, *, agent_id: str | None = None
) -> list[str]:
    """The stored keys that mean the session of ``key``, newest row first.

    A row spelled ``group:<id>`` counts only while its channel does not say otherwise, and
    a fully lowercase row stands in for a case-sensitive id that has no row of its own.
    """
    wanted = spellings(key, rules, agent_id=agent_id)
    exact = set(wanted)
    lowered = {spelling.lower() for spelling in wanted}
    candidates = [stored for stored in rows if stored.strip().lower() in lowered]
    found = [stored for stored in candidates if keys.normalize(stored) in exact]
    if not found:
        found = [stored for stored in candidates if stored.strip() in lowered]
    channel = keys.channel_of(wanted[0])
    found = [stored for stored in found if not _of_other_channel(stored, rows[stored], channel)]
    order = {spelling: place for place, spelling in enumerate(wanted)}
    found.sort(key=lambda stored: order.get(keys.normalize(stored), len(order)))
    found.sort(key=lambda stored: entry.updated_ms(rows[stored]) or 0, reverse=True)
    return found


def find(
    rows: Mapping[str, Any], key: str, rules: KeyRules, *, agent_id: str | None = None
) -> str | None:
    """The stored key to read for ``key``: the exact one, else the newest variant."""
    for exact in (key, keys.normalize(key), canonical(key, rules, agent_id=agent_id)):
        if exact in rows:
            return exact
    found = variants(rows, key, rules, agent_id=agent_id)
    if found:
        return found[0]
    folded = canonical(key, rules, agent_id=agent_id).lower()
    by_case = [stored for stored in rows if stored.strip().lower() == folded]
    return by_case[0] if len(by_case) == 1 else None


def adopt(
    rows: Mapping[str, Any], key: str, rules: KeyRules, *, agent_id: str | None = None
) -> Adoption:
    """What a write through ``key`` continues: newest row wins, the others are retired.

    Counters are not added up. ``retired`` never holds the key that is written.
    """
    written = canonical(key, rules, agent_id=agent_id)
    found = [k for k in variants(rows, key, rules, agent_id=agent_id) if isinstance(rows[k], dict)]
    row = rows[found[0]] if found else None
    return Adoption(written, row, [stored for stored in found if stored != written])


def resolve(
    rows: Mapping[str, Any], text: str, rules: KeyRules, *, agent_id: str | None = None
) -> str:
    """The stored key that a KEY argument names: a key, a key without its agent, or a session id.

    Raises ``UnknownName`` with the nearest keys, and when several sessions match.
    """
    wanted = keys.require(text)
    by_key = find(rows, text.strip(), rules, agent_id=agent_id)
    same = set(variants(rows, wanted, rules, agent_id=agent_id)) if by_key else set()
    by_id = [stored for stored, row in rows.items() if _has_id(row, wanted.lower())]
    matches = [by_key] if by_key else []
    matches += [stored for stored in by_id if stored != by_key and stored not in same]
    if len(matches) > 1:
        listed = ", ".join(matches[:10]) + (", ..." if len(matches) > 10 else "")
        raise OpenClawError(
            f'"{text.strip()}" means {len(matches)} sessions: {listed}',
            hint="give the full key",
            code="ambiguous-key",
        )
    if matches:
        return matches[0]
    near = nearest(rows, wanted, rules, agent_id=agent_id)
    raise UnknownName(
        f'no session "{text.strip()}"',
        hint=f"nearest: {', '.join(near)}" if near else "openclaw sessions lists them",
        code="unknown-session",
    )


def nearest(
    rows: Iterable[str], text: str, rules: KeyRules, *, agent_id: str | None = None
) -> list[str]:
    """Up to three stored keys that look like ``text``."""
    from difflib import get_close_matches
    from itertools import islice

    wanted = canonical(text, rules, agent_id=agent_id)
    known = list(islice(rows, _SEARCHED_KEYS))
    by_part = [stored for stored in known if text.strip().lower() in stored.lower()]
    alike = get_close_matches(wanted, known, n=NEAREST, cutoff=_NEAR_ENOUGH)
    return list(dict.fromkeys([*by_part[:NEAREST], *alike]))[:NEAREST]


def _group_spellings(parsed: keys.AgentKey) -> list[str]:
    """The legacy keys of ``<channel>:group:<id>``, which did not name the channel."""
    channel, _, tail = parsed.rest.partition(":")
    kind, _, group_id = tail.partition(":")
    if kind != "group" or not group_id or channel in keys.DIRECT_MARKERS:
        return []
    prefix = f"agent:{parsed.agent_id}:"
    found = [f"{prefix}group:{group_id}", f"{prefix}{channel}:group:group:{group_id}"]
    if channel == "whatsapp" and group_id.endswith("@g.us"):
        found += [f"{prefix}whatsapp:{group_id}", f"{prefix}{group_id}"]
    return found


def _of_other_channel(stored: str, row: object, channel: str | None) -> bool:
    """Whether a legacy group row, whose key names no channel, belongs to another one."""
    if channel is None or not keys.rest_of(stored).startswith("group:"):
        return False
    if not isinstance(row, dict):
        return False
    origin = row.get("origin")
    provider = origin.get("provider") if isinstance(origin, dict) else None
    told = (row.get("channel"), row.get("provider"), provider, row.get("lastChannel"))
    known = next((name for name in told if isinstance(name, str) and name.strip()), None)
    return known is not None and keys.normalize_channel(known) != channel


def _has_id(row: object, folded: str) -> bool:
    session_id = row.get("sessionId") if isinstance(row, dict) else None
    return isinstance(session_id, str) and session_id.lower() == folded
