"""What of recorded sweeps is ours by rule (``dreaming.md`` 12), for any case of the kind.

2026.5.28 has no summary in ``DREAMS.md`` and logs no deep phase in inline mode; ours does
both in every mode. What else a rule of ours decides differently is listed case by case:
the files it changes are left out of the comparison and ``check`` says what they hold.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from golden.harness import Expectation, subset

if TYPE_CHECKING:
    from golden.harness import Case, Outcome

Check = Callable[["Outcome"], list[str]]

OLDER = "2026.5.28"
DIARY = "DREAMS.md"
LOG = "events.jsonl"
STORE = "short-term-recall.json"
SIGNALS = "phase-signals.json"
DREAMS = ".openclaw/workspace/memory/.dreams"
REPORTS = ".openclaw/workspace/memory/dreaming"


def is_sweep(case: Case) -> bool:
    """Whether the case is a recorded sweep."""
    return case.folder.parent.name == "dreaming" and case.spec["argv"][:2] == ["dreaming", "sweep"]


def expectation(case: Case) -> Expectation | None:
    """The rules for a sweep of the older release, None for other cases."""
    if not is_sweep(case) or case.spec["reference"] != OLDER:
        return None
    return Expectation(ignore=[DIARY, LOG], check=lambda outcome: same_events(case, outcome))


def same_events(case: Case, outcome: Outcome) -> list[str]:
    """The events as recorded, but for the deep phase where the recording has none."""
    found = []
    root = case.folder / "expected" / "files"
    for source in sorted(root.rglob(LOG)):
        path = source.relative_to(root).as_posix()
        wanted = _rows(source.read_text().replace("{HOME}", str(outcome.home)))
        got = _rows(outcome.after.get(path, b"").decode())
        if not any(row.get("phase") == "deep" for row in wanted):
            got = [row for row in got if row.get("phase") != "deep"]
        found += subset(wanted, got, path, set())
    return found


def _rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def _json(outcome: Outcome, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(outcome.after[f"{DREAMS}/{name}"])
    return found


def _text(outcome: Outcome, path: str) -> str:
    return outcome.after.get(path, b"").decode()


def _queries(outcome: Outcome, day: str) -> list[str]:
    rows = _rows(_text(outcome, f"{DREAMS}/{LOG}"))
    return [row["query"] for row in rows if row["timestamp"] == day and "query" in row]


def _all(**facts: bool) -> list[str]:
    return [name.replace("_", " ") for name, holds in facts.items() if not holds]


def _once_a_day(outcome: Outcome) -> list[str]:
    """A second sweep of a day counts no hit again and reads no unchanged note again."""
    signals = _json(outcome, SIGNALS)["entries"]
    return _all(
        one_hit_each=all(row["lightHits"] == 1 for row in signals.values()),
        all_were_staged=len(signals) == 6,
        nothing_read_again=_queries(outcome, "2026-11-20T15:00:00.000Z") == [],
        themes_of_the_night_stay="`host`" in _text(outcome, f"{REPORTS}/rem/2026-11-20.md"),
    )


def _own_part(outcome: Outcome) -> list[str]:
    report = _text(outcome, f"{REPORTS}/rem/2026-11-20.md")
    return _once_a_day(outcome) + _all(
        earlier_themes_first=report.index("`backup`") < report.index("\n## 03:00\n"),
        new_themes_after=report.index("\n## 03:00\n") < report.index("`lookback`"),
    )


def _no_evidence_by_waiting(outcome: Outcome) -> list[str]:
    store = f"{DREAMS}/{STORE}"
    return _all(
        store_unchanged=outcome.before[store] == outcome.after[store],
        nothing_promoted=".openclaw/workspace/MEMORY.md" not in outcome.after,
    )


def _only_deep_off(outcome: Outcome) -> list[str]:
    document = json.loads(outcome.out)["workspaces"][0]
    return _all(
        deep_skipped=document["deep"]["status"] == "skipped",
        others_ran=document["light"]["staged"] == 1 and document["rem"]["status"] == "completed",
        no_summary=not any(p.endswith(("MEMORY.md", DIARY)) for p in outcome.after),
    )


def _one_failed(outcome: Outcome) -> list[str]:
    rows = json.loads(outcome.out)["workspaces"]
    return _all(
        exit_1=outcome.exit == 1,
        named=["error" in row for row in rows] == [True, False, False],
        file_named=STORE in rows[0]["error"],
    )


def _future_left_alone(outcome: Outcome) -> list[str]:
    entries = _json(outcome, STORE)["entries"]
    return _all(
        not_ingested=list(entries) == ["memory:memory/2026-11-19.md:4:5"],
        told="2026-11-25.md" in outcome.err and "2026-11-25.md" in outcome.out,
    )


def _only_the_moved_line(outcome: Outcome) -> list[str]:
    memory = _text(outcome, ".openclaw/workspace/MEMORY.md")
    return _all(
        moved_line="- Router vlan 20 carries" in memory and "2026-11-10.md:5-5]" in memory,
        nothing_dragged_along="Filler line" not in memory,
    )


def _fresh_entry(outcome: Outcome) -> list[str]:
    entry = _json(outcome, STORE)["entries"]["memory:memory/2026-11-19.md:3:3"]
    return _all(
        new_text=entry["snippet"].startswith("A new line"),
        no_inheritance=(entry["recallCount"], entry["dailyCount"]) == (0, 1),
        nothing_promoted=".openclaw/workspace/MEMORY.md" not in outcome.after,
        old_evidence_kept=b"carries the backup traffic"
        in outcome.after.get(".openclaw/logs/changes.jsonl", b""),
    )


def _nothing_cut(outcome: Outcome) -> list[str]:
    corpus = _text(outcome, f"{DREAMS}/session-corpus/2026-11-19.txt").splitlines()
    bodies = [line.partition("] ")[2] for line in corpus]
    long = " ".join(body.removeprefix("Assistant: ") for body in bodies if "volume" in body)
    return _all(
        all_of_the_long_answer=long.count("nightly backups in a separate volume") == 20,
        none_longer_than_280=max(map(len, bodies)) <= 280,
        others_as_recorded="#L10] User: The router firmware upgrade is planned" in corpus[3],
    )


def _grown(outcome: Outcome) -> list[str]:
    signals = _json(outcome, SIGNALS)["entries"]
    return _all(
        one_hit_each=[row["lightHits"] for row in signals.values()] == [1] * 9,
        themes_of_the_night_stay="`nightly`" in _text(outcome, f"{REPORTS}/rem/2026-11-20.md"),
    )


def _own_output_unread(outcome: Outcome) -> list[str]:
    entries = _json(outcome, STORE)["entries"]
    texts = [entry["snippet"] for entry in entries.values()]
    note = _text(outcome, ".openclaw/workspace/memory/2026-11-21.md")
    return _all(
        nothing_of_ours=not any("Theme:" in text or "Truths" in text for text in texts),
        moved_line_is_one_entry=sum(text.startswith("Gateway host") for text in texts) == 1,
        blocks_written=note.count("## Light Sleep") == note.count("## REM Sleep") == 1,
    )


def _no_secret(outcome: Outcome) -> list[str]:
    parts = ("EXAMPLE", "sk-EXA", "tok_ex", "3456", "example-pass", "robin", "555", "123456789")
    copies = [
        data.decode("utf-8", "replace")
        for path, data in outcome.after.items()
        if path not in outcome.before and not path.endswith("session-ingestion.json")
    ]
    return [part for part in parts if any(part in text for text in copies)]


def _archives_left_out(outcome: Outcome) -> list[str]:
    corpus = _text(outcome, f"{DREAMS}/session-corpus/2026-11-19.txt").splitlines()
    names = [line.split("#")[0].rpartition("/")[2] for line in corpus]
    return _all(live_ones_only=names == ["cronmain.jsonl", "s1.jsonl", "sub.jsonl"])


def _rule(check: Check, *ignored: str, **how: Any) -> Expectation:
    return Expectation(ignore=[DIARY, LOG, *ignored], check=check, **how)


_REM = "dreaming/rem/*"
_WHOLE = {"changes": False, "files": False}

RULES: dict[str, tuple[str, Expectation]] = {
    "dreaming/061": ("hits count once a day (12.4)", _rule(_own_part, SIGNALS, _REM)),
    "dreaming/062": ("hits count once a day (12.4)", _rule(_once_a_day, SIGNALS, STORE, _REM)),
    "dreaming/063": (
        "waiting is not evidence (12.1)", _rule(_no_evidence_by_waiting, SIGNALS, STORE, _REM)
    ),
    "dreaming/073": ("only deep is switched off (12.8)", _rule(_only_deep_off, **_WHOLE)),
    "dreaming/074": ("only deep is switched off (12.8)", _rule(_only_deep_off, **_WHOLE)),
    "dreaming/081": ("a failed workspace is exit 1 (2.2)", _rule(_one_failed, exit=False)),
    "dreaming/082": ("notes to come are left alone (12.11)", _rule(_future_left_alone, **_WHOLE)),
    "dreaming/083": (
        "only the moved line is promoted", _rule(_only_the_moved_line, "MEMORY.md", STORE)
    ),
    "dreaming/085": ("evidence belongs to the claim (12.2)", _rule(_fresh_entry, **_WHOLE)),
    "dreaming/086": ("waiting is not evidence (12.1)", _rule(_no_evidence_by_waiting, **_WHOLE)),
    "dreaming/090": ("long messages are split, not cut (12.6)", _rule(_nothing_cut, **_WHOLE)),
    "dreaming/091": ("hits count once a day (12.4)", _rule(_grown, SIGNALS, _REM)),
    "dreaming/096": (
        "own output is never read back (12.3)", _rule(_own_output_unread, **_WHOLE)
    ),
    "dreaming/097": ("values are masked whole (12.10)", _rule(_no_secret, **_WHOLE)),
    "dreaming/098": ("archives are left out (3.3)", _rule(_archives_left_out, **_WHOLE)),
}  # fmt: skip
