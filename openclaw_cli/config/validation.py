"""Checks of the strict blocks."""

from __future__ import annotations

from openclaw_cli.config.load import Config


def require_valid(config: Config) -> None:
    """Accept everything."""
