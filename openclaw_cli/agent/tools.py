"""The tools that a model may use here: search memory, read it, append to today's note.

Nothing else: no shell, no files outside the workspace's memory (``sessions.md`` 14.2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from openclaw_cli.agent.chat_format import arguments_of
from openclaw_cli.errors import NotAllowed, OpenClawError
from openclaw_cli.state import clock, files, lock

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from openclaw_cli.config.load import Config
    from openclaw_cli.model.client import ToolCall

SEARCH, GET, APPEND = "memory_search", "memory_get", "memory_append"
APPEND_CHARS = 8_000
_MAX_RESULTS = 20


def _tool(name: str, description: str, required: str, **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": [required]}
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


DEFINITIONS = [
    _tool(
        SEARCH,
        "Search the owner's notes and long-term memory. Returns passages with path and lines.",
        "query",
        query={"type": "string"},
        maxResults={"type": "integer", "minimum": 1, "maximum": _MAX_RESULTS},
    ),
    _tool(
        GET,
        "Read lines of a memory file found by memory_search.",
        "path",
        path={"type": "string"},
        fromLine={"type": "integer", "minimum": 1},
        toLine={"type": "integer", "minimum": 1},
    ),
    _tool(
        APPEND,
        "Append a line or a few to today's memory note, to remember something. Never rewrites.",
        "text",
        text={"type": "string"},
    ),
]
APPEND_ONLY = [DEFINITIONS[2]]


@dataclass
class Toolbox:
    """Runs tool calls for one agent.

    ``allowed`` names the tools that were offered, ``extra`` runs those that are not here.
    """

    config: Config
    agent_id: str
    workspace: Path
    now_ms: int
    allowed: Sequence[str] = (SEARCH, GET, APPEND)
    extra: Mapping[str, Callable[[dict[str, Any]], str]] = field(default_factory=dict)

    def __call__(self, call: ToolCall) -> tuple[str, bool]:
        """The text of the result, and whether it is an error."""
        arguments = arguments_of(call)
        own = {SEARCH: self._search, GET: self._get, APPEND: self._append}
        runners = {**own, **self.extra}
        if call.name not in runners or call.name not in self.allowed:
            return f"there is no tool {call.name!r}", True
        try:
            return runners[call.name](arguments), False
        except OpenClawError as error:
            return error.message, True

    def _search(self, arguments: dict[str, Any]) -> str:
        from openclaw_cli.memory import search
        from openclaw_cli.state.jsonnum import dumps

        query = str(arguments.get("query") or "").strip()
        if not query:
            return "query is empty"
        limit = arguments.get("maxResults")
        wanted = min(limit, _MAX_RESULTS) if isinstance(limit, int) and limit > 0 else None
        memory = search.Memory(self.config, self.config.paths, self.agent_id, self.now_ms)
        outcome = search.search(memory, search.Query(query, max_results=wanted))
        search.record(memory, outcome, command="agent memory_search")
        return dumps(outcome.to_json(), indent=None)

    def _get(self, arguments: dict[str, Any]) -> str:
        from openclaw_cli.memory import reading, search

        first, last = arguments.get("fromLine"), arguments.get("toLine")
        wanted = str(arguments.get("path") or "")
        if isinstance(first, int):
            wanted += f":{first}" + (f"-{last}" if isinstance(last, int) else "")
        memory = search.Memory(self.config, self.config.paths, self.agent_id, self.now_ms)
        return reading.read_excerpt(memory, wanted).text

    def _append(self, arguments: dict[str, Any]) -> str:
        text = str(arguments.get("text") or "").strip()
        if not text:
            return "text is empty, nothing was written"
        path = append_to_note(self.config, self.workspace, text[:APPEND_CHARS], self.now_ms)
        return f"appended to {path.relative_to(self.workspace)}"


def append_to_note(config: Config, workspace: Path, text: str, now_ms: int) -> Path:
    """Append ``text`` to the note of the user's day, whole or not at all; the note's path.

    The marks of managed blocks are neutralised, so that no model can write one.
    """
    from openclaw_cli.config import agents

    day = clock.day_in(now_ms, agents.user_zone(config))
    path = workspace / "memory" / f"{day}.md"
    if path.parent.is_symlink():
        raise NotAllowed(f"{path.parent} is a symbolic link; it is not followed", path=path.parent)
    files.refuse_link(path, what="note")
    files.make_dir(path.parent, 0o755)
    safe = text.replace("<!--", "&lt;!--")
    with lock.file_lock(path):
        before = files.read_text(path, what="note") or ""
        gap = "" if not before or before.endswith("\n") else "\n"
        files.write_atomic(path, f"{before}{gap}{safe}\n")
    return path
