"""What a command gets: paths, clock, settings and output, each made on first use."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click

from openclaw_cli.cli.output import Output
from openclaw_cli.state import clock
from openclaw_cli.state.paths import Paths

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config

WORK_TO_DO = 3


class App:
    """The surroundings of one run of a command."""

    def __init__(self) -> None:
        self.environ = os.environ
        self.no_color = False
        self.verbosity = 0

    @cached_property
    def paths(self) -> Paths:
        """Where the state tree is."""
        return Paths.from_env(self.environ)

    @cached_property
    def out(self) -> Output:
        """The writer to stdout and stderr."""
        return Output(no_color=self.no_color)

    @cached_property
    def config(self) -> Config:
        """The validated configuration; raises ``InvalidConfig``."""
        from openclaw_cli.config.load import load

        return load(self.paths)

    def now_ms(self) -> int:
        """The present instant, the same one for the whole run."""
        return self._now_ms

    @cached_property
    def _now_ms(self) -> int:
        return clock.now_ms()

    def emit(
        self,
        document: Any,
        *,
        as_json: bool,
        render: Callable[[Any], Iterable[str]],
    ) -> None:
        """Print a result: the document itself, or the lines that ``render`` makes of it."""
        if as_json:
            self.out.document(document)
        else:
            self.out.lines(render(document))

    def warn(self, text: str) -> None:
        """A remark on stderr, one line."""
        self.out.note(f"openclaw: {text}")

    def finish_dry_run(self, *, work: bool, exit_code: bool) -> None:
        """End a dry run: exit 3 when asked to and there is something to do, else go on."""
        if exit_code and work:
            raise click.exceptions.Exit(WORK_TO_DO)

    def finish(self, *, failed: bool) -> None:
        """End a run whose report is printed: exit 1 when some of its items failed."""
        if failed:
            raise click.exceptions.Exit(1)

    @contextmanager
    def progress(self, label: str, total: int) -> Iterator[Callable[[int], None]]:
        """A progress bar on stderr for work of over a second; silent without a terminal.

        Yields a function that takes how many more of ``total`` steps are done.
        """
        import sys

        if not sys.stderr.isatty() or total <= 0:
            yield lambda _steps: None
            return
        from rich.console import Console
        from rich.progress import Progress

        console = Console(stderr=True, no_color=self.no_color or None)
        with Progress(console=console, transient=True) as bar:
            task = bar.add_task(label, total=total)
            yield lambda steps: bar.advance(task, steps)
