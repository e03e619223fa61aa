"""HEARTBEAT.md: empty or not, tasks, what is due, what is left."""

from __future__ import annotations

import pytest

from openclaw_cli.heartbeat import checklist

NOW = 1_795_143_600_000
MINUTE = 60_000


@pytest.mark.parametrize(
    "text",
    ["", "\n \n", "# Heading", "#", "- ", "- [ ]", "* ", "+ [x]", "-[ ]", "<!-- c -->",
     "<!-- over\ntwo lines -->", "```", "```markdown\n```", "# A\n\n<!-- x -->\n- [ ]\n"],
)  # fmt: skip
def test_effectively_empty(text: str) -> None:
    assert checklist.parse(text).is_empty


@pytest.mark.parametrize(
    "text",
    ["#NoSpace", "- [x] done", "~~~", "---", "> quote", "1.", "<!-- a --> text",
     "text <!-- a -->", "tasks:", "<!-- never closed"],
)  # fmt: skip
def test_not_empty(text: str) -> None:
    assert not checklist.parse(text).is_empty


def _tasks(text: str) -> list[tuple[str, str, str]]:
    return [(t.name, t.interval, t.prompt) for t in checklist.parse(text).tasks]


A = "- name: a\n  interval: 30m\n  prompt: do a\n"
B = "- name: b\n  interval: 2h\n  prompt: do b: now\n"
TASK_A, TASK_B = ("a", "30m", "do a"), ("b", "2h", "do b: now")


@pytest.mark.parametrize(
    ("text", "tasks"),
    [
        ("tasks:\n" + A.replace("do a", '"do a"') + B, [TASK_A, TASK_B]),
        ("tasks:\n" + "".join(f"  {line}\n" for line in (A + B).splitlines()), [TASK_A, TASK_B]),
        ("tasks:\n- name: a\ninterval: 30m\nprompt: do a\n", []),
        ("tasks:\n- name: a\n  prompt: do a\n  interval: 30m\n", [TASK_A]),
        ("tasks:\n- name: a\n  interval: 30m\n", []),
        ("tasks:\n- name: a\n  prompt: x\n", []),
        ("tasks:\n- name: a\n  interval: banana\n  prompt: x\n", [("a", "banana", "x")]),
        ("Tasks:\n" + A, []),
        ("tasks: # list\n" + A, []),
        ("tasks:\n\n" + A.replace("\n  p", "\n\n  p") + "\n# Next\n\n" + B, [TASK_A]),
        ("tasks:\n- name: a\n  note: hm\n  interval: 30m\n  prompt: do a\n" + B, [TASK_A, TASK_B]),
        ("<!--\ntasks:\n" + A + "-->\n", []),
        ("tasks:\n- name: a\n  interval: 30m # every\n  prompt: x\n", [("a", "30m # every", "x")]),
        ("tasks:\n- name: a\n  interval: 30m\n  prompt: |\n    more\n", [("a", "30m", "|")]),
        ("tasks:\n" + A + A, [TASK_A, TASK_A]),
        ("tasks:\n-  name: a\n  interval: 30m\n  prompt: x\n", []),
        ("tasks:\n- interval: 30m\n  name: a\n  prompt: x\n", []),
        (("tasks:\n" + A).replace("\n", "\r\n"), [TASK_A]),
        ("tasks:\n- name:a\n  interval: 30m\n  prompt: do a\n", [TASK_A]),
    ],
    ids=["two", "indented", "not-indented", "order", "no-prompt", "no-interval", "banana",
         "capital", "comment-behind", "blank-lines", "unknown-key", "in-comment",
         "interval-comment", "block-scalar", "twice", "two-spaces", "name-second", "crlf",
         "no-space"],
)  # fmt: skip
def test_tasks(text: str, tasks: list[tuple[str, str, str]]) -> None:
    assert _tasks(text) == tasks


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("tasks:\n- name: a\n  interval: 30m\n", [("a", 2, "has no prompt")]),
        ("x\ntasks:\n- name:\n  interval: 1m\n  prompt: p\n", [("", 3, "has no name")]),
        ("tasks:\n" + A + "# Next\n" + B, [("b", 6, "stands outside the tasks: block")]),
        ("tasks:\n- name: a\n  interval: banana\n  prompt: x\n",
         [("a", 2, "its interval 'banana' cannot be read")]),
        ("tasks:\n" + A + "  what is this\n", [("what is this", 5, "is no part of a task")]),
    ],
    ids=["no-prompt", "no-name", "outside", "interval", "stray"],
)  # fmt: skip
def test_what_will_never_run_is_named(text: str, problems: list[tuple[str, int, str]]) -> None:
    assert [tuple(p) for p in checklist.parse(text).problems] == problems


@pytest.mark.parametrize(
    ("interval", "last", "due"),
    [
        ("30m", None, True),
        ("banana", None, False),
        ("30m", NOW - 30 * MINUTE, True),
        ("30m", NOW - 30 * MINUTE + 1, False),
        ("30", NOW - 30 * MINUTE, True),
        ("0m", NOW, True),
        ("30m", NOW + 1, False),
        ("0m", NOW + 1, False),
        ("30m", "yesterday", True),
    ],
)
def test_due(interval: str, last: object, due: bool) -> None:
    task = checklist.Task("a", interval, "p", 1)
    state = {} if last is None else {"a": last}
    assert checklist.due_tasks([task], state, NOW) == ([task] if due else [])


def test_the_rest_of_the_file_is_kept_as_it_stands() -> None:
    text = "# Top\n<!-- note\nto self -->\ntasks:\n" + A + "\n    deep\nAfter it\n"
    assert checklist.parse(text).rest == "# Top\n<!-- note\nto self -->\nAfter it"
    assert checklist.parse("  Look around. \n").rest == "Look around."


def test_only_line_ends_end_lines() -> None:
    task = "- name: a\u2028x\r\n  interval: 1h\r\n  prompt: p\x0cq\r\n"
    text = f"<!-- a\u2028b -->\r\ntasks:\r\n{task}"
    found = checklist.parse(text)
    assert [(t.name, t.prompt, t.line) for t in found.tasks] == [("a\u2028x", "p\x0cq", 3)]


def test_a_byte_order_mark_is_no_content() -> None:
    assert checklist.parse("\ufeff# Heading\n").is_empty
    found = checklist.parse("\ufefftasks:\n- name: a\n  interval: 1h\n  prompt: p\n")
    assert [task.name for task in found.tasks] == ["a"]
    assert found.rest == ""
