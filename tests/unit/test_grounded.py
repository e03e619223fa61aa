"""What grounded extraction makes of a note: reading, scores, facts, claims, reflections."""

from __future__ import annotations

import pytest

from openclaw_cli.dreaming.grounded import (
    DURABLE,
    REFLECTIONS,
    SITUATIONAL,
    UNCLEAR,
    Grounded,
    extract,
    render,
)
from openclaw_cli.dreaming.grounded_scores import score, summary
from openclaw_cli.dreaming.grounded_sections import read_sections
from openclaw_cli.memory.text import without_markup

NOTE = "memory/2026-11-10.md"


def read(*lines: str) -> Grounded:
    return extract("\n".join(lines), NOTE)


def facts(*lines: str) -> list[str]:
    return [item.text for item in read(*lines).facts]


def tokens(*lines: str) -> list[str]:
    words = {sentence: token for token, sentence in REFLECTIONS.items()}
    return [words[item.text] for item in read(*lines).reflections]


# Reading


def test_sections_begin_at_headings_of_level_2_to_6() -> None:
    text = (
        "# Day\nintro line here\n## One\n- first line of it\n   ###### Six ##\nsecond line of it\n"
    )
    assert [(s.title, s.start, s.end) for s in read_sections(text)] == [
        ("One", 3, 4),
        ("Six", 5, 6),
    ]


def test_code_tables_rules_and_empty_sections_are_passed_over() -> None:
    text = "\n".join(
        ["## One", "```", "always use code here", "```", "| always use | tables |", "|---|:--|",
         "--- | ---", "---", "", "## Two", "kept line of text"]
    )  # fmt: skip
    assert [(s.title, [x.text for x in s.snippets]) for s in read_sections(text)] == [
        ("Two", ["kept line of text"])
    ]


def test_titles_lose_markup_and_a_leading_time() -> None:
    found = read_sections("## 14:30 - **Router** [incident](http://x)\nsomething happened here")
    assert found[0].title == "Router incident"


def test_snippets_lose_markers_are_long_enough_and_come_once() -> None:
    text = "## A\n- [x] Installed the agent\n2. Installed the AGENT\n* tiny\n+ Another line of it"
    assert [(x.text, x.line) for x in read_sections(text)[0].snippets] == [
        ("Installed the agent", 2),
        ("Another line of it", 5),
    ]


def test_the_same_line_counts_in_each_section() -> None:
    found = read_sections("## A\nthe same line\n## B\nthe same line\n")
    assert [len(section.snippets) for section in found] == [1, 1]


def test_markdown_is_stripped() -> None:
    assert without_markup("![pic](a.png) **Always** use the [calendar](http://c) `now` > # ~") == (
        "Always use the calendar now"
    )


def test_windows_line_ends_do_not_matter() -> None:
    unix = "## Preferences Learned\n- Prefers short updates every week.\n"
    assert extract(unix, NOTE) == extract(unix.replace("\n", "\r\n"), NOTE)


@pytest.mark.parametrize("text", ["", "just prose, always use prose", "# Top\n- always use it"])
def test_a_note_without_sections_yields_nothing(text: str) -> None:
    found = extract(text, NOTE)
    assert found == Grounded([], [], [], [])
    assert render(found) == (
        "## What Happened\n1. No grounded facts were extracted.\n\n"
        "## Reflections\n1. No grounded reflections emerged from this note yet."
    )


# Scores


@pytest.mark.parametrize(
    ("text", "title", "value"),
    [
        ("plain words only", "", 0.0),
        ("prefers tea", "", 3.2 + 2.4 + 1.8),
        ("always verify", "", 3.2 + 1.6),
        ("learned: ask first", "", 1.6),
        ("the relationship is new", "", 3.2 + 2.3),
        ("partner of Sam", "", 3.2 + 1.5),
        ("explicitly no", "", 1.8),
        ("plain words only", "Preferences learned", 1.2),
        ("plain words only", "Setup", -1.2),
        ("plain words only", "Research", -2.2),
        ("a draft of it", "Research", -2.2),
        ("the open loops", "", -2.4),
        ("the tmux tool", "", -2.1),
        ("partner uses tmux", "", 3.2 + 1.5),
        ("heartbeat ran", "", -4.2),
        ("remember the heartbeat", "", 2.4),
        ("business class", "", -2.6),
        ("at 10:30", "", -1.2),
        ("due Nov", "", -1.2),
        ("paid €", "", -1.2),
        ("hotel Adler", "", -2.6 - 2.8),
        ("in progress", "", -2.0),
        ("it was broken", "", -1.6),
        ("the next step", "", -1.2),
        ("a visitor", "", -1.4),
        ("created it", "", -0.8),
        ("see a/b", "", -0.8),
        ("say `x` twice", "", -0.8),
    ],
)
def test_each_family_has_its_weight(text: str, title: str, value: float) -> None:
    assert score(text, title) == pytest.approx(value)


def test_words_count_whole_and_in_any_case() -> None:
    assert score("PREFERS tea", "") == score("prefers tea", "")
    assert score("preferstea", "") == 0


def test_a_summary_has_the_best_three_lines_in_their_order() -> None:
    text = "\n".join(
        ["## Router", "- plain line number one", "- always use the new key", "- created a tracker",
         "- route it by the workflow", "- plain line number two"]
    )  # fmt: skip
    told = summary(read_sections(text)[0])
    assert told is not None
    assert told.lines == [3, 4, 5]
    assert told.text == (
        "Router: always use the new key; created a tracker; and route it by the workflow"
    )


def test_a_summary_under_a_generic_title_has_two_lines_and_no_prefix() -> None:
    told = summary(read_sections("## Summary\n- plain line one\n- plain line two\n- more of it")[0])
    assert told is not None
    assert told.text == "plain line one and plain line two"


# Facts


def test_the_best_two_facts_of_a_section_best_four_in_all() -> None:
    lines = []
    for title in ("Alpha", "Beta", "Gamma"):
        lines += [f"## {title}", f"- prefers {title} tea in bed", f"- always wear {title} boots",
                  f"- likes {title} songs a lot"]  # fmt: skip
    assert facts(*lines) == [
        "prefers Alpha tea in bed",
        "prefers Beta tea in bed",
        "prefers Gamma tea in bed",
        "always wear Alpha boots",
    ]


def test_a_telling_title_becomes_the_prefix() -> None:
    assert facts("## People update", "- Sam prefers calls in the morning") == [
        "People update: Sam prefers calls in the morning"
    ]


@pytest.mark.parametrize("title", ["Preferences learned", "Tea party"])
def test_other_titles_do_not(title: str) -> None:
    assert facts(f"## {title}", "- Sam prefers tea in the morning") == [
        "Sam prefers tea in the morning"
    ]


def test_provenance_and_state_leave_the_title() -> None:
    assert facts("## Relationship notes (from chat) — in progress", "- He prefers long walks.") == [
        "Relationship notes: He prefers long walks."
    ]


def test_of_a_person_only_the_first_sentence_is_kept() -> None:
    assert facts("## Alex", "- Alex is my partner and prefers tea. He was late. Again.") == [
        "Alex is my partner and prefers tea."
    ]


def test_blocked_titles_give_no_facts() -> None:
    found = read("## Tasks for today", "- Always call the supplier first.")
    assert found == Grounded([], [], [], [])


def test_without_a_durable_line_summaries_stand_in() -> None:
    lines = ["## Network", "- the router was moved upstairs", "## Garden", "- the pond is frozen"]
    assert facts(*lines) == [
        "Network: the router was moved upstairs",
        "Garden: the pond is frozen",
    ]


def test_a_day_of_monitoring_yields_no_facts() -> None:
    lines = ["## Heartbeat log", "- heartbeat ran, exit code 1", "- alert: low pressure again",
             "- token expired for the mail"]  # fmt: skip
    assert facts(*lines) == []
    assert tokens(*lines) == ["exhaust"]
    assert read(*lines).reflections[0].refs == [f"{NOTE}:1-4"]


def test_notes_in_other_languages_yield_summaries_only() -> None:
    found = read("## 偏好", "- 用户喜欢简短的状态更新,不喜欢长篇报告。")
    assert [item.text for item in found.facts] == ["偏好: 用户喜欢简短的状态更新,不喜欢长篇报告。"]
    assert found.candidates == found.updates == found.reflections == []


# Candidates and updates


def test_a_line_is_split_into_claims() -> None:
    found = read("## Preferences Learned", "- Prefers short notes (a; b); always use bullet lists")
    assert [(c.text, c.lean) for c in found.candidates] == [
        ("Prefers short notes (a; b)", DURABLE),
        ("always use bullet lists", DURABLE),
    ]


def test_a_subject_is_repeated_for_what_follows_its_comma() -> None:
    found = read("## People update", "- Alex — partner, prefers long letters")
    assert [c.text for c in found.candidates] == [
        "People update: Alex — prefers long letters",
        "People update: Alex — partner",
    ]


@pytest.mark.parametrize(
    ("line", "lean"),
    [
        ("prefers tea in the morning", DURABLE),
        ("remember the blue door of it", UNCLEAR),
        ("prefers the hotel by the sea", SITUATIONAL),
    ],
)
def test_lean_follows_the_score_and_passing_words(line: str, lean: str) -> None:
    assert [c.lean for c in read("## Tea", f"- {line}").candidates] == [lean]


def test_candidates_go_durable_first_at_most_four_each_once() -> None:
    lines = ["## A", "- remember the blue door of it", "- prefers tea in the morning",
             "## B", "- prefers tea in the morning", "- prefers the hotel by the sea",
             "## C", "- prefers loud music at work", "- prefers dogs over most cats"]  # fmt: skip
    found = read(*lines).candidates
    assert [c.lean for c in found] == [DURABLE, DURABLE, DURABLE, UNCLEAR]
    assert len({c.text for c in found}) == 4


def test_updates_are_the_durable_claims_at_most_three() -> None:
    lines = ["## A", *(f"- prefers thing number {n} most" for n in range(2)),
             "## B", *(f"- prefers thing number {n} most" for n in range(2, 4))]  # fmt: skip
    found = read(*lines)
    assert [u.text for u in found.updates] == [
        "prefers thing number 0 most",
        "prefers thing number 1 most",
        "prefers thing number 2 most",
    ]
    assert found.updates[0].refs == [f"{NOTE}:2"]


def test_without_durable_claims_the_stronger_unclear_ones_are_updates() -> None:
    found = read("## Tea", "- remember the blue door of it", "- likes dark roast coffee")
    assert [u.text for u in found.updates] == ["remember the blue door of it"]


def test_without_claims_operator_rules_are_updates_without_their_title() -> None:
    found = read("## Process improvement", "- Rule: ask for the ticket today, fix it")
    assert [u.text for u in found.updates] == ["Rule: ask for the ticket today, fix it"]


# Reflections


def test_a_rule_reflects_its_updates() -> None:
    found = read("## Tea", "- prefers tea in the morning")
    assert [(r.text, r.refs) for r in found.reflections] == [(REFLECTIONS["rule"], [f"{NOTE}:2"])]


def test_several_people_reflect_on_people_and_nothing_of_the_work() -> None:
    lines = ["## People update", "- Alex — partner who prefers phone calls",
             "- Robin — wife of Sam, prefers letters", "## Build", "- created the tracker",
             "- installed the router agent"]  # fmt: skip
    assert tokens(*lines) == ["rule", "people"]


def test_routing_external_and_build_need_two_hits_and_a_fact() -> None:
    lines = ["## Mail", "- prefers tea in the morning", "- route mail by the workflow",
             "- categorize the rest of it", "## Notes", "- documented it in the tracker",
             "- comparison table was written"]  # fmt: skip
    assert tokens(*lines)[:3] == ["rule", "routing"]


def test_repeated_trouble_is_a_retry_else_friction() -> None:
    trouble = ["## Box", "- prefers tea in the morning", "- the disk failed at night"]
    assert "friction" in tokens(*trouble, "- a port is missing here")
    assert "retry" in tokens(*trouble, "- it failed again and again", "- retry with a new port")


def test_tasks_reflect_only_where_nothing_else_does() -> None:
    lines = ["## Reminders", "- need to water plants", "- call the supplier", "- check the pump"]
    assert tokens(*lines) == ["tasks"]
    assert read(*lines).reflections[0].refs == [f"{NOTE}:1-4"]


def test_how_many_reflections_show_depends_on_the_facts() -> None:
    lines = ["## Box", "- prefers tea in the morning", "- the disk failed at night",
             "- a port is missing here", "- created the tracker entry", "- documented it well",
             "- route mail by the workflow", "- categorize the rest of it"]  # fmt: skip
    found = read(*lines)
    assert len(found.facts) == 1
    assert len(found.reflections) == 2


def test_rendered_markdown_has_its_parts_in_order() -> None:
    found = read("## Tea", "- prefers tea in the morning")
    assert render(found) == "\n".join(
        [
            "## What Happened",
            f"1. prefers tea in the morning [{NOTE}:2]",
            "",
            "## Reflections",
            f"1. {REFLECTIONS['rule']} [{NOTE}:2]",
            "",
            "## Candidates",
            f"- [likely_durable] prefers tea in the morning [{NOTE}:2]",
            "",
            "## Possible Lasting Updates",
            f"- prefers tea in the morning [{NOTE}:2]",
        ]
    )
    assert found.to_json(NOTE)["candidates"] == [
        {"text": "prefers tea in the morning", "refs": [f"{NOTE}:2"], "lean": DURABLE}
    ]
