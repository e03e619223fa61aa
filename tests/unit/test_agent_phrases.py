"""Slash commands and abort phrases."""

from __future__ import annotations

import pytest

from openclaw_cli.agent import phrases

ABORTS = [
    "stop", "Stop", " STOP! ", "esc", "abort", "exit", "interrupt", "please stop", "stop please",
    "stop openclaw", "openclaw stop", "stop action", "stop current action", "stop run",
    "stop current run", "stop agent", "stop the agent", "stop don’t do anything",
    "stop dont do anything", "stop do not do anything", "stop   doing anything",
    "do not do that", "detente", "deten", "detén", "arrete", "arrête", "停止", "停止。", "停下来",
    "暂停", "やめて", "止めて", "रुको", "توقف", "стоп", "остановись", "останови", "остановить",
    "прекрати", "halt", "anhalten", "aufhören", "hoer auf", "stopp", "pare", "stop?!", "stop)",
    "/stop", "停止！",
]  # fmt: skip


@pytest.mark.parametrize("text", ABORTS)
def test_abort_phrases(text: str) -> None:
    assert phrases.is_abort(text)


@pytest.mark.parametrize(
    "text", ["please stop the music", "stopping", "don't stop", "", "stop it", "/stop now", "?!"]
)
def test_what_is_no_abort(text: str) -> None:
    assert not phrases.is_abort(text)


@pytest.mark.parametrize(
    ("text", "name", "words", "rest"),
    [
        ("/status", "status", [], ""),
        ("/STATUS", "status", [], ""),
        ("/send off", "send", ["off"], "off"),
        ("/send: off", "send", ["off"], "off"),
        ("/send@my_bot off", "send", ["off"], "off"),
        ("/compact keep\nthe bike", "compact", ["keep"], "keep\nthe bike"),
        ("  /help  ", "help", [], ""),
    ],
)
def test_commands(text: str, name: str, words: list[str], rest: str) -> None:
    assert phrases.parse_command(text) == phrases.Command(name, words, rest)


@pytest.mark.parametrize("text", ["/unknown", "say /status", "/", "//status", "/statusx", "status"])
def test_what_is_no_command(text: str) -> None:
    assert phrases.parse_command(text) is None
