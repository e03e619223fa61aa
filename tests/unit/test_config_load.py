"""Where the configuration is found and how it is read, in both formats."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import Tree

from openclaw_cli.config import toml
from openclaw_cli.config.edit import MISSING, find, replaced
from openclaw_cli.config.load import load
from openclaw_cli.config.splice import NoSuchPlace, same
from openclaw_cli.errors import InvalidConfig, UnreadableFile
from openclaw_cli.state.paths import Paths


def test_no_file_is_an_empty_configuration(home: Path) -> None:
    found = load(Paths.from_env())
    assert (found.exists, found.data, found.path) == (False, {}, home / ".openclaw/openclaw.json")


@pytest.mark.parametrize("text", ["", "  \n", "{}", "// nothing\n{}"])
def test_an_empty_file_is_an_empty_configuration(tree: Tree, text: str) -> None:
    tree.file(".openclaw/openclaw.json", text)
    assert load(Paths.from_env()).data == {}


def test_json5_is_read(tree: Tree) -> None:
    tree.file(".openclaw/openclaw.json", "{ session: { idleMinutes: 60, }, /* x */ }")
    found = load(Paths.from_env())
    assert found.get("session", "idleMinutes") == 60
    assert found.get("session", "nothing", default=7) == 7
    assert found.get("session", "idleMinutes", "deeper") is None


def test_toml_is_read(tree: Tree) -> None:
    tree.file(".openclaw/openclaw.toml", '[session.reset]\nmode = "idle"\n')
    found = load(Paths.from_env())
    assert found.get("session", "reset", "mode") == "idle"
    assert found.path.name == "openclaw.toml"


def test_two_files_are_an_error_that_names_both(tree: Tree) -> None:
    tree.file(".openclaw/openclaw.json", "{}")
    tree.file(".openclaw/openclaw.toml", "")
    with pytest.raises(InvalidConfig) as caught:
        load(Paths.from_env())
    assert "openclaw.json" in caught.value.message
    assert "openclaw.toml" in caught.value.message


def test_a_named_file_wins(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.file(".openclaw/openclaw.json", "{}")
    tree.file("other.toml", "[commitments]\nenabled = true\n")
    monkeypatch.setenv("OPENCLAW_CONFIG_PATH", "~/other.toml")
    assert load(Paths.from_env()).get("commitments", "enabled") is True


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("openclaw.json", "{\n  session: {\n", "openclaw.json:2:12: the text ends"),
        ("openclaw.json", "[1]", "no object at its top level"),
        ("openclaw.json", "5", "no object at its top level"),
        ("openclaw.toml", "session = \n", "line 1, column"),
    ],
)
def test_unreadable_files_tell_where(tree: Tree, name: str, text: str, expected: str) -> None:
    tree.file(f".openclaw/{name}", text)
    with pytest.raises(UnreadableFile, match=expected) as caught:
        load(Paths.from_env())
    assert caught.value.path is not None


def test_validation_can_be_left_out(tree: Tree) -> None:
    tree.file(".openclaw/openclaw.json", "{session: {dmScop: 1}}")
    assert load(Paths.from_env(), validate=False).get("session", "dmScop") == 1
    with pytest.raises(InvalidConfig, match="dmScop"):
        load(Paths.from_env())


def test_our_own_settings(tree: Tree) -> None:
    tree.config(
        plugins={"entries": {"openclaw-cli": {"config": {"budget": {"maxTokensPerDay": 5}}}}}
    )
    assert load(Paths.from_env()).cli("budget", "maxTokensPerDay") == 5


TOML = """\
# by hand
[agents.defaults]
workspace = "~/ws"  # here

[[agents.list]]
id = "main"

[[agents.list]]
id = "work"

[session]
idleMinutes = 60
"""


def test_toml_edits_keep_comments_and_order() -> None:
    changed = toml.set_value(TOML, ("session", "idleMinutes"), 90)
    assert changed == TOML.replace("60", "90")
    changed = toml.set_value(TOML, ("agents", "list", 1, "workspace"), "~/w")
    assert changed.startswith(TOML[: TOML.index("[[agents.list]]")])
    assert toml.loads(Path("x"), changed)["agents"]["list"][1] == {"id": "work", "workspace": "~/w"}
    changed = toml.set_value(TOML, ("plugins", "entries", "x", "enabled"), True)
    assert changed.startswith(TOML)
    assert toml.loads(Path("x"), changed)["plugins"] == {"entries": {"x": {"enabled": True}}}
    assert toml.set_value(TOML, ("session", "idleMinutes"), 60) == TOML


def test_toml_removals() -> None:
    changed = toml.unset_value(TOML, ("agents", "list", 0))
    assert toml.loads(Path("x"), changed)["agents"]["list"] == [{"id": "work"}]
    assert "# by hand" in changed
    assert "idleMinutes" not in toml.unset_value(TOML, ("session", "idleMinutes"))


@pytest.mark.parametrize(
    "place",
    [("session", "no"), ("agents", "list", 7), ("session", 0), ("session", "idleMinutes", "x")],
)
def test_toml_places_that_are_not_there(place: tuple[str | int, ...]) -> None:
    with pytest.raises(NoSuchPlace):
        toml.unset_value(TOML, place)


@pytest.mark.parametrize("value", [None, {"a": [None]}])
def test_toml_has_no_null(value: Any) -> None:
    with pytest.raises(NoSuchPlace, match="no null"):
        toml.set_value(TOML, ("a",), value)


EVERY_FORM = """\
# top
a = 1
b.c = 2
b.d = 3
[x]
y = 1 # c
[x.z]
q = [1, 2, {k = 1}]
inl = {a = 1, b = {c = 2}}
[[l]]
id = "m"
[l.sub]
k = 1
[[l]]
id = "n"
"""


def every_place(value: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Each place there is, and new ones in each container."""
    if isinstance(value, dict):
        yield from ((*place, "new"), (*place, "new", "deep"), (*place, "list", 0, "deep"))
        for key, below in value.items():
            yield (*place, key)
            yield from every_place(below, (*place, key))
    elif isinstance(value, list):
        yield (*place, len(value))
        for index, below in enumerate(value):
            yield (*place, index)
            yield from every_place(below, (*place, index))


@pytest.mark.parametrize("new", [5, "x", {"k": 1}, {"k": {"d": [1]}}, [1], [{"id": "z"}], True])
def test_toml_can_be_set_everywhere(new: Any) -> None:
    data = toml.loads(Path("x"), EVERY_FORM)
    for place in every_place(data):
        if place[:-1] == ("l",) and not isinstance(new, dict):
            with pytest.raises(NoSuchPlace, match="nothing but tables"):
                toml.set_value(EVERY_FORM, place, new)
            continue
        changed = toml.loads(Path("x"), toml.set_value(EVERY_FORM, place, new))
        assert same(changed, replaced(data, place, new)), place


def test_toml_can_be_unset_everywhere() -> None:
    data = toml.loads(Path("x"), EVERY_FORM)
    for place in every_place(data):
        if find(data, place) is not MISSING:
            changed = toml.loads(Path("x"), toml.unset_value(EVERY_FORM, place))
            assert same(changed, replaced(data, place, MISSING)), place
