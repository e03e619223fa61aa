"""``--url --token --timeout --expect-final``: flags of the original's gateway client.

They exist so that scripts written for it keep working. There is no client to a running
gateway here, so ``--url`` is an error that names the way (``sessions.md`` 13).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

from openclaw_cli.cli.app import App
from openclaw_cli.errors import OpenClawError

F = TypeVar("F", bound=Callable[..., Any])


def check(app: App, url: str | None, *credentials: str | None) -> None:
    """Refuse ``--url``; credentials alone are ignored with a warning."""
    if url is not None:
        raise OpenClawError(
            "--url needs a client to a running gateway, which this program does not have",
            hint="run openclaw on that host, for example over ssh",
            code="no-gateway-client",
        )
    if any(credentials):
        app.warn("credentials are ignored: the command works on the local tree")


def gateway_flags(function: F) -> F:
    """Accept the flags; the command itself never sees them."""

    @wraps(function)
    def checked(*args: Any, **settings: Any) -> Any:
        url, token = settings.pop("gateway_url"), settings.pop("gateway_token")
        settings.pop("gateway_timeout")
        settings.pop("gateway_expect_final")
        app = click.get_current_context().find_object(App)
        if app is not None:
            check(app, url, token)
        return function(*args, **settings)

    for names, extra in (
        (("--url", "gateway_url"), {"metavar": "URL"}),
        (("--token", "gateway_token"), {"metavar": "TOKEN"}),
        (("--timeout", "gateway_timeout"), {"metavar": "MS"}),
        (("--expect-final", "gateway_expect_final"), {"is_flag": True}),
    ):
        checked = click.option(*names, hidden=True, **extra)(checked)
    return checked  # type: ignore[return-value]
