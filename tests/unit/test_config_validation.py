"""The strict blocks: what is refused, and how it is explained."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from openclaw_cli.config import json_schema, report, validation
from openclaw_cli.config.load import Config
from openclaw_cli.config.tree import strict_blocks
from openclaw_cli.errors import InvalidConfig
from openclaw_cli.state.paths import Paths

HOME = Path("/nowhere")


def config(data: Any, **environ: str) -> Config:
    paths = Paths(HOME, HOME / ".openclaw")
    return Config(paths, HOME / ".openclaw/openclaw.json", json.dumps(data), environ=environ)


def nested(path: str, value: Any) -> dict[str, Any]:
    """``a.b[].c`` as data; ``[]`` is a one-item list."""
    for part in reversed(path.split(".")):
        name = part.removesuffix("[]")
        value = {name: [value] if part != name else value}
    return value


def issues(path: str, value: Any) -> list[str]:
    return [str(issue) for issue in validation.check(config(nested(path, value))).issues]


DREAMING = "plugins.entries.memory-core.config.dreaming"
OWN = "plugins.entries.openclaw-cli.config"

VALID = {
    "session": {
        "scope": "per-sender",
        "dmScope": "per-peer",
        "identityLinks": {"alice": ["telegram:1", "2"]},
        "mainKey": "main",
        "store": "~/x/{agentId}.json",
        "resetTriggers": ["/fresh"],
        "idleMinutes": 60,
        "reset": {"mode": "daily", "atHour": 23, "idleMinutes": 1},
        "resetByType": {"direct": {}, "dm": {"atHour": 0}, "group": {}, "thread": {}},
        "resetByChannel": {"discord": {"mode": "idle"}},
        "sendPolicy": {
            "default": "allow",
            "rules": [
                {
                    "action": "deny",
                    "match": {"channel": "x", "chatType": "group", "keyPrefix": "cron:"},
                }
            ],
        },
        "maintenance": {
            "mode": "warn",
            "pruneAfter": 30,
            "maxEntries": 1,
            "rotateBytes": "10mb",
            "resetArchiveRetention": False,
            "maxDiskBytes": 0,
            "highWaterBytes": "1kb",
        },
        "parentForkMaxTokens": 0,
        "typingMode": "never",
        "typingIntervalSeconds": 6,
        "threadBindings": {"enabled": True, "idleHours": 24},
        "agentToAgent": {"maxPingPongTurns": 20},
        "writeLock": {"acquireTimeoutMs": 1},
    },
    "commitments": {"enabled": True, "maxPerDay": 3},
    "cron": {
        "enabled": True,
        "sessionRetention": False,
        "maxConcurrentRuns": 2,
        "retry": {"maxAttempts": 0, "backoffMs": [1, 2], "retryOn": ["timeout"]},
        "runLog": {"maxBytes": "2mb", "keepLines": 5},
        "failureAlert": {"enabled": True, "after": 2, "cooldownMs": 0},
        "failureDestination": {"channel": "telegram", "to": "1"},
        "webhookToken": {"source": "env", "provider": "default", "id": "TOKEN"},
    },
    "agents": {
        "defaults": {
            "model": {"primary": "a/b", "fallbacks": []},
            "heartbeat": {
                "every": "1h30m",
                "activeHours": {"start": "08:00", "end": "24:00", "timezone": "user"},
                "target": "last",
                "ackMaxChars": 0,
                "timeoutSeconds": 5,
            },
            "memorySearch": {
                "provider": "none",
                "query": {"minScore": 0, "hybrid": {"mmr": {"lambda": 0.5}}},
                "remote": {"apiKey": "k", "headers": {"x": "y"}},
                "local": {"contextSize": "auto"},
            },
            "compaction": {"mode": "safeguard", "memoryFlush": {"softThresholdTokens": 1}},
            "contextPruning": {"mode": "off", "ttl": "5m", "tools": {"deny": ["*"]}},
            "ours": "unknown keys are left alone",
        },
        "list": [{"id": "main", "default": True, "heartbeat": {}}],
    },
    "channels": {
        "telegram": {
            "botToken": "t",
            "heartbeat": {"showOk": True},
            "accounts": {"a": {"heartbeat": {"useIndicator": False}}},
        },
        "defaults": {"heartbeat": {"showAlerts": False}},
        "plugged-in": {"accounts": ["of", "another", "shape"]},
        "odd": "text",
    },
    "plugins": {
        "entries": {
            "memory-core": {
                "config": {"dreaming": {"enabled": True, "frequency": "@daily", "timezone": "UTC"}}
            },
            "openclaw-cli": {
                "config": {
                    "budget": {"maxTokensPerDay": 1000},
                    "jobs": {"cleanup": {"enabled": True, "schedule": "30 4 * * *"}},
                    "channels": {"x": {"command": ["send"], "timeoutSeconds": 3}},
                }
            },
            "somebody-elses": {"config": {"session": {"any": "thing"}, "dreaming": 1}},
        }
    },
    "cli": {"banner": {"taglineMode": "off"}},
    "gateway": {"port": 18789},
    "anything": {"at": ["the", "root"]},
}


def test_a_configuration_with_everything_is_valid() -> None:
    assert validation.check(config(VALID)) == validation.Findings([], [])


def test_the_exported_schema_agrees() -> None:
    schema = json_schema.export()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(VALID, schema)
    for path, value in [
        ("session.dmScop", "main"),
        ("session.reset.atHour", 24),
        ("agents.defaults.session", {}),
        ("commitments.enabled", "ture"),
    ]:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(nested(path, value), schema)


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("session.dmScop", "main", "did you mean dmScope (one of main, per-peer,"),
        ("session.DMSCOPE", "main", "did you mean dmScope"),
        ("session.zzz", 1, "unknown key; known here: scope, dmScope,"),
        ("session.pruneAfter", "1d", "it belongs at session.maintenance.pruneAfter"),
        ("session.heartbeat", {}, "move session.heartbeat to agents.defaults.heartbeat"),
        ("session.dmScope", "per-user", "expected one of main, per-peer, per-channel-peer, "
         "per-account-channel-peer, not 'per-user'"),
        ("session.reset.atHour", 24, "expected a whole number from 0 to 23, not 24"),
        ("session.reset.atHour", 1.5, "expected a whole number"),
        ("session.idleMinutes", 0, "expected a whole number of at least 1, not 0"),
        ("session.idleMinutes", True, "expected a whole number of at least 1, not true"),
        ("session.identityLinks.alice", "telegram:1", "expected a list of text values, not text"),
        ("session.identityLinks.alice", [1], "session.identityLinks.alice[0]: expected text"),
        ("session.sendPolicy.rules[].action", "maybe", "expected one of allow, deny"),
        ("session.sendPolicy.rules[].mach", {}, "did you mean match"),
        ("session.resetByChannel.discord.hour", 4, "unknown key"),
        ("session.maintenance.mode", "off", "expected one of warn, enforce"),
        ("session.maintenance.maxEntries", "12", "expected a whole number of at least 1, not '12'"),
        ("session.maintenance.pruneAfter", None, "expected a duration such as 30m, 12h or 7d "
         "(a bare number counts days), not null"),
        ("session.maintenance.resetArchiveRetention", True, "or false, not true"),
        ("session.maintenance.pruneAfter", "1w", "'1w' is no duration"),
        ("session.maintenance.maxDiskBytes", "1 mb", "'1 mb' is no size"),
        ("session", [], "session: expected an object, not a list"),
        ("commitments.enabled", "ture", "expected true or false, not 'ture'"),
        ("commitments.maxPerDay", 0, "at least 1"),
        ("cron.retry.retryOn", ["bored"], "cron.retry.retryOn[0]: expected one of rate_limit"),
        ("cron.sessionRetention", "soon", "'soon' is no duration"),
        ("agents.defaults.heartbeat.every", "half an hour", "is no duration"),
        ("agents.list[].heartbeat.evry", "1h", "agents.list[0].heartbeat.evry: unknown key; did "
         "you mean every"),
        ("agents.defaults.heartbeat.activeHours.start", "9:00", "is no time of day"),
        ("agents.defaults.heartbeat.activeHours.start", "24:00", "can only be an end"),
        ("agents.defaults.heartbeat.target", "telegrm", "is no channel; did you mean telegram?"),
        ("agents.list[].heartbeat.target", "x", "agents.list[0].heartbeat.target: 'x' is no "
         "channel: none, last or a channel id"),
        ("agents.defaults.heartbeat.start", "09:00", "belongs at agents.defaults.heartbeat."
         "activeHours.start"),
        ("agents.defaults.memorySearch.query.minScore", 1.1, "a number from 0 to 1"),
        ("agents.defaults.contextPruning.mode", "on", "one of off, cache-ttl"),
        ("agents.defaults.compaction.reserveTokens", -1, "at least 0"),
        ("channels.telegram.heartbeat.showOK", True, "did you mean showOk"),
        ("channels.telegram.accounts.a.heartbeat.every", "1h", "unknown key"),
        (f"{DREAMING}.phases.deep.recovery", {}, "unknown key"),
        (f"{DREAMING}.enabled", "true", "expected true or false, not 'true'"),
        (f"{DREAMING}.timezone", "Mars/Olympus", "is no known time zone"),
        (f"{DREAMING}.frequency", "every night", "is no cron expression"),
        (f"{DREAMING}.phases.light.dedupeSimilarity", 2, "from 0 to 1"),
        (f"{OWN}.budget.maxTokensPerDay", "lots", "a whole number of at least 0"),
        (f"{OWN}.jobs.sweep.schedule", "0 3 * * *", "unknown key"),
        (f"{OWN}.channels.x.command", "send", "expected a list of text values"),
        ("agents.defaults.session", {}, "move agents.defaults.session to session"),
        ("agents.list[].cron", {}, "move agents.list[0].cron to cron"),
        ("agents.session", {}, "move agents.session to session"),
        ("heartbeat", {}, "move heartbeat to agents.defaults.heartbeat"),
        ("memorySearch", {}, "to agents.defaults.memorySearch"),
        ("dreaming", {}, f"move dreaming to {DREAMING}"),
        ("maintenance", {}, "move maintenance to session.maintenance"),
        ("plugins.entries.memory-core.dreaming", {}, DREAMING),
        ("plugins.entries.openclaw-cli.budget", {}, f"{OWN}.budget"),
        ("cli.budget", {}, f"move cli.budget to {OWN}.budget"),
        ("gateway.session", {}, "move gateway.session to session"),
        ("agents.list", {}, "agents.list: expected a list, not an object"),
        ("agents.defaults.workspace", 5, "agents.defaults.workspace: expected text, not a number"),
        ("models.providers.x.apiKey", 5, "expected text or an object, not a number"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_place_and_remedy(path: str, value: Any, expected: str) -> None:
    found = issues(path, value)
    assert len(found) == 1
    assert expected in found[0]
    assert found[0].startswith(path.split(".", 1)[0].removesuffix("[]"))


def test_null_is_no_value_in_a_strict_block_and_absent_elsewhere() -> None:
    assert issues("commitments.enabled", None)
    assert not issues("agents.defaults.workspace", None)
    assert not issues("agents", None)


def test_texts_are_looked_at_only_when_all_shapes_are_right() -> None:
    bad = {"session": {"maintenance": {"pruneAfter": "soon", "maxEntries": 0}}}
    found = validation.check(config(bad)).issues
    assert [issue.path for issue in found] == ["session.maintenance.maxEntries"]


def test_every_wrong_place_is_reported_at_once() -> None:
    bad = {"session": {"maintenance": {"pruneAfter": "soon", "maxDiskBytes": "big"}}}
    with pytest.raises(InvalidConfig) as caught:
        validation.require_valid(config(bad))
    message = caught.value.message
    assert "~/.openclaw/openclaw.json" in message
    assert "session.maintenance.pruneAfter: 'soon'" in message
    assert "session.maintenance.maxDiskBytes: 'big'" in message
    assert "openclaw doctor" in str(caught.value.hint)


def test_an_unknown_user_zone_is_a_warning() -> None:
    found = validation.check(config({"agents": {"defaults": {"userTimezone": "Mars/X"}}}))
    assert not found.issues
    assert [warning.path for warning in found.warnings] == ["agents.defaults.userTimezone"]


def test_references_count_as_what_they_stand_for() -> None:
    data = {"session": {"maintenance": {"pruneAfter": "${KEEP}"}}}
    assert not validation.check(config(data, KEEP="7d")).issues
    assert validation.check(config(data, KEEP="long")).issues
    assert not validation.check(config(data)).issues  # whoever uses it will say that it is unset


def test_a_wrong_value_that_may_be_a_secret_is_not_repeated() -> None:
    assert "hunter2" not in str(issues("models.providers.x.headers", "hunter2"))
    assert "hunter2" not in str(issues("session.store", ["hunter2"]))


@pytest.mark.parametrize("path", list(strict_blocks()))
def test_each_strict_block_refuses_an_unknown_key(path: str) -> None:
    assert issues(path.replace("*", "telegram") + ".noSuchKey", 1)


def test_advice_on_a_valid_configuration() -> None:
    data = {
        "session": {"maintenance": {"maxDiskBytes": "100mb", "highWaterBytes": "96mb"}},
        "agents": {
            "defaults": {"heartbeat": {"activeHours": {"start": "08:00", "end": "08:00"}}},
            "list": [{"id": "Main"}, {"id": "main"}],
        },
    }
    found = [str(issue) for issue in report.advice(config(data))]
    assert ["95 %" in found[0], "zero width" in found[1]] == [True, True]
    assert found[2] == "agents.list[1].id: is the same agent as agents.list[0]"
    assert report.advice(config(VALID)) == []


def test_a_window_in_a_zone_that_nobody_knows_is_pointed_out() -> None:
    hours = {"start": "08:00", "end": "22:00", "timezone": "Mars/Olympus"}
    data = {"agents": {"defaults": {"heartbeat": {"activeHours": hours}}}}
    [found] = report.advice(config(data))
    assert found.path == "agents.defaults.heartbeat.activeHours.timezone"
    assert "'Mars/Olympus' is no known time zone: the user's is used" in found.message


def test_a_target_of_zero_is_the_default_and_no_reason_for_advice() -> None:
    data = {"session": {"maintenance": {"maxDiskBytes": 0, "highWaterBytes": 100}}}
    assert report.advice(config(data)) == []
