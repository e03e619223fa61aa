"""Builders of small state trees, from few readable lines."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


class Tree:
    """A state tree below a home directory."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.state = home / ".openclaw"
        self.workspace = self.state / "workspace"

    def config(self, **blocks: Any) -> Path:
        """Write ``openclaw.json`` with these top-level blocks."""
        return self.json(".openclaw/openclaw.json", blocks)

    def dreaming(self, **settings: Any) -> Path:
        """Write a config that switches dreaming on, with these further settings."""
        block = {"config": {"dreaming": {"enabled": True, **settings}}}
        return self.config(plugins={"entries": {"memory-core": block}})

    def file(self, path: str, text: str | bytes, *, mtime: float | None = None) -> Path:
        """Write a file below the home directory."""
        target = self.home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())
        if mtime is not None:
            os.utime(target, (mtime, mtime))
        return target

    def json(self, path: str, value: Any) -> Path:
        """Write a JSON file below the home directory."""
        return self.file(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")

    def jsonl(self, path: str, rows: list[Any]) -> Path:
        """Write a JSON Lines file below the home directory."""
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        return self.file(path, "".join(lines))

    def note(self, day: str, text: str) -> Path:
        """Write the daily note of ``day`` in the default workspace."""
        return self.file(f".openclaw/workspace/memory/{day}.md", text)

    def sessions(self, rows: dict[str, Any], *, agent: str = "main") -> Path:
        """Write an agent's session store."""
        text = json.dumps(rows, indent=2, ensure_ascii=False)
        return self.file(f".openclaw/agents/{agent}/sessions/sessions.json", text)

    def transcript(
        self, session_id: str, turns: list[tuple[str, str]], *, agent: str = "main"
    ) -> Path:
        """Write a transcript with a header and (role, text) messages, a minute apart."""
        start = 1_795_000_000_000
        rows: list[Any] = [
            {"type": "session", "version": 3, "id": session_id,
             "timestamp": _iso(start), "cwd": str(self.workspace)}
        ]  # fmt: skip
        parent = None
        for number, (role, text) in enumerate(turns, 1):
            at = start + number * 60_000
            line_id = f"{number:08x}"
            rows.append(
                {"type": "message", "id": line_id, "parentId": parent, "timestamp": _iso(at),
                 "message": {"role": role, "content": [{"type": "text", "text": text}],
                             "timestamp": at}}
            )  # fmt: skip
            parent = line_id
        return self.jsonl(f".openclaw/agents/{agent}/sessions/{session_id}.jsonl", rows)

    def read(self, path: str) -> Any:
        """The JSON value of a file below the home directory."""
        return json.loads((self.home / path).read_text())

    def lines(self, path: str) -> list[Any]:
        """The JSON values of the lines of a file below the home directory."""
        return [json.loads(line) for line in (self.home / path).read_text().splitlines()]


def _iso(ms: int) -> str:
    from openclaw_cli.state.clock import iso

    return iso(ms)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below ``folder``, by its path there: to see what a command changed."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
