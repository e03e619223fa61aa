"""What must hold for every store: scope, spacing, cap, and never twice.

A whole life of follow-ups is played on the pure functions: candidates of any conversation
come in, heartbeats of any session run at any time, anything may fail or crash in between.
"""

from __future__ import annotations

from typing import Any

from followups import NOW_MS, as_store, row
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_cli.commitments import candidates, delivery, due, lifecycle, record
from openclaw_cli.commitments.candidates import Item
from openclaw_cli.commitments.store import Store

MINUTE = 60_000
OWNERS = [
    ("main", "agent:main:telegram:direct:1"),
    ("main", "agent:main:main"),
    ("work", "agent:main:main"),  # another agent's rows under the same key
]
PLACES = st.builds(
    lambda owner, place: {"agentId": owner[0], "sessionKey": owner[1], **place},
    st.sampled_from(OWNERS),
    st.fixed_dictionaries(
        {
            "channel": st.sampled_from(["telegram", "slack"]),
            "to": st.sampled_from(["1", "2", ""]),
            "accountId": st.sampled_from(["default", ""]),
            "threadId": st.sampled_from(["", "7"]),
            "senderId": st.sampled_from(["1", ""]),
        }
    ),
)
MENTIONS = st.tuples(
    PLACES,
    st.sampled_from("abcdef"),
    st.one_of(st.integers(1, 20), st.integers(1, 3000)),  # minutes until the wished time
    st.one_of(st.none(), st.integers(-60, 3000)),  # width of the wished window
)
BEATS = st.tuples(
    st.sampled_from(OWNERS),
    st.sampled_from(
        ["sent", "sent", "sent", "sent", "crash-sent", "ok-token", "duplicate", "failed", "crash"]
    ),
    st.just("beat"),
)
PAUSES = st.one_of(st.integers(0, 45), st.integers(0, 6000))
EVENTS = st.lists(
    st.tuples(
        PAUSES,
        st.one_of(
            MENTIONS, MENTIONS, BEATS, BEATS, st.tuples(st.sampled_from(["snooze", "dismiss"]))
        ),
    ),
    min_size=10,
    max_size=60,
)


class Life:
    """The store, the outbox, and everything that went out."""

    def __init__(self, cap: int, spacing_ms: int) -> None:
        self.store: Store = as_store()
        self.outbox: list[dict[str, Any]] = []
        self.went_out: list[tuple[int, dict[str, Any]]] = []
        self.cap, self.spacing_ms = cap, spacing_ms

    def mention(self, now_ms: int, event: Any) -> None:
        place, key, in_minutes, width = event
        item = Item("i", {k: v for k, v in place.items() if v}, now_ms, "UTC", "u", "a")
        wished = now_ms + in_minutes * MINUTE
        window = {"earliest": record_iso(wished)}
        if width is not None:
            window["latest"] = record_iso(wished + width * MINUTE)
        made = {
            "itemId": "i", "kind": "open_loop", "sensitivity": "routine", "reason": "r",
            "suggestedText": "t", "confidence": 0.9, "dedupeKey": key, "dueWindow": window,
        }  # fmt: skip
        result = candidates.upsert(
            self.store, [made], [item], spacing_ms=self.spacing_ms, now_ms=now_ms
        )
        self.store = self.store.after(result.steps)

    def beat(self, now_ms: int, agent: str, session: str, outcome: str) -> None:
        """One heartbeat of a session, as ``handling`` carries it out."""
        prepared = delivery.prepare(self.store, self.outbox, now_ms)
        self.store = self.store.after(prepared)
        waiting = delivery.in_flight(self.outbox)
        while True:
            free = [
                r for r in self.store.valid if r["id"] not in waiting or not record.is_active(r)
            ]
            found = due.query(free, agent, session, now_ms=now_ms, max_per_day=self.cap).rows
            if not found:
                return
            planned = found[0]
            assert (planned["agentId"], planned["sessionKey"]) == (agent, session)
            steps = delivery.take(self.store, planned, now_ms, reason="asked")
            self.store = self.store.after(steps)
            if outcome == "crash":
                return
            if outcome in ("sent", "crash-sent"):
                self.went_out.append((now_ms, planned))
                self.outbox.append(
                    {"id": "ob", "ts": now_ms, "source": "commitment", "attempts": 1,
                     "sourceId": planned["id"],
                     "status": "sent" if outcome == "sent" else "uncertain"}
                )  # fmt: skip
            if outcome == "crash-sent":
                return
            ended = delivery.settle(self.store, steps[0].row, outcome, now_ms)
            self.store = self.store.after(ended)


def record_iso(ms: int) -> str:
    from openclaw_cli.state.clock import iso

    return iso(ms)


@settings(max_examples=200)
@given(EVENTS, st.integers(1, 3), st.sampled_from([MINUTE, 30 * MINUTE, 120 * MINUTE]))
def test_a_life_of_followups(events: list[Any], cap: int, spacing_ms: int) -> None:
    life = Life(cap, spacing_ms)
    now_ms = NOW_MS
    for minutes, event in events:
        now_ms += minutes * MINUTE
        if len(event) == 4:
            life.mention(now_ms, event)
        elif len(event) == 3:
            (agent, session), result, _ = event
            life.beat(now_ms, agent, session, result)
        else:
            every = [found["id"] for found in life.store.valid][:2]
            if event[0] == "snooze":
                until = dict.fromkeys(every, now_ms + 90 * MINUTE)
                outcome = lifecycle.snooze(life.store, every, until, now_ms)
            else:
                outcome = lifecycle.dismiss(life.store, every, now_ms)
            life.store = life.store.after(outcome.steps)
    check(life)


def check(life: Life) -> None:
    sent_ids = [found["id"] for _, found in life.went_out]
    assert len(sent_ids) == len(set(sent_ids)), "one follow-up went out twice"
    rows = {found["id"]: found for found in life.store.valid}
    for at_ms, planned in life.went_out:
        kept = rows[planned["id"]]
        assert record.scope_key(kept) == record.scope_key(planned), "its scope changed"
        assert at_ms >= kept["createdAtMs"] + life.spacing_ms, "it came at once"
        assert at_ms <= record.expires_at_ms(planned), "it came after it had expired"
    known = [
        (at_ms, found) for at_ms, found in life.went_out if rows[found["id"]]["status"] == "sent"
    ]
    for at_ms, planned in known:
        same = [
            other_ms
            for other_ms, other in known
            if (other["agentId"], other["sessionKey"])
            == (planned["agentId"], planned["sessionKey"])
            and at_ms - 24 * 60 * MINUTE <= other_ms <= at_ms
        ]
        assert len(same) <= life.cap, "more than the cap in a day"
    for found in rows.values():
        assert found["attempts"] <= due.MAX_ATTEMPTS


@given(
    st.dictionaries(st.sampled_from((*record.CANONICAL_ORDER, "extra")), st.one_of(
        st.none(), st.booleans(), st.integers(-5, 10**15), st.floats(), st.text(max_size=5),
        st.lists(st.integers(), max_size=2), st.just(row()["dueWindow"]),
    ))
)  # fmt: skip
def test_any_damage_makes_a_row_invisible_or_leaves_it_valid(damage: dict[str, Any]) -> None:
    found = record.normalize({**row(), **damage})
    if found is not None:
        assert record.normalize(found) == found
        assert found["status"] in record.STATUSES
        assert record.latest_ms(found) >= record.earliest_ms(found)
        due.query([found], found["agentId"], found["sessionKey"], now_ms=NOW_MS, max_per_day=3)


@given(st.text(max_size=300))
def test_any_answer_of_a_model_is_read_without_an_error(text: str) -> None:
    from openclaw_cli.commitments import extraction

    assert isinstance(extraction.parse_reply(text), list)
