"""``openclaw sessions compact``: condense a session by a model, or cut it to its last lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import (
    WholeNumber,
    agent_option,
    command,
    completed,
    dry_run_options,
    option,
)
from openclaw_cli.errors import UnknownName, UsageProblem
from openclaw_cli.state.amounts import counted

LINES_HINT = "--max-lines must be a positive integer."


class LinesType(click.ParamType[int]):
    """A positive whole number of lines."""

    name = "lines"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value).strip()
        if not (text.isascii() and text.isdigit() and len(text) < 19 and int(text) > 0):
            raise click.UsageError(LINES_HINT, ctx)
        return int(text)


@command("compact")
@click.argument("key", shell_complete=completed("session_keys"))
@option("--max-lines", metavar="N", type=LinesType(), help="Keep the last N lines; no model.")
@option("--instructions", metavar="TEXT", default="", help="What the summary keeps in view.")
@option("--timeout", "timeout_ms", metavar="MS", type=WholeNumber(1),
        help="Wait so long for a running turn, and for the summary.")  # fmt: skip
@agent_option
@dry_run_options
@option("--url", hidden=True, metavar="URL")
@option("--token", hidden=True, metavar="TOKEN")
@option("--password", hidden=True, metavar="PASSWORD")
@click.pass_obj
def cli(app: App, /, key: str, as_json: bool, **given: Any) -> None:
    """Condense the older part of a session into a summary, or cut its transcript.

    Without --max-lines a model writes the summary; the lines themselves stay in the
    transcript. With --max-lines the original is kept as a .bak archive.

    \b
    Examples:
      openclaw sessions compact agent:main:main
      openclaw sessions compact main --instructions "the trip to Lisbon"
      openclaw sessions compact main --max-lines 400 --dry-run
    """
    from openclaw_cli.cli.gateway_flags import check
    from openclaw_cli.sessions import selection
    from openclaw_cli.sessions.work import Work

    check(app, given["url"], given["token"], given["password"])
    selected = selection.select(app.config, app.paths, key, agent=given["agent"], store=None)
    work = Work(app.config, app.paths, "sessions compact", app.now_ms())
    document = _run(selected, work, given)
    if document.get("reason") == "no sessionId":
        raise UnknownName(f"session {document['key']} has no session id, so nothing to compact")
    app.emit(document, as_json=as_json, render=_render)
    if given["dry_run"]:
        app.finish_dry_run(work=document["wouldCompact"], exit_code=given["exit_code"])


def _run(selected: Any, work: Any, given: dict[str, Any]) -> dict[str, Any]:
    timeout_s = given["timeout_ms"] / 1000 if given["timeout_ms"] else None
    if given["max_lines"] is None:
        from openclaw_cli.agent import compact

        if given["dry_run"]:
            return compact.preview(selected, work)
        return compact.summarise(selected, compact.Wish(given["instructions"], timeout_s), work)
    if given["instructions"]:
        raise UsageProblem("--instructions is for a summary; --max-lines makes none")
    from openclaw_cli.sessions import truncation

    if given["dry_run"]:
        return truncation.preview(selected, given["max_lines"], work)
    return truncation.truncate(selected, given["max_lines"], work)


def _render(document: dict[str, Any]) -> Iterable[str]:
    key = document["key"]
    if document.get("dryRun"):
        would = "would be compacted" if document["wouldCompact"] else "needs no compaction"
        yield f"Session {key} {would} ({_size(document)})."
    elif not document["compacted"]:
        reason = document.get("reason") or counted(document["kept"], "line")
        yield f"No compaction needed for session {key} ({reason})."
    elif "result" in document:
        result = document["result"]
        sizes = f"{result['tokensBefore']} → {counted(result['tokensAfter'], 'token')}"
        yield f"Compacted session {key} ({sizes})."
    else:
        yield f"Compacted session {key} (kept {counted(document['kept'], 'line')})."
        yield f"Archived transcript: {document['archived']}"


def _size(document: dict[str, Any]) -> str:
    """What a trial found: why nothing is to do, or how much there is."""
    if "reason" in document:
        return str(document["reason"])
    if "lines" in document:
        return f"{counted(document['lines'], 'line')}, {document['kept']} to keep"
    return f"{counted(document['messages'], 'message')}, {counted(document['tokens'], 'token')}"
