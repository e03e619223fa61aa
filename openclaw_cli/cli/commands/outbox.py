"""``openclaw outbox``: recorded deliveries, and what to do about them (``commands.md``)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import (
    completed,
    dry_run_options,
    group,
    limit_option,
    option,
    require_words,
)


def list_options(function: Any) -> Any:
    """The filters of the list, shared by the group and ``list``."""
    function = option("--jsonl", is_flag=True, help="Print one JSON record a line.")(function)
    function = limit_option()(function)
    function = option(
        "--channel",
        metavar="C",
        shell_complete=completed("channel_names"),
        help="Only this channel.",
    )(function)
    return option(
        "--status",
        metavar="WORD",
        shell_complete=completed("delivery_statuses"),
        help="Only this status: pending, sent, queued, failed, uncertain.",
    )(function)


@group("outbox", invoke_without_command=True)
@list_options
@click.pass_context
def cli(ctx: click.Context, /, as_json: bool, **filters: Any) -> None:
    """Show and settle recorded deliveries.

    Every message is recorded before it is handed over and after. A message on a channel
    without a transport is queued here, for a person or a program to carry.

    \b
    Examples:
      openclaw outbox                          what was sent, queued, failed
      openclaw outbox list --status queued     what waits for somebody to carry it
      openclaw outbox retry ob_mwo_1e989e0a77  send a failed one again
      openclaw outbox done ob_mwo_1e989e0a77   tell that a queued one was carried
    """
    if ctx.invoked_subcommand is None:
        _list(ctx.obj, as_json=as_json, **filters)


@cli.command("list")
@list_options
@click.pass_obj
def list_(app: App, /, as_json: bool, **filters: Any) -> None:
    """List deliveries, newest first.

    \b
    Example:
      openclaw outbox list --status failed --limit 20 --json
    """
    _list(app, as_json=as_json, **filters)


@cli.command()
@click.argument("record_id", metavar="ID", shell_complete=completed("delivery_ids"))
@click.pass_obj
def show(app: App, record_id: str, as_json: bool) -> None:
    """Show one recorded delivery.

    \b
    Example:
      openclaw outbox show ob_mwoe5eo0_1e989e0a77
    """
    from openclaw_cli.delivery import outbox
    from openclaw_cli.errors import UnknownName

    for record in outbox.load(app.paths):
        if record["id"] == record_id.strip():
            app.emit(outbox.public(record), as_json=as_json, render=render_record)
            return
    raise UnknownName(
        f"no recorded delivery has the id {record_id}",
        path=outbox.path_of(app.paths),
        hint="'openclaw outbox' lists them",
    )


@cli.command()
@click.argument("ids", nargs=-1, metavar="ID...", shell_complete=completed("delivery_ids"))
@option("--uncertain", is_flag=True, help="Also those of which nobody knows whether they left.")
@dry_run_options
@click.pass_obj
def retry(
    app: App, ids: tuple[str, ...], uncertain: bool, dry_run: bool, exit_code: bool, as_json: bool
) -> None:
    """Send failed deliveries again.

    An uncertain one may have arrived already: it is repeated only with --uncertain.

    \b
    Examples:
      openclaw outbox retry ob_mwoe5eo0_1e989e0a77
      openclaw outbox retry --uncertain ob_mwoe5eo0_1e989e0a77
    """
    from openclaw_cli.delivery import outbox, send

    allowed = (outbox.FAILED, outbox.UNCERTAIN) if uncertain else (outbox.FAILED,)
    words = _ids(ids)

    def decide(found: dict[str, Any]) -> dict[str, Any] | None:
        return outbox.again(found, app.now_ms()) if found["status"] in allowed else None

    config = app.config
    if dry_run:
        _finish_plan(app, words, allowed, exit_code=exit_code, as_json=as_json)
        return
    results = []
    for row_id, (found, pending) in outbox.change(app.paths, words, decide).items():
        if pending is None:
            results.append(_untouched(row_id, found, allowed))
            continue
        line = send.repeat(app.paths, config, pending)
        results.append(_result(line, ok=line["status"] in outbox.HANDED_OVER))
    _finish(app, results, as_json=as_json)


@cli.command()
@click.argument("ids", nargs=-1, metavar="ID...", shell_complete=completed("delivery_ids"))
@dry_run_options
@click.pass_obj
def done(app: App, ids: tuple[str, ...], dry_run: bool, exit_code: bool, as_json: bool) -> None:
    """Tell that queued deliveries were carried; they become sent.

    Also settles an uncertain one of which you know that it arrived.

    \b
    Example:
      openclaw outbox done ob_mwoe5eo0_1e989e0a77
    """
    from openclaw_cli.delivery import outbox

    allowed = (outbox.QUEUED, outbox.UNCERTAIN)
    words = _ids(ids)

    def decide(found: dict[str, Any]) -> dict[str, Any] | None:
        settled = outbox.settled(found, outbox.SENT, app.now_ms())
        return settled if found["status"] in allowed else None

    if dry_run:
        _finish_plan(app, words, allowed, exit_code=exit_code, as_json=as_json)
        return
    results = [
        _result(line, ok=True) if line is not None else _untouched(row_id, found, allowed)
        for row_id, (found, line) in outbox.change(app.paths, words, decide).items()
    ]
    _finish(app, results, as_json=as_json)


def _list(
    app: App, *, status: str | None, channel: str | None, limit: int | None, jsonl: bool,
    as_json: bool,
) -> None:  # fmt: skip
    from openclaw_cli.delivery import outbox
    from openclaw_cli.errors import UnknownName

    if status is not None and status.strip() not in outbox.STATUSES:
        raise UnknownName(
            f"unknown delivery status {status!r}; use one of: {', '.join(outbox.STATUSES)}",
            code="unknown-status",
        )
    rows = [
        outbox.public(record)
        for record in reversed(outbox.load(app.paths))
        if (status is None or record["status"] == status.strip())
        and (channel is None or record.get("channel") == channel.strip().lower())
    ]
    rows.sort(key=_age_order)
    shown = rows[:limit]
    if jsonl:
        app.out.json_lines(shown)
        return
    document = {"count": len(shown), "totalCount": len(rows), "deliveries": shown}
    app.emit(document, as_json=as_json, render=render_list)


def _age_order(record: dict[str, Any]) -> float:
    ts = record.get("ts")
    return -ts if isinstance(ts, int | float) else 0


def _ids(ids: tuple[str, ...]) -> list[str]:
    require_words(ids, "delivery id")
    return [word.strip() for word in ids if word.strip()]


def _result(record: dict[str, Any], *, ok: bool) -> dict[str, Any]:
    result = {"id": record["id"], "status": record["status"], "changed": True, "ok": ok}
    return result | ({"error": record["error"]} if "error" in record else {})


def _untouched(
    row_id: str, found: dict[str, Any] | None, allowed: tuple[str, ...]
) -> dict[str, Any]:
    """Why nothing was done about an id."""
    if found is None:
        error = "no recorded delivery has this id"
        return {"id": row_id, "status": "unknown", "changed": False, "ok": False, "error": error}
    error = f"it is {found['status']}; this works on {' and '.join(allowed)} ones"
    if found["status"] == "uncertain" and "uncertain" not in allowed:
        error = "it may have left already; --uncertain repeats it all the same"
    result = {"id": row_id, "status": found["status"], "changed": False}
    return result | {"ok": found["status"] == "sent", "error": error}


def _finish_plan(
    app: App, words: list[str], allowed: tuple[str, ...], *, exit_code: bool, as_json: bool
) -> None:
    from openclaw_cli.delivery import outbox

    by_id = {record["id"]: record for record in outbox.load(app.paths)}
    results = []
    for row_id in dict.fromkeys(words):
        found = by_id.get(row_id)
        if found is not None and found["status"] in allowed:
            results.append({"id": row_id, "status": found["status"], "changed": True, "ok": True})
        else:
            results.append(_untouched(row_id, found, allowed))
    document = {"dryRun": True, "results": results}
    app.emit(document, as_json=as_json, render=render_results)
    app.finish_dry_run(work=any(r["changed"] for r in results), exit_code=exit_code)
    app.finish(failed=any(r["status"] == "unknown" for r in results))


def _finish(app: App, results: list[dict[str, Any]], *, as_json: bool) -> None:
    document = {"dryRun": False, "results": results}
    app.emit(document, as_json=as_json, render=render_results)
    app.finish(failed=not all(result["ok"] for result in results))


def render_list(document: Any) -> Iterable[str]:
    """Deliveries as a table."""
    from openclaw_cli.cli.output import Column, table

    yield f"Deliveries: {document['count']}" + (
        f" of {document['totalCount']}" if document["totalCount"] > document["count"] else ""
    )
    columns = [Column(title) for title in ("ID", "Time", "Status", "Channel", "To", "Text")]
    if document["count"]:
        yield from table(columns, [_cells(record) for record in document["deliveries"]])


def render_record(record: Any) -> Iterable[str]:
    """One record, a line per field that is set."""
    for key, value in record.items():
        if value is not None:
            yield f"{key}: {_instant(value) if key in ('ts', 'updatedAtMs') else value}"


def render_results(document: Any) -> Iterable[str]:
    """One line per id."""
    for result in document["results"]:
        word = "would change" if document["dryRun"] and result["changed"] else result["status"]
        yield f"{result['id']}: {word}" + (f" ({result['error']})" if "error" in result else "")


def _cells(record: dict[str, Any]) -> tuple[str, ...]:
    text = str(record.get("text") or "")
    return (
        record["id"],
        _instant(record.get("ts")),
        record["status"],
        str(record.get("channel") or "-"),
        str(record.get("to") or "-"),
        text if len(text) <= 60 else text[:59] + "…",
    )


def _instant(ms: Any) -> str:
    from openclaw_cli.state.clock import iso

    return iso(ms) if isinstance(ms, int | float) and not isinstance(ms, bool) else "-"
