"""Secret references: resolved when used, described without their value."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from openclaw_cli.config import masking, secrets
from openclaw_cli.config.load import Config
from openclaw_cli.errors import InvalidConfig
from openclaw_cli.state.paths import Paths


def config(home: Path, data: Any = None, **environ: str) -> Config:
    paths = Paths(home, home / ".openclaw")
    text = json.dumps(data or {})
    return Config(paths, paths.under("openclaw.json"), text, environ=environ)


def test_a_variable_comes_from_the_environment_then_dotenv_then_the_config(home: Path) -> None:
    state = home / ".openclaw"
    state.mkdir()
    (state / ".env").write_text("A=dotenv\nB=dotenv\n")
    found = config(home, {"env": {"C": "block", "vars": {"D": "vars"}, "A": "block"}}, A="environ")
    assert [secrets.lookup(found, name) for name in "ABCDE"] == [
        "environ", "dotenv", "block", "vars", None,
    ]  # fmt: skip


def test_dotenv_lines() -> None:
    text = """
    # comment
    PLAIN=value
    export EXPORTED = spaced value  # note
    QUOTED="with # and 'quotes'"
    SINGLE='x y'
    HASH=a#b
    EMPTY=
    no assignment
    9BAD=1
    """
    assert secrets.parse_dotenv(text) == {
        "PLAIN": "value",
        "EXPORTED": "spaced value",
        "QUOTED": "with # and 'quotes'",
        "SINGLE": "x y",
        "HASH": "a#b",
        "EMPTY": "",
    }


def test_references_inside_text(home: Path) -> None:
    found = config(home, A="1", B="${A}")
    assert secrets.substitute("x${A}y$${A}z${B}$A", found) == "x1y${A}z${A}$A"


def test_an_unset_variable_is_an_error_that_names_it_and_the_setting(home: Path) -> None:
    with pytest.raises(secrets.Unresolved) as caught:
        secrets.resolve("${NOPE}", config(home), where="models.providers.x.apiKey")
    assert "models.providers.x.apiKey: the variable NOPE is not set" in caught.value.message
    assert "~/.openclaw/.env" in str(caught.value.hint)


def test_config_get_substitutes_and_leaves_broken_ones_to_their_user(home: Path) -> None:
    data = {
        "session": {"store": "${DIR}/s.json"},
        "channels": {"x": {"a": "${NOPE}", "b": "${DIR}"}},
    }
    found = config(home, data, DIR="/d")
    assert found.get("session", "store") == "/d/s.json"
    assert found.get("channels", "x") == {"a": "${NOPE}", "b": "/d"}
    with pytest.raises(secrets.Unresolved):
        found.get("channels", "x", "a")
    assert found.data["session"]["store"] == "${DIR}/s.json"


def test_reference_objects(home: Path) -> None:
    (home / "key.txt").write_text("from a file\n")
    (home / "keys.json").write_text('{"providers": {"a/b": {"key": "nested"}}}')
    program = home / "vault"
    program.write_text('#!/bin/sh\nread request\necho "{\\"values\\": {\\"K\\": \\"told\\"}}"\n')
    program.chmod(0o700)
    plain = home / "plain"
    plain.write_text("#!/bin/sh\necho said\n")
    plain.chmod(0o700)
    data = {
        "secrets": {
            "providers": {
                "json": {"source": "file", "path": "~/keys.json"},
                "one": {"source": "file", "path": "~/key.txt", "mode": "singleValue"},
                "vault": {"source": "exec", "command": "~/vault"},
            }
        }
    }
    found = config(home, data, K="variable")

    def value(source: str, name: str, provider: str | None = None) -> str:
        reference = {"source": source, "id": name, "provider": provider}
        return secrets.resolve(reference, found, where="x")

    assert value("env", "K") == "variable"
    assert value("file", "~/key.txt") == "from a file"
    assert value("file", "value", "one") == "from a file"
    assert value("file", "/providers/a~1b/key", "json") == "nested"
    assert value("exec", "K", "vault") == "told"
    assert value("exec", str(plain)) == "said"
    assert value("exec", "pwd").startswith("/")


@pytest.mark.parametrize(
    "reference",
    [
        {"source": "env", "id": "NOPE"},
        {"source": "file", "id": "/nowhere/at/all"},
        {"source": "exec", "id": "/nowhere/at/all"},
        {"source": "exec", "id": "/bin/false"},
        {"source": "exec", "id": "/bin/true"},
        {"source": "telepathy", "id": "x"},
        {"source": "env"},
        5,
    ],
)
def test_references_that_give_nothing(home: Path, reference: Any) -> None:
    with pytest.raises(InvalidConfig) as caught:
        secrets.resolve(reference, config(home), where="the.setting")
    assert "the.setting" in caught.value.message


def test_the_output_of_a_failing_program_is_not_repeated(home: Path) -> None:
    program = home / "leaky"
    program.write_text("#!/bin/sh\necho hunter2; echo hunter2 >&2; exit 1\n")
    program.chmod(stat.S_IRWXU)
    with pytest.raises(InvalidConfig) as caught:
        secrets.resolve({"source": "exec", "id": str(program)}, config(home), where="x")
    assert "hunter2" not in str(caught.value.to_json())


def test_sources_are_described_without_the_value() -> None:
    assert secrets.describe_source("sk-live-123") == "config"
    assert secrets.describe_source("${OPENAI_API_KEY}") == "env:OPENAI_API_KEY"
    assert secrets.describe_source({"source": "file", "id": "/k"}) == "file:/k"


@pytest.mark.parametrize(
    "place",
    [
        ("models", "providers", "x", "apiKey"),
        ("channels", "telegram", "botToken"),
        ("channels", "telegram", "accounts", "a", "botToken"),
        ("gateway", "auth", "token"),
        ("gateway", "auth", "password"),
        ("env", "OPENAI_API_KEY"),
        ("models", "providers", "x", "headers", "X-Auth"),
        ("plugins", "entries", "openclaw-cli", "config", "channels", "x", "url"),
        ("cron", "webhookToken"),
        ("channels", "slack", "webhookUrl"),
    ],
)
def test_secret_settings_are_masked(place: tuple[str, ...]) -> None:
    assert masking.masked("hunter2", place) == masking.MASK
    assert masking.masked(12345, place) == masking.MASK
    assert masking.masked("${NAME}", place) == "${NAME}"
    whole: Any = "hunter2"
    for key in reversed(place):
        whole = {key: whole}
    assert "hunter2" not in json.dumps(masking.masked(whole, ()))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("session", "store"), "~/x"),
        (("agents", "defaults", "contextTokens"), 5),
        (("cli", "budget", "maxTokensPerDay"), 1000),
        (("models", "providers", "x", "apiKey"), {"source": "env", "id": "A"}),
        (("gateway", "auth", "mode"), "token"),
        (("models", "providers", "x", "baseUrl"), "https://host/v1"),
        (("channels", "telegram", "botToken"), None),
    ],
)
def test_other_settings_are_shown(place: tuple[str, ...], value: Any) -> None:
    assert masking.masked(value, place) == value


def test_a_password_inside_an_address_is_masked() -> None:
    shown = masking.masked("https://me:hunter2@host/v1", ("models", "providers", "x", "baseUrl"))
    assert shown == f"https://{masking.MASK}@host/v1"
