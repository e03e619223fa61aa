"""Posting a document to an address that the owner named, recorded like any delivery.

Used where a task or an alert says ``mode: webhook``. The answer's status decides: 2xx is
``sent``, everything else ``failed`` (``design.md`` 3, "Delivery").
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from openclaw_cli.delivery import outbox
from openclaw_cli.state import clock

if TYPE_CHECKING:
    from openclaw_cli.state.paths import Paths

CHANNEL = "webhook"
TIMEOUT_S = 30.0


def post(
    paths: Paths, message: outbox.Message, document: dict[str, Any], *, token: str | None,
    now_ms: int,
) -> outbox.Record:  # fmt: skip
    """Post ``document`` as JSON to ``message.to``; the record with its ``status``.

    ``token`` goes into the Authorization header and nowhere else.
    """
    outbox.recover(paths, now_ms)
    pending = outbox.new_record(message, outbox.PENDING, now_ms)
    outbox.append(paths, [pending])
    error = _send(message.to, document, token)
    status = outbox.FAILED if error else outbox.SENT
    line = outbox.settled(pending, status, clock.now_ms(), error=error)
    outbox.append(paths, [line])
    return line


def is_address(url: object) -> bool:
    """Whether ``url`` is an http(s) address with a host."""
    from urllib.parse import urlsplit

    if not isinstance(url, str):
        return False
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return False
    return parts.scheme.lower() in ("http", "https") and bool(parts.hostname)


def _send(url: str, document: dict[str, Any], token: str | None) -> str | None:
    """Post once; why it failed, None when it was taken."""
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    if not is_address(url):
        return "the address is no http(s) URL"
    headers = {"Content-Type": "application/json", "User-Agent": "openclaw-cli"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    body = json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")
    request = Request(url.strip(), data=body, headers=headers, method="POST")  # noqa: S310 - checked above
    try:
        with urlopen(request, timeout=TIMEOUT_S):  # noqa: S310 - checked above
            return None
    except HTTPError as error:
        return f"the address answered {error.code}"
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        return f"network: {type(error).__name__}: {reason}"
