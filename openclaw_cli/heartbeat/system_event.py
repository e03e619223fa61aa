"""Lines for a session from outside: ``system event`` and the gateway methods beside it.

``heartbeat.md`` 10. A line waits for the next heartbeat of its session, or starts one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openclaw_cli.config import agents
from openclaw_cli.errors import NotAllowed, OpenClawError, UsageProblem
from openclaw_cli.heartbeat import events, look, state
from openclaw_cli.sessions import keys
from openclaw_cli.sessions.routing import KeyRules
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths

NOW, NEXT = "now", "next-heartbeat"


class Line(NamedTuple):
    """A line as it is queued: the agent, the session, the cleaned text."""

    agent_id: str
    key: str
    text: str


def plan(config: Config, text: str, *, session_key: str | None, agent: str | None) -> Line:
    """Where ``text`` would be queued; changes nothing.

    Raises ``UsageProblem`` for a blank text, a malformed key or another agent's, and
    ``NotAllowed`` for a sub-agent's session.
    """
    line = events.cleaned(text)
    if not line:
        raise UsageProblem("the text is blank", hint='openclaw system event "TEXT"')
    named = keys.require(session_key) if session_key else None
    owner = keys.agent_of(named, "") if named else ""
    agent_id = agents.require_agent(config, agent or owner or agents.default_agent_id(config))
    if owner and owner != agent_id:
        raise UsageProblem(f'Agent id "{agent_id}" does not match session key agent "{owner}".')
    if named and keys.subagent_depth(named):
        raise NotAllowed(f"{named} belongs to a sub-agent: events are refused there")
    if named:
        return Line(agent_id, keys.for_agent(agent_id, named), line)
    key = look.session_key(config, agent_id, None, KeyRules.from_config(config))
    return Line(agent_id, key, line)


def queue(
    config: Config,
    paths: Paths,
    text: str,
    *,
    session_key: str | None,
    agent: str | None,
    mode: str,
) -> str | None:
    """Queue ``text`` for a session; what to tell when the heartbeat at once did not run.

    With a session key the heartbeat runs at once in either mode, as in the reference.
    Raises what ``plan`` raises.
    """
    line = plan(config, text, session_key=session_key, agent=agent)
    events.queue(paths, line.key, line.text)
    if mode != NOW and not session_key:
        return None
    return _run_now(config, line.agent_id, line.key, at_once=mode == NOW)


def answer(config: Config, paths: Paths, params: dict[str, Any], now_ms: int) -> dict[str, Any]:
    """The gateway method ``system-event``."""
    mode = params.get("mode", NEXT)
    if mode not in (NOW, NEXT):
        raise OpenClawError(
            f"invalid system-event params: 'mode' must be {NOW} or {NEXT}", code="INVALID_REQUEST"
        )
    note = queue(
        config,
        paths,
        params["text"],
        session_key=params.get("sessionKey"),
        agent=params.get("agentId"),
        mode=mode,
    )
    return {"ok": True, **({"note": note} if note else {})}


def last(config: Config, paths: Paths, params: dict[str, Any], now_ms: int) -> Any:
    """The gateway method ``last-heartbeat``: the last event, null when there was none."""
    return state.read(paths).get("lastEvent")


def switch(config: Config, paths: Paths, params: dict[str, Any], now_ms: int) -> dict[str, Any]:
    """The gateway method ``set-heartbeats``: pause or resume the heartbeats of all agents."""
    enabled: bool = params["enabled"]
    state.change(paths, lambda known: known.update(enabled=enabled))
    return {"ok": True, "enabled": enabled}


def _run_now(config: Config, agent_id: str, key: str, *, at_once: bool) -> str | None:
    """Run a heartbeat in the session; the event is queued whatever comes of it."""
    from openclaw_cli.heartbeat import run
    from openclaw_cli.heartbeat.beat import RAN
    from openclaw_cli.heartbeat.look import Wish

    try:
        beat = run.run_agent(config, agent_id, Wish(at_once=at_once, session_key=key))
    except OpenClawError as error:
        return f"queued, but the heartbeat did not run: {error.message}"
    if beat.status != RAN:
        return f"queued, but the heartbeat was {beat.status}: {beat.reason}"
    return None
