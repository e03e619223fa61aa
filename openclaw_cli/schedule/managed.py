"""The one scheduled task that stands for the nightly sweep (``dreaming.md`` 2.3). Pure.

It is kept for a gateway that shares the tree and for ``cron list``; when it is due here, the
sweep itself decides. Reconciling leaves exactly one such task that says what the settings
say, removes its duplicates and its predecessors, and touches nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from openclaw_cli.schedule import job
from openclaw_cli.state.tuples import NamedTuple

NAME = "Memory Dreaming Promotion"
TAG = "[managed-by=memory-core.short-term-promotion]"
TOKEN = "__openclaw_memory_core_short_term_promotion_dream__"  # noqa: S105 - a marker, no secret
LEGACY_TAGS = ("[managed-by=memory-core.dreaming.light]", "[managed-by=memory-core.dreaming.rem]")
LEGACY_JOBS = {
    "Memory Light Dreaming": "__openclaw_memory_core_light_sleep__",
    "Memory REM Dreaming": "__openclaw_memory_core_rem_sleep__",
}
ADDED, UPDATED, NOOP, DISABLED = "added", "updated", "noop", "disabled"


class Limits(NamedTuple):
    """The numbers of the deep phase that the description tells."""

    limit: int
    min_score: float
    min_recall_count: int
    min_unique_queries: int
    recency_half_life_days: int
    max_age_days: int | None


class Reconciled(NamedTuple):
    """What to do: ``patch`` for the ``kept`` row, ``added`` a whole new row, ``removed`` ids.

    ``rows`` is the list as it is then; the new row stands at the end without an id.
    """

    status: str
    kept: dict[str, Any] | None
    kept_id: str | None
    patch: dict[str, Any]
    added: dict[str, Any] | None
    removed: list[str]
    rows: list[Any]


def wanted_job(limits: Limits, *, frequency: str, timezone: str | None) -> dict[str, Any]:
    """The fields that the task shall have."""
    schedule = {"kind": "cron", "expr": frequency} | ({"tz": timezone} if timezone else {})
    age = "none" if limits.max_age_days is None else limits.max_age_days
    return {
        "name": NAME,
        "description": (
            f"{TAG} Promote weighted short-term recalls into MEMORY.md (limit={limits.limit}, "
            f"minScore={limits.min_score:.3f}, minRecallCount={limits.min_recall_count}, "
            f"minUniqueQueries={limits.min_unique_queries}, "
            f"recencyHalfLifeDays={limits.recency_half_life_days}, maxAgeDays={age})."
        ),
        "enabled": True,
        "schedule": schedule,
        "sessionTarget": "isolated",
        "wakeMode": "now",
        "payload": {"kind": "agentTurn", "message": TOKEN, "lightContext": True},
        "delivery": {"mode": "none"},
    }


def is_managed(row: Any) -> bool:
    """Whether a row is the task: by its tag, or by its name and token."""
    if not isinstance(row, dict):
        return False
    return TAG in _text(row, "description") or (
        _text(row, "name") == NAME and _payload_text(row) == TOKEN
    )


def is_legacy(row: Any) -> bool:
    """Whether a row is one of the former tasks, one for each phase."""
    if not isinstance(row, dict):
        return False
    description, name = _text(row, "description"), _text(row, "name")
    return any(tag in description for tag in LEGACY_TAGS) or (
        name in LEGACY_JOBS and _payload_text(row) == LEGACY_JOBS[name]
    )


def reconcile(rows: Sequence[Any], wanted: dict[str, Any] | None) -> Reconciled:
    """What makes ``rows`` hold the ``wanted`` task once, or (None) not at all."""
    managed = sorted((row for row in rows if is_managed(row)), key=_age)
    legacy = [row for row in rows if is_legacy(row) and not is_managed(row)]
    if wanted is None:
        return _result(DISABLED, rows, gone=[*legacy, *managed])
    if not managed:
        result = _result(ADDED, rows, gone=legacy)
        return result._replace(added=wanted, rows=[*result.rows, wanted])
    kept, duplicates = managed[0], managed[1:]
    patch = {name: value for name, value in wanted.items() if kept.get(name) != value}
    gone = [*legacy, *duplicates]
    result = _result(UPDATED if patch or gone else NOOP, rows, gone=gone)
    after = [{**row, **patch} if patch and row is kept else row for row in result.rows]
    return result._replace(kept=kept, kept_id=job.row_id(kept), patch=patch, rows=after)


def _result(status: str, rows: Sequence[Any], *, gone: list[Any]) -> Reconciled:
    left = [row for row in rows if not any(row is other for other in gone)]
    ids = [job.row_id(row) or "" for row in gone]
    return Reconciled(status, None, None, {}, None, ids, left)


def _age(row: Mapping[str, Any]) -> tuple[float, str]:
    created = job.whole(row.get("createdAtMs"))
    return (float("inf") if created is None else created, job.row_id(row) or "")


def _payload_text(row: Mapping[str, Any]) -> str:
    payload = job.payload_of(row)
    field = "message" if payload.get("kind") == job.AGENT_TURN else "text"
    return _text(payload, field)


def _text(holder: Mapping[str, Any], name: str) -> str:
    return job.text(holder.get(name)) or ""
