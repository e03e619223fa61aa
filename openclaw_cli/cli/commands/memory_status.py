"""``openclaw memory status``: index, recall store and dreaming state of each agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import agent_option, command, dry_run_options, option

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config


@command("status")
@agent_option
@option("--deep", is_flag=True, help="Try out the embedding provider, too.")
@option("--index", "index_", is_flag=True, help="Bring the index up to date first (and --deep).")
@option("--fix", is_flag=True, help="Repair the recall store and what dreaming left behind.")
@dry_run_options
@option("--verbose", is_flag=True, help="Show settings that are off, too.")
@click.pass_obj
def cli(
    app: App, agent: str | None, *, deep: bool, index_: bool, fix: bool, dry_run: bool,
    exit_code: bool, verbose: bool, as_json: bool,
) -> None:  # fmt: skip
    """Show search index, recall store and dreaming state, of every agent or one.

    --fix rewrites the recall store in its right form, removes a stale lock, and moves
    aside what cannot be read; whatever leaves the store is kept in 'openclaw changes'.

    \b
    Examples:
      openclaw memory status
      openclaw memory status --fix --dry-run
      openclaw memory status --fix --agent work
      openclaw memory status --json | jq '.[].audit.issues'
    """
    from openclaw_cli.cli.commands import memory_status_lines
    from openclaw_cli.config import agents
    from openclaw_cli.memory.status import Wishes

    config = app.config
    ids = [agents.require_agent(config, agent)] if agent else agents.agent_ids(config)
    wishes = Wishes(deep, index_ and not dry_run, fix, dry_run)
    reports = [found for one in ids if (found := _report(app, one, wishes, alone=len(ids) == 1))]
    shown = memory_status_lines.Shown(
        app.paths.display, dreaming_line(config), dry_run=dry_run, verbose=verbose
    )
    app.emit(
        reports,
        as_json=as_json,
        render=lambda found: memory_status_lines.render(found, shown),
    )
    if dry_run:
        app.finish_dry_run(work=any(_would_repair(found) for found in reports), exit_code=exit_code)
    app.finish(failed=any("error" in found or "indexError" in found for found in reports))


def _would_repair(report: dict[str, Any]) -> bool:
    return any(report.get(part, {}).get("changed") for part in ("repair", "dreamingRepair"))


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
