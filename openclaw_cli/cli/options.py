"""Shared options and the command classes that carry them.

Every command has ``-h/--help``, ``--json``, ``-v`` and ``--no-color``. An option given
before a subcommand counts as if given after it; the inner one wins (``commands.md``).
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from openclaw_cli.cli.app import App
from openclaw_cli.cli.index import GATEWAY_ONLY, INSTEAD, Entry

F = TypeVar("F", bound=Callable[..., Any])

LONGEST_NUMBER = 15  # digits: as much as a JavaScript number holds exactly
SHOWN = 40  # characters of a wrong value
CONTEXT_SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"]}


class InheritedOption(click.Option):
    """An option whose value may also stand before the subcommand, on the group."""

    def consume_value(
        self, ctx: click.Context, opts: Mapping[str, Any]
    ) -> tuple[Any, ParameterSource]:
        value, source = super().consume_value(ctx, opts)
        if source not in (ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP) or not self.name:
            return value, source
        parent = ctx.parent
        while parent is not None:
            given = parent.get_parameter_source(self.name)
            if given is not None and given is not ParameterSource.DEFAULT:
                return parent.params[self.name], given
            parent = parent.parent
        return value, source


def option(*names: str, **settings: Any) -> Callable[[F], F]:
    """``click.option`` whose value is inherited from the groups around the command."""
    return click.option(*names, cls=InheritedOption, **settings)


class Command(click.Command):
    """A command with the options that hold everywhere."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        settings.setdefault("context_settings", CONTEXT_SETTINGS)
        super().__init__(*args, **settings)
        _add_common(self)


class Group(click.Group):
    """A group with the same options, and suggestions for a mistyped subcommand.

    ``index`` names subcommands whose modules are imported only when they run, with the
    one-line summaries that its help shows.
    """

    command_class = Command

    def __init__(
        self, *args: Any, index: Mapping[str, Entry] | None = None, **settings: Any
    ) -> None:
        settings.setdefault("context_settings", CONTEXT_SETTINGS)
        super().__init__(*args, **settings)
        self.index: Mapping[str, Entry] = index or {}
        _add_common(self)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [
            *self.index,
            *(name for name in super().list_commands(ctx) if name not in self.index),
        ]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = self.index.get(cmd_name)
        if entry is None:
            return super().get_command(ctx, cmd_name)
        module = importlib.import_module(f"openclaw_cli.cli.commands.{entry.module}")
        found: click.Command = getattr(module, entry.attribute)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        command = self.get_command(ctx, name)
        if command is None and not ctx.resilient_parsing:
            ctx.fail(self.unknown_command(ctx, name))
        return name if command else None, command, args[1:]

    def unknown_command(self, ctx: click.Context, name: str) -> str:
        """The sentence for a subcommand that does not exist, with near ones."""
        full = f"{ctx.command_path} {name}".partition(" ")[2]
        if full in GATEWAY_ONLY:
            return (
                f"'openclaw {full}' belongs to the gateway program; this suite works on the "
                "state tree and has no such command."
            )
        if full in INSTEAD:
            return f"There is no 'openclaw {full}' here: {INSTEAD[full]}."
        if name.startswith("-"):
            return f"No such option: {name}"
        from difflib import get_close_matches

        near = get_close_matches(name, self.list_commands(ctx), n=3, cutoff=0.6)
        tail = f" Did you mean {' or '.join(repr(n) for n in near)}?" if near else ""
        return f"No such command {name!r}.{tail}"

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = []
        for name in self.list_commands(ctx):
            entry = self.index.get(name)
            if entry is not None:
                rows.append((name, entry.summary))
                continue
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                rows.append((name, command.get_short_help_str(limit=100)))
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


Group.group_class = Group


def command(name: str | None = None, **settings: Any) -> Callable[[Callable[..., Any]], Command]:
    """Make a top-level ``Command``."""
    return click.command(name, cls=Command, **settings)


def group(name: str | None = None, **settings: Any) -> Callable[[Callable[..., Any]], Group]:
    """Make a ``Group``; ``index={...}`` lists subcommands that are imported on use."""
    return click.group(name, cls=Group, **settings)


def _remember_verbosity(ctx: click.Context, _param: click.Parameter, value: int) -> int:
    app = ctx.find_object(App)
    if app is not None and value > app.verbosity:
        app.verbosity = value
        import logging

        logging.basicConfig(
            format="%(levelname)s %(name)s: %(message)s",
            level=logging.INFO if value == 1 else logging.DEBUG,
        )
    return value


def _remember_no_color(ctx: click.Context, _param: click.Parameter, value: bool) -> bool:
    app = ctx.find_object(App)
    if app is not None and value:
        app.no_color = True
    return value


def _add_common(target: click.Command) -> None:
    """Add ``--json``, ``-v`` and ``--no-color`` unless the command defines its own."""
    taken = {name for param in target.params for name in param.opts}
    if "--json" not in taken and target.callback is not None:
        target.params.append(
            InheritedOption(["--json", "as_json"], is_flag=True, help="Print one JSON document.")
        )
    if "-v" not in taken:
        names = ["-v"] if "--verbose" in taken else ["-v", "--verbose"]
        target.params.append(
            click.Option(
                [*names, "verbosity"],
                count=True,
                expose_value=False,
                callback=_remember_verbosity,
                help="Say more on stderr (-vv: everything).",
            )
        )
    target.params.append(
        click.Option(
            ["--no-color"],
            is_flag=True,
            expose_value=False,
            callback=_remember_no_color,
            help="Print no colours (NO_COLOR does the same).",
        )
    )


def completed(what: str) -> Callable[[click.Context, click.Parameter, str], Any]:
    """A ``shell_complete`` callback of ``cli.completing``, imported when TAB is pressed."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> Any:
        from openclaw_cli.cli import completing

        return getattr(completing, what)(ctx, param, incomplete)

    return complete


def agent_option(function: F) -> F:
    """``--agent ID``."""
    return option(
        "--agent",
        metavar="ID",
        shell_complete=completed("agent_ids"),
        help="Work for this agent only.",
    )(function)


def all_agents_option(function: F) -> F:
    """``--all-agents``."""
    return option("--all-agents", is_flag=True, help="Work for every configured agent.")(function)


def store_option(function: F) -> F:
    """``--store PATH``."""
    return option("--store", metavar="PATH", help="Use this session store file.")(function)


def dry_run_options(function: F) -> F:
    """``--dry-run`` and ``--exit-code``."""
    function = option(
        "--exit-code", is_flag=True, help="With --dry-run: exit 3 when there is something to do."
    )(function)
    return option(
        "--dry-run", is_flag=True, help="Show what would change, and why; change nothing."
    )(function)


def limit_option(**settings: Any) -> Callable[[F], F]:
    """``--limit N``, a positive number."""
    settings.setdefault("help", "Show at most N rows.")
    return option("--limit", metavar="N", type=WholeNumber(1), **settings)


class WholeNumber(click.ParamType[int]):
    """A whole number from ``least`` (0 or more) to ``most`` (None: as large as files hold)."""

    name = "number"

    def __init__(self, least: int, most: int | None = None) -> None:
        self.least = least
        self.most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value).strip()
        digits = text.removeprefix("+")
        whole = digits.isascii() and digits.isdigit() and len(digits) <= LONGEST_NUMBER
        number = int(digits) if whole else -1
        if number < self.least or (self.most is not None and number > self.most):
            span = (
                f"of at least {self.least}"
                if self.most is None
                else f"from {self.least} to {self.most}"
            )
            self.fail(f"{text[:SHOWN]!r} is not a whole number {span}", param, ctx)
        return number


class SinceType(click.ParamType[int]):
    """A duration back from now (``90m``, ``24h``, ``7d``) or an ISO time, as epoch ms."""

    name = "duration or time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        from openclaw_cli.state import clock

        text = str(value).strip().lower()
        match = re.fullmatch(r"(\d+(?:\.\d+)?)(m|h|d|w)", text)
        if match:
            unit = {"m": clock.MINUTE_MS, "h": clock.HOUR_MS, "d": clock.DAY_MS}.get(
                match[2], 7 * clock.DAY_MS
            )
            return clock.now_ms() - int(float(match[1]) * unit)
        at = clock.parse_iso(str(value))
        if at is None:
            self.fail(f"{value!r} is neither a duration like 24h nor an ISO time", param, ctx)
        return at


def since_option(**settings: Any) -> Callable[[F], F]:
    """``--since DURATION|TIME``, given to the command in epoch ms."""
    settings.setdefault("help", "Only since then: a duration back from now (24h) or an ISO time.")
    return option("--since", "since_ms", metavar="D", type=SinceType(), **settings)


def require_words(words: Sequence[str], what: str) -> None:
    """Raise a usage error when a command got none of the words that it needs."""
    if not any(word.strip() for word in words):
        raise click.UsageError(f"Name at least one {what}.")
