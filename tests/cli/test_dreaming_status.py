"""``openclaw dreaming status``, ``on``, ``off`` and the overview."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openclaw_cli.config.load import load
from openclaw_cli.dreaming import statistics
from openclaw_cli.dreaming.settings import resolve
from openclaw_cli.dreaming.statistics import ManagedJob
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state.clock import parse_iso
from openclaw_cli.state.paths import Paths

W = ".openclaw/workspace"
DREAMS = f"{W}/memory/.dreams"
Run = Callable[..., Any]


def entry(key: str, **fields: Any) -> dict[str, Any]:
    path, start, end = key.split(":")[1:4]
    return {
        "key": key, "path": path, "startLine": int(start), "endLine": int(end), "source": "memory",
        "snippet": "x", "recallCount": 0, "dailyCount": 0, "groundedCount": 0, "totalScore": 4.0,
        "maxScore": 0.9, "firstRecalledAt": "2026-11-18T09:00:00.000Z",
        "lastRecalledAt": "2026-11-19T09:00:00.000Z", "queryHashes": ["a"],
        "recallDays": ["2026-11-18"], "conceptTags": [],
    } | fields  # fmt: skip


@pytest.fixture
def counted(tree: Any) -> Any:
    """The tree of the recorded ``doctor.memory.status``."""
    tree.dreaming(timezone="UTC")
    rows = [
        entry("memory:memory/2026-11-18.md:4:5", recallCount=2, dailyCount=3),
        entry("memory:memory/2026-11-18.md:8:8:0123456789ab", groundedCount=3, snippet=""),
        entry("memory:memory/2026-11-17.md:3:3", recallCount=5,
              promotedAt="2026-11-19T03:00:00.000Z"),
        entry("memory:memory/2026-11-17-x.md:5:5", groundedCount=5,
              promotedAt="2026-11-20T03:00:00.000Z"),
    ]  # fmt: skip
    document = {"version": 1, "updatedAt": "2026-11-19T09:00:00.000Z"}
    tree.json(
        f"{DREAMS}/short-term-recall.json", document | {"entries": {r["key"]: r for r in rows}}
    )
    hits = {"key": rows[0]["key"], "lightHits": 3, "remHits": 1}
    tree.json(f"{DREAMS}/phase-signals.json", document | {"entries": {rows[0]["key"]: hits}})
    return tree


def test_counts_and_leading_entries(counted: Any, home: Path) -> None:
    settings = resolve(load(Paths.from_env()))
    now = parse_iso("2026-11-20T12:00:00Z") or 0
    found = statistics.counts([Workspace(home / W)], settings, now)
    assert {k: v for k, v in found.items() if isinstance(v, int)} == {
        "shortTermCount": 2, "recallSignalCount": 2, "dailySignalCount": 3,
        "groundedSignalCount": 3, "totalSignalCount": 8, "phaseSignalCount": 4,
        "lightPhaseHitCount": 3, "remPhaseHitCount": 1, "promotedTotal": 2, "promotedToday": 1,
    }  # fmt: skip
    assert found["lastPromotedAt"] == "2026-11-20T03:00:00.000Z"
    assert [row["startLine"] for row in found["shortTermEntries"]] == [4, 8]
    assert [row["startLine"] for row in found["promotedEntries"]] == [5, 3]
    assert found["shortTermEntries"][1]["snippet"] == "memory/2026-11-18.md"
    assert found["signalEntries"][0]["phaseHitCount"] == 4
    assert found["storePath"].endswith("short-term-recall.json")


def test_counts_of_several_workspaces_name_no_path(counted: Any, home: Path) -> None:
    settings = resolve(load(Paths.from_env()))
    both = [Workspace(home / W), Workspace(home / "nowhere")]
    found = statistics.counts(both, settings, parse_iso("2026-11-20T12:00:00Z") or 0)
    assert "storePath" not in found
    assert found["shortTermCount"] == 2


def test_settings_of_the_phases_show_the_one_job(counted: Any) -> None:
    block = statistics.settings_block(resolve(load(Paths.from_env())), ManagedJob(True, True, 77))
    assert block["phases"]["light"] == {
        "enabled": True, "cron": "0 3 * * *", "lookbackDays": 2, "limit": 100,
        "managedCronPresent": True, "nextRunAtMs": 77,
    }  # fmt: skip
    assert block["phases"]["deep"]["maxAgeDays"] == 30
    assert block["phases"]["rem"]["minPatternStrength"] == 0.75
    assert block["timezone"] == "UTC"


def test_status_document(counted: Any, openclaw_inproc: Run) -> None:
    found = openclaw_inproc("dreaming", "status", "--json").json()
    assert found["enabled"] is True
    assert found["nextRunAtMs"] == parse_iso("2026-11-21T03:00:00Z")
    (row,) = found["workspaces"]
    assert (row["shortTermCount"], row["lastRun"], row["diary"]) == (2, None, None)
    assert found["blocked"]["reason"] == "no-scheduler"


def test_status_after_a_sweep(counted: Any, openclaw_inproc: Run) -> None:
    openclaw_inproc("dreaming", "sweep")
    found = openclaw_inproc("dreaming", "status", "--json").json()
    assert found["lastRun"]["outcome"] == "ok"
    assert found["lastRun"]["phases"]["light"]["status"] == "completed"
    text = openclaw_inproc("dreaming", "status").out
    assert "- phases: light on, REM on, deep on; storage" in text
    assert " ok (light completed, REM completed, deep completed)\n" in text
    assert found["blocked"] is None
    late = openclaw_inproc("dreaming", "status", "--json", now="2026-11-24T12:00:00Z").json()
    assert late["blocked"]["reason"] == "overdue"
    text = openclaw_inproc("dreaming", "status").out
    assert "last sweep: 2026-11-20T03:00:00.000Z ok" in text
    assert "diary: ~/.openclaw/workspace/DREAMS.md" in text


def test_failed_sweep_blocks_in_the_status(counted: Any, openclaw_inproc: Run) -> None:
    counted.file(f"{W}/memory/dreaming", "in the way")
    openclaw_inproc("dreaming", "sweep")
    blocked = openclaw_inproc("dreaming", "status", "--json").json()["blocked"]
    assert blocked["reason"] == "last-sweep-failed"
    assert "not a folder" in blocked["detail"]


def test_status_reports_what_it_cannot_read(tree: Any, openclaw_inproc: Run) -> None:
    tree.dreaming()
    tree.file(f"{DREAMS}/short-term-recall.json", "{ not json")
    tree.file(f"{DREAMS}/phase-signals.json.migrated", "{}")
    found = openclaw_inproc("dreaming", "status")
    assert found.exit == 0
    assert "not JSON" in found.out
    assert "phase-signals.json was moved into a database" in found.out


def test_switching_keeps_the_rest_of_the_configuration(tree: Any, openclaw_inproc: Run) -> None:
    text = '{\n  // mine\n  plugins: { entries: { "memory-core": { config: { dreaming: { enabled: false, frequency: "0 4 * * *" } } } } },\n}\n'  # noqa: E501
    path = tree.file(".openclaw/openclaw.json", text)
    dry = openclaw_inproc("dreaming", "on", "--dry-run", "--exit-code")
    assert (dry.exit, path.read_text()) == (3, text)
    on = openclaw_inproc("dreaming", "on")
    assert on.out.startswith("Dreaming enabled.\n\nDreaming status:\n- enabled: on\n")
    assert "enabled: true, frequency" in path.read_text()
    assert "// mine" in path.read_text()
    jobs = json.loads((tree.state / "cron/jobs.json").read_text())["jobs"]
    assert [job["schedule"]["expr"] for job in jobs] == ["0 4 * * *"]
    off = openclaw_inproc("dreaming", "off", "--json").json()
    assert (off["enabled"], off["changed"], off["job"]["status"]) == (False, True, "disabled")
    assert openclaw_inproc("dreaming", "off", "--json").json()["changed"] is False


@pytest.mark.parametrize("argv", [[], ["help"]])
def test_overview(tree: Any, openclaw_inproc: Run, argv: list[str]) -> None:
    tree.dreaming(timezone="Europe/Warsaw")
    lines = openclaw_inproc("dreaming", *argv).out.splitlines()
    assert lines[0].startswith("Usage: openclaw dreaming status")
    assert lines[3:7] == [
        "Dreaming status:",
        "- enabled: on (Europe/Warsaw)",
        "- sweep cadence: 0 3 * * *",
        "- promotion policy: score>=0.8, recalls>=3, uniqueQueries>=3",
    ]
    assert lines[8] == "Phases:"
    assert openclaw_inproc("dreaming", *argv, "--json").json()["minScore"] == 0.8


def test_unknown_word_is_wrong_usage(tree: Any, openclaw_inproc: Run) -> None:
    found = openclaw_inproc("dreaming", "swep")
    assert found.exit == 2
    assert "sweep" in found.err
