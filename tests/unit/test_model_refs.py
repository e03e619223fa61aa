"""Model names, fallbacks, providers and their keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from openclaw_cli.config.load import Config
from openclaw_cli.model import embeddings, refs
from openclaw_cli.model.failures import NoModel, Refused
from openclaw_cli.model.refs import Auth, ModelRef
from openclaw_cli.state.paths import Paths


def config(data: Any = None, **environ: str) -> Config:
    paths = Paths(Path("/h"), Path("/h/.openclaw"))
    return Config(paths, Path("/h/c.json"), json.dumps(data or {}), environ=environ)


def defaults(**settings: Any) -> dict[str, Any]:
    return {"agents": {"defaults": settings}}


def provider(name: str, **settings: Any) -> dict[str, Any]:
    return {"models": {"providers": {name: settings}}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("openai/gpt-5", "openai/gpt-5"),
        (" OpenRouter/anthropic/claude ", "openrouter/anthropic/claude"),
        ("fast", "local/small"),
        ("FAST", "local/small"),
        ("listed", "mine/listed"),
        ("gpt-5", "openai/gpt-5"),
        ("/x", "openai/x"),
    ],
)
def test_names_and_aliases(text: str, expected: str) -> None:
    data = {
        **defaults(models={"local/small": {"alias": "Fast"}, "a/b": {}}),
        **provider("mine", models=[{"id": "listed"}, "other", 5]),
    }
    assert str(refs.parse_ref(config(data), text)) == expected


@pytest.mark.parametrize(
    ("shared", "own", "expected"),
    [
        (None, None, []),
        ("a/b", None, ["a/b"]),
        ({"primary": "a/b", "fallbacks": ["c/d", "a/b", " "]}, None, ["a/b", "c/d"]),
        ({"primary": "a/b", "fallbacks": ["c/d"]}, "x/y", ["x/y", "c/d"]),
        ({"primary": "a/b", "fallbacks": ["c/d"]}, {"primary": "x/y"}, ["x/y", "c/d"]),
        ({"primary": "a/b", "fallbacks": ["c/d"]}, {"fallbacks": []}, ["a/b"]),
        ({"primary": "a/b", "fallbacks": ["c/d"]}, {"primary": "x/y", "fallbacks": ["e/f"]},
         ["x/y", "e/f"]),
        ("  ", None, []),
        ({"primary": None}, None, []),
    ],
)  # fmt: skip
def test_the_choice_of_an_agent(shared: Any, own: Any, expected: list[str]) -> None:
    data = {"agents": {"defaults": {"model": shared}, "list": [{"id": "a", "model": own}]}}
    choice = refs.default_choice(config(data), "a")
    assert [str(ref) for ref in choice.refs] == expected


def test_a_model_that_is_asked_for_stands_alone() -> None:
    found = config(defaults(model={"primary": "a/b", "fallbacks": ["c/d"]}))
    assert refs.choose(found, "main", "x/y").refs == (ModelRef("x", "y"),)
    assert len(refs.choose(found, "main", " ").refs) == 2


def test_no_model_is_a_normal_state_with_a_remedy() -> None:
    with pytest.raises(NoModel) as caught:
        refs.choose(config(), "main", None)
    assert (caught.value.kind, caught.value.code) == ("unconfigured", "model-unconfigured")
    assert "agents.defaults.model" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("data", "environ", "name", "expected"),
    [
        ({}, {}, "openai", Auth("missing", "env:OPENAI_API_KEY")),
        ({}, {"OPENAI_API_KEY": "k"}, "openai", Auth("present", "env:OPENAI_API_KEY")),
        ({}, {"GOOGLE_API_KEY": "k"}, "google", Auth("present", "env:GOOGLE_API_KEY")),
        ({}, {}, "ollama", Auth("present", "none needed")),
        (provider("mine", apiKey="k"), {}, "mine", Auth("present", "config")),
        (provider("mine", apiKey="${K}"), {}, "mine", Auth("unresolved", "env:K")),
        (provider("mine", apiKey="${K}"), {"K": "k"}, "mine", Auth("present", "env:K")),
        (provider("mine"), {"MINE_API_KEY": "k"}, "mine", Auth("present", "env:MINE_API_KEY")),
        (provider("my-own", apiKey={"source": "env", "id": "K"}), {}, "my-own",
         Auth("unresolved", "env:K")),
    ],
)  # fmt: skip
def test_where_a_key_comes_from(
    data: Any, environ: dict[str, str], name: str, expected: Auth
) -> None:
    assert refs.auth(config(data, **environ), name) == expected


def test_an_endpoint_has_its_secrets_resolved() -> None:
    data = provider(
        "Mine", baseUrl="${BASE}/v1", apiKey={"source": "env", "id": "K"}, headers={"X": "${K}"}
    )
    place = refs.endpoint(config(data, BASE="http://host", K="key"), "mine")
    assert place == refs.Endpoint("mine", "http://host/v1", "key", {"X": "key"})


def test_built_in_addresses_can_be_replaced() -> None:
    assert refs.endpoint(config(), "ollama").base_url == "http://127.0.0.1:11434/v1"
    place = refs.endpoint(config(provider("openai", baseUrl="http://proxy/v1")), "openai")
    assert (place.base_url, place.api_key) == ("http://proxy/v1", None)


@pytest.mark.parametrize(
    ("data", "name", "kind", "words"),
    [
        ({}, "unheard-of", NoModel, "models.providers.unheard-of.baseUrl"),
        ({}, "openai", Refused, "OPENAI_API_KEY"),
        (provider("x", baseUrl="http://h", apiKey="${NOPE}"), "x", Refused, "NOPE"),
        (provider("x", baseUrl="${NOPE}"), "x", Refused, "NOPE"),
        (provider("x", baseUrl="http://[::1"), "x", NoModel, "no http(s) URL"),
        (provider("x", baseUrl="http://h:99999/v1"), "x", NoModel, "no http(s) URL"),
        (provider("x", baseUrl="http://h/\x01"), "x", NoModel, "no http(s) URL"),
        (provider("x", baseUrl="localhost:11434"), "x", NoModel, "no http(s) URL"),
        (provider("x", baseUrl="http://h", headers={"A": "${NOPE}"}), "x", Refused, "NOPE"),
    ],
)
def test_what_an_endpoint_lacks_is_named(data: Any, name: str, kind: type, words: str) -> None:
    with pytest.raises(kind) as caught:
        refs.endpoint(config(data), name)
    assert words in f"{caught.value.message} {caught.value.hint}"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({}, 200_000),
        (provider("x", models=[{"id": "m", "contextWindow": 32_000}]), 32_000),
        (provider("x", models=[{"id": "m", "contextWindow": 32_000, "contextTokens": 8000}]), 8000),
        (defaults(contextTokens=64_000), 64_000),
        ({**provider("x", models=[{"id": "m", "contextWindow": 32_000}]),
          **defaults(contextTokens=64_000)}, 32_000),
        (provider("x", models=[{"id": "m", "contextWindow": "big"}]), 200_000),
    ],
)  # fmt: skip
def test_the_window_of_a_model(data: Any, expected: int) -> None:
    assert refs.context_tokens(config(data), ModelRef("x", "m")) == expected


@pytest.mark.parametrize(
    ("settings", "environ", "name"),
    [
        ({}, {}, None),
        ({}, {"OPENAI_API_KEY": "k"}, "openai/text-embedding-3-small"),
        ({"provider": "none"}, {"OPENAI_API_KEY": "k"}, None),
        ({"enabled": False}, {"OPENAI_API_KEY": "k"}, None),
        ({"provider": "openai"}, {}, "openai/text-embedding-3-small"),
        ({"provider": "Ollama", "model": "nomic"}, {}, "ollama/nomic"),
        ({"remote": {"apiKey": "k"}, "model": "m"}, {}, "openai/m"),
        ({"provider": "openai-compatible", "model": "m"}, {}, "openai/m"),
    ],
)
def test_the_embedding_model(settings: Any, environ: dict[str, str], name: str | None) -> None:
    assert embeddings.model_name(config(defaults(memorySearch=settings), **environ), "main") == name


def test_the_embedding_endpoint_is_the_providers_with_its_overrides() -> None:
    data = {
        **provider("openai", apiKey="shared", headers={"A": "1"}),
        "agents": {
            "defaults": {"memorySearch": {"remote": {"baseUrl": "${URL}"}}},
            "list": [{"id": "a", "memorySearch": {"remote": {"apiKey": "own"}, "model": "m"}}],
        },
    }
    found = config(data, URL="http://host/v1")
    place, model = embeddings.resolve(found, "a") or (None, None)
    assert (place, model) == (refs.Endpoint("openai", "http://host/v1", "own", {"A": "1"}), "m")
    place, _ = embeddings.resolve(found, "b") or (None, None)
    assert place is not None
    assert place.api_key == "shared"


def test_a_named_embedding_provider_without_key_is_refused() -> None:
    with pytest.raises(Refused, match="no key"):
        embeddings.resolve(config(defaults(memorySearch={"provider": "openai"})), "main")
