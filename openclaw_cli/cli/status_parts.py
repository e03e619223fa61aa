"""What ``status`` tells besides sessions: one function per part, each reading only.

A part returns the object for ``--json`` under its key, and its rows for people. The list
``PARTS`` is the order in which they appear.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from openclaw_cli.state import clock
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths


class Part(NamedTuple):
    """One part of the overview: its JSON key and value, and (label, text) rows for people."""

    key: str
    value: Any
    rows: list[tuple[str, str]]


def heartbeat(config: Config, paths: Paths, now_ms: int) -> Part:
    """Which agents have a heartbeat, and how often (``heartbeat.md`` 10)."""
    from openclaw_cli.config import agents
    from openclaw_cli.heartbeat import settings, state

    remembered = state.read(paths)
    described, words = [], []
    for agent_id in agents.agent_ids(config):
        found = settings.of_agent(config, agent_id)
        every = interval_label(found.every_ms) if found.enabled and found.every_ms else "disabled"
        described.append(
            {
                "agentId": agent_id,
                "enabled": found.enabled,
                "every": every,
                "everyMs": found.every_ms if found.enabled else None,
            }
        )
        words.append(f"{every} ({agent_id})")
    switched_on = state.is_switched_on(remembered)
    text = ", ".join(words) + ("" if switched_on else "; switched off for all agents")
    value = {
        "defaultAgentId": agents.default_agent_id(config),
        "switchedOn": switched_on,
        "agents": described,
    }
    return Part("heartbeat", value, [("Heartbeat", text)])


def commitments(config: Config, paths: Paths, now_ms: int) -> Part:
    """How many follow-ups are open, and what keeps them from being delivered."""
    on = config.get("commitments", "enabled") is True
    if not on and not paths.under("commitments").exists():
        value = {"enabled": False, "open": 0, "blocked": {}}
        return Part("commitments", value, [("Commitments", "off · 0 open")])
    from openclaw_cli.commitments import blocking, store
    from openclaw_cli.commitments.record import is_active
    from openclaw_cli.config import agents
    from openclaw_cli.heartbeat import followups

    rows = [row for row in store.load(paths).valid if is_active(row)]
    names = sorted({row["agentId"] for row in rows}) or [agents.default_agent_id(config)]
    blocked: dict[str, str | None] = {}
    for agent_id in names:
        facts = followups.facts(config, paths, agent_id, now_ms=now_ms)
        blocked[agent_id] = blocking.blocked(on, facts)
    held = sorted({reason for reason in blocked.values() if reason})
    text = f"{'on' if on else 'off'} · {len(rows)} open"
    if held and rows:
        text += f" · held back: {', '.join(held)}"
    value = {"enabled": on, "open": len(rows), "blocked": blocked}
    return Part("commitments", value, [("Commitments", text)])


def dreaming(config: Config, paths: Paths, now_ms: int) -> Part:
    """Whether the nightly sweep is on, when it runs next, and what keeps it from running."""
    on = config.get("plugins", "entries", "memory-core", "config", "dreaming", "enabled") is True
    if not on:
        return Part("dreaming", {"enabled": False}, [("Dreaming", "off")])
    from openclaw_cli.dreaming import overview

    started_by = _started_by(config, paths, now_ms)
    known = overview.document(config, paths, now_ms, agent=None, scheduler=started_by)
    value = {name: known[name] for name in ("enabled", "nextRunAtMs", "lastRun", "blocked")}
    words = ["on"]
    if known["nextRunAtMs"] is not None:
        words.append(f"next {clock.iso(known['nextRunAtMs'])}")
    last = known["lastRun"] or {}
    if last.get("finishedAtMs") is not None:
        words.append(f"last {last.get('outcome', 'run')} {clock.iso(last['finishedAtMs'])}")
    if known["blocked"]:
        words.append(f"blocked: {known['blocked']['detail']}")
    return Part("dreaming", value, [("Dreaming", " · ".join(words))])


def scheduler(config: Config, paths: Paths, now_ms: int) -> Part:
    """Whether anything on this host starts the background jobs."""
    from openclaw_cli.sessions import listing

    known = _started_by(config, paths, now_ms)
    if known["installed"] and known["kind"] is None:
        return Part("scheduler", known, [("Scheduler", "running")])
    tick = known["lastTickAtMs"]
    text = f"installed ({known['kind']})" if known["installed"] else "not installed"
    if tick is not None:
        text += f" · last tick {listing.age_label(now_ms - tick)}"
    elif not known["installed"]:
        text += " (openclaw jobs install)"
    return Part("scheduler", known, [("Scheduler", text)])


@lru_cache(maxsize=1)
def _started_by(config: Config, paths: Paths, now_ms: int) -> dict[str, Any]:
    """What starts the background jobs; several parts want to know, the host is asked once."""
    from openclaw_cli.jobs import starter

    return starter.brief_state(paths, config.environ, now_ms)


def last_heartbeat(config: Config, paths: Paths, now_ms: int) -> Part:
    """The last event of any heartbeat: status, age, channel, account (``--deep``)."""
    from openclaw_cli.heartbeat import state
    from openclaw_cli.sessions import listing

    event = state.read(paths).get("lastEvent")
    if not isinstance(event, dict):
        return Part("lastHeartbeat", None, [("Last heartbeat", "none yet")])
    stamp = event.get("ts")
    age = listing.age_label(now_ms - stamp) if isinstance(stamp, int | float) else "unknown"
    words = [str(event.get("status") or "unknown"), age]
    words += [str(event[name]) for name in ("channel", "accountId") if event.get(name)]
    return Part("lastHeartbeat", event, [("Last heartbeat", " · ".join(words))])


def model(config: Config, paths: Paths, now_ms: int) -> Part:
    """Whether the default model answers: one smallest possible call (``--deep``)."""
    from openclaw_cli.config import agents
    from openclaw_cli.model import refs, status

    agent_id = agents.default_agent_id(config)
    choice = refs.default_choice(config, agent_id)
    if not choice.refs:
        return Part("model", None, [("Model", "none configured")])
    tried = status.probe(config, agent_id, str(choice.refs[0]), now_ms=now_ms)
    text = f"{tried['model']} answers in {tried['latencyMs']} ms"
    if not tried["ok"]:
        text = f"{tried['model']} does not answer: {tried['error']['message']}"
    return Part("model", {"probe": tried}, [("Model", text)])


Describe = Callable[["Config", "Paths", int], Part]

PARTS: tuple[Describe, ...] = (heartbeat, dreaming, commitments, scheduler)
DEEP_PARTS: tuple[Describe, ...] = (last_heartbeat, model)


def interval_label(every_ms: int) -> str:
    """``30m``, ``2h``, ``1d``: an interval in its largest whole unit."""
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000)):
        if every_ms >= size and every_ms % size == 0:
            return f"{every_ms // size}{unit}"
    return f"{every_ms}ms"
