"""Cutting notes into claim-sized windows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from openclaw_cli.memory.windows import LONGEST_WINDOW, split_windows, window_label

NOTE = """# 2026-11-17

- Router moved to VLAN 20; the gateway answers on 10.0.20.1.
  It took an hour.
- Backups run at 02:00

## Notes of 2026-11-03
A paragraph that is hard wrapped at some column and goes on with
the next line. Another sentence.
Short line
Another

| host | vlan |
|------|------|
| nas  | 20   |

```sh
restic backup
restic prune
```
***
<!-- a comment -->
1. first
2. second
"""


def pieces(text: str) -> list[tuple[int, int, str]]:
    return [(w.start, w.end, w.text.split("\n")[0]) for w in split_windows(text)]


def test_a_note_falls_into_claims() -> None:
    assert pieces(NOTE) == [
        (1, 1, "# 2026-11-17"),
        (3, 4, "- Router moved to VLAN 20; the gateway answers on 10.0.20.1."),
        (5, 5, "- Backups run at 02:00"),
        (7, 7, "## Notes of 2026-11-03"),
        (8, 9, "A paragraph that is hard wrapped at some column and goes on with"),
        (10, 10, "Short line"),
        (11, 11, "Another"),
        (13, 13, "| host | vlan |"),
        (15, 15, "| nas  | 20   |"),
        (18, 19, "restic backup"),
        (23, 23, "1. first"),
        (24, 24, "2. second"),
    ]


def test_a_byte_order_mark_hides_no_heading() -> None:
    title, item = split_windows("\ufeff# Title\r\n\r\n- One line.\r\n")
    assert (title.is_heading, title.text, item.heading) == (True, "# Title", 0)


def test_headings_and_their_dates_reach_down() -> None:
    windows = split_windows(NOTE)
    assert [(w.heading, w.day) for w in windows[:4]] == [
        (None, "2026-11-17"), (0, "2026-11-17"), (0, "2026-11-17"), (0, "2026-11-03"),
    ]  # fmt: skip
    assert {(w.heading, w.day) for w in windows[4:]} == {(3, "2026-11-03")}


def test_a_date_of_its_own_wins() -> None:
    windows = split_windows("# 2026-11-17\n- due 2026-12-01\n")
    assert windows[1].day == "2026-12-01"


def test_a_long_line_is_cut_at_sentences() -> None:
    text = "One sentence of some length. " * 60
    windows = split_windows(text)
    assert len(windows) > 3
    assert {(w.start, w.end) for w in windows} == {(1, 1)}
    assert all(len(w.text) <= LONGEST_WINDOW and w.text.endswith(".") for w in windows)


def test_a_line_without_sentences_is_cut_hard() -> None:
    assert max(len(w.text) for w in split_windows("x" * 5000)) <= LONGEST_WINDOW


def test_labels() -> None:
    assert window_label("- Ann: hello") == "ann"
    assert window_label("**Status:** done") == "status"
    assert window_label("https://example.org") is None
    assert window_label("at 10:30 we met") is None
    assert window_label("we all agreed on one more thing: stop") is None


@given(st.text(alphabet="ab #-*|`1.:\n\t汉。", max_size=400))
def test_windows_are_in_order_and_lose_no_word(text: str) -> None:
    windows = split_windows(text)
    total = text.count("\n") + 1
    last = 0
    for window in windows:
        assert 1 <= window.start <= window.end <= total
        assert window.start >= last
        last = window.start
    words = {c for c in text if c in "ab汉"}
    fenced = "`" in text
    if not fenced:
        assert words <= {c for w in windows for c in w.text}
