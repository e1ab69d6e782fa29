"""Kinds of arguments: each is made of what was drawn before it in the same call.

A kind is a function of the draw and of the arguments so far, by name. `signatures/` names them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tests.fuzz.draw import Draw
from tests.fuzz.values import COMPLEX, FLOATS, Code, Given, Omitted, Same

SoFar = dict[str, Any]
Kind = Callable[[Draw, SoFar], Any]


def first(so_far: SoFar) -> Given:
    """The first tensor of the call; of a list, its first."""
    for value in so_far.values():
        if isinstance(value, Given):
            return value
        if isinstance(value, (list, tuple)) and value and isinstance(value[0], Given):
            return value[0]
    return Given((), "float64", (1.0,))


def _range(low: float, high: float) -> dict[str, float]:
    return {"low": low, "high": high}


# --- tensors ------------------------------------------------------------------------------------------


def t(
    types: str = "any", rank: Any = (0, 5), low: float = -3, high: float = 3, least: int = 0
) -> Kind:
    ranks = (rank, rank) if isinstance(rank, int) else rank

    def kind(d: Draw, so_far: SoFar) -> Any:
        asked = (0, 5) if d.strange(0.2) else ranks
        return d.tensor(d.shape(asked, least), d.dtype(types), low, high)

    return kind


def shaped(shape: Any, types: str = "", low: float = -3, high: float = 3, grad: Any = None) -> Kind:
    """A tensor of a shape that is said by the arguments before; of the first tensor's type, mostly."""

    def kind(d: Draw, so_far: SoFar) -> Any:
        made = shape(d, so_far) if callable(shape) else tuple(shape)
        if d.strange(0.25):
            made = tuple(n + 1 if d.chance(0.3) else n for n in made) if d.chance(0.5) else made[1:]
        dtype = d.dtype(types) if types else _matching(d, so_far)
        return d.tensor(tuple(made), dtype, low, high, grad)

    return kind


def _matching(d: Draw, so_far: SoFar) -> str:
    return d.dtype() if d.strange(0.4) else first(so_far).dtype


def same(types: str = "", low: float = -3, high: float = 3) -> Kind:
    return shaped(lambda d, so_far: first(so_far).shape, types, low, high)


def meets(types: str = "", low: float = -3, high: float = 3) -> Kind:
    """A tensor that broadcasts with the first; of its type or another."""

    def kind(d: Draw, so_far: SoFar) -> Any:
        if d.chance(0.05):
            return Same(0)
        shape = d.shape() if d.strange(0.3) else d.broadcastable(first(so_far).shape)
        dtype = first(so_far).dtype if d.chance(0.7) else d.dtype(types or "any")
        if types and not d.odd:
            from tests.fuzz.draw import TYPES

            dtype = dtype if dtype in TYPES[types] else d.dtype(types)
        return d.tensor(shape, dtype, low, high)

    return kind


def operand(types: str = "", low: float = -3, high: float = 3) -> Kind:
    """Such a tensor, or a Python number."""
    tensor = meets(types, low, high)

    def kind(d: Draw, so_far: SoFar) -> Any:
        if d.chance(0.3):
            return d.number(first(so_far).dtype, low, high)
        return tensor(d, so_far)

    return kind


def tensors(
    one: Kind | None = None, counts: tuple[int, int] = (1, 3), other: Any = "same", along: str = ""
) -> Kind:
    """A list of tensors: equal shapes, or of other sizes along `dim`, or unrelated ones."""
    one = one or t(rank=(0, 4))

    def kind(d: Draw, so_far: SoFar) -> Any:
        many = 0 if d.strange(0.2) else d.whole(*counts)
        made: list[Any] = []
        for _ in range(many):
            if not made or other == "any":
                made.append(one(d, so_far))
                continue
            shape = made[0].shape
            if other == "along" and shape:
                dim = so_far.get("#dim", 0) % len(shape)
                shape = (*shape[:dim], d.size(), *shape[dim + 1 :])
            elif other == "meets":
                shape = d.broadcastable(shape)
            if d.strange(0.2):
                shape = d.shape()
            dtype = made[0].dtype if d.chance(0.8) else d.dtype()
            made.append(d.tensor(shape, dtype))
        return tuple(made) if d.chance(0.4) else made

    return kind


def matrix(
    types: str = "wide", square: bool = False, ranks: tuple[int, int] = (2, 4), least: int = 0
) -> Kind:
    def kind(d: Draw, so_far: SoFar) -> Any:
        shape = list(d.shape(ranks, least, 40))
        if square and len(shape) > 1 and not d.strange(0.3):
            shape[-1] = shape[-2] = min(4, shape[-2])
        return d.tensor(tuple(shape), d.dtype(types))

    return kind


def matrix_for(columns: Any = None, types: str = "") -> Kind:
    """Rows as the first's columns; `columns` many, or as drawn."""

    def shape(d: Draw, so_far: SoFar) -> tuple[int, ...]:
        x = first(so_far).shape
        return (*x[:-2], x[-1] if x else 1, d.size() if columns is None else columns)

    return shaped(shape, types)


# --- numbers and words --------------------------------------------------------------------------------


def number(low: float = -3, high: float = 3) -> Kind:
    return lambda d, so_far: _or_a_tensor(d, d.number(first(so_far).dtype, low, high))


def real(low: float = -3, high: float = 3) -> Kind:
    return lambda d, so_far: _or_a_tensor(d, d.number("float64", low, high))


def _or_a_tensor(d: Draw, value: Any) -> Any:
    """A number; now and then a tensor without dimensions says it."""
    if not d.chance(0.05):
        return value
    dtype = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}[type(value)]
    grad = dtype in FLOATS + COMPLEX and d.chance(0.2)
    return Given((), dtype, (value,), "plain", grad)


def integer(low: int = 0, high: int = 3) -> Kind:
    def kind(d: Draw, so_far: SoFar) -> Any:
        return d.pick((low - 1, high + 5, -1, 1.5)) if d.strange(0.3) else d.whole(low, high)

    return kind


def pick(*options: Any) -> Kind:
    def kind(d: Draw, so_far: SoFar) -> Any:
        if d.strange(0.15):
            return d.pick(("a word", None, -7, 2.5))
        found = d.pick(options)
        return found(d, so_far) if callable(found) else found

    return kind


flag = pick(True, False)
true = pick(True, True, True, False)


def none_or(kind: Kind) -> Kind:
    return lambda d, so_far: None if d.chance(0.3) else kind(d, so_far)


def dtype(types: str = "any") -> Kind:
    def kind(d: Draw, so_far: SoFar) -> Any:
        if d.chance(0.1):
            return None
        return Code(f"torch.{d.dtype(types)}")

    return kind


def code(*options: str) -> Kind:
    return lambda d, so_far: Code(d.pick(options))


def dim(more: int = 0, of: str = "") -> Kind:
    """A dimension of the first tensor, from either end; `more`: it may be that far behind the last."""

    def kind(d: Draw, so_far: SoFar) -> Any:
        tensor = so_far[of] if of else first(so_far)
        rank = tensor.rank if isinstance(tensor, Given) else 1
        if rank + more == 0:
            return d.pick((0, -1))
        if d.strange(0.3):
            return d.pick((rank + more, -rank - more - 1, 9))
        found = d.whole(0, rank + more - 1)
        return found - rank - more if d.chance(0.35) else found

    return kind


def dims(empty: bool = True, single: bool = True, none: bool = False, least: int = 0) -> Kind:
    """Some dimensions; one of them, alone or in a list."""

    def kind(d: Draw, so_far: SoFar) -> Any:
        if none and d.chance(0.15):
            return None
        if single and d.chance(0.5):
            return dim()(d, so_far)
        rank = first(so_far).rank
        low = max(least, 0 if empty else 1)
        many = d.whole(low, rank) if rank >= low else low
        found: list[int] = d.random.sample(range(rank), min(many, rank))
        found = [n - rank if d.chance(0.3) else n for n in found]
        if d.strange(0.2) and found:
            found.append(found[0])
        if d.strange(0.1):
            found.append(rank)
        return tuple(found) if d.chance(0.6) else found

    return kind


def permutation(d: Draw, so_far: SoFar) -> Any:
    rank = first(so_far).rank
    found = d.random.sample(range(rank), rank)
    if d.strange(0.3):
        return tuple(found[1:])
    return tuple(n - rank if d.chance(0.2) else n for n in found)


def sizes(rank: tuple[int, int] = (0, 4)) -> Kind:
    def kind(d: Draw, so_far: SoFar) -> Any:
        found = d.shape(rank, most=40)
        if d.strange(0.2):
            return (*found, -1)
        return list(found) if d.chance(0.2) else found

    return kind


def length(d: Draw, so_far: SoFar) -> int:
    """Size of the first tensor along `dim` of the call."""
    tensor, at = first(so_far), so_far.get("dim", 0)
    if not tensor.rank or not isinstance(at, int) or not -tensor.rank <= at < tensor.rank:
        return 1
    return tensor.shape[at]


def place(d: Draw, so_far: SoFar) -> Any:
    """An index along `dim`, from either end."""
    size = length(d, so_far)
    if d.strange(0.3) or not size:
        return d.pick((size, -size - 1))
    found = d.whole(0, size - 1)
    return found - size if d.chance(0.3) else found


def count_along(low: int = 0) -> Kind:
    """How many of the elements along `dim`."""

    def kind(d: Draw, so_far: SoFar) -> Any:
        size = length(d, so_far)
        return size + 1 if d.strange(0.3) else d.whole(min(low, size), size)

    return kind


# --- indices ------------------------------------------------------------------------------------------


def whole_tensor(d: Draw, shape: tuple[int, ...], size: int, types: str, negative: bool) -> Given:
    low, high = (-size if negative else 0), max(0, size - 1)
    if d.strange(0.2):
        high = size + 1
    kept = d.special
    d.special = False
    dtype = d.dtype(types)
    given = d.tensor(shape, dtype, low, high)
    d.special = kept
    # of nothing, no index is right
    return given if size else Given((0,), given.dtype, ())


def index(negative: bool = False, rank: Any = 1, types: str = "index") -> Kind:
    """A list of places along `dim`."""

    def kind(d: Draw, so_far: SoFar) -> Any:
        shape = d.shape((rank, rank) if isinstance(rank, int) else rank, most=12)
        return whole_tensor(d, shape, length(d, so_far), types, negative)

    return kind


def gathering(negative: bool = False, types: str = "long", smaller: bool = True) -> Kind:
    """Places along `dim`, of the first tensor's rank, no larger than it elsewhere."""

    def kind(d: Draw, so_far: SoFar) -> Any:
        x = first(so_far)
        size = length(d, so_far)
        at = so_far.get("dim", 0)
        shape = [n if not smaller or d.chance(0.6) else d.whole(0, n) for n in x.shape]
        if x.rank and isinstance(at, int) and -x.rank <= at < x.rank:
            shape[at] = d.size()
            if not size:
                shape[at] = 0
        if d.strange(0.2):
            shape = shape[1:]
        return whole_tensor(d, tuple(shape), max(1, size), types, negative)

    return kind


def mask(meeting: bool = True) -> Kind:
    def kind(d: Draw, so_far: SoFar) -> Any:
        x = first(so_far).shape
        shape = x
        if meeting and d.chance(0.4):
            shape = tuple(1 if d.chance(0.3) else n for n in x)[d.whole(0, len(x)) :]
        types = d.dtype() if d.strange(0.3) else "bool"
        return d.tensor(shape, types)

    return kind


# --- shapes -------------------------------------------------------------------------------------------


def reshaped(d: Draw, so_far: SoFar) -> Any:
    """Another shape for as many elements, one size left open at times."""
    count = first(so_far).count
    shape: list[int] = []
    left = count
    while left > 1 and len(shape) < 4:
        factors = [n for n in (2, 3, 4, 5, 6, 7, left) if left % n == 0]
        shape.append(d.pick(factors))
        left //= shape[-1]
    if left != 1 or not count:
        shape.append(left)
    if d.chance(0.3):
        shape.insert(d.whole(0, len(shape)), 1)
    if d.chance(0.3) and shape and count:
        shape[d.whole(0, len(shape) - 1)] = -1
    if d.strange(0.3):
        shape.append(2)
    return tuple(shape)


def expanded(d: Draw, so_far: SoFar) -> Any:
    shape = tuple(d.pick((2, 3)) if n == 1 and d.chance(0.5) else n for n in first(so_far).shape)
    made = tuple(-1 if d.chance(0.2) else n for n in shape)
    if d.chance(0.3) and math.prod(shape) < 30:
        made = (d.pick((0, 1, 2)), *made)
    return (*made, 2) if d.strange(0.3) else made


def parts(d: Draw, so_far: SoFar) -> Any:
    """Sizes that add up to the size along `dim`."""
    left, found = length(d, so_far), []
    while left > 0:
        found.append(d.whole(0, left))
        left -= found[-1]
    if d.strange(0.3):
        found.append(1)
    return found or [0]


def repeats(d: Draw, so_far: SoFar) -> Any:
    rank = first(so_far).rank + (d.whole(0, 1) if not d.strange(0.2) else -1)
    return tuple(d.pick((0, 1, 1, 1, 2, 2)) for _ in range(max(0, rank)))


def floats_of(given: Any) -> bool:
    return isinstance(given, Given) and given.dtype in FLOATS + COMPLEX


def is_omitted(value: Any) -> bool:
    return isinstance(value, Omitted)
