"""The columnar form of the model, for files: what repeats is written once, and like stands beside like.

    {"root": "Trace", "tables": {"Place": {"rows": 2, "columns": {"file": COLUMN, ...}}, ...}}

Each dataclass has a table of its distinct values; where one is meant, the number of its row is written.
Tables come in an order in which each refers to those before it alone; the root is the one row of the last. A
field that has its default in all rows has no column. A column of n values is one of

    [v, ...]                                      texts, truth values and floats, as in `wire`
    {"steps": [i, ...]}                           whole numbers, each as the difference from the one before;
                                                  beyond 2**53 as text, and passed over by the next
    {"distinct": d, "of": COLUMN, "at": [i, ...]} n of d distinct values; without "at": of one
    {"none": [i, ...], "some": COLUMN}            None at these places
    {"table": "Place", "rows": COLUMN}            rows of a table
    {"lengths": COLUMN, "items": COLUMN}          lists, one after another
    {"parts": [COLUMN, ...]}                      lists of so many things each

How it is read, and what is not believed, is in `vizgrad.debugger.wire.columnar_reading`.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from operator import attrgetter
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

#: The largest integer that a browser counts exactly.
EXACT = 2**53

#: A value of the model as something that can be compared and hashed: itself, a row, or a tuple of such.
_Code = Any
_Coder = Callable[[Any], _Code]


def to_columns(value: Any) -> dict[str, Any]:
    """Plain JSON values of a dataclass of the model."""
    return _Tables().told(value)


def to_column_json(value: Any) -> str:
    """Compact JSON text of a dataclass of the model: ASCII, and without ``<``."""
    text = json.dumps(to_columns(value), allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def parts_of(annotation: Any) -> tuple[str, tuple[Any, ...]]:
    """How values of this type are told: "int", "float", "plain", "optional", "list", "fixed" or "row"; and of
    which types they are made.
    """
    arguments = get_args(annotation)
    origin = get_origin(annotation)
    if annotation in (int, float):
        return annotation.__name__, ()
    if annotation in (str, bool) or origin is Literal:
        return "plain", ()
    if NoneType in arguments and len(arguments) == 2:
        return "optional", tuple(each for each in arguments if each is not NoneType)
    if origin is tuple:
        endless = len(arguments) == 2 and arguments[1] is Ellipsis
        return ("list", arguments[:1]) if endless else ("fixed", arguments)
    if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
        return "row", ()
    raise TypeError(f"no columnar form is defined for the annotation {annotation!r}")


class _Table:
    """The distinct values of a class: their codes, each with its place."""

    def __init__(self, cls: type, tables: _Tables) -> None:
        hints = get_type_hints(cls)
        self.fields = [(f, hints[f.name]) for f in dataclasses.fields(cls)]
        self._coders = [tables.coder(annotation) for _, annotation in self.fields]
        names = [field.name for field, _ in self.fields]
        # with one name, it gives no tuple
        self._get: Callable[[Any], Sequence[Any]] = attrgetter(*names, names[0])
        self.rows: dict[tuple[_Code, ...], int] = {}
        self._known: dict[int, int] = {}

    def row(self, value: Any) -> int:
        place = self._known.get(id(value))
        if place is None:
            codes = tuple([
                item if code is None or item is None else code(item)
                for code, item in zip(self._coders, self._get(value), strict=False)
            ])  # fmt: skip
            place = self._known[id(value)] = self.rows.setdefault(codes, len(self.rows))
        return place


class _Tables:
    def __init__(self) -> None:
        self._tables: dict[type, _Table] = {}

    def told(self, value: object) -> dict[str, Any]:
        root = type(value)
        self._table(root).row(value)
        # a table is complete when those after it are: they are told last, and found first
        tables = {
            cls.__name__: self._told(table) for cls, table in self._tables.items() if table.rows
        }
        return {"root": root.__name__, "tables": tables}

    def _table(self, cls: type) -> _Table:
        table = self._tables.get(cls)
        if table is None:
            table = _Table(cls, self)  # which makes those that it refers to, before it
            self._tables[cls] = table
        return table

    def coder(self, annotation: Any) -> _Coder | None:
        """None for what is its own code; a coder is not asked about None."""
        kind, of = parts_of(annotation)
        match kind:
            case "float":
                return _float
            case "optional":
                return self.coder(of[0])
            case "row":
                return self._table(annotation).row
            case "list":
                inner = self.coder(of[0])
                return None if inner is None else _listed(inner)
            case "fixed":
                inners = [self.coder(each) for each in of]
                return None if not any(inners) else _together(inners)
            case _:
                return None

    def _told(self, table: _Table) -> dict[str, Any]:
        columns: dict[str, Any] = {}
        for (field, annotation), codes in zip(
            table.fields, zip(*table.rows, strict=True), strict=True
        ):
            if _has_default(field, annotation) and all(code == field.default for code in codes):
                continue
            columns[field.name] = self._column(annotation, codes)
        return {"rows": len(table.rows), "columns": columns}

    def _column(self, annotation: Any, codes: Sequence[_Code]) -> Any:
        kind, of = parts_of(annotation)
        distinct = dict.fromkeys(codes)
        few = len(distinct) == 1 if kind in ("int", "row") else 2 * len(distinct) <= len(codes)
        if few and len(codes) > 1:
            told: dict[str, Any] = {
                "distinct": len(distinct),
                "of": self._whole(kind, of, annotation, list(distinct)),
            }
            if len(distinct) > 1:
                places = {code: place for place, code in enumerate(distinct)}
                told["at"] = [places[code] for code in codes]
            return told
        return self._whole(kind, of, annotation, codes)

    def _whole(
        self, kind: str, of: tuple[Any, ...], annotation: Any, codes: Sequence[_Code]
    ) -> Any:
        """Each of the values."""
        match kind:
            case "int":
                return {"steps": _steps(codes)}
            case "float":
                return [-0.0 if code == "-0" else code for code in codes]
            case "row":
                return {"table": annotation.__name__, "rows": self._column(int, codes)}
            case "optional":
                none = [place for place, code in enumerate(codes) if code is None]
                if not none:
                    return self._column(of[0], codes)
                return {
                    "none": none,
                    "some": self._column(of[0], [code for code in codes if code is not None]),
                }
            case "list":
                return {
                    "lengths": self._column(int, [len(code) for code in codes]),
                    "items": self._column(of[0], list(chain.from_iterable(codes))),
                }
            case "fixed":
                columns = zip(*codes, strict=True) if codes else ((),) * len(of)
                return {
                    "parts": [
                        self._column(each, column) for each, column in zip(of, columns, strict=True)
                    ]
                }
            case _:
                return list(codes)


def _has_default(field: dataclasses.Field[Any], annotation: Any) -> bool:
    """Has it one that is its own code?"""
    return field.default is None or (
        field.default is not dataclasses.MISSING
        and (field.default == () or parts_of(annotation)[0] in ("int", "plain"))
    )


def _float(value: Any) -> _Code:
    """0.0 and -0.0 are equal, and a NaN is not even itself."""
    if not math.isfinite(value):
        return str(float(value))
    return "-0" if value == 0 and math.copysign(1, value) < 0 else float(value)


def _listed(inner: _Coder) -> _Coder:
    return lambda value: tuple([None if item is None else inner(item) for item in value])


def _together(inners: list[_Coder | None]) -> _Coder:
    return lambda value: tuple(
        item if inner is None or item is None else inner(item)
        for inner, item in zip(inners, value, strict=True)
    )


def _steps(numbers: Iterable[int]) -> list[int | str]:
    steps: list[int | str] = []
    before = 0
    for number in numbers:
        if -EXACT <= number <= EXACT:
            steps.append(number - before)
            before = number
        else:
            steps.append(str(number))
    return steps
