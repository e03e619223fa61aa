"""The morning report: what happened since yesterday, and what is next.

Reads logs, run records, stores and the outbox, and writes nothing (``scheduled-tasks.md`` 6).
A part that cannot be read is a warning; the others are told all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import OpenClawError
from openclaw_cli.state import clock
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from openclaw_cli.config.load import Config
    from openclaw_cli.dreaming.workspaces import Target
    from openclaw_cli.memory.ranking import Rejection
    from openclaw_cli.state.paths import Paths

AHEAD_MS = clock.DAY_MS
MOST_NOT_PROMOTED = 20
HANDED_OVER = ("sent", "queued")
ENDED = ("dismissed", "expired")  # what takes a follow-up off the list without telling it

Row = dict[str, Any]


class Span(NamedTuple):
    """What a report covers; ``agent`` is a normalised id, None for all."""

    config: Config
    paths: Paths
    environ: Mapping[str, str]
    since_ms: int
    now_ms: int
    agent: str | None

    def covers(self, at_ms: int | None) -> bool:
        """Whether an instant belongs to the time that is told of."""
        return at_ms is not None and self.since_ms <= at_ms <= self.now_ms

    def is_about(self, agent_id: Any) -> bool:
        """Whether something of this agent is told; what names no agent is everybody's."""
        return self.agent is None or not agent_id or agent_id == self.agent


def make(span: Span) -> Row:
    """The document of ``openclaw report``."""
    warnings: list[str] = []

    def part(name: str, read: Callable[[Span], Any], empty: Any) -> Any:
        try:
            return read(span)
        except OpenClawError as error:
            warnings.append(f"{name}: {error.message}")
            return empty

    document = {
        "sinceMs": span.since_ms,
        "untilMs": span.now_ms,
        "promoted": part("promoted", _promoted, []),
        "notPromoted": part("not promoted", _not_promoted, []),
        "removed": part("removed", lambda s: _changes(s, removed=True), []),
        "changed": part("changed", lambda s: _changes(s, removed=False), []),
        "sent": part("sent", lambda s: _deliveries(s, handed_over=True), []),
        "undelivered": part("undelivered", lambda s: _deliveries(s, handed_over=False), []),
        "dueSoon": [
            *part("follow-ups", _due_follow_ups, []),
            *part("tasks", _due_tasks, []),
        ],
        "failures": [
            *part("jobs", _failed_jobs, []),
            *part("task runs", _failed_tasks, []),
        ],
        "usage": part("usage", _usage, {}),
    }
    document["dueSoon"].sort(key=lambda row: row["atMs"])
    document["failures"].sort(key=lambda row: row["atMs"])
    return {**document, "warnings": [*warnings, *_warnings(span, document)]}


def _promoted(span: Span) -> list[Row]:
    from openclaw_cli.memory import events, recall_store

    rows = []
    for target in _targets(span):
        known = recall_store.load(target.workspace, span.now_ms).entries
        for record in events.read(target.workspace):
            if record.get("type") != events.PROMOTION_APPLIED:
                continue
            if not span.covers(_stamp(record.get("timestamp"))):
                continue
            for candidate in record.get("candidates") or []:
                entry = known.get(candidate.get("key"), {})
                rows.append(
                    {
                        "text": str(entry.get("snippet") or ""),
                        "source": _source(candidate),
                        "score": candidate.get("score"),
                        "key": candidate.get("key"),
                        "workspaceDir": str(target.workspace.root),
                        "atMs": _stamp(record.get("timestamp")),
                    }
                )
    return rows


def _not_promoted(span: Span) -> list[Row]:
    """What was met in that time and did not pass, the nearest misses first."""
    from openclaw_cli.memory import ranking, recall_store, signals
    from openclaw_cli.memory.settings import deep_settings

    rows: list[Row] = []
    for target in _targets(span):
        found = recall_store.load(target.workspace, span.now_ms)
        phases = signals.load(target.workspace).entries
        ranked = ranking.rank(
            found.kept().values(), phases, settings=deep_settings(span.config), now_ms=span.now_ms
        )
        for rejection in ranked.rejected:
            document = rejection.to_json()
            entry = found.entries.get(str(document.get("key")), {})
            if "promotedAt" in entry or not span.covers(_stamp(entry.get("lastRecalledAt"))):
                continue
            rows.append(
                {
                    "text": str(entry.get("snippet") or ""),
                    "source": _source(entry),
                    "workspaceDir": str(target.workspace.root),
                    **document,
                    "gate": rejection.gate,
                    "missing": _missing(rejection),
                }
            )
    # What no number stops (a heading, a job's own report) comes after the near misses.
    rows.sort(key=lambda row: (row["missing"] is None, _share_missing(row)))
    return rows[:MOST_NOT_PROMOTED]


def _missing(rejection: Rejection) -> float | None:
    """By how much a number missed its gate; for an age, how far it is over."""
    if rejection.needed is None or rejection.actual is None:
        return None
    return round(abs(rejection.needed - rejection.actual), 6)


def _share_missing(row: Row) -> float:
    return float(row["missing"] or 0) / max(float(row.get("needed") or 0), 1e-9)


def _changes(span: Span, *, removed: bool) -> list[Row]:
    """The lines of the trail about what went, or about what only changed or came back."""
    from openclaw_cli.state import changes

    fields = ("command", "rule", "what", "key", "path", "movedTo", "undo")
    return [
        {"atMs": _stamp(line.get("ts")), **{name: line.get(name) for name in fields}}
        for line in changes.read(span.paths)
        if span.covers(_stamp(line.get("ts")))
        and span.is_about(_agent_in(line.get("key")))
        and _is_removal(line) == removed
    ]


def _is_removal(line: Row) -> bool:
    """Whether something left its place: no restored row, new file mode or living follow-up."""
    event = str(line.get("rule") or "").partition(": ")[0]
    if line.get("what") == "commitment":
        return event in ENDED
    return event != "restore" and line.get("what") != "mode"


def _deliveries(span: Span, *, handed_over: bool) -> list[Row]:
    from openclaw_cli.delivery import outbox

    fields = ("id", "channel", "to", "text", "source", "sourceId", "status", "error", "agentId")
    rows = []
    for record in outbox.load(span.paths):
        at = record.get("updatedAtMs") or record.get("ts")
        if not span.covers(at if isinstance(at, int) else None):
            continue
        is_over = record["status"] in HANDED_OVER
        if is_over == handed_over and span.is_about(record.get("agentId")):
            told = {name: record[name] for name in fields if record.get(name) is not None}
            rows.append({"atMs": at, **told})
    return rows


def _due_follow_ups(span: Span) -> list[Row]:
    from openclaw_cli.commitments import record, settings, store

    if not settings.enabled(span.config):
        return []
    rows = []
    for row in store.load(span.paths).valid:
        if not record.is_active(row) or not span.is_about(row["agentId"]):
            continue
        at = max(int(row["dueWindow"]["earliestMs"]), int(row.get("snoozedUntilMs") or 0))
        if at <= span.now_ms + AHEAD_MS:
            rows.append({"kind": "commitment", "id": row["id"], "text": row["suggestedText"],
                         "agentId": row["agentId"], "atMs": at})  # fmt: skip
    return rows


def _due_tasks(span: Span) -> list[Row]:
    from openclaw_cli.schedule import settings

    path = settings.store_path(span.config, span.paths)
    if not settings.is_enabled(span.config, span.environ) or not settings.has_store(path):
        return []
    from openclaw_cli.schedule import due, listing, store
    from openclaw_cli.schedule.due import Moment

    moment = Moment(span.now_ms, clock.host_zone())
    return [
        {
            "kind": "task",
            "id": task.id,
            "text": task.name,
            "agentId": task.agent_id,
            "atMs": task.next_run_ms,
        }
        for task in listing.shown(store.load(path), moment)
        if task.enabled
        and due.reason_not_due(task, span.now_ms) != "unsupported"
        and task.next_run_ms is not None
        and task.next_run_ms <= span.now_ms + AHEAD_MS
        and span.is_about(task.agent_id)
    ]


def _failed_jobs(span: Span) -> list[Row]:
    from openclaw_cli.jobs import journal

    return [
        {
            "kind": "job",
            "name": line.get("job"),
            "outcome": line.get("outcome"),
            "error": line.get("error"),
            "atMs": _stamp(line.get("ts")),
        }
        for line in journal.read(span.paths, since_ms=span.since_ms)
        if line.get("outcome") in ("failed", "interrupted") and span.covers(_stamp(line.get("ts")))
    ]


def _failed_tasks(span: Span) -> list[Row]:
    from openclaw_cli.schedule import history, settings, store

    path = settings.store_path(span.config, span.paths)
    names = {task.id: task for task in store.load(path).tasks}
    rows = []
    for file in sorted(store.files_of(path).runs.glob("*.jsonl")):
        for run in history.read(file):
            task = names.get(run["jobId"])
            outcome = _failure_of(run)
            if outcome is None or not span.covers(run["ts"]):
                continue
            if task is None or span.is_about(task.agent_id):
                rows.append({"kind": "task", "id": run["jobId"], "outcome": outcome,
                             "name": task.name if task else run["jobId"],
                             "error": run.get("error"), "atMs": run["ts"]})  # fmt: skip
    return rows


def _failure_of(run: Row) -> str | None:
    """``error``, or ``missed`` for a reminder that came too late; None for other runs."""
    from openclaw_cli.schedule import history

    if run.get("status") == "error":
        return "error"
    return history.MISSED if run.get("errorReason") == history.MISSED else None


def _usage(span: Span) -> Row:
    from openclaw_cli.model import usage

    return usage.report(span.config, span.since_ms, span.now_ms)


def _warnings(span: Span, document: Row) -> Iterator[str]:
    """What the owner should look at although nothing failed."""
    from openclaw_cli.jobs import quiet

    last = quiet.last_tick_ms(span.paths)
    if last is None:
        yield "nothing starts the background jobs: openclaw jobs install"
    elif span.now_ms - last > clock.HOUR_MS:
        hours = (span.now_ms - last) // clock.HOUR_MS
        yield f"the last tick was {hours} hours ago: is the host's scheduler running?"
    uncertain = [row["id"] for row in document["undelivered"] if row["status"] == "uncertain"]
    if uncertain:
        yield f"nobody knows whether these left: {', '.join(uncertain)}"
    yield from _limits_passed(span)
    allowance = document["usage"].get("budget") or {}
    if allowance.get("left") == 0:
        yield "today's tokens are spent: background calls wait until tomorrow"


def _limits_passed(span: Span) -> Iterator[str]:
    """Session stores above limits that nothing applies (``sessions-maintenance.md`` 1.5)."""
    from openclaw_cli.sessions import discovery, maintenance_settings, plan_rows, reading

    everyone = span.agent is None
    targets = discovery.targets(span.config, span.paths, agent=span.agent, all_agents=everyone)
    for source in reading.load_all(targets, tolerate=True):
        if source.error is not None:
            yield source.error
            continue
        upkeep = maintenance_settings.from_config(span.config, source.target.agent_id)
        if upkeep.settings.mode == maintenance_settings.WARN:
            for text in plan_rows.limits_passed(source.rows, upkeep, now_ms=span.now_ms):
                yield f"sessions of {source.target.agent_id}: {text}"


def _targets(span: Span) -> list[Target]:
    from openclaw_cli.dreaming import workspaces

    return workspaces.find(span.config, span.paths, span.agent)


def _source(candidate: Mapping[str, Any]) -> str:
    start, end = candidate.get("startLine"), candidate.get("endLine")
    lines = f"{start}" if start == end else f"{start}-{end}"
    return f"{candidate.get('path')}:{lines}"


def _agent_in(key: Any) -> str | None:
    """The agent that a session key names; None for other keys."""
    if not isinstance(key, str) or not key.startswith("agent:"):
        return None
    return key.split(":")[1]


def _stamp(value: Any) -> int | None:
    return clock.parse_iso(value) if isinstance(value, str) else None
