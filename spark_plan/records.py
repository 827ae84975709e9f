"""Named tuples that cost nothing to define.

`typing.NamedTuple` compiles a constructor and a forward reference for every field: 60 classes of a
dozen fields are 1.5 times the whole start of Python. This one has the same behaviour (a tuple with
names, defaults, `_fields`, `_replace`, `_asdict`) and compiles nothing. Type checkers see the
original.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["NamedTuple"]

if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from _collections import _tuplegetter as _field  # what namedtuple itself uses

    class _Methods(tuple):
        """What every record can do."""

        __slots__ = ()
        _fields = ()
        _field_defaults = {}  # noqa: RUF012 - a record's own are set when it is defined

        def __new__(cls, *values, **named):
            """Values by position, then by name, then defaults."""
            fields = cls._fields
            if len(values) == len(fields) and not named:
                return tuple.__new__(cls, values)
            if len(values) > len(fields):
                message = f"{cls.__name__} takes {len(fields)} values, got {len(values)}"
                raise TypeError(message)
            found = list(values)
            defaults = cls._field_defaults
            for name in fields[len(values) :]:
                if name in named:
                    found.append(named.pop(name))
                elif name in defaults:
                    found.append(defaults[name])
                else:
                    message = f"{cls.__name__} needs {name}"
                    raise TypeError(message)
            if named:
                message = f"{cls.__name__} has no {', '.join(named)}"
                raise TypeError(message)
            return tuple.__new__(cls, found)

        def _replace(self, **changed):
            """A copy with some values changed."""
            return type(self)(**{**self._asdict(), **changed})

        def _asdict(self):
            """The values by name."""
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            pairs = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
            return f"{type(self).__name__}({pairs})"

        def __getnewargs__(self):
            return tuple(self)

    class _Definition(type):
        """Turns annotated names into fields; their values in the class body are defaults."""

        def __new__(cls, name, bases, body):
            if NamedTuple not in bases:  # a class over a finished record
                return type.__new__(cls, name, bases, body)
            fields = tuple(body.get("__annotations__", ()))
            defaults = {field: body.pop(field) for field in fields if field in body}
            for index, field in enumerate(fields):
                body[field] = _field(index, "")
            body |= {"__slots__": (), "_fields": fields, "_field_defaults": defaults}
            return type.__new__(cls, name, (_Methods,), body)

    NamedTuple = type.__new__(_Definition, "NamedTuple", (_Methods,), {"__slots__": ()})
