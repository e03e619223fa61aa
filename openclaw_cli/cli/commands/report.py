"""``openclaw report``: what happened overnight (``scheduled-tasks.md`` 6)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import agent_option, command, since_option
from openclaw_cli.cli.output import cell
from openclaw_cli.state.amounts import counted

DAY_MS = 86_400_000
_TEXT_LENGTH = 120


@command("report")
@since_option(help="Since then: a duration back from now (default 24h) or an ISO time.")
@agent_option
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown.")
@click.option("--deliver", metavar="CHANNEL:TO", help="Also send it there.")
@click.pass_obj
def cli(
    app: App,
    /,
    since_ms: int | None,
    agent: str | None,
    as_markdown: bool,
    deliver: str | None,
    as_json: bool,
) -> None:
    """Tell what happened overnight, and what is next.

    Promoted and not promoted memories with the reason, what was removed and how to undo
    it, what was sent and what was not, what is due within a day, failures, tokens spent.
    Reads only; --deliver sends the text and exits 1 when that fails.

    \b
    Examples:
      openclaw report
      openclaw report --since 7d --markdown > report.md
      openclaw report --deliver telegram:4471
      openclaw report --json | jq '.failures'
    """
    from openclaw_cli.config import agents
    from openclaw_cli.jobs import report

    if as_markdown and as_json:
        raise click.UsageError("--json and --markdown cannot be used together.")
    place = _place(deliver)
    if place is not None:
        from openclaw_cli.delivery import channels

        channels.require_known(app.config, place[0])
    agent_id = agents.require_agent(app.config, agent) if agent else None
    since = app.now_ms() - DAY_MS if since_ms is None else since_ms
    span = report.Span(app.config, app.paths, app.environ, since, app.now_ms(), agent_id)
    document = report.make(span)
    if place is not None:
        document["delivery"] = _deliver(app, place, document, agent_id)
    if as_markdown:
        app.out.lines(_lines(app, document, heading="## ", bullet="- "))
    else:
        app.emit(document, as_json=as_json, render=lambda doc: _lines(app, doc))
    status = document.get("delivery", {}).get("status")
    if status is not None and status not in ("sent", "queued"):
        app.warn(f"the report was not delivered: {document['delivery'].get('error') or status}")
        app.finish(failed=True)


def _place(deliver: str | None) -> tuple[str, str] | None:
    if deliver is None:
        return None
    channel, colon, to = deliver.partition(":")
    if not (channel.strip() and colon and to.strip()):
        raise click.BadParameter(
            f"{deliver!r} is no CHANNEL:TO, such as telegram:4471", param_hint="--deliver"
        )
    return channel.strip().lower(), to.strip()


def _deliver(
    app: App, place: tuple[str, str], document: Any, agent_id: str | None
) -> dict[str, Any]:  # fmt: skip
    """Hand the text over; the record's id, status and error."""
    from openclaw_cli.delivery import send
    from openclaw_cli.delivery.outbox import Message

    text = "\n".join(_lines(app, document))
    message = Message(text, *place, source="report", agent_id=agent_id)
    record = send.deliver(app.paths, app.config, message, now_ms=app.now_ms())
    fields = ("id", "channel", "to", "status", "error")
    return {name: record[name] for name in fields if record.get(name) is not None}


def _lines(app: App, document: Any, *, heading: str = "", bullet: str = "  ") -> Iterator[str]:
    """The report, a block for each part; an empty part is one line, or none."""
    yield f"{heading.replace('## ', '# ')}Report since {_at(app, document['sinceMs'])}"
    for title, empty, rows in (
        ("Promoted", "Nothing was promoted.", map(_promoted, document["promoted"])),
        ("Not promoted", "No candidate was held back.", map(_held_back, document["notPromoted"])),
        ("Removed", "Nothing was removed.", map(_change, document["removed"])),
        ("Changed", "Nothing else was changed.", map(_change, document["changed"])),
        ("Sent", "Nothing was sent.", map(_delivery, document["sent"])),
        ("Not delivered", "Everything was delivered." if document["sent"] else "",
         map(_delivery, document["undelivered"])),
        ("Due soon", "Nothing is due within a day.",
         (f"{_at(app, row['atMs'])} {row['kind']}: {_short(row['text'])}"
          for row in document["dueSoon"])),
        ("Failures", "Nothing failed.",
         (f"{_at(app, row['atMs'])} {row['kind']} {row['name']}: "
          f"{row.get('error') or row['outcome']}" for row in document["failures"])),
        ("Tokens", "No model was called.", _usage(document["usage"])),
        ("Warnings", "No warnings.", document["warnings"]),
    ):  # fmt: skip
        listed = [cell(str(row)) for row in rows]
        if not listed and not empty:
            continue
        if heading:
            yield ""
            yield f"{heading}{title}"
            yield ""
            yield from (f"{bullet}{row}" for row in listed or [empty])
        elif listed:
            yield f"{title}:"
            yield from (f"{bullet}{row}" for row in listed)
        else:
            yield empty


def _promoted(row: Any) -> str:
    score = row["score"]
    number = f", score {score:.3f}" if isinstance(score, int | float) else ""
    return f"{_claim(row['text'])} ({row['source']}{number})"


def _held_back(row: Any) -> str:
    numbers = ""
    if row["missing"] is not None:
        numbers = f" {_number(row['actual'])} of {_number(row['needed'])}"
    return f"{_claim(row['text'])} ({row['source']}: {row['gate']}{numbers})"


def _change(row: Any) -> str:
    name = row.get("key") or row.get("path") or ""
    undo = f"; undo: {row['undo']}" if row.get("undo") else ""
    return f"{row.get('what', 'something')} {name} ({row.get('rule', 'no reason given')}{undo})"


def _delivery(row: Any) -> str:
    error = f": {row['error']}" if row.get("error") else ""
    place = f"{row.get('channel', '-')}:{row.get('to', '-')}"
    return f"{row['status']} {place} {_short(row.get('text', ''))}{error}"


def _usage(document: Any) -> Iterator[str]:
    totals = document.get("totals") or {}
    if totals.get("calls"):
        yield (
            f"{counted(totals['calls'], 'call')}, "
            f"{counted(totals['inputTokens'], 'token')} in, "
            f"{totals['outputTokens']} out"
        )
    left = (document.get("budget") or {}).get("left")
    if left is not None:
        yield f"{counted(left, 'token')} left today"


def _at(app: App, at_ms: int) -> str:
    from openclaw_cli.config import agents
    from openclaw_cli.state import clock

    return clock.local(at_ms, agents.user_zone(app.config)).strftime("%Y-%m-%d %H:%M")


def _number(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _claim(text: str) -> str:
    """The text of a memory without its own list marker: a bullet stands before it already."""
    from openclaw_cli.memory.text import strip_list_marker

    return _short(strip_list_marker(text))


def _short(text: Any) -> str:
    one_line = " ".join(str(text).split())
    return one_line if len(one_line) <= _TEXT_LENGTH else one_line[: _TEXT_LENGTH - 1] + "…"
