"""``memory search`` as a person and a script see it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from builders import Tree
from conftest import Result
from model_server import API_KEY, ModelServer

Run = Callable[..., Result]
KEYWORDS = {"agents": {"defaults": {"memorySearch": {"provider": "none"}}}}
DREAMING = {"entries": {"memory-core": {"config": {"dreaming": {"enabled": True}}}}}


@pytest.fixture
def notes(tree: Tree) -> Tree:
    tree.config(**KEYWORDS)
    tree.note(
        "2026-11-17",
        "# 2026-11-17\n\n- Router moved to VLAN 20; the gateway answers on 10.0.20.1.\n"
        "- Backups run at 02:00 and land in the glacier bucket.\n- Lunch with the design team.\n",
    )
    tree.file(".openclaw/workspace/memory/projects.md", "# Projects\n\nThe router config.\n")
    return tree


def embedding(server: ModelServer, **search: Any) -> dict[str, Any]:
    remote = {"baseUrl": server.base_url, "apiKey": API_KEY}
    block = {"provider": "openai", "model": "m", "remote": remote, **search}
    return {"agents": {"defaults": {"memorySearch": block}}}


def store(tree: Tree) -> dict[str, Any]:
    path = tree.workspace / "memory/.dreams/short-term-recall.json"
    found: dict[str, Any] = json.loads(path.read_text())["entries"]
    return found


def test_json_has_the_fields_of_the_reference(notes: Tree, openclaw_inproc: Run) -> None:
    result = openclaw_inproc("memory", "search", "router vlan", "--json")
    (hit,) = result.json()["results"]
    assert list(hit) == [
        "id", "path", "startLine", "endLine", "score", "textScore", "snippet", "source",
    ]  # fmt: skip
    assert (hit["path"], hit["startLine"], hit["endLine"]) == ("memory/2026-11-17.md", 1, 6)
    assert (result.exit, result.err) == (0, "")


def test_text_is_a_block_for_each_hit(notes: Tree, openclaw_inproc: Run) -> None:
    result = openclaw_inproc("memory", "search", "glacier", "--max-results", "1")
    assert result.out.splitlines()[:2] == ["0.637 memory/2026-11-17.md:1-6", "# 2026-11-17"]


def test_nothing_found_is_no_failure(notes: Tree, openclaw_inproc: Run) -> None:
    assert openclaw_inproc("memory", "search", "zebra").out == "No matches.\n"
    result = openclaw_inproc("memory", "search", "zebra", "--json")
    assert (result.exit, result.json()) == (0, {"results": []})


def test_the_option_wins_over_the_argument(notes: Tree, openclaw_inproc: Run) -> None:
    result = openclaw_inproc("memory", "search", "zebra", "--query", "glacier", "--json")
    assert len(result.json()["results"]) == 1


@pytest.mark.parametrize(
    "argv",
    [
        (), ("x", "--max-results", "1.5"), ("x", "--max-results", "0"), ("x", "--min-score", "2"),
        ("x", "--min-score", "1e-1"), ("x", "--max-results", "-1"), ("x", "y"), ("x", "--nope"),
    ],
)  # fmt: skip
def test_wrong_usage_is_exit_2(notes: Tree, openclaw_inproc: Run, argv: tuple[str, ...]) -> None:
    result = openclaw_inproc("memory", "search", *argv, "--json")
    assert (result.exit, result.out, result.error["code"]) == (2, "", "usage")


def test_several_words_want_quotes(notes: Tree, openclaw_inproc: Run) -> None:
    result = openclaw_inproc("memory", "search", "router", "vlan")
    assert result.exit == 2
    assert "Put a query of several words in quotes: 'router vlan'." in result.err


def test_a_missing_query_says_what_to_do(openclaw_inproc: Run) -> None:
    for argv in ([], [""], ["  "], ["--query", ""], ["word", "--query", " "]):
        result = openclaw_inproc("memory", "search", *argv)
        assert (result.exit, result.out) == (2, "")
        assert "Missing search query" in result.err


def test_an_unknown_agent_is_named_with_the_known_ones(notes: Tree, openclaw_inproc: Run) -> None:
    result = openclaw_inproc("memory", "search", "x", "--agent", "../../x", "--json")
    assert result.exit == 1
    assert "main" in result.error["hint"]
    assert not (notes.state / "memory").exists()


def test_an_explicit_min_score_is_a_floor(notes: Tree, openclaw_inproc: Run) -> None:
    argv = ("memory", "search", "router", "--json")
    assert openclaw_inproc(*argv, "--min-score", "0.99").json() == {"results": []}
    assert len(openclaw_inproc(*argv, "--min-score", "0.1").json()["results"]) == 2


def test_the_configured_min_score_is_a_wish(notes: Tree, openclaw_inproc: Run) -> None:
    notes.config(
        agents={"defaults": {"memorySearch": {"provider": "none", "query": {"minScore": 0.99}}}}
    )
    assert len(openclaw_inproc("memory", "search", "router", "--json").json()["results"]) == 2


def test_switched_off_it_says_so(notes: Tree, openclaw_inproc: Run) -> None:
    notes.config(agents={"defaults": {"memorySearch": {"enabled": False}}})
    assert openclaw_inproc("memory", "search", "router").out == "Memory search disabled.\n"
    result = openclaw_inproc("memory", "search", "router", "--json")
    assert (result.exit, result.err) == (0, "Memory search disabled.\n")
    assert result.json() == {"results": [], "disabled": True}


def test_without_a_key_keywords_answer(notes: Tree, openclaw_inproc: Run) -> None:
    notes.config()
    result = openclaw_inproc("memory", "search", "glacier", "--json")
    assert [hit["path"] for hit in result.json()["results"]] == ["memory/2026-11-17.md"]
    assert (result.exit, result.err) == (0, "")


def test_explain_shows_the_parts(notes: Tree, openclaw_inproc: Run) -> None:
    result = openclaw_inproc("memory", "search", "router vlan", "--explain", "--json")
    explain = result.json()["results"][0]["explain"]
    assert len(explain["chunkId"]) == 64
    assert explain["textRank"] == 1
    assert set(explain["boost"]) == {"coverage", "density", "path", "size"}
    text = openclaw_inproc("memory", "search", "router vlan", "--explain").out
    assert text.splitlines()[1].startswith("  chunkId=")


def test_explain_says_what_was_tried_in_vain(notes: Tree, openclaw_inproc: Run) -> None:
    argv = ("memory", "search", "where is the zebra", "--explain")
    tried = openclaw_inproc(*argv, "--json").json()["explain"]
    assert tried["tokens"] == ["where", "is", "the", "zebra"]
    assert tried["keywords"] == ["zebra"]
    assert "keywords: zebra" in openclaw_inproc(*argv).out


def test_control_characters_stay_out_of_the_terminal(notes: Tree, openclaw_inproc: Run) -> None:
    notes.note("2026-11-18", "evil \x1b[31mred\x1b[0m zebra\n")
    assert "\x1b" not in openclaw_inproc("memory", "search", "zebra").out


def test_decay_and_mmr_follow_the_settings(notes: Tree, openclaw_inproc: Run) -> None:
    hybrid = {
        "temporalDecay": {"enabled": True, "halfLifeDays": 2},
        "mmr": {"enabled": True, "lambda": 0.5},
    }
    notes.config(
        agents={"defaults": {"memorySearch": {"provider": "none", "query": {"hybrid": hybrid}}}}
    )
    hits = openclaw_inproc("memory", "search", "router", "--explain", "--json").json()["results"]
    by_path = {hit["path"]: hit["explain"] for hit in hits}
    assert by_path["memory/projects.md"]["decay"] == 1
    assert list(by_path) == ["memory/projects.md"]  # the aged note falls below the threshold
    assert "mmr" in by_path["memory/projects.md"]


def test_dreaming_off_leaves_no_trail(notes: Tree, openclaw_inproc: Run) -> None:
    openclaw_inproc("memory", "search", "router", "--json")
    assert not (notes.workspace / "memory/.dreams").exists()


def test_a_recall_is_credited_to_the_line(notes: Tree, openclaw_inproc: Run) -> None:
    notes.config(**KEYWORDS, plugins=DREAMING)
    openclaw_inproc("memory", "search", "glacier bucket", "--json")
    (entry,) = store(notes).values()
    assert entry["key"] == "memory:memory/2026-11-17.md:4:4"
    assert entry["snippet"].startswith("- Backups run at 02:00")
    assert entry["recallCount"] == 1
    kinds = [row["type"] for row in notes.lines(".openclaw/workspace/memory/.dreams/events.jsonl")]
    assert kinds == ["memory.recall.recorded"]


def test_a_line_in_two_overlapping_chunks_is_recalled_once(
    notes: Tree, openclaw_inproc: Run
) -> None:
    search = {"provider": "none", "chunking": {"tokens": 30, "overlap": 20}}
    notes.config(agents={"defaults": {"memorySearch": search}}, plugins=DREAMING)
    filler = "".join(f"- filler line {n} of the day\n" for n in range(3))
    claim = "The router cabinet of the workshop is painted like a zebra."
    notes.note("2026-11-18", f"{filler}- {claim}\n{filler}")
    hits = openclaw_inproc("memory", "search", "zebra", "--json").json()["results"]
    assert len(hits) > 1
    (entry,) = store(notes).values()
    assert (entry["startLine"], entry["recallCount"]) == (4, 1)


def test_hits_elsewhere_are_only_logged(notes: Tree, openclaw_inproc: Run) -> None:
    notes.config(**KEYWORDS, plugins=DREAMING)
    openclaw_inproc("memory", "search", "projects", "--json")
    rows = notes.lines(".openclaw/workspace/memory/.dreams/events.jsonl")
    assert [row["type"] for row in rows] == ["memory.recall.skipped"]
    assert rows[0]["results"][0]["startLine"] == 1


def test_a_failure_to_record_is_a_warning(notes: Tree, openclaw_inproc: Run) -> None:
    notes.config(**KEYWORDS, plugins=DREAMING)
    notes.file(".openclaw/workspace/memory/.dreams/short-term-recall.json", "{broken")
    result = openclaw_inproc("memory", "search", "glacier", "--json")
    assert len(result.json()["results"]) == 1
    assert (result.exit, "not recorded" in result.err) == (0, True)


def test_meaning_and_words_are_merged(
    notes: Tree, openclaw_inproc: Run, model_server: ModelServer
) -> None:
    model_server.embedding = lambda text: [1.0, 0.0] if "lunch" in text.lower() else [0.0, 1.0]
    notes.note("2026-11-18", "# 2026-11-18\n\n- Ate pasta at noon, lunch was late.\n")
    notes.config(**embedding(model_server, query={"minScore": 0.0}))
    hits = openclaw_inproc("memory", "search", "lunch pasta", "--json").json()["results"]
    assert list(hits[0]) == [
        "path", "startLine", "endLine", "score", "vectorScore", "textScore", "snippet", "source",
    ]  # fmt: skip
    by_path = {hit["path"]: hit for hit in hits}
    both = by_path["memory/2026-11-18.md"]
    assert both["vectorScore"] == 1
    assert both["score"] == pytest.approx(0.7 + 0.3 * both["textScore"])
    meaning = by_path["memory/2026-11-17.md"]
    assert (meaning["vectorScore"], meaning["textScore"]) == (1, 0)
    assert by_path["memory/projects.md"]["vectorScore"] == 0


def test_embeddings_are_paid_for_once(
    notes: Tree, openclaw_inproc: Run, model_server: ModelServer
) -> None:
    notes.config(**embedding(model_server))
    openclaw_inproc("memory", "search", "glacier", "--json")
    asked = [request.body["input"] for request in model_server.requests]
    assert [len(texts) for texts in asked] == [2, 1]
    model_server.requests.clear()
    openclaw_inproc("memory", "search", "glacier", "--json")
    openclaw_inproc("memory", "index", "--force")
    assert [request.body["input"] for request in model_server.requests] == [["glacier"]]


def test_a_recall_by_meaning_is_credited_to_the_closest_line(
    notes: Tree, openclaw_inproc: Run, model_server: ModelServer
) -> None:
    model_server.embedding = lambda text: [1.0, 0.0] if "unch" in text else [0.2, 1.0]
    notes.config(**embedding(model_server), plugins=DREAMING)
    openclaw_inproc("memory", "search", "brunch", "--json")
    assert "memory:memory/2026-11-17.md:5:5" in store(notes)


def test_a_keyword_hit_is_not_starved_beside_vectors(
    notes: Tree, openclaw_inproc: Run, model_server: ModelServer
) -> None:
    model_server.embedding = lambda text: [1.0, 0.0] if len(text) < 20 else [0.0, 1.0]
    notes.config(**embedding(model_server), plugins=DREAMING)
    hit = openclaw_inproc("memory", "search", "glacier bucket", "--json").json()["results"][0]
    (entry,) = store(notes).values()
    assert hit["score"] < 0.3
    assert entry["totalScore"] > 0.6


def test_a_named_provider_that_is_down_fails_the_search(
    notes: Tree, openclaw_inproc: Run, model_server: ModelServer
) -> None:
    notes.config(**embedding(model_server))
    model_server.embedding_answers.extend([_failure(401)] * 9)
    result = openclaw_inproc("memory", "search", "glacier", "--json")
    assert (result.exit, result.out) == (1, "")
    assert "Memory search failed: " in result.err
    assert result.error["code"] == "search-failed"
    assert API_KEY not in result.err


def test_another_model_needs_the_index_command(
    notes: Tree, openclaw_inproc: Run, model_server: ModelServer
) -> None:
    notes.config(**embedding(model_server))
    openclaw_inproc("memory", "search", "glacier", "--json")
    notes.config(**embedding(model_server, model="other"))
    result = openclaw_inproc("memory", "search", "glacier", "--json")
    assert (result.exit, result.out) == (1, "")
    assert "embedding model changed" in result.error["message"]
    assert "openclaw memory index" in result.error["hint"]
    assert openclaw_inproc("memory", "index").exit == 0
    assert openclaw_inproc("memory", "search", "glacier", "--json").exit == 0


def test_an_index_without_any_embedding_yet_is_rebuilt_for_another_provider(
    notes: Tree, openclaw_inproc: Run, model_server: ModelServer
) -> None:
    notes.config(**embedding(model_server, model="unreachable"))
    model_server.embedding_answers.extend([_failure(401)] * 9)
    assert openclaw_inproc("memory", "search", "glacier").exit == 1
    model_server.embedding_answers.clear()
    notes.config(**embedding(model_server))
    assert openclaw_inproc("memory", "search", "glacier").exit == 0


def test_a_provider_without_an_address_names_the_setting(notes: Tree, openclaw_inproc: Run) -> None:
    notes.config(agents={"defaults": {"memorySearch": {"provider": "unheard-of"}}})
    error = openclaw_inproc("memory", "search", "glacier", "--json").error
    command = error["hint"].split()
    assert command[:3] == ["openclaw", "config", "set"]
    assert openclaw_inproc(*command[1:4], "http://127.0.0.1:9/v1").exit == 0


def test_losing_the_key_keeps_the_embeddings(
    notes: Tree, openclaw_inproc: Run, model_server: ModelServer
) -> None:
    block = embedding(model_server)["agents"]["defaults"]["memorySearch"]
    del block["provider"]
    notes.config(agents={"defaults": {"memorySearch": block}})
    assert "vectorScore" in openclaw_inproc("memory", "search", "glacier", "--json").out
    model_server.requests.clear()
    model_server.embedding_answers.extend([_failure(401)] * 9)
    result = openclaw_inproc("memory", "search", "glacier", "--json")
    assert result.exit == 0
    assert "by keywords only" in result.err
    assert len(result.json()["results"]) == 1
    model_server.embedding_answers.clear()
    model_server.requests.clear()
    openclaw_inproc("memory", "search", "glacier", "--json")
    assert [request.body["input"] for request in model_server.requests] == [["glacier"]]


def _failure(status: int) -> Any:
    from model_server import Answer

    return Answer(status=status, error={"message": "no", "type": "scripted", "code": None})
