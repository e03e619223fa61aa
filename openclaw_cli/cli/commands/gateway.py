"""``openclaw gateway call``: gateway methods, answered in this process (``sessions.md`` 13)."""

from __future__ import annotations

from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import WholeNumber, completed, group
from openclaw_cli.errors import OpenClawError, UsageProblem
from openclaw_cli.state import jsontext


class CallFailed(OpenClawError):
    """A call that could not be made or did not end in time."""

    code = "gateway-call-failed"


@group("gateway")
def cli(**_inherited: Any) -> None:
    """Answer gateway methods in this process, on the local tree.

    \b
    Example:
      openclaw gateway call sessions.list --params '{"limit": 5}'
    """


@cli.command("call")
@click.argument("method", shell_complete=completed("gateway_methods"))
@click.option("--params", default="{}", metavar="JSON", help="Parameters, one JSON object.")
@click.option("--timeout", type=WholeNumber(1), metavar="MS", help="Give up after MS.")
@click.option("--url", metavar="URL", help="A running gateway: not supported, see above.")
@click.option("--token", metavar="TOKEN", help="Ignored: nothing is called over a network.")
@click.option("--password", metavar="TEXT", help="Ignored: nothing is called over a network.")
@click.pass_obj
def call(
    app: App,
    /,
    method: str,
    params: str,
    timeout: int | None,
    as_json: bool,
    **remote: str | None,
) -> None:
    """Call METHOD and print its answer, always as JSON.

    The answer comes from this host's tree; no gateway need run. There is no client for a
    gateway elsewhere: run this command on its host instead, for example over ssh. An
    unknown METHOD prints the list of known ones.

    \b
    Examples:
      openclaw gateway call sessions.list --params '{"search": "alice"}'
      openclaw gateway call sessions.patch --params '{"key": "main", "label": "home"}'
      ssh host openclaw gateway call status
    """
    from openclaw_cli.cli import gateway_methods
    from openclaw_cli.state.timer import time_limit

    def late() -> CallFailed:
        return CallFailed(f"Gateway call failed: no answer within {timeout} ms")

    given = _parameters(params)
    _refuse_remote(app, remote)
    found = gateway_methods.find(method)
    gateway_methods.check(method, found, given)
    answer = gateway_methods.implementation(found)
    try:
        with time_limit(timeout and timeout / 1000, late):
            document = answer(app.config, app.paths, given, app.now_ms())
    except UsageProblem as error:  # of the parameters: the command line itself is right
        message = f"invalid {method} params: {error.message}"
        raise gateway_methods.InvalidRequest(message, hint=error.hint) from error
    except OpenClawError as error:
        if error.code != gateway_methods.InvalidRequest.code:
            raise
        raise gateway_methods.InvalidRequest(error.message, hint=error.hint) from error
    app.out.document(document)


def _parameters(text: str) -> dict[str, Any]:
    try:
        value = jsontext.loads(text)
    except (ValueError, RecursionError) as error:
        raise CallFailed(
            f"Gateway call failed: SyntaxError: --params is no JSON: {error}",
            hint='quote the object for the shell: --params \'{"key": "main"}\'',
        ) from error
    if not isinstance(value, dict):
        raise CallFailed("Gateway call failed: --params must be a JSON object")
    return value


def _refuse_remote(app: App, remote: dict[str, str | None]) -> None:
    if remote["url"]:
        raise CallFailed(
            "Gateway call failed: this release has no client for a running gateway "
            f"({remote['url']})",
            hint="run 'openclaw gateway call' on that host, for example over ssh",
        )
    if app.config.get("gateway", "mode") == "remote":
        app.warn(
            "gateway.mode is remote, but this answers from the local tree; "
            "run 'openclaw gateway call' on that host for its own"
        )
    ignored = [f"--{name}" for name in ("token", "password") if remote[name]]
    if ignored:
        app.warn(f"{' and '.join(ignored)} ignored: nothing is called over a network")
