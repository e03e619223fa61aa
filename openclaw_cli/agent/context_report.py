"""``/context``: what goes into the model's context, and how large it is (``sessions.md`` 10.2).

From the ``systemPromptReport`` of the last run, else from the files as they are now.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openclaw_cli.agent import instructions, tools
from openclaw_cli.config import agents
from openclaw_cli.sessions import entry
from openclaw_cli.sessions.model_in_use import ModelResolver
from openclaw_cli.state.jsonnum import dumps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from openclaw_cli.agent.session import Place
    from openclaw_cli.sessions.entry import Row

USAGE = "Use /context list, /context detail or /context json."
_CHARS_PER_TOKEN = 4
_LARGEST = 30
_FUNCTIONS = [tool["function"] for tool in tools.DEFINITIONS]
_SIZES = {f["name"]: len(dumps(f, indent=None)) for f in _FUNCTIONS}
_SCHEMA_SIZES = {f["name"]: len(dumps(f["parameters"], indent=None)) for f in _FUNCTIONS}


def text(place: Place, row: Row | None, words: Sequence[str]) -> str:
    """The answer to ``/context`` with these words."""
    mode = words[0].lower() if words else ""
    if not mode:
        return f"What the model sees, by size. {USAGE}"
    if mode not in ("list", "show", "detail", "deep", "json"):
        return f"Unknown /context mode. {USAGE}"
    report, source = _report(place, row or {})
    if mode == "json":
        return dumps(report)
    return "\n".join(_lines(place, row or {}, report, source, detail=mode in ("detail", "deep")))


def _report(place: Place, row: Row) -> tuple[dict[str, Any], str]:
    stored = row.get("systemPromptReport")
    if isinstance(stored, dict) and isinstance(stored.get("injectedWorkspaceFiles"), list):
        return stored, "last run"
    from openclaw_cli.agent import bootstrap

    sections = instructions.heartbeat_section(place)
    prompt = instructions.system_prompt(place, only_files=bootstrap.NAMES, sections=sections)
    return prompt.report(place.now_ms) | {"source": "estimate"}, "estimate from the files now"


def _lines(
    place: Place, row: Row, report: dict[str, Any], source: str, *, detail: bool
) -> list[str]:
    workspace = agents.workspace_dir(place.config, place.paths, place.agent_id)
    prompt = report.get("systemPrompt")
    chars = int(prompt.get("chars") or 0) if isinstance(prompt, dict) else 0
    lines = [
        f"🧠 Context ({source})",
        f"Workspace: {place.paths.display(workspace)}",
        f"Bootstrap limits: {report.get('bootstrapMaxChars', 20_000)} characters a file, "
        f"{report.get('bootstrapTotalMaxChars', 60_000)} in all",
        "Sandbox: none",
        f"System prompt: {_size(chars)}",
        "",
        "Workspace files:",
        *(_file_line(file) for file in report["injectedWorkspaceFiles"]),
        "",
        f"Skills: {_size(0)}",
        f"Tools: {_size(sum(_SIZES.values()))}: {', '.join(_SIZES)}",
    ]
    if detail:
        lines += ["", "Tools by size:", *_largest(_SIZES)]
        lines += ["", "Tool schemas by size:", *_largest(_SCHEMA_SIZES), ""]
    return [*lines, _tokens_line(place, row)]


def _file_line(file: dict[str, Any]) -> str:
    raw, injected = int(file.get("rawChars") or 0), int(file.get("injectedChars") or 0)
    if file.get("missing"):
        return f"- {file.get('name')}: MISSING"
    status = "TRUNCATED" if file.get("truncated") else "OK"
    return f"- {file.get('name')}: {status} | raw {_size(raw)} | injected {_size(injected)}"


def _largest(sizes: dict[str, int]) -> list[str]:
    ranked = sorted(sizes.items(), key=lambda item: (-item[1], item[0]))
    return [f"- {name}: {_size(size)}" for name, size in ranked[:_LARGEST]]


def _tokens_line(place: Place, row: Row) -> str:
    resolver = ModelResolver(place.config)
    window = resolver.window(row, resolver.in_use(row, place.agent_id))
    total = entry.total_tokens(row)
    known = "?" if total is None else f"{total:.0f}"
    return f"Session tokens (cached): {known} total / ctx={window:.0f}"


def _size(chars: int) -> str:
    return f"{chars} chars (~{-(-chars // _CHARS_PER_TOKEN)} tok)"
