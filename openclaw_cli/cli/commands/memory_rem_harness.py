"""``openclaw memory rem-harness``: what REM and deep sleep would say (``dreaming.md`` 8.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import agent_option, command, completed, option

SHOWN = 10


@command("rem-harness")
@agent_option
@option(
    "--path",
    metavar="P",
    shell_complete=completed("files"),
    help="Look at this note, or the notes of this folder, instead.",
)
@option("--grounded", is_flag=True, help="Also say what each note holds on its own.")
@option("--include-promoted", is_flag=True, help="Show what was promoted before, too.")
@click.pass_obj
def cli(
    app: App, agent: str | None, *, path: str | None, grounded: bool, include_promoted: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Preview REM and deep sleep; nothing is written.

    Over what the recall store holds, or with --path over notes of the past, named
    YYYY-MM-DD.md: as if they had just been read, and nothing else. Every candidate is
    ranked, whatever its score.

    \b
    Examples:
      openclaw memory rem-harness
      openclaw memory rem-harness --grounded --json
      openclaw memory rem-harness --path ~/old-notes --grounded
    """
    from openclaw_cli.config import agents
    from openclaw_cli.dreaming import harness
    from openclaw_cli.dreaming.settings import resolve
    from openclaw_cli.memory.workspace import Workspace

    config = app.config
    agent_id = agents.require_agent(config, agent) if agent else agents.default_agent_id(config)
    workspace = Workspace(agents.workspace_dir(config, app.paths, agent_id, app.environ))
    settings = resolve(config)
    wish = harness.Wish(
        grounded_limit=settings.rem.limit if grounded else None,
        include_promoted=include_promoted,
    )
    if path is not None:
        from openclaw_cli.dreaming import history

        place = app.paths.expand(path)
        sources = history.require(place, app.paths.display(place), "rem-harness")
        wish = wish._replace(path=place, sources=sources)
    shown = harness.preview(workspace, settings, wish, app.now_ms())
    for text in shown.warnings:
        app.warn(text)
    document = harness.document(shown, settings, wish) | {"agentId": agent_id}
    app.emit(document, as_json=as_json, render=lambda found: render(found, app.paths.display))


def render(document: dict[str, Any], display: Callable[[str], str]) -> Iterable[str]:
    """The preview as text."""
    root = document["workspaceDir"]
    yield f"REM Harness ({document['agentId']})"
    yield f"workspace={display(root)}"
    if document["sourcePath"] is not None:
        yield f"sourcePath={display(document['sourcePath'])}"
        yield _imported(document, display)
    if document["grounded"] is not None:
        files = [display(f"{root}/{file['path']}") for file in document["grounded"]["files"]]
        yield f"groundedInputs={', '.join(files) or 'none'}"
    count = document["deep"]["candidateCount"]
    yield f"recentRecallEntries={document['recentRecallEntries']} deepCandidates={count}"
    yield ""
    yield "REM Preview"
    if document["rem"]["skipped"]:
        yield "- REM sleep is skipped: its limit is 0."
    yield from document["rem"]["bodyLines"]
    yield ""
    if document["grounded"] is not None:
        yield from _grounded(document["grounded"])
    yield "Deep Candidates"
    yield from _candidates(document["deep"]["candidates"])


def _imported(document: dict[str, Any], display: Callable[[str], str]) -> str:
    imported = document["historicalImport"]
    line = (
        f"historicalFiles={len(document['sourceFiles'])} "
        f"importedFiles={imported['importedFileCount']} "
        f"importedSignals={imported['importedSignalCount']}"
    )
    skipped = [display(path) for path in imported["skippedPaths"]]
    return f"{line} skipped={', '.join(skipped)}" if skipped else line


def _grounded(grounded: dict[str, Any]) -> Iterator[str]:
    yield "Grounded REM"
    for file in grounded["files"]:
        yield file["path"]
        yield from file["renderedMarkdown"].split("\n")
        yield ""


def _candidates(candidates: list[dict[str, Any]]) -> Iterator[str]:
    from openclaw_cli.memory.text import fixed, strip_list_marker

    for one in candidates[:SHOWN]:
        place = f"{one['path']}:{one['startLine']}-{one['endLine']}"
        yield f"{fixed(one['score'], 3)} {strip_list_marker(one['snippet'])} [{place}]"
    if not candidates:
        yield "- No deep candidates."
