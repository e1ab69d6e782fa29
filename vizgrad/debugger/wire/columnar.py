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

A text that is read may come from a stranger: every value is checked against its field's annotation, memory is
asked of budgets before it is taken, and a value that is written once and meant often is one object. So a
small text may mean a great deal to who goes through all that it says: there is a limit on that, too. The
first mismatch raises `WireError`.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain, pairwise
from operator import attrgetter
from types import NoneType
from typing import Any, Literal, NamedTuple, TypeVar, cast, get_args, get_origin, get_type_hints

from vizgrad.core.arrays.files import Budget
from vizgrad.debugger.model import Trace
from vizgrad.debugger.wire.wire import MAX_INTEGER, WireError, describe, json_in, plan, refuse_newer
from vizgrad.debugger.wire.wire import Budget as Unlimited

# --- writing ------------------------------------------------------------------------------------------


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
        #: The fields whose values are not their own codes, by place.
        self._coders = [
            (place, code)
            for place, (_, annotation) in enumerate(self.fields)
            if (code := tables.coder(annotation)) is not None
        ]
        names = [field.name for field, _ in self.fields]
        # with one name, it gives no tuple
        self._get: Callable[[Any], Sequence[Any]] = attrgetter(*names, names[0])
        self._size = len(names)
        self.rows: dict[tuple[_Code, ...], int] = {}
        self._known: dict[int, int] = {}

    def row(self, value: Any) -> int:
        place = self._known.get(id(value))
        if place is None:
            codes = list(self._get(value))[: self._size]
            for at, code in self._coders:
                item = codes[at]
                if item is not None and item != ():
                    codes[at] = code(item)
            place = self.rows.setdefault(tuple(codes), len(self.rows))
            self._known[id(value)] = place
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


# --- reading ------------------------------------------------------------------------------------------


T = TypeVar("T")

#: Objects and elements of lists, each as often as it is meant.
MOST_VALUES = 200_000_000
#: The memory of a text: this many times its bytes, beside the memory that any text takes.
TIMES = 60

#: About how many bytes an object, a list and a number take.
_OBJECT, _LIST, _NUMBER, _PLACE = 64, 64, 32, 8
_NO_LIMIT = Unlimited(MAX_INTEGER)


class _Column(NamedTuple):
    values: Sequence[Any]
    #: How many objects and elements each value is made of; None: of none.
    weights: Sequence[int] | None = None


def from_column_json(cls: type[T], text: str | bytes, *, budget: Budget | None = None) -> T:
    """The `cls` of which `to_column_json` wrote. Raises `WireError`, also for text that is not JSON.

    `budget`: that of the file which the text is a part of.
    """
    own = Budget(len(text), times=TIMES)
    try:
        data = json_in(cls, text, own if budget is None else budget)
        return _Reading([own] if budget is None else [own, budget]).root(cls, data)
    except WireError:
        raise
    except (
        RuntimeError,
        OverflowError,
    ) as error:  # there is no room for it, or it is nested too deep
        raise WireError(str(error)).within(cls.__name__) from None


class _Reading:
    def __init__(self, budgets: list[Budget]) -> None:
        self._budgets = budgets
        self._tables: dict[type, _Column] = {}

    def root(self, cls: type[T], data: object) -> T:
        told = _object(data)
        if told.get("root") != cls.__name__:
            raise WireError(f"expected a {cls.__name__}, got {describe(told.get('root'))}")
        known = {each.__name__: each for each in _classes(cls)}
        for name, table in _object(told.get("tables")).items():
            found = known.get(cast("str", name))
            if found is None:
                continue  # of a newer writer
            try:
                self._tables[found] = self._table(found, _object(table))
            except WireError as error:
                raise error.within(found.__name__) from None
        rows, weights = self._tables.get(cls, _Column(()))
        if len(rows) != 1 or sum(weights or ()) > MOST_VALUES:
            raise WireError(f"expected one {cls.__name__} of at most {MOST_VALUES} values")
        value: T = rows[0]
        if isinstance(value, Trace):
            refuse_newer(value)
        return value

    def _spend(self, count: int) -> None:
        for budget in self._budgets:
            budget.spend(count)

    def _table(self, cls: type, told: dict[object, object]) -> _Column:
        count, columns = _count(told.get("rows")), _object(told.get("columns"))
        if count == 0:
            return _Column(())
        fields = dataclasses.fields(cls)
        hints = get_type_hints(cls)
        self._spend(count * (_OBJECT + _PLACE * len(fields)))
        values: list[Sequence[Any]] = []
        weights: list[Sequence[int]] = []
        for field in fields:
            if field.name in columns:
                try:
                    column = self._column(hints[field.name], columns[field.name], count)
                except WireError as error:
                    raise error.within(field.name) from None
                values.append(column.values)
                weights += [] if column.weights is None else [column.weights]
            elif field.default is dataclasses.MISSING:
                raise WireError("expected a column, got nothing").within(field.name)
            else:
                values.append([field.default] * count)
        self._spend(count * _NUMBER)
        made = [1 + sum(each) for each in zip(*weights, strict=True)] if weights else [1] * count
        return _Column(list(map(cls, *values)), made)

    def _column(self, annotation: Any, data: object, count: int) -> _Column:
        """For `count` values."""
        if count == 0:
            return _Column(())
        self._spend(_PLACE * count)
        told = _with(data, "of")
        if told is None:
            return self._whole(annotation, data, count)
        distinct = _count(told.get("distinct"))
        if not 1 <= distinct <= count:
            raise WireError(f"expected at most {count} distinct values, got {distinct}")
        few = self._whole(annotation, told["of"], distinct)
        if distinct == 1:
            weights = None if few.weights is None else [few.weights[0]] * count
            return _Column([few.values[0]] * count, weights)
        return self._picked(few, _whole_numbers(told.get("at"), count))

    def _picked(self, of: _Column, rows: Sequence[int]) -> _Column:
        if rows and not 0 <= min(rows) <= max(rows) < len(of.values):
            raise WireError(
                f"expected places below {len(of.values)}, got {min(rows)} to {max(rows)}"
            )
        self._spend(2 * _PLACE * len(rows))
        values, weights = of
        return _Column(
            [values[row] for row in rows],
            None if weights is None else [weights[row] for row in rows],
        )

    def _whole(self, annotation: Any, data: object, count: int) -> _Column:
        kind, of = parts_of(annotation)
        match kind:
            case "int":
                return _Column(self._numbers(data, count))
            case "row":
                told = _object(data)
                table = self._tables.get(annotation)
                if told.get("table") != annotation.__name__ or table is None:
                    raise WireError(f"expected rows of {annotation.__name__}, which come before")
                return self._picked(table, self._column(int, told.get("rows"), count).values)
            case "optional":
                return self._optional(of[0], data, count)
            case "list":
                return self._lists(of[0], _object(data), count)
            case "fixed":
                return self._fixed(of, _object(data), count)
            case _:
                read = plan(annotation)[1]
                self._spend(_NUMBER * count)
                return _Column([read(value, _NO_LIMIT) for value in _list(data, count)])

    def _numbers(self, data: object, count: int) -> list[int]:
        steps = _list(_object(data).get("steps"), count)
        self._spend(_NUMBER * count)
        if set(map(type, steps)) == {int}:
            numbers = list(accumulate(cast("list[int]", steps)))
        else:
            numbers, before = list[int](), 0
            for step in steps:
                number = _large(step) if isinstance(step, str) else before + _whole(step)
                numbers.append(number)
                before = before if isinstance(step, str) else number
        if max(numbers) >= MAX_INTEGER or min(numbers) <= -MAX_INTEGER:
            raise WireError("expected whole numbers, got a larger one")
        return numbers

    def _optional(self, annotation: Any, data: object, count: int) -> _Column:
        told = _with(data, "none")
        if told is None:
            return self._column(annotation, data, count)
        none = _whole_numbers(told["none"], None)
        ordered = all(a < b for a, b in pairwise(none))
        if not none or not ordered or none[0] < 0 or none[-1] >= count:
            raise WireError(f"expected places below {count} in order, got others")
        some = self._column(annotation, told.get("some"), count - len(none))
        self._spend(2 * _PLACE * count)
        return _Column(
            _with_none(some.values, none, count, None),
            None if some.weights is None else _with_none(some.weights, none, count, 0),
        )

    def _lists(self, annotation: Any, told: dict[object, object], count: int) -> _Column:
        lengths = self._column(int, told.get("lengths"), count).values
        if min(lengths) < 0:
            raise WireError("expected lengths, got a negative one")
        items = self._column(annotation, told.get("items"), sum(lengths))
        self._spend(count * (_LIST + _NUMBER) + _PLACE * len(items.values))
        ends = list(accumulate(lengths, initial=0))
        values, weights = items
        return _Column(
            [tuple(values[a:b]) for a, b in pairwise(ends)],
            lengths if not weights else [b - a + sum(weights[a:b]) for a, b in pairwise(ends)],
        )

    def _fixed(self, of: tuple[Any, ...], told: dict[object, object], count: int) -> _Column:
        parts = _list(told.get("parts"), len(of))
        columns = [
            self._column(each, part, count).values for each, part in zip(of, parts, strict=True)
        ]
        self._spend(count * (_LIST + _PLACE * len(of)))
        return _Column(list(zip(*columns, strict=True)), [len(of)] * count)


def _classes(annotation: Any) -> list[type]:
    """All dataclasses that values of this type are made of."""
    found: dict[type, None] = {}
    waiting = [annotation]
    for each in waiting:
        kind, of = parts_of(each)
        waiting.extend(of)
        if kind == "row" and each not in found:
            found[each] = None
            waiting.extend(get_type_hints(each)[field.name] for field in dataclasses.fields(each))
    return list(found)


def _with_none(some: Sequence[Any], none: list[int], count: int, nothing: Any) -> list[Any]:
    values: list[Any] = [nothing] * count
    left = set(none)
    for place, value in zip((p for p in range(count) if p not in left), some, strict=True):
        values[place] = value
    return values


def _object(data: object) -> dict[object, object]:
    if not isinstance(data, dict):
        raise WireError(f"expected an object, got {describe(data)}")
    return cast("dict[object, object]", data)


def _with(data: object, key: str) -> dict[object, object] | None:
    """An object that has this key, else None."""
    told = cast("dict[object, object]", data) if isinstance(data, dict) else {}
    return told if key in told else None


def _list(data: object, count: int | None) -> list[Any]:
    if not isinstance(data, list) or (count is not None and len(cast("list[Any]", data)) != count):
        wanted = "an array" if count is None else f"an array of {count}"
        raise WireError(f"expected {wanted}, got {describe(data)}")
    return cast("list[Any]", data)


def _whole_numbers(data: object, count: int | None) -> list[int]:
    numbers = _list(data, count)
    if not set(map(type, numbers)) <= {int}:
        raise WireError("expected whole numbers, got something else")
    return numbers


def _whole(data: object) -> int:
    if type(data) is not int:
        raise WireError(f"expected a whole number, got {describe(data)}")
    return data


def _count(data: object) -> int:
    number = _whole(data)
    if not 0 <= number <= EXACT:
        raise WireError(f"expected a number of values, got {describe(number)}")
    return number


def _large(text: str) -> int:
    """One beyond what a browser counts exactly."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 20):
        raise WireError(f"expected a whole number, got {describe(text)}")
    return int(text)
