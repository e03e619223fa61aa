"""Making and changing the definition of a task from what a person asked for. Pure.

``Wish`` holds the options as given (None: not given). The rules of ``scheduled-tasks.md`` 1.1
are checked on the result, so that an edit cannot make what ``add`` refuses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from openclaw_cli.config import agents
from openclaw_cli.delivery import webhook
from openclaw_cli.errors import UsageProblem
from openclaw_cli.schedule import job, stagger, times
from openclaw_cli.schedule.expression import BadExpression, validate
from openclaw_cli.state import clock

WAKE_MODES = ("now", "next-heartbeat")


@dataclass
class Wish:
    """What was asked for. Cleared values are empty strings; ``threads`` is ``--thread-id``."""

    name: str | None = None
    description: str | None = None
    enabled: bool | None = None
    at: str | None = None
    every: str | None = None
    cron: str | None = None
    tz: str | None = None
    stagger: str | None = None
    exact: bool = False
    session: str | None = None
    session_key: str | None = None
    agent: str | None = None
    wake: str | None = None
    system_event: str | None = None
    message: str | None = None
    model: str | None = None
    thinking: str | None = None
    timeout_seconds: int | None = None
    light_context: bool | None = None
    tools: str | None = None
    mode: str | None = None
    webhook: str | None = None
    channel: str | None = None
    to: str | None = None
    thread_id: int | None = None
    account: str | None = None
    best_effort: bool | None = None
    delete_after_run: bool | None = None
    failure_alert: bool | None = None
    alert_after: int | None = None
    alert_cooldown_ms: int | None = None
    alert_channel: str | None = None
    alert_to: str | None = None

    @property
    def has_schedule(self) -> bool:
        """Whether a whole schedule was given."""
        return any(value is not None for value in (self.at, self.every, self.cron))

    @property
    def has_payload(self) -> bool:
        """Whether a text was given."""
        return self.system_event is not None or self.message is not None


def with_positional(wish: Wish, first: str | None, second: str | None) -> Wish:
    """Read ``add [SCHEDULE|NAME] [MESSAGE]``: the first is a name when a schedule is given."""
    if first is not None:
        if wish.has_schedule:
            if wish.name is not None:
                raise UsageProblem(f"two schedules, or two names: {first!r} is one too many")
            wish.name = first
        else:
            kind = times.kind_of(first)
            if kind == "at":
                times.require_schedule(first)
            text = first.split(maxsplit=1)[1] if kind == "every" else first
            setattr(wish, kind, text)
    if second is not None:
        if wish.has_payload:
            raise UsageProblem(f"the message is given twice: {second!r} and with an option")
        wish.message = second
    return wish


def new_row(wish: Wish, *, task_id: str, now_ms: int, default_agent: str) -> dict[str, Any]:
    """The row of a new task; ``UsageProblem`` for what does not fit together."""
    schedule = _schedule(wish, now_ms)
    name = (wish.name or "").strip()
    if not name:
        raise UsageProblem("a task needs a name", hint="give one with --name")
    row: dict[str, Any] = {
        "id": task_id,
        "agentId": agents.normalize_agent_id(wish.agent) if wish.agent else None,
        "sessionKey": job.text(wish.session_key),
        "name": name,
        "description": job.text(wish.description),
        "enabled": wish.enabled is not False,
        "deleteAfterRun": wish.delete_after_run,
        "createdAtMs": now_ms,
        "schedule": schedule,
        "sessionTarget": None,
        "wakeMode": wish.wake or "now",
        "payload": _new_payload(wish),
    }
    if row["deleteAfterRun"] is None and schedule["kind"] == job.AT:
        row["deleteAfterRun"] = True
    is_turn = row["payload"]["kind"] == job.AGENT_TURN
    row["sessionTarget"] = _target(wish, job.ISOLATED if is_turn else job.MAIN)
    delivery = _delivery({}, wish)
    if delivery or is_turn:
        row["delivery"] = delivery or {"mode": "announce", "channel": "last"}
    alert = _failure_alert(None, wish)
    if alert is not None:
        row["failureAlert"] = alert
    row = {key: value for key, value in row.items() if value is not None}
    check(row, default_agent)
    return row


def edited_row(
    row: dict[str, Any], wish: Wish, *, now_ms: int, default_agent: str
) -> dict[str, Any]:  # fmt: skip
    """``row`` with the changes asked for; unknown fields stay."""
    after = dict(row)
    for key, value in (("name", wish.name), ("description", wish.description)):
        if value is not None:
            _set(after, key, value.strip() or None)
    if not job.text(after.get("name")):
        raise UsageProblem("a task needs a name")
    if wish.agent is not None:
        _set(after, "agentId", agents.normalize_agent_id(wish.agent) if wish.agent else None)
    if wish.session_key is not None:
        _set(after, "sessionKey", job.text(wish.session_key))
    plain = {
        "enabled": wish.enabled,
        "deleteAfterRun": wish.delete_after_run,
        "wakeMode": wish.wake,
    }
    after |= {key: value for key, value in plain.items() if value is not None}
    if wish.has_schedule or wish.tz is not None or wish.stagger is not None or wish.exact:
        after["schedule"] = _edited_schedule(row, wish, now_ms)
    payload = _edited_payload(row, wish)
    if payload is not None:
        after["payload"] = payload
    if wish.session is not None:
        after["sessionTarget"] = _target(wish, job.ISOLATED)
    elif payload is not None and payload["kind"] != job.payload_of(row).get("kind"):
        after["sessionTarget"] = job.ISOLATED if wish.message is not None else job.MAIN
        if wish.message is None:
            after.pop("delivery", None)
    present = row.get("delivery")
    delivery = _delivery(present if isinstance(present, dict) else {}, wish)
    if delivery:
        after["delivery"] = delivery
    alert = _failure_alert(row.get("failureAlert"), wish)
    if alert is not None:
        after["failureAlert"] = alert
    check(after, default_agent)
    return after


def check(row: dict[str, Any], default_agent: str) -> None:
    """``UsageProblem`` when the parts of a row do not go together."""
    from openclaw_cli.schedule.job import Task

    task = Task(row)
    if task.target == job.MAIN:
        if task.is_turn:
            raise UsageProblem("the main session takes a --system-event, not a --message")
        own = task.agent_id
        if own is not None and agents.normalize_agent_id(own) != default_agent:
            raise UsageProblem(
                f"--session main is for the default agent ({default_agent}), not {own!r}",
                hint="use --session isolated with --message",
            )
    elif not task.is_turn:
        raise UsageProblem(f"--session {task.target} takes a --message, not a --system-event")
    elif task.target != job.ISOLATED and not job.names_session(task.target):
        raise UsageProblem(
            f"unknown --session {task.target!r}",
            hint="main, isolated, current or session:<id>",
        )
    mode = task.delivery.get("mode")
    if mode in ("announce", "webhook") and task.target == job.MAIN:
        raise UsageProblem("a task of the main session delivers nothing itself")
    if mode == "webhook" and not webhook.is_address(task.delivery.get("to")):
        raise UsageProblem("--webhook needs an http(s) URL")
    if row.get("wakeMode", "now") not in WAKE_MODES:
        raise UsageProblem(f"unknown --wake {row.get('wakeMode')!r}", hint="now or next-heartbeat")


def _schedule(wish: Wish, now_ms: int) -> dict[str, Any]:
    given = [n for n in ("at", "every", "cron") if getattr(wish, n) is not None]
    if len(given) != 1:
        found = " and ".join(f"--{n}" for n in given) or "none"
        raise UsageProblem(
            f"a task needs exactly one schedule; given: {found}",
            hint="--at TIME, --every DURATION or --cron EXPRESSION",
        )
    if given != ["cron"] and (wish.stagger is not None or wish.exact):
        raise UsageProblem("--stagger and --exact go with --cron only")
    if wish.every is not None:
        if wish.tz is not None:
            raise UsageProblem("--tz does not go with --every")
        return {"kind": job.EVERY, "everyMs": times.parse_every(wish.every), "anchorMs": now_ms}
    zone = times.parse_zone(wish.tz) if wish.tz else None
    if wish.at is not None:
        return {"kind": job.AT, "at": clock.iso(times.parse_at(wish.at, zone, now_ms))}
    return _cron_schedule({"kind": job.CRON, "expr": (wish.cron or "").strip()}, wish)


def _cron_schedule(schedule: dict[str, Any], wish: Wish) -> dict[str, Any]:
    """``schedule`` with zone and stagger of ``wish``, its expression checked."""
    try:
        validate(str(schedule["expr"]))
    except BadExpression as error:
        raise UsageProblem(error.message, hint=error.hint) from error
    if wish.tz is not None:
        _set(schedule, "tz", times.parse_zone(wish.tz).key if wish.tz else None)
    if wish.exact and wish.stagger is not None:
        raise UsageProblem("--exact and --stagger cannot be used together")
    if wish.exact or wish.stagger is not None:
        schedule["staggerMs"] = 0 if wish.exact else times.parse_stagger(wish.stagger or "0")
    elif "staggerMs" not in schedule and stagger.window_ms(schedule):
        schedule["staggerMs"] = stagger.window_ms(schedule)
    return schedule


def _edited_schedule(row: dict[str, Any], wish: Wish, now_ms: int) -> dict[str, Any]:
    present = job.schedule_of(row)
    if wish.has_schedule:
        if wish.cron is not None and wish.tz is None and present.get("tz"):
            wish.tz = str(present["tz"])  # a new expression keeps the zone
        return _schedule(wish, now_ms)
    if present.get("kind") != job.CRON:
        raise UsageProblem("--tz, --stagger and --exact change a cron schedule; this is none")
    return _cron_schedule(present, wish)


def _new_payload(wish: Wish) -> dict[str, Any]:
    if wish.system_event is not None and wish.message is not None:
        raise UsageProblem("--system-event and --message cannot be used together")
    if wish.system_event is None and wish.message is None:
        raise UsageProblem(
            "a task needs --system-event or --message",
            hint="--system-event TEXT is a reminder, --message TEXT a turn of an agent",
        )
    if wish.system_event is not None:
        _refuse_turn_options(wish)
        return {"kind": job.SYSTEM_EVENT, "text": _text(wish.system_event, "--system-event")}
    return _turn({"kind": job.AGENT_TURN, "message": _text(wish.message, "--message")}, wish)


def _edited_payload(row: dict[str, Any], wish: Wish) -> dict[str, Any] | None:
    """The payload as it shall be, None when nothing about it was asked for."""
    if wish.system_event is not None and wish.message is not None:
        raise UsageProblem("--system-event and --message cannot be used together")
    present = job.payload_of(row)
    is_turn = present.get("kind") == job.AGENT_TURN
    if wish.system_event is not None:
        _refuse_turn_options(wish)
        kept = {} if is_turn else present
        return {**kept, "kind": job.SYSTEM_EVENT, "text": _text(wish.system_event, "text")}
    if wish.message is not None:
        kept = present if is_turn else {}
        message = _text(wish.message, "--message")
        return _turn({**kept, "kind": job.AGENT_TURN, "message": message}, wish)
    if not _turn_options(wish):
        return None
    if not is_turn:
        _refuse_turn_options(wish)
    return _turn(present, wish)


def _turn(payload: dict[str, Any], wish: Wish) -> dict[str, Any]:
    payload = dict(payload)
    for key, value in _turn_options(wish).items():
        _set(payload, key, value if value != "" else None)
    return payload


def _turn_options(wish: Wish) -> dict[str, Any]:
    tools = wish.tools
    listed = None if tools is None else [t for t in tools.replace(",", " ").split() if t] or ""
    options = {
        "model": wish.model,
        "thinking": wish.thinking,
        "timeoutSeconds": wish.timeout_seconds,
        "lightContext": wish.light_context,
        "toolsAllow": listed,
    }
    return {key: value for key, value in options.items() if value is not None}


def _refuse_turn_options(wish: Wish) -> None:
    if _turn_options(wish):
        raise UsageProblem(
            "--model, --thinking, --timeout-seconds, --light-context and --tools go with --message"
        )


def _target(wish: Wish, fallback: str) -> str:
    wanted = (wish.session or fallback).strip()
    if wanted != job.CURRENT:
        return wanted
    key = job.text(wish.session_key)
    return f"{job.SESSION_PREFIX}{key}" if key else job.ISOLATED


def _delivery(present: dict[str, Any], wish: Wish) -> dict[str, Any]:
    """The delivery block as it shall be; empty when nothing about it was asked for."""
    parts = {
        "channel": wish.channel,
        "to": wish.to,
        "threadId": wish.thread_id,
        "accountId": wish.account,
        "bestEffort": wish.best_effort,
    }
    given = {key: value for key, value in parts.items() if value is not None}
    mode = "webhook" if wish.webhook is not None else wish.mode
    if mode is None and not given:
        return {}
    if wish.webhook is not None and (wish.mode is not None or {"channel", "to"} & given.keys()):
        raise UsageProblem("--webhook does not go with --announce, --no-deliver, --channel or --to")
    if mode == "none":
        if set(given) - {"bestEffort"}:
            raise UsageProblem("--no-deliver does not go with a destination")
        return {"mode": "none"}
    if mode == "webhook":
        return {"mode": "webhook", "to": wish.webhook, **given}
    after = {**present, **given, "mode": "announce"}
    if present.get("mode") == "webhook" and "to" not in given:
        after.pop("to", None)
    return {"mode": "announce", "channel": "last", **after}


def _failure_alert(present: Any, wish: Wish) -> Any:
    parts = {
        "after": wish.alert_after,
        "cooldownMs": wish.alert_cooldown_ms,
        "channel": wish.alert_channel,
        "to": wish.alert_to,
    }
    given = {key: value for key, value in parts.items() if value is not None}
    if wish.failure_alert is False:
        if given:
            raise UsageProblem("--no-failure-alert does not go with settings of an alert")
        return False
    if not given and wish.failure_alert is None:
        return None
    return {**(present if isinstance(present, dict) else {}), **given}


def _text(value: str | None, option: str) -> str:
    text = (value or "").strip()
    if not text:
        raise UsageProblem(f"{option} is empty")
    return text


def _set(target: dict[str, Any], key: str, value: Any) -> None:
    if value is None:
        target.pop(key, None)
    else:
        target[key] = value
