"""Which agents there are, where each one works, and whose day counts (``memory.md`` 1.1)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.config.load import Config
from openclaw_cli.errors import UnknownName
from openclaw_cli.state.paths import Paths

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

MAIN_AGENT = "main"
ID_LENGTH = 64


def normalize_agent_id(text: str) -> str:
    """An agent id in its stored form: lower case, foreign characters as ``-``, never empty."""
    lowered = text.strip().lower()
    if re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,63}", lowered):
        return lowered
    return re.sub(r"[^a-z0-9_-]+", "-", lowered).strip("-")[:ID_LENGTH] or MAIN_AGENT


def agent_entries(config: Config) -> list[dict[str, Any]]:
    """The objects of ``agents.list`` in their order."""
    listed = config.get("agents", "list")
    if not isinstance(listed, list):
        return []
    return [entry for entry in listed if isinstance(entry, dict)]


def agent_ids(config: Config) -> list[str]:
    """The normalised ids in list order, each once; the default agent when none is listed."""
    ids = [_entry_id(entry) for entry in agent_entries(config)]
    return list(dict.fromkeys(ids)) or [MAIN_AGENT]


def default_agent_id(config: Config) -> str:
    """The first entry with ``default: true``, else the first entry, else ``main``."""
    entries = agent_entries(config)
    for entry in entries:
        if entry.get("default") is True:
            return _entry_id(entry)
    return _entry_id(entries[0]) if entries else MAIN_AGENT


def agent_entry(config: Config, agent_id: str) -> dict[str, Any]:
    """The entry of a normalised id; empty for an agent that is not listed."""
    for entry in agent_entries(config):
        if _entry_id(entry) == agent_id:
            return entry
    return {}


def require_agent(config: Config, text: str) -> str:
    """The normalised id of a configured agent; ``UnknownName`` lists the known ones."""
    agent_id = normalize_agent_id(text)
    known = agent_ids(config)
    if agent_id not in known:
        raise UnknownName(
            f"unknown agent {text!r}",
            hint=f"known agents: {', '.join(known)}",
            code="unknown-agent",
        )
    return agent_id


def agent_setting(config: Config, agent_id: str, key: str) -> Any:
    """``agents.list[id].<key>``, else ``agents.defaults.<key>``, else None."""
    own = agent_entry(config, agent_id).get(key)
    return own if own is not None else config.get("agents", "defaults", key)


def agent_block(config: Config, agent_id: str, key: str, *, deep: bool = False) -> dict[str, Any]:
    """``agents.defaults.<key>`` with the agent's own keys laid over it, ``deep`` or not."""
    merged: dict[str, Any] = {}
    for layer in (config.get("agents", "defaults", key), agent_entry(config, agent_id).get(key)):
        if isinstance(layer, dict):
            merged = _laid_over(merged, layer) if deep else {**merged, **layer}
    return merged


def _laid_over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        both = isinstance(old, dict) and isinstance(value, dict)
        merged[key] = _laid_over(old, value) if both else value  # type: ignore[arg-type]
    return merged


def workspace_dir(
    config: Config, paths: Paths, agent_id: str, environ: Mapping[str, str] | None = None
) -> Path:
    """The absolute workspace of an agent, whether it exists or not."""
    own = _text(agent_entry(config, agent_id).get("workspace"))
    if own:
        return paths.expand(_resolved(config, own, f"the workspace of agent {agent_id}"))
    if agent_id == default_agent_id(config):
        return shared_workspace_dir(config, paths, environ)
    shared = _text(config.get("agents", "defaults", "workspace"))
    return paths.expand(shared) / agent_id if shared else paths.under(f"workspace-{agent_id}")


def shared_workspace_dir(
    config: Config, paths: Paths, environ: Mapping[str, str] | None = None
) -> Path:
    """The workspace of the default agent when it names none of its own."""
    shared = _text(config.get("agents", "defaults", "workspace"))
    return paths.expand(shared) if shared else _default_workspace(config, paths, environ)


def user_zone(config: Config) -> ZoneInfo:
    """``agents.defaults.userTimezone`` when it is a known zone, else the host's."""
    from openclaw_cli.state import clock

    name = _text(config.get("agents", "defaults", "userTimezone"))
    return (clock.find_zone(name) if name else None) or clock.host_zone()


def _default_workspace(config: Config, paths: Paths, environ: Mapping[str, str] | None) -> Path:
    env = config.environ if environ is None else environ
    named = env.get("OPENCLAW_WORKSPACE_DIR", "").strip()
    if named:
        return paths.expand(named)
    profile = env.get("OPENCLAW_PROFILE", "").strip()
    if profile and profile.lower() != "default":
        return paths.under(f"workspace-{profile}")
    return paths.under("workspace")


def _resolved(config: Config, text: str, where: str) -> str:
    """``text`` without references; a variable that is not set must not become a folder name."""
    if "${" not in text:
        return text
    from openclaw_cli.config import secrets

    return secrets.resolve(text, config, where=where)


def _entry_id(entry: Mapping[str, Any]) -> str:
    return normalize_agent_id(_text(entry.get("id")))


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
