"""Who is authorised, and who is an owner."""

from __future__ import annotations

import json
from typing import Any

import pytest
from conftest import Tree

from openclaw_cli.agent.authority import standing_of
from openclaw_cli.config.load import load
from openclaw_cli.sessions.routing import Inbound
from openclaw_cli.state.paths import Paths


def _standing(tree: Tree, channel: dict[str, Any] | None, sender: str | None, **more: Any) -> Any:
    blocks: dict[str, Any] = {} if channel is None else {"channels": {"telegram": channel}}
    blocks |= more.pop("config", {})
    tree.config(**blocks)
    paths = Paths.from_env()
    inbound = Inbound(channel="telegram", sender=sender, **more)
    return standing_of(load(paths), paths, inbound)


OPEN, LISTED = {"dmPolicy": "open", "allowFrom": ["*", "1"]}, {"allowFrom": ["telegram:1"]}


@pytest.mark.parametrize(
    ("channel", "sender", "authorised", "owner"),
    [
        (None, None, True, True),
        (None, "5", True, False),
        (LISTED, None, True, True),
        (LISTED, "1", True, True),
        (LISTED, "tg:1", True, True),
        (LISTED, "2", False, False),
        (OPEN, "2", True, False),
        (OPEN, "1", True, True),
        ({"enabled": False, "allowFrom": ["1"]}, "1", False, False),
        ({"dmPolicy": "disabled", "allowFrom": ["*"]}, "2", False, False),
    ],
)
def test_direct_messages(
    tree: Tree, channel: dict[str, Any] | None, sender: str | None, authorised: bool, owner: bool
) -> None:
    found = _standing(tree, channel, sender)
    assert (found.authorised, found.owner) == (authorised, owner)
    assert (found.reason is None) is authorised


def test_a_paired_sender_is_authorised_and_no_owner(tree: Tree) -> None:
    tree.file(
        ".openclaw/credentials/telegram-allowFrom.json",
        json.dumps({"version": 1, "allowFrom": ["7"]}),
    )
    found = _standing(tree, {"allowFrom": ["1"]}, "7")
    assert (found.authorised, found.owner) == (True, False)


def test_owners_can_be_named_for_all_channels_but_never_by_a_star(tree: Tree) -> None:
    named = {"commands": {"ownerAllowFrom": ["*", "telegram:9"]}}
    assert _standing(tree, OPEN, "9", config=named).owner
    assert not _standing(tree, OPEN, "1", config=named).owner


@pytest.mark.parametrize(
    ("settings", "authorised"),
    [
        ({"groupPolicy": "open"}, True),
        ({"groupAllowFrom": ["2"]}, True),
        ({"groupAllowFrom": ["3"]}, False),
        ({"groups": {"-100": {}}}, True),
        ({"groups": {"-200": {}}}, False),
        ({"groupPolicy": "disabled", "groups": {"-100": {}}}, False),
        ({}, False),
    ],
)
def test_groups(tree: Tree, settings: dict[str, Any], authorised: bool) -> None:
    found = _standing(tree, {"allowFrom": ["1"], **settings}, "2", group_id="-100")
    assert found.authorised is authorised
