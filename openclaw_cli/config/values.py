"""Reading a value that a person typed, by what the setting takes (``commands.md``)."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any, NoReturn

from openclaw_cli.config import json5, schema, validation
from openclaw_cli.config.masking import MASK
from openclaw_cli.config.schema import Kind
from openclaw_cli.config.units import MAX_EXACT
from openclaw_cli.errors import UsageProblem

Place = tuple[str | int, ...]


def kind_at(place: Place) -> Kind | None:
    """What the setting at ``place`` takes; None for a key that its strict block lacks."""
    from openclaw_cli.config.tree import ROOT

    kind: Kind | None = ROOT
    for key in place:
        if kind is None:
            return None
        kind = schema.child(kind, key)
    return kind


def read_value(text: str, place: Place, *, strict_json: bool) -> Any:
    """The value that ``text`` stands for at ``place``.

    JSON5 when it parses and the setting takes such a value, else the text itself, which
    the check of the whole configuration may refuse. ``strict_json`` wants JSON.
    """
    if MASK in text:
        raise UsageProblem(
            f"{MASK} stands for a secret that was hidden; it is no value",
            hint="give the secret itself, or ${NAME} of a variable that holds it",
        )
    if strict_json:
        return _read_json(text)
    try:
        value = json5.parse(text).value
    except json5.Json5Error:
        return text
    if isinstance(value, float) and not isfinite(value):
        return text  # no file could hold it
    kind = kind_at(place)
    if kind is None:
        return value
    if kind.name == "any":
        return value if _is_exact(value) else text
    return text if not validation.fits(kind, value) and validation.fits(kind, text) else value


def _read_json(text: str) -> Any:
    def refuse(word: str) -> NoReturn:
        raise ValueError(f"{word} is no JSON")

    try:
        return json.loads(text, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise UsageProblem(
            f"VALUE is no JSON: {error}", hint="--strict-json wants text in double quotes"
        ) from None


def _is_exact(value: Any) -> bool:
    """Whether every program reads the number back as it is; long ids are text."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return True
    return isfinite(value) and (isinstance(value, float) or abs(value) <= MAX_EXACT)
