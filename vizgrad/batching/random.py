"""Random functions inside of a vmap (spec D-3): an error, one draw for all examples, or one for each."""

from __future__ import annotations

from typing import Any

from vizgrad.batching.loop import looped
from vizgrad.batching.values import filled, unwrapped
from vizgrad.function.inplace import write
from vizgrad.ops import copying
from vizgrad.ops.shape import select
from vizgrad.tensor.tensor import Tensor
from vizgrad.tensor.wrong_call import wrong_call


def drawn(
    level: Any, kind: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """What `function` gives at `level`, which is set aside while it draws."""
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
    return level.wrapped(looped(level, function, args, kwargs))


#: Of each element by itself.
_SINGLE = frozenset({"bernoulli", "poisson"})


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
