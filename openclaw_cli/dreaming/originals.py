"""What a backfill found, so that its rollback puts the files back byte for byte.

``<state>/jobs/backfill-<hash of the workspace>.json`` maps each file that a backfill writes
to its text before the first one, null where there was none. A rollback decides by its own
rules what is left; only where that means the same as the text before, the text before takes
its place, with its white space, its times, or its absence. Folders that had to be made are
in the record too, as null. What was rolled back leaves it.
"""

from __future__ import annotations

from pathlib import Path

from openclaw_cli.errors import UnreadableFile
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state import files
from openclaw_cli.state.jsonnum import dumps
from openclaw_cli.state.paths import Paths

WHAT = "backfill record"

Texts = dict[Path, str | None]


def load(paths: Paths, workspace: Workspace) -> Texts:
    """The remembered texts; none when the record is missing or cannot be used."""
    try:
        document = files.load_json(_path(paths, workspace), what=WHAT)
    except UnreadableFile:
        return {}  # then a rollback leaves what its rules leave
    found = document.get("files") if isinstance(document, dict) else None
    if not isinstance(found, dict):
        return {}
    return {
        Path(name): text for name, text in found.items() if text is None or isinstance(text, str)
    }


def save(paths: Paths, workspace: Workspace, texts: Texts) -> None:
    """Remember ``texts``, or remove the record when there are none."""
    path = _path(paths, workspace)
    if not texts:
        if path.exists():
            files.remove_durable(path)
        return
    document = {
        "version": 1,
        "workspaceDir": str(workspace.root),
        "files": {str(name): text for name, text in texts.items()},
    }
    files.make_dir(path.parent)
    files.write_if_changed(path, dumps(document) + "\n")


def _path(paths: Paths, workspace: Workspace) -> Path:
    from hashlib import sha1

    name = sha1(str(workspace.root).encode("utf-8", "surrogatepass"), usedforsecurity=False)
    return paths.job(f"backfill-{name.hexdigest()[:12]}.json")
