"""``openclaw security audit`` (``sessions.md`` 14.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import group

HEADINGS = {"critical": "CRITICAL", "warn": "WARN", "info": "INFO"}


@group("security")
def cli(**_inherited: Any) -> None:
    """Audit who can reach which session.

    \b
    Examples:
      openclaw security audit
      openclaw security audit --json | jq '.findings[].checkId'
    """


@cli.command("audit")
@click.pass_obj
def audit(app: App, as_json: bool) -> None:
    """Check who shares a session, who may write, and which files others can read.

    Looks at the config, the pairing files and file modes; changes nothing. The exit status
    is 0 whatever is found.

    \b
    Examples:
      openclaw security audit
      openclaw security audit --json | jq .summary
    """
    from openclaw_cli.sessions import audit as core

    document = core.audit(app.config, app.paths, now_ms=app.now_ms())
    app.emit(document, as_json=as_json, render=render)


def render(document: dict[str, Any]) -> Iterator[str]:
    """The findings for people, one block per severity."""
    counts = document["summary"]
    yield "OpenClaw security audit"
    yield "Summary: " + " · ".join(f"{counts[name]} {name}" for name in HEADINGS)
    if not document["findings"]:
        yield "Nothing to report."
        return
    yield "Who shares a session with whom: openclaw sessions who"
    for severity, heading in HEADINGS.items():
        found = [f for f in document["findings"] if f["severity"] == severity]
        if not found:
            continue
        yield ""
        yield heading
        for finding in found:
            yield f"{finding['checkId']} {finding['title']}"
            yield from (f"  {line}" for line in finding["detail"].splitlines())
            if "remediation" in finding:
                yield f"  Fix: {finding['remediation']}"
