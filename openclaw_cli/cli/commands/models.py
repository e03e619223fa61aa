"""``openclaw models``: which models are used, and whether they answer (``commands.md``)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import agent_option, completed, group


@group()
def cli(as_json: bool) -> None:
    """Show and test the models in use.

    \b
    Examples:
      openclaw models status
      openclaw models status --probe
      openclaw models test ollama/llama3.2
    """


@cli.command("status")
@agent_option
@click.option("--probe", is_flag=True, help="Make one smallest possible call to each model.")
@click.pass_obj
def status(app: App, agent: str | None, probe: bool, as_json: bool) -> None:
    """Show which model is used for what, and where its key comes from.

    Keys themselves are never shown. With --probe, exit 1 when a model does not answer.

    \b
    Examples:
      openclaw models status
      openclaw models status --probe --json | jq '.probes[] | select(.ok | not)'
    """
    from openclaw_cli.model import status as core

    agent_id = _agent_id(app, agent)
    document = core.describe(app.config, agent_id)
    if probe:
        document["probes"] = [
            core.probe(app.config, agent_id, model, now_ms=app.now_ms())
            for model in core.used_models(document)
        ]
    app.emit(document, as_json=as_json, render=lambda shown: render_status(app, shown))
    app.finish(failed=any(not tried["ok"] for tried in document.get("probes", [])))


@cli.command("test")
@click.argument("model", required=False, shell_complete=completed("model_names"))
@agent_option
@click.pass_obj
def test(app: App, model: str | None, agent: str | None, as_json: bool) -> None:
    """Ask MODEL for one word; exit 1 when it does not answer.

    MODEL is provider/model or an alias; without it, the default model is asked.

    \b
    Example:
      openclaw models test openai/gpt-5-mini --json
    """
    from openclaw_cli.model import refs
    from openclaw_cli.model import status as core

    agent_id = _agent_id(app, agent)
    asked = model or str(refs.choose(app.config, agent_id, None).refs[0])
    document = core.probe(app.config, agent_id, asked, now_ms=app.now_ms())
    app.emit(document, as_json=as_json, render=lambda shown: [render_probe(shown)])
    app.finish(failed=not document["ok"])


def render_status(app: App, document: dict[str, Any]) -> Iterable[str]:
    """The models by purpose, then the providers, then the probes."""
    yield f"Config: {app.paths.display(document['configPath'])}"
    if document["resolvedDefault"] is None:
        yield "Default model: none (what needs a model says so; everything else works)"
        yield "Set one: openclaw config set agents.defaults.model PROVIDER/MODEL"
    else:
        named = document["defaultModel"]
        alias = f" ({named})" if named != document["resolvedDefault"] else ""
        yield f"Default model: {document['resolvedDefault']}{alias}"
    if document["fallbacks"]:
        yield f"Fallbacks: {', '.join(document['fallbacks'])}"
    for alias, model in document["aliases"].items():
        yield f"Alias: {alias} = {model}"
    yield "Used for:"
    for use, model in document["purposes"].items():
        yield f"  {use:<11} {model or 'none'}"
    if document["providers"]:
        yield "Providers:"
    for provider in document["providers"]:
        key = f"key {provider['auth']}"
        source = f" ({provider['authSource']})" if provider["authSource"] else ""
        yield f"  {provider['id']:<11} {provider['baseUrl'] or 'no address'}, {key}{source}"
    if document.get("probes"):
        yield "Probes:"
    for tried in document.get("probes", []):
        yield f"  {render_probe(tried)}"


def render_probe(document: dict[str, Any]) -> str:
    """One line for one attempt."""
    if document["ok"]:
        return f"{document['model']} answers ({document['latencyMs']} ms)"
    error = document["error"]
    hint = f" ({error['hint']})" if "hint" in error else ""
    return f"{document['model']} does not answer: {error['message']}{hint}"


def _agent_id(app: App, agent: str | None) -> str:
    from openclaw_cli.config import agents

    if agent is None:
        return agents.default_agent_id(app.config)
    return agents.require_agent(app.config, agent)
