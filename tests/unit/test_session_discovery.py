"""Where stores and transcripts are (``sessions.md`` 2.1, 3.4)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from builders import Tree

from openclaw_cli.config.load import load
from openclaw_cli.errors import UnknownName, UsageProblem
from openclaw_cli.sessions import discovery
from openclaw_cli.sessions.discovery import Target, TranscriptFinder
from openclaw_cli.state.paths import Paths


def _targets(**options: Any) -> list[Target]:
    paths = Paths.from_env()
    return discovery.targets(load(paths), paths, **options)


def test_the_default_store_is_the_default_agents(tree: Tree) -> None:
    assert _targets() == [Target("main", tree.state / "agents/main/sessions/sessions.json")]
    tree.config(agents={"list": [{"id": "a"}, {"id": "Work Desk", "default": True}]})
    assert _targets()[0].agent_id == "work-desk"


def test_a_template_expands_home_and_agent(tree: Tree) -> None:
    tree.config(
        session={"store": "~/data/{agentId}.json"},
        agents={"list": [{"id": "main"}, {"id": "work"}]},
    )
    found = _targets(all_agents=True)
    assert [(t.agent_id, t.store_path) for t in found] == [
        ("main", tree.home / "data/main.json"),
        ("work", tree.home / "data/work.json"),
    ]
    assert found[0].sessions_dir == tree.home / "data"


def test_a_shared_store_appears_once_under_the_first_agent(tree: Tree) -> None:
    tree.config(session={"store": "~/all.json"}, agents={"list": [{"id": "a"}, {"id": "b"}]})
    assert _targets(all_agents=True) == [Target("a", tree.home / "all.json")]


def test_a_store_option_belongs_to_the_default_agent(tree: Tree) -> None:
    tree.config(agents={"list": [{"id": "work"}]})
    assert _targets(store="~/{agentId}.json") == [Target("work", tree.home / "work.json")]
    assert _targets(store="x/y.json") == [Target("work", tree.home / "x/y.json")]


@pytest.mark.parametrize(
    "options",
    [
        {"agent": "main", "all_agents": True},
        {"store": "x", "agent": "main"},
        {"store": "x", "all_agents": True},
        {"store": "  "},
    ],
)
def test_options_that_exclude_each_other_are_refused(tree: Tree, options: Any) -> None:
    with pytest.raises(UsageProblem):
        _targets(**options)


def test_an_agent_is_normalised_and_must_be_configured(tree: Tree) -> None:
    tree.config(agents={"list": [{"id": "work"}]})
    assert _targets(agent=" Work ")[0].agent_id == "work"
    assert _targets(agent="  ")[0].agent_id == "work"
    with pytest.raises(UnknownName, match="nope"):
        _targets(agent="nope")


def test_an_agent_known_only_from_disk_is_named_with_its_store(tree: Tree) -> None:
    store = tree.sessions({}, agent="ghost")
    with pytest.raises(UnknownName) as caught:
        _targets(agent="ghost")
    assert caught.value.path == str(store)
    assert "--store" in (caught.value.hint or "")
    paths = Paths.from_env()
    assert discovery.unconfigured_stores(load(paths), paths) == [Target("ghost", store)]


@pytest.fixture
def folder(tree: Tree) -> Path:
    """A sessions folder with a way out, a way in, and a subfolder."""
    path = tree.state / "agents/main/sessions"
    path.mkdir(parents=True)
    (tree.state / "agents/work/sessions").mkdir(parents=True)
    tree.file("outside.jsonl", "")
    (path / "out.jsonl").symlink_to(tree.home / "outside.jsonl")
    (path / "home").symlink_to(tree.home)
    (path / "sub").mkdir()
    (tree.home / "alias").symlink_to(path)
    (path / "store.jsonl").symlink_to(path / "sessions.json")
    return path


@pytest.mark.parametrize(
    "named",
    ["x.jsonl", " x.jsonl ", "{dir}/x.jsonl", "{dir}/../sessions/x.jsonl", "{home}/alias/x.jsonl"],
)
def test_paths_inside_the_folder_are_accepted(folder: Path, tree: Tree, named: str) -> None:
    text = named.replace("{dir}", str(folder)).replace("{home}", str(tree.home))
    row = {"sessionId": "id", "sessionFile": text}
    finder = TranscriptFinder(folder, tree.state)
    assert finder.resolve(row) == (folder / "x.jsonl", None)
    assert finder.resolve_text(row) == str(folder / "x.jsonl")


def test_subfolders_and_sibling_agents_count(folder: Path, tree: Tree) -> None:
    sibling = tree.state / "agents/work/sessions/x.jsonl"
    finder = TranscriptFinder(folder, tree.state)
    assert finder.resolve({"sessionFile": "sub/x.jsonl"}).path == folder / "sub/x.jsonl"
    assert finder.resolve({"sessionFile": str(sibling)}).path == sibling
    alone = TranscriptFinder(folder)
    assert alone.resolve({"sessionId": "id", "sessionFile": str(sibling)}).refused == str(sibling)


@pytest.mark.parametrize(
    "named",
    ["/etc/passwd", "../x.jsonl", "out.jsonl", "home/outside.jsonl", "..", ".", "{dir}",
     "a\0b", "~/.pi/agent/sessions/x.jsonl", "sessions.json", "sessions.json.lock", "x",
     "x.jsonl.lock", "x.jsonl.deleted.2026-11-19T00-00-00.000Z", "{home}/alias/store.jsonl"],
)  # fmt: skip
def test_other_paths_are_ignored_and_named(folder: Path, tree: Tree, named: str) -> None:
    text = named.replace("{dir}", str(folder)).replace("{home}", str(tree.home))
    finder = TranscriptFinder(folder, tree.state)
    found = finder.resolve({"sessionId": "id", "sessionFile": text})
    assert found.path is not None
    assert found.path.is_relative_to(folder)
    if "~" not in named:  # a relative name like any other, in a subfolder that is not there
        assert found == (folder / "id.jsonl", text)


def test_an_unsafe_id_has_no_default_path(folder: Path) -> None:
    finder = TranscriptFinder(folder)
    assert finder.resolve({"sessionId": "../x"}) == (None, None)
    assert finder.resolve({"sessionId": 5}).path is None
    assert finder.resolve({"sessionId": " id "}, "5").path == folder / "id-topic-5.jsonl"
    assert discovery.resolve_transcript({"sessionId": "id"}, folder) == folder / "id.jsonl"


def test_readers_look_in_the_older_places_too(tree: Tree) -> None:
    paths = Paths.from_env()
    target = Target("main", tree.home / "data/store.json")
    row = {"sessionId": "id"}
    assert discovery.find_transcript(row, target, paths).path == tree.home / "data/id.jsonl"
    legacy = tree.file(".openclaw/sessions/id.jsonl", "")
    assert discovery.find_transcript(row, target, paths).path == legacy
    usual = tree.file(".openclaw/agents/main/sessions/id.jsonl", "")
    assert discovery.find_transcript(row, target, paths).path == usual
    topic = tree.file("data/id-topic-5.jsonl", "")
    assert discovery.find_transcript(row, target, paths, thread_id="5").path == topic
