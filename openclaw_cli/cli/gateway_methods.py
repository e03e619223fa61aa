"""The gateway methods that this program answers, as data (``sessions.md`` 13).

Each names a function of the domain, imported when it is called, as
``function(config, paths, params, now_ms) -> JSON value``, and the parameters it takes.
Parameters are checked here, so that the functions get known names of the right types.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from openclaw_cli.errors import OpenClawError
from openclaw_cli.state.tuples import NamedTuple


class InvalidRequest(OpenClawError):
    """A call that breaks the protocol, with the reference's word as its code."""

    code = "INVALID_REQUEST"

    def to_json(self) -> dict[str, Any]:
        """The error object of the reference."""
        return {"type": "gateway_request_error", **super().to_json(), "retryable": False}


class Method(NamedTuple):
    """Where a method is implemented, and its parameters: name to type word.

    Type words: ``text``, ``texts``, ``count`` (at least 1), ``offset`` (at least 0),
    ``flag``, ``object``, ``any``, or the allowed texts with ``|`` between them; ``?`` after
    one lets it be null. ``required`` names those that must be there.
    """

    target: str
    params: Mapping[str, str] = {}
    required: tuple[str, ...] = ()


_SESSIONS = "openclaw_cli.sessions."
_CRON = "openclaw_cli.jobs.rpc:"
_TASK = {
    "name": "text", "description": "text?", "enabled": "flag", "agentId": "text?",
    "sessionKey": "text?", "deleteAfterRun": "flag", "schedule": "object",
    "sessionTarget": "text", "wakeMode": "text", "payload": "object", "delivery": "object?",
    "failureAlert": "any",
}  # fmt: skip
_TASK_ID = {"id": "text", "jobId": "text"}
_PATCHED = {
    "label": "text?", "category": "text?", "model": "text?", "thinkingLevel": "text?",
    "fastMode": "any", "verboseLevel": "text?", "traceLevel": "text?",
    "reasoningLevel": "text?", "elevatedLevel": "text?", "responseUsage": "text?",
    "sendPolicy": "text?", "groupActivation": "text?", "execHost": "text?",
    "execSecurity": "text?", "execAsk": "text?", "execNode": "text?", "archived": "flag",
    "pinned": "flag",
}  # fmt: skip

_DOCTOR = "openclaw_cli.dreaming.doctor:"
_AGENT = {"agentId": "text"}

METHODS: dict[str, Method] = {
    "health": Method("openclaw_cli.cli.commands.status:health"),
    "status": Method("openclaw_cli.cli.commands.status:answer"),
    "last-heartbeat": Method("openclaw_cli.heartbeat.system_event:last"),
    "set-heartbeats": Method(
        "openclaw_cli.heartbeat.system_event:switch", {"enabled": "flag"}, ("enabled",)
    ),
    "system-event": Method(
        "openclaw_cli.heartbeat.system_event:answer",
        {"text": "text", "mode": "text", "sessionKey": "text", "agentId": "text"},
        ("text",),
    ),
    "sessions.list": Method(
        _SESSIONS + "rpc_list:list_sessions",
        {
            "limit": "count", "offset": "offset", "activeMinutes": "count",
            "includeGlobal": "flag", "includeUnknown": "flag", "configuredAgentsOnly": "flag",
            "includeDerivedTitles": "flag", "includeLastMessage": "flag", "label": "text",
            "spawnedBy": "text", "agentId": "text", "search": "text", "archived": "flag",
        },
    ),
    "sessions.describe": Method(
        _SESSIONS + "rpc_list:describe",
        {"key": "text", "includeDerivedTitles": "flag", "includeLastMessage": "flag"},
        ("key",),
    ),
    "sessions.preview": Method(
        _SESSIONS + "rpc_read:preview",
        {"keys": "texts", "limit": "count", "maxChars": "count"},
        ("keys",),
    ),
    "sessions.get": Method(
        _SESSIONS + "rpc_read:get", {"key": "text", "limit": "count"}, ("key",)
    ),
    "sessions.resolve": Method(
        _SESSIONS + "rpc_read:resolve",
        {
            "key": "text", "sessionId": "text", "label": "text", "agentId": "text",
            "spawnedBy": "text", "includeGlobal": "flag", "includeUnknown": "flag",
        },
    ),
    "sessions.usage": Method(
        _SESSIONS + "rpc_read:usage",
        {
            "key": "text", "agentId": "text", "startDate": "text", "endDate": "text",
            "limit": "count",
        },
    ),
    "sessions.create": Method(
        _SESSIONS + "rpc_write:create",
        {
            "key": "text", "agentId": "text", "label": "text", "model": "text",
            "parentSessionKey": "text",
        },
    ),
    "sessions.patch": Method(
        _SESSIONS + "rpc_write:patch", {"key": "text", "agentId": "text", **_PATCHED}, ("key",)
    ),
    "sessions.reset": Method(
        _SESSIONS + "rpc_write:reset", {"key": "text", "reason": "new|reset"}, ("key",)
    ),
    "sessions.delete": Method(
        _SESSIONS + "rpc_write:delete",
        {"key": "text", "deleteTranscript": "flag"},
        ("key",),
    ),
    "sessions.compact": Method(
        _SESSIONS + "rpc_write:compact",
        {"key": "text", "agentId": "text", "maxLines": "count"},
        ("key",),
    ),
    "sessions.cleanup": Method(
        _SESSIONS + "rpc_write:cleanup",
        {
            "agent": "text", "agentId": "text", "allAgents": "flag", "enforce": "flag",
            "dryRun": "flag", "fixMissing": "flag", "fixDmScope": "flag", "activeKey": "text",
        },
    ),
    "cron.list": Method(
        _CRON + "list_",
        {"includeDisabled": "flag", "agentId": "text", "limit": "count", "offset": "offset"},
    ),
    "cron.status": Method(_CRON + "status"),
    "cron.get": Method(_CRON + "get", _TASK_ID),
    "cron.add": Method(_CRON + "add", _TASK, ("name", "schedule", "payload")),
    "cron.update": Method(_CRON + "update", {**_TASK_ID, "patch": "object"}, ("patch",)),
    "cron.remove": Method(_CRON + "remove", _TASK_ID),
    "cron.run": Method(_CRON + "run", {**_TASK_ID, "mode": "text"}),
    "cron.runs": Method(
        _CRON + "runs",
        {
            **_TASK_ID, "runId": "text", "status": "text", "deliveryStatus": "text",
            "query": "text", "limit": "count", "offset": "offset",
        },
    ),
    "doctor.memory.status": Method(_DOCTOR + "status", _AGENT),
    "doctor.memory.dreamDiary": Method(_DOCTOR + "dream_diary", _AGENT),
    "doctor.memory.backfillDreamDiary": Method(_DOCTOR + "backfill_diary", _AGENT),
    "doctor.memory.resetDreamDiary": Method(_DOCTOR + "reset_diary", _AGENT),
    "doctor.memory.resetGroundedShortTerm": Method(_DOCTOR + "reset_grounded", _AGENT),
    "doctor.memory.dedupeDreamDiary": Method(_DOCTOR + "dedupe_diary", _AGENT),
    "doctor.memory.repairDreamingArtifacts": Method(
        _DOCTOR + "repair", {**_AGENT, "archiveDiary": "flag"}
    ),
    "doctor.memory.remHarness": Method(
        _DOCTOR + "rem_harness",
        {**_AGENT, "grounded": "flag", "includePromoted": "flag", "limit": "count"},
    ),
}  # fmt: skip

_WORDS = {
    "text": "a string",
    "texts": "a list of strings",
    "count": "an integer of at least 1",
    "offset": "an integer of at least 0",
    "flag": "true or false",
    "object": "an object",
}

Answer = Callable[[Any, Any, dict[str, Any], int], Any]


def find(name: str) -> Method:
    """The method ``name``; ``InvalidRequest`` with the list of known ones."""
    method = METHODS.get(name)
    if method is None:
        raise InvalidRequest(
            f"unknown method {name!r}; known methods: {', '.join(sorted(METHODS))}"
        )
    return method


def check(name: str, method: Method, params: Mapping[str, Any]) -> None:
    """Raise ``InvalidRequest`` naming the first parameter that is unknown, wrong or missing."""
    for given, value in params.items():
        word = method.params.get(given)
        if word is None:
            known = ", ".join(method.params) or "none"
            raise InvalidRequest(
                f"invalid {name} params: unexpected property '{given}' (known: {known})"
            )
        if not _fits(word, value):
            kind = _meaning(word.rstrip("?")) + (" or null" if word.endswith("?") else "")
            raise InvalidRequest(f"invalid {name} params: '{given}' must be {kind}")
    for needed in method.required:
        if needed not in params:
            raise InvalidRequest(f"invalid {name} params: '{needed}' is required")


def implementation(method: Method) -> Answer:
    """The function behind a method."""
    module, _, function = method.target.partition(":")
    found: Answer = getattr(importlib.import_module(module), function)
    return found


def _meaning(kind: str) -> str:
    return f"one of {kind.replace('|', ', ')}" if "|" in kind else _WORDS[kind]


def _fits(word: str, value: Any) -> bool:
    if word == "any":
        return True
    kind = word.rstrip("?")
    if value is None:
        return word.endswith("?")
    if "|" in kind:
        return value in kind.split("|")
    if kind in ("count", "offset"):
        least = 1 if kind == "count" else 0
        return isinstance(value, int) and not isinstance(value, bool) and value >= least
    if kind == "texts":
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return isinstance(value, {"text": str, "flag": bool, "object": dict}[kind])
