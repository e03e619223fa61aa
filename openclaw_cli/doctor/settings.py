"""The configuration and ``.env``: can they be read, are they valid, are they meant.

Also makes the ``Patient`` that the other checks examine: with the values that are wrong
taken out, so that a typing mistake does not hide the rest of the tree.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from openclaw_cli.doctor.finding import ERROR, INFO, WARN, Finding, Patient, of_error
from openclaw_cli.errors import OpenClawError
from openclaw_cli.state.amounts import counted

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths

_ROUNDS = 20  # each takes out what the one before uncovered


def patient(paths: Paths, environ: Mapping[str, str], agent: str | None, *, now_ms: int) -> Patient:
    """The tree as far as its settings can be used; ``UnknownName`` for an unknown agent."""
    from openclaw_cli.config import agents

    config = _usable(paths, environ)
    chosen = agents.require_agent(config, agent) if agent else None
    return Patient(config, environ, now_ms, chosen)


def check_file(patient: Patient) -> Iterator[Finding]:
    """The configuration file: readable, valid, and meant so."""
    from openclaw_cli.config import report
    from openclaw_cli.config.load import load

    try:
        load(patient.paths, validate=False, environ=patient.environ)
    except OpenClawError as error:
        found = of_error("config-invalid", ERROR, error)
        yield found._replace(message=f"{found.message}; the rest of this goes by the defaults")
        return
    document = report.validation_report(patient.paths, patient.environ)
    path = document["path"]
    if not patient.paths.state_dir.is_dir():
        message = f"there is no state tree at {patient.paths.state_dir}"
        yield Finding("tree-missing", INFO, message, fix="openclaw setup")
    elif not document["valid"] and not patient.config.exists and not _is_there(patient, path):
        message = "there is no configuration; the defaults hold"
        yield Finding("config-missing", INFO, message, path, "openclaw setup")
        return
    for issue in document.get("issues", []) if _is_there(patient, path) else []:
        place = issue["path"]
        fix = f"openclaw config unset {place}, or set it anew"
        yield Finding("config-invalid", ERROR, f"{place}: {issue['message']}", path, fix)
    for issue in document["warnings"]:
        message = f"{issue['path']}: {issue['message']}" if issue["path"] else issue["message"]
        yield Finding("config-warning", WARN, message, path, "openclaw config validate")


def check_dotenv(patient: Patient) -> Iterator[Finding]:
    """The file that secrets come from: lines that set nothing. No line is ever shown."""
    from openclaw_cli.config import secrets
    from openclaw_cli.state import files

    path = patient.paths.under(".env")
    try:
        text = files.read_text(path, what="environment file") or ""
    except OpenClawError as error:
        yield of_error("env-unreadable", WARN, error)
        return
    odd = [
        number
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#") and not secrets.parse_dotenv(line)
    ]
    if odd:
        which = ", ".join(map(str, odd[:5])) + (", ..." if len(odd) > 5 else "")
        message = f"{counted(len(odd), 'line')} of .env set nothing (line {which})"
        yield Finding("env-unreadable-lines", WARN, message, str(path), "write them as NAME=value")


def check_remote(patient: Patient) -> Iterator[Finding]:
    """Whether the sessions that count are on another host."""
    from openclaw_cli.sessions import reading

    note = reading.remote_note(patient.config)
    if note:
        fix = "run openclaw on that host, for example over ssh"
        yield Finding("gateway-remote", INFO, note, fix=fix)


CHECKS = (check_file, check_dotenv, check_remote)


def _is_there(patient: Patient, path: str) -> bool:
    import os

    return os.path.lexists(path) or os.path.lexists(patient.config.path)


def _usable(paths: Paths, environ: Mapping[str, str]) -> Config:
    """The configuration without what is wrong in it; an empty one when it cannot be read."""
    from openclaw_cli.config import validation
    from openclaw_cli.config.load import Config, load

    try:
        config = load(paths, validate=False, environ=environ)
    except OpenClawError:
        return Config(paths, paths.under("openclaw.json"), None, environ=environ)
    if not validation.check(config).issues:
        return config
    config.data = copy.deepcopy(config.data)
    for _ in range(_ROUNDS):
        issues = validation.check(config).issues
        if not issues:
            return config
        # From the end, so that the places of list items before them stay what they are.
        for issue in reversed(issues):
            _take_out(config.data, issue.path)
    config.data = {}
    return config


def _take_out(data: dict[str, Any], place: str) -> None:
    """Remove the value at ``place``, or the whole block when the place is no plain path."""
    from openclaw_cli.config import load, paths
    from openclaw_cli.errors import UsageProblem

    try:
        keys = paths.parse(place)
    except UsageProblem:
        keys = (place.partition(".")[0].partition("[")[0],)
    parent: Any = load.dig(data, keys[:-1])
    if load.dig(data, keys) is None and not (isinstance(parent, dict) and keys[-1] in parent):
        data.pop(str(keys[0]), None)
    else:
        del parent[keys[-1]]
