"""Write the manual pages from the live commands and the hand-written sections.

    python man/build.py              write man/openclaw*.1
    python man/build.py --check      exit 1 when a page is not what would be written

One page for ``openclaw`` and one for each top-level command, subcommands included. What the
program cannot tell stands in ``<page>.inc`` (sections in man(7) source, ``.SH`` by ``.SH``)
and, for every page without such a section of its own, in ``common.inc``. The date is that of
the release in CHANGELOG.md, or SOURCE_DATE_EPOCH when pages are written.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

from openclaw_cli import __version__
from openclaw_cli.cli.index import COMMANDS
from openclaw_cli.cli.main import cli
from openclaw_cli.cli.options import Group

HERE = Path(__file__).parent
CHANGELOG = HERE.parent / "CHANGELOG.md"
WIDTH = 79
EVERYWHERE = {"--help", "--json", "-v", "--no-color"}  # told once, in openclaw(1)
ORDER = (
    "NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "*", "EXAMPLES", "EXIT STATUS",
    "FILES", "ENVIRONMENT", "NOTES", "SEE ALSO",
)  # fmt: skip
BY_HAND = ("openclaw-state.5", "openclaw-jobs.7")


class Described(NamedTuple):
    """A help text cut into paragraphs and the example lines at its end."""

    paragraphs: list[str]
    examples: list[str]


def pages(date: str) -> Iterator[tuple[str, str]]:
    """The name and the text of every generated page."""
    root = click.Context(cli, info_name="openclaw")
    yield "openclaw.1", page("openclaw", cli, root, date)
    for name in COMMANDS:
        command = found(cli, root, name)
        inner = click.Context(command, info_name=name, parent=root)
        yield f"openclaw-{name}.1", page(f"openclaw-{name}", command, inner, date)


def page(name: str, command: click.Command, ctx: click.Context, date: str) -> str:
    """One page: generated and hand-written sections in the usual order."""
    sections = {
        "NAME": [f"{escaped(name)} \\- {escaped(summary(command, ctx))}"],
        "SYNOPSIS": list(synopsis(command, ctx)),
        "DESCRIPTION": list(description(command)),
        "COMMANDS": list(subcommands(command, ctx)),
        "OPTIONS": list(options(command)),
        "EXAMPLES": list(shown(described(command).examples))[1:],
    }
    own = by_hand(f"{name}.inc")
    for title, body in (by_hand("common.inc") | own).items():
        if title == "EXAMPLES" and sections[title]:
            sections[title] += body
        else:
            sections[title] = body
    own_titles = [title for title in sections if title not in ORDER]
    titles: list[str] = []
    for title in ORDER:
        titles += own_titles if title == "*" else [title]
    head = f'.TH {name.upper()} 1 {date} "openclaw-cli {__version__}" "OpenClaw Manual"'
    lines = ['.\\" Written by man/build.py from the commands and man/*.inc: change those.', head]
    for title in titles:
        if sections.get(title):
            lines += [f'.SH "{title}"' if " " in title else f".SH {title}", *sections[title]]
    return "\n".join(folded(lines)) + "\n"


def folded(lines: list[str]) -> Iterator[str]:
    """``lines`` with long running text cut into short lines; what keeps its form stays."""
    keeps_form = is_tag = False
    for line in lines:
        if line.startswith((".nf", ".fi")):
            keeps_form = line.startswith(".nf")
        whole = keeps_form or is_tag or line.startswith(".") or len(line) < WIDTH
        is_tag = line.startswith(".TP")
        if whole:
            yield line
            continue
        words = re.split(r"(?<!\\) ", line)  # a space behind a backslash holds words together
        part = words[0]
        for word in words[1:]:
            if len(part) + 1 + len(word) > WIDTH:
                yield part
                part = protected(word)
            else:
                part += f" {word}"
        yield part


def summary(command: click.Command, ctx: click.Context) -> str:
    """The one line after the name."""
    entry = COMMANDS.get(ctx.info_name or "") if ctx.parent else None
    text = entry.summary if entry else described(command).paragraphs[0]
    return text.rstrip(".")[:1].lower() + text.rstrip(".")[1:]


def synopsis(command: click.Command, ctx: click.Context) -> Iterator[str]:
    """How the command, and each of its subcommands, is written."""
    if not isinstance(command, Group):
        yield usage(command, ctx)
        return
    if command is cli or command.invoke_without_command:
        yield usage(command, ctx)
        if command is cli:
            return
        yield ".br"
    for number, (inner, inner_ctx) in enumerate(walk(command, ctx)):
        if number:
            yield ".br"
        yield usage(inner, inner_ctx)


def usage(command: click.Command, ctx: click.Context) -> str:
    """One line of a synopsis: options have brackets, arguments are as the help names them."""
    parts = [f"\\fB{escaped(path_of(ctx))}\\fR"]
    parts += [
        f"[{option_words(param, ' | ')}]"
        for param in command.params
        if isinstance(param, click.Option) and is_told(param)
    ]
    parts += [
        f"\\fI{escaped(argument_word(param, ctx))}\\fR"
        for param in command.params
        if isinstance(param, click.Argument)
    ]
    if isinstance(command, Group):
        parts.append("[\\fICOMMAND\\fR]" if command.invoke_without_command else "\\fICOMMAND\\fR")
    return " ".join(parts)


def argument_word(param: click.Argument, ctx: click.Context) -> str:
    """An argument as help shows it; optional ones in brackets."""
    return param.make_metavar(ctx)


def description(command: click.Command) -> Iterator[str]:
    """The paragraphs of the help text."""
    for number, paragraph in enumerate(described(command).paragraphs):
        if number:
            yield ".PP"
        yield protected(escaped(paragraph))


def subcommands(command: click.Command, ctx: click.Context) -> Iterator[str]:
    """Every subcommand with its description, options and examples; the index for the root."""
    if command is cli:
        for name, entry in COMMANDS.items():
            yield from (".TP", f"\\fBopenclaw\\-{escaped(name)}\\fR(1)", escaped(entry.summary))
        return
    if not isinstance(command, Group):
        return
    for inner, inner_ctx in walk(command, ctx):
        yield f'.SS "{escaped(words_after(inner_ctx, ctx))}"'
        yield from description(inner)
        yield from options(inner)
        examples = described(inner).examples
        if examples:
            yield from (".PP", "Examples:" if len(examples) > 1 else "Example:")
            yield from shown(examples)


def options(command: click.Command) -> Iterator[str]:
    """The options that only this command has."""
    for param in command.params:
        if not isinstance(param, click.Option) or not is_told(param):
            continue
        yield from (".TP", option_words(param, ", "))
        yield protected(escaped(param.help or "")) or "\\&"


def option_words(param: click.Option, between: str) -> str:
    """The names of an option, with the word for its value."""
    names = between.join(
        f"\\fB{escaped(name)}\\fR" for name in [*param.opts, *param.secondary_opts]
    )
    if param.is_flag or param.count:
        return names
    if isinstance(param.type, click.Choice):
        word = "|".join(str(choice) for choice in param.type.choices)
    else:
        word = param.metavar or param.type.name.upper()
    return f"{names} \\fI{escaped(word)}\\fR"


def is_told(param: click.Option) -> bool:
    """Whether an option is described with its command, not in openclaw(1)."""
    return not param.hidden and not EVERYWHERE & set(param.opts)


def described(command: click.Command) -> Described:
    """The help text of a command, cut."""
    text = (command.help or "").replace("\f", "").strip()
    paragraphs: list[str] = []
    examples: list[str] = []
    for block in re.split(r"\n\s*\n", text):
        if block.lstrip().startswith("\b"):
            lines = block.lstrip().removeprefix("\b").strip("\n").splitlines()
            if lines and re.fullmatch(r"\s*Examples?:", lines[0]):
                examples += [line.strip() for line in lines[1:]]
                continue
            paragraphs += [" ".join(line.strip().split()) for line in lines]
        elif block.strip():
            paragraphs.append(" ".join(block.split()))
    return Described(paragraphs, examples)


def shown(examples: list[str]) -> Iterator[str]:
    """Lines that keep their form."""
    if examples:
        yield from (".PP", ".RS 4", ".nf")
        yield from (protected(escaped(line)) for line in examples)
        yield from (".fi", ".RE")


def walk(command: Group, ctx: click.Context) -> Iterator[tuple[click.Command, click.Context]]:
    """All commands below a group that are no groups themselves, or run without a subcommand."""
    for name in command.list_commands(ctx):
        inner = found(command, ctx, name)
        if inner.hidden:
            continue
        inner_ctx = click.Context(inner, info_name=name, parent=ctx)
        if isinstance(inner, Group):
            yield from walk(inner, inner_ctx)
        else:
            yield inner, inner_ctx


def found(group: Group, ctx: click.Context, name: str) -> click.Command:
    """A command that the group lists."""
    command = group.get_command(ctx, name)
    if command is None:
        raise SystemExit(f"{path_of(ctx)} lists {name}, but has no such command")
    return command


def words_after(ctx: click.Context, outer: click.Context) -> str:
    """The words of a command below another one."""
    return path_of(ctx)[len(path_of(outer)) :].strip()


def path_of(ctx: click.Context) -> str:
    """The words that start a command, without the arguments of the groups around it."""
    before = path_of(ctx.parent) + " " if ctx.parent else ""
    return before + (ctx.info_name or "")


def by_hand(name: str) -> dict[str, list[str]]:
    """The sections of an ``.inc`` file: title to lines."""
    path = HERE / name
    sections: dict[str, list[str]] = {}
    title = ""
    for line in path.read_text().splitlines() if path.exists() else ():
        if line.startswith(".SH "):
            title = line[4:].strip().strip('"')
            sections[title] = []
        elif not line.startswith('.\\"'):
            sections[title].append(line)
    return sections


def escaped(text: str) -> str:
    """``text`` for roff: backslashes, hyphens of options, and characters beyond ASCII."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("~", "\\(ti").replace("^", "\\(ha")
    text = text.replace("`", "\\(ga").replace("'", "\\(aq")
    return "".join(ch if ch.isascii() else f"\\[u{ord(ch):04X}]" for ch in text)


def protected(line: str) -> str:
    """A line that must not be taken for a request."""
    return f"\\&{line}" if line.startswith((".", "'")) else line


def release_date() -> str:
    """The date of this release in the changelog."""
    match = re.search(rf"^## \[{re.escape(__version__)}\] - (\S+)$", CHANGELOG.read_text(), re.M)
    if match is None:
        raise SystemExit(f"CHANGELOG.md has no date for {__version__}")
    return match[1]


def main() -> int:
    """Write or check the pages."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="exit 1 when a page is stale")
    parser.add_argument("--into", type=Path, default=HERE, help="folder to write to")
    wishes = parser.parse_args()
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    date = release_date()
    if epoch and not wishes.check:
        date = datetime.datetime.fromtimestamp(int(epoch), datetime.UTC).date().isoformat()
    wanted = dict(pages(date))
    stale = sorted(
        name
        for name in wanted.keys() | {path.name for path in wishes.into.glob("*.1")}
        if wanted.get(name) != _text(wishes.into / name)
    )
    if wishes.check:
        for name in stale:
            sys.stderr.write(f"{wishes.into / name} is stale: run 'make man'\n")
        return 1 if stale else 0
    wishes.into.mkdir(parents=True, exist_ok=True)
    for name in stale:
        if name in wanted:
            (wishes.into / name).write_text(wanted[name])
        else:
            (wishes.into / name).unlink()
    return 0


def _text(path: Path) -> str | None:
    return path.read_text() if path.exists() else None


if __name__ == "__main__":
    raise SystemExit(main())
