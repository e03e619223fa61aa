"""Model names and providers: ``provider/model``, aliases, fallbacks, endpoints.

The default model of an agent is ``agents.list[].model``, else ``agents.defaults.model``, a
string or ``{primary, fallbacks}``. A provider is ``models.providers.<id>``, over the
built-in addresses below (``design.md`` 3, "Model calls").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openclaw_cli.config import agents, secrets
from openclaw_cli.config.load import Config, dig
from openclaw_cli.config.secrets import Unresolved
from openclaw_cli.errors import OpenClawError
from openclaw_cli.model.failures import NoModel, Refused
from openclaw_cli.state.tuples import NamedTuple

DEFAULT_CONTEXT_TOKENS = 200_000
DEFAULT_PROVIDER = "openai"


class Builtin(NamedTuple):
    """A provider that needs no address in the configuration; no ``variables``: no key."""

    base_url: str
    variables: tuple[str, ...] = ()


BUILTIN: dict[str, Builtin] = {
    "openai": Builtin("https://api.openai.com/v1", ("OPENAI_API_KEY",)),
    "anthropic": Builtin("https://api.anthropic.com/v1", ("ANTHROPIC_API_KEY",)),
    "openrouter": Builtin("https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",)),
    "google": Builtin(
        "https://generativelanguage.googleapis.com/v1beta/openai",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    ),
    "groq": Builtin("https://api.groq.com/openai/v1", ("GROQ_API_KEY",)),
    "mistral": Builtin("https://api.mistral.ai/v1", ("MISTRAL_API_KEY",)),
    "deepseek": Builtin("https://api.deepseek.com/v1", ("DEEPSEEK_API_KEY",)),
    "xai": Builtin("https://api.x.ai/v1", ("XAI_API_KEY",)),
    "together": Builtin("https://api.together.xyz/v1", ("TOGETHER_API_KEY",)),
    "cerebras": Builtin("https://api.cerebras.ai/v1", ("CEREBRAS_API_KEY",)),
    "moonshot": Builtin("https://api.moonshot.ai/v1", ("MOONSHOT_API_KEY",)),
    "ollama": Builtin("http://127.0.0.1:11434/v1"),
    "lmstudio": Builtin("http://127.0.0.1:1234/v1"),
    "vllm": Builtin("http://127.0.0.1:8000/v1"),
}


class ModelRef(NamedTuple):
    """A provider and one of its models."""

    provider: str
    model: str

    def __str__(self) -> str:
        return f"{self.provider}/{self.model}"


class Choice(NamedTuple):
    """The models to try for a call, best first; ``configured`` is what the setting says."""

    configured: str | None
    refs: tuple[ModelRef, ...]


class Auth(NamedTuple):
    """Whether a provider has its key, and where from; never the key."""

    state: str  # present, missing, unresolved
    source: str | None


class Endpoint(NamedTuple):
    """Where a provider answers, and with what key; not for printing."""

    provider: str
    base_url: str
    api_key: str | None
    headers: dict[str, str]


def parse_ref(config: Config, text: str) -> ModelRef:
    """A model name, alias or bare model id as a reference."""
    name = text.strip()
    name = aliases(config).get(name.lower(), name)
    provider, slash, model = name.partition("/")
    if slash and provider.strip() and model.strip():
        return ModelRef(provider.strip().lower(), model.strip())
    bare = name.strip("/ ")
    for owner, listed in listed_models(config):
        if listed == bare:
            return ModelRef(owner, bare)
    return ModelRef(DEFAULT_PROVIDER, bare)


def aliases(config: Config) -> dict[str, str]:
    """Short names (lower case) and the ``provider/model`` each stands for."""
    found: dict[str, str] = {}
    for name, entry in (config.get("agents", "defaults", "models", default={}) or {}).items():
        alias = entry.get("alias") if isinstance(entry, dict) else None
        if isinstance(alias, str) and alias.strip():
            found[alias.strip().lower()] = name
    return found


def listed_models(config: Config) -> list[tuple[str, str]]:
    """Every (provider, model) that the configuration names, each once, in its order."""
    found = []
    for provider, settings in _providers(config).items():
        for entry in settings.get("models") or []:
            model = entry.get("id") if isinstance(entry, dict) else entry
            if isinstance(model, str) and model:
                found.append((provider, model))
    for name in config.get("agents", "defaults", "models", default={}) or {}:
        provider, slash, model = name.partition("/")
        if slash and model:
            found.append((provider.lower(), model))
    return list(dict.fromkeys(found))


def default_choice(config: Config, agent_id: str) -> Choice:
    """What an agent uses when nothing else is asked for; no refs when none is configured."""
    shared = _model_setting(config.get("agents", "defaults", "model"))
    own = _model_setting(agents.agent_entry(config, agent_id).get("model"))
    primary = own[0] or shared[0]
    if primary is None:
        return Choice(None, ())
    fallbacks = own[1] if own[1] is not None else shared[1] or []
    refs = dict.fromkeys(parse_ref(config, name) for name in [primary, *fallbacks])
    return Choice(primary, tuple(refs))


def choose(config: Config, agent_id: str, asked: str | None) -> Choice:
    """The models for a call: the one asked for alone, else the agent's with fallbacks."""
    if asked and asked.strip():
        return Choice(asked.strip(), (parse_ref(config, asked),))
    choice = default_choice(config, agent_id)
    if not choice.refs:
        raise NoModel(
            "no model is configured",
            hint="openclaw config set agents.defaults.model PROVIDER/MODEL, e.g. ollama/llama3.2",
        )
    return choice


def context_tokens(config: Config, ref: ModelRef | None) -> int:
    """The window of a model: its entry's, cut to ``agents.defaults.contextTokens``."""
    window = DEFAULT_CONTEXT_TOKENS
    if ref is not None:
        for entry in _providers(config).get(ref.provider, {}).get("models") or []:
            if isinstance(entry, dict) and entry.get("id") == ref.model:
                window = _positive(entry.get("contextTokens") or entry.get("contextWindow"), window)
    limit = _positive(config.get("agents", "defaults", "contextTokens"), 0)
    return min(window, limit) if limit else window


def provider_ids(config: Config) -> list[str]:
    """The configured providers in their order."""
    return list(_providers(config))


def base_url(config: Config, provider: str) -> str | None:
    """A provider's address without resolving anything secret; None when it has none."""
    configured = _providers(config).get(provider, {}).get("baseUrl")
    if isinstance(configured, str) and configured.strip():
        return configured.strip()
    builtin = BUILTIN.get(provider)
    return builtin.base_url if builtin else None


def auth(config: Config, provider: str) -> Auth:
    """Where a provider's key comes from and whether it is there."""
    configured = _providers(config).get(provider, {}).get("apiKey")
    if configured:
        source = secrets.describe_source(configured)
        try:
            secrets.resolve(configured, config, where=f"models.providers.{provider}.apiKey")
        except OpenClawError:
            return Auth("unresolved", source)
        return Auth("present", source)
    variable = _key_variable(config, provider)
    if variable is not None:
        return Auth("present", f"env:{variable}")
    builtin = BUILTIN.get(provider)
    if builtin is None or not builtin.variables:
        return Auth("present", "none needed")
    return Auth("missing", f"env:{builtin.variables[0]}")


def _is_address(text: str) -> bool:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(text)
        is_web = parts.scheme in ("http", "https") and bool(parts.hostname)
        return is_web and parts.port != 0 and text.isprintable()
    except ValueError:  # brackets or a port that are none
        return False


def endpoint(
    config: Config,
    provider: str,
    overrides: Mapping[str, Any] | None = None,
    *,
    where: str | None = None,
) -> Endpoint:
    """Address and key of a provider; ``NoModel`` or ``Refused`` when one is missing.

    ``overrides`` are ``baseUrl``, ``apiKey`` and ``headers`` of the setting ``where``, over
    those of ``models.providers``.
    """
    own = dict(overrides or {})
    place = where or f"models.providers.{provider}"
    settings = {**_providers(config).get(provider, {}), **{k: v for k, v in own.items() if v}}
    address = settings.get("baseUrl") or base_url(config, provider)
    if not address:
        raise NoModel(
            f"provider {provider!r} has no address", hint=f"openclaw config set {place}.baseUrl URL"
        )
    try:
        headers = {
            str(name): secrets.resolve(value, config, where=f"{place}.headers.{name}")
            for name, value in (settings.get("headers") or {}).items()
        }
        address = secrets.resolve(address, config, where=f"{place}.baseUrl").strip()
        api_key = _resolved_key(config, provider, settings.get("apiKey"), place)
    except Unresolved as error:
        raise Refused(error.message, hint=error.hint) from None
    if not _is_address(address):
        raise NoModel(
            f"the address of provider {provider!r} is no http(s) URL",
            hint=f"openclaw config set {place}.baseUrl URL",
        )
    builtin = BUILTIN.get(provider)
    if api_key is None and builtin and builtin.variables and address == builtin.base_url:
        raise Refused(
            f"provider {provider!r} has no key",
            hint=f"set {builtin.variables[0]}, or {place}.apiKey",
        )
    return Endpoint(provider, address, api_key, headers)


def _resolved_key(config: Config, provider: str, configured: Any, place: str) -> str | None:
    if configured:
        return secrets.resolve(configured, config, where=f"{place}.apiKey")
    variable = _key_variable(config, provider)
    return None if variable is None else secrets.lookup(config, variable)


def _key_variable(config: Config, provider: str) -> str | None:
    builtin = BUILTIN.get(provider)
    own_name = provider.upper().replace("-", "_") + "_API_KEY"
    names = builtin.variables if builtin and builtin.variables else (own_name,)
    return next((name for name in names if secrets.lookup(config, name)), None)


def _providers(config: Config) -> dict[str, dict[str, Any]]:
    # As they stand in the file: references are resolved where they are used, not to be shown.
    block = dig(config.data, ("models", "providers"))
    if not isinstance(block, dict):
        return {}
    return {
        str(name).strip().lower(): settings
        for name, settings in block.items()
        if isinstance(settings, dict)
    }


def _model_setting(value: Any) -> tuple[str | None, list[str] | None]:
    """Primary and fallbacks of a ``model`` setting in either form."""
    if isinstance(value, str):
        return value.strip() or None, None
    if not isinstance(value, dict):
        return None, None
    primary, fallbacks = value.get("primary"), value.get("fallbacks")
    names = (
        [name for name in fallbacks if isinstance(name, str) and name.strip()]
        if isinstance(fallbacks, list)
        else None
    )
    return (primary.strip() or None if isinstance(primary, str) else None), names


def _positive(value: Any, default: int) -> int:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if is_number and value >= 1 else default
