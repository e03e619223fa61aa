"""``openclaw sessions``: the list, and the index of what else there is (``sessions.md`` 11)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import click
from click.core import ParameterSource

from openclaw_cli.cli.app import App
from openclaw_cli.cli.index import Entry
from openclaw_cli.cli.options import (
    InheritedOption,
    agent_option,
    all_agents_option,
    command,
    group,
    option,
    store_option,
)

INDEX = {
    "list": Entry("sessions", "List sessions, newest first.", "list_"),
    "show": Entry("sessions_show", "Show one session and whether it is still fresh."),
    "who": Entry("sessions_who", "Tell who shares which session."),
    "cleanup": Entry("sessions_cleanup", "Apply the retention policy once."),
    "compact": Entry("sessions_compact", "Condense or cut a session's transcript."),
    "delete": Entry("sessions_delete", "Delete sessions, archiving their transcripts."),
    "reset": Entry("sessions_reset", "Begin sessions anew, archiving their transcripts."),
    "archives": Entry("sessions_archives", "List and search archived transcripts."),
    "restore": Entry("sessions_restore", "Bring an archived session back."),
    "rebuild": Entry("sessions_rebuild", "Re-create a lost store from its transcripts."),
    "copies": Entry("sessions_copies", "Tell where copies of a conversation are."),
}

KINDS = ("direct", "group", "cron", "spawn-child", "global", "unknown")
ACTIVE_HINT = "--active must be a positive number of minutes, for example --active 30."
LIMIT_HINT = '--limit must be a positive integer or "all", for example --limit 25.'

_WARN_PERCENT = ((95, "31"), (80, "33"), (60, "32"))
_MUTED = "2"


class ActiveType(click.ParamType[int]):
    """A positive whole number of minutes."""

    name = "minutes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value).strip()
        if not (text.isascii() and text.isdigit() and int(text) > 0):
            raise click.UsageError(ACTIVE_HINT, ctx)
        return int(text)


class LimitType(click.ParamType[int]):
    """A positive whole number, or ``all`` (0)."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value).strip().lower()
        if text in ("all", "0") and (text == "all" or isinstance(value, int)):
            return 0
        if not (text.isascii() and text.isdigit() and int(text) > 0):
            raise click.UsageError(LIMIT_HINT, ctx)
        return int(text)


class AmountType(click.ParamType[int]):
    """A duration in ms, or a size in bytes, by the parser of the settings."""

    def __init__(self, name: str) -> None:
        self.name = name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        from openclaw_cli.config import units

        try:
            if self.name == "size":
                return units.parse_size(value)
            return units.parse_duration_ms(value, None)
        except ValueError as error:
            self.fail(str(error), param, ctx)


def list_options(function: Any) -> Any:
    """The options that ``sessions`` and ``sessions list`` share."""
    for decorate in (
        option("--jsonl", "as_jsonl", is_flag=True, help="Print one JSON row a line."),
        option("--verbose", is_flag=True, help="Also show exact times, names and sizes."),
        option(
            "--limit",
            metavar="N|all",
            type=LimitType(),
            help="At most N rows (default: 100 in text, all in JSON).",
        ),
        option(
            "--active",
            metavar="MINUTES",
            type=ActiveType(),
            help="Only sessions updated within the last MINUTES.",
        ),
        option(
            "--larger-than",
            metavar="SIZE",
            type=AmountType("size"),
            help="Only sessions whose transcript holds more than SIZE (500kb, 10mb).",
        ),
        option(
            "--older-than",
            "older_than_ms",
            metavar="D",
            type=AmountType("duration"),
            help="Only sessions last updated longer than D ago (12h, 30d).",
        ),
        option("--label", metavar="TEXT", help="Only sessions with this label."),
        option(
            "--kind",
            type=click.Choice(KINDS),
            metavar="KIND",
            help=f"Only sessions of this kind: {', '.join(KINDS)}.",
        ),
        store_option,
        all_agents_option,
        agent_option,
    ):
        function = decorate(function)
    return function


@group("sessions", index=INDEX, invoke_without_command=True)
@list_options
@click.pass_context
def cli(ctx: click.Context, /, as_json: bool, **chosen: Any) -> None:
    """List, inspect, clean up and restore sessions.

    Without a subcommand: the list.

    \b
    Examples:
      openclaw sessions                            newest first
      openclaw sessions --active 120 --json        used within two hours
      openclaw sessions --kind cron --older-than 7d
      openclaw sessions --all-agents --limit 20
      openclaw sessions show agent:main:main       one row, and is it fresh
      openclaw sessions cleanup --dry-run          what retention would remove
      openclaw sessions restore agent:main:main    bring an archived one back
    """
    if ctx.invoked_subcommand is None:
        _list(ctx.obj, as_json=as_json, **chosen)
    else:
        _refuse_foreign_options(ctx, ctx.invoked_subcommand)


@command("list")
@list_options
@click.pass_obj
def list_(app: App, /, as_json: bool, **chosen: Any) -> None:
    """List sessions, newest first.

    JSON holds every row unless --limit is given; text the newest 100.

    \b
    Examples:
      openclaw sessions list --agent work
      openclaw sessions list --json | jq '.sessions[].key'
      openclaw sessions list --larger-than 5mb --older-than 30d --jsonl
      openclaw sessions list --store ~/backup/sessions.json
    """
    _list(app, as_json=as_json, **chosen)


def _refuse_foreign_options(ctx: click.Context, name: str) -> None:
    """An option of the list before a subcommand that has none of the kind is a mistake."""
    subcommand = cli.get_command(ctx, name)
    taken = {param.name for param in subcommand.params} if subcommand else set()
    for param in cli.params:
        given = ctx.get_parameter_source(param.name or "") is ParameterSource.COMMANDLINE
        if given and isinstance(param, InheritedOption) and param.name not in taken:
            raise click.UsageError(
                f"{param.opts[0]} belongs to 'sessions list', not to 'sessions {name}'.", ctx
            )


def _list(
    app: App,
    *,
    agent: str | None,
    all_agents: bool,
    store: str | None,
    active: int | None,
    limit: int | None,
    verbose: bool,
    as_json: bool,
    as_jsonl: bool,
    **conditions: Any,
) -> None:
    from openclaw_cli.sessions import discovery, listing, model_in_use, reading

    targets = discovery.targets(
        app.config, app.paths, agent=agent, all_agents=all_agents, store=store
    )
    default = None if as_json or as_jsonl else listing.TEXT_LIMIT
    selection = listing.Selection(
        all_agents=all_agents,
        active_minutes=active,
        limit=default if limit is None else limit or None,
        **conditions,
    )
    sized = verbose or selection.larger_than is not None
    sources = reading.load_all(targets)
    document = listing.build(
        sources,
        selection,
        models=model_in_use.ModelResolver(app.config),
        now_ms=app.now_ms(),
        size_of=reading.transcript_sizes(app.paths) if sized else None,
    )
    if as_jsonl:
        app.out.json_lines(document["sessions"])
    elif app.out.color and not as_json:
        lines = render(document, verbose, room=app.out.terminal_room, color=True)
        app.out.styled("".join(line + "\n" for line in lines))
    else:
        app.emit(
            document,
            as_json=as_json,
            render=lambda found: render(found, verbose, room=app.out.terminal_room),
        )
    _remark(app, document, sources, all_agents=all_agents)
    app.finish(failed=any(source.error for source in sources))


def _remark(
    app: App, document: dict[str, Any], sources: Sequence[Any], *, all_agents: bool
) -> None:
    """What a reader of the list should know besides, on stderr."""
    from openclaw_cli.sessions import discovery, reading

    note = reading.remote_note(app.config)
    if note:
        app.warn(note)
    for source in sources:
        if source.error:
            app.warn(source.error)
    invalid = document["invalidRows"]
    if invalid:
        one = invalid == 1
        told = "row that cannot be used is" if one else "rows that cannot be used are"
        stay = "it stays" if one else "they stay"
        app.warn(f"{invalid} {told} left out; {stay} in the store")
    if all_agents:
        for target in discovery.unconfigured_stores(app.config, app.paths):
            where = app.paths.display(target.store_path)
            app.warn(f"not listed, no agent of the config: {where} (read it with --store)")


def render(
    document: dict[str, Any],
    verbose: bool = False,
    *,
    room: int | None = None,
    color: bool = False,
) -> list[str]:
    """The list for people; on a terminal that is ``room`` cells wide it is cut to fit."""
    lines = [_where(document), _how_many(document)]
    if document["activeMinutes"] is not None:
        lines.append(f"Filtered to last {document['activeMinutes']} minute(s)")
    if "filters" in document:
        lines.append(f"Filtered to {_conditions(document['filters'])}")
    if not document["sessions"]:
        return [*lines, "No sessions found."]
    table = _table(document, verbose, room)
    return [*lines, *(_coloured(table, document["sessions"]) if color else table)]


def _where(document: dict[str, Any]) -> str:
    if document["path"] is not None:
        return f"Session store: {document['path']}"
    stores = document["stores"]
    return f"Session stores: {len(stores)} ({', '.join(store['agentId'] for store in stores)})"


def _how_many(document: dict[str, Any]) -> str:
    shown, total, limit = (document[k] for k in ("count", "totalCount", "limitApplied"))
    if not document["hasMore"]:
        return f"Sessions listed: {shown}"
    return f"Sessions listed: {shown} of {total} (limit {limit})"


def _conditions(filters: dict[str, Any]) -> str:
    from openclaw_cli.cli import status_parts
    from openclaw_cli.cli.output import cell
    from openclaw_cli.state.amounts import size_label

    told = []
    if "kind" in filters:
        told.append(f"kind {filters['kind']}")
    if "label" in filters:
        told.append(f'label "{cell(filters["label"])}"')
    if "olderThanMs" in filters:
        told.append(f"older than {status_parts.interval_label(filters['olderThanMs'])}")
    if "largerThanBytes" in filters:
        told.append(f"larger than {size_label(filters['largerThanBytes'])}")
    return ", ".join(told)


def _table(document: dict[str, Any], verbose: bool, room: int | None) -> list[str]:
    from openclaw_cli.cli.output import Column, table_within

    columns = [
        Column("Kind", 11),
        Column("Key", 26),
        Column("Age", 9),
        Column("Model", 14, narrow=8, rank=3),
        Column("Runtime", 18, rank=1),
        Column("Tokens (ctx %)", 20),
    ]
    if document.get("allAgents"):
        columns.insert(0, Column("Agent", 10, narrow=6, rank=5))
    if "transcriptBytes" in document["sessions"][0]:
        columns.append(Column("Size", 7, right=True))
    if verbose:
        columns += [Column("Updated", 24), Column("Name", 20, narrow=8, rank=4)]
    columns.append(Column("Flags", 1, narrow=12, rank=2))
    rows = [_cells(row, bool(document.get("allAgents")), verbose) for row in document["sessions"]]
    return table_within(columns, rows, room)


def _cells(row: dict[str, Any], with_agent: bool, verbose: bool) -> list[str]:
    from openclaw_cli.sessions import listing
    from openclaw_cli.state import clock
    from openclaw_cli.state.amounts import size_label

    total, window = row["totalTokens"], row["contextTokens"]
    cells = [
        row["kind"],
        listing.key_label(row["key"]),
        listing.age_label(row["ageMs"]),
        row["model"] or "-",
        listing.runtime_label(row),
        listing.tokens_label(total, window, fresh=row["totalTokensFresh"]),
    ]
    if with_agent:
        cells.insert(0, row["agentId"])
    if "transcriptBytes" in row:
        size = row["transcriptBytes"]
        cells.append("-" if size is None else size_label(size))
    if verbose:
        stamp = row["updatedAt"]
        name = row.get("label") or row.get("displayName") or "-"
        cells += [clock.iso(stamp) if stamp else "-", str(name)]
    return [*cells, listing.flags_label(row)]


def _coloured(lines: list[str], sessions: list[dict[str, Any]]) -> Iterable[str]:
    """The table with a bold heading, and the share of the window in the colour it earns."""
    from openclaw_cli.sessions import listing

    yield f"\x1b[1m{lines[0]}\x1b[0m"
    for line, row in zip(lines[1:], sessions, strict=True):
        total, window = row["totalTokens"], row["contextTokens"]
        label = listing.tokens_label(total, window, fresh=row["totalTokensFresh"])
        share = listing.percent_used(total, window) or 0
        code = next((code for least, code in _WARN_PERCENT if share >= least), _MUTED)
        yield line.replace(label, f"\x1b[{code}m{label}\x1b[0m", 1)
