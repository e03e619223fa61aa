"""Named tuples that cost little to define.

``typing.NamedTuple`` compiles every annotation and a constructor for each class that a module
defines: 2 to 8 of the 60 ms of a small command, 16 where everything is loaded, and what keeps
several commands within their start-up target. These have one constructor in common and leave
annotations alone; in everything else they are the same, and type checkers see the original.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    try:
        from _collections import _tuplegetter
    except ImportError:  # an interpreter that reads fields some other way
        from operator import itemgetter

        def _tuplegetter(place, doc):
            return property(itemgetter(place), doc=doc)

    class _Tuple(tuple):
        __slots__ = ()

        def __new__(cls, *values, **named):
            if named or len(values) != len(cls._fields):
                values = _bound(cls, values, named)
            return tuple.__new__(cls, values)

        @classmethod
        def _make(cls, values):
            return cls(*values)

        def _replace(self, **named):
            values = list(self)
            for name, value in named.items():
                if name not in self._fields:
                    raise ValueError(f"{type(self).__name__} has no field {name!r}")
                values[self._fields.index(name)] = value
            return tuple.__new__(type(self), values)

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __getnewargs__(self):
            return tuple(self)

        def __repr__(self):
            shown = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
            return f"{type(self).__name__}({shown})"

    class _Defining(type):
        """What ``class X(NamedTuple)`` calls: makes a plain class of tuples."""

        def __new__(meta, name, bases, namespace):
            fields = tuple(namespace["__annotations__"])
            defaults = {field: namespace.pop(field) for field in fields if field in namespace}
            if tuple(defaults) != fields[len(fields) - len(defaults) :]:
                raise TypeError(f"{name}: a field without a default follows one with a default")
            getters = {field: _tuplegetter(place, "") for place, field in enumerate(fields)}
            own = {"_fields": fields, "_field_defaults": defaults, "__match_args__": fields}
            return type(name, (_Tuple,), {"__slots__": (), **namespace, **getters, **own})

    NamedTuple = type.__new__(_Defining, "NamedTuple", (), {})

    def _bound(cls, values, named):
        """The value of every field, in order; ``TypeError`` as for any other call."""
        fields, defaults = cls._fields, cls._field_defaults
        bound = list(values)
        try:
            for name in fields[len(values) :]:
                bound.append(named.pop(name) if name in named else defaults[name])
        except KeyError:
            raise TypeError(f"{cls.__name__}: no value for {name!r}") from None
        if named:
            name = next(iter(named))
            problem = "is given twice" if name in fields else "is no field"
            raise TypeError(f"{cls.__name__}: {name!r} {problem}")
        if len(bound) > len(fields):
            raise TypeError(f"{cls.__name__} takes {len(fields)} values, not {len(bound)}")
        return bound
