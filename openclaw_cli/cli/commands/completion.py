"""``openclaw completion``: the script that teaches a shell the TAB key."""

from __future__ import annotations

import os

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import command, option
from openclaw_cli.errors import UsageProblem

SHELLS = ("bash", "zsh", "fish")


@command("completion")
@click.argument("shell", required=False, type=click.Choice(SHELLS))
@option("--shell", "shell_option", type=click.Choice(SHELLS), help="The shell, as an option.")
@click.pass_obj
def cli(app: App, shell: str | None, shell_option: str | None, as_json: bool) -> None:
    """Print the completion script for bash, zsh or fish (default: your shell).

    \b
    Examples:
      eval "$(openclaw completion bash)"                                 # in ~/.bashrc
      openclaw completion zsh > "${fpath[1]}/_openclaw"
      openclaw completion fish > ~/.config/fish/completions/openclaw.fish
    """
    if shell and shell_option and shell != shell_option:
        raise UsageProblem("the shell is given twice")
    chosen = shell or shell_option or os.path.basename(app.environ.get("SHELL", ""))
    if chosen not in SHELLS:
        raise UsageProblem("which shell?", hint=f"name one of {', '.join(SHELLS)}")
    from openclaw_cli.cli.shells import SCRIPTS

    document = {"shell": chosen, "script": SCRIPTS[chosen]}
    app.emit(document, as_json=as_json, render=lambda shown: shown["script"].splitlines())
