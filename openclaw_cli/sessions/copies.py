"""Where a conversation is kept: every file that holds it or names it. Reads only.

A file counts when its name or its content has a session id of the conversation or its key,
or cites a line of the dreaming's corpus that came from it. What the agent wrote into notes
in words of its own names neither and cannot be found.
"""

from __future__ import annotations

import json
import mmap
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import UnknownName
from openclaw_cli.sessions import archives, discovery, names, selection
from openclaw_cli.sessions.routing import KeyRules

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths

_CORPUS = "session-corpus"
_TELLING = 16  # an id of so many characters stands for nothing else
# What a file is, by the first of these that its path below the state directory begins with.
_KINDS = (
    ("logs/changes.jsonl", "trail"),
    ("logs/", "log"),
    ("commitments/", "follow-ups"),
    ("outbox/", "deliveries"),
    ("heartbeat/", "heartbeat"),
    ("cron/", "tasks"),
    ("jobs/", "jobs"),
)


@dataclass
class _Conversation:
    """What is looked for: the key of one session, and the ids it has and had."""

    key: str
    ids: list[str]

    def pattern(self, cited: Iterable[str] = ()) -> re.Pattern[bytes]:
        """Finds the ids, the key, and corpus lines that are ``cited``, each as a whole."""
        spelled = {self.key, json.dumps(self.key)[1:-1]}
        parts = [rf"(?<![\w:-]){re.escape(text)}(?![\w:-])" for text in sorted(spelled)]
        for session_id in self.ids:
            told = re.escape(session_id)
            if len(session_id) < _TELLING:  # a short one could be any word
                parts.append(rf'(?<=")({told})(?=")|(?<![\w.-]){told}(?=\.jsonl|-topic-)')
            else:
                parts.append(rf"(?<![0-9A-Za-z]){told}(?![0-9A-Za-z])")
        parts += [rf"{re.escape(line)}(?![0-9])" for line in cited]
        return re.compile("|".join(parts).encode("utf-8", "surrogatepass"), re.IGNORECASE)


def find(
    config: Config, paths: Paths, text: str, *, agent: str | None = None, store: str | None = None
) -> dict[str, Any]:
    """The document of ``sessions copies``; ``text`` is a KEY, also of what is archived only."""
    wanted = _conversation(config, paths, text, agent=agent, store=store)
    pattern = wanted.pattern()
    places = sorted(set(_files(config, paths)))
    unreadable: list[str] = []
    counts = _counts(places, pattern, unreadable)
    cited = [line for path in counts for line in _corpus_lines(path, pattern)]
    if cited:
        readable = [path for path in places if os.fspath(path) not in unreadable]
        counts = _counts(readable, wanted.pattern(cited), unreadable)
    named = {path: 0 for path in places if pattern.search(os.fsencode(path.name))}
    stores = {target.store_path for target in discovery.targets(config, paths, all_agents=True)}
    found = [
        {
            "path": os.fspath(path),
            "kind": "store" if path in stores else _kind(path, paths, wanted.ids),
            "bytes": path.stat().st_size,
            "mentions": number,
            "redacted": path.parent.name == _CORPUS,
        }
        for path, number in sorted((named | counts).items())
    ]
    return {
        "key": wanted.key,
        "sessionIds": wanted.ids,
        "count": len(found),
        "bytes": sum(copy["bytes"] for copy in found),
        "copies": found,
        "unreadable": unreadable,
    }


def _conversation(
    config: Config, paths: Paths, text: str, *, agent: str | None, store: str | None
) -> _Conversation:
    """The session that ``text`` names: its present id, earlier ones, and those of archives."""
    rules = KeyRules.from_config(config)
    ids: list[Any] = []
    try:
        selected = selection.select(config, paths, text, agent=agent, store=store)
    except UnknownName:
        target = selection.target_for(config, paths, text, agent=agent, store=store)
        known = [a for a in archives.find_all([target], paths) if archives.has_key(a, text, rules)]
        if not known:
            raise
        key = known[0].key or text.strip()
    else:
        target, key = selected.target, selected.key
        row = selected.row if isinstance(selected.row, dict) else {}
        family = row.get("usageFamilySessionIds")
        ids += [row.get("sessionId"), *(family if isinstance(family, list) else ())]
        known = [a for a in archives.find_all([target], paths) if archives.has_key(a, key, rules)]
    ids += [archive.session_id for archive in known]
    usable = [one for one in ids if isinstance(one, str) and names.is_row_id(one)]
    return _Conversation(key, list(dict.fromkeys(usable)))


def _files(config: Config, paths: Paths) -> Iterator[Path]:
    """The files of the tree, and of every workspace its notes and what dreaming keeps."""
    from openclaw_cli.config import agents

    ids = agents.agent_ids(config)
    workspaces = [agents.workspace_dir(config, paths, agent_id) for agent_id in ids]
    stores = [target.sessions_dir for target in discovery.targets(config, paths, all_agents=True)]
    yield from _below(paths.state_dir, skipped={*workspaces})
    for folder in stores:
        yield from _below(folder)
    for workspace in workspaces:
        yield from _below(workspace / "memory")
        yield from (path for path in _entries(workspace) if path.suffix == ".md")


def _below(folder: Path, skipped: Iterable[Path] = ()) -> Iterator[Path]:
    left_out = {os.fspath(path) for path in skipped}
    for place, folders, _ in os.walk(folder):
        folders[:] = [name for name in folders if os.path.join(place, name) not in left_out]
        yield from _entries(Path(place))


def _entries(folder: Path) -> Iterator[Path]:
    """The regular files directly in ``folder``; links are not followed."""
    try:
        with os.scandir(folder) as entries:
            yield from [folder / e.name for e in entries if e.is_file(follow_symlinks=False)]
    except (FileNotFoundError, NotADirectoryError):
        return


def _counts(
    places: Iterable[Path], pattern: re.Pattern[bytes], unreadable: list[str]
) -> dict[Path, int]:
    """How often ``pattern`` is in each file that has it; others that fail are noted."""
    found = {}
    for path in places:
        try:
            number = _mentions(path, pattern)
        except FileNotFoundError:  # gone since it was listed
            continue
        except OSError:
            unreadable.append(os.fspath(path))
            continue
        if number:
            found[path] = number
    return found


def _mentions(path: Path, pattern: re.Pattern[bytes]) -> int:
    with path.open("rb") as source:
        if not os.fstat(source.fileno()).st_size:
            return 0
        with mmap.mmap(source.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return sum(1 for _ in pattern.finditer(content))


def _corpus_lines(path: Path, pattern: re.Pattern[bytes]) -> Iterator[str]:
    """The lines of a corpus file that came from the conversation, as they are cited."""
    if path.parent.name == _CORPUS:
        for number, line in enumerate(path.read_bytes().splitlines(), 1):
            if pattern.search(line):
                yield f"{_CORPUS}/{path.name}:{number}"


def _kind(path: Path, paths: Paths, ids: list[str]) -> str:
    """What the file is, in a word or two for people."""
    if path.parent.name == _CORPUS:
        return "corpus"
    if names.session_id_of(path.name) in ids:
        return "transcript" if names.parse_archive(path.name) is None else "archive"
    if path.name.startswith(discovery.STORE_NAME):
        return "store copy"
    if any(path.name.startswith(session_id) for session_id in ids):
        return "transcript copy"
    below = os.path.relpath(path, paths.state_dir)
    named = next((kind for start, kind in _KINDS if below.startswith(start)), None)
    if named:
        return named
    if ".dreams" in path.parts or path.suffix == ".sqlite":
        return "memory index"
    return "memory" if path.suffix == ".md" else "other"
