"""Random functions inside of a vmap (spec D-3): an error, one draw for all examples, or one for each."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.batching.rules import Call, looped, rule
from vizgrad.core.batching.values import (
    divided,
    example_ndim,
    filled,
    merged,
    unwrapped,
    with_ndim,
)
from vizgrad.core.function.inplace import write
from vizgrad.core.ops import copying
from vizgrad.core.ops.shape import select
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor


def drawn(
    level: Any, kind: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The result of `function` at `level`, which is set aside while it draws."""
    if level.randomness == "error":
        raise _wrong(
            "vmap: called random operation while in randomness error mode. Please either use the 'same' or "
            "'different' randomness flags on vmap or perform the randomness operation out of vmap",
            "vmap(f, randomness='different') draws anew for each example",
        )
    values = [unwrapped(level, arg) for arg in args]
    batched = any(on for _, on in values)
    if kind == "fill":
        return _fill(level, function, args, kwargs)
    if level.randomness == "same":
        if kind == "chances" and batched:
            raise _wrong(
                "Vmap does not currently support same randomness with a batched tensor input: the chances "
                "differ between examples, so what is drawn can't be the same",
                "use randomness='different'",
            )
        return function(*[_one(value, on) for value, on in values], **kwargs)
    if function.__name__ in ("rand", "randn"):
        size = kwargs.pop("size", None) or (
            args[0] if len(args) == 1 and not hasattr(args[0], "__index__") else args
        )
        return level.wrapped(function((level.size, *size), **kwargs))
    tensors = [value for value, _ in values if isinstance(value, Tensor)]
    if kind == "like" or (kind == "chances" and len(tensors) == 1 and function.__name__ in _SINGLE):
        first = filled(*values[0], level.size)
        return level.wrapped(function(first, *[value for value, _ in values[1:]], **kwargs))
    if tensors and function.__name__ in _OF_ELEMENTS:
        return level.wrapped(function(*_beside(level, values), **kwargs))
    if function.__name__ == "multinomial":
        return level.wrapped(_of_rows(level, function, values, kwargs))
    return level.wrapped(looped(level, function, args, kwargs))


#: Each element is drawn by itself.
_SINGLE = frozenset({"bernoulli", "poisson", "standard_gamma"})
#: The elements of several operands are laid beside each other.
_OF_ELEMENTS = frozenset({"normal", "binomial"})


def _beside(level: Any, values: list[tuple[Any, bool]]) -> list[Any]:
    """Tensors as batches of examples with as many dimensions as the widest has."""
    ndim = max(example_ndim(value, on) for value, on in values)
    return [
        with_ndim(filled(value, on, level.size), ndim) if isinstance(value, Tensor) else value
        for value, on in values
    ]


def _of_rows(level: Any, function: Any, values: list[tuple[Any, bool]], kwargs: Any) -> Tensor:
    """Places in rows, of which each example has one or several."""
    rows = filled(*values[0], level.size)
    several = rows.ndim > 2
    found = function(merged(rows) if several else rows, *[v for v, _ in values[1:]], **kwargs)
    return divided(found, 0, level.size) if several else found


@rule("bernoulli", "poisson", "normal", "normal_of_means", "normal_of_deviations")
def of_what_was_drawn(call: Call, *, drawn: Any) -> Any:
    """A plain array of numbers: those of one example, that all have."""
    pairs = list(zip(call.values, call.batched, strict=True))
    ndim = max(drawn.ndim, *[example_ndim(v, on) for v, on in pairs])
    whole = [with_ndim(filled(v, on, call.size), ndim) for v, on in pairs]
    return call.op.record(*whole, drawn=xp.broadcast_to(drawn, (call.size, *drawn.shape)).copy())


@rule("overwrite", "overwrite_compared")
def overwritten(call: Call, *, values: Any) -> Any:
    """The same of what is written."""
    whole = [filled(v, on, call.size) for v, on in zip(call.values, call.batched, strict=True)]
    given = xp.broadcast_to(values, (call.size, *values.shape)).copy()
    return call.op.record(*whole, values=given)


@rule("standard_gamma")
def standard_gamma(call: Call) -> Any:
    """For each element one: `vizgrad.distributions` has asked whether examples may have different ones."""
    return call.op.record(*call.values)


def _one(value: Any, batched: bool) -> Any:
    """An example, whose shape and type are wanted."""
    return select.record(value, dim=0, index=0) if batched else value


def _fill(level: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    target = args[0]
    values = [unwrapped(level, arg) for arg in args]
    (value, batched), others = values[0], values[1:]
    if any(on for _, on in others):
        raise _wrong(
            f"vmap: {function.__name__} with chances that differ between examples is not supported in "
            "place",
            "draw out of place",
        )
    rest = [each for each, _ in others]
    if not batched and level.randomness == "different":
        raise _wrong(
            "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like "
            "same randomness.",
            "make the tensor from a batched one, with `x.new_empty(...)`",
        )
    if not batched or level.randomness == "different":
        function(value, *rest, **kwargs)
        return target
    one = function(select.record(value, dim=0, index=0).detach().clone(), *rest, **kwargs)
    write(copying.copy, value, filled(one, False, level.size), name=function.__name__)
    return target


def _wrong(message: str, fix: str) -> RuntimeError:
    return wrong_call(RuntimeError(message), fix)
