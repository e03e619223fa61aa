"""``openclaw help``: the help of a command, or a manual page by its name."""

from __future__ import annotations

import click

from openclaw_cli.cli import manual
from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import command, completed
from openclaw_cli.errors import UnknownName


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
    page = manual.page_named(*topic) if len(topic) == 1 else None
    text = _help_of(ctx.find_root(), topic) if page is None else manual.formatted(page)
    document = {"topic": " ".join(topic), "text": text}
    app.emit(document, as_json=as_json, render=lambda shown: shown["text"].splitlines())


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
    near = get_close_matches(word, [*names, *manual.SHORT_NAMES], n=3)
    return f"did you mean {' or '.join(near)}?" if near else "openclaw help lists the commands"
