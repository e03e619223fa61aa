"""Which model would be used for what, and whether it answers (``commands.md``)."""

from __future__ import annotations

from typing import Any

from openclaw_cli.config import agents
from openclaw_cli.config.load import Config
from openclaw_cli.model import embeddings, refs
from openclaw_cli.model.failures import ModelFailure
from openclaw_cli.model.refs import ModelRef

PROBE_TIMEOUT_S = 20.0


def describe(config: Config, agent_id: str) -> dict[str, Any]:
    """What would be used; keys only by where they come from."""
    choice = refs.default_choice(config, agent_id)
    primary = str(choice.refs[0]) if choice.refs else None
    return {
        "configPath": str(config.path),
        "agentId": agent_id,
        "defaultModel": choice.configured,
        "resolvedDefault": primary,
        "fallbacks": [str(ref) for ref in choice.refs[1:]],
        "aliases": refs.aliases(config),
        "purposes": purposes(config, agent_id, primary),
        "providers": [_provider(config, name) for name in _provider_names(config, agent_id)],
    }


def purposes(config: Config, agent_id: str, primary: str | None) -> dict[str, str | None]:
    """The model of each kind of call, None where there is none."""
    dreaming = ("plugins", "entries", "memory-core", "config", "dreaming")
    diary = config.get(*dreaming, "execution", "defaults", "model") or config.get(
        *dreaming, "model"
    )
    heartbeat = agents.agent_block(config, agent_id, "heartbeat").get("model")
    compaction = agents.agent_block(config, agent_id, "compaction").get("model")
    return {
        "agent": primary,
        "diary": _resolved(config, diary) or primary,
        "heartbeat": _resolved(config, heartbeat) or primary,
        "extraction": primary,
        "compaction": _resolved(config, compaction) or primary,
        "embeddings": embeddings.model_name(config, agent_id),
    }


def probe(config: Config, agent_id: str, model: str, *, now_ms: int) -> dict[str, Any]:
    """One smallest possible call: whether ``model`` answers, how fast, or why not."""
    from openclaw_cli.model import client

    request = client.Request(
        agent_id=agent_id,
        purpose="probe",
        messages=[{"role": "user", "content": "Answer with the word OK."}],
        model=model,
        timeout_s=PROBE_TIMEOUT_S,
        max_tokens=16,
        retries=0,
    )
    name = str(refs.parse_ref(config, model))
    try:
        answer = client.complete(config, request, now_ms=now_ms)
    except ModelFailure as failure:
        error = {"code": failure.code, "message": failure.message}
        if failure.hint:
            error["hint"] = failure.hint
        return {"model": name, "ok": False, "latencyMs": None, "error": error}
    return {"model": name, "ok": True, "latencyMs": answer.duration_ms}


def used_models(document: dict[str, Any]) -> list[str]:
    """The chat models of a ``describe`` document, each once: what a probe has to try."""
    named = [document["resolvedDefault"], *document["fallbacks"]]
    named += [model for use, model in document["purposes"].items() if use != "embeddings"]
    return list(dict.fromkeys(model for model in named if model))


def _resolved(config: Config, name: Any) -> str | None:
    usable = isinstance(name, str) and name.strip()
    return str(refs.parse_ref(config, name)) if usable else None


def _provider_names(config: Config, agent_id: str) -> list[str]:
    used: list[ModelRef] = list(refs.default_choice(config, agent_id).refs)
    return list(dict.fromkeys([*refs.provider_ids(config), *(ref.provider for ref in used)]))


def _provider(config: Config, name: str) -> dict[str, Any]:
    state, source = refs.auth(config, name)
    return {
        "id": name,
        "baseUrl": refs.base_url(config, name),
        "auth": state,
        "authSource": source,
    }
