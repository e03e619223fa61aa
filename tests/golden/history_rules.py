"""Recordings around the sweep: previews, backfills, trials, diary actions, ``doctor`` methods.

Sentences of ours stand as ``{R:name}`` and ``{FALLBACK}`` in these recordings. Those driven
through functions name a command loosely: ``dreaming shadow FILE``, ``dreaming dedupe``,
``dreaming artifacts``, and ``dreaming doctor METHOD...``, which calls the methods in turn on
one tree and answers with an object of their payloads.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from golden.harness import Expectation, subset
from openclaw_cli.dreaming import diary
from openclaw_cli.dreaming.grounded import REFLECTIONS
from openclaw_cli.dreaming.history import day_of

if TYPE_CHECKING:
    from golden.harness import Case, Outcome

PROGRAM = str(Path(sys.executable).with_name("openclaw"))
OLDER = "2026.5.28"
STORE = ".openclaw/workspace/memory/.dreams/short-term-recall.json"
WORDS = {
    "shadow": ["shadow-trial", "record"],
    "dedupe": ["dedupe-diary"],
    "artifacts": ["repair"],
}
# The driver's texts for what nobody has probed.
NOT_OURS = {"doctor.memory.status.payload.embedding.error"}
# What the driver's rows of tasks lack to be tasks.
TASK = {
    "schedule": {"kind": "cron", "expr": "0 3 * * *"},
    "payload": {"kind": "agentTurn", "message": "-"},
    "sessionTarget": "isolated",
}
LISTS = ("shortTermEntries", "signalEntries", "promotedEntries")


def applies(case: Case) -> bool:
    """Whether the recording may hold sentences of ours."""
    return case.folder.parent.name == "dreaming"


def argv(case: Case) -> list[str] | None:
    """Our command for a recording that names it loosely, else None."""
    words = [str(word) for word in case.spec["argv"]]
    if words[:2] == ["dreaming", "doctor"]:
        return _call(case, _methods(case)[0])
    if words[0] == "dreaming" and words[1] in WORDS:
        return ["dreaming", *WORDS[words[1]], *words[2:], "--json"]
    return None


@contextmanager
def surroundings(case: Case) -> Iterator[dict[str, str]]:
    """Our sentences, and the store of tasks that a recording names."""
    values = {f"{{R:{token}}}": sentence for token, sentence in REFLECTIONS.items()}
    values["{FALLBACK}"] = diary.FALLBACK
    words = case.spec["argv"]
    if "--jobs" not in words:
        yield values
        return
    config = json.loads((case.folder / "home/.openclaw/openclaw.json").read_text())
    rows = json.loads((case.folder / "home" / words[words.index("--jobs") + 1]).read_text())
    with TemporaryDirectory() as folder:
        store, path = Path(folder) / "jobs.json", Path(folder) / "openclaw.json"
        store.write_text(json.dumps([TASK | row for row in rows]))
        path.write_text(json.dumps(config | {"cron": {"store": str(store)}}))
        yield values | {"OPENCLAW_CONFIG_PATH": str(path)}


def expectation(case: Case) -> Expectation | None:
    """What is compared; None for recordings that are compared as they are."""
    words = case.spec["argv"]
    if words[:2] == ["dreaming", "doctor"]:
        return Expectation(stdout=False, check=lambda outcome: _payloads(case, outcome))
    if words[:2] == ["dreaming", "shadow"] and case.expected("exit").strip() != "0":
        return Expectation(stdout=False, check=lambda outcome: _refusal(case, outcome))
    return None


def _refusal(case: Case, outcome: Outcome) -> list[str]:
    """An error is told on stderr, and names the same field."""
    field = json.loads(case.expected("stdout"))["error"].split()[-1]
    fine = not outcome.out and field in outcome.err
    return [] if fine else [f"stdout {outcome.out!r}, stderr {outcome.err!r}, wanted {field!r}"]


def _methods(case: Case) -> list[str]:
    return [word for word in case.spec["argv"] if str(word).startswith("doctor.")]


def _call(case: Case, method: str) -> list[str]:
    words = case.spec["argv"]
    params = words[words.index("--params") + 1] if "--params" in words else "{}"
    return ["gateway", "call", method, "--params", params]


def _payloads(case: Case, outcome: Outcome) -> list[str]:
    """Call the methods after the first as well, and compare all answers."""
    with surroundings(case) as values:
        text = case.expected("stdout").replace("{HOME}", str(outcome.home))
        for name, value in values.items():
            text = text.replace(name, value)
        environment = {k: v for k, v in values.items() if not k.startswith("{")}
        later = [_run(case, outcome, name, environment) for name in _methods(case)[1:]]
    wanted = json.loads(text)
    found: list[str] = []
    for method, answer in zip(_methods(case), [outcome.out, *later], strict=True):
        got = {"ok": True, "payload": json.loads(answer)}
        if method == "doctor.memory.status" and case.spec["reference"] == OLDER:
            got["payload"] = _as_older(outcome, got["payload"])
        found += subset(wanted[method], got, method, NOT_OURS)
    return found


def _run(case: Case, outcome: Outcome, method: str, environment: dict[str, str]) -> str:
    env = {k: v for k, v in os.environ.items() if not k.startswith("OPENCLAW_")}
    env |= {"HOME": str(outcome.home), "TZ": "UTC"} | environment
    env["OPENCLAW_NOW"] = case.spec["now"].replace(" ", "T") + "Z"
    done = subprocess.run(
        [PROGRAM, *_call(case, method)],
        cwd=outcome.home, env=env, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    return done.stdout


def _as_older(outcome: Outcome, payload: dict[str, Any]) -> dict[str, Any]:
    """The counts without slugged notes, which that release passes over."""
    rows: dict[str, Any] = json.loads(outcome.before[STORE])["entries"]
    dreaming = dict(payload["dreaming"])
    for name in LISTS:
        dreaming[name] = [row for row in dreaming[name] if not _is_slugged(row)]
    for row in rows.values():
        if not _is_slugged(row) or "promotedAt" in row:
            continue
        dreaming["shortTermCount"] -= 1
        for kind in ("recall", "daily", "grounded"):
            dreaming[f"{kind}SignalCount"] -= row[f"{kind}Count"]
            dreaming["totalSignalCount"] -= row[f"{kind}Count"]
    return payload | {"dreaming": dreaming}


def _is_slugged(row: dict[str, Any]) -> bool:
    name = Path(row["path"]).name
    return day_of(name) is not None and len(name) > len("YYYY-MM-DD.md")
