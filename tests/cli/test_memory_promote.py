"""``openclaw memory promote`` and ``promote-explain``."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import recall_rows
from recall_rows import ROUTER, row

from openclaw_cli.memory.workspace import Workspace

Run = Callable[..., Any]
PREFERS = "- Prefers short status updates in the morning."


@pytest.fixture
def workspace(home: Path) -> Workspace:
    workspace = Workspace(home / ".openclaw/workspace")
    recall_rows.note(workspace, "2026-11-17", "# day", "", ROUTER, PREFERS)
    recall_rows.write(workspace, row(), row(PREFERS, line=4, totalScore=5), row("gone", line=9))
    return workspace


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_the_preview_lists_candidates_best_first_and_writes_nothing(
    openclaw_inproc: Run, workspace: Workspace
) -> None:
    before = snapshot(workspace.root)
    result = openclaw_inproc("memory", "promote")
    assert result.exit == 0
    lines = result.out.splitlines()
    assert lines[:3] == [
        "Short-Term Promotion Candidates (main)",
        "Recall store: ~/.openclaw/workspace/memory/.dreams/short-term-recall.json",
        "Store health: 3 entries · 0 promoted · 3 concept-tagged · 3 spaced · scripts=3 latin",
    ]
    assert lines[3] == "0.877 memory/2026-11-17.md:3-3"
    assert lines[4] == ("recalls=6 avg=0.950 queries=4 age=0.8d consolidate=0.92 conceptual=0.67")
    assert lines[5:8] == ["concepts=gateway, router, vlan, moved", ROUTER, ""]
    assert snapshot(workspace.root) == before


def test_the_json_document_has_the_documented_keys_in_order(
    openclaw_inproc: Run, workspace: Workspace
) -> None:
    document = openclaw_inproc("memory", "promote", "--json", "--apply").json()
    assert list(document)[:5] == ["workspaceDir", "storePath", "lockPath", "audit", "candidates"]
    assert list(document["apply"])[:5] == [
        "applied", "appended", "reconciledExisting", "memoryPath", "appliedCandidates",
    ]  # fmt: skip
    assert document["apply"]["applied"] == 2
    assert document["audit"]["promotedCount"] == 2
    assert all("promotedAt" not in one for one in document["candidates"])
    assert document["agentId"] == "main"


def test_a_dry_run_shows_what_apply_then_does(openclaw_inproc: Run, workspace: Workspace) -> None:
    before = snapshot(workspace.root)
    planned = openclaw_inproc("memory", "promote", "--apply", "--dry-run", "--json").json()
    assert snapshot(workspace.root) == before
    assert planned["dryRun"] is True
    done = openclaw_inproc("memory", "promote", "--apply", "--json").json()
    assert planned["apply"] == done["apply"]
    text = openclaw_inproc("memory", "promote", "--apply", "--dry-run").out
    assert "No candidates met apply criteria." in text


def test_a_dry_run_tells_what_is_there_already(openclaw_inproc: Run, workspace: Workspace) -> None:
    marker = f"<!-- openclaw-memory-promotion:{row()['key']} -->\n- Mine\n"
    workspace.memory_file.write_text(f"# Long-Term Memory\n\n{marker}{PREFERS}\n")
    text = openclaw_inproc("memory", "promote", "--apply", "--dry-run").out
    assert f"  memory/2026-11-17.md:3-3  {ROUTER} (there already: marker)" in text
    assert f"  memory/2026-11-17.md:4-4  {PREFERS} (there already: same-text)" in text
    done = openclaw_inproc("memory", "promote", "--apply", "--json").json()["apply"]
    assert (done["appended"], done["reconciledExisting"]) == (0, 2)
    assert [one["reason"] for one in done["reconciled"]] == ["marker", "same-text"]


def test_every_entry_that_is_not_offered_has_its_gate(
    openclaw_inproc: Run, workspace: Workspace
) -> None:
    document = openclaw_inproc("memory", "promote", "--min-score", "0.87", "--json").json()
    (rejected,) = document["rejected"]
    assert (rejected["key"], rejected["reason"]) == (row(PREFERS, line=4)["key"], "score")
    assert rejected["actual"] < rejected["needed"] == 0.87
    assert document["rejectedCounts"] == {"score": 1}


def test_exit_code_of_a_dry_run_tells_whether_there_is_work(
    openclaw_inproc: Run, workspace: Workspace
) -> None:
    words = ("memory", "promote", "--apply", "--dry-run", "--exit-code")
    assert openclaw_inproc(*words).exit == 3
    assert openclaw_inproc("memory", "promote", "--apply").exit == 0
    assert openclaw_inproc(*words).exit == 0


def test_apply_says_what_it_did_and_why_not(openclaw_inproc: Run, workspace: Workspace) -> None:
    out = openclaw_inproc("memory", "promote", "--apply").out
    assert "Processed 2 candidate(s) for ~/.openclaw/workspace/MEMORY.md." in out
    assert "appended=2 reconciledExisting=0" in out
    reason = "no-match (its text is not in memory/2026-11-17.md any more)"
    assert f"skipped memory:memory/2026-11-17.md:9:9: {reason}" in out


def test_a_credential_is_never_written(openclaw_inproc: Run, workspace: Workspace) -> None:
    text = "- The bridge to the lab opens with token=ghp_abcdefghijklmnopqrstuvwxyz0123456789."
    recall_rows.note(workspace, "2026-11-17", "# day", "", text, PREFERS)
    recall_rows.write(workspace, row(text), row(PREFERS, line=4))
    done = openclaw_inproc("memory", "promote", "--apply", "--json").json()["apply"]
    assert [(one["key"], one["reason"]) for one in done["skipped"]] == [
        (row(text)["key"], "secret")
    ]
    assert "ghp_" not in workspace.memory_file.read_text()
    explained = openclaw_inproc("memory", "promote-explain", row(text)["key"], "--json").json()
    assert explained["claim"]["reason"] == "secret"
    told = openclaw_inproc("memory", "promote-explain", row(text)["key"]).out
    assert "FAILS: secret (a credential stands in it)\n" in told


def test_a_text_that_is_no_statement_is_explained_in_words(
    openclaw_inproc: Run, workspace: Workspace
) -> None:
    recall_rows.note(workspace, "2026-11-17", "# day", "", "sudo systemctl restart nginx")
    recall_rows.write(workspace, row("sudo systemctl restart nginx"))
    told = openclaw_inproc("memory", "promote-explain", "nginx").out
    assert "FAILS: no-claim (code): it is no statement that stands for itself\n" in told


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ((), 3),
        (("--limit", "1"), 1),
        (("--min-score", "0.87"), 2),
        (("--min-score", "0"), 3),
        (("--min-recall-count", "7"), 0),
        (("--min-unique-queries", "5"), 0),
    ],
)
def test_thresholds_are_taken_from_the_options(
    openclaw_inproc: Run, workspace: Workspace, options: tuple[str, ...], count: int
) -> None:
    document = openclaw_inproc("memory", "promote", "--json", *options).json()
    assert len(document["candidates"]) == count
    assert sum(document["rejectedCounts"].values()) == (
        0 if options[:1] == ("--limit",) else 3 - count
    )


def test_thresholds_are_taken_from_the_deep_phase(
    openclaw_inproc: Run, workspace: Workspace, tree: Any
) -> None:
    tree.dreaming(enabled=False, phases={"deep": {"minRecallCount": 7, "limit": 0}})
    result = openclaw_inproc("memory", "promote")
    assert "No short-term recall candidates." in result.out
    assert "Not offered: 3 (recallCount 3)" in result.out


def test_days_of_sections_are_the_owner_s(
    openclaw_inproc: Run, workspace: Workspace, tree: Any
) -> None:
    tree.dreaming(timezone="Pacific/Auckland")
    openclaw_inproc("memory", "promote", "--apply", now="2026-11-20T12:30:00Z")
    assert "(2026-11-21)" in workspace.memory_file.read_text()


@pytest.mark.parametrize(
    "words",
    [
        ("--limit", "0"),
        ("--limit", "1.5"),
        ("--min-score", "1.5"),
        ("--min-score", "-0.1"),
        ("--min-score", "1e-1"),
        ("--min-score", "nan"),
        ("--min-recall-count", "-1"),
        ("--min-unique-queries", "x"),
        ("--force",),
        ("now",),
    ],
)
def test_wrong_usage_is_exit_2_with_the_option_named(
    openclaw_inproc: Run, words: tuple[str, ...]
) -> None:
    result = openclaw_inproc("memory", "promote", *words, "--json")
    assert result.exit == 2
    assert result.out == ""
    assert words[0].lstrip("-") in result.err
    assert result.error["code"] == "usage"
    assert "openclaw memory promote --help" in result.error["hint"]


def test_an_unknown_agent_is_named_with_the_known_ones(
    openclaw_inproc: Run, home: Path, tree: Any
) -> None:
    tree.config(agents={"list": [{"id": "main"}, {"id": "work"}]})
    for command in ("promote", "status"):
        result = openclaw_inproc("memory", command, "--agent", "../../x", "--json")
        assert result.exit == 1
        assert "main, work" in result.error["hint"]
    assert not (home.parent / "x.sqlite").exists()


def test_an_agent_works_in_its_own_workspace(openclaw_inproc: Run, home: Path, tree: Any) -> None:
    tree.config(agents={"list": [{"id": "main"}, {"id": "Work", "workspace": "~/ws"}]})
    workspace = Workspace(home / "ws")
    recall_rows.note(workspace, "2026-11-17", "", "", ROUTER)
    recall_rows.write(workspace, row())
    openclaw_inproc("memory", "promote", "--agent", "WORK", "--apply")
    assert ROUTER[2:] in (home / "ws/MEMORY.md").read_text()
    assert not (home / ".openclaw/workspace").exists()


# -- bad input -------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"{", b"", b"\xff", b'{"entries": {"a": }}'])
@pytest.mark.parametrize("words", [("promote",), ("promote", "--apply"), ("promote-explain", "x")])
def test_a_broken_store_stops_the_command_and_stays_as_it_is(
    openclaw_inproc: Run, workspace: Workspace, content: bytes, words: tuple[str, ...]
) -> None:
    workspace.recall_path.write_bytes(content)
    before = snapshot(workspace.root)
    result = openclaw_inproc("memory", *words, "--json")
    assert (result.exit, result.out) == (1, "")
    assert result.error["code"] == "store-unreadable"
    assert result.error["path"] == str(workspace.recall_path)
    assert "memory status --fix" in result.error["hint"]
    assert len(result.err.splitlines()) == 2
    assert snapshot(workspace.root) == before


@pytest.mark.parametrize("content", ["[]", "5", '{"entries": 7}', '{"version": 9}', "null"])
def test_a_store_of_another_shape_has_no_candidates(
    openclaw_inproc: Run, workspace: Workspace, content: str
) -> None:
    workspace.recall_path.write_text(content)
    result = openclaw_inproc("memory", "promote", "--apply", "--json")
    assert result.exit == 0
    assert result.json()["candidates"] == []
    assert workspace.recall_path.read_text() == content


def test_broken_phase_signals_are_warned_about_and_the_rest_works(
    openclaw_inproc: Run, workspace: Workspace
) -> None:
    workspace.signals_path.write_text("{broken")
    result = openclaw_inproc("memory", "promote", "--json")
    assert len(result.json()["candidates"]) == 3
    assert "phase-signals.json" in result.err
    assert workspace.signals_path.read_text() == "{broken"


def test_broken_lines_of_the_event_log_stay(openclaw_inproc: Run, workspace: Workspace) -> None:
    workspace.events_path.write_bytes(b'no json\n\xff\n{"type":"memory.pro')
    openclaw_inproc("memory", "promote", "--apply")
    lines = workspace.events_path.read_bytes().splitlines()
    assert lines[:3] == [b"no json", b"\xff", b'{"type":"memory.pro']
    assert json.loads(lines[3])["applied"] == 2


def test_notes_that_are_no_text_do_not_stop_the_others(
    openclaw_inproc: Run, workspace: Workspace
) -> None:
    recall_rows.write(workspace, row(), row("bytes", day="2026-11-16"))
    (workspace.memory_dir / "2026-11-16.md").write_bytes(bytes(range(256)) * 100)
    applied = openclaw_inproc("memory", "promote", "--apply", "--json").json()["apply"]
    assert applied["applied"] == 1
    assert applied["skipped"][0]["reason"] == "no-match"


def test_a_loop_of_links_is_a_missing_note(openclaw_inproc: Run, workspace: Workspace) -> None:
    note = workspace.memory_dir / "2026-11-17.md"
    note.unlink()
    note.symlink_to(note.name)
    applied = openclaw_inproc("memory", "promote", "--apply", "--json").json()["apply"]
    assert {skip["reason"] for skip in applied["skipped"]} == {"missing-file"}


def test_a_memory_file_that_is_no_text_is_left_alone(
    openclaw_inproc: Run, workspace: Workspace
) -> None:
    workspace.memory_file.write_bytes(b"\xff\xfe\x00")
    before = snapshot(workspace.root)
    result = openclaw_inproc("memory", "promote", "--apply")
    assert result.exit == 1
    assert "MEMORY.md" in result.err
    assert len(result.err.splitlines()) == 1
    assert snapshot(workspace.root) == before


def test_a_busy_store_is_exit_75(openclaw_inproc: Run, workspace: Workspace) -> None:
    workspace.lock_path.write_text(f"{os.getppid()}:1795143600000\n")
    before = snapshot(workspace.root)
    result = openclaw_inproc(
        "memory", "promote", "--apply", "--json", env={"OPENCLAW_LOCK_TIMEOUT": "0"}
    )
    assert result.exit == 75
    assert result.error["code"] == "locked"
    assert str(os.getppid()) in result.error["message"]
    assert snapshot(workspace.root) == before
    assert openclaw_inproc("memory", "promote").exit == 0  # readers take no lock


def test_a_store_of_more_than_16_mib_is_not_refused(
    openclaw_inproc: Run, workspace: Workspace
) -> None:
    rows = [row(f"fact {n}", line=n + 1, note="x" * 30_000) for n in range(600)]
    recall_rows.write(workspace, *rows)
    assert workspace.recall_path.stat().st_size > 16 * 1024 * 1024
    document = openclaw_inproc("memory", "promote", "--json").json()
    assert len(document["candidates"]) == 512
    assert document["audit"]["issues"][0]["code"] == "recall-store-over-limit"


def test_what_a_write_drops_is_in_the_change_log(
    openclaw_inproc: Run, workspace: Workspace, home: Path
) -> None:
    rows = [row(f"fact {n}", line=n + 10, recallCount=0, dailyCount=5) for n in range(513)]
    recall_rows.write(workspace, row(), *rows)
    openclaw_inproc("memory", "promote", "--apply")
    log = (home / ".openclaw/logs/changes.jsonl").read_text().splitlines()
    dropped = [json.loads(line) for line in log]
    assert [line["rule"] for line in dropped] == ["recall-store-limit"] * 2
    assert all(line["row"]["recallCount"] == 0 for line in dropped)


# -- shadow trials ---------------------------------------------------------------------------

TRIAL = """# Dreaming Shadow Trial Report

candidate: {candidate}
verdict: {verdict}
recommendation: {recommendation}
risk flags:
- none recorded
evidence refs:
- none supplied
promotion action: report-only
"""


def test_shadow_trials_reorder_and_keep_the_harmful_from_being_written(
    openclaw_inproc: Run, workspace: Workspace
) -> None:
    folder = workspace.memory_dir / "dreaming/shadow-trials/2026-11-19"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text(
        TRIAL.format(candidate=ROUTER, verdict="harmful", recommendation="reject")
    )
    words = ("memory", "promote", "--json", "--apply")
    plain = openclaw_inproc(*words, "--dry-run").json()
    assert plain["candidates"][0]["snippet"] == ROUTER
    assert "shadowTrial" not in plain["candidates"][0]
    document = openclaw_inproc(*words, "--shadow-trials").json()
    last = document["candidates"][-1]
    assert (last["snippet"], last["score"]) == (ROUTER, plain["candidates"][0]["score"])
    assert last["shadowTrial"]["rejectedByShadowTrial"] is True
    assert document["candidates"][0]["shadowTrial"]["shadowTrialRiskFlags"] == [
        "not shadow-trialed"
    ]
    reasons = {skip["key"]: skip["reason"] for skip in document["apply"]["skipped"]}
    assert reasons[row()["key"]] == "shadow-trial-harmful"
    assert "VLAN 20" not in workspace.memory_file.read_text()


def test_the_text_form_shows_trials_promotions_and_room_made(
    openclaw_inproc: Run, workspace: Workspace
) -> None:
    folder = workspace.memory_dir / "dreaming/shadow-trials/2026-11-19"
    folder.mkdir(parents=True)
    report = TRIAL.format(candidate=ROUTER, verdict="helpful", recommendation="promote")
    (folder / "a.md").write_text(report)
    (folder / "b.md").write_text("no report")
    result = openclaw_inproc("memory", "promote", "--shadow-trials")
    assert "trial=helpful recommendation=promote score 0.877 -> 0.917\n" in result.out
    assert (
        "trial=neutral recommendation=defer score 0.877 -> 0.877 (not shadow-trialed)" in result.out
    )
    assert "b.md is no shadow trial report" in result.err
    old = "\n".join(f"- old {n} " + "x" * 90 for n in range(110))
    workspace.memory_file.write_text(f"## Promoted From Short-Term Memory (2026-09-01)\n\n{old}\n")
    words = ("memory", "promote", "--apply")
    assert (
        "would make room: dropped the section of 2026-09-01"
        in openclaw_inproc(*words, "--dry-run").out
    )
    assert "\nmade room: dropped the section of 2026-09-01" in openclaw_inproc(*words).out
    assert (
        "promoted=2026-11-20T03:00:00.000Z"
        in openclaw_inproc("memory", "promote", "--include-promoted").out
    )


# -- promote-explain -------------------------------------------------------------------------


def test_an_exact_key_beats_a_better_ranked_match(
    openclaw_inproc: Run, workspace: Workspace
) -> None:
    recall_rows.write(workspace, row(line=31), row("weaker", line=3, totalScore=1))
    key = "memory:memory/2026-11-17.md:3:3"
    document = openclaw_inproc("memory", "promote-explain", key, "--json").json()
    assert document["candidate"]["key"] == key


def test_the_explanation_names_counts_gates_and_thresholds(
    openclaw_inproc: Run, workspace: Workspace
) -> None:
    weak = row("- Lunch with the design team.", recallCount=0, dailyCount=1, groundedCount=1,
               lastRecalledAt="2026-10-01T00:00:00.000Z", totalScore=0.5)  # fmt: skip
    recall_rows.write(workspace, weak)
    out = openclaw_inproc("memory", "promote-explain", "DESIGN team").out
    assert "signals=2 (recalls 0, daily 1, grounded 1)" in out
    assert "FAILS: signals 2, needed at least 3" in out
    assert "FAILS: age 50.1 days, needed at most 30" in out
    assert "passes: distinct queries or days 4, needed at least 3" in out
    assert "FAILS: the note has no such text: no-match" in out
    assert "thresholds: minScore=0.8 minRecallCount=3 minUniqueQueries=3 maxAgeDays=30" in out


def test_the_explanation_says_where_the_text_stands_now(
    openclaw_inproc: Run, workspace: Workspace
) -> None:
    recall_rows.note(workspace, "2026-11-17", "a", "b", "c", "d", ROUTER)
    document = openclaw_inproc("memory", "promote-explain", "router", "--json").json()
    assert document["live"] == {"found": True, "startLine": 5, "endLine": 5, "snippet": ROUTER}
    out = openclaw_inproc("memory", "promote-explain", "router").out
    assert "passes: the text stands in memory/2026-11-17.md:5-5" in out


@pytest.mark.parametrize(
    ("changes", "hint"),
    [
        ({"promotedAt": "2026-11-01T03:00:00.000Z"}, "--include-promoted"),
        ({"path": "memory/projects.md"}, "no dated note"),
        ({"snippet": "## Router heading"}, "scaffolding"),
        ({"recallCount": 0}, "no signals"),
    ],
)
def test_an_entry_that_can_be_no_candidate_is_explained(
    openclaw_inproc: Run, workspace: Workspace, changes: dict[str, Any], hint: str
) -> None:
    recall_rows.write(workspace, row(**changes))
    result = openclaw_inproc("memory", "promote-explain", "router", "--json")
    assert (result.exit, result.out) == (1, "")
    assert result.error["message"] == 'No promotion candidate matched "router".'
    assert hint in result.error["hint"]


def test_a_blank_selector_is_refused(openclaw_inproc: Run, workspace: Workspace) -> None:
    result = openclaw_inproc("memory", "promote-explain", "  ")
    assert result.exit == 2
    assert "requires a non-empty selector" in result.err


@pytest.mark.parametrize("number", ["0", "-1", "1.5", "x", "", "9" * 5000])
def test_a_number_out_of_range_is_told_in_words(openclaw_inproc: Run, number: str) -> None:
    result = openclaw_inproc("memory", "promote", "--limit", number)
    assert result.exit == 2
    assert f"'--limit': '{number[:40]}' is not a whole number of at least 1" in result.err


def test_the_explanation_never_rounds_to_the_other_side_of_a_limit(
    openclaw_inproc: Run, workspace: Workspace
) -> None:
    stamp = "2026-10-21T02:50:00.000Z"  # 30.007 days before
    recall_rows.write(workspace, row(lastRecalledAt=stamp, promotedAt=stamp))
    out = openclaw_inproc("memory", "promote-explain", "router", "--include-promoted").out
    assert "FAILS: age 30.00694" in out
    assert f"promoted={stamp}" in out
