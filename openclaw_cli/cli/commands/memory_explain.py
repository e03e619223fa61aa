"""``openclaw memory promote-explain``: one candidate, gate by gate."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import agent_option, command, completed, option

GATES = {
    "score": "score",
    "recallCount": "signals",
    "uniqueQueries": "distinct queries or days",
    "maxAge": "age",
}

UNFIT = {
    "no-claim": "it is no statement that stands for itself",
    "several-claims": "it holds several statements; a search credits each by itself",
    "not-lasting": "what is over with its day is not kept",
    "superseded": "a newer note has another value",
    "same-claim": "MEMORY.md says it in other words",
    "same-questions": "another memory answers the same questions",
}


@command("promote-explain")
@click.argument("selector", shell_complete=completed("candidate_keys"))
@agent_option
@option("--include-promoted", is_flag=True, help="Look among what was promoted before, too.")
@click.pass_obj
def cli(
    app: App, selector: str, *, agent: str | None, include_promoted: bool, as_json: bool
) -> None:
    """Say why one candidate is promoted or not.

    SELECTOR is the key of an entry, or a part of its key, path or text; an exact key wins,
    else the best ranked match.

    \b
    Examples:
      openclaw memory promote-explain "router vlan"
      openclaw memory promote-explain memory:memory/2026-11-17.md:3:3 --json
    """
    from openclaw_cli.config import agents
    from openclaw_cli.memory import report
    from openclaw_cli.memory.settings import deep_settings
    from openclaw_cli.memory.workspace import Workspace

    config = app.config
    agent_id = agents.require_agent(config, agent) if agent else agents.default_agent_id(config)
    document = report.explain(
        Workspace(agents.workspace_dir(config, app.paths, agent_id, app.environ)),
        selector,
        deep_settings(config),
        now_ms=app.now_ms(),
        include_promoted=include_promoted,
    )
    document["agentId"] = agent_id
    app.emit(document, as_json=as_json, render=render)


def render(document: dict[str, Any]) -> Iterable[str]:
    """The explanation for people."""
    from openclaw_cli.memory.text import fixed

    candidate, limits = document["candidate"], document["thresholds"]
    yield f"Promotion Explain ({document['agentId']})"
    yield candidate["key"]
    yield f"{candidate['path']}:{candidate['startLine']}-{candidate['endLine']}"
    yield candidate["snippet"]
    if "promotedAt" in candidate:
        yield f"promoted={candidate['promotedAt']}"
    yield (
        f"score={fixed(candidate['score'], 3)} recallCount={candidate['recallCount']} "
        f"uniqueQueries={candidate['uniqueQueries']} ageDays={fixed(candidate['ageDays'], 1)}"
    )
    yield (
        f"signals={candidate['signalCount']} (recalls {candidate['recallCount']}, "
        f"daily {candidate['dailyCount']}, grounded {candidate['groundedCount']})"
    )
    parts = " ".join(f"{name}={fixed(v, 2)}" for name, v in candidate["components"].items())
    boost = candidate["phaseBoost"]
    yield f"components: {parts}" + (f" phaseBoost={fixed(boost, 2)}" if boost > 1e-9 else "")
    shown = " ".join(f"{name}={_plain(value)}" for name, value in limits.items())
    yield f"thresholds: {shown}"
    yield from _render_gates(document)
    yield _live(document)
    yield from _claim(document["claim"])
    if candidate["conceptTags"]:
        yield f"concepts={', '.join(candidate['conceptTags'])}"


def _live(document: dict[str, Any]) -> str:
    path, live = document["candidate"]["path"], document["live"]
    if live["found"]:
        return f"passes: the text stands in {path}:{live['startLine']}-{live['endLine']}"
    return f"FAILS: the note has no such text: {live['reason']} ({live['detail']})"


def _claim(claim: dict[str, Any]) -> Iterable[str]:
    """Whether it is a claim to write, and where else it was said."""
    if claim.get("fit"):
        yield "passes: one claim, not known yet, asked for beyond its day"
    elif "reason" in claim:
        detail = f" ({claim['detail']})" if claim["detail"] else ""
        words = f": {UNFIT[claim['reason']]}" if claim["reason"] in UNFIT else ""
        yield f"FAILS: {claim['reason']}{detail}{words}"
    for row in claim.get("restated", ()):
        lines = f"{row['startLine']}-{row['endLine']}"
        yield f"also said in {row['path']}:{lines} (recalls {row['recalls']}): {row['snippet']}"
    if "supersedes" in claim:
        yield f"corrects {claim['supersedes']}"


def _render_gates(document: dict[str, Any]) -> Iterable[str]:
    candidate, limits = document["candidate"], document["thresholds"]
    score = _told(candidate["score"], 3, limits["minScore"])
    age = _told(candidate["ageDays"], 1, limits["maxAgeDays"])
    numbers = {
        "score": (score, f"at least {_plain(limits['minScore'])}"),
        "recallCount": (candidate["signalCount"], f"at least {limits['minRecallCount']}"),
        "uniqueQueries": (
            candidate["contextDiversity"],
            f"at least {limits['minUniqueQueries']}",
        ),
        "maxAge": (f"{age} days", f"at most {limits['maxAgeDays']}"),
    }
    for gate, title in GATES.items():
        actual, needed = numbers[gate]
        verdict = "passes" if document["passes"][gate] else "FAILS"
        yield f"{verdict}: {title} {actual}, needed {needed}"


def _told(value: float, decimals: int, limit: float) -> str:
    """A number as short as does not hide on which side of its limit it is."""
    from openclaw_cli.memory.text import fixed

    text = fixed(value, decimals)
    return _plain(value) if value != limit and float(text) == limit else text


def _plain(value: Any) -> str:
    from openclaw_cli.state.jsonnum import dumps

    return dumps(value)
