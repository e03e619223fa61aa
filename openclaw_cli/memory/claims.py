"""Is a line a statement worth keeping? If not, why not (``memory.md`` 12.21).

A claim is something that was said about the world and can stand alone. What stands in
notes beside it (headings, code, logs, tables, reports of programs, to-dos, questions,
remarks that are over with the day) gets no credit for being found. Judged by shape, in any
language; the few words are in ``claim_words``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from openclaw_cli.memory import junk
from openclaw_cli.memory.text import collapse, strip_list_marker
from openclaw_cli.memory.words import (
    fold,
    has_unspaced,
    split_words,
    unspaced_runs,
    without_unspaced,
)

FEWEST_WORDS = 3
FEWEST_FIELDS = 3
LONGEST_LABEL = 5  # words before the colon of a field

_BOX = r"(?:[-*+]\s+|\d+[.)]\s+)?(?:\[[ xX✓✔-]?\]|☐|☑|✅|❌|TO-?DO\b|FIX-?ME\b)"
_SPEAKER = r"(?:User|Assistant): "
_PROMPT = r"(?:[$%❯➜]|>>>|\.\.\.|PS [A-Z]:\\\S*>|[\w.-]+@[\w.-]+:\S*[$#])\s*\S"
_COMMAND = (
    r"(?:sudo|systemctl|apt-get|kubectl)\s+[a-z-]+(?:\s|$)|(?:apt(?:-get)?|brew|git|docker|kubectl|npm|npx|pip3?|curl|wget|ssh|scp|rsync|tail"
    r"|grep|systemctl|journalctl|chmod|chown|export|cd|ls|make|python3?|node)\s+"
    r"(?:-{1,2}\w|\.{0,2}/|~/|\w+://|[a-z]+\s+-{1,2}\w|\w+=)"
)
_CODE_LINE = (
    r".*(?:[;{}]|\)\s*=>|\{\s*)$|(?:def|class|import|from|const|let|var|function|return|if|for)\b"
    r".*[({:;=]\s*.*[)};:]$|[\w.]+\([^()]*\);?$|</?[a-zA-Z][\w-]*[ />].*"
)
_PAIR = r"[\[{]?\s*[\"'][\w .-]+[\"']\s*:"
_LOG = (
    r"\[?\d{4}[-/.]\d\d[-/.]\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?\s"
    r"|\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b[\]:]?\s"
    r"|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d+ \d\d:"
    r"|Traceback |File \"|at [\w.$<>]+\(|npm (?:ERR|WARN)|E:\s|\+\+\+ |--- a/|@@ -"
)
_WRAPPER = (
    r"\[(?:cron|Subagent|System|media|image)\b|.*\(untrusted metadata\)|HEARTBEAT_OK|NO_REPLY"
    r"|.*\bHEARTBEAT\.md\b|<!--|evidence:\s*memory/|Write a dream diary entry\b"
    r"|.*\b(?:message|sender|chat)_id\b|Conversation info\b"
)
_QUESTION_END = (
    r"[?？؟][\"'»”’)\]*_]*$"
    r"|(?:ですか|ますか|でしょうか|吗|呢|嗎|습니까|까요|나요)[。.]?$"
)
_OPEN_END = r"[,:;(\[{/、，：；（&+]$|\s[-–—]$|(?:\.\.\.|…)$"
_LETTER = r"[^\W\d_]"


def refusal(text: str, *, fenced: bool = False) -> str | None:
    """Why ``text``, a line or small window of a note, is no claim; None when it is one.

    One word: ``empty``, ``wrapper``, ``code``, ``log``, ``heading``, ``todo``, ``table``,
    ``report``, ``question``, ``fragment`` or ``passing``. ``fenced``: inside a code fence.
    """
    flat = collapse(text)
    bare = said(flat)
    if not bare:
        return "empty"
    if re.match(_WRAPPER, bare, re.IGNORECASE):
        return "wrapper"
    if re.match(_LOG, bare):
        return "log"
    if fenced or _is_code(bare):
        return "code"
    if re.match(r"#{1,6}(?:\s|$)|[-*_=]{3,}$", bare):
        return "heading"
    if re.match(_BOX, flat) or re.match(_BOX, bare):
        return "todo"
    if _is_table(bare):
        return "table"
    if _is_report(bare):
        return "report"
    if _is_question(bare):
        return "question"
    if _is_fragment(bare) or junk.is_scaffolding(flat):
        return "fragment"
    return "passing" if is_bound_to_day(bare) else None


def said(text: str) -> str:
    """``text`` (collapsed) without list marker, speaker and quotation mark of a block."""
    bare = strip_list_marker(text).lstrip("> ")
    found = re.match(_SPEAKER, bare)
    return bare[found.end() :] if found else bare


def is_bound_to_day(text: str) -> bool:
    """Whether a remark speaks of today or a day beside it, not of something that begins."""
    words = _words(text)
    folded = " " + " ".join(words) + " "
    phrases = [
        phrase
        for phrase in (*_day_phrases(), *_day_words_of(words))
        if phrase in folded and (f" {phrase} " in folded or has_unspaced(phrase))
    ]
    return any(_is_bound(folded, phrase) for phrase in phrases)


def _day_words_of(words: list[str]) -> list[str]:
    """Day words among ``words`` that are such only in the language that they are in."""
    from openclaw_cli.memory.claim_words import DAY_WORDS_OF
    from openclaw_cli.memory.keywords import detect_languages

    doubtful = [word for word in words if word in DAY_WORDS_OF]
    languages = detect_languages(words)[:1] if doubtful else []
    return [word for word in doubtful if DAY_WORDS_OF[word] in languages]


def masked(text: str) -> tuple[str, str]:
    """``text`` with its numbers as ``#``, and the numbers: what the lines of a series share."""
    bare = said(collapse(text)).casefold()
    return re.sub(r"\d+", "#", bare), " ".join(re.findall(r"\d+", bare))


def follows_from(text: str, start: int, end: int) -> bool:
    """Whether what ``text`` has at ``start``..``end`` is a day from which something holds."""
    return _is_held_from(text, start, end, before="from-before")


def begins_at(text: str, start: int, end: int) -> bool:
    """Whether something that was not so before holds from what ``text`` has there on."""
    return _is_held_from(text, start, end, before="begin")


def _is_held_from(text: str, start: int, end: int, *, before: str) -> bool:
    words = split_words(fold(text[:start]))[-2:]
    if not _words_of(before).isdisjoint(words) or text[:start].endswith(("从", "自", "從")):
        return True
    after = fold(text[end:]).lstrip()
    names = _words_of("from-after")
    if any(after.startswith(word) for word in names):
        return True
    return not names.isdisjoint(split_words(after)[:2])  # behind an ending: "18 Mayıs'tan itibaren"


def _is_bound(folded: str, phrase: str) -> bool:
    at = folded.index(phrase)
    return not follows_from(folded, at, at + len(phrase))


def _is_code(text: str) -> bool:
    if re.match(_PROMPT, text) or re.match(_COMMAND, text) or re.match(_PAIR, text):
        return True
    if len(text) > 1 and text[0] == text[-1] == "`" and "`" not in text.strip("`"):
        return True
    if re.match(_CODE_LINE, text) is None:
        return False
    return sum(text.count(mark) for mark in "(){}[];=<>_$|&") >= 2 or text[-1] in "{}"


def _is_table(text: str) -> bool:
    if text.startswith("|") or text.count(" | ") >= 2 or text.count("\t") >= 2:
        return True
    numbers = re.findall(r"(?<!\S)[+-]?\d\S*", text)
    letters = sum(1 for ch in text if ch.isalpha())
    digits = sum(1 for ch in text if ch.isdigit())
    return len(numbers) >= 3 and digits > letters


def _is_report(text: str) -> bool:
    """A field or list of fields that a program fills in: a name of such, and its numbers."""
    label, colon, rest = _partition_label(text)
    if colon and _is_row_of_fields(rest):
        return True
    names = _words_of("report")
    folded = fold(label if colon else text)
    named = any(name in folded for name in names if len(name) > 1)
    if not named:
        return False
    outcomes = _words_of("outcome")
    words = _words(rest if colon else text)
    tells = sum(1 for word in words if word in outcomes or word[:1].isdigit())
    if colon:
        return tells >= 2 or (tells == 1 and len(words) <= FEWEST_WORDS)
    return any(word in outcomes for word in words) and tells >= 1 and len(words) <= 10


def _is_row_of_fields(text: str) -> bool:
    """Three or more fields between bars, each of them a name or two and a number."""
    fields = re.split(r"\s+[/|·•]\s+|\s*[|]\s*", text)
    return len(fields) >= FEWEST_FIELDS and all(
        re.search(r"\d", field) and _size(field) <= FEWEST_WORDS + 1 for field in fields
    )


def _partition_label(text: str) -> tuple[str, str, str]:
    found = re.search(r"[:：](?=\s)|：", text)
    if found is None or len(text[: found.start()].split()) > LONGEST_LABEL:
        return "", "", text
    label, rest = text[: found.start()], text[found.end() :].strip()
    inner = re.search(r"[:：](?=\s)|：", rest)
    if inner and len(rest[: inner.start()].split()) <= LONGEST_LABEL:
        return f"{label} {rest[: inner.start()]}", ":", rest[inner.end() :].strip()
    return label, ":", rest


def _is_question(text: str) -> bool:
    """Nothing but questions; a question that is answered in the same breath is none."""
    if re.search(_QUESTION_END, text) is None:
        return False
    return re.search(r"[.!。！।]\s+\S|[。！]\S", text) is None


def _is_fragment(text: str) -> bool:
    words = _words(text)
    if re.search(_OPEN_END, text) or (words and words[-1] in _words_of("open")):
        return True
    return _size(text) < FEWEST_WORDS


def _size(text: str) -> float:
    """How many words ``text`` has; two characters of a script without spaces are one."""
    unspaced = sum(len(run) for run in unspaced_runs(text))
    words = [word for word in split_words(without_unspaced(text)) if re.search(_LETTER, word)]
    numbers = re.findall(r"\d[\d.,:/-]*", text)
    return len(words) + unspaced / 2 + min(1, len(numbers))


def _words(text: str) -> list[str]:
    return split_words(fold(text))


@lru_cache(maxsize=1)
def _day_phrases() -> tuple[str, ...]:
    from openclaw_cli.memory.claim_words import DAY_WORDS, DAY_WORDS_OF

    phrases = (" ".join(_words(phrase)) for phrase in DAY_WORDS.split(";"))
    return tuple(phrase for phrase in phrases if phrase and phrase not in DAY_WORDS_OF)


@lru_cache(maxsize=16)
def _words_of(kind: str) -> frozenset[str]:
    from openclaw_cli.memory import claim_words

    lists = {
        "report": claim_words.REPORT_WORDS,
        "outcome": claim_words.OUTCOME_WORDS,
        "from-before": claim_words.FROM_BEFORE,
        "from-after": claim_words.FROM_AFTER,
        "begin": claim_words.BEGIN_BEFORE,
        "change": claim_words.CHANGE_WORDS,
        "replace": claim_words.REPLACING_WORDS,
        "hearsay": claim_words.HEARSAY_WORDS,
        "rhythm": claim_words.RHYTHM_WORDS,
        "open": claim_words.OPEN_WORDS,
    }
    return frozenset(_folded(lists[kind].split()))


def _folded(words: Iterable[str]) -> Iterable[str]:
    return (fold(word) for word in words)


def tells_change(text: str) -> bool:
    """Whether a statement says that something is different now, or is new."""
    return tells_replacement(text) or _has_word_of("change", text)


def tells_replacement(text: str) -> bool:
    """Whether a statement says that it holds now, in place of what held before."""
    return _has_word_of("replace", text)


def is_hearsay(text: str) -> bool:
    """Whether a statement is a guess or a rumour, or owns to be a mistake."""
    return _has_word_of("hearsay", text)


def is_change_word(word: str) -> bool:
    """Whether a folded word only says that something is different."""
    return word in _by_script("replace")[0] or word in _by_script("change")[0]


def tells_rhythm(text: str) -> bool:
    """Whether a statement is about what comes again and again, or always holds."""
    return _has_word_of("rhythm", text)


def _has_word_of(kind: str, text: str) -> bool:
    spaced, unspaced = _by_script(kind)
    folded = fold(text)
    if not spaced.isdisjoint(split_words(folded)):
        return True
    return not text.isascii() and any(word in folded for word in unspaced)


@lru_cache(maxsize=8)
def _by_script(kind: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The words of a kind in scripts with spaces, and those in others."""
    words = _words_of(kind)
    unspaced = tuple(word for word in words if has_unspaced(word))
    return words.difference(unspaced), unspaced
