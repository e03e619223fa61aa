"""Which session a message from the command line belongs to (``sessions.md`` 14.2)."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from openclaw_cli.config import agents
from openclaw_cli.errors import UsageProblem
from openclaw_cli.sessions import discovery, keys, routing, store
from openclaw_cli.sessions.routing import Inbound, KeyRules
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config

SELECTORS = "--agent ID, --session-key KEY, --session-id ID, --to RECIPIENT, --from SENDER"


class Selectors(NamedTuple):
    """What the options say; None where one was not given."""

    agent: str | None = None
    session_key: str | None = None
    session_id: str | None = None
    to: str | None = None
    hook: bool = False
    node: str | None = None


class Chosen(NamedTuple):
    """The agent (a configured id) and the key."""

    agent_id: str
    key: str


def choose(config: Config, given: Selectors, inbound: Inbound) -> Chosen:
    """The session; ``UsageProblem`` without a selector, ``UnknownName`` for an agent."""
    agent = agents.require_agent(config, given.agent) if given.agent is not None else None
    rules = KeyRules.from_config(config)
    named = given.session_key or _key_in(given.to)
    if named is not None:
        return _by_key(config, keys.require(named), agent, rules)
    if given.hook or given.node is not None:
        return _special(config, given, agent, rules)
    if given.session_id is not None:
        return _by_session_id(config, given.session_id, agent, rules)
    if inbound.sender or inbound.recipient or inbound.group_id or (agent and inbound.thread_id):
        route = routing.route_of(inbound, rules)
        owner = agent or agents.require_agent(config, route.agent_id)
        return Chosen(owner, routing.session_key(inbound, rules, agent_id=owner))
    if agent is not None:
        key = "global" if rules.global_scope else keys.main_key(agent, rules.main)
        return Chosen(agent, key)
    raise UsageProblem("No target session selected", hint=f"choose with one of {SELECTORS}")


def _by_key(config: Config, key: str, agent: str | None, rules: KeyRules) -> Chosen:
    owner = keys.agent_of(key, agent or rules.default_agent)
    if agent is not None and owner != agent:
        raise UsageProblem(f'Agent id "{agent}" does not match session key agent "{owner}".')
    owner = agents.require_agent(config, owner)
    return Chosen(owner, keys.for_agent(owner, key))


def _special(config: Config, given: Selectors, agent: str | None, rules: KeyRules) -> Chosen:
    """A webhook or a node: a key of its own kind."""
    owner = agent or agents.require_agent(config, rules.default_agent)
    if given.hook:
        return Chosen(owner, keys.hook_key(owner, str(uuid.uuid4())))
    return Chosen(owner, keys.node_key(owner, (given.node or "").strip()))


def _by_session_id(config: Config, session_id: str, agent: str | None, rules: KeyRules) -> Chosen:
    """The row that has this id, of the agent or of any, else a key made of it."""
    wanted = session_id.strip()
    if not wanted:
        raise UsageProblem("--session-id is blank")
    default = agents.require_agent(config, agent or rules.default_agent)
    others = [] if agent is not None else agents.agent_ids(config)
    for candidate in dict.fromkeys([default, *others]):
        rows = store.load(discovery.store_path(config, config.paths, candidate)).rows
        for key, row in rows.items():
            # Agents may share a store: the key tells whose the row is.
            is_own = keys.agent_of(key, candidate) == candidate
            if is_own and isinstance(row, dict) and row.get("sessionId") == wanted:
                return Chosen(candidate, key)
    return Chosen(default, keys.explicit_key(default, wanted))


def _key_in(to: str | None) -> str | None:
    text = (to or "").strip()
    return text if text.lower().startswith("agent:") else None
