"""The lines of ``openclaw memory status``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from openclaw_cli.state.amounts import counted
from openclaw_cli.state.tuples import NamedTuple

Display = Callable[[str | Path], str]


class Shown(NamedTuple):
    """How to show the reports. ``display`` writes paths, ``dreaming`` is that line's text."""

    display: Display
    dreaming: str
    dry_run: bool = False
    verbose: bool = False


def render(reports: list[dict[str, Any]], shown: Shown) -> Iterator[str]:
    """A block of lines for each agent, an empty line after it."""
    for report in reports:
        if "error" in report:
            yield f"Memory Search ({report['agentId']})"
            yield f"Failed: {report['error']['message']}"
        else:
            yield from _render_index_outcome(report)
            yield f"Memory Search ({report['agentId']})"
            yield from _render_search(report, shown.display)
            yield f"Dreaming: {shown.dreaming}"
            yield from _render_probe(report)
            yield from _render_index(report["status"], report["scan"], verbose=shown.verbose)
            yield from _render_recall(report, shown)
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
    yield f"Indexed: {_indexed(status, scan['totalFiles'])}"
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
        total = totals.get(count["source"], count["files"])
        yield f"  {count['source']} · {_indexed(count, total)}"
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


def _render_recall(report: dict[str, Any], shown: Shown) -> Iterator[str]:
    audit, dreams, display = report["audit"], report["dreamingAudit"], shown.display
    yield f"Recall store: {health(audit)}"
    yield f"Recall path: {display(audit['storePath'])}"
    if "updatedAt" in audit:
        yield f"Recall updated: {audit['updatedAt']}"
    diary = "present" if "dreamsPath" in dreams else "absent"
    ingestion = "present" if dreams["sessionIngestionExists"] else "absent"
    line = (
        f"Dreaming artifacts: diary {diary} · "
        f"{counted(dreams['sessionCorpusFileCount'], 'corpus file')} · ingestion state {ingestion}"
    )
    suspicious = dreams["suspiciousSessionCorpusLineCount"]
    yield line + (f" · {counted(suspicious, 'suspicious line')}" if suspicious else "")
    yield f"Dream corpus: {display(dreams['sessionCorpusDir'])}"
    yield f"Dream ingestion: {display(dreams['sessionIngestionPath'])}"
    if "dreamsPath" in dreams:
        yield f"Dream diary: {display(dreams['dreamsPath'])}"
    yield from _render_repair(report, shown)


def _render_repair(report: dict[str, Any], shown: Shown) -> Iterator[str]:
    if "repair" in report:
        label = "Repair (dry run)" if shown.dry_run else "Repair"
        yield f"{label}: {_repair(report['repair'], shown.display)}"
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
    label = "Dream repair (dry run)" if shown.dry_run else "Dream repair"
    yield f"{label}: {'archived ' + ', '.join(moved) if moved else 'no changes'}"
    if "archiveDir" in done:
        yield f"Dream archive: {shown.display(done['archiveDir'])}"
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


def _indexed(counts: dict[str, Any], total: int | None) -> str:
    files = f"{counts['files']}/{'?' if total is None else total} files"
    return f"{files} · {counted(counts['chunks'], 'chunk')}"


def health(audit: dict[str, Any]) -> str:
    """The counts of a recall store on one line."""
    parts = [
        counted(audit["entryCount"], "entry", "entries"),
        f"{audit['promotedCount']} promoted",
        f"{audit['conceptTaggedEntryCount']} concept-tagged",
        f"{audit['spacedEntryCount']} spaced",
    ]
    scripts = audit.get("conceptTagScripts") or {}
    shown = [
        f"{count} {name.removesuffix('EntryCount')}" for name, count in scripts.items() if count
    ]
    return " · ".join([*parts, f"scripts={', '.join(shown)}"] if shown else parts)


def issue_lines(issues: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Each finding, with what it says in detail."""
    for found in issues:
        detail = found.get("detail")
        yield f"{found['message']} ({detail})" if detail else found["message"]
