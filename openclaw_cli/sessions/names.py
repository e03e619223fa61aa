"""Names of the files in a sessions folder: what each one is, pure functions on text.

Live transcripts, topic and fork transcripts, archives, auxiliary files and the copies that
repairs leave (``sessions.md`` 3.1); the stamp of an archive counts, never its mtime.
"""

from __future__ import annotations

import re

from openclaw_cli.state import clock
from openclaw_cli.state.tuples import NamedTuple

ARCHIVE_REASONS = ("deleted", "reset", "bak")
SUFFIX = ".jsonl"

_ALNUM = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_FILE_ID = (_ALNUM + "._-", 128)
_ROW_ID = (_ALNUM + "._:@-", 255)
# Patterns are compiled on first use: most commands need none of them.
_STAMP = r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2})-([0-9]{2})-([0-9]{2})(?:\.([0-9]{3}))?Z"
_FORK = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}-[0-9]{2}-[0-9]{2}(?:-[0-9]{3})?Z_(.+)"
_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
_CHECKPOINT = rf"(?i:(.+)\.checkpoint\.{_UUID}\.jsonl)"
_REPAIR_COPY = r"(.+)\.(?:corrupt-[0-9TZ.:-]+(?:-[0-9a-f]{8}\.jsonl)?|bak-[0-9]+-[0-9]+)"
_KEPT_BY_ENCODING = "-_.!~*'()"
_TOPIC = "-topic-"


class Archive(NamedTuple):
    """An archived file: the name it had, why it was archived, and when (epoch ms)."""

    base: str
    reason: str
    at_ms: int


def is_file_id(session_id: object) -> bool:
    """Whether a session id may become a file name."""
    return _is_id(session_id, *_FILE_ID)


def is_row_id(session_id: object) -> bool:
    """Whether a session id makes its row usable (``sessions.md`` 2.2)."""
    return _is_id(session_id, *_ROW_ID)


def transcript_name(session_id: str, thread_id: str | None = None) -> str | None:
    """The live transcript's name, None when the id is no safe file name."""
    if not is_file_id(session_id):
        return None
    if not thread_id:
        return session_id + SUFFIX
    from urllib.parse import quote

    return f"{session_id}{_TOPIC}{quote(thread_id, safe=_KEPT_BY_ENCODING)}{SUFFIX}"


def archive_name(name: str, reason: str, at_ms: int) -> str:
    """``name`` as an archive made at ``at_ms``."""
    return f"{name}.{reason}.{clock.archive_stamp(at_ms)}"


def parse_archive(name: str) -> Archive | None:
    """What the archive ``name`` tells, None when it is none.

    The part after the last ``.<reason>.`` must be a whole stamp; nothing may follow it.
    """
    at, reason = max((name.rfind(f".{reason}."), reason) for reason in ARCHIVE_REASONS)
    if at <= 0:
        return None
    at_ms = parse_stamp(name[at + len(reason) + 2 :])
    return None if at_ms is None else Archive(name[:at], reason, at_ms)


def parse_stamp(text: str) -> int | None:
    """Epoch ms of an archive stamp, None for another text or a date that cannot be.

    As the reference reads them: a day up to 31 runs over into the next month, 24:00 is
    the next midnight.
    """
    match = re.fullmatch(_STAMP, text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    ms = int(match.group(7) or 0)
    midnight = hour == 24 and not (minute or second or ms)
    if not (1 <= month <= 12 and 1 <= day <= 31 and minute < 60 and second < 60):
        return None
    if hour > 23 and not midnight:
        return None
    first = clock.parse_iso(f"{year:04d}-{month:02d}-01")
    if first is None:
        return None
    seconds = (hour * 60 + minute) * 60 + second
    return first + (day - 1) * clock.DAY_MS + seconds * 1000 + ms


def is_live(name: str) -> bool:
    """Whether ``name`` is a live transcript: no archive, auxiliary file or repair copy."""
    return name.endswith(SUFFIX) and not (
        is_trajectory(name) or is_checkpoint(name) or is_repair_copy(name)
    )


def is_trajectory(name: str) -> bool:
    """Whether ``name`` is a trajectory file or the pointer to one."""
    return name.endswith((".trajectory.jsonl", ".trajectory-path.json"))


def is_checkpoint(name: str) -> bool:
    """Whether ``name`` is the transcript copy of a compaction checkpoint."""
    return ".checkpoint." in name.lower() and bool(re.fullmatch(_CHECKPOINT, name))


def is_repair_copy(name: str) -> bool:
    """Whether ``name`` is a copy that a repair left beside a transcript."""
    return (".corrupt-" in name or ".bak-" in name) and bool(re.fullmatch(_REPAIR_COPY, name))


def session_id_of(name: str) -> str | None:
    """The session id in a transcript's name, or in an archive's; None for other files."""
    base = live_name(name)
    if not is_live(base):
        return None
    stem = base.removesuffix(SUFFIX)
    fork = re.fullmatch(_FORK, stem)
    identity = (fork.group(1) if fork else stem).partition(_TOPIC)[0]
    return identity or None


def thread_id_of(name: str) -> str | None:
    """The thread id in a topic transcript's name, None without one."""
    thread = live_name(name).removesuffix(SUFFIX).partition(_TOPIC)[2]
    if not thread:
        return None
    from urllib.parse import unquote

    return unquote(thread)


def live_name(name: str) -> str:
    """The name that a file had before it was archived, once or several times."""
    while archive := parse_archive(name):
        name = archive.base
    return name


def renamed_for(name: str, session_id: str) -> str | None:
    """The transcript ``name`` of an earlier id as it is called for ``session_id``.

    Topic names keep their thread, forks keep their time; None when the id is unsafe.
    """
    old = session_id_of(name)
    if old is None or not is_file_id(session_id) or not name.endswith(SUFFIX):
        return transcript_name(session_id)
    return name.replace(old, session_id, 1)


def _is_id(value: object, allowed: str, longest: int) -> bool:
    """Whether ``value`` begins with a letter or digit and holds only ``allowed`` ones."""
    if not isinstance(value, str) or not 0 < len(value) <= longest:
        return False
    return value[0] in _ALNUM and not value.strip(allowed)
