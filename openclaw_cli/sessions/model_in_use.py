"""Which model a session runs on, and how large its window is.

One resolver for ``sessions``, ``status`` and ``/status`` (``sessions.md`` 11.2, 15.14). It
reads settings and rows only; whether a model can be reached is another question.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from openclaw_cli.sessions import entry
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config


class Model(NamedTuple):
    """A model by provider and name; None where nothing tells."""

    provider: str | None
    name: str | None

    def __str__(self) -> str:
        return "/".join(part for part in self if part)


class ModelResolver:
    """Answers for many rows; each setting is looked up once."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._defaults: dict[str, Model] = {}
        self._pinned: dict[str, Model] = {}
        self._windows: dict[Model, int] = {}

    def default(self, agent_id: str) -> Model:
        """The agent's default model; no name where none is configured."""
        if agent_id not in self._defaults:
            from openclaw_cli.model import refs

            choice = refs.default_choice(self._config, agent_id)
            self._defaults[agent_id] = Model(*choice.refs[0]) if choice.refs else Model(None, None)
        return self._defaults[agent_id]

    def in_use(self, row: Mapping[str, Any], agent_id: str) -> Model:
        """The row's override, else its last run's model, else the default."""
        pinned = entry.text(row, "modelOverride") if "modelOverride" in row else None
        if pinned:
            provider = entry.text(row, "providerOverride")
            if provider:
                return Model(provider, pinned.removeprefix(f"{provider}/"))
            return self._parsed(pinned)
        ran = entry.text(row, "model")
        return Model(entry.text(row, "modelProvider"), ran) if ran else self.default(agent_id)

    def window(self, row: Mapping[str, Any], model: Model) -> int | float:
        """The context window in tokens: stored, else the model's, else 200 000."""
        stored = entry.number(row.get("contextTokens"))
        return self.window_of(model) if stored is None or stored < 0 else stored

    def window_of(self, model: Model) -> int:
        """The window that the settings give a model."""
        if model not in self._windows:
            from openclaw_cli.model import refs

            known = refs.ModelRef(model.provider or "", model.name) if model.name else None
            self._windows[model] = refs.context_tokens(self._config, known)
        return self._windows[model]

    def _parsed(self, text: str) -> Model:
        if text not in self._pinned:
            from openclaw_cli.model import refs

            self._pinned[text] = Model(*refs.parse_ref(self._config, text))
        return self._pinned[text]
