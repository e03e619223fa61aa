"""Models: none configured, or one whose key is missing."""

from __future__ import annotations

from collections.abc import Iterator

from openclaw_cli.doctor.finding import INFO, WARN, Finding, Patient
from openclaw_cli.model import refs, status


def check_models(patient: Patient) -> Iterator[Finding]:
    """The model of each agent, and the keys of the providers in use."""
    used: dict[str, str] = {}
    for agent_id in patient.agent_ids:
        document = status.describe(patient.config, agent_id)
        models = status.used_models(document)
        if not models:
            message = f"agent {agent_id} has no model: only what needs none works"
            fix = "openclaw config set agents.defaults.model PROVIDER/MODEL"
            yield Finding("model-missing", INFO, message, fix=fix)
        for model in models:
            used.setdefault(refs.parse_ref(patient.config, model).provider, model)
    for provider, model in sorted(used.items()):
        if not refs.base_url(patient.config, provider):
            message = f"nothing is known of provider {provider}, which {model} needs"
            fix = f"openclaw config set models.providers.{provider}.baseUrl URL"
            yield Finding("model-provider-unknown", WARN, message, fix=fix)
            continue
        state, source = refs.auth(patient.config, provider)
        if state == "present":
            continue
        where = f" ({source})" if source else ""
        message = f"the key of provider {provider} is {state}{where}; {model} needs it"
        fix = f"set models.providers.{provider}.apiKey; openclaw models status tells where it looks"
        yield Finding(f"model-key-{state}", WARN, message, fix=fix)


CHECKS = (check_models,)
