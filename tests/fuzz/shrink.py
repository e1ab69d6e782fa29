"""Makes a failing call smaller, as long as it fails in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from tests.fuzz.calls import Call
from tests.fuzz.transforms import Transformed
from tests.fuzz.values import Given

#: Steps tried at most: a call has few parts.
TRIES = 200


def smallest(call: Call, fails: Callable[[Call], bool]) -> Call:
    """Greedy: each step that still fails is kept, until none does."""
    tries, going = 0, True
    while going:
        going = False
        for smaller in smaller_calls(call):
            tries += 1
            if tries > TRIES:
                return call
            if fails(smaller):
                call, going = smaller, True
                break
    return call


def smaller_calls(call: Call) -> Iterator[Call]:
    """Calls that are one step simpler, the largest steps first."""
    if isinstance(call, Transformed):
        yield from call.simpler()
    yield from _fewer_arguments(call)
    operands = call.operands()
    yield from _joint(call, operands)
    for k, given in enumerate(operands):
        for smaller in simpler(given):
            yield call.with_operand(k, smaller)
    for k, out in enumerate(call.outs):
        if out.memory != "plain":
            plain = replace(out, memory="plain")
            yield replace(call, outs=(*call.outs[:k], plain, *call.outs[k + 1 :]))
    for k, arg in enumerate(call.args):
        for value in _simpler_value(arg):
            yield _with(call, k, value)


def _fewer_arguments(call: Call) -> Iterator[Call]:
    for k in range(len(call.words)):
        yield replace(call, words=call.words[:k] + call.words[k + 1 :])
    if not call.words and "{" not in call.path:
        for k in range(len(call.args) - 1, 0, -1):
            yield replace(call, args=call.args[:k] + call.args[k + 1 :])
    for k, arg in enumerate(call.args):
        if isinstance(arg, (list, tuple)) and len(arg) > 1:
            for n in range(len(arg)):
                yield _with(call, k, type(arg)([*arg[:n], *arg[n + 1 :]]))


def _with(call: Call, place: int, value: Any) -> Call:
    return replace(call, args=(*call.args[:place], value, *call.args[place + 1 :]))


def _joint(call: Call, operands: list[Given]) -> Iterator[Call]:
    """The same step for all tensors: their shapes belong together."""
    if len(operands) < 2:
        return

    def all_with(change: Callable[[Given], Given]) -> Call:
        made = call
        for k, given in enumerate(operands):
            made = made.with_operand(k, change(given))
        return made

    for size in sorted({n for g in operands for n in g.shape if n > 1}, reverse=True):
        for smaller in (1, size - 1):
            if smaller < size:
                yield all_with(lambda g, s=size, m=smaller: _resized(g, s, m))
    for dtype in ("float64", "float32"):
        if any(g.differentiable and g.dtype != dtype for g in operands):
            yield all_with(lambda g, t=dtype: _typed(g, t) if g.differentiable else g)
    if all(g.rank for g in operands):
        yield all_with(lambda g: replace(g, shape=g.shape[1:]))


def _resized(given: Given, size: int, smaller: int) -> Given:
    return replace(given, shape=tuple(smaller if n == size else n for n in given.shape))


def _typed(given: Given, dtype: str) -> Given:
    values = tuple(v.real if isinstance(v, complex) else float(v) for v in given.values)
    return replace(given, dtype=dtype, values=values)


def simpler(given: Given) -> Iterator[Given]:
    if given.memory != "plain":
        yield replace(given, memory="plain")
    if given.grad:
        yield replace(given, grad=False)
    for k, n in enumerate(given.shape):
        yield replace(given, shape=given.shape[:k] + given.shape[k + 1 :])
        if n > 1:
            yield replace(given, shape=(*given.shape[:k], 1, *given.shape[k + 1 :]))
            yield replace(given, shape=(*given.shape[:k], n - 1, *given.shape[k + 1 :]))
    if given.differentiable and given.dtype != "float64":
        yield _typed(given, "float64")
    if given.dtype in ("int8", "int16", "uint8"):
        yield replace(given, dtype="int64")
    yield from _simpler_elements(given)


def _simpler_elements(given: Given) -> Iterator[Given]:
    kind = bool if given.dtype == "bool" else complex if "complex" in given.dtype else float
    one = kind(1) if given.differentiable or given.dtype == "bool" else 1
    for simple in (one, type(one)()):
        if any(v != simple for v in given.values):
            yield replace(given, values=(simple,))
    if given.differentiable and any(v == v and v != _rounded(v) for v in given.values):
        yield replace(given, values=tuple(map(_rounded, given.values)))
    used = given.values[: min(2 * given.count + 2, 12)]
    if given.count and len(given.values) > len(used):
        yield replace(given, values=used)
    elif len(given.values) <= 12:
        for k, v in enumerate(given.values):
            if v != one and v == v and abs(v) != float("inf"):
                yield replace(given, values=(*given.values[:k], one, *given.values[k + 1 :]))


def _rounded(v: Any) -> Any:
    if isinstance(v, complex):
        return complex(_rounded(v.real), _rounded(v.imag))
    return float(round(v)) if v == v and abs(v) < 1e15 else v


def _simpler_value(value: Any) -> Iterator[Any]:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, (int, float)) and value == value:
        for simple in (0, 1):
            if value != simple and abs(value) > simple:
                yield type(value)(simple)
    if isinstance(value, complex):
        yield value.real
