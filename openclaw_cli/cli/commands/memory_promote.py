"""``openclaw memory promote``: the ranking, and writing the best to ``MEMORY.md``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.commands.memory import SHARE
from openclaw_cli.cli.options import WholeNumber, agent_option, command, dry_run_options, option


@command("promote")
@agent_option
@option("--limit", metavar="N", type=WholeNumber(1), help="At most N candidates.")
@option("--min-score", metavar="X", type=SHARE, help="Least score, 0 to 1.")
@option(
    "--min-recall-count",
    metavar="N",
    type=WholeNumber(0),
    help="Least number of signals: searches, ingestion and backfill together.",
)
@option(
    "--min-unique-queries",
    metavar="N",
    type=WholeNumber(0),
    help="Least number of distinct queries, or of distinct days.",
)
@option("--include-promoted", is_flag=True, help="Show what was promoted before, too.")
@option("--apply", "apply_", is_flag=True, help="Write the candidates to MEMORY.md.")
@option("--shadow-trials", is_flag=True, help="Order by the score after recorded trials.")
@dry_run_options
@click.pass_obj
def cli(
    app: App, agent: str | None, *, limit: int | None, min_score: float | None,
    min_recall_count: int | None, min_unique_queries: int | None, include_promoted: bool,
    apply_: bool, shadow_trials: bool, dry_run: bool, exit_code: bool, as_json: bool,
) -> None:  # fmt: skip
    """Rank what was recalled from daily notes, and promote the best to MEMORY.md.

    Without --apply nothing is written. The thresholds come from the deep phase of
    dreaming (plugins.entries.memory-core.config.dreaming.phases.deep), whether dreaming
    is on or not; options override them.

    \b
    Examples:
      openclaw memory promote                        what would be promoted
      openclaw memory promote --min-score 0          everything, with its score
      openclaw memory promote --apply --dry-run      the bullets, nothing written
      openclaw memory promote --apply --limit 3      write the best three
    """
    from openclaw_cli.config import agents
    from openclaw_cli.memory import report
    from openclaw_cli.memory.settings import DeepSettings, deep_settings
    from openclaw_cli.memory.workspace import Workspace

    config = app.config
    agent_id = agents.require_agent(config, agent) if agent else agents.default_agent_id(config)
    workspace = Workspace(agents.workspace_dir(config, app.paths, agent_id, app.environ))
    given = {
        "limit": limit,
        "min_score": min_score,
        "min_recall_count": min_recall_count,
        "min_unique_queries": min_unique_queries,
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    settings = DeepSettings(**(deep_settings(config)._asdict() | chosen))
    request = report.Request(settings, include_promoted, shadow_trials)
    if apply_:
        document = _apply(app, workspace, request, dry_run=dry_run)
    else:
        document = report.preview(workspace, request, app.now_ms())
    document["agentId"] = agent_id
    for text in document["warnings"]:
        app.warn(text)
    app.emit(document, as_json=as_json, render=lambda found: render(found, app.paths.display))
    if dry_run:
        work = bool(document.get("apply", {}).get("applied"))
        app.finish_dry_run(work=work, exit_code=exit_code)


def _apply(app: App, workspace: Any, request: Any, *, dry_run: bool) -> dict[str, Any]:
    from openclaw_cli.memory import report
    from openclaw_cli.memory.recall_store import Writer
    from openclaw_cli.memory.settings import dreaming_zone
    from openclaw_cli.state import clock

    writer = Writer(app.paths, app.now_ms(), "memory promote")
    day = clock.day_in(app.now_ms(), dreaming_zone(app.config))
    return report.promote(workspace, request, writer, day=day, dry_run=dry_run)


def render(document: dict[str, Any], display: Callable[[str | Path], str]) -> Iterable[str]:
    """The report for people."""
    lines = [*_render_ranking(document, display)]
    if "apply" in document:
        gap = [""] if lines[-1] else []
        lines += [*gap, *_render_apply(document, display)]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _render_ranking(
    document: dict[str, Any], display: Callable[[str | Path], str]
) -> Iterator[str]:
    from openclaw_cli.cli.commands.memory_status_lines import health, issue_lines

    audit = document["audit"]
    store = f"Recall store: {display(document['storePath'])}"
    if not document["candidates"]:
        yield "No short-term recall candidates."
        yield store
        yield from _render_rejected(document)
        yield from issue_lines(audit["issues"])
        return
    yield f"Short-Term Promotion Candidates ({document['agentId']})"
    yield store
    yield f"Store health: {health(audit)}"
    for candidate in document["candidates"]:
        yield from _render_candidate(candidate)
        yield ""
    yield from _render_rejected(document)
    if audit["issues"]:
        yield "Audit issues:"
        yield from (f"  {line}" for line in issue_lines(audit["issues"]))


def _render_candidate(candidate: dict[str, Any]) -> Iterator[str]:
    from openclaw_cli.memory.text import fixed

    parts = candidate["components"]
    place = f"{candidate['path']}:{candidate['startLine']}-{candidate['endLine']}"
    yield f"{fixed(candidate['score'], 3)} {place}"
    yield (
        f"recalls={candidate['recallCount']} avg={fixed(candidate['avgScore'], 3)} "
        f"queries={candidate['uniqueQueries']} age={fixed(candidate['ageDays'], 1)}d "
        f"consolidate={fixed(parts['consolidation'], 2)} "
        f"conceptual={fixed(parts['conceptual'], 2)}"
    )
    if candidate["conceptTags"]:
        yield f"concepts={', '.join(candidate['conceptTags'])}"
    if "promotedAt" in candidate:
        yield f"promoted={candidate['promotedAt']}"
    if "shadowTrial" in candidate:
        yield _trial(candidate["shadowTrial"])
    if candidate["snippet"]:
        yield candidate["snippet"]


def _trial(review: dict[str, Any]) -> str:
    from openclaw_cli.memory.text import fixed

    before, after = review["scoreBeforeShadowTrial"], review["scoreAfterShadowTrial"]
    flags = ", ".join(review["shadowTrialRiskFlags"])
    return (
        f"trial={review['shadowTrialVerdict']} recommendation="
        f"{review['shadowTrialRecommendation']} score {fixed(before, 3)} -> {fixed(after, 3)}"
        + (f" ({flags})" if flags else "")
    )


def _render_rejected(document: dict[str, Any]) -> Iterator[str]:
    counts = document["rejectedCounts"]
    if counts:
        shown = ", ".join(f"{gate} {count}" for gate, count in sorted(counts.items()))
        yield f"Not offered: {sum(counts.values())} ({shown})"


def _render_apply(document: dict[str, Any], display: Callable[[str | Path], str]) -> Iterator[str]:
    applied = document["apply"]
    dry_run = document.get("dryRun", False)
    if applied["applied"]:
        verb = "Would process" if dry_run else "Processed"
        yield f"{verb} {applied['applied']} candidate(s) for {display(applied['memoryPath'])}."
        counts = (applied["appended"], applied["reconciledExisting"])
        yield "appended={} reconciledExisting={}".format(*counts)
        if dry_run:
            there = {one["key"]: one["reason"] for one in applied.get("reconciled", ())}
            for one in applied["appliedCandidates"]:
                place = f"{one['path']}:{one['startLine']}-{one['endLine']}"
                known = f" (there already: {there[one['key']]})" if one["key"] in there else ""
                yield f"  {place}  {one['snippet']}{known}"
    elif document["candidates"] or applied["skipped"]:
        yield "No candidates met apply criteria."
    for one in applied["skipped"]:
        detail = f" ({one['detail']})" if "detail" in one else ""
        yield f"skipped {one['key']}: {one['reason']}{detail}"
    for date in applied.get("compactedDates", ()):
        verb = "would make" if dry_run else "made"
        yield f"{verb} room: dropped the section of {date}"
