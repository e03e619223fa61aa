"""``openclaw memory rem-backfill``: diary entries for notes of the past (``dreaming.md`` 8.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import agent_option, command, dry_run_options, option

if TYPE_CHECKING:
    from openclaw_cli.dreaming.rewriting import Place, Plan

COMMAND = "memory rem-backfill"


@command("rem-backfill")
@agent_option
@option("--path", metavar="P", help="A note named YYYY-MM-DD.md, or a folder of such notes.")
@option("--stage-short-term", is_flag=True, help="Also count what lasts in the recall store.")
@option("--rollback", is_flag=True, help="Take backfilled entries out of the diary.")
@option("--rollback-short-term", is_flag=True, help="Take staged evidence out of the store.")
@dry_run_options
@click.pass_obj
def cli(
    app: App, agent: str | None, *, path: str | None, stage_short_term: bool, rollback: bool,
    rollback_short_term: bool, dry_run: bool, exit_code: bool, as_json: bool,
) -> None:  # fmt: skip
    """Write diary entries for old daily notes, or take them back.

    Each note gets one entry in DREAMS.md that says what happened, in place of all entries
    of earlier backfills; your own text and ordinary entries stay. With --stage-short-term
    what the notes say for good also becomes evidence, from which the next deep sleep may
    promote. The rollbacks undo exactly that and win over --path.

    \b
    Examples:
      openclaw memory rem-backfill --path ~/old-notes --dry-run
      openclaw memory rem-backfill --path ~/.openclaw/workspace/memory --stage-short-term
      openclaw memory rem-backfill --rollback --rollback-short-term
    """
    from openclaw_cli.config import agents
    from openclaw_cli.dreaming.rewriting import Place
    from openclaw_cli.errors import UsageProblem
    from openclaw_cli.memory.workspace import Workspace

    config = app.config
    agent_id = agents.require_agent(config, agent) if agent else agents.default_agent_id(config)
    workspace = Workspace(agents.workspace_dir(config, app.paths, agent_id, app.environ))
    place = Place(workspace, app.paths, app.now_ms(), COMMAND)
    if rollback or rollback_short_term:
        document, plan = _roll_back(place, rollback, rollback_short_term, dry_run=dry_run)
    elif path is not None:
        document, plan = _fill(app, place, path, stage=stage_short_term, dry_run=dry_run)
    else:
        raise UsageProblem(
            "Memory rem-backfill needs --path, --rollback or --rollback-short-term.",
            hint="for example: openclaw memory rem-backfill --path ~/old-notes --dry-run",
        )
    document |= {"agentId": agent_id, "dryRun": dry_run}
    app.emit(document, as_json=as_json, render=lambda found: render(found, app.paths.display))
    if dry_run:
        app.finish_dry_run(work=bool(plan.writes), exit_code=exit_code)


def _fill(
    app: App, place: Place, path: str, *, stage: bool, dry_run: bool
) -> tuple[dict[str, Any], Plan]:
    from openclaw_cli.dreaming import backfill, history, staging

    source_path = app.paths.expand(path)
    sources = history.require(source_path, app.paths.display(source_path), "rem-backfill")
    warnings: list[str] = []
    notes = history.ground_all(sources, warnings)
    plan = backfill.backfill(place, notes, stage=stage, dry_run=dry_run)
    if stage:
        warnings += _staging_warnings(
            plan, [s for s in sources if not staging.is_inside(s, place.workspace)]
        )
    for text in warnings:
        app.warn(text)
    document = {
        "workspaceDir": str(place.workspace.root),
        "sourcePath": str(source_path),
        "sourceFiles": [str(source.path) for source in sources],
        "groundedFiles": len(notes),
        **plan.counts,
    }
    return document | {"warnings": warnings}, plan


def _staging_warnings(plan: Plan, outside: list[Any]) -> list[str]:
    found = []
    if outside:
        found.append(
            f"{len(outside)} note(s) are not in the workspace's memory folder: what is staged "
            "from them ranks, but is promoted only once notes of these names are there"
        )
    refused = Counter(reason for _, reason in plan.refused)
    for reason, count in sorted(refused.items()):
        told = "the workspace has another note of that name" if reason == "other-note" else reason
        found.append(f"{count} statement(s) were not staged: {told}")
    surplus = plan.counts.get("surplusShortTermEntries")
    if surplus:
        found.append(f"the recall store is full: {surplus} new entries found no room in it")
    return found


def _roll_back(
    place: Place, diary: bool, store: bool, *, dry_run: bool
) -> tuple[dict[str, Any], Plan]:
    from openclaw_cli.dreaming import backfill

    plan = backfill.roll_back(place, diary=diary, store=store, dry_run=dry_run)
    document = {
        "workspaceDir": str(place.workspace.root),
        "rollback": diary,
        "rollbackShortTerm": store,
        **plan.counts,
    }
    return document, plan


def render(document: dict[str, Any], display: Callable[[str], str]) -> Iterable[str]:
    """The counts as text."""
    would = " (dry run: nothing was written)" if document["dryRun"] else ""
    if "rollback" in document:
        yield f"REM Backfill (rollback){would}"
    else:
        yield f"REM Backfill ({document['agentId']}){would}"
    yield f"workspace={display(document['workspaceDir'])}"
    if "rollback" not in document:
        yield f"sourcePath={display(document['sourcePath'])}"
        yield (
            f"historicalFiles={len(document['sourceFiles'])} "
            f"writtenEntries={document['writtenEntries']} "
            f"replacedEntries={document['replacedEntries']}"
        )
    if "dreamsPath" in document:
        yield f"dreamsPath={display(document['dreamsPath'])}"
    if "shortTermStorePath" in document:
        if "removedEntries" in document:
            yield f"removedEntries={document['removedEntries']}"
        yield f"shortTermStorePath={display(document['shortTermStorePath'])}"
    for name in (
        "removedEntries" if "shortTermStorePath" not in document else "",
        "removedShortTermEntries",
        "stagedShortTermEntries",
        "replacedShortTermEntries",
    ):
        if name in document:
            yield f"{name}={document[name]}"
