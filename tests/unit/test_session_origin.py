"""Origin, labels and display names (``sessions.md`` 6)."""

from __future__ import annotations

from typing import Any

import pytest

from openclaw_cli.sessions import entry, origin
from openclaw_cli.sessions.routing import Inbound


@pytest.mark.parametrize(
    ("facts", "name"),
    [
        ({"subject": "Ops Room"}, "telegram:g-ops-room"),
        ({"group_channel": "#General"}, "telegram:#general"),
        ({"group_channel": "general", "space": "Acme"}, "telegram:acme#general"),
        ({"group_channel": "#general", "space": "Acme"}, "telegram:acme#general"),
        ({"space": "Acme Inc."}, "telegram:g-acme-inc"),
        ({"subject": "a  b//c!!"}, "telegram:g-a-b-c"),
        ({"subject": "@team"}, "telegram:@team"),
        ({"subject": "g-ready"}, "telegram:g-ready"),
        ({"group_id": "-1001"}, "telegram:g-1001"),
        ({"group_id": "120363012345678901@g.us"}, "telegram:g-120363...g.us"),
        ({"subject": "Группа", "group_id": "-7"}, "telegram:g-7"),
        ({}, "telegram"),
    ],
)
def test_the_display_name_of_a_group(facts: dict[str, str], name: str) -> None:
    blank = {"subject": None, "group_channel": None, "space": None, "group_id": None}
    assert origin.display_name("telegram", **(blank | facts)) == name


@pytest.mark.parametrize(
    ("message", "label"),
    [
        (Inbound(conversation_label="C", thread_label="T", sender_name="N"), "C"),
        (Inbound(thread_label="T", sender_name="N"), "T"),
        (Inbound(channel="telegram", sender="telegram:1", sender_name="Ann"), "Ann"),
        (Inbound(channel="telegram", sender="telegram:1"), "telegram:1"),
        (Inbound(sender="telegram:group:-100", group_subject="Ops"), "Ops id:-100"),
        (
            Inbound(sender="telegram:group:-100", group_channel="#ops", group_subject="Ops"),
            "#ops",
        ),
        (Inbound(sender="1@g.us", group_subject="Home"), "Home id:1@g.us"),
        (Inbound(sender="telegram:group:-100", group_subject="Ops -100"), "Ops -100"),
        (Inbound(sender="discord:channel:abc", group_space="Acme"), "Acme"),
        (Inbound(), None),
    ],
)
def test_the_label_of_a_conversation(message: Inbound, label: str | None) -> None:
    assert origin.label_of(message) == label


def test_new_facts_go_over_old_ones_and_blank_ones_do_not() -> None:
    stored = {"label": "Old", "provider": "telegram", "to": "x", "accountId": "a", "own": 1}
    message = Inbound(channel="Telegram", sender="telegram:1", sender_name="Ann", recipient=" ")
    assert origin.merged_origin(stored, message) == {
        "label": "Ann", "provider": "telegram", "to": "x", "accountId": "a", "own": 1,
        "chatType": "direct", "from": "telegram:1",
    }  # fmt: skip


def test_another_provider_clears_account_and_thread() -> None:
    stored = {"provider": "telegram", "accountId": "a", "threadId": "t", "nativeChannelId": "n"}
    found = origin.merged_origin(stored, Inbound(channel="signal", sender="1"))
    assert not {"accountId", "threadId", "nativeChannelId"} & found.keys()


@pytest.mark.parametrize(
    ("message", "fields"),
    [
        (Inbound(channel="telegram", sender="1"), {"chatType": "direct"}),
        (
            Inbound(sender="telegram:group:-1", group_subject="Ops Room"),
            {"chatType": "group", "channel": "telegram", "groupId": "-1", "subject": "Ops Room",
             "displayName": "telegram:g-ops-room"},
        ),
        (
            Inbound(sender="slack:channel:c1", group_subject="general", group_space="Acme"),
            {"chatType": "channel", "channel": "slack", "groupId": "c1",
             "groupChannel": "general", "space": "Acme", "displayName": "slack:acme#general"},
        ),
        (
            Inbound(sender="telegram:group:-1", group_subject="#ops"),
            {"groupChannel": "#ops", "displayName": "telegram:#ops"},
        ),
        (
            Inbound(sender="telegram:group:-1", group_subject="Ops", thread_label="Topic 5"),
            {"displayName": "Topic 5"},
        ),
    ],
)  # fmt: skip
def test_groups_set_their_fields(message: Inbound, fields: dict[str, Any]) -> None:
    row = origin.described({"sessionId": "a", "mystery": 1}, message)
    assert {name: row.get(name) for name in fields} == fields
    assert row["mystery"] == 1


def test_turns_of_the_system_say_nothing_about_the_origin() -> None:
    row = {"sessionId": "a", "origin": {"label": "x"}}
    assert origin.described(row, Inbound(channel="telegram", sender="1", system=True)) is row


@pytest.mark.parametrize(
    ("message", "delivery"),
    [
        (Inbound(channel="telegram", sender="telegram:1"), ("telegram", "telegram:1")),
        (Inbound(channel="telegram", sender="1", recipient="2"), ("telegram", "2")),
        (Inbound(channel="telegram", sender="1", group_id="-5"), ("telegram", "-5")),
    ],
)
def test_answers_go_where_the_message_came_from(
    message: Inbound, delivery: tuple[str, str]
) -> None:
    assert origin.delivery_from(message) == entry.Delivery(*delivery)
