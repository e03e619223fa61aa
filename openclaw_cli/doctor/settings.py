"""The configuration: can it be read, is it valid, is it meant.

Also makes the ``Patient`` that the other checks examine: with the values that are wrong
taken out, so that a typing mistake does not hide the rest of the tree.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from openclaw_cli.doctor.finding import ERROR, INFO, WARN, Finding, Patient
from openclaw_cli.errors import OpenClawError

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
        fix = f"openclaw config unset {place}, or set it anew" if place else "correct that line"
        message = f"{place}: {issue['message']}" if place else issue["message"]
        yield Finding("config-invalid", ERROR, message, path, fix)
    for issue in document["warnings"]:
        message = f"{issue['path']}: {issue['message']}" if issue["path"] else issue["message"]
        yield Finding("config-warning", WARN, message, path, "openclaw config validate")


def check_remote(patient: Patient) -> Iterator[Finding]:
    """Whether the sessions that count are on another host."""
    from openclaw_cli.sessions import reading

    note = reading.remote_note(patient.config)
    if note:
        yield Finding("gateway-remote", INFO, note)


CHECKS = (check_file, check_remote)


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
