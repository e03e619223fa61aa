"""What ``--json`` promises (``docs/json.md``), as a check that any test can make.

The schemas are those that users get: ``docs/schema/index.json`` names the one of each
command.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import click
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from openclaw_cli.cli.main import cli

SCHEMAS = Path(__file__).parents[1] / "docs" / "schema"
INDEX: dict[str, str] = json.loads((SCHEMAS / "index.json").read_text())


@cache
def validator(name: str) -> Draft202012Validator:
    """The validator of one schema file."""
    shared = Resource.from_contents(json.loads((SCHEMAS / "definitions.json").read_text()))
    registry = Registry().with_resource("definitions.json", shared)
    return Draft202012Validator(json.loads((SCHEMAS / name).read_text()), registry=registry)


def violations(argv: Sequence[str], *, out: str, err: str) -> list[str]:
    """What breaks the promise in the output of a run with ``--json``, a line each."""
    command = command_of(argv)
    if out:
        return [f"{command}: {line}" for line in _mismatches(INDEX[command], out)]
    lines = err.splitlines() or [""]
    return [f"{command}: error: {line}" for line in _mismatches("error.json", lines[-1])]


def _mismatches(schema: str, text: str) -> Iterator[str]:
    try:
        document = json.loads(text)
    except ValueError as error:
        yield f"no JSON document ({error}): {text[:200]!r}"
        return
    for found in validator(schema).iter_errors(document):
        yield f"{schema}: {found.json_path}: {found.message[:300]}"


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command that runs, by its words; groups only when they do something alone."""
    yield from _below(cli, click.Context(cli), [])


def _below(
    found: click.Command, ctx: click.Context, words: list[str]
) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(found, click.Group):
        yield " ".join(words), found
        return
    if found.invoke_without_command:
        yield " ".join(words), found
    for name in found.list_commands(ctx):
        inner = found.get_command(ctx, name)
        assert inner is not None
        yield from _below(inner, ctx, [*words, name])


def command_of(argv: Sequence[str]) -> str:
    """The words of ``argv`` that name the command."""
    found: click.Command = cli
    words: list[str] = []
    rest = list(argv)
    while rest and isinstance(found, click.Group):
        word = rest.pop(0)
        if word.startswith("-"):
            taker = next((p for p in found.params if word in p.opts), None)
            if isinstance(taker, click.Option) and not (taker.is_flag or taker.count):
                rest.pop(0)
            continue
        inner = found.get_command(click.Context(found), word)
        if inner is None:
            break
        words, found = [*words, word], inner
    return " ".join(words)
