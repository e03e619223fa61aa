"""Questions: terms, forms, ranking of windows, folding."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_cli.memory import index_rows as rows
from openclaw_cli.memory import index_schema as schema
from openclaw_cli.memory.folding import fold_hits
from openclaw_cli.memory.hits import Hit
from openclaw_cli.memory.index_notes import NoteText
from openclaw_cli.memory.index_schema import Identity
from openclaw_cli.memory.keyword_search import Asked, Found, answering_window, keyword_hits
from openclaw_cli.memory.questions import Term, parse_question, variants

TODAY = date(2026, 11, 20)
IDENTITY = Identity("fts-only", "none", "none", ("memory",), "", 400, 80, "unicode61")

WEEK = {
    "memory/2026-11-17.md": "# 2026-11-17\n\n- Router moved to VLAN 20.\n- Lunch with Tom.\n",
    "memory/2026-11-18.md": "# 2026-11-18\n\n- Bought a bicycle for the children.\n- Quiet day.\n",
    "memory/2026-05-04.md": "# 2026-05-04\n\n- Allergies got worse.\n- Lunch with Ann.\n",
    "memory/ideas.md": "# Ideas\n\n- Ann: the router should be replaced.\n- Bob: ask Ann first.\n",
}


@contextmanager
def indexed(notes: Mapping[str, str]) -> Iterator[sqlite3.Connection]:
    db = sqlite3.connect(":memory:", isolation_level=None)
    schema.create(db, IDENTITY)
    for path, text in notes.items():
        rows.add_note(db, NoteText(path, text, "", 0, 0.0), IDENTITY, 0)
    yield db
    db.close()


@pytest.fixture
def ask() -> Callable[..., Found]:
    def run(query: str, notes: Mapping[str, str] = WEEK, results: int = 6) -> Found:
        with indexed(notes) as db:
            return keyword_hits(db, Asked(query, results, results * 4, "unicode61", lambda: TODAY))

    return run


def best(found: Found) -> str:
    return found.hits[0].text


def test_terms_are_the_words_that_name_something() -> None:
    question = parse_question("What did Ann say about the router last May?", TODAY)
    assert [term.word for term in question.terms] == ["ann", "router"]
    assert question.terms[0].weight > question.terms[1].weight
    assert [str(days.first) for days in question.days] == ["2026-05-01"]


def test_nothing_but_function_words_is_looked_for_as_it_is() -> None:
    question = parse_question("who are you", TODAY)
    assert [term.word for term in question.terms] == ["who", "are", "you"]


VOCABULARY = (
    "router", "routers", "bought", "icecream", "ice", "cream", "festival", "kids", "child",
)  # fmt: skip


def vocabulary(start: str) -> list[tuple[str, int]]:
    return [(word, 1) for word in VOCABULARY if word.startswith(start)]


@pytest.mark.parametrize(
    ("term", "words"),
    [
        (Term("router"), {"router", "routers"}),
        (Term("buy"), {"bought"}),
        (Term("ice", joined=("icecream",)), {"ice", "icecream"}),
        (Term("fesetival"), {"festival"}),
        (Term("children"), {"kids", "child"}),
        (Term("glacier"), set()),
    ],
)
def test_words_of_the_index_stand_for_a_term(term: Term, words: set[str]) -> None:
    assert set(variants(term, vocabulary, ["en"])) == words


def test_a_form_that_is_met_far_more_often_is_another_word() -> None:
    words = {"offer": 2, "offers": 3, "off": 100}

    def vocabulary(start: str) -> list[tuple[str, int]]:
        return [(word, count) for word, count in words.items() if word.startswith(start)]

    assert set(variants(Term("offer"), vocabulary, ["en"])) == {"offer", "offers"}
    words["off"] = 50
    assert "off" in variants(Term("offer"), vocabulary, ["en"])
    del words["offer"], words["offers"]
    assert set(variants(Term("offer"), vocabulary, ["en"])) == {"off"}


def test_an_unknown_word_may_be_two() -> None:
    def without(start: str) -> list[tuple[str, int]]:
        return [(word, n) for word, n in vocabulary(start) if word != "icecream"]

    assert set(variants(Term("icecream"), without, ["en"])) == {"ice cream"}


def test_word_forms_answer(ask: Callable[..., Found]) -> None:
    assert best(ask("who buys bikes for a child?")) == "- Bought a bicycle for the children."
    assert best(ask("is she allergic?")).startswith("- Allergies")


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("booking", "We booked"),
        ("allergies", "We booked"),
        ("Rechnung", "Die Rechnungen"),
        ("Анна", "Встреча"),
    ],
)
def test_bare_keywords_have_forms_in_the_languages_of_the_notes(
    ask: Callable[..., Found], query: str, answer: str
) -> None:
    notes = {
        "memory/2026-11-17.md": "- We booked this hotel for the allergy conference.\n"
        "- Die Rechnungen hat der Zahnarzt geschickt.\n"
        "- Встреча с Анной перенесена на вторник.\n"
    }
    assert answer in best(ask(query, notes))


def test_misspellings_answer(ask: Callable[..., Found]) -> None:
    assert "VLAN" in best(ask("where did the ruoter move in the vlan?"))


def test_days_of_the_question_decide(ask: Callable[..., Found]) -> None:
    assert "Ann" in best(ask("with whom was the lunch last May?"))
    assert "Tom" in best(ask("with whom was the lunch on 2026-11-17?"))


def test_a_question_of_days_alone_shows_those_days(ask: Callable[..., Found]) -> None:
    found = ask("what happened on 2026-05-04?")
    assert {hit.path for hit in found.hits} == {"memory/2026-05-04.md"}
    assert all("2026-05-04" not in hit.text for hit in found.hits)


def test_what_somebody_said_beats_a_mention(ask: Callable[..., Found]) -> None:
    assert best(ask("what did Ann propose about this and that?")).startswith("- Ann:")


TALK = {
    "memory/2026-11-10.md": (
        "# 2026-11-10\n\n- Ann: The roses by the gate did well.\n- Ann: It rained all day.\n"
        "- Ann: We had guests.\n- Ann: Long walk.\n- Bob: My beans and roses need water.\n"
        "- Bob: Nothing else.\n"
    ),
    "memory/garden.md": "# Garden\n\n- Water the beans.\n",
}


@pytest.mark.parametrize(
    ("query", "speaker"),
    [
        ("what has Ann said about roses and beans lately?", "Ann"),
        ("what have Ann and Bob said about roses and beans?", "Bob"),
        ("how were the roses and beans lately then?", "Bob"),
    ],
)
def test_lines_of_others_count_less_when_somebody_is_asked_about(
    ask: Callable[..., Found], query: str, speaker: str
) -> None:
    assert best(ask(query, TALK)).startswith(f"- {speaker}:")


def test_the_line_behind_a_question_answers(ask: Callable[..., Found]) -> None:
    asked = "- Bob: Ann, how many quinces did the old tree bear?\n"
    notes = {
        "memory/2026-11-10.md": "- Ann: The tree is pruned.\n- Ann: About forty.\n"
        f"{asked}- Ann: Ninety, more or less.\n- Ann: It rained.\n"
    }
    hits = [hit.text for hit in ask("how many quinces did Ann count on her tree", notes).hits]
    assert hits.index("- Ann: Ninety, more or less.") < hits.index("- Ann: About forty.")
    notes = {path: text.replace("?", "!") for path, text in notes.items()}
    hits = [hit.text for hit in ask("how many quinces did Ann count on her tree", notes).hits]
    assert hits.index("- Ann: Ninety, more or less.") > hits.index("- Ann: About forty.")


def test_hits_name_the_window_and_its_chunk(ask: Callable[..., Found]) -> None:
    hit = ask("who buys bikes for a child?").hits[0]
    assert (hit.path, hit.start, hit.end) == ("memory/2026-11-18.md", 3, 3)
    assert len(hit.chunk_id) == 64
    assert hit.explain["mode"] == "question"
    assert 0 < hit.score <= 1


def test_a_full_match_keeps_its_scores(ask: Callable[..., Found]) -> None:
    found = ask("router VLAN")
    assert [hit.explain["mode"] for hit in found.hits] == ["match"]
    assert found.hits[0].answer is not None
    assert found.hits[0].answer.text == "- Router moved to VLAN 20."


def test_a_question_that_stands_in_a_chunk_by_chance_gets_windows_too() -> None:
    notes = WEEK | {"memory/q.md": "Somebody asked: what did we do about the router at all?\n"}
    with indexed(notes) as db:
        asked = Asked("what did we do about the router", 6, 24, "unicode61", lambda: TODAY)
        hits = keyword_hits(db, asked).hits
    assert [hit.explain["mode"] for hit in hits][:2] == ["match", "question"]
    assert hits[1].score <= hits[0].score


def test_a_heading_takes_the_window_below_along(ask: Callable[..., Found]) -> None:
    notes = {"memory/n.md": "# Greenhouse\n\n- Tomatoes were planted.\n- Something else.\n"}
    hits = ask("and what about the greenhouse xyz", notes).hits
    assert [(hit.start, hit.end) for hit in hits] == [(1, 3)]
    assert hits[0].answer is not None
    assert (hits[0].answer.start, hits[0].answer.end) == (3, 3)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("与供应商讨论了备份方案和路由器更换。", "备份方案"),
        ("バックアップの計画書は金庫にあります。", "計画書はどこですか"),
        ("라우터를 교체하기로 결정했다.", "라우터 교체"),
        ("เราตัดสินใจเปลี่ยนเราเตอร์ใหม่เมื่อวาน", "เราเตอร์"),
        ("Гарантия на роутер до 2028 года.", "роутеры"),
        ("Zmieniliśmy hasło do serwera.", "jakie mamy hasła na serwerze"),
        ("Wir haben die Zahlungen gestoppt.", "was ist mit der Zahlung"),
        ("हमने राउटर बदल दिया।", "राउटर के बारे में क्या"),
        ("اشترينا الكتاب أمس", "أين كتاب"),
        ("我的猫叫小黑。", "猫"),
    ],
)
def test_words_are_found_in_many_scripts(ask: Callable[..., Found], text: str, query: str) -> None:
    notes = {"memory/x.md": f"# x\n\n- {text}\n- abc.\n", "memory/y.md": "# y\n\n- nothing here\n"}
    found = ask(query, notes)
    assert found.hits, found.tried
    assert text in found.hits[0].text


def test_a_window_that_answers_is_found_in_a_chunk() -> None:
    with indexed(WEEK) as db:
        lines = (1, 5)
        found = answering_window(db, "memory/2026-11-17.md", lines, ["Lunch"])
        none = answering_window(db, "memory/2026-11-17.md", lines, ["glacier"])
    assert found is not None
    assert (found.start, found.end) == (4, 4)
    assert none is None


def test_the_note_comes_before_what_dreaming_made_of_it(ask: Callable[..., Found]) -> None:
    claim = "The greenhouse heater was replaced by Tom"
    mark = "<!-- openclaw:dreaming:light"
    block = f"{mark}:start -->\n- {claim}\n{mark}:end -->\n"
    notes = {
        "memory/dreaming/light/2026-11-19.md": f"# Light\n\n- {claim}\n",
        "memory/2026-11-17.md": f"# 2026-11-17\n\n- {claim}.\n\n## Light Sleep\n{block}",
        "memory/2026-11-18.md": "# 2026-11-18\n\n- Something else.\n",
    }
    hits = ask("who was it that replaced the greenhouse heater in the end", notes).hits
    assert (hits[0].path, hits[0].start) == ("memory/2026-11-17.md", 3)
    assert {copy["path"] for copy in hits[0].duplicates} == {
        "memory/dreaming/light/2026-11-19.md", "memory/2026-11-17.md",
    }  # fmt: skip
    with indexed(notes) as db:
        found = answering_window(db, "memory/2026-11-17.md", (5, 9), ["heater"])
    assert found is None


def test_a_promoted_bullet_is_the_same_claim(ask: Callable[..., Found]) -> None:
    claim = "The greenhouse heater was replaced by Tom"
    suffix = "[score=0.913 recalls=6 avg=0.920 source=memory/2026-11-17.md:3-3]"
    notes = {
        "MEMORY.md": f"# Memory\n\n- {claim} {suffix}\n",
        "memory/2026-11-17.md": f"# 2026-11-17\n\n- {claim}.\n",
    }
    hits = ask("and who was it that replaced the heater", notes).hits
    assert len(hits) == 1
    assert len(hits[0].duplicates) == 1
    assert ask("what about the recalls avg and so on", notes).hits == []


def hit(path: str, text: str, score: float) -> Hit:
    return Hit("", path, 1, 1, text, score=score)


def test_the_same_words_are_shown_once() -> None:
    said = "the router moved to vlan twenty on friday"
    hits = [hit("a.md", said, 0.9), hit("b.md", f"{said}!", 0.8), hit("c.md", "another thing", 0.7)]
    kept = fold_hits(hits, 6)
    assert [one.path for one in kept] == ["a.md", "c.md"]
    assert kept[0].duplicates == [{"path": "b.md", "startLine": 1, "endLine": 1}]


def test_one_note_does_not_fill_the_page() -> None:
    crowd = [hit("a.md", f"line number {n} of many {n * 7}", 0.9) for n in range(6)]
    kept = fold_hits([*crowd, hit("b.md", "something else entirely", 0.5)], 6)
    assert [one.path for one in kept].index("b.md") == 4
    assert kept[3].explain["crowded"] == 1


def test_of_a_pasted_text_the_start_is_searched_for() -> None:
    question = parse_question(" ".join(f"word{n}" for n in range(5000)), TODAY)
    assert len(question.terms) == 64


@given(st.text(max_size=60))
def test_any_question_is_answered(text: str) -> None:
    with indexed(WEEK) as db:
        for found in keyword_hits(db, Asked(text, 6, 24, "unicode61", lambda: TODAY)).hits:
            assert 0 <= found.score <= 1
