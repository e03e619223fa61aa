"""Our named tuples are the standard ones in everything that can be seen."""

from __future__ import annotations

import copy
import pickle
import typing
from collections.abc import Callable
from typing import Any

import pytest

from openclaw_cli.state import tuples

FIRST_OF: dict[str, Any] = {"standard": typing.NamedTuple, "ours": tuples.NamedTuple}


class Pair(tuples.NamedTuple):
    """Two things; defined here so that pickle finds it."""

    left: int
    right: list[int] | None = None


def define(base: Any) -> Any:
    class Point(base):  # type: ignore[misc]
        """A point."""

        x: int
        y: int | None
        label: str = "none"
        tags: tuple[str, ...] = ()

        @property
        def far(self) -> bool:
            return self.x > 10

        @classmethod
        def origin(cls) -> Any:
            return cls(0, 0)

        def moved(self, by: int) -> Any:
            return self._replace(x=self.x + by)

    return Point


SEEN: dict[str, Callable[[Any], Any]] = {
    "fields": lambda point: (point._fields, point._field_defaults, point.__match_args__),
    "doc": lambda point: (point.__doc__, point.__name__, point.__module__),
    "annotations": lambda point: list(point.__annotations__),
    "positional": lambda point: tuple(point(1, 2, "a", ("b",))),
    "defaults": lambda point: (tuple(point(1, 2)), point(1, 2).label),
    "named": lambda point: tuple(point(y=2, x=1, tags=("t",))),
    "mixed": lambda point: tuple(point(1, y=2)),
    "repr": lambda point: repr(point(1, "two")),
    "equal": lambda point: (point(1, 2) == point(1, 2), point(1, 2) == (1, 2, "none", ())),
    "hash": lambda point: hash(point(1, 2)) == hash((1, 2, "none", ())),
    "order": lambda point: sorted([point(2, 1), point(1, 2)])[0].x,
    "unpacked": lambda point: [*point(1, 2)],
    "replaced": lambda point: tuple(point(1, 2)._replace(y=5, label="z")),
    "as a dict": lambda point: point(1, 2)._asdict(),
    "made": lambda point: tuple(point._make([1, 2, "a", ()])),
    "property": lambda point: (point(11, 0).far, point(1, 0).far),
    "class method": lambda point: type(point.origin()) is point,
    "method": lambda point: type(point(1, 2).moved(3)) is point,
    "copies": lambda point: (tuple(copy.copy(point(1, 2))), tuple(copy.deepcopy(point(1, [2])))),
    "no other attributes": lambda point: hasattr(point(1, 2), "__dict__"),
    "type": lambda point: (type(point), issubclass(point, tuple)),
    "subclass": lambda point: tuple(type("Sub", (point,), {})(1, 2)),
}


@pytest.mark.parametrize("what", SEEN)
def test_it_is_the_same(what: str) -> None:
    standard, ours = (SEEN[what](define(base)) for base in FIRST_OF.values())
    assert ours == standard


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (TypeError, lambda point: point()),
        (TypeError, lambda point: point(1)),
        (TypeError, lambda point: point(1, label="x")),
        (TypeError, lambda point: point(1, 2, 3, 4, 5)),
        (TypeError, lambda point: point(1, 2, x=1)),
        (TypeError, lambda point: point(1, 2, z=1)),
        ((ValueError, TypeError), lambda point: point(1, 2)._replace(z=1)),
        (AttributeError, lambda point: setattr(point(1, 2), "x", 5)),
        (AttributeError, lambda point: point(1, 2).z),
        (TypeError, lambda point: point._make([1])),
    ],
)
def test_wrong_use_fails_the_same_way(error: type[Exception], call: Callable[[Any], Any]) -> None:
    for base in FIRST_OF.values():
        with pytest.raises(error):
            call(define(base))


@pytest.mark.parametrize("base", FIRST_OF.values(), ids=FIRST_OF)
def test_a_field_without_a_default_cannot_follow_one_with_a_default(base: Any) -> None:
    with pytest.raises(TypeError):

        class Bad(base):  # type: ignore[misc]
            first: int = 1
            second: int


def test_it_matches_and_pickles() -> None:
    match Pair(1, [2]):
        case Pair(left, right):
            assert (left, right) == (1, [2])
    assert pickle.loads(pickle.dumps(Pair(1, [2]))) == Pair(1, [2])
