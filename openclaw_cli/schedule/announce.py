"""Where the answer of a task goes, and its failure notices (``scheduled-tasks.md`` 3).

``announce`` hands the final text to a channel, ``webhook`` posts the run as JSON, ``none``
does nothing. ``last`` is the last route of the task's session, else of the agent's main
one. What could not be delivered is told as it is: an error of the run, unless the task says
``bestEffort`` or only ``last`` was asked for and there is no such place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from openclaw_cli.delivery import outbox, targets, webhook
from openclaw_cli.delivery.outbox import Message
from openclaw_cli.schedule import job, outcome
from openclaw_cli.schedule.job import Task
from openclaw_cli.schedule.outcome import Outcome
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.schedule.settings import Settings
    from openclaw_cli.state.paths import Paths

DELIVERED, NOT_DELIVERED = "delivered", "not-delivered"
UNKNOWN, NOT_REQUESTED = "unknown", "not-requested"
_STATUS = {
    outbox.SENT: DELIVERED,
    outbox.QUEUED: DELIVERED,
    outbox.UNCERTAIN: UNKNOWN,
    outbox.PENDING: UNKNOWN,
}


class Surroundings(NamedTuple):
    """What a delivery needs to know."""

    paths: Paths
    config: Config
    settings: Settings
    now_ms: int


def deliver(task: Task, result: Outcome, line: dict[str, Any], around: Surroundings) -> Outcome:
    """``result`` with its answer handed over, or with the reason why it was not.

    ``line`` is the run as its history will tell it, which a webhook gets.
    """
    mode = wanted_mode(task)
    if mode == "none":
        return replace(result, delivery_status=NOT_REQUESTED)
    if result.status != outcome.OK:
        return replace(result, delivery_status=NOT_DELIVERED)
    if mode == "webhook":
        record = _post(str(task.delivery.get("to")), line, task, around)
        return _with_record(task, result, record)
    if result.answered_itself:
        return replace(result, delivery_status=DELIVERED)
    if not result.answer:
        return replace(result, delivery_status=NOT_DELIVERED, delivery_error="the answer is empty")
    place = destination(task, task.delivery, around)
    if place.problem is not None:
        return _without_place(task, result, place.problem)
    record = _send(result.answer, place, task, around)
    return _with_record(task, result, record)


def alert(task: Task, text: str, around: Surroundings) -> dict[str, Any]:
    """Send a failure notice; ``{status, error?, channel?, to?}`` for the history."""
    rules = _first_dict(task.row.get("failureAlert")) or around.settings.failure_alert
    block = _alert_block(task, rules, around.settings)
    if block.get("mode") == "webhook":
        document = {"action": "failure-alert", "jobId": task.id, "name": task.name, "text": text}
        record = _post(str(block.get("to")), document, task, around)
        return _told(record)
    place = destination(task, block, around)
    if place.problem is not None:
        return {"status": NOT_DELIVERED, "error": place.problem}
    return _told(_send(text, place, task, around))


def wanted_mode(task: Task) -> str:
    """``none``, ``announce`` or ``webhook``; events of the main session deliver nothing here."""
    mode = job.text(task.delivery.get("mode")) or "announce"
    return "none" if not task.is_turn else mode


def is_explicit(task: Task) -> bool:
    """Whether the task names a place, and not only the last one."""
    block = task.delivery
    channel = job.text(block.get("channel")) or "last"
    return channel.lower() != "last" or job.text(block.get("to")) is not None


def destination(task: Task, block: Mapping[str, Any], around: Surroundings) -> targets.Target:
    """The place that a delivery block names; ``problem`` says why there is none."""
    channel = (job.text(block.get("channel")) or "last").lower()
    route = _last_route(task, around)
    if channel == "last" and route.channel is None and not job.text(block.get("to")):
        return targets.Target(problem=targets.NO_TARGET)
    wanted = {"target": channel, "to": block.get("to"), "accountId": block.get("accountId")}
    place = targets.for_heartbeat(wanted, route, around.config)
    thread = block.get("threadId")
    return place if thread is None else place._replace(thread_id=str(thread))


def agent_of(task: Task, config: Config) -> str:
    """The normalised agent that a task belongs to."""
    from openclaw_cli.config import agents

    own = task.agent_id
    return agents.normalize_agent_id(own) if own else agents.default_agent_id(config)


def _last_route(task: Task, around: Surroundings) -> targets.Route:
    from openclaw_cli.errors import UnreadableFile
    from openclaw_cli.sessions import discovery, keys, store

    agent_id = agent_of(task, around.config)
    try:
        rows = store.load(discovery.store_path(around.config, around.paths, agent_id)).rows
    except UnreadableFile:
        return targets.Route()  # the place is not known; the delivery says so
    main = keys.main_key(agent_id, around.config.get("session", "mainKey", default=keys.MAIN))
    own = task.target[len(job.SESSION_PREFIX) :] if job.names_session(task.target) else None
    for key in (own, task.session_key, main):
        row = rows.get(key) if key else None
        route = targets.last_route(row if isinstance(row, dict) else None)
        if route.channel is not None:
            return route
    return targets.Route()


def _send(text: str, place: targets.Target, task: Task, around: Surroundings) -> outbox.Record:
    from openclaw_cli.delivery import send

    message = Message(
        text=text,
        channel=place.channel or "",
        to=place.to or "",
        source="cron",
        account_id=place.account_id,
        thread_id=place.thread_id,
        agent_id=agent_of(task, around.config),
        session_key=task.session_key,
        source_id=task.id,
    )
    return send.deliver(around.paths, around.config, message, now_ms=around.now_ms)


def _post(url: str, document: dict[str, Any], task: Task, around: Surroundings) -> outbox.Record:
    message = Message(
        text=str(document.get("summary") or document.get("text") or ""),
        channel=webhook.CHANNEL,
        to=url,
        source="cron",
        agent_id=agent_of(task, around.config),
        source_id=task.id,
    )
    token = _token(around.config)
    return webhook.post(around.paths, message, document, token=token, now_ms=around.now_ms)


def _token(config: Config) -> str | None:
    value = config.get("cron", "webhookToken")
    if value is None:
        return None
    from openclaw_cli.config import secrets

    return secrets.resolve(value, config, where="cron.webhookToken")


def _with_record(task: Task, result: Outcome, record: outbox.Record) -> Outcome:
    status = _STATUS.get(str(record["status"]), NOT_DELIVERED)
    error = job.text(record.get("error"))
    told = replace(
        result, delivery_status=status, delivery_error=error,
        delivery={name: record[name] for name in ("id", "channel", "to", "status")},
    )  # fmt: skip
    if status != NOT_DELIVERED or task.delivery.get("bestEffort") is True:
        return told
    return replace(told, status=outcome.ERROR, error=f"delivery failed: {error or 'refused'}")


def _without_place(task: Task, result: Outcome, problem: str) -> Outcome:
    told = replace(result, delivery_status=NOT_DELIVERED, delivery_error=problem)
    if not is_explicit(task) or task.delivery.get("bestEffort") is True:
        return told
    return replace(told, status=outcome.ERROR, error=f"delivery failed: {problem}")


def _alert_block(task: Task, rules: Mapping[str, Any], settings: Settings) -> Mapping[str, Any]:
    """The first of alert, failure destinations and delivery that names a place."""
    candidates = (
        rules,
        _first_dict(task.delivery.get("failureDestination")),
        settings.failure_destination,
        task.delivery if wanted_mode(task) != "none" else {},
    )
    return next((b for b in candidates if job.text(b.get("to")) or job.text(b.get("channel"))), {})


def _first_dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _told(record: outbox.Record) -> dict[str, Any]:
    told = {
        "status": _STATUS.get(str(record["status"]), NOT_DELIVERED),
        "channel": record["channel"],
        "to": record["to"],
        "error": record.get("error"),
    }
    return {name: value for name, value in told.items() if value is not None}
