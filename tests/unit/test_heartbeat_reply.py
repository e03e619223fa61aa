"""Reading answers: every row of the table, twice."""

from __future__ import annotations

import pytest

from openclaw_cli.heartbeat import reply

ACK, OK = "ok-token", "HEARTBEAT_OK"
X300, X301 = "x" * 300, "x" * 301
TWO_LINES = "y" * 200 + "\n" + "z" * 111


def _alert(text: str) -> tuple[str, str]:
    return ("alert", text)


@pytest.mark.parametrize(
    ("text", "heartbeat", "ordinary"),
    [
        (OK, ACK, ACK),
        (f"  {OK} \n", ACK, ACK),
        (f"{OK} {OK}", ACK, ACK),
        ("heartbeat_ok", _alert("heartbeat_ok"), _alert("heartbeat_ok")),
        (f"{OK}.", ACK, _alert(".")),
        (f"{OK}!!!!!", ACK, _alert("!!!!!")),
        (f"{OK} all good", ACK, _alert("all good")),
        (f"all good {OK}", ACK, _alert("all good")),
        (f"**{OK}**", ACK, _alert("****")),
        (f"`{OK}`", ACK, _alert("``")),
        (f"~~{OK}~~", ACK, _alert("~~~~")),
        (f'"{OK}"', ACK, _alert('""')),
        (f"<b>{OK}</b>", ACK, ACK),
        (f"{OK} {X300}", ACK, _alert(X300)),
        (f"{OK} {X301}", _alert(X301), _alert(X301)),
        (f"{X300}\n{OK}", ACK, _alert(X300)),
        (f"{X301}\n{OK}", _alert(X301), _alert(X301)),
        (f"one {OK} two", _alert(f"one {OK} two"), _alert(f"one {OK} two")),
        (f"{OK}AY fine", ACK, _alert("AY fine")),
        (f"{OK}_DONE", ACK, _alert("_DONE")),
        (f"x{OK}", ACK, _alert("x")),
        (f"<i>{OK}</i> disk 90% full", ACK, _alert("disk 90% full")),
        (f"done.{OK}.", ACK, _alert("done..")),
        (f"{OK}\n{TWO_LINES}", _alert(TWO_LINES.replace("\n", " ")),
         _alert(TWO_LINES.replace("\n", " "))),
        (f"- {OK}", ACK, _alert("-")),
        (f"# {OK}", ACK, _alert("#")),
        ("", "ok-empty", "ok-empty"),
        ("  \n", "ok-empty", "ok-empty"),
        ("first\n second", _alert("first\n second"), _alert("first\n second")),
    ],
)  # fmt: skip
def test_token_table(text: str, heartbeat: object, ordinary: object) -> None:
    for limit, wanted in ((300, heartbeat), (0, ordinary)):
        found = reply.read(text, ack_max_chars=limit)
        assert (("alert", found.text) if found.is_alert else found.status) == wanted


@pytest.mark.parametrize(
    ("text", "shown", "silent"),
    [
        ("Something\nnotify=false", "Something", True),
        ("Something\nNOTIFY=False\n\n", "Something", True),
        ("Something notify=false", "Something notify=false", False),
        ("Something\nnotify=false.", "Something\nnotify=false.", False),
        ("Something\nnotify=false\nmore", "Something\nnotify=false\nmore", False),
    ],
)
def test_silent_alerts(text: str, shown: str, silent: bool) -> None:
    found = reply.read(text, ack_max_chars=300)
    assert (found.text, found.silent) == (shown, silent)


def test_swallowed_text_is_counted_in_utf16() -> None:
    assert reply.read(f"{OK} 🔥 disk", ack_max_chars=300).stripped_chars == 7


def test_a_prefix_is_taken_off_and_put_back() -> None:
    assert reply.read(f"[bot] {OK}", ack_max_chars=0, prefix="[bot]").status == ACK
    assert reply.read("[bot] fire", ack_max_chars=0, prefix="[bot]").text == "[bot] fire"
    assert reply.read("fire", ack_max_chars=0, prefix="[bot]").text == "[bot] fire"


def test_an_alert_anywhere_wins() -> None:
    assert reply.read_all(["Fire!", OK], ack_max_chars=300).text == "Fire!"
    assert reply.read_all([OK, ""], ack_max_chars=300).status == ACK
    assert reply.read_all([], ack_max_chars=300).status == "ok-empty"


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ({"outcome": "done", "notify": False, "summary": "s"}, reply.Reply(ACK, preview="s")),
        ({"outcome": "blocked", "notify": True, "summary": "s"}, reply.Reply("alert", "s")),
        ({"outcome": "blocked", "notify": True, "summary": "s", "notificationText": "n"},
         reply.Reply("alert", "n")),
        ({"outcome": "odd", "notify": True, "summary": "s"}, None),
        ({"outcome": "done", "notify": "yes", "summary": "s"}, None),
        ({"outcome": "done", "notify": True, "summary": " "}, None),
    ],
)  # fmt: skip
def test_structured_responses(arguments: dict[str, object], wanted: reply.Reply | None) -> None:
    assert reply.read_structured(arguments) == wanted
