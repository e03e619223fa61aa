"""Recorded sweeps with a diary: the driver's scripted model as a server of ours.

The driver took the model's answer from its arguments: ``--diary TEXT``, or ``--diary-error
MESSAGE`` for a run that ends badly, ``--diary-throw MESSAGE`` for one that cannot start,
and ``--diary-retry TEXT`` for the second attempt. Ours ask a loopback server, which a copy
of the configuration names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from model_server import ModelServer

from golden import dreaming_rules
from golden.harness import Expectation
from openclaw_cli.dreaming import diary
from openclaw_cli.model import failures

if TYPE_CHECKING:
    from golden.harness import Case, Outcome

FLAGS = ("--diary", "--diary-error", "--diary-throw", "--diary-retry")
TRUST = {"allowModelOverride": True}
DEEP_BLOCK = re.compile(r"\n*## Deep Sleep\n.*?:deep:end -->", re.DOTALL)
NAMES = ("DREAMS.md", "dreams.md")


def applies(case: Case) -> bool:
    """Whether the recording is a sweep with a scripted model."""
    return any(word in FLAGS for word in case.spec["argv"])


def argv() -> list[str]:
    """Our command; what the model says is the server's matter."""
    return ["dreaming", "sweep"]


@contextmanager
def surroundings(case: Case) -> Iterator[dict[str, str]]:
    """A server with the recorded answers, and the configuration that names it."""
    words = [str(word) for word in case.spec["argv"]]
    said = {flag: words[words.index(flag) + 1] for flag in FLAGS if flag in words}
    server = ModelServer()
    _script(server, said)
    config = json.loads((case.folder / "home/.openclaw/openclaw.json").read_text())
    config["plugins"]["entries"]["memory-core"]["subagent"] = TRUST
    model = server.config()
    providers = model["models"]["providers"]
    providers["example"] = providers["scripted"]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "openclaw.json"
        path.write_text(json.dumps(config | model))
        try:
            yield {"OPENCLAW_CONFIG_PATH": str(path), "{FALLBACK}": diary.FALLBACK}
        finally:
            server.close()


def expectation(case: Case) -> Expectation | None:
    """The recorded sweep, and the diary but for our summary of deep sleep."""
    if not applies(case):
        return None
    sweep = dreaming_rules.expectation(case) or Expectation()
    usage = ".openclaw/logs/*"

    def check(outcome: Outcome) -> list[str]:
        return dreaming_rules.same_events(case, outcome) + _diary(case, outcome)

    return replace(sweep, ignore=[*sweep.ignore, *NAMES, usage], check=check)


def _script(server: ModelServer, said: dict[str, str]) -> None:
    failure = said.get("--diary-error") or said.get("--diary-throw")
    if failure is None:
        server.default = said["--diary"]
    elif failures.says_unknown_model(failure):
        server.fail(404, failure)
        server.default = said.get("--diary-retry")
    else:
        server.fail(403 if "allowlisted" in failure else 500, failure, times=20)


def _diary(case: Case, outcome: Outcome) -> list[str]:
    """The diary as recorded; where a run failed, our neutral entry or none."""
    got = next((outcome.after[p] for p in outcome.after if p.endswith(NAMES)), b"").decode()
    failure = str(case.spec["argv"][case.spec["argv"].index("--trigger") + 2]) != "--diary"
    retried = "Written on the second try." in got
    if failure and not retried:
        entries = [(entry.text, entry.kind) for entry in diary.entries(got)]
        refused = any("allowlisted" in str(word) for word in case.spec["argv"])
        wanted = [] if refused else [(diary.FALLBACK, "fallback")] * 2
        return [] if entries == wanted else [f"entries {entries!r}, wanted {wanted!r}"]
    root = case.folder / "expected/files/.openclaw/workspace"
    recorded = next((root / name).read_text() for name in NAMES if (root / name).exists())
    ours = DEEP_BLOCK.sub("", got)
    same = _lines(ours) == _lines(recorded)
    return [] if same else [f"diary {ours!r}, recorded {recorded!r}"]


def _lines(text: str) -> Any:
    return text.strip().splitlines()
