"""What of recorded cleanups is ours by rule (``sessions-maintenance.md``), each checked."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from golden.harness import Expectation

if TYPE_CHECKING:
    from golden.harness import Outcome

FOLDER = ".openclaw/agents/main/sessions"
STAMP = "2026-11-20T03-00-00.000Z"
BACKUP = "sessions.json.bak.1795143600000"


def transcript(number: int) -> str:
    """The transcript of the recordings' session ``number``."""
    return f"00000000-0000-4000-8000-{number:012d}.jsonl"


def told(**wanted: Any) -> Callable[[Outcome], list[str]]:
    """The document holds these values."""

    def check(outcome: Outcome) -> list[str]:
        document = json.loads(outcome.out)
        wrong = {key: document.get(key) for key in wanted if document.get(key) != wanted[key]}
        return [f"got {wrong}, expected {wanted}"] if wrong or outcome.exit else []

    return check


def files(
    *, archived: tuple[str, ...] = (), gone: tuple[str, ...] = (), made: tuple[str, ...] = ()
) -> Callable[[Outcome], list[str]]:
    """Exactly these files became archives, went, or came; all of them in the folder."""

    def check(outcome: Outcome) -> list[str]:
        created = sorted(f"{FOLDER}/{n}" for n in (*made, *(archive(a) for a in archived)))
        deleted = sorted(f"{FOLDER}/{n}" for n in (*gone, *archived))
        found = []
        if outcome.paths("created") != created:
            found.append(f"created {outcome.paths('created')}, expected {created}")
        if outcome.paths("deleted") != deleted:
            found.append(f"deleted {outcome.paths('deleted')}, expected {deleted}")
        return found

    return check


def archive(name: str) -> str:
    """The archive of ``name`` made at the recordings' time."""
    return f"{name}.deleted.{STAMP}"


def same_store(outcome: Outcome) -> list[str]:
    """The store is there and holds what it held."""
    name = f"{FOLDER}/sessions.json"
    same = outcome.after.get(name) == outcome.before[name]
    return [] if same else ["the store is not what it was"]


def refused(outcome: Outcome) -> list[str]:
    """Exit 1, nothing on stdout, every file as it was, and the file is named."""
    clean = outcome.exit == 1 and not outcome.out and outcome.before == outcome.after
    named = "sessions.json" in outcome.err and "sessions rebuild" in outcome.err
    return [] if clean and named else [f"exit {outcome.exit}: {outcome.out!r} {outcome.err!r}"]


def all_of(*checks: Callable[[Outcome], list[str]]) -> Callable[[Outcome], list[str]]:
    """Every one of ``checks`` holds."""
    return lambda outcome: [line for check in checks for line in check(outcome)]


def only(*checks: Callable[[Outcome], list[str]]) -> Expectation:
    """Nothing of the recording but what ``checks`` say."""
    return Expectation(exit=False, stdout=False, changes=False, files=False, check=all_of(*checks))


UNREADABLE = ("a damaged store is refused, never read as empty", only(refused))


def lines(*wanted: str) -> Callable[[Outcome], list[str]]:
    """The text has a line for each of ``wanted``, spaces aside."""

    def check(outcome: Outcome) -> list[str]:
        told_lines = [" ".join(line.split()) for line in outcome.out.splitlines()]
        missing = [line for line in wanted if not any(t.startswith(line) for t in told_lines)]
        return [f"no line {missing}: {outcome.out!r}"] if missing else []

    return check


RULES: dict[str, tuple[str, Expectation]] = {
    "sessions-cleanup/002": (
        "a channel's row is protected and counts towards the cap, so the oldest others go",
        Expectation(
            check=lines(
                "keep agent:main:slack...c0ffee 3d ago",
                "cap-overflow agent:main:cron:nightly 2h ago",
                "cap-overflow agent:main:teleg...ct:111 2d ago",
            )
        ),
    ),
    "sessions-cleanup/027": (
        "beside the active key, the cap leaves the main session",
        Expectation(
            check=lines(
                "Entries: 3 -> 2 (remove 1)",
                "keep agent:main:main 1m ago",
                "keep agent:main:teleg...ct:111 45d ago",
                "prune-stale agent:main:teleg...ct:222 46d ago",
            )
        ),
    ),
    "sessions-cleanup/006": (
        "a channel's row is protected and counts towards the cap, so the oldest others go",
        Expectation(
            changes=False,
            files=False,
            check=files(archived=tuple(transcript(n) for n in (2, 3, 4, 6))),
        ),
    ),
    "sessions-cleanup/011": (
        "a null or textual updatedAt is an unknown age and stays",
        only(told(pruned=3, afterCount=6), files(archived=(transcript(2), transcript(6)))),
    ),
    "sessions-cleanup/023": (
        "the main session and the newest quarter of the cap stay",
        only(told(afterCount=10, capped=5, pruned=3)),
    ),
    "sessions-cleanup/028": (
        "the active key survives the age cutoff, the main session the cap",
        only(told(pruned=1, capped=0, afterCount=2)),
    ),
    "sessions-cleanup/032": (
        "a file that a kept row resolves to stays",
        only(told(pruned=1), files(archived=(transcript(7),))),
    ),
    "sessions-cleanup/042": (
        "false keeps .reset. archives only",
        only(
            told(purgedArchives=4),
            files(
                gone=(
                    "b.jsonl.deleted.2026-10-21T02-59-59.999Z",
                    "c.jsonl.deleted.2026-10-20T03-00-00.000Z",
                    "g.jsonl.deleted.2020-01-01T00-00-00Z",
                    "k.deleted.2020-01-01T00-00-00.000Z",
                )
            ),
        ),
    ),
    "sessions-cleanup/044": (
        "the sessions folder itself is purged on every run",
        only(
            told(pruned=1, purgedArchives=3),
            files(
                archived=("sub/deep.jsonl",),
                gone=(
                    "b.jsonl.deleted.2020-01-01T00-00-00.000Z",
                    "c.jsonl.reset.2020-01-01T00-00-00.000Z",
                    "sub/a.jsonl.deleted.2020-01-01T00-00-00.000Z",
                ),
            ),
        ),
    ),
    "sessions-cleanup/052": (
        "the live store exists after rotation, with the same rows",
        only(told(appliedCount=1), files(made=(BACKUP,)), same_store),
    ),
    "sessions-cleanup/053": (
        "the store is rotated, as in 2026.3.13",
        Expectation(
            json_ignore=["unreferencedArtifacts.scannedFiles"],  # the backup is one more
            changes=False,
            check=all_of(files(made=(BACKUP,)), same_store),
        ),
    ),
    "sessions-cleanup/068": (
        "a dry run simulates the purge: its numbers are those of the applied run",
        only(
            told(
                afterCount=2,
                purgedArchives=1,
                wouldMutate=True,
                diskBudget={
                    "totalBytesBefore": 6379,
                    "totalBytesAfter": 6379,
                    "removedFiles": 0,
                    "removedEntries": 0,
                    "freedBytes": 0,
                    "maxBytes": 7000,
                    "highWaterBytes": 3500,
                    "overBudget": False,
                },
            )
        ),
    ),
    "sessions-cleanup/081": (
        "rows without messages go as in 2026.7.1, rows with a default transcript are repaired",
        only(told(beforeCount=15, missing=7, repaired=2, afterCount=8, appliedCount=8), files()),
    ),
    "sessions-cleanup/083": (
        "a default transcript with messages is repaired to; a compaction is content",
        only(told(beforeCount=15, missing=7, repaired=2, afterCount=8, appliedCount=8), files()),
    ),
    "sessions-cleanup/085": (
        "beforeCount is the number of rows read",
        Expectation(json_ignore=["beforeCount"], check=told(beforeCount=11, afterCount=8)),
    ),
    "sessions-cleanup/090": (
        "conversations with content are archived instead of deleted; empty files count",
        Expectation(
            # The recorded tree had a link where the stored one has a regular file, which counts.
            json_ignore=[
                "unreferencedArtifacts.removedFiles",
                "unreferencedArtifacts.scannedFiles",
            ],
            changes=False,
            check=files(
                archived=(
                    transcript(2),
                    transcript(3),
                    f"{transcript(1)[:-6]}.checkpoint.22345678-1234-4234-8234-123456789012.jsonl",
                    "orphan-exact.jsonl",
                    "orphan-old.jsonl",
                ),
                gone=(
                    f"{transcript(2)[:-6]}.trajectory.jsonl",
                    "o.trajectory-path.json",
                    "o.trajectory.jsonl",
                    "orphan-empty.jsonl",
                    "sessions.json.11111111-1111-4111-8111-111111111111.tmp",
                ),
            ),
        ),
    ),
    "sessions-cleanup/102": UNREADABLE,
    "sessions-cleanup/103": UNREADABLE,
    "sessions-cleanup/104": UNREADABLE,
    "sessions-cleanup/106": (
        "nothing to maintain, so nothing is created",
        only(told(appliedCount=0, applied=True), files()),
    ),
}
