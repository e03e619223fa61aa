"""``openclaw dreaming shadow-trial``: reports for review, never a promotion (``dreaming.md`` 9)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import agent_option, dry_run_options, group, option

LAST_MS = 253_402_000_000_000  # the end of the year 9999, all zones included


@group("shadow-trial")
def cli(**_inherited: Any) -> None:
    """Compare answers without and with a candidate, and keep a report.

    Report-only: a trial may move a candidate in the list of 'memory promote
    --shadow-trials' or keep it out, and changes no memory.

    \b
    Examples:
      openclaw dreaming shadow-trial run --candidate memory:memory/2026-11-17.md:3:3 \\
          --prompt "Write the release note."
      openclaw dreaming shadow-trial record trial.json
    """


@cli.command("record")
@click.argument("file", metavar="FILE|-")
@agent_option
@dry_run_options
@click.pass_obj
def record(
    app: App, file: str, *, agent: str | None, dry_run: bool, exit_code: bool, as_json: bool
) -> None:
    """Write the report of a trial that was made elsewhere.

    FILE (- for stdin) holds a JSON object: candidate, trialPrompt, baselineOutcome,
    candidateOutcome, verdict (helpful, neutral, harmful), reason; if wanted riskFlags and
    evidenceRefs (lists), reportPath, workspaceDir, nowMs and timezone.

    \b
    Examples:
      openclaw dreaming shadow-trial record trial.json
      jq '.[0]' trials.json | openclaw dreaming shadow-trial record - --json
    """
    from openclaw_cli.dreaming import shadow_trial

    inputs = _inputs(file)
    trial = shadow_trial.normalize(inputs)
    workspace = _target(app, agent).workspace
    if isinstance(inputs.get("workspaceDir"), str) and inputs["workspaceDir"].strip():
        workspace = type(workspace)(app.paths.expand(inputs["workspaceDir"]))
    wanted = inputs.get("reportPath")
    path = shadow_trial.report_path(
        workspace,
        trial,
        _day(app, inputs),
        wanted if isinstance(wanted, str) and wanted.strip() else None,
    )
    document = shadow_trial.record(workspace, trial, path, dry_run=dry_run)
    _emit(app, document, dry_run=dry_run, exit_code=exit_code, as_json=as_json)


@cli.command("run")
@option("--candidate", metavar="KEY", required=True, help="Key of an entry of the recall store.")
@option("--prompt", metavar="TEXT", required=True, help="The request to answer both times.")
@option("--evidence", metavar="REF", multiple=True, help="A place to name in the report.")
@agent_option
@dry_run_options
@click.pass_obj
def run(
    app: App, *, candidate: str, prompt: str, evidence: tuple[str, ...], agent: str | None,
    dry_run: bool, exit_code: bool, as_json: bool,
) -> None:  # fmt: skip
    """Let the model answer without and with a candidate, and judge the difference.

    Three calls to the agent's model. With --dry-run they are made as well; only the report
    is not written.

    \b
    Examples:
      openclaw dreaming shadow-trial run --candidate memory:memory/2026-11-17.md:3:3 \\
          --prompt "Write the release note." --evidence memory/2026-11-17.md#L3
    """
    from openclaw_cli.dreaming import shadow_trial, shadow_trial_run

    if not prompt.strip():
        raise click.UsageError("--prompt must not be empty.")
    target = _target(app, agent)
    text = shadow_trial_run.find_candidate(target.workspace, candidate, app.now_ms())
    question = shadow_trial_run.Question(text, prompt, evidence)
    trial = shadow_trial_run.run(app.config, target.agent_id, question, now_ms=app.now_ms())
    path = shadow_trial.report_path(target.workspace, trial, _day(app, {}))
    document = shadow_trial.record(target.workspace, trial, path, dry_run=dry_run)
    document = {"candidateKey": candidate, **document}
    _emit(app, document, dry_run=dry_run, exit_code=exit_code, as_json=as_json)


def render(document: dict[str, Any], display: Callable[[str], str]) -> Iterable[str]:
    """The outcome in a few lines."""
    flags, refs = document["riskFlags"], document["evidenceRefs"]
    yield f"Candidate: {document['candidate']}"
    yield f"Without it: {document['baselineOutcome']}"
    yield f"With it: {document['candidateOutcome']}"
    yield f"Verdict: {document['verdict']} (recommendation: {document['recommendation']})"
    yield f"Reason: {document['reason']}"
    yield f"Risk flags: {', '.join(flags) or 'none'}"
    if refs:
        yield f"Evidence: {', '.join(refs)}"
    verb = "Would write the report to" if document["dryRun"] else "Report:"
    yield f"{verb} {display(document['reportPath'])}"
    yield "Report-only: no memory was changed."


def _emit(
    app: App, document: dict[str, Any], *, dry_run: bool, exit_code: bool, as_json: bool
) -> None:
    app.emit(
        document | {"dryRun": dry_run},
        as_json=as_json,
        render=lambda found: render(found, app.paths.display),
    )
    if dry_run:
        app.finish_dry_run(work=True, exit_code=exit_code)


def _target(app: App, agent: str | None) -> Any:
    from openclaw_cli.dreaming import actions

    return actions.find_target(
        app.config, app.paths, app.now_ms(), agent=agent, command="dreaming shadow-trial"
    )


def _inputs(file: str) -> dict[str, Any]:
    """The object in a file or on stdin."""
    import sys
    from pathlib import Path

    from openclaw_cli.errors import UnreadableFile
    from openclaw_cli.state import files, jsontext

    shown = "stdin" if file == "-" else file
    text = sys.stdin.read() if file == "-" else files.read_text(Path(file), what="trial")
    if text is None:
        raise UnreadableFile(f"there is no file {file}", path=file)
    try:
        found = jsontext.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"{shown} is not JSON: {error}", path=file) from error
    if not isinstance(found, dict):
        raise UnreadableFile(f"{shown} holds no JSON object", path=file)
    return found


def _day(app: App, inputs: dict[str, Any]) -> str:
    """The day of the report: of the inputs' instant and zone, else ours."""
    from openclaw_cli.dreaming.shadow_trial import InvalidTrial
    from openclaw_cli.memory.settings import dreaming_zone
    from openclaw_cli.state import clock

    at_ms, name = inputs.get("nowMs", app.now_ms()), inputs.get("timezone")
    zone = clock.find_zone(name.strip()) if isinstance(name, str) else dreaming_zone(app.config)
    if zone is None:
        raise InvalidTrial(f"dreaming shadow trial: unknown timezone {name!r}")
    if isinstance(at_ms, bool) or not isinstance(at_ms, int | float) or not 0 < at_ms < LAST_MS:
        raise InvalidTrial("dreaming shadow trial: nowMs must be a time in milliseconds")
    return clock.day_in(int(at_ms), zone)
