"""Reads the columnar form of the model (`vizgrad.debugger.wire.columnar`), which may come from a stranger.

Every value is checked against its field's annotation, memory is asked of budgets before it is taken, and a
value that is written once and meant often is one object. So a small text may mean a great deal to who goes
through all that it says: there is a limit on that, too. The first mismatch raises `WireError`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, TypeVar, cast, get_type_hints

from vizgrad.core.arrays.files import Budget
from vizgrad.debugger.model import Trace
from vizgrad.debugger.wire.columnar import EXACT, parts_of
from vizgrad.debugger.wire.wire import MAX_INTEGER, WireError, describe, json_in, plan, refuse_newer
from vizgrad.debugger.wire.wire import Budget as Unlimited

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
