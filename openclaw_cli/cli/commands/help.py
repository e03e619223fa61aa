"""``openclaw help``: the help of a command, or a manual page by its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import command, completed
from openclaw_cli.errors import UnknownName

SHORT_NAMES = {"state": "openclaw-state", "jobs-manual": "openclaw-jobs(7)"}


@command("help")
@click.argument("topic", nargs=-1, metavar="[TOPIC]...", shell_complete=completed("topics"))
@click.pass_context
def cli(ctx: click.Context, topic: tuple[str, ...], as_json: bool) -> None:
    """Show help for a command, or a manual page.

    \b
    Examples:
      openclaw help                     all commands
      openclaw help sessions cleanup    one command
      openclaw help state               every file of the tree (openclaw-state)
      openclaw help jobs-manual         the background jobs (openclaw-jobs)
    """
    app: App = ctx.obj
    page = _page_named(topic)
    text = _help_of(ctx.find_root(), topic) if page is None else _formatted(page)
    document = {"topic": " ".join(topic), "text": text}
    app.emit(document, as_json=as_json, render=lambda shown: shown["text"].splitlines())


def manual_dir() -> Path | None:
    """Where the manual pages are: in the package's data, or in the checkout."""
    import sysconfig

    here = Path(__file__).parents  # [3] is the checkout, or site-packages below a prefix
    places = [
        here[3] / "man",
        *(prefix / "share" / "man" for prefix in here[4:7]),
        Path(sysconfig.get_path("data")) / "share" / "man",
    ]
    return next((place for place in places if _pages(place)), None)


def _help_of(root: click.Context, topic: tuple[str, ...]) -> str:
    found: click.Command = root.command
    ctx = root
    for place, word in enumerate(topic):
        inner = found.get_command(ctx, word) if isinstance(found, click.Group) else None
        if inner is None:
            raise UnknownName(
                f"no help on {' '.join(topic[: place + 1])!r}", hint=_nearest(found, ctx, word)
            )
        ctx = click.Context(inner, info_name=word, parent=ctx)
        found = inner
    return found.get_help(ctx)


def _nearest(found: click.Command, ctx: click.Context, word: str) -> str:
    from difflib import get_close_matches

    names = found.list_commands(ctx) if isinstance(found, click.Group) else []
    near = get_close_matches(word, [*names, *SHORT_NAMES], n=3)
    return f"did you mean {' or '.join(near)}?" if near else "openclaw help lists the commands"


def _page_named(topic: tuple[str, ...]) -> Path | None:
    """The manual page that ``topic`` names: ``state``, ``openclaw-state``, ``sessions(1)``..."""
    if len(topic) != 1:
        return None
    import re

    word = SHORT_NAMES.get(topic[0], topic[0])
    match = re.fullmatch(r"(?:openclaw-)?([a-z]+)(?:\(?([157])\)?)?", word.replace(".", ""))
    is_page = word.startswith("openclaw") or word.endswith(")") or word != topic[0]
    folder = manual_dir() if match and is_page else None
    if match is None or folder is None:
        return None
    stem = "openclaw" if match[1] == "openclaw" else f"openclaw-{match[1]}"
    sections = match[2] or "751"  # 'openclaw help jobs' is the command: the other page is meant
    wanted = [f"{stem}.{section}" for section in sections]
    found = {page.name: page for page in _pages(folder)}
    return next((found[name] for name in wanted if name in found), None)


def _pages(folder: Path) -> list[Path]:
    return [*folder.glob("openclaw*.[157]"), *folder.glob("man[157]/openclaw*.[157]")]


def _formatted(page: Path) -> str:
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
                import re

                return re.sub(".\b", "", done.stdout)
    return page.read_text()
