"""The strict blocks as a JSON Schema, for editors and for ``config schema``."""

from __future__ import annotations

from typing import Any

from openclaw_cli.config.schema import Kind, expected
from openclaw_cli.config.tree import ROOT

_PLAIN: dict[str, dict[str, Any]] = {
    "any": {},
    "bool": {"type": "boolean"},
    "text": {"type": "string"},
    "duration": {"type": ["string", "number"]},
    "size": {"type": ["string", "number"]},
    "clock": {"type": "string", "pattern": "^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$"},
    "zone": {"type": "string"},
    "cron": {"type": "string"},
}


def export() -> dict[str, Any]:
    """The schema of the whole file: strict where it is checked strictly, else open."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "OpenClaw configuration: the blocks that openclaw-cli checks",
        **_schema(ROOT),
    }


def _schema(kind: Kind) -> dict[str, Any]:
    if kind.name in ("integer", "number"):
        bounds = {"minimum": kind.low, "maximum": kind.high}
        given = {name: bound for name, bound in bounds.items() if bound is not None}
        return {"type": kind.name, **given}
    if kind.name == "enum":
        return {"enum": list(kind.options)}
    if kind.name == "either":
        return {"anyOf": [_schema(option) for option in kind.options]}
    if kind.name == "list":
        return {"type": "array", "items": _schema(kind.item) if kind.item else {}}
    if kind.name == "map":
        return {"type": "object", "additionalProperties": _schema(kind.item) if kind.item else {}}
    if kind.name in ("object", "open"):
        return _object(kind)
    described = {"description": expected(kind)} if kind.name != "any" else {}
    return {**_PLAIN[kind.name], **described}


def _object(kind: Kind) -> dict[str, Any]:
    properties = {name: _schema(below) for name, below in kind.keys.items()}
    # A block in the wrong place is an error, so its name is not allowed there.
    refused = {name: False for name in kind.homes if name not in kind.keys}
    schema: dict[str, Any] = {"type": "object", "properties": {**properties, **refused}}
    if kind.name == "object":
        schema["additionalProperties"] = False
    return schema
