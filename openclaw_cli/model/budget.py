"""What model calls cost: ``logs/usage.jsonl`` and the allowance of a day.

``cli.budget.maxTokensPerDay`` stops background calls for the rest of the user's day; calls
that answer a person are counted and never stopped (``design.md`` 3, ``commands.md``).
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from openclaw_cli.config.agents import user_zone
from openclaw_cli.config.load import Config
from openclaw_cli.errors import OpenClawError
from openclaw_cli.model.failures import BudgetSpent, ModelFailure
from openclaw_cli.state import clock, jsonl, lock
from openclaw_cli.state.paths import Paths
from openclaw_cli.state.tuples import NamedTuple

ROTATE_BYTES = 5 * 1024 * 1024
BACKGROUND = frozenset(("diary", "heartbeat", "extraction", "cron"))


class Usage(NamedTuple):
    """Tokens of one call; ``input_tokens`` includes ``cache_read``."""

    input_tokens: int
    output_tokens: int
    cache_read: int = 0
    estimated: bool = False


NOTHING = Usage(0, 0)


@dataclass
class Entry:
    """A call in the books, which becomes one line of the log however it ends.

    ``model`` is ``provider/model``; ``usage`` is set when the provider has told it.
    """

    config: Config
    model: str
    purpose: str
    agent_id: str
    now_ms: int
    session_key: str | None = None
    usage: Usage = NOTHING
    started: float = field(default_factory=time.monotonic)

    def duration_ms(self) -> int:
        """How long the call has taken until now."""
        return int((time.monotonic() - self.started) * 1000)

    @contextlib.contextmanager
    def accounted(self) -> Iterator[None]:
        """Hold around the call: the line is written on the way out."""
        outcome = "aborted"
        try:
            yield
            outcome = "ok"
        except ModelFailure as failure:
            outcome = failure.kind
            raise
        finally:
            self._write(outcome)

    def to_json(self, outcome: str) -> dict[str, Any]:
        """The line of the log."""
        line: dict[str, Any] = {
            "ts": clock.iso(self.now_ms),
            "purpose": self.purpose,
            "agentId": self.agent_id,
        }
        if self.session_key is not None:
            line["sessionKey"] = self.session_key
        return line | {
            "model": self.model,
            "inputTokens": self.usage.input_tokens,
            "outputTokens": self.usage.output_tokens,
            "cacheRead": self.usage.cache_read,
            "durationMs": self.duration_ms(),
            "outcome": outcome,
        }

    def _write(self, outcome: str) -> None:
        path = self.config.paths.log("usage")
        try:
            with lock.file_lock(path):
                jsonl.rotate(path, ROTATE_BYTES)
                jsonl.append(path, [self.to_json(outcome)])
        except OpenClawError as error:
            # An answer that is paid for must not be lost because its cost cannot be noted.
            import logging

            logging.getLogger(__name__).warning("usage is not recorded: %s", error.message)


def read(paths: Paths) -> Iterator[tuple[int, dict[str, Any]]]:
    """Instant (epoch ms) and line of every call, oldest first; unusable lines are left out."""
    path = paths.log("usage")
    for generation in (path.with_name(path.name + ".1"), path):
        for line in jsonl.read_objects(generation, what="usage log"):
            stamp = line.get("ts")
            at = clock.parse_iso(stamp) if isinstance(stamp, str) else stamp
            if isinstance(at, int | float) and not isinstance(at, bool) and isfinite(at):
                yield int(at), line


def tokens(line: dict[str, Any]) -> tuple[int, int]:
    """Input and output tokens of a line."""
    return _count(line.get("inputTokens")), _count(line.get("outputTokens"))


def limit(config: Config) -> int | None:
    """``cli.budget.maxTokensPerDay``, None when there is none."""
    value = config.cli("budget", "maxTokensPerDay")
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def used_today(config: Config, now_ms: int) -> int:
    """Tokens, input and output, of all calls on the user's day of ``now_ms``."""
    zone = user_zone(config)
    today = clock.day_in(now_ms, zone)
    # A day has at most 25 hours, which spares most lines the work of a time zone.
    earliest = now_ms - clock.DAY_MS - clock.HOUR_MS
    return sum(
        sum(tokens(line))
        for at, line in read(config.paths)
        if at >= earliest and clock.day_in(at, zone) == today
    )


def blocks(config: Config, purpose: str, now_ms: int) -> bool:
    """Whether the day's allowance stops a call for ``purpose``."""
    allowed = limit(config)
    if allowed is None or purpose not in BACKGROUND:
        return False
    return used_today(config, now_ms) >= allowed


def require(config: Config, purpose: str, now_ms: int) -> None:
    """Raise ``BudgetSpent`` when the day's allowance stops a call for ``purpose``."""
    if blocks(config, purpose, now_ms):
        raise BudgetSpent(
            f"the day's {limit(config)} tokens are spent; background calls wait until tomorrow",
            hint="cli.budget.maxTokensPerDay sets them, openclaw usage shows where they went",
        )


def _count(value: Any) -> int:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return max(0, int(value)) if is_number and isfinite(value) else 0
