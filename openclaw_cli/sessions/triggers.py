"""Messages that start a session anew, and the model that ``/new`` may name.

``sessions.md`` 4.2 and 4.3. Pure functions on text; who may use a trigger and what happens
then is for the caller.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from openclaw_cli.state.tuples import NamedTuple

DEFAULT_TRIGGERS = ("/new", "/reset")
SOFT_TRIGGER = "/reset"
SOFT_WORD = "soft"

_ENVELOPE = re.compile(r"\s*\[[^\]\n]*\]\s*")
_VARIANT_WORDS = ("lightning", "preview", "mini", "fast", "turbo", "lite", "beta", "small", "nano")
_WORD = re.compile(r"[a-z]+")
_MIN_SCORE = 120
_MIN_SCORE_OF_PROVIDER = 90
_MIN_FUZZY_LENGTH = 6


class Trigger(NamedTuple):
    """A reset that a message asks for, and what it says besides, verbatim.

    ``soft`` refreshes the session's bootstrap and keeps its transcript.
    """

    word: str
    rest: str
    soft: bool = False


class ModelRef(NamedTuple):
    """A model as ``provider/model``."""

    provider: str
    model: str

    def __str__(self) -> str:
        return f"{self.provider}/{self.model}"


class Models(NamedTuple):
    """The models that a message may choose: allowed ones, alias names, and the default."""

    allowed: Sequence[ModelRef]
    aliases: Mapping[str, ModelRef]
    default: ModelRef | None = None


class ModelChoice(NamedTuple):
    """The model that a remainder names, None when it names none, and what is left of it."""

    model: ModelRef | None
    rest: str


def command_text(text: str, mentions: Iterable[str] = ()) -> str:
    """``text`` without the envelope a connector put before it and mentions of the bot.

    An envelope is a ``[...]`` at the start with text after it. ``mentions`` are the bot's
    names as they appear in groups, ``@`` included.
    """
    rest = text.strip()
    while (envelope := _ENVELOPE.match(rest)) and rest[envelope.end() :]:
        rest = rest[envelope.end() :]
    for mention in mentions:
        if mention and rest.lower().startswith(mention.lower()):
            rest = rest[len(mention) :].lstrip(" :,\t")
    return rest.strip()


def match_trigger(text: str, extra: Iterable[str] = ()) -> Trigger | None:
    """The reset that ``text`` (from ``command_text``) asks for, None without one.

    ``extra`` are ``session.resetTriggers``; ``/new`` and ``/reset`` always count. The case
    does not matter; the trigger is the whole text or is followed by a space.
    """
    known = {word.strip().lower() for word in (*DEFAULT_TRIGGERS, *extra) if word.strip()}
    folded = text.strip().lower()
    for word in sorted(known, key=len, reverse=True):
        if folded == word:
            return Trigger(word, "")
        if folded.startswith(word) and folded[len(word)].isspace():
            return _trigger(word, text.strip()[len(word) :].strip())
    return None


def choose_model(rest: str, models: Models) -> ModelChoice:
    """The model at the start of the text after ``/new``, and the text without it.

    A provider and a model, an exact ``provider/model``, or an alias count anywhere;
    anything less exact only where it is the whole text or holds a ``/``.
    """
    words = rest.split()
    if not words:
        return ModelChoice(None, rest)
    first = words[0]
    providers = {ref.provider.lower() for ref in models.allowed}
    if len(words) > 1 and first.lower() in providers:
        pair = _exact(f"{first}/{words[1]}", models)
        if pair is not None:
            return ModelChoice(pair, _after(rest, 2))
    exact = _exact(first, models)
    if exact is None and (len(words) == 1 or "/" in first):
        exact = _fuzzy(first, models, providers)
    return ModelChoice(None, rest) if exact is None else ModelChoice(exact, _after(rest, 1))


def _trigger(word: str, rest: str) -> Trigger:
    if word == SOFT_TRIGGER and rest.lower().split(None, 1)[:1] == [SOFT_WORD]:
        return Trigger(word, rest[len(SOFT_WORD) :].strip(), soft=True)
    return Trigger(word, rest)


def _after(text: str, words: int) -> str:
    rest = text.strip()
    for _ in range(words):
        parts = rest.split(None, 1)
        rest = parts[1] if len(parts) > 1 else ""
    return rest


def _exact(name: str, models: Models) -> ModelRef | None:
    folded = name.strip().lower()
    for alias, ref in models.aliases.items():
        if alias.strip().lower() == folded and ref in models.allowed:
            return ref
    return next((ref for ref in models.allowed if str(ref).lower() == folded), None)


def _fuzzy(token: str, models: Models, providers: set[str]) -> ModelRef | None:
    """The best allowed model for an inexact name, None below the least score."""
    folded = token.lower()
    provider, slash, fragment = folded.partition("/")
    named = provider if provider in providers else None
    if named is None:
        fragment = folded
        if len(folded) < _MIN_FUZZY_LENGTH:
            return None
    elif not slash:
        fragment = ""
    candidates = [r for r in models.allowed if named is None or r.provider.lower() == named]
    ranked = sorted(candidates, key=lambda ref: _rank(fragment, ref, models))
    if not ranked:
        return None
    best = ranked[0]
    least = _MIN_SCORE if named is None else _MIN_SCORE_OF_PROVIDER
    return best if score(fragment or named or "", best, models) >= least else None


def _rank(fragment: str, ref: ModelRef, models: Models) -> tuple[float, bool, int, int, int, str]:
    words = _variants(ref.model)
    common = len(words & _variants(fragment))
    return (
        -score(fragment or ref.provider.lower(), ref, models),
        ref != models.default,
        -common,
        len(words),
        len(ref.model),
        str(ref).lower(),
    )


def score(fragment: str, ref: ModelRef, models: Models) -> int:
    """How well ``fragment`` names ``ref``, by the points of ``sessions.md`` 4.3."""
    text, provider, model = fragment.lower(), ref.provider.lower(), ref.model.lower()
    points = _likeness(text, f"{provider}/{model}", 220, 140, 110)
    points += _likeness(text, provider, 180, 120, 90)
    points += _likeness(text, model, 160, 110, 80)
    points += (3 - min(3, _distance(text, model, 3))) * 70
    aliases = [alias.lower() for alias, target in models.aliases.items() if target == ref]
    points += max((_likeness(text, alias, 140, 90, 60) for alias in aliases), default=0)
    points += 30 if model.startswith(provider) else 0
    points += 20 if ref == models.default else 0
    asked, offered = _variants(text), _variants(model)
    if not asked:
        return points - 30 * len(offered)
    common = len(asked & offered)
    return points + (40 * common if common else -20)


def _likeness(text: str, name: str, *points: int) -> int:
    equal, starts, contains = points
    if not text:
        return 0
    if text == name:
        return equal
    if name.startswith(text):
        return starts
    return contains if text in name else 0


def _variants(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.lower()) if word in _VARIANT_WORDS}


def _distance(one: str, other: str, limit: int) -> int:
    """The edit distance, or ``limit`` where it is at least that."""
    if abs(len(one) - len(other)) >= limit:
        return limit
    row = list(range(len(other) + 1))
    for at, char in enumerate(one, 1):
        before, row[0] = row[0], at
        for place, wanted in enumerate(other, 1):
            before, row[place] = (
                row[place],
                min(row[place] + 1, row[place - 1] + 1, before + (char != wanted)),
            )
    return min(limit, row[-1])
