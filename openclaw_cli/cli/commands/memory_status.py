"""``openclaw memory status``: index, recall store and dreaming state of each agent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import agent_option, command, option

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config

Display = Callable[[str | Path], str]


@command("status")
@agent_option
@option("--deep", is_flag=True, help="Try out the embedding provider, too.")
@option("--index", "index_", is_flag=True, help="Bring the index up to date first (and --deep).")
@option("--fix", is_flag=True, help="Repair the recall store and what dreaming left behind.")
@option("--verbose", is_flag=True, help="Show settings that are off, too.")
@click.pass_obj
def cli(
    app: App, agent: str | None, *, deep: bool, index_: bool, fix: bool, verbose: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Show search index, recall store and dreaming state, of every agent or one.

    --fix rewrites the recall store in its right form, removes a stale lock, and moves
    aside what cannot be read; whatever leaves the store is kept in 'openclaw changes'.

    \b
    Examples:
      openclaw memory status
      openclaw memory status --fix --agent work
      openclaw memory status --json | jq '.[].audit.issues'
    """
    from openclaw_cli.config import agents
    from openclaw_cli.memory.status import Wishes

    config = app.config
    ids = [agents.require_agent(config, agent)] if agent else agents.agent_ids(config)
    wishes = Wishes(deep=deep, update=index_, fix=fix)
    reports = [found for one in ids if (found := _report(app, one, wishes, alone=len(ids) == 1))]
    dreaming = dreaming_line(config)
    app.emit(
        reports,
        as_json=as_json,
        render=lambda found: render(found, app.paths.display, dreaming, verbose=verbose),
    )
    app.finish(failed=any("error" in found or "indexError" in found for found in reports))


def _report(app: App, agent_id: str, wishes: Any, *, alone: bool) -> dict[str, Any] | None:
    """The report of one agent; among several, one that fails is reported as failed."""
    from openclaw_cli.errors import OpenClawError
    from openclaw_cli.memory import status
    from openclaw_cli.memory.recall_store import Writer

    writer = Writer(app.paths, app.now_ms(), "memory status --fix")
    try:
        found = status.agent_status(app.config, agent_id, writer, wishes)
    except OpenClawError as error:
        if alone:
            raise
        app.warn(f"{agent_id}: {error.message}")
        return {"agentId": agent_id, "error": error.to_json()}
    if found is None or "searchEnabled" in found:
        app.warn(f"Memory search disabled ({agent_id}).")
    return found


def dreaming_line(config: Config) -> str:
    """``off``, or the cadence and the thresholds of each enabled phase."""
    from openclaw_cli.memory.settings import dreaming_enabled

    if not dreaming_enabled(config):
        return "off"
    from openclaw_cli.dreaming import settings

    found = settings.resolve(config)
    when = found.frequency + (f" ({found.timezone})" if found.timezone else "")
    light, rem, gates = found.light, found.rem, found.deep.gates
    parts = []
    if light.enabled:
        parts.append(f"light={when} · limit={light.limit} · lookbackDays={light.lookback_days}")
    if rem.enabled:
        parts.append(
            f"rem={when} · limit={rem.limit} · lookbackDays={rem.lookback_days} · "
            f"minPatternStrength={rem.min_pattern_strength:g}"
        )
    if found.deep.enabled:
        label = f"deep={when}" if parts else when
        parts.append(
            f"{label} · limit={found.deep.limit} · minScore={gates.min_score:g} · "
            f"minRecallCount={gates.min_recall_count} · "
            f"minUniqueQueries={gates.min_unique_queries} · "
            f"recencyHalfLifeDays={gates.half_life_days} · "
            f"maxAgeDays={gates.max_age_days} · "
            f"maxPromotedSnippetTokens={gates.max_snippet_tokens}"
        )
    return " · ".join(parts) or f"{when} · no phase enabled"


def render(
    reports: list[dict[str, Any]], display: Display, dreaming: str, *, verbose: bool = False
) -> Iterator[str]:
    """A block of lines for each agent, an empty line after it."""
    for report in reports:
        if "error" in report:
            yield f"Memory Search ({report['agentId']})"
            yield f"Failed: {report['error']['message']}"
        else:
            yield from _render_index_outcome(report)
            yield f"Memory Search ({report['agentId']})"
            yield from _render_search(report, display)
            yield f"Dreaming: {dreaming}"
            yield from _render_probe(report)
            yield from _render_index(report["status"], report["scan"], verbose=verbose)
            yield from _render_recall(report, display)
            yield from _render_issues(report)
        yield ""


def _render_index_outcome(report: dict[str, Any]) -> Iterator[str]:
    if report.get("indexUpdated"):
        yield "Memory index complete."
    if "indexError" in report:
        yield f"Memory index failed: {report['indexError']}"


def _render_search(report: dict[str, Any], display: Display) -> Iterator[str]:
    status, scan = report["status"], report["scan"]
    if report.get("searchEnabled") is False:
        yield "Search: disabled (memorySearch.enabled is false)"
    yield f"Provider: {status['provider']} (requested: {status['requestedProvider']})"
    yield f"Model: {status.get('model') or status['provider']}"
    yield f"Sources: {', '.join(status['sources'])}"
    if status["extraPaths"]:
        yield f"Extra paths: {', '.join(status['extraPaths'])}"
    yield f"Indexed: {_files(status['files'], scan['totalFiles'])} · {status['chunks']} chunks"
    yield f"Dirty: {'yes' if status['dirty'] else 'no'}"
    yield f"Store: {display(status['dbPath'])}"
    yield f"Workspace: {display(status['workspaceDir'])}"


def _render_probe(report: dict[str, Any]) -> Iterator[str]:
    probe = report.get("embeddingProbe")
    if probe is None:
        return
    skipped = report["status"]["provider"] == "none"
    yield f"Embeddings: {'skipped' if skipped else 'ready' if probe['ok'] else 'unavailable'}"
    if probe.get("error") and not skipped:
        yield f"Embeddings error: {probe['error']}"


def _render_index(status: dict[str, Any], scan: dict[str, Any], *, verbose: bool) -> Iterator[str]:
    identity = status.get("custom", {}).get("indexIdentity")
    if identity and (verbose or identity["status"] != "valid"):
        reason = f" ({identity['reason']})" if identity.get("reason") else ""
        yield f"Index identity: {identity['status']}{reason}"
    yield "By source:"
    totals = {source["source"]: source["totalFiles"] for source in scan["sources"]}
    for count in status["sourceCounts"]:
        files = _files(count["files"], totals.get(count["source"], count["files"]))
        yield f"  {count['source']} · {files} · {count['chunks']} chunks"
    if "fallback" in status:
        yield f"Fallback: {status['fallback']['from']} ({status['fallback']['reason']})"
    yield from _render_vector(status["vector"])
    fts = status["fts"]
    ready = "ready" if fts["available"] else "unavailable"
    yield f"FTS: {ready if fts['enabled'] else 'disabled'}"
    if fts.get("error"):
        yield f"FTS error: {fts['error']}"
    cache = status["cache"]
    entries = f"enabled ({cache.get('entries', 0)} entries)"
    yield f"Embedding cache: {entries if cache['enabled'] else 'disabled'}"
    if cache.get("maxEntries"):
        yield f"Cache cap: {cache['maxEntries']}"
    batch = status["batch"]
    enabled = "enabled" if batch["enabled"] else "disabled"
    yield f"Batch: {enabled} (failures {batch['failures']}/{batch['limit']})"


def _render_vector(vector: dict[str, Any]) -> Iterator[str]:
    known = vector.get("storeAvailable", vector.get("available"))
    state = "unknown" if known is None else "ready" if known else "unavailable"
    yield f"Vector store: {state if vector['enabled'] else 'disabled'}"
    if "semanticAvailable" in vector:
        yield f"Semantic vectors: {'ready' if vector['semanticAvailable'] else 'unavailable'}"
    for key, title in (("dims", "dims"), ("extensionPath", "path"), ("loadError", "error")):
        if vector.get(key):
            yield f"Vector {title}: {vector[key]}"


def _render_recall(report: dict[str, Any], display: Display) -> Iterator[str]:
    from openclaw_cli.cli.commands.memory_promote import health

    audit, dreams = report["audit"], report["dreamingAudit"]
    yield f"Recall store: {health(audit)}"
    yield f"Recall path: {display(audit['storePath'])}"
    if "updatedAt" in audit:
        yield f"Recall updated: {audit['updatedAt']}"
    diary = "present" if "dreamsPath" in dreams else "absent"
    ingestion = "present" if dreams["sessionIngestionExists"] else "absent"
    line = (
        f"Dreaming artifacts: diary {diary} · {dreams['sessionCorpusFileCount']} corpus files · "
        f"ingestion state {ingestion}"
    )
    suspicious = dreams["suspiciousSessionCorpusLineCount"]
    yield line + (f" · {suspicious} suspicious lines" if suspicious else "")
    yield f"Dream corpus: {display(dreams['sessionCorpusDir'])}"
    yield f"Dream ingestion: {display(dreams['sessionIngestionPath'])}"
    if "dreamsPath" in dreams:
        yield f"Dream diary: {display(dreams['dreamsPath'])}"
    yield from _render_repair(report, display)


def _render_repair(report: dict[str, Any], display: Display) -> Iterator[str]:
    if "repair" in report:
        yield f"Repair: {_repair(report['repair'], display)}"
    done = report.get("dreamingRepair")
    if done is None:
        return
    moved = [
        name
        for key, name in (
            ("archivedSessionCorpus", "session corpus"),
            ("archivedSessionIngestion", "ingestion state"),
            ("archivedDreamsDiary", "diary"),
        )
        if done[key]
    ]
    yield f"Dream repair: {'archived ' + ', '.join(moved) if moved else 'no changes'}"
    if "archiveDir" in done:
        yield f"Dream archive: {display(done['archiveDir'])}"
    yield from (f"Dream repair warning: {text}" for text in done["warnings"])


def _repair(done: dict[str, Any], display: Display) -> str:
    parts = []
    if "movedAside" in done:
        parts.append(f"moved the unreadable store to {display(done['movedAside'])}")
    if done["rewroteStore"]:
        counts = (
            (done["removedInvalidEntries"], "invalid"),
            (done["removedOverflowEntries"], "overflow"),
        )
        removed = ", ".join(f"-{count} {name}" for count, name in counts if count)
        parts.append(f"rewrote store ({removed})" if removed else "rewrote store")
    if done["removedStaleLock"]:
        parts.append("removed stale lock")
    return " · ".join(parts) or "no changes"


def _render_issues(report: dict[str, Any]) -> Iterator[str]:
    from openclaw_cli.cli.commands.memory_promote import issue_lines

    fix = f"  Fix: openclaw memory status --fix --agent {report['agentId']}"
    lines = [f"  {text}" for text in report["scan"]["issues"]]
    for part in ("audit", "dreamingAudit"):
        issues = report[part]["issues"]
        lines += [f"  {line}" for line in issue_lines(issues)]
        if "repair" not in report and issues:
            lines.append(fix)
    if lines:
        yield "Issues:"
        yield from lines


def _files(indexed: int, total: int | None) -> str:
    return f"{indexed}/{'?' if total is None else total} files"
