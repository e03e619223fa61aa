"""``openclaw config``: read, change and check the configuration (``commands.md``)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import completed, dry_run_options, group


@group()
def cli(as_json: bool) -> None:
    """Read, change and check the configuration.

    PATH is written with dots (session.reset.mode); [n] addresses a list item
    (agents.list[0].workspace); cli. stands for plugins.entries.openclaw-cli.config.

    \b
    Examples:
      openclaw config get session
      openclaw config set session.dmScope per-channel-peer
      openclaw config set cli.budget.maxTokensPerDay 200000
      openclaw config validate --json
    """


@cli.command("get")
@click.argument("path", shell_complete=completed("config_paths"))
@click.pass_obj
def get(app: App, path: str, as_json: bool) -> None:
    """Print the value at PATH; secrets stay hidden.

    \b
    Example:
      openclaw config get agents.list[0].workspace
    """
    from openclaw_cli.config import edit, masking, paths
    from openclaw_cli.config.load import load
    from openclaw_cli.errors import UnknownName

    place = paths.parse(path)
    config = load(app.paths, validate=False)
    value = edit.find(config.data, place)
    if value is edit.MISSING:
        raise UnknownName(
            f"config path not found: {path}",
            path=config.path,
            hint="it is not set; openclaw config validate checks the file",
        )
    app.emit(masking.masked(_plain(value), place), as_json=as_json, render=render_value)


@cli.command("set")
@click.argument("path", shell_complete=completed("config_paths"))
@click.argument("value")
@click.option("--strict-json", is_flag=True, help="VALUE has to be JSON (--json implies it).")
@dry_run_options
@click.pass_obj
def set_(app: App, /, path: str, value: str, strict_json: bool, **how: Any) -> None:
    """Set PATH to VALUE; comments, order and formatting stay.

    VALUE is JSON5 when it parses and the setting takes such a value, else text. The file
    before is kept as <config>.bak.

    \b
    Examples:
      openclaw config set commitments.enabled true
      openclaw config set session.reset "{mode: 'daily', atHour: 4}"
    """
    from openclaw_cli.config import edit, paths, values

    as_json = bool(how["as_json"])
    place = paths.parse(path)
    parsed = values.read_value(value, place, strict_json=strict_json or as_json)
    done = edit.set_value(
        app.paths, place, parsed, now_ms=app.now_ms(), dry_run=bool(how["dry_run"])
    )
    _emit_edit(app, path, done, how)


@cli.command("unset")
@click.argument("path", shell_complete=completed("config_paths"))
@dry_run_options
@click.pass_obj
def unset(app: App, /, path: str, **how: Any) -> None:
    """Remove PATH, a key or one list item; everything else stays.

    \b
    Example:
      openclaw config unset agents.list[1]
    """
    from openclaw_cli.config import edit, paths

    place = paths.parse(path)
    done = edit.unset_value(app.paths, place, now_ms=app.now_ms(), dry_run=bool(how["dry_run"]))
    _emit_edit(app, path, done, how)


@cli.command("file")
@click.pass_obj
def file(app: App, as_json: bool) -> None:
    """Print the path of the configuration file.

    \b
    Example:
      "$EDITOR" "$(openclaw config file)"
    """
    from openclaw_cli.config.load import find_path

    path = find_path(app.paths, app.environ)
    document = {"path": str(path), "exists": path.exists()}
    app.emit(document, as_json=as_json, render=lambda shown: [shown["path"]])


@cli.command("schema")
@click.pass_obj
def schema(app: App, as_json: bool) -> None:
    """Print a JSON Schema of the settings that are checked strictly.

    \b
    Example:
      openclaw config schema > openclaw.schema.json
    """
    from openclaw_cli.config import json_schema

    app.emit(json_schema.export(), as_json=True, render=lambda _document: [])


@cli.command("validate")
@click.pass_obj
def validate(app: App, as_json: bool) -> None:
    """Check the configuration; exit 1 when it has an error.

    \b
    Example:
      openclaw config validate --json
    """
    from openclaw_cli.config import report

    document = report.validation_report(app.paths, app.environ)
    app.emit(document, as_json=as_json, render=lambda shown: render_validation(app, shown))
    app.finish(failed=not document["valid"])


def render_value(value: Any) -> Iterable[str]:
    """Text and numbers bare, so that a script can use them; the rest as JSON."""
    from openclaw_cli.state.jsonnum import dumps

    return [value] if isinstance(value, str) else dumps(value).split("\n")


def render_validation(app: App, document: dict[str, Any]) -> Iterable[str]:
    """One line for the verdict, one for each finding."""
    path = app.paths.display(document["path"])
    yield f"Config is valid: {path}" if document["valid"] else f"Config is invalid: {path}"
    for kind, findings in (
        ("error", document.get("issues", [])),
        ("warning", document["warnings"]),
    ):
        for finding in findings:
            where = f"{finding['path']}: " if finding["path"] else ""
            yield f"  {kind}: {where}{finding['message']}"


def _emit_edit(app: App, path: str, done: Any, how: dict[str, Any]) -> None:
    from openclaw_cli.config import report

    document = report.edit_report(path, done, dry_run=bool(how["dry_run"]))
    app.emit(
        document,
        as_json=bool(how["as_json"]),
        render=lambda shown: render_edit(app, shown),
    )
    if how["dry_run"]:
        app.finish_dry_run(work=done.changed, exit_code=bool(how["exit_code"]))


def render_edit(app: App, document: dict[str, Any]) -> Iterable[str]:
    """What happened, and where the text before is."""
    key = document["key"]
    if not document["changed"]:
        yield f"{key} has that value already; nothing was written."
        return
    if document["dryRun"]:
        verb = "Would remove" if document["action"] == "unset" else "Would set"
    else:
        verb = "Removed" if document["action"] == "unset" else "Updated"
    line = f"{verb} {key} in {app.paths.display(document['path'])}."
    if document["backup"] is not None:
        tail = "would be kept" if document["dryRun"] else "is kept"
        line += f" The file before {tail} as {app.paths.display(document['backup'])}."
    yield line


def _plain(value: Any) -> Any:
    """A value as JSON can hold it; the dates of a TOML file become text."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    isoformat = getattr(value, "isoformat", None)
    return isoformat() if isoformat is not None else value
