"""``openclaw models`` and ``openclaw usage``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from builders import Tree
from model_server import API_KEY, ModelServer

Run = Callable[..., Any]


def test_status_without_any_model(openclaw_inproc: Run) -> None:
    done = openclaw_inproc("models", "status", "--json")
    assert done.exit == 0
    document = done.json()
    assert document["resolvedDefault"] is None
    assert set(document["purposes"].values()) == {None}
    assert (document["providers"], document["fallbacks"], document["aliases"]) == ([], [], {})
    text = openclaw_inproc("models", "status")
    assert "openclaw config set agents.defaults.model" in text.out


def test_status_tells_what_is_used_for_what(openclaw_inproc: Run, tree: Tree) -> None:
    path = tree.config(
        agents={
            "defaults": {
                "model": {"primary": "fast", "fallbacks": ["openai/gpt-5"]},
                "models": {"local/small": {"alias": "fast"}},
                "heartbeat": {"model": "local/tiny"},
                "compaction": {"model": "fast"},
            },
            "list": [{"id": "main"}, {"id": "work", "model": "openai/other"}],
        },
        models={"providers": {"local": {"baseUrl": "http://h/v1", "apiKey": "${LOCAL_KEY}"}}},
        plugins={"entries": {"memory-core": {"config": {"dreaming": {"model": "openai/d"}}}}},
    )
    done = openclaw_inproc("models", "status", "--json", env={"OPENAI_API_KEY": "sk-hunter2"})
    assert done.json() == {
        "configPath": str(path),
        "agentId": "main",
        "defaultModel": "fast",
        "resolvedDefault": "local/small",
        "fallbacks": ["openai/gpt-5"],
        "aliases": {"fast": "local/small"},
        "purposes": {
            "agent": "local/small",
            "diary": "openai/d",
            "heartbeat": "local/tiny",
            "extraction": "local/small",
            "compaction": "local/small",
            "embeddings": "openai/text-embedding-3-small",
        },
        "providers": [
            {"id": "local", "baseUrl": "http://h/v1", "auth": "unresolved",
             "authSource": "env:LOCAL_KEY"},
            {"id": "openai", "baseUrl": "https://api.openai.com/v1", "auth": "present",
             "authSource": "env:OPENAI_API_KEY"},
        ],
    }  # fmt: skip
    assert "hunter2" not in done.out
    other = openclaw_inproc("models", "status", "--agent", "work", "--json").json()
    assert other["purposes"]["agent"] == "openai/other"
    assert openclaw_inproc("models", "status", "--agent", "ghost").exit == 1


def test_a_probe_makes_one_small_call_to_each_model(
    openclaw_inproc: Run, tree: Tree, model_server: ModelServer
) -> None:
    config = model_server.config()
    config["agents"]["defaults"]["model"] = {
        "primary": "scripted/a",
        "fallbacks": ["scripted/b"],
    }
    tree.config(**config)
    model_server.reply("OK")
    model_server.fail(404, f"no such model for {API_KEY}")
    done = openclaw_inproc("models", "status", "--probe", "--json")
    assert done.exit == 1
    first, second = done.json()["probes"]
    assert (first["model"], first["ok"]) == ("scripted/a", True)
    assert first["latencyMs"] >= 0
    assert (second["model"], second["ok"], second["latencyMs"]) == ("scripted/b", False, None)
    assert second["error"]["code"] == "model-unknown-model"
    assert API_KEY not in done.out + done.err
    assert [request.body["max_tokens"] for request in model_server.requests] == [16, 16]
    rows = tree.lines(".openclaw/logs/usage.jsonl")
    assert [row["purpose"] for row in rows] == ["probe", "probe"]


def test_test_asks_the_default_or_the_named_model(
    openclaw_inproc: Run, tree: Tree, model_server: ModelServer
) -> None:
    tree.config(**model_server.config())
    model_server.reply("OK", "OK")
    done = openclaw_inproc("models", "test")
    assert done.exit == 0
    assert done.out.startswith("scripted/model answers (")
    document = openclaw_inproc("models", "test", "scripted/other", "--json").json()
    assert (document["model"], document["ok"]) == ("scripted/other", True)
    assert [request.body["model"] for request in model_server.requests] == ["model", "other"]


@pytest.mark.parametrize("argv", [[], ["--json"], ["-vv"]])
def test_a_failed_test_is_exit_1_and_shows_no_key(
    openclaw: Run, tree: Tree, model_server: ModelServer, argv: list[str]
) -> None:
    tree.config(**model_server.config())
    model_server.fail(401, f"bad key {API_KEY}")
    done = openclaw("models", "test", *argv)
    assert done.exit == 1
    assert "bad key ***" in done.out
    assert API_KEY not in done.out + done.err
    for log in (tree.state / "logs").iterdir():
        assert API_KEY not in log.read_text()


def test_test_without_any_model(openclaw_inproc: Run) -> None:
    done = openclaw_inproc("models", "test", "--json")
    assert (done.exit, done.out) == (1, "")
    assert done.error["code"] == "model-unconfigured"


def test_status_imports_no_sdk(openclaw: Run) -> None:
    import subprocess
    import sys

    code = (
        "import sys\nfrom openclaw_cli.cli.main import run\nrun(['models', 'status'])\n"
        "sys.exit('openai' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


def rows() -> list[dict[str, Any]]:
    return [
        {"ts": "2026-11-18T02:00:00.000Z", "purpose": "diary", "agentId": "main", "model": "a/b",
         "inputTokens": 100, "outputTokens": 50, "durationMs": 5, "outcome": "ok"},
        {"ts": "2026-11-20T02:00:00.000Z", "purpose": "agent", "agentId": "main", "model": "c/d",
         "inputTokens": 10, "outputTokens": 5, "durationMs": 5, "outcome": "timeout"},
    ]  # fmt: skip


def test_usage(openclaw_inproc: Run, tree: Tree) -> None:
    tree.jsonl(".openclaw/logs/usage.jsonl", rows())
    openclaw_inproc("config", "set", "cli.budget.maxTokensPerDay", "100")
    document = openclaw_inproc("usage", "--json").json()
    assert document["totals"] == {
        "calls": 2, "failed": 1, "inputTokens": 110, "outputTokens": 55,
    }  # fmt: skip
    assert document["budget"] == {"maxTokensPerDay": 100, "usedToday": 15, "left": 85}
    assert [row["day"] for row in document["byDay"]] == ["2026-11-18", "2026-11-20"]
    recent = openclaw_inproc("usage", "--since", "24h", "--json").json()
    assert recent["sinceMs"] == 1_795_057_200_000
    assert [row["purpose"] for row in recent["byPurpose"]] == ["agent"]


def test_usage_as_text(openclaw_inproc: Run, tree: Tree) -> None:
    tree.jsonl(".openclaw/logs/usage.jsonl", rows())
    done = openclaw_inproc("usage", "--by", "model")
    assert done.out.splitlines() == [
        "Since 2026-10-21T03:00:00.000Z: 2 calls (1 failed), 110 tokens in, 55 out",
        "",
        "Model Calls Failed  In Out",
        "a/b       1      0 100  50",
        "c/d       1      1  10   5",
        "",
        "Today: 15 tokens, no budget (cli.budget.maxTokensPerDay)",
    ]


def test_usage_without_any_call(openclaw_inproc: Run) -> None:
    done = openclaw_inproc("usage", "--json")
    assert done.exit == 0
    assert done.json()["totals"]["calls"] == 0


@pytest.mark.parametrize("argv", [["--since", "soon"], ["--by", "moon"], ["extra"]])
def test_wrong_usage(openclaw_inproc: Run, argv: list[str]) -> None:
    assert openclaw_inproc("usage", *argv).exit == 2
