"""How a recorded case becomes a run of ours: arguments, servers, placeholders.

Recordings made by driving functions directly name our command only loosely; general
rules, never single cases, translate them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from golden import diary_rules, history_rules, schedule_rules, search_rules

if TYPE_CHECKING:
    from golden.harness import Case


def map_argv(case: Case) -> list[str]:
    """The arguments of our program for ``case``."""
    argv = [str(word) for word in case.spec["argv"]]
    if schedule_rules.applies(case):
        return schedule_rules.argv()
    if diary_rules.applies(case):
        return diary_rules.argv()
    known = history_rules.argv(case)
    if known is not None:
        return known
    if argv[:2] == ["sessions", "cleanup"] and _default_is_enforce(case):
        return [*argv, "--enforce"]
    return argv


@contextmanager
def surroundings(case: Case) -> Iterator[dict[str, str]]:
    """What the run needs around it: placeholder texts (``{NAME}``) and environment."""
    if case.spec.get("needs") == "embeddings-zero":
        with search_rules.zero_embeddings() as address:
            yield {"MOCK_EMBED_URL": address}
        return
    if schedule_rules.applies(case):
        with schedule_rules.surroundings(case) as values:
            yield values
        return
    if diary_rules.applies(case):
        with diary_rules.surroundings(case) as values:
            yield values
        return
    if history_rules.applies(case):
        with history_rules.surroundings(case) as values:
            yield values
        return
    yield {}


def _default_is_enforce(case: Case) -> bool:
    """2026.7.1 enforces unless the config names a mode; ours warns by default."""
    config = case.folder / "home/.openclaw/openclaw.json"
    text = config.read_text() if config.exists() else ""
    return case.spec["reference"] == "2026.7.1" and '"mode"' not in text.partition("maintenance")[2]
