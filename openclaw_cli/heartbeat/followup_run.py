"""Delivering due follow-ups: one row, one call, one message (``commitments.md`` 7-9, 11).

After the agent's ordinary run, also when that had nothing to do. What the owner switched
off makes no call and no attempt; a row that cannot be delivered for another reason makes no
call, but counts as an attempt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openclaw_cli.agent import bootstrap, session, turn
from openclaw_cli.agent.session import Place
from openclaw_cli.agent.speech import Speech
from openclaw_cli.commitments import delivery, due, handling
from openclaw_cli.commitments import settings as commitment_settings
from openclaw_cli.config import agents
from openclaw_cli.delivery import channels, outbox, send, targets, transports
from openclaw_cli.errors import Busy
from openclaw_cli.heartbeat import look, prompt, reply, settings
from openclaw_cli.heartbeat import run as ordinary
from openclaw_cli.model import budget, refs
from openclaw_cli.model.failures import ModelFailure
from openclaw_cli.sessions import keys
from openclaw_cli.state import clock

if TYPE_CHECKING:
    from openclaw_cli.commitments.record import Row as Commitment
    from openclaw_cli.delivery.targets import Target
    from openclaw_cli.heartbeat.look import Look
    from openclaw_cli.heartbeat.reply import Reply
    from openclaw_cli.heartbeat.run import Beat

TARGET_NONE, ALERTS_OFF, CHANGED = "target-none", "alerts-disabled", "changed"
NO_TRANSPORT = "no-transport"
OWNERS_CHOICE = (TARGET_NONE, targets.DM_BLOCKED, ALERTS_OFF, look.SEND_POLICY)
FILES = tuple(name for name in bootstrap.NAMES if name != "HEARTBEAT.md")


def deliver_due(found: Look, beat: Beat) -> None:
    """Deliver what is due for the agent, session by session, within each one's daily cap."""
    config, paths = found.config, found.config.paths
    if not commitment_settings.enabled(config):
        return
    most = commitment_settings.max_per_day(config)
    outbox.recover(paths, clock.now_ms())
    store = handling.prepare(paths, outbox.load(paths), now_ms=found.now_ms)
    sessions = due.sessions_with_due(
        store.valid, found.agent_id, now_ms=found.now_ms, max_per_day=most
    )
    for key in sessions:
        _serve(found, beat, key, most)


def _serve(found: Look, beat: Beat, key: str, most: int) -> None:
    """One session: row after row, until nothing more may go out."""
    paths = found.config.paths
    handled: set[str] = set()
    while True:
        flying = delivery.in_flight(outbox.load(paths))
        store = handling.prepare(paths, outbox.load(paths), now_ms=found.now_ms)
        ready = due.query(
            store.valid, found.agent_id, key, now_ms=found.now_ms, max_per_day=most
        ).rows
        row = next((r for r in ready if r["id"] not in handled), None)
        if row is None:
            return
        handled.add(row["id"])
        if row["id"] in flying:
            _tell(beat, row, "waiting", flying[row["id"]])
            continue
        if not _deliver_one(found, beat, row):
            return


def _deliver_one(found: Look, beat: Beat, row: Commitment) -> bool:
    """Try one row; whether the session may go on with its next one."""
    paths = found.config.paths
    target = _target(found, row)
    problem = _problem(found, row, target)
    if problem in OWNERS_CHOICE:
        _tell(beat, row, "skipped", problem)
        return True
    if problem is not None:
        taken = handling.take(paths, row, now_ms=found.now_ms, reason=problem)
        if taken is not None:
            handling.settle(paths, taken, problem, now_ms=found.now_ms, detail=problem)
        _tell(beat, row, "undeliverable", problem)
        return True
    stopped = _no_call(found)
    if stopped is not None:
        _tell(beat, row, "skipped", stopped)
        return False
    if look.is_busy(found, row["sessionKey"]):
        _tell(beat, row, "skipped", look.IN_FLIGHT)
        return False
    taken = handling.take(paths, row, now_ms=found.now_ms, reason="the model is asked")
    if taken is None:
        _tell(beat, row, "skipped", CHANGED)
        return True
    try:
        reading = _ask(found, beat, taken)
    except (ModelFailure, Busy) as failure:
        handling.settle(paths, taken, "failed", now_ms=found.now_ms, detail=failure.message)
        _tell(beat, row, "failed", failure.message)
        beat.status, beat.reason = ordinary.FAILED, failure.message
        return False
    if beat.status == ordinary.SKIPPED:
        beat.status, beat.reason = ordinary.RAN, "commitments"
    outcome, reason = _outcome(found, beat, taken, reading, target)
    if outcome != CHANGED:
        handling.settle(paths, taken, outcome, now_ms=found.now_ms, detail=reason or "")
    shown = "dismissed" if outcome in delivery.DISMISSING else outcome
    _tell(beat, row, shown, reason or outcome)
    return True


def _outcome(
    found: Look, beat: Beat, taken: Commitment, reading: Reply, target: Target
) -> tuple[str, str | None]:
    """Hand the message over, if there is one; what that makes of the row, and why."""
    if not reading.is_alert:
        return reading.status, None
    if ordinary.is_repeat(found, reading.text, target.channel, target.to):
        return "duplicate", None
    if not handling.is_unchanged(found.config.paths, taken):
        return CHANGED, "it was changed while the model thought"
    record = send.deliver(
        found.config.paths,
        found.config,
        outbox.Message(
            text=reading.text,
            channel=str(target.channel),
            to=str(target.to),
            source=delivery.SOURCE,
            account_id=target.account_id,
            thread_id=target.thread_id,
            agent_id=found.agent_id,
            session_key=taken["sessionKey"],
            source_id=taken["id"],
        ),
        now_ms=clock.now_ms(),
    )
    ordinary.note_delivery(beat, record)
    if record["status"] in outbox.HANDED_OVER:
        beat.sent = True
        return delivery.SENT, f"{record['status']} as {record['id']}"
    return "failed", str(record.get("error") or record["status"])


def _ask(found: Look, beat: Beat, row: Commitment) -> Reply:
    """Ask the model, in the row's own session, without tools and without HEARTBEAT.md."""
    config = found.config
    place = Place(config, found.agent_id, row["sessionKey"], found.now_ms, command="heartbeat run")
    stored = place.row()
    usable = stored if session.usable(stored) and stored is not None else None
    limit = found.settings.block.get("ackMaxChars")
    ack = limit if isinstance(limit, int) else settings.DEFAULT_ACK_CHARS

    def read(answer: Any) -> Reply:
        return reply.read_all(answer.texts, ack_max_chars=ack)

    speech = Speech(
        text=prompt.MARKER,
        purpose="heartbeat",
        prompt=f"{delivery.prompt(row, found.now_ms)}\n\n"
        + prompt.time_lines(found.now_ms, agents.user_zone(found.config)),
        record=usable is not None,
        record_first=False,
        only_files=FILES,
        with_history=usable is not None,
        offer=(),
        timeout_s=ordinary.timeout_s(found),
        is_person=False,
        keep=lambda answer: read(answer).is_alert,
    )
    if usable is None:
        fresh = ordinary.fresh_row(place)
        spoken = turn.speak(place, fresh, place.transcript_path(fresh), speech)
    else:
        with session.turn(place, usable, wait_s=0) as (held, path):
            spoken = turn.speak(place, held, path, speech)
    for name, count in spoken.answer.usage.items():
        beat.usage[name] = beat.usage.get(name, 0) + count
    return read(spoken.answer)


def _target(found: Look, row: Commitment) -> Target:
    place = Place(found.config, found.agent_id, row["sessionKey"], found.now_ms)
    return targets.for_row(
        row,
        targets.last_route(place.row()),
        found.config,
        block=found.settings.block,
        key_chat_type=keys.chat_type(row["sessionKey"]),
    )


def _problem(found: Look, row: Commitment, target: Target) -> str | None:
    """What keeps a row from being delivered there, the owner's own choices first."""
    if found.settings.target == "none":
        return TARGET_NONE
    place = Place(found.config, found.agent_id, row["sessionKey"], found.now_ms)
    if look.is_denied(found.config, row["sessionKey"], place.row(), target):
        return look.SEND_POLICY
    if target.problem is not None:
        return target.problem
    visible = channels.visibility(found.config, target.channel, target.account_id)
    if not visible.show_alerts:
        return ALERTS_OFF
    transport = transports.choose(found.config, str(target.channel), target.account_id)
    problem = send.problem_of(transport)
    return f"{NO_TRANSPORT}: {problem}" if problem else None


def _no_call(found: Look) -> str | None:
    """Why no model can be asked now, known before an attempt is counted."""
    if budget.blocks(found.config, "heartbeat", found.now_ms):
        return ordinary.BUDGET
    if not refs.default_choice(found.config, found.agent_id).refs:
        return ordinary.NO_MODEL
    return None


def _tell(beat: Beat, row: Commitment, outcome: str, reason: str | None) -> None:
    beat.commitments.append({"id": row["id"], "outcome": outcome, "reason": reason})
