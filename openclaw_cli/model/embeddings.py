"""Which model makes the vectors of the memory search (``memory.md`` 2.1, 2.2).

``memorySearch.provider`` names it: ``none`` for keywords only, ``auto`` (the default) for
the default provider when its key is there. ``memorySearch.remote`` overrides the address,
key and headers of ``models.providers.<id>``.
"""

from __future__ import annotations

from typing import Any

from openclaw_cli.config import agents
from openclaw_cli.config.load import Config
from openclaw_cli.model import refs
from openclaw_cli.model.refs import Endpoint

DEFAULT_MODEL = "text-embedding-3-small"
AUTO = "auto"
KEYWORDS_ONLY = "none"


def requested_provider(config: Config, agent_id: str) -> str:
    """What ``memorySearch.provider`` says, ``auto`` when it says nothing."""
    named = _settings(config, agent_id).get("provider")
    return named.strip().lower() if isinstance(named, str) and named.strip() else AUTO


def model_name(config: Config, agent_id: str) -> str | None:
    """``provider/model``, None when the search works by keywords only."""
    settings = _settings(config, agent_id)
    provider = requested_provider(config, agent_id)
    if provider == KEYWORDS_ONLY or settings.get("enabled") is False:
        return None
    if provider == AUTO and not _has_key(config, settings):
        return None
    return f"{_real(provider)}/{settings.get('model') or DEFAULT_MODEL}"


def resolve(config: Config, agent_id: str) -> tuple[Endpoint, str] | None:
    """Endpoint and model; None for keywords only, by wish or because ``auto`` has no key.

    Raises ``Refused`` or ``NoModel`` when a provider is named and cannot be used.
    """
    name = model_name(config, agent_id)
    if name is None:
        return None
    provider, _, model = name.partition("/")
    remote = _settings(config, agent_id).get("remote")
    overrides = remote if isinstance(remote, dict) else {}
    place = "agents.defaults.memorySearch.remote"
    return refs.endpoint(config, provider, overrides, where=place), model


def _settings(config: Config, agent_id: str) -> dict[str, Any]:
    return agents.agent_block(config, agent_id, "memorySearch", deep=True)


def _has_key(config: Config, settings: dict[str, Any]) -> bool:
    remote = settings.get("remote")
    own = isinstance(remote, dict) and (remote.get("apiKey") or remote.get("baseUrl"))
    return bool(own) or refs.auth(config, refs.DEFAULT_PROVIDER).state == "present"


def _real(provider: str) -> str:
    return refs.DEFAULT_PROVIDER if provider in (AUTO, "openai-compatible") else provider
