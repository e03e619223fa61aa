"""Paths to a setting, as people write them: ``agents.list[1].workspace``.

Dots separate keys, numeric ones too; ``[n]`` addresses a list item; anything else is no
path. ``cli.`` stands for the place of the settings that only this program has
(``design.md`` 3).
"""

from __future__ import annotations

import re

from openclaw_cli.config import OWN_BLOCK
from openclaw_cli.errors import UsageProblem

Place = tuple[str | int, ...]


def parse(text: str) -> Place:
    """The keys and indexes of a path; ``UsageProblem`` when it is none."""
    place: list[str | int] = []
    for segment in text.strip().split("."):
        match = re.fullmatch(r"([^.\[\]]+)((?:\[(?:0|[1-9][0-9]*)\])*)", segment)
        if match is None or not match.group(1).strip():
            raise UsageProblem(
                f"{text!r} is no config path",
                hint="write it as session.reset.mode, or agents.list[0].workspace for a list item",
            )
        place.append(match.group(1))
        place.extend(int(index) for index in re.findall(r"[0-9]+", match.group(2)))
    if place[0] == "cli":
        return (*OWN_BLOCK, *place[1:])
    return tuple(place)


def render(place: Place) -> str:
    """The text of a path, in its long form."""
    text = ""
    for key in place:
        if isinstance(key, int):
            text += f"[{key}]"
        else:
            text += f".{key}" if text else key
    return text
