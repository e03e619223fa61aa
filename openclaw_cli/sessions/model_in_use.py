"""Which model a session runs on, and how large its window is.

One resolver for ``sessions``, ``status`` and ``/status`` (``sessions.md`` 11.2, 15.14). It
reads settings and rows only; whether a model can be reached is another question.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from openclaw_cli.sessions import entry

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config

DEFAULT_WINDOW = 200_000


class Model(NamedTuple):
    """A model by provider and name; None where nothing tells."""

    provider: str | None
    name: str | None

    def __str__(self) -> str:
        return "/".join(part for part in self if part)


class ModelResolver:
    """Answers for many rows; the settings are read once."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._defaults: dict[str, Model] = {}
        self._windows: dict[Model, int | float] = {}

    def default(self, agent_id: str) -> Model:
        """``agents.list[].model``, else ``agents.defaults.model``; aliases are resolved."""
        if agent_id not in self._defaults:
            from openclaw_cli.config import agents

            setting = agents.agent_setting(self._config, agent_id, "model")
            if isinstance(setting, dict):
                setting = setting.get("primary")
            self._defaults[agent_id] = self._named(setting if isinstance(setting, str) else "")
        return self._defaults[agent_id]

    def in_use(self, row: Mapping[str, Any], agent_id: str) -> Model:
        """The row's override, else its last run's model, else the default."""
        pinned = entry.text(row, "modelOverride")
        if pinned:
            provider = entry.text(row, "providerOverride")
            if provider:
                return Model(provider, pinned.removeprefix(f"{provider}/"))
            named = self._named(pinned)
            return Model(named.provider or self.default(agent_id).provider, named.name)
        ran = entry.text(row, "model")
        return Model(entry.text(row, "modelProvider"), ran) if ran else self.default(agent_id)

    def window(self, row: Mapping[str, Any], model: Model) -> int | float:
        """The context window in tokens: stored, else the model's, else 200 000."""
        stored = entry.number(row.get("contextTokens"))
        return self.window_of(model) if stored is None or stored < 0 else stored

    def window_of(self, model: Model) -> int | float:
        """The window that the settings give a model."""
        if model not in self._windows:
            self._windows[model] = self._configured_window(model) or DEFAULT_WINDOW
        return self._windows[model]

    def _configured_window(self, model: Model) -> int | float | None:
        if model.provider:
            listed = self._config.get("models", "providers", model.provider, "models")
            for known in listed if isinstance(listed, list) else []:
                if isinstance(known, dict) and known.get("id") == model.name:
                    found = entry.number(known.get("contextWindow"))
                    if found:
                        return found
        return entry.number(self._config.get("agents", "defaults", "contextTokens"))

    def _named(self, text: str) -> Model:
        """``provider/model`` or an alias of ``agents.defaults.models``, as a model."""
        name = text.strip()
        models = self._config.get("agents", "defaults", "models")
        for reference, settings in (models if isinstance(models, dict) else {}).items():
            alias = settings.get("alias") if isinstance(settings, dict) else None
            if isinstance(alias, str) and name and alias.strip().lower() == name.lower():
                name = reference
                break
        provider, slash, model = name.partition("/")
        return Model(provider, model) if slash else Model(None, name or None)
