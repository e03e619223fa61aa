"""Delivering due follow-ups: one row, one call, one message (``commitments.md`` 7-9, 11).

After the agent's ordinary run, also when that had nothing to do. What the owner switched
off makes no call and no attempt; a row that cannot be delivered for another reason makes no
call, but counts as an attempt.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from openclaw_cli.agent import bootstrap, session, turn
from openclaw_cli.agent.speech import Speech
from openclaw_cli.commitments import delivery, due, handling
from openclaw_cli.commitments import settings as commitment_settings
from openclaw_cli.commitments.record import is_active
from openclaw_cli.config import agents
from openclaw_cli.delivery import channels, outbox, send, targets, transports
from openclaw_cli.errors import Busy
from openclaw_cli.heartbeat import alerts, look, poll, prompt
from openclaw_cli.heartbeat import beat as beats
from openclaw_cli.heartbeat.beat import Outcome
from openclaw_cli.model.failures import ModelFailure
from openclaw_cli.sessions import keys
from openclaw_cli.state import clock
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from openclaw_cli.agent.session import Place
    from openclaw_cli.commitments.record import Row as Commitment
    from openclaw_cli.delivery.targets import Target
    from openclaw_cli.heartbeat.beat import Beat
    from openclaw_cli.heartbeat.look import Look
    from openclaw_cli.heartbeat.reply import Reply
    from openclaw_cli.sessions.entry import Row

TARGET_NONE, ALERTS_OFF, CHANGED = "target-none", "alerts-disabled", "changed"
NO_TRANSPORT, FOREIGN_SESSION = "no-transport", "session-of-another-agent"
OWNERS_CHOICE = (TARGET_NONE, targets.DM_BLOCKED, ALERTS_OFF, look.SEND_POLICY)
FILES = tuple(name for name in bootstrap.NAMES if name != "HEARTBEAT.md")


def deliver_due(found: Look, beat: Beat, sessions: Sequence[str]) -> None:
    """Deliver what is due in these sessions, one by one, within each one's daily cap."""
    most = commitment_settings.max_per_day(found.config)
    for key in sessions:
        _serve(found, beat, key, most)


def _serve(found: Look, beat: Beat, key: str, most: int) -> None:
    """One session: row after row, until nothing more may go out."""
    paths = found.config.paths
    handled: set[str] = set()
    while True:
        records = outbox.load(paths)
        flying = delivery.in_flight(records)
        store = handling.prepare(paths, records, now_ms=found.now_ms)
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
        if _sent_or_flying(found, store.valid, key, flying) >= most:
            return
        if not _deliver_one(found, beat, row):
            return


def _sent_or_flying(
    found: Look, rows: list[Commitment], key: str, flying: Mapping[str, str]
) -> int:
    """Messages of a session's day; one that may have arrived counts like one that did."""
    own = [r for r in rows if (r["agentId"], r["sessionKey"]) == (found.agent_id, key)]
    a_day_ago = found.now_ms - clock.DAY_MS
    uncertain = [
        r
        for r in own
        if r["id"] in flying and is_active(r) and r.get("lastAttemptAtMs", 0) >= a_day_ago
    ]
    return due.sent_lately(own, found.now_ms) + len(uncertain)


def _deliver_one(found: Look, beat: Beat, row: Commitment) -> bool:
    """Try one row; whether the session may go on with its next one."""
    place = poll.place_of(found, row["sessionKey"])
    target = _target(found, row, place)
    problem = _problem(found, row, target, place)
    if problem in OWNERS_CHOICE:
        _tell(beat, row, "skipped", problem)
        return True
    if problem is not None:
        _count_attempt(found, row, problem)
        _tell(beat, row, "undeliverable", problem)
        return True
    stopped = look.unasked_reason(found, place.row())
    if stopped is not None:
        _tell(beat, row, "skipped", stopped)
        return False
    try:
        with _turn(place) as held:
            return _ask_and_hand_over(found, beat, row, target, held)
    except Busy:
        _tell(beat, row, "skipped", look.IN_FLIGHT)
        return False


@contextlib.contextmanager
def _turn(place: Place) -> Iterator[_Turn]:
    """The turn of the row's session, held for one call; ``Busy`` while somebody speaks there."""
    stored = poll.stored_row(place)
    if stored is None:
        fresh = poll.fresh_row(place)
        yield _Turn(place, fresh, place.transcript_path(fresh), exists=False)
        return
    with session.turn(place, stored[0], wait_s=0) as (row, path):
        yield _Turn(place, row, path, exists=True)


class _Turn(NamedTuple):
    """A session to speak in; one that does not ``exist`` leaves nothing behind."""

    place: Place
    row: Row
    path: Path
    exists: bool


def _ask_and_hand_over(
    found: Look, beat: Beat, row: Commitment, target: Target, held: _Turn
) -> bool:
    paths, began = found.config.paths, time.monotonic()
    taken = handling.take(paths, row, now_ms=found.now_ms, reason="the model is asked")
    if taken is None:
        _tell(beat, row, "skipped", CHANGED)
        return True
    try:
        reading = _ask(found, beat, taken, held)
    except ModelFailure as failure:
        handling.settle(paths, taken, "failed", now_ms=found.now_ms, detail=failure.message)
        _tell(beat, row, "failed", failure.message)
        beat.end(beats.FAILED, failure.message)
        took = time.monotonic() - began
        beats.note(found, beat, Outcome("failed", failure.message, took, target=target))
        return False
    if beat.status == beats.SKIPPED:
        beat.end(beats.RAN, "commitments")
    outcome, reason = _outcome(found, beat, taken, reading, target, held.place)
    if outcome != CHANGED:
        handling.settle(paths, taken, outcome, now_ms=found.now_ms, detail=reason or "")
    _tell(beat, row, "dismissed" if outcome in delivery.DISMISSING else outcome, reason or outcome)
    status, why = _EVENTS.get(outcome, (outcome, reason))
    told = Outcome(
        status, why, time.monotonic() - began, reading.text or reading.preview,
        silent=status.startswith("ok-"), target=target,
    )  # fmt: skip
    beats.note(found, beat, told)
    return True


_EVENTS: dict[str, tuple[str, str | None]] = {
    delivery.SENT: ("sent", None),
    "ok-token": ("ok-token", None),
    "ok-empty": ("ok-empty", None),
    "duplicate": ("skipped", "duplicate"),
    CHANGED: ("skipped", CHANGED),
}


def _outcome(
    found: Look, beat: Beat, taken: Commitment, reading: Reply, target: Target, place: Place
) -> tuple[str, str | None]:
    """Hand the message over, if there is one; what that makes of the row, and why."""
    if not reading.is_alert:
        return reading.status, None
    if alerts.is_repeat(place, reading.text, target):
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
    beat.add_delivery(record)
    if record["status"] in outbox.HANDED_OVER:
        beat.sent = True
        if place.row() is not None:
            alerts.remember(place, reading.text, target)
        return delivery.SENT, f"{record['status']} as {record['id']}"
    return "failed", str(record.get("error") or record["status"])


def _ask(found: Look, beat: Beat, row: Commitment, held: _Turn) -> Reply:
    """Ask the model, in the row's own session, without tools and without HEARTBEAT.md."""
    zone = agents.user_zone(found.config)
    asked = f"{delivery.prompt(row, found.now_ms)}\n\n{prompt.time_lines(found.now_ms, zone)}"
    speech = Speech(
        text=prompt.MARKER,
        purpose="heartbeat",
        prompt=asked,
        record=held.exists,
        record_first=False,
        only_files=FILES,
        with_history=held.exists,
        offer=(),
        model=poll.model(found),
        timeout_s=poll.timeout_s(found),
        is_person=False,
        keep=lambda answer: poll.read(found, answer.texts).is_alert,
    )
    spoken = turn.speak(held.place, held.row, held.path, speech)
    beat.add_usage(spoken.answer.usage)
    return poll.read(found, spoken.answer.texts)


def _count_attempt(found: Look, row: Commitment, problem: str) -> None:
    paths, now_ms = found.config.paths, found.now_ms
    taken = handling.take(paths, row, now_ms=now_ms, reason=problem)
    if taken is not None:
        handling.settle(paths, taken, problem, now_ms=now_ms, detail=problem)


def _target(found: Look, row: Commitment, place: Place) -> Target:
    return targets.for_row(
        row,
        targets.last_route(place.row()),
        found.config,
        block=found.settings.block,
        key_chat_type=keys.chat_type(row["sessionKey"]),
    )


def _problem(found: Look, row: Commitment, target: Target, place: Place) -> str | None:
    """What keeps a row from being delivered there, the owner's own choices first."""
    if found.settings.target == "none":
        return TARGET_NONE
    if look.is_denied(found.config, row["sessionKey"], place.row(), target):
        return look.SEND_POLICY
    if target.problem is not None:
        return target.problem
    visible = channels.visibility(found.config, target.channel, target.account_id)
    if not visible.show_alerts:
        return ALERTS_OFF
    if keys.agent_of(row["sessionKey"], found.agent_id) != found.agent_id:
        return FOREIGN_SESSION
    transport = transports.choose(found.config, str(target.channel), target.account_id)
    problem = send.problem_of(transport)
    return f"{NO_TRANSPORT}: {problem}" if problem else None


def _tell(beat: Beat, row: Commitment, outcome: str, reason: str | None) -> None:
    beat.commitments.append({"id": row["id"], "outcome": outcome, "reason": reason})
