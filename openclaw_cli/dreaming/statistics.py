"""Counts over recall store and phase signals (``dreaming.md`` 10.3).

What ``dreaming status`` and the ``doctor.memory.status`` method tell of one workspace, or of
several together. Reading problems are part of the result, never an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from openclaw_cli.dreaming.settings import Dreaming
from openclaw_cli.errors import OpenClawError
from openclaw_cli.memory import recall_store, signals
from openclaw_cli.memory.collation import collation_key
from openclaw_cli.memory.entries import Entry, signal_count, stamp_ms
from openclaw_cli.memory.workspace import Workspace, is_short_term
from openclaw_cli.state import clock
from openclaw_cli.state.tuples import NamedTuple

SHOWN = 8


class ManagedJob(NamedTuple):
    """The scheduled task that stands for the sweep; ``next_run_ms`` of an enabled one."""

    present: bool = False
    enabled: bool = False
    next_run_ms: int | None = None


class Row(NamedTuple):
    """An entry of a recall store with the hits of both phases."""

    entry: Entry
    light: int
    rem: int

    @property
    def signals(self) -> int:
        """How often the entry was met, phases aside."""
        return signal_count(self.entry)

    def to_json(self) -> dict[str, Any]:
        """The entry as the lists of reports show it."""
        entry = self.entry
        shown: dict[str, Any] = {
            "key": entry["key"],
            "path": entry["path"],
            "startLine": entry["startLine"],
            "endLine": entry["endLine"],
            "snippet": entry["snippet"] or entry["path"],
            "recallCount": entry["recallCount"],
            "dailyCount": entry["dailyCount"],
            "groundedCount": entry["groundedCount"],
            "totalSignalCount": self.signals,
            "lightHits": self.light,
            "remHits": self.rem,
            "phaseHitCount": self.light + self.rem,
        }
        times = ("lastRecalledAt", "promotedAt")
        return shown | {name: entry[name] for name in times if entry.get(name)}


def counts(workspaces: Sequence[Workspace], settings: Dreaming, now_ms: int) -> dict[str, Any]:
    """The sums and the leading entries of ``workspaces``; paths when there is only one."""
    rows: list[Row] = []
    report: dict[str, Any] = {}
    for workspace in workspaces:
        rows += read_rows(workspace, now_ms, report)
    promoted = [row for row in rows if "promotedAt" in row.entry]
    waiting = [row for row in rows if "promotedAt" not in row.entry]
    today = clock.day_in(now_ms, settings.zone)
    report |= _entries(waiting, promoted)
    report |= _sums(waiting) | {
        "promotedTotal": len(promoted),
        "promotedToday": sum(promotion_day(row, settings) == today for row in promoted),
    }
    if promoted:
        report["lastPromotedAt"] = max(row.entry["promotedAt"] for row in promoted)
    if len(workspaces) == 1:
        report["storePath"] = str(workspaces[0].recall_path)
        report["phaseSignalPath"] = str(workspaces[0].signals_path)
    return report


def settings_block(settings: Dreaming, job: ManagedJob) -> dict[str, Any]:
    """The settings of dreaming as the ``dreaming`` object of ``doctor.memory.status``."""
    gates = settings.deep.gates
    shared: dict[str, Any] = {"managedCronPresent": job.present}
    if job.next_run_ms is not None:
        shared["nextRunAtMs"] = job.next_run_ms
    light, rem, deep = settings.light, settings.rem, settings.deep
    block: dict[str, Any] = {"enabled": settings.enabled}
    if settings.timezone:
        block["timezone"] = settings.timezone
    return block | {
        "verboseLogging": settings.verbose,
        "storageMode": settings.storage_mode,
        "separateReports": settings.separate_reports,
        "phases": {
            "light": {
                "enabled": light.enabled,
                "cron": settings.frequency,
                "lookbackDays": light.lookback_days,
                "limit": light.limit,
            }
            | shared,
            "deep": {
                "enabled": deep.enabled,
                "cron": settings.frequency,
                "limit": deep.limit,
                "minScore": gates.min_score,
                "minRecallCount": gates.min_recall_count,
                "minUniqueQueries": gates.min_unique_queries,
                "recencyHalfLifeDays": gates.half_life_days,
                "maxAgeDays": gates.max_age_days,
            }
            | shared,
            "rem": {
                "enabled": rem.enabled,
                "cron": settings.frequency,
                "lookbackDays": rem.lookback_days,
                "limit": rem.limit,
                "minPatternStrength": rem.min_pattern_strength,
            }
            | shared,
        },
    }


def read_rows(workspace: Workspace, now_ms: int, report: dict[str, Any]) -> list[Row]:
    """The entries with a short-term path; what could not be read is noted in ``report``."""
    try:
        store = recall_store.load(workspace, now_ms)
    except OpenClawError as error:
        report["storeError"] = error.message
        return []
    found = signals.load(workspace)
    if found.problem is not None:
        report["phaseSignalError"] = found.problem
    rows = []
    for key, entry in store.kept().items():
        hits = found.entries.get(key, {})
        if is_short_term(entry["path"]):
            rows.append(Row(entry, hits.get("lightHits", 0), hits.get("remHits", 0)))
    return rows


def _entries(waiting: list[Row], promoted: list[Row]) -> dict[str, list[dict[str, Any]]]:
    return {
        "shortTermEntries": _first(sorted(waiting, key=by_recency)),
        "signalEntries": _first(sorted(waiting, key=by_signals)),
        "promotedEntries": _first(sorted(promoted, key=by_promotion)),
    }


def _sums(rows: Iterable[Row]) -> dict[str, int]:
    found = list(rows)
    light, rem = sum(row.light for row in found), sum(row.rem for row in found)
    return {
        "shortTermCount": len(found),
        "recallSignalCount": sum(row.entry["recallCount"] for row in found),
        "dailySignalCount": sum(row.entry["dailyCount"] for row in found),
        "groundedSignalCount": sum(row.entry["groundedCount"] for row in found),
        "totalSignalCount": sum(row.signals for row in found),
        "phaseSignalCount": light + rem,
        "lightPhaseHitCount": light,
        "remPhaseHitCount": rem,
    }


def _first(rows: list[Row]) -> list[dict[str, Any]]:
    return [row.to_json() for row in rows[:SHOWN]]


def by_recency(row: Row) -> tuple[Any, ...]:
    """Sort key: the last met first, then the one with more signals."""
    path = collation_key(row.entry["path"])
    return (-_ms(row.entry["lastRecalledAt"]), -row.signals, path)


def by_promotion(row: Row) -> tuple[Any, ...]:
    """Sort key of promoted entries: the last promoted first."""
    return (-_ms(row.entry["promotedAt"]), by_signals(row))


def by_signals(row: Row) -> tuple[Any, ...]:
    """Sort key: the one with most signals first, then most phase hits, then the last met."""
    return (-row.signals, -(row.light + row.rem), by_recency(row))


def promotion_day(row: Row, settings: Dreaming) -> str | None:
    """The owner's day on which a promoted entry was promoted; None for an unusable time."""
    at = stamp_ms(row.entry["promotedAt"])
    return None if at is None else clock.day_in(at, settings.zone)


def _ms(stamp: str) -> int:
    return stamp_ms(stamp) or 0
