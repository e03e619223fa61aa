"""``openclaw sessions cleanup``: retention, once (``sessions-maintenance.md`` 5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import (
    agent_option,
    all_agents_option,
    command,
    completed,
    dry_run_options,
    option,
    store_option,
)
from openclaw_cli.state.amounts import counted

if TYPE_CHECKING:
    from openclaw_cli.sessions.cleanup import Result, StoreResult

UNLABELED = "(unlabeled)"
COUNTS = (
    ("repaired", "repair transcript paths"),
    ("missing", "prune missing transcripts"),
    ("dmScopeRetired", "retire direct chats"),
    ("modelRunPruned", "prune model probes"),
    ("pruned", "prune stale"),
    ("capped", "cap overflow"),
)
DONE = (
    ("repaired", "transcript paths repaired"),
    ("missing", "rows without transcript"),
    ("dmScopeRetired", "direct chats retired"),
    ("modelRunPruned", "model probes"),
    ("pruned", "stale rows"),
    ("capped", "rows over the cap"),
    ("surplus", "surplus rows of jobs and labels"),
)


@command("cleanup")
@option("--enforce", is_flag=True, help="Apply the limits even when the mode is warn.")
@option(
    "--fix-missing",
    is_flag=True,
    help="Also remove rows without a conversation; repair rows that name a wrong file.",
)
@option(
    "--fix-dm-scope",
    is_flag=True,
    help="Also retire direct chats that moved to the main session (session.dmScope main).",
)
@option(
    "--active-key",
    metavar="KEY",
    shell_complete=completed("session_keys"),
    help="Leave this session alone, whatever its age.",
)
@option("--verbose", is_flag=True, help="List every row and file with rule and reason.")
@agent_option
@all_agents_option
@store_option
@dry_run_options
@click.pass_obj
def cli(
    app: App,
    /,
    agent: str | None,
    all_agents: bool,
    store: str | None,
    exit_code: bool,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Apply the retention policy of session.maintenance once.

    In mode warn (the default) rows and archives stay, and what is past a limit is named;
    --enforce, or mode enforce, removes them. Transcripts of removed rows become archives
    that 'openclaw sessions restore' brings back until they expire. A dry run always shows
    what enforcing would do. How many sessions stay of one job or label is set by
    cli.sessions.keepLast, for example {"nightly-report": 5, "*": 20} ("*": each other job).

    \b
    Examples:
      openclaw sessions cleanup --dry-run                 what would go, row by row
      openclaw sessions cleanup --enforce                 apply the limits now
      openclaw sessions cleanup --all-agents --dry-run --json | jq '.stores[].pruned'
      openclaw sessions cleanup --fix-missing --dry-run   rows whose transcript is gone
      openclaw sessions cleanup --enforce --active-key agent:main:main
    """
    from openclaw_cli.sessions import cleanup, discovery, reading

    targets = discovery.targets(
        app.config, app.paths, agent=agent, all_agents=all_agents, store=store
    )
    options = cleanup.Options(**chosen)
    result = cleanup.run(app.config, app.paths, targets, options, now_ms=app.now_ms())
    app.emit(result.document, as_json=as_json, render=lambda _: render(app, result, options))
    note = reading.remote_note(app.config)
    if note:
        app.warn(note)
    for done in result.stores:
        where = f"{done.target.agent_id}: " if len(result.stores) > 1 else ""
        for warning in done.warnings:
            if as_json or warning not in _in_report(done):
                app.warn(where + warning)
    app.finish(failed=result.failed)
    if options.dry_run:
        app.finish_dry_run(work=result.would_mutate, exit_code=exit_code)


def _in_report(done: StoreResult) -> list[str]:
    """The remarks that belong to the counts: they stand below them, not on stderr."""
    return [] if done.plan is None else done.plan.row_plan.warnings


def render(app: App, result: Result, options: Any) -> Iterator[str]:
    """The run for people: one block per store."""
    several = len(result.stores) > 1
    for number, done in enumerate(result.stores):
        if number:
            yield ""
        if several:
            yield f"Agent: {done.target.agent_id}"
        yield f"Session store: {done.summary['storePath']}"
        if done.plan is None:
            yield f"Failed: {done.summary['error']}"
        elif options.dry_run:
            yield from _planned(app, done)
        else:
            yield from _applied(done)
        if options.verbose and done.plan is not None:
            yield from _actions(done.summary["actions"])


def _planned(app: App, done: StoreResult) -> Iterator[str]:
    summary = done.summary
    before, after = summary["beforeCount"], summary["afterCount"]
    yield f"Maintenance mode: {summary['mode']}"
    yield f"Entries: {before} -> {after} (remove {before - after})"
    for field, words in COUNTS:
        yield f"Would {words}: {summary[field]}"
    if summary["surplus"]:
        yield f"Would prune surplus of jobs and labels: {summary['surplus']}"
    swept = summary["unreferencedArtifacts"]
    if swept["scannedFiles"]:
        yield (
            f"Would clear unreferenced files: {swept['removedFiles']} "
            f"({swept['freedBytes']} bytes, of {swept['scannedFiles']} files)"
        )
    if summary["purgedArchives"]:
        yield f"Would purge expired archives: {summary['purgedArchives']}"
    if summary["rotatedTo"]:
        yield f"Would back the store up to: {summary['rotatedTo']}"
    budget = summary["diskBudget"]
    if budget:
        yield (
            f"Would enforce disk budget: {budget['totalBytesBefore']} -> "
            f"{budget['totalBytesAfter']} bytes (files {budget['removedFiles']}, "
            f"entries {budget['removedEntries']}; limit {budget['maxBytes']}, "
            f"target {budget['highWaterBytes']})"
        )
    yield from _in_report(done)
    if before:
        yield from _table(app, done)


def _table(app: App, done: StoreResult) -> Iterator[str]:
    from openclaw_cli.cli.output import Column, cell, display_width, pad, table_within
    from openclaw_cli.sessions import cleanup_report, listing, protection
    from openclaw_cli.sessions.model_in_use import ModelResolver

    plan = done.plan
    if plan is None:
        return
    models, now_ms = ModelResolver(app.config), app.now_ms()
    rows = plan.before.rows
    newest = sorted(rows, key=lambda key: -(protection.updated_at(rows[key]) or 0))
    labels: dict[str, list[int]] = {}
    lines = []
    for key in newest:
        row = rows[key] if isinstance(rows[key], dict) else {}
        action = cleanup_report.row_action(plan, key)
        touched = protection.updated_at(row)
        kept = action in (cleanup_report.KEEP, "repair-session-file")
        labels.setdefault(_label(row), [0, 0])[0 if kept else 1] += 1
        model = models.in_use(row, done.target.agent_id).name if row else None
        lines.append(
            (
                action,
                listing.key_label(key),
                listing.age_label(now_ms - touched if touched else None),
                model or "-",
                listing.flags_label(row),
            )
        )
    columns = (
        Column("Action", 19), Column("Key", 26), Column("Age", 9),
        Column("Model", 14, narrow=8, rank=2), Column("Flags", 1, narrow=12, rank=1),
    )  # fmt: skip
    yield ""
    yield "Planned actions:"
    yield from table_within(columns, lines, app.out.terminal_room)
    yield ""
    yield "Summary by Label:"
    width = max(display_width(cell(label)) for label in labels)
    for label in sorted(labels):
        kept_count, gone = labels[label]
        yield f"{pad(cell(label), width)}  {kept_count} kept, {gone} removed"
    kept_total = sum(counts[0] for counts in labels.values())
    yield f"Total: {kept_total} kept, {len(rows) - kept_total} removed"


def _label(row: dict[str, Any]) -> str:
    label = row.get("label")
    return (label.strip() if isinstance(label, str) else "") or UNLABELED


def _applied(done: StoreResult) -> Iterator[str]:
    summary = done.summary
    yield f"Maintenance applied (mode {summary['mode']}). Entries now: {summary['appliedCount']}"
    removed = [f"{words} {summary[field]}" for field, words in DONE if summary[field]]
    budget = summary["diskBudget"]
    if budget and (budget["removedEntries"] or budget["removedFiles"]):
        removed.append(
            f"for the disk budget {counted(budget['removedEntries'], 'row')}, "
            f"{counted(budget['removedFiles'], 'file')} ({budget['freedBytes']} bytes)"
        )
    if removed:
        yield f"Done: {', '.join(removed)}"
    swept = summary["unreferencedArtifacts"]["removedFiles"]
    for count, words in (
        (summary["archivedTranscripts"], "Transcripts archived"),
        (summary["purgedArchives"], "Expired archives purged"),
        (swept, "Unreferenced files cleared"),
    ):
        if count:
            yield f"{words}: {count}"
    if summary["rotatedTo"]:
        yield f"Backup of the store: {summary['rotatedTo']}"
    yield from _in_report(done)


def _actions(actions: list[dict[str, Any]]) -> Iterator[str]:
    from openclaw_cli.cli.output import cell

    if actions:
        yield ""
        yield "Actions:"
    for action in actions:
        target = f" -> {action['movedTo']}" if "movedTo" in action else ""
        name = action.get("key") or action.get("path")
        line = f"{action['what']}: {name}{target} [{action['rule']}] {action['reason']}"
        yield f"  {cell(line)}"
