"""Runs a recorded case against the program and says where it differs.

A case passes when the exit status is of the same kind, JSON holds every key of the
expected document with an equal value, text tells the same facts, and the same files are
created, changed and deleted with the same meaning.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# State that only this program writes, and what is no result: databases, caches, locks.
OURS = re.compile(
    r"^\.openclaw/(?:logs|jobs|outbox|heartbeat)(?:/|$)"
    r"|^\.openclaw/commitments/cursors\.json$"
    r"|\.sqlite(?:-wal|-shm|-journal)?$|\.lock$|\.maintenance$|/\.cache/"
)
FACT = re.compile(r"[^\s,;|·]*\d[^\s,;|·]*")
# Facts of one release that are nobody's to copy: its default models and its version.
PINNED_KEYS = {"agentRuntime", "lastTouchedVersion"}
PINNED_MODELS = {"gpt-5.5", "openai/gpt-5.5", "claude-opus-4-6", "anthropic/claude-opus-4-6"}
PLACEHOLDER = r"\{[A-Z]+\}"
EDGES = "()[]{}.:`'\"…"


@dataclass
class Case:
    """One recorded case."""

    folder: Path
    spec: dict[str, Any]

    @property
    def id(self) -> str:
        return f"{self.folder.parent.name}/{self.folder.name}"

    @property
    def number(self) -> str:
        """Area and number, e.g. ``memory/020``."""
        return f"{self.folder.parent.name}/{self.folder.name.split('-')[0]}"

    def expected(self, name: str) -> str:
        path = self.folder / "expected" / name
        return path.read_text() if path.exists() else ""


@dataclass
class Outcome:
    """What a run did."""

    exit: int
    out: str
    err: str
    home: Path
    before: dict[str, bytes]
    after: dict[str, bytes]

    def paths(self, kind: str) -> list[str]:
        """Sorted paths that were ``created``, ``modified`` or ``deleted``, ours left out."""
        if kind == "created":
            found = self.after.keys() - self.before.keys()
        elif kind == "deleted":
            found = self.before.keys() - self.after.keys()
        else:
            both = self.before.keys() & self.after.keys()
            found = {path for path in both if self.before[path] != self.after[path]}
        return sorted(path for path in found if not OURS.search(path))


@dataclass
class Expectation:
    """What of a case is compared; ``values`` replaces placeholders in both directions."""

    exit: bool = True
    stdout: bool = True
    changes: bool = True
    files: bool = True
    ignore: list[str] = field(default_factory=list)  # globs of paths that do not count
    json_ignore: list[str] = field(default_factory=list)  # dotted paths of the document
    check: Callable[[Outcome], list[str]] | None = None


def load_cases(root: Path) -> list[Case]:
    """The cases below ``root``, in order; none when the folder is not there."""
    return [
        Case(path.parent, tomllib.loads(path.read_text()))
        for path in sorted(root.glob("*/*/case.toml"))
    ]


def run(
    case: Case, argv: list[str], home: Path, program: list[str], values: dict[str, str]
) -> Outcome:
    """Lay out the tree of ``case`` in ``home`` and run ``argv`` on it."""
    source = case.folder / "home"
    if source.exists():
        shutil.copytree(source, home, symlinks=True)
    else:
        home.mkdir()
    filled = {"{HOME}": str(home), **_placeholders(values)}
    for path in home.rglob("*"):
        if path.is_file() and not path.is_symlink():
            data = path.read_bytes()
            if b"{" in data:
                for name, value in filled.items():
                    data = data.replace(name.encode(), value.encode())
                path.write_bytes(data)
    for name, mode in case.spec.get("modes", {}).items():
        (home / name).chmod(int(mode, 8))
    for name, stamp in case.spec.get("mtimes", {}).items():
        os.utime(home / name, (stamp, stamp))
    before = snapshot(home)
    env = {k: v for k, v in os.environ.items() if not k.startswith(("OPENCLAW_", "OPENAI_"))}
    env |= {"HOME": str(home), "TZ": "UTC", "NO_COLOR": "1", "COLUMNS": "200"}
    env |= {k: str(v) for k, v in case.spec.get("env", {}).items()} | _environment(values)
    env["OPENCLAW_NOW"] = case.spec["now"].replace(" ", "T") + "Z"
    filled_argv = [word.replace("{HOME}", str(home)) for word in argv]
    done = subprocess.run(
        [*program, *filled_argv],
        cwd=home, env=env, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    return Outcome(done.returncode, done.stdout, done.stderr, home, before, snapshot(home))


def snapshot(home: Path) -> dict[str, bytes]:
    """The content of every file below ``home``, by relative path."""
    return {
        path.relative_to(home).as_posix(): path.read_bytes()
        for path in home.rglob("*")
        if path.is_file()
    }


def differences(
    case: Case, outcome: Outcome, expectation: Expectation, values: dict[str, str]
) -> list[str]:
    """What differs from the recording, a line each."""
    filled = {"{HOME}": str(outcome.home), **_placeholders(values)}
    compare = case.spec.get("compare", "all")
    found: list[str] = []
    if expectation.exit:
        wanted = int(case.expected("exit") or 0)
        if (wanted == 0) != (outcome.exit == 0):
            found.append(f"exit {outcome.exit}, recorded {wanted}: {outcome.err.strip()[-400:]}")
    if expectation.stdout and compare != "tree":
        found += _stdout(case, outcome, expectation, filled)
    if compare != "stdout":
        if expectation.changes:
            found += _changes(case, outcome, expectation)
        if expectation.files:
            found += _files(case, outcome, expectation, filled)
    if expectation.check is not None:
        found += expectation.check(outcome)
    return found


def _placeholders(values: dict[str, str]) -> dict[str, str]:
    return {k: v for k, v in values.items() if k.startswith("{")}


def _environment(values: dict[str, str]) -> dict[str, str]:
    return {k: v for k, v in values.items() if not k.startswith("{")}


def _fill(text: str, filled: dict[str, str]) -> str:
    for name, value in filled.items():
        text = text.replace(name, value)
    return text


def _stdout(
    case: Case, outcome: Outcome, expectation: Expectation, filled: dict[str, str]
) -> list[str]:
    text = _fill(case.expected("stdout"), filled)
    text = "".join(
        line for line in text.splitlines(keepends=True) if not line.startswith("[sessions/")
    )
    try:
        wanted = json.loads(text)
    except ValueError:
        return _facts(text, outcome.out)
    if "--json" not in case.spec["argv"] and not isinstance(wanted, dict | list):
        return _facts(text, outcome.out)
    try:
        got = json.loads(outcome.out)
    except ValueError:
        return [f"stdout is no JSON document: {outcome.out[:200]!r} {outcome.err[-300:]!r}"]
    ignored = [*expectation.json_ignore, *case.spec.get("volatile", [])]
    return subset(wanted, got, "stdout", set(ignored))


def _facts(wanted: str, got: str) -> list[str]:
    missing = []
    for token in FACT.findall(wanted):
        fact = token.strip(EDGES)
        if fact and fact not in PINNED_MODELS and not _is_told(fact, got):
            missing.append(fact)
    return [f"text lacks {missing[:8]}: {got[:1500]!r}"] if missing else []


def _is_told(fact: str, got: str) -> bool:
    """Whether a text tells a fact; a placeholder in it stands for any one word."""
    if not re.search(PLACEHOLDER, fact):
        return fact in got
    return re.search(r"\S+".join(map(re.escape, re.split(PLACEHOLDER, fact))), got) is not None


def subset(wanted: Any, got: Any, where: str, ignored: set[str]) -> list[str]:
    """Where ``got`` lacks a key of ``wanted`` or has another value."""
    path = where.removeprefix("stdout.")
    if path in ignored or re.sub(r"\[\d+\]", "[]", path) in ignored:
        return []
    if isinstance(wanted, dict) and isinstance(got, dict):
        found = []
        for key, value in wanted.items():
            if key in PINNED_KEYS or (
                key in ("model", "modelProvider") and wanted.get("model") in PINNED_MODELS
            ):
                continue
            if key not in got:
                if f"{path}.{key}".removeprefix("stdout.") not in ignored:
                    found.append(f"{where}.{key} is absent")
                continue
            found += subset(value, got[key], f"{where}.{key}", ignored)
        return found
    if isinstance(wanted, list) and isinstance(got, list):
        if len(wanted) != len(got):
            return [f"{where} has {len(got)} items, recorded {len(wanted)}: {got!r}"[:600]]
        pairs = zip(wanted, got, strict=True)
        return [d for i, (w, g) in enumerate(pairs) for d in subset(w, g, f"{where}[{i}]", ignored)]
    if wanted == "{MTIME}":
        return [] if isinstance(got, int | float) else [f"{where} is {got!r}, not a time"]
    if _is_number(wanted) and _is_number(got):
        close = abs(wanted - got) <= 1e-9 * max(1.0, abs(wanted))
        return [] if close else [f"{where} is {got!r}, recorded {wanted!r}"]
    if isinstance(wanted, str) and isinstance(got, str) and re.search(PLACEHOLDER, wanted):
        pattern = re.sub(r"\\\{[A-Z]+\\\}", '[^"\\\\s]+', re.escape(wanted))
        return [] if re.fullmatch(pattern, got) else [f"{where} is {got!r}, recorded {wanted!r}"]
    return [] if wanted == got else [f"{where} is {got!r}, recorded {wanted!r}"]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _changes(case: Case, outcome: Outcome, expectation: Expectation) -> list[str]:
    recorded = json.loads(case.expected("changes.json") or "{}")
    found = []
    for kind in ("created", "modified", "deleted"):
        wanted = [p for p in recorded.get(kind, []) if _counts(p, case, expectation)]
        got = [p for p in outcome.paths(kind) if _counts(p, case, expectation)]
        if sorted(wanted) != got:
            found.append(f"{kind} {got}, recorded {sorted(wanted)}")
    return found


def _counts(path: str, case: Case, expectation: Expectation) -> bool:
    if OURS.search(path) or any(Path(path).match(glob) for glob in expectation.ignore):
        return False
    only = case.spec.get("only")
    return only is None or any(path == o or Path(path).match(o) for o in only)


def _files(
    case: Case, outcome: Outcome, expectation: Expectation, filled: dict[str, str]
) -> list[str]:
    root = case.folder / "expected" / "files"
    found: list[str] = []
    for source in sorted(p for p in root.rglob("*") if p.is_file()):
        path = source.relative_to(root).as_posix()
        if not _counts(path, case, expectation):
            continue
        if path not in outcome.after:
            found.append(f"{path} is missing")
            continue
        wanted = _fill(source.read_text(), filled)
        got = outcome.after[path].decode("utf-8", "replace")
        found += [f"{path}: {line}" for line in _content(path, wanted, got)]
    return found


def _loads(path: str, text: str) -> Any:
    """The value of a JSON file; the configuration is JSON5 and keeps its comments."""
    if not path.endswith("/openclaw.json"):
        return json.loads(text)
    import pyjson5

    return pyjson5.decode(text)


def _content(path: str, wanted: str, got: str) -> list[str]:
    if path.endswith(".json"):
        try:
            return subset(json.loads(wanted.replace("{MTIME}", '"{MTIME}"')
                                     .replace('""{MTIME}""', '"{MTIME}"')),
                          _loads(path, got), "$", set())  # fmt: skip
        except ValueError as error:
            return [] if wanted == got else [f"no JSON ({error})"]
    if path.endswith(".jsonl"):
        lines, ours = wanted.splitlines(), got.splitlines()
        if len(lines) != len(ours):
            return [f"{len(ours)} lines, recorded {len(lines)}: {ours[-3:]}"[:800]]
        found = []
        for number, (line, our) in enumerate(zip(lines, ours, strict=True), 1):
            try:
                found += subset(json.loads(line), json.loads(our), f"line {number}", set())
            except ValueError:
                found += [] if line == our else [f"line {number} differs"]
        return found
    return [] if wanted == got else _text_difference(wanted, got)


def _text_difference(wanted: str, got: str) -> list[str]:
    import difflib

    lines = difflib.unified_diff(
        wanted.splitlines(), got.splitlines(), "recorded", "ours", lineterm="", n=1
    )
    return ["\n" + "\n".join(list(lines)[:40])]
