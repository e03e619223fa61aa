"""``openclaw heartbeat``: run the agents' heartbeats, see when they are due and why not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.index import Entry
from openclaw_cli.cli.options import agent_option, dry_run_options, group, option
from openclaw_cli.cli.reasons import explained

INDEX = {
    "run": Entry("heartbeat", "Run the heartbeats that are due, then deliver follow-ups.", "run_"),
    "status": Entry("heartbeat", "Show whether heartbeats are due, and why not.", "status"),
    "last": Entry("system_heartbeat", "Print the last event as JSON.", "last"),
    "enable": Entry("system_heartbeat", "Let all heartbeats run again.", "enable"),
    "disable": Entry("system_heartbeat", "Pause all heartbeats.", "disable"),
}


@group("heartbeat", index=INDEX)
def cli(as_json: bool) -> None:
    """A regular look around by each agent: a call to its model when one is due.

    \b
    Examples:
      openclaw heartbeat status
      openclaw heartbeat run --dry-run
      */30 * * * * openclaw heartbeat run      in a crontab
    """


@cli.command("run")
@agent_option
@option("--force", is_flag=True, help="Run now, due or not, also outside active hours.")
@dry_run_options
@click.pass_obj
def run_(
    app: App, agent: str | None, *, force: bool, dry_run: bool, exit_code: bool, as_json: bool
) -> None:
    """Run the heartbeats that are due, then deliver due commitments.

    \b
    Examples:
      openclaw heartbeat run
      openclaw heartbeat run --agent work --force
    """
    from openclaw_cli.heartbeat import report, run
    from openclaw_cli.heartbeat.beat import FAILED
    from openclaw_cli.heartbeat.look import Wish

    wish = Wish(force=force)
    wanted = run.chosen_agents(app.config, agent)
    if dry_run:
        document = report.plan(app.config, wanted, wish, now_ms=app.now_ms())
        app.emit(document, as_json=as_json, render=_render_plan)
        work = any(report.would_run(found) for found in document["agents"])
        app.finish_dry_run(work=work, exit_code=exit_code)
        return
    beats = run.run_agents(app.config, wanted, wish)
    document = {"agents": [beat.to_json() for beat in beats]}
    app.emit(document, as_json=as_json, render=_render_run)
    app.finish(failed=any(beat.status == FAILED for beat in beats))


@cli.command("status")
@agent_option
@click.pass_obj
def status(app: App, agent: str | None, *, as_json: bool) -> None:
    """Show whether each agent's heartbeat is due, why not, and when it runs next.

    \b
    Example:
      openclaw heartbeat status --json | jq '.agents[] | {agentId, due, reason}'
    """
    from openclaw_cli.heartbeat import report

    document = report.status(app.config, agent, now_ms=app.now_ms())
    app.emit(document, as_json=as_json, render=_render_status)


def _render_run(document: dict[str, Any]) -> Iterable[str]:
    for found in document["agents"]:
        reason = f" ({explained(found['reason'])})" if found["reason"] else ""
        yield f"{found['agentId']}: {found['status']}{reason}{_next(found)}"
        for sent in found["deliveries"]:
            to = f"{sent['channel']}:{sent['to']}"
            tail = f": {sent['text']}" if "text" in sent else f": {sent.get('error', '')}"
            yield f"  {sent['status']} to {to}{tail}"
        for row in found["commitments"]:
            yield f"  commitment {row['id']}: {row['outcome']} ({explained(row['reason'])})"
        for problem in found["problems"]:
            yield f"  HEARTBEAT.md line {problem['line']}: {problem['name']} {problem['reason']}"


def _render_plan(document: dict[str, Any]) -> Iterable[str]:
    for found in document["agents"]:
        reason = f" ({explained(found['reason'])})" if found["reason"] else ""
        yield f"{found['agentId']}: {found['status']}{reason}{_next(found)}"
        yield f"  session {found['sessionKey']}, target {_target(found['target'])}"
        yield from (f"  warning: {warning}" for warning in found["warnings"])
        if found["commitments"]:
            yield f"  due commitments: {', '.join(row['id'] for row in found['commitments'])}"
        if found["prompt"]:
            yield "  prompt:"
            yield from (f"    {line}" for line in found["prompt"].splitlines())


def _render_status(document: dict[str, Any]) -> Iterable[str]:
    if not document["enabled"]:
        yield "Heartbeats are switched off for all agents."
    for found in document["agents"]:
        state = "due" if found["due"] else "not due"
        reason = f" ({explained(found['reason'])})" if found["reason"] else ""
        yield f"{found['agentId']}: every {found['every']}, {state}{reason}{_next(found)}"
        yield f"  target {_target(found['target'])}"
        if found["lastRun"]:
            yield f"  last run {_instant(found['lastRun']['startedAtMs'])}{_outcome(found)}"
        for task in found["tasks"]:
            yield f"  task {task['name']} every {task['interval']}: " + (
                "due" if task["due"] else "not due"
            )
        if found["dueCommitments"]:
            yield f"  due commitments: {found['dueCommitments']}"
        if found["waitsFor"]:
            yield f"  {_WAITS[found['waitsFor']]}"
        yield from (f"  warning: {warning}" for warning in found["warnings"])


_WAITS = {
    "no-model": "no model is configured: runs wait for one "
    "(openclaw config set agents.defaults.model PROVIDER/MODEL)",
    "budget": "the day's tokens are used up: runs wait for tomorrow (openclaw usage)",
}


def _outcome(found: dict[str, Any]) -> str:
    event = found["lastRun"]["event"]
    if not event:
        return ""
    reason = f" ({explained(event['reason'])})" if event.get("reason") else ""
    return f": {event['status']}{reason}"


def _target(target: dict[str, Any]) -> str:
    if target["problem"]:
        return f"{target['wanted']} ({explained(target['problem'])})"
    from openclaw_cli.delivery.recipients import strip_channel

    return f"{target['channel']}:{strip_channel(target['channel'], target['to'])}"


def _next(found: dict[str, Any]) -> str:
    at = found["nextDueAtMs"]
    if at is None:
        return "" if found.get("status") == "failed" else ", never again"
    return f", next {_instant(at)}"


def _instant(ms: int) -> str:
    from openclaw_cli.state import clock

    return clock.iso(ms)[:19] + "Z"
