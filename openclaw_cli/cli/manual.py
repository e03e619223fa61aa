"""The manual pages: their short names, where they are, and how one is shown as text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

SHORT_NAMES = {"state": "openclaw-state", "jobs-manual": "openclaw-jobs(7)"}


def page_named(topic: str) -> Path | None:
    """The manual page that ``topic`` names: ``state``, ``openclaw-state``, ``sessions(1)``..."""
    word = SHORT_NAMES.get(topic, topic)
    match = re.fullmatch(r"(?:openclaw-)?([a-z]+)(?:\(?([157])\)?)?", word.replace(".", ""))
    is_page = word.startswith("openclaw") or word.endswith(")") or word != topic
    folder = _folder() if match and is_page else None
    if match is None or folder is None:
        return None
    stem = "openclaw" if match[1] == "openclaw" else f"openclaw-{match[1]}"
    sections = match[2] or "751"  # 'openclaw help jobs' is the command: the other page is meant
    wanted = [f"{stem}.{section}" for section in sections]
    found = {page.name: page for page in _pages(folder)}
    return next((found[name] for name in wanted if name in found), None)


def formatted(page: Path) -> str:
    """A page as text: by mandoc or man where there is one, else its source."""
    import shutil
    import subprocess

    attempts: list[tuple[str, list[Any]]] = [
        ("mandoc", ["mandoc", "-Tutf8", page]),
        ("man", ["man", "--local-file", page]),
    ]
    for program, words in attempts:
        if shutil.which(program):
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            if done.returncode == 0 and done.stdout:
                # Overstruck characters are for pagers, not for a pipe.
                return re.sub(".\b", "", done.stdout)
    return page.read_text()


def _folder() -> Path | None:
    """Where the manual pages are: in the package's data, or in the checkout."""
    import sysconfig

    here = Path(__file__).parents  # [2] is the checkout, or site-packages below a prefix
    places = [
        here[2] / "man",
        *(prefix / "share" / "man" for prefix in here[3:6]),
        Path(sysconfig.get_path("data")) / "share" / "man",
    ]
    return next((place for place in places if _pages(place)), None)


def _pages(folder: Path) -> list[Path]:
    return [*folder.glob("openclaw*.[157]"), *folder.glob("man[157]/openclaw*.[157]")]
