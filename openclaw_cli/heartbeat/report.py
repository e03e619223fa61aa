"""What ``heartbeat status`` and a dry run tell; reads only (``heartbeat.md`` 10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openclaw_cli.commitments import settings as commitment_settings
from openclaw_cli.config import agents
from openclaw_cli.heartbeat import look, settings, state
from openclaw_cli.heartbeat.look import Look, Wish

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config


def status(config: Config, agent: str | None, *, now_ms: int) -> dict[str, Any]:
    """The document of ``heartbeat status``: every configured agent, or the one asked for."""
    known = state.read(config.paths)
    wanted = [agents.require_agent(config, agent)] if agent else agents.agent_ids(config)
    looks = [look.at(config, agent_id, Wish(), now_ms=now_ms) for agent_id in wanted]
    return {
        "enabled": state.is_switched_on(known),
        "agents": [_status_of(found, known) for found in looks],
    }


def plan(config: Config, agent_ids: list[str], wish: Wish, *, now_ms: int) -> dict[str, Any]:
    """What a run would do: target, prompt and due sets of each agent."""
    looks = [look.at(config, agent_id, wish, now_ms=now_ms) for agent_id in agent_ids]
    return {"dryRun": True, "agents": [_plan_of(found) for found in looks]}


def would_run(found: dict[str, Any]) -> bool:
    """Whether an agent of ``plan`` has something to do."""
    return bool(found["status"] == "would-run")


def _status_of(found: Look, known: dict[str, Any]) -> dict[str, Any]:
    reason = found.reason or look.idle_reason(found)
    followups = _due_followups(found)
    # A run is due also when only follow-ups wait for it.
    is_due = found.reason is None
    if is_due and reason is not None and followups:
        reason = None
    return {
        "agentId": found.agent_id,
        "enabled": found.settings.enabled and state.is_switched_on(known),
        "every": _every(found),
        "everyMs": found.settings.every_ms if found.settings.enabled else None,
        "due": is_due,
        "reason": reason,
        "nextDueAtMs": found.next_due_ms if state.is_switched_on(known) else None,
        "lastRun": _last_run(found, known),
        "target": _target_of(found),
        "dueCommitments": len(followups),
        "tasks": _tasks_of(found),
        "waitsFor": _unasked(found),
        "warnings": [*found.warnings, *_held_back(found)],
    }


def _plan_of(found: Look) -> dict[str, Any]:
    idle = look.idle_reason(found)
    runs = found.reason is None and idle is None
    unasked = None if found.reason else look.unasked_reason(found, found.row)
    followups = _due_followups(found) if found.reason is None else []
    shown = {
        "agentId": found.agent_id,
        "status": "would-run" if not unasked and (runs or followups) else "would-skip",
        "reason": found.reason or idle or unasked,
        "nextDueAtMs": found.next_due_ms,
        "sessionKey": found.session_key,
        "target": _target_of(found),
        "tasks": _tasks_of(found),
        "commitments": [{"id": row["id"], "outcome": "due", "reason": None} for row in followups],
        "prompt": None,
        "warnings": found.warnings,
    }
    if runs:
        from openclaw_cli.heartbeat import poll

        shown["prompt"] = poll.text(found)
    return shown


def _every(found: Look) -> str:
    if not found.settings.enabled:
        return "disabled"
    return str(found.settings.block.get("every", settings.DEFAULT_EVERY))


def _last_run(found: Look, known: dict[str, Any]) -> dict[str, Any] | None:
    if found.last_run_ms is None:
        return None
    event = state.peek(known, found.agent_id).get("lastEvent")
    event = event if isinstance(event, dict) else {}
    at = event.get("ts")
    if not isinstance(at, int | float) or at < found.last_run_ms:
        event = {}  # of a run before: the last one had nothing to tell
    kept = {k: v for k, v in event.items() if k != "preview"}
    return {"startedAtMs": found.last_run_ms, "event": kept or None}


def _target_of(found: Look) -> dict[str, Any]:
    target = found.target
    return {
        "wanted": found.settings.target,
        "channel": target.channel,
        "to": target.to,
        "accountId": target.account_id,
        "problem": target.problem,
    }


def _tasks_of(found: Look) -> list[dict[str, Any]]:
    due_now = {id(task) for task in found.tasks}
    return [
        {
            "name": task.name,
            "interval": task.interval,
            "due": id(task) in due_now,
            "lastRunAtMs": found.task_state.get(task.name),
        }
        for task in (found.checklist.tasks if found.checklist else [])
    ]


def _due_followups(found: Look) -> list[dict[str, Any]]:
    config = found.config
    if not commitment_settings.enabled(config):
        return []
    from openclaw_cli.commitments import due
    from openclaw_cli.commitments import store as commitments

    rows = commitments.load(config.paths).valid
    most = commitment_settings.max_per_day(config)
    ready: list[dict[str, Any]] = []
    for (agent_id, key), own in due.by_session(rows, found.agent_id).items():
        ready += due.query(own, agent_id, key, now_ms=found.now_ms, max_per_day=most).rows
    return ready


def _unasked(found: Look) -> str | None:
    """Why no model could be asked where the heartbeat runs and has something to do."""
    if not found.settings.enabled or look.idle_reason(found):
        return None
    return look.unasked_reason(found, found.row)


def _held_back(found: Look) -> list[str]:
    """The word about due follow-ups that the target keeps back."""
    if found.settings.target != "none" or not found.settings.enabled:
        return []
    count = len(_due_followups(found))
    if not count:
        return []
    rows = "1 due commitment is" if count == 1 else f"{count} due commitments are"
    return [f"{rows} held back by target none"]
