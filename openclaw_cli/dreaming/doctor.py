"""The ``doctor.memory.*`` methods (``dreaming.md`` 10.3, 10.4).

Each is ``function(config, paths, params, now_ms)``. ``agentId`` chooses the agent; without
it the default one's workspace is meant, and the counts of ``status`` are over all.
"""

from __future__ import annotations

from typing import Any

from openclaw_cli.config import agents
from openclaw_cli.config.load import Config
from openclaw_cli.dreaming import actions
from openclaw_cli.dreaming.actions import Row, Target
from openclaw_cli.dreaming.settings import resolve
from openclaw_cli.errors import OpenClawError
from openclaw_cli.state.paths import Paths

Params = dict[str, Any]

CANDIDATES, MOST_CANDIDATES = 25, 100
MOST_GROUNDED_FILES = 10
MOST_THEMES = 50


def status(config: Config, paths: Paths, params: Params, now_ms: int) -> Row:
    """``doctor.memory.status``: settings and counts of dreaming, and the search provider."""
    from openclaw_cli.dreaming import overview, statistics, workspaces
    from openclaw_cli.memory import index_status

    agent = params.get("agentId")
    agent_id = agents.require_agent(config, agent) if agent else agents.default_agent_id(config)
    settings = resolve(config)
    targets = workspaces.find(config, paths, agent)
    block = statistics.settings_block(settings, overview.managed_job(config, paths))
    counts = statistics.counts([target.workspace for target in targets], settings, now_ms)
    return {
        "agentId": agent_id,
        "provider": index_status.status(config, paths, agent_id)["provider"],
        "embedding": {
            "ok": False,
            "checked": False,
            "error": "not probed; 'openclaw memory status --deep' does that",
        },
        "dreaming": block | counts,
    }


def dream_diary(config: Config, paths: Paths, params: Params, now_ms: int) -> Row:
    """``doctor.memory.dreamDiary``."""
    return actions.read_diary(_target(config, paths, params, now_ms, "dreamDiary"))


def backfill_diary(config: Config, paths: Paths, params: Params, now_ms: int) -> Row:
    """``doctor.memory.backfillDreamDiary``."""
    return actions.backfill_diary(_target(config, paths, params, now_ms, "backfillDreamDiary"))


def reset_diary(config: Config, paths: Paths, params: Params, now_ms: int) -> Row:
    """``doctor.memory.resetDreamDiary``."""
    return actions.reset_diary(_target(config, paths, params, now_ms, "resetDreamDiary"))


def reset_grounded(config: Config, paths: Paths, params: Params, now_ms: int) -> Row:
    """``doctor.memory.resetGroundedShortTerm``."""
    return actions.reset_grounded(_target(config, paths, params, now_ms, "resetGroundedShortTerm"))


def dedupe_diary(config: Config, paths: Paths, params: Params, now_ms: int) -> Row:
    """``doctor.memory.dedupeDreamDiary``."""
    return actions.dedupe_diary(_target(config, paths, params, now_ms, "dedupeDreamDiary"))


def repair(config: Config, paths: Paths, params: Params, now_ms: int) -> Row:
    """``doctor.memory.repairDreamingArtifacts``; ``archiveDiary`` moves the diary as well."""
    target = _target(config, paths, params, now_ms, "repairDreamingArtifacts")
    return actions.repair(target, diary=params.get("archiveDiary") is True)


def rem_harness(config: Config, paths: Paths, params: Params, now_ms: int) -> Row:
    """``doctor.memory.remHarness``: the bounded preview; a failure is its answer."""
    from openclaw_cli.dreaming import harness

    target = _target(config, paths, params, now_ms, "remHarness")
    settings = resolve(config)
    rem = settings.rem._replace(limit=min(settings.rem.limit, MOST_THEMES))
    wish = harness.Wish(
        grounded_limit=MOST_GROUNDED_FILES if params.get("grounded") is True else None,
        include_promoted=params.get("includePromoted") is True,
    )
    limit = min(params.get("limit", CANDIDATES), MOST_CANDIDATES)
    try:
        shown = harness.preview(target.workspace, settings._replace(rem=rem), wish, now_ms)
    except OpenClawError as error:
        return {"ok": False, "agentId": target.agent_id, "error": error.message}
    found = harness.bounded_document(shown, settings, limit)
    return {"ok": True, "agentId": target.agent_id, **found}


def _target(config: Config, paths: Paths, params: Params, now_ms: int, name: str) -> Target:
    command = f"gateway call doctor.memory.{name}"
    return actions.find_target(config, paths, now_ms, agent=params.get("agentId"), command=command)
