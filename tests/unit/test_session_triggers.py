"""Reset triggers and the model after ``/new`` (``sessions.md`` 4.2, 4.3)."""

from __future__ import annotations

import pytest

from openclaw_cli.sessions import triggers
from openclaw_cli.sessions.triggers import ModelRef, Models


@pytest.mark.parametrize(
    ("text", "trigger"),
    [
        ("/new", ("/new", "", False)),
        ("/NEW", ("/new", "", False)),
        (" /reset ", ("/reset", "", False)),
        ("/new hello", ("/new", "hello", False)),
        ("/new\nhello", ("/new", "hello", False)),
        ("/newer", None),
        ("say /new", None),
        ("/fresh now", ("/fresh", "now", False)),
        ("/reset soft keep on", ("/reset", "keep on", True)),
        ("/reset softly", ("/reset", "softly", False)),
        ("/new soft", ("/new", "soft", False)),
        ("", None),
    ],
)
def test_a_trigger_is_the_whole_text_or_followed_by_a_space(
    text: str, trigger: tuple[str, str, bool] | None
) -> None:
    assert triggers.match_trigger(text, ["/fresh", " "]) == trigger


def test_the_remainder_is_passed_on_verbatim() -> None:
    found = triggers.match_trigger("/new Review this:\nTODO: fix [urgent] parser\n- item")
    assert found is not None
    assert found.rest == "Review this:\nTODO: fix [urgent] parser\n- item"


@pytest.mark.parametrize(
    ("text", "mentions", "command"),
    [
        ("[Telegram Alice 2026-11-20] /new", [], "/new"),
        ("[a] [b] /new x", [], "/new x"),
        ("@bot /new", ["@bot"], "/new"),
        ("@Bot: /status", ["@bot"], "/status"),
        ("[just a note]", [], "[just a note]"),
        ("  plain  ", [], "plain"),
    ],
)
def test_envelopes_and_mentions_do_not_hide_a_command(
    text: str, mentions: list[str], command: str
) -> None:
    assert triggers.command_text(text, mentions) == command


GPT, MINI, OPUS, FLASH, GEMINI = (
    ModelRef("openai", "gpt-5"),
    ModelRef("openai", "gpt-5-mini"),
    ModelRef("anthropic", "claude-opus-4-6"),
    ModelRef("google", "gemini-3-flash-lite"),
    ModelRef("google", "gemini-3-pro"),
)
MODELS = Models([GPT, MINI, OPUS, FLASH, GEMINI], {"opus": OPUS}, GPT)


@pytest.mark.parametrize(
    ("rest", "model", "left"),
    [
        ("", None, ""),
        ("openai gpt-5-mini hi there", MINI, "hi there"),
        ("openai/gpt-5", GPT, ""),
        ("OpenAI/GPT-5 hello\nworld", GPT, "hello\nworld"),
        ("opus", OPUS, ""),
        ("Opus what is new", OPUS, "what is new"),
        ("google the weather in Rome", None, "google the weather in Rome"),
        ("google", GEMINI, ""),
        ("claude-opus-4-5", OPUS, ""),
        ("gemini what now", None, "gemini what now"),
        ("google/gemni-3-pro tell me", GEMINI, "tell me"),
        ("hello", None, "hello"),
        ("hello world", None, "hello world"),
        ("gpt-5", None, "gpt-5"),
        ("anthropic/zzz", None, "anthropic/zzz"),
    ],
)
def test_a_word_is_a_model_only_when_that_was_plainly_meant(
    rest: str, model: ModelRef | None, left: str
) -> None:
    assert triggers.choose_model(rest, MODELS) == (model, left)


@pytest.mark.parametrize(
    ("fragment", "ref", "points"),
    [
        ("openai/gpt-5", GPT, 220 + 20),
        ("openai", GPT, 140 + 180 + 20),
        ("gpt-5", GPT, 110 + 160 + 3 * 70 + 20),
        ("gpt-5-mini", MINI, 110 + 160 + 3 * 70 + 40),
        ("gpt-5", MINI, 110 + 110 - 30),
        ("opus", OPUS, 110 + 80 + 140),
        ("gemini-fast", FLASH, -20),
        ("gemini", FLASH, 110 + 110 - 30),
    ],
)
def test_the_points_of_the_table(fragment: str, ref: ModelRef, points: int) -> None:
    assert triggers.score(fragment, ref, MODELS) == points
