"""``openclaw channels``: what carries each channel, and a test of it (``commands.md``)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import completed, dry_run_options, group, option


@group("channels", invoke_without_command=True)
@click.pass_context
def cli(ctx: click.Context, as_json: bool) -> None:
    """Show and test the delivery channels.

    \b
    Examples:
      openclaw channels                                 what carries each channel
      openclaw channels test telegram                   check its settings
      openclaw channels test telegram --to 123456       send a message there
    """
    if ctx.invoked_subcommand is None:
        _list(ctx.obj, as_json=as_json)


@cli.command("list")
@click.pass_obj
def list_(app: App, as_json: bool) -> None:
    """List the configured channels, their accounts, and what carries them.

    \b
    Example:
      openclaw channels list --json
    """
    _list(app, as_json=as_json)


@cli.command("test")
@click.argument("channel", shell_complete=completed("channel_names"))
@option("--account", metavar="A", help="This account of the channel.")
@option("--to", metavar="TO", help="Send a message to this recipient.")
@option("--text", metavar="T", help="The message.", default="A test message from openclaw.")
@dry_run_options
@click.pass_obj
def test_(
    app: App, channel: str, account: str | None, to: str | None, text: str, dry_run: bool,
    exit_code: bool, as_json: bool,
) -> None:  # fmt: skip
    """Check the settings of CHANNEL; with --to, send a message through it.

    Exit status 1 when the settings are not usable or the message was not taken.

    \b
    Examples:
      openclaw channels test slack
      openclaw channels test telegram --account work --to 123456
    """
    from openclaw_cli.delivery import channels, outbox, send, transports
    from openclaw_cli.errors import UsageProblem

    config = app.config
    name = channels.require_known(config, channel)
    if to is not None and not (to.strip() and text.strip()):
        raise UsageProblem("--to and --text must not be empty")
    transport = transports.choose(config, name, account)
    document: dict[str, Any] = {
        "channel": name,
        "account": channels.chosen_account(config, name, account),
        "transport": transport.kind,
        "status": "ready",
    }
    problem = send.check(config, name, account)
    if problem:
        document |= {"status": outbox.FAILED, "error": problem}
    elif to is not None and not dry_run:
        message = outbox.Message(text.strip(), name, to.strip(), source="agent", account_id=account)
        record = send.deliver(app.paths, config, message, now_ms=app.now_ms())
        document |= {"status": record["status"], "id": record["id"]}
        document |= {"error": record["error"]} if "error" in record else {}
    if transport.reason and "error" not in document:
        document["reason"] = transport.reason
    app.emit(document, as_json=as_json, render=render_test)
    if dry_run:
        app.finish_dry_run(work=to is not None and not problem, exit_code=exit_code)
    app.finish(failed=document["status"] == outbox.FAILED)


def _list(app: App, *, as_json: bool) -> None:
    from openclaw_cli.delivery import channels, send, transports

    config = app.config
    chat: dict[str, Any] = {}
    for name in channels.configured(config):
        accounts = channels.account_ids(config, name)
        transport = transports.choose(config, name, None)
        problem = send.problem_of(transport)
        reason = problem or transport.reason or transports.unused_setting(config, name, transport)
        chat[name] = {
            "accounts": accounts,
            "transport": transport.kind,
            "deliverable": problem is None,
        } | ({"reason": reason} if reason else {})
    app.emit({"chat": chat}, as_json=as_json, render=render_list)


def render_list(document: Any) -> Iterable[str]:
    """A line per channel."""
    from openclaw_cli.cli.output import Column, table

    if not document["chat"]:
        yield "No channels are configured; messages wait in the outbox ('openclaw outbox')."
        return
    columns = [Column(title) for title in ("Channel", "Carried by", "Accounts", "Remark")]
    rows = [
        (
            name,
            found["transport"],
            ", ".join(found["accounts"]) or "-",
            found.get("reason", ""),
        )
        for name, found in document["chat"].items()
    ]
    yield from table(columns, rows)


def render_test(document: Any) -> Iterable[str]:
    """The result in a line or two."""
    yield (
        f"{document['channel']} (account {document['account']}), carried by "
        f"{document['transport']}: {document['status']}"
    )
    for key in ("error", "reason"):
        if key in document:
            yield f"  {document[key]}"
    if document["status"] == "queued":
        yield f"  It waits in the outbox: openclaw outbox show {document['id']}"
