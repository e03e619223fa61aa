"""``openclaw cron edit`` (``scheduled-tasks.md`` 5)."""

from __future__ import annotations

from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.commands.cron_add import (
    delivery_options,
    payload_options,
    schedule_options,
    wish_of,
)
from openclaw_cli.cli.gateway_flags import gateway_flags
from openclaw_cli.cli.options import WholeNumber, command, completed, dry_run_options
from openclaw_cli.cli.task_access import moment_of, settings_of, warn_if_off


@command("edit")
@click.argument("task_id", metavar="ID", shell_complete=completed("task_ids"))
@click.option("--name", help="A new name.")
@click.option("--description", help="A new description; '' removes it.")
@click.option("--enable/--disable", "enabled", default=None, help="Whether it runs.")
@schedule_options
@payload_options
@delivery_options
@click.option("--clear-agent", is_flag=True, help="Use the default agent again.")
@click.option("--clear-session-key", is_flag=True, help="Forget the session key.")
@click.option("--clear-tools", is_flag=True, help="Allow the usual tools again.")
@click.option("--no-failure-alert", "failure_alert", flag_value="no", help="No failure notices.")
@click.option("--failure-alert", "failure_alert", flag_value="yes", help="Send failure notices.")
@click.option(
    "--failure-alert-after", "alert_after", type=WholeNumber(1), metavar="N",
    help="Notify after N failures in a row.",
)  # fmt: skip
@click.option("--failure-alert-cooldown", metavar="D", help="At most one notice in that time.")
@click.option(
    "--failure-alert-channel",
    "alert_channel",
    metavar="CHANNEL",
    shell_complete=completed("channel_names"),
    help="Where to.",
)
@click.option("--failure-alert-to", "alert_to", metavar="TO", help="To whom.")
@dry_run_options
@gateway_flags
@click.pass_obj
def edit(app: App, /, task_id: str, dry_run: bool, exit_code: bool, **given: Any) -> None:
    """Change a task; only what is named changes.

    \b
    Examples:
      openclaw cron edit ID --cron "0 8 * * 1-5"
      openclaw cron edit ID --message "Shorter, please" --model openai/gpt-5-mini
      openclaw cron edit ID --disable
    """
    given.pop("as_json")
    for flag, name in (
        ("clear_agent", "agent"),
        ("clear_session_key", "session_key"),
        ("clear_tools", "tools"),
    ):
        if given.pop(flag):
            if given[name] is not None:
                raise click.UsageError(f"--{flag.replace('_', '-')} with a new value: which one?")
            given[name] = ""
    alert = given.pop("failure_alert")
    cooldown = given.pop("failure_alert_cooldown")
    wish = wish_of(given)
    wish.failure_alert = None if alert is None else alert == "yes"
    if cooldown is not None:
        wish.alert_cooldown_ms = _cooldown_ms(cooldown)
    change_task(app, task_id, wish, dry_run=dry_run, exit_code=exit_code)


def change_task(app: App, task_id: str, wish: Any, *, dry_run: bool, exit_code: bool) -> None:
    """Apply ``wish`` to a task and print it."""
    from openclaw_cli.config import agents
    from openclaw_cli.schedule import edit_store, listing

    if wish.agent:
        wish.agent = agents.require_agent(app.config, wish.agent)
    settings, moment = settings_of(app), moment_of(app)
    task, changed = edit_store.change(
        settings.store_path, task_id, wish, moment,
        default_agent=agents.default_agent_id(app.config), paths=app.paths, dry_run=dry_run,
    )  # fmt: skip
    warn_if_off(app, settings)
    app.out.document({**listing.to_json(task, moment), **({"dryRun": True} if dry_run else {})})
    if dry_run:
        app.finish_dry_run(work=changed, exit_code=exit_code)


def _cooldown_ms(text: str) -> int:
    from openclaw_cli.config import units

    try:
        return units.parse_duration_ms(text, None)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--failure-alert-cooldown") from error
