"""What a message asks of the program rather than of the model. Pure.

Slash commands and abort phrases of ``sessions.md`` 10. A command is a message of its own:
a slash word further inside is text, and an unknown one goes to the model.
"""

from __future__ import annotations

import re

from openclaw_cli.state.tuples import NamedTuple

COMMANDS = (
    "status", "context", "stop", "compact", "send", "new", "reset", "dreaming", "help",
)  # fmt: skip
RESETS = ("new", "reset")

_COMMAND = re.compile(r"/([A-Za-z][\w-]*)(?:@[\w.-]+)?(?:\s*:\s*|\s+|$)(.*)", re.DOTALL)
_ENDING = "".join((".!?…,", "，。;；:：'\"’”)]}", "！？"))
_EXACT = frozenset(
    (
        "stop", "esc", "abort", "exit", "interrupt", "wait", "please stop", "stop please",
        "stop openclaw", "openclaw stop", "stop action", "stop current action", "stop run",
        "stop current run", "stop agent", "stop the agent", "stop don't do anything",
        "stop dont do anything", "stop do not do anything", "stop doing anything",
        "do not do that", "detente", "deten", "detén", "arrete", "arrête", "停止", "停下来",
        "暂停", "やめて", "止めて", "रुको", "توقف", "стоп", "остановись", "останови",
        "остановить", "прекрати", "halt", "anhalten", "aufhören", "hoer auf", "stopp", "pare",
    )
)  # fmt: skip


class Command(NamedTuple):
    """A slash command: its lower-case name, its arguments, and all text behind the name."""

    name: str
    words: list[str]
    rest: str


def parse_command(text: str) -> Command | None:
    """The known command that ``text`` begins with, None for anything else.

    ``/cmd: rest`` and ``/cmd@bot rest`` are ``/cmd rest``; only the first line counts for
    the words, while ``rest`` keeps everything (``/new`` and ``/compact`` pass it on).
    """
    found = _COMMAND.match(text.strip())
    if found is None or found[1].lower() not in COMMANDS:
        return None
    rest = found[2].strip()
    first_line = rest.partition("\n")[0]
    return Command(found[1].lower(), first_line.split(), rest)


def is_abort(text: str) -> bool:
    """Whether the whole message means: stop what you are doing."""
    plain = " ".join(text.lower().replace("’", "'").replace("‘", "'").split())
    plain = plain.rstrip(_ENDING + " ")
    return plain in _EXACT or plain == "/stop"
