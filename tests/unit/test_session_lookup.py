"""Finding a session under every spelling its key may have (``sessions.md`` 1.2-1.5, 2.5)."""

from __future__ import annotations

from typing import Any

import pytest

from openclaw_cli.errors import OpenClawError, UnknownName, UsageProblem
from openclaw_cli.sessions import lookup
from openclaw_cli.sessions.routing import KeyRules

RULES = KeyRules()


def _rows(*names: str, **more: Any) -> dict[str, Any]:
    return {name: {"sessionId": f"s{n}", "updatedAt": n} for n, name in enumerate(names)} | more


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("agent:main:main", "main"),
        ("main", "agent:main:main"),
        ("AGENT:Main:Upper", "agent:main:upper"),
        ("agent:main:telegram:dm:9", "agent:main:telegram:direct:9"),
        ("agent:main:telegram:direct:9", "telegram:dm:9"),
        ("telegram:dm:9", "agent:main:telegram:direct:9"),
        ("group:77", "agent:main:telegram:group:77"),
        ("agent:main:group:77", "agent:main:telegram:group:77"),
        ("agent:main:telegram:group:group:77", "agent:main:telegram:group:77"),
        ("120@g.us", "agent:main:whatsapp:group:120@g.us"),
        ("agent:main:whatsapp:120@g.us", "agent:main:whatsapp:group:120@g.us"),
        ("cron:j1", "agent:main:cron:j1"),
        ("agent:main:signal:group:abc=", "agent:main:signal:group:AbC="),
        ("agent:main:signal:group:AbC=", "agent:main:signal:group:abc="),
    ],
)
def test_a_row_is_found_under_its_other_spellings(stored: str, asked: str) -> None:
    assert lookup.find(_rows("agent:main:other", stored), asked, RULES) == stored


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("agent:main:signal:group:AbC", "agent:main:signal:group:aBC2"),
        ("agent:work:main", "agent:main:main"),
        ("telegram:direct:9", "agent:work:telegram:direct:9"),
        ("agent:main:telegram:group:77", "agent:main:discord:group:77"),
    ],
)
def test_other_sessions_are_not_found(stored: str, asked: str) -> None:
    assert lookup.find({stored: {"sessionId": "a"}}, asked, RULES) is None


def test_a_legacy_group_row_of_another_channel_is_another_group() -> None:
    rows = {"group:77": {"sessionId": "a", "channel": "telegram"}}
    assert lookup.find(rows, "agent:main:discord:group:77", RULES) is None
    assert lookup.find(rows, "agent:main:telegram:group:77", RULES) == "group:77"


def test_aliases_of_the_main_key_meet_in_one_row() -> None:
    rules = KeyRules(main="home")
    for stored in ("main", "home", "agent:main:main", "agent:main:home"):
        for asked in ("main", "home", "agent:main:main", "agent:main:home"):
            assert lookup.find({stored: {"sessionId": "a"}}, asked, rules) == stored
    assert lookup.canonical("main", rules) == "agent:main:home"


def test_global_scope_continues_the_row_of_the_main_session() -> None:
    rows = {"agent:main:main": {"sessionId": "a", "updatedAt": 1}}
    adopted = lookup.adopt(rows, "global", KeyRules(global_scope=True))
    assert adopted == ("global", rows["agent:main:main"], ["agent:main:main"])


def test_the_exact_key_is_read_before_its_newer_variants() -> None:
    rows = _rows("agent:main:telegram:direct:9", "agent:main:telegram:dm:9")
    assert lookup.find(rows, "agent:main:telegram:direct:9", RULES) == (
        "agent:main:telegram:direct:9"
    )
    assert lookup.find(rows, "agent:main:telegram:dm:9", RULES) == "agent:main:telegram:dm:9"


def test_a_write_continues_the_newest_variant_and_retires_the_others() -> None:
    rows = _rows("agent:main:telegram:direct:9", "Agent:Main:Telegram:DM:9", "telegram:direct:9")
    adopted = lookup.adopt(rows, "agent:main:telegram:direct:9", RULES)
    assert adopted.key == "agent:main:telegram:direct:9"
    assert adopted.row == rows["telegram:direct:9"]
    assert sorted(adopted.retired) == ["Agent:Main:Telegram:DM:9", "telegram:direct:9"]


def test_a_write_never_retires_a_room_that_differs_by_case() -> None:
    rows = _rows("agent:main:matrix:channel:!abc", "agent:main:matrix:channel:!ABC")
    adopted = lookup.adopt(rows, "agent:main:matrix:channel:!aBc", RULES)
    assert adopted.row == rows["agent:main:matrix:channel:!abc"]  # folded by an old release
    assert adopted.retired == ["agent:main:matrix:channel:!abc"]
    own = lookup.adopt(rows, "agent:main:matrix:channel:!ABC", RULES)
    assert own == (
        "agent:main:matrix:channel:!ABC", rows["agent:main:matrix:channel:!ABC"], []
    )  # fmt: skip


def test_rows_that_are_no_objects_are_not_continued() -> None:
    assert lookup.adopt({"agent:main:main": None}, "main", RULES).row is None


@pytest.mark.parametrize("text", ["s1", "S1", "telegram:direct:9", "agent:main:telegram:direct:9"])
def test_a_key_argument_is_a_key_a_bare_key_or_a_session_id(text: str) -> None:
    rows = _rows("agent:main:main", "agent:main:telegram:direct:9")
    assert lookup.resolve(rows, text, RULES) == "agent:main:telegram:direct:9"


def test_an_unknown_key_names_the_nearest_ones() -> None:
    rows = _rows("agent:main:telegram:direct:9", "agent:main:main")
    with pytest.raises(UnknownName) as caught:
        lookup.resolve(rows, "agent:main:telegram:direct:8", RULES)
    assert caught.value.code == "unknown-session"
    assert "agent:main:telegram:direct:9" in (caught.value.hint or "")


def test_several_matches_are_an_error_that_lists_them() -> None:
    rows = {"agent:main:a": {"sessionId": "same"}, "agent:main:b": {"sessionId": "same"}}
    with pytest.raises(OpenClawError) as caught:
        lookup.resolve(rows, "same", RULES)
    assert "agent:main:a, agent:main:b" in caught.value.message
    assert caught.value.exit_status == 1


def test_variants_with_one_session_id_are_one_session() -> None:
    rows = {"agent:main:main": {"sessionId": "m"}, "main": {"sessionId": "m"}}
    assert lookup.resolve(rows, "agent:main:main", RULES) == "agent:main:main"


def test_malformed_keys_are_refused() -> None:
    with pytest.raises(UsageProblem):
        lookup.resolve({}, "agent::x", RULES)
