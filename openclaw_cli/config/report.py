"""The documents of ``config validate|set|unset`` (``commands.md``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from openclaw_cli.config import units, validation
from openclaw_cli.config.load import Config, find_path, load
from openclaw_cli.config.validation import Issue
from openclaw_cli.errors import OpenClawError
from openclaw_cli.state.paths import Paths

if TYPE_CHECKING:
    from openclaw_cli.config.edit import Edit

CLOSE_TO_BUDGET = 0.95


def validation_report(state: Paths, environ: Mapping[str, str]) -> dict[str, Any]:
    """Whether the configuration is valid, with every issue and warning."""
    try:
        config = load(state, validate=False, environ=environ)
    except OpenClawError as error:
        path = error.path or str(find_path(state, environ))
        return _document(path, [Issue("", error.message)], [])
    if not config.exists:
        return _document(str(config.path), [Issue("", "there is no such file")], [])
    found = validation.check(config)
    warnings = [*found.warnings, *([] if found.issues else advice(config))]
    return _document(str(config.path), found.issues, warnings)


def advice(config: Config) -> list[Issue]:
    """What is allowed in a valid configuration, and yet hardly meant."""
    return [*_tight_budget(config), *_odd_windows(config), *_twin_agents(config)]


def edit_report(key: str, edit: Edit, *, dry_run: bool) -> dict[str, Any]:
    """What a change did, or would do; secrets are hidden."""
    from openclaw_cli.config import masking
    from openclaw_cli.config.edit import MISSING

    def shown(value: Any) -> Any:
        return None if value is MISSING else masking.masked(value, edit.place)

    return {
        "action": "unset" if edit.after is MISSING else "set",
        "key": key,
        "path": str(edit.path),
        "changed": edit.changed,
        "before": shown(edit.before),
        "after": shown(edit.after),
        "backup": None if edit.backup is None else str(edit.backup),
        "dryRun": dry_run,
    }


def _document(path: str, issues: list[Issue], warnings: list[Issue]) -> dict[str, Any]:
    document: dict[str, Any] = {"valid": not issues, "path": path}
    if issues:
        document["issues"] = [issue._asdict() for issue in issues]
    document["warnings"] = [warning._asdict() for warning in warnings]
    return document


def _tight_budget(config: Config) -> list[Issue]:
    limits = config.get("session", "maintenance", default={})
    budget, target = limits.get("maxDiskBytes"), limits.get("highWaterBytes")
    if budget is None or target is None:
        return []
    if 0 < units.parse_size(budget) * CLOSE_TO_BUDGET < units.parse_size(target):
        return [
            Issue(
                "session.maintenance.highWaterBytes",
                "is above 95 % of maxDiskBytes: set it clearly below, or each clean-up frees "
                "hardly anything",
            )
        ]
    return []


def _odd_windows(config: Config) -> list[Issue]:
    from openclaw_cli.state import clock

    found = []
    for where, block in validation.heartbeats(config):
        hours = block.get("activeHours") or {}
        zone = str(hours.get("timezone") or "user").strip()
        if zone not in ("", "user", "local") and clock.find_zone(zone) is None:
            found.append(
                Issue(
                    f"{where}.activeHours.timezone",
                    f"{zone!r} is no known time zone: the user's is used",
                )
            )
        if hours.get("start") is not None and hours.get("start") == hours.get("end"):
            found.append(
                Issue(
                    f"{where}.activeHours",
                    f"has zero width ({hours['start']} to {hours['end']}): no heartbeat will ever "
                    "run",
                )
            )
    return found


def _twin_agents(config: Config) -> list[Issue]:
    from openclaw_cli.config.agents import normalize_agent_id

    seen: dict[str, int] = {}
    found = []
    for index, entry in enumerate(config.get("agents", "list", default=[])):
        agent_id = normalize_agent_id(str((entry or {}).get("id") or ""))
        if agent_id in seen:
            first = seen[agent_id]
            found.append(
                Issue(f"agents.list[{index}].id", f"is the same agent as agents.list[{first}]")
            )
        seen.setdefault(agent_id, index)
    return found
