"""Process entry: signals and exceptions become exit statuses; the only ``sys.exit``.

Exit statuses are those of ``design.md`` 3: 0 done, 1 failed, 2 wrong usage, 3 (dry run
with ``--exit-code``) something to do, 75 busy, 130 interrupted, 141 reader gone, 143
terminated.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Sequence
from typing import Any

import click

from openclaw_cli import __version__
from openclaw_cli.cli.app import App
from openclaw_cli.cli.index import COMMANDS
from openclaw_cli.cli.options import CONTEXT_SETTINGS, Group
from openclaw_cli.cli.output import PIPE_CLOSED, silence_stdout
from openclaw_cli.errors import Interrupted, OpenClawError, UsageProblem

COMPLETE_VARIABLE = "_OPENCLAW_COMPLETE"


@click.group(cls=Group, index=COMMANDS, context_settings=CONTEXT_SETTINGS, name="openclaw")
@click.version_option(__version__, "-V", "--version", prog_name="openclaw")
@click.pass_context
def cli(ctx: click.Context, as_json: bool) -> None:
    """Sessions, memory, dreaming, follow-ups and heartbeats of a personal AI agent.

    Every command reads the state tree (~/.openclaw), does one thing and exits.

    \b
    Examples:
      openclaw setup                      start a tree
      openclaw status                     see everything at a glance
      openclaw dreaming sweep --dry-run   what tonight's sweep would do
      openclaw sessions --json | jq .     sessions for a pipeline
    """


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its status."""
    status = run(sys.argv[1:] if argv is None else list(argv))
    # The interpreter looks through every object once more before it ends: a sixth of a small
    # run, for memory that the system takes back anyway. Frozen objects are passed over.
    gc.freeze()
    sys.exit(status)


def run(argv: list[str]) -> int:
    """Run ``argv``; the exit status. Errors become one line on stderr."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)
    if COMPLETE_VARIABLE in os.environ:
        return _complete()
    app = App()
    as_json = _wants_json(argv)
    try:
        return _invoke(argv, app)
    except Interrupted as stop:
        return stop.exit_status
    except BrokenPipeError:  # help and usage texts are written by click itself
        silence_stdout()
        return PIPE_CLOSED
    except (KeyboardInterrupt, click.Abort):
        return 130
    except click.exceptions.NoArgsIsHelpError as bare:  # a group alone: its help, as it is
        app.out.usage(bare.format_message())
        return UsageProblem.exit_status
    except click.UsageError as error:
        app.out.error(_usage(error), as_json=as_json)
        return UsageProblem.exit_status
    except click.ClickException as error:
        app.out.error(OpenClawError(error.format_message()), as_json=as_json)
        return error.exit_code
    except OpenClawError as error:
        if os.environ.get("OPENCLAW_DEBUG"):
            _show_traceback()
        app.out.error(error, as_json=as_json)
        return error.exit_status
    except OSError as error:  # the output itself: a full disk behind a redirection
        app.out.error(_refused(error), as_json=as_json)
        return 1
    except Exception as error:  # noqa: BLE001 - the outermost frame: a bug ends as one line too
        if os.environ.get("OPENCLAW_DEBUG"):
            _show_traceback()
        app.out.error(_bug(error), as_json=as_json)
        return 1


def _invoke(argv: list[str], app: App) -> int:
    try:
        with cli.make_context("openclaw", argv, obj=app) as ctx:
            cli.invoke(ctx)
    except click.exceptions.Exit as done:
        return done.exit_code
    return 0


def _complete() -> int:
    """Answer the shell's question behind the TAB key."""
    from click.shell_completion import shell_complete

    from openclaw_cli.cli import shells

    shells.register()
    return shell_complete(
        cli, {"obj": App()}, "openclaw", COMPLETE_VARIABLE, os.environ[COMPLETE_VARIABLE]
    )


def _stop(number: int, _frame: Any) -> None:
    # A second signal must not cut the clean-up of the first one short.
    signal.signal(number, signal.SIG_IGN)
    raise Interrupted(130 if number == signal.SIGINT else 128 + number)


def _wants_json(argv: Sequence[str]) -> bool:
    options = argv[: argv.index("--")] if "--" in argv else argv
    return "--json" in options


def _usage(error: click.UsageError) -> UsageProblem:
    path = error.ctx.command_path if error.ctx else "openclaw"
    return UsageProblem(error.format_message(), hint=f"try '{path} --help'")


def _refused(error: OSError) -> OpenClawError:
    where = f" {error.filename}" if error.filename else ""
    return OpenClawError(
        f"the operating system refused{where}: {error.strerror or error}", code="refused"
    )


def _bug(error: Exception) -> OpenClawError:
    return OpenClawError(
        f"internal error: {type(error).__name__}: {error}",
        hint="OPENCLAW_DEBUG=1 shows where; please report it",
        code="internal",
    )


def _show_traceback() -> None:
    import traceback

    sys.stderr.write(traceback.format_exc())
