"""From the KEY argument of a command to one row of one store (``sessions.md`` 16).

KEY is a full key, a key without its ``agent:<id>:``, or a session id. A full key leads to
the store of its agent; a session id is looked for in every configured store when neither
an agent nor a store is named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import UnknownName, UnreadableFile, UsageProblem
from openclaw_cli.sessions import discovery, keys, lookup, reading
from openclaw_cli.sessions.discovery import Source, Target
from openclaw_cli.sessions.routing import KeyRules
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths


class Selected(NamedTuple):
    """A stored session: its store, its key as stored, and its row."""

    target: Target
    key: str
    row: Any


def target_for(
    config: Config, paths: Paths, text: str, *, agent: str | None = None, store: str | None = None
) -> Target:
    """The store in which KEY is looked for first; ``UsageProblem`` when options disagree."""
    chosen = discovery.targets(config, paths, agent=agent, store=store)[0]
    named = keys.parse(keys.require(text))
    if named is None or store is not None:
        return chosen
    if agent and named.agent_id != chosen.agent_id:
        raise UsageProblem(
            f'Agent id "{chosen.agent_id}" does not match session key agent "{named.agent_id}".'
        )
    return discovery.targets(config, paths, agent=named.agent_id)[0]


def select(
    config: Config, paths: Paths, text: str, *, agent: str | None = None, store: str | None = None
) -> Selected:
    """The one stored session that KEY means.

    Raises ``UnknownName`` (with the nearest keys) for none, an error that lists them for
    several, ``UsageProblem`` for a malformed key, ``UnreadableFile`` for a damaged store.
    """
    target = target_for(config, paths, text, agent=agent, store=store)
    rules = KeyRules.from_config(config)
    source = reading.load_all([target])[0]
    try:
        key = lookup.resolve(source.rows, text, rules, agent_id=target.agent_id)
    except UnknownName:
        found = None if agent or store else _by_id_elsewhere(config, paths, text, target)
        if found is None:
            raise
        return found
    return Selected(target, key, source.rows[key])


def _by_id_elsewhere(config: Config, paths: Paths, text: str, searched: Target) -> Selected | None:
    wanted = text.strip().lower()
    others = [t for t in discovery.targets(config, paths, all_agents=True) if t != searched]
    unread: list[Source] = []
    for source in reading.load_all(others):
        for key, row in source.rows.items():
            session_id = row.get("sessionId") if isinstance(row, dict) else None
            if isinstance(session_id, str) and session_id.lower() == wanted:
                return Selected(source.target, key, row)
        if source.error:
            unread.append(source)
    if unread:  # it may well be in there
        raise UnreadableFile(
            unread[0].error or "", path=unread[0].target.store_path, code="store-unreadable"
        )
    return None
