"""``openclaw cron add`` and the options that it shares with ``edit``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.gateway_flags import gateway_flags
from openclaw_cli.cli.options import WholeNumber, command, completed, dry_run_options
from openclaw_cli.cli.task_access import moment_of, settings_of, warn_if_off

if TYPE_CHECKING:
    from openclaw_cli.schedule.edit import Wish

F = TypeVar("F", bound=Callable[..., Any])


def _stacked(*options: Callable[[F], F]) -> Callable[[F], F]:
    def apply(function: F) -> F:
        for one in reversed(options):
            function = one(function)
        return function

    return apply


schedule_options: Callable[[F], F] = _stacked(
    click.option("--at", metavar="TIME", help="Once: an ISO time or a duration (20m, 1.5h)."),
    click.option("--every", metavar="D", help="Again and again: 30m, 2h, 1d."),
    click.option("--cron", metavar="EXPR", help="By a cron expression, e.g. '0 9 * * 1-5'."),
    click.option("--tz", metavar="ZONE", help="Zone of --cron, or of --at without an offset."),
    click.option("--stagger", metavar="D", help="Spread the starts over this time."),
    click.option("--exact", is_flag=True, help="Start exactly at the match."),
)
payload_options: Callable[[F], F] = _stacked(
    click.option("--system-event", metavar="TEXT", help="Remind the main session of this."),
    click.option("--message", metavar="TEXT", help="Ask an agent this, in a session of its own."),
    click.option("--session", metavar="S", help="main, isolated, current or session:<id>."),
    click.option(
        "--session-key", metavar="KEY", shell_complete=completed("session_keys"),
        help="The session that it belongs to."
    ),
    click.option(
        "--agent", metavar="ID", shell_complete=completed("agent_ids"),
        help="The agent (default: the default agent)."
    ),
    click.option(
        "--wake", type=click.Choice(["now", "next-heartbeat"]), help="When an event is read."
    ),
    click.option("--model", metavar="REF", help="Model of the agent's turn."),
    click.option("--thinking", metavar="LEVEL", help="Thinking level of the turn."),
    click.option("--timeout-seconds", type=WholeNumber(0), metavar="N",
                 help="Longest time of the turn (0: no limit)."),
    click.option("--light-context/--no-light-context", default=None,
                 help="Load only what the turn cannot do without."),
    click.option("--tools", metavar="LIST", help="Only these tools, separated by commas."),
)  # fmt: skip
delivery_options: Callable[[F], F] = _stacked(
    click.option("--announce", is_flag=True, help="Hand the answer over."),
    click.option("--no-deliver", is_flag=True, help="Keep the answer."),
    click.option("--webhook", metavar="URL", help="Post the run to this address."),
    click.option(
        "--channel", metavar="CHANNEL", shell_complete=completed("channel_names"),
        help="Channel (default: last)."
    ),
    click.option("--to", metavar="TO", help="Recipient on that channel."),
    click.option("--thread-id", type=WholeNumber(1), metavar="N", help="Thread."),
    click.option("--account", metavar="ID", help="Account of the channel."),
    click.option("--best-effort-deliver/--no-best-effort-deliver", "best_effort", default=None,
                 help="A failed delivery is no failure of the task."),
    click.option("--delete-after-run/--keep-after-run", "delete_after_run", default=None,
                 help="Whether a one-shot goes once it ran (default: it goes)."),
)  # fmt: skip


def _add_options(function: F) -> F:
    options: Sequence[Callable[[Any], Any]] = (
        click.argument("schedule", required=False, metavar="[SCHEDULE|NAME]"),
        click.argument("text", required=False, metavar="[MESSAGE]"),
        click.option("--name", help="The name (needed unless given as NAME)."),
        click.option("--description", help="A description."),
        click.option("--disabled", is_flag=True, help="Add it without running it."),
        schedule_options,
        payload_options,
        delivery_options,
        dry_run_options,
        gateway_flags,
    )
    for one in reversed(options):
        function = one(function)
    return function


@command("add")
@_add_options
@click.pass_obj
def add(app: App, /, **given: Any) -> None:
    """Add a task and print it.

    SCHEDULE is 'every 2h', a cron expression of 5 or 6 words, or a time as for --at; with
    --at, --every or --cron the first word is the NAME instead. Exactly one of
    --system-event (a reminder in the main session) and --message (an agent's turn, whose
    answer is handed over) says what to do.

    \b
    Examples:
      openclaw cron add --name bread --at 20m --system-event "Take the bread out"
      openclaw cron add "0 9 * * 1-5" "Sum up my inbox" --name inbox --tz Europe/Warsaw
      openclaw cron add "every 2h" "Look for new orders" --name orders --agent shop \\
          --channel telegram --to 4471
    """
    _add(app, given)


@command("create")
@_add_options
@click.pass_obj
def create(app: App, /, **given: Any) -> None:
    """Add a task and print it; the same as 'openclaw cron add'.

    \b
    Example:
      openclaw cron create --name bread --at 20m --system-event "Take the bread out"
    """
    _add(app, given)


def wish_of(given: dict[str, Any]) -> Wish:
    """The options that were given, as the domain wants them."""
    from openclaw_cli.schedule.edit import Wish

    announce, keep = given.pop("announce"), given.pop("no_deliver")
    if announce and keep:
        raise click.UsageError("--announce and --no-deliver cannot be used together.")
    return Wish(**given, mode="announce" if announce else "none" if keep else None)


def _add(app: App, given: dict[str, Any]) -> None:
    from openclaw_cli.config import agents
    from openclaw_cli.jobs import execute
    from openclaw_cli.schedule import edit, edit_store, listing

    dry_run, exit_code = given.pop("dry_run"), given.pop("exit_code")
    given.pop("as_json")
    first, second = given.pop("schedule"), given.pop("text")
    given["enabled"] = not given.pop("disabled")
    settings, moment = settings_of(app), moment_of(app)
    wish = edit.with_positional(wish_of(given), first, second)
    if wish.agent:
        wish.agent = agents.require_agent(app.config, wish.agent)
    task = edit_store.add(
        settings.store_path, wish, moment,
        default_agent=agents.default_agent_id(app.config), paths=app.paths, dry_run=dry_run,
    )  # fmt: skip
    if task.is_turn and task.agent_id is None:
        app.warn("no --agent given: the turn is the default agent's")
    if task.enabled and task.next_run_ms is None:
        app.warn("this schedule never comes due")
    obstacle = execute.obstacle(app.config, task)
    if obstacle is not None:
        app.warn(f"{obstacle}: until that changes, its runs are skipped")
    warn_if_off(app, settings)
    app.out.document({**listing.to_json(task, moment), **({"dryRun": True} if dry_run else {})})
    if dry_run:
        app.finish_dry_run(work=True, exit_code=exit_code)
