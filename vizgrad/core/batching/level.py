"""A vmap that is under way: operations on its wrappers are run on all examples at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.sparse.base import is_sparse
from vizgrad.core.batching import everything as everything
from vizgrad.core.batching.custom import applied, generated
from vizgrad.core.batching.random import drawn
from vizgrad.core.batching.rules import HAND, Call, how, looped, rule_of
from vizgrad.core.batching.values import (
    example_ndim,
    filled,
    mark,
    marked,
    shared,
    to_front,
    unwrapped,
    with_ndim,
    written,
)
from vizgrad.core.function.abstract_array import Elementless, SparseStandIn, StandIn
from vizgrad.core.function.declared import Declared
from vizgrad.core.function.inplace import write
from vizgrad.core.function.transform_tensor import Level, Unreadable, Wrapped, wrap
from vizgrad.core.ops import copying
from vizgrad.core.ops.shape import clone
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor, new_tensor

Randomness = Literal["error", "same", "different"]


class Batch(Level):
    """One `vmap`. Its wrappers look like one example, and stand for a batch along dimension 0."""

    name = "vmap"

    def __init__(self, size: int, randomness: Randomness = "error") -> None:
        super().__init__()
        self.size = size
        self.randomness = randomness

    def title(self) -> str:
        return f"vmap [{self.size}]"

    def call(self, op: Any, operands: tuple[Any, ...]) -> Call:
        values, batched = list(operands), [False] * len(operands)
        for place, operand in enumerate(operands):
            if operand.__class__ is Wrapped and operand.level is self:
                values[place] = operand.value
                batched[place] = "shared" not in operand.__dict__
        return Call(self, op, tuple(values), tuple(batched))

    def wrapped(self, result: Any) -> Any:
        """A batch, or several, as what one example of it is; what is no tensor as it is."""
        if result.__class__ is Tensor:
            if result._edge is not None:
                mark(self, result)
            return wrap(self, result)
        if isinstance(result, tuple):
            parts = [self.wrapped(each) for each in result]
            make = getattr(type(result), "_make", tuple)  # a named tuple takes them one by one
            return make(parts)
        return wrap(self, marked(self, result)) if isinstance(result, Tensor) else result

    def run(self, op: Declared, operands: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
        call = self.call(op, operands)
        if True not in call.batched and "indices" not in attributes:
            return call.op.record(*call.values, **attributes)
        return self.wrapped(rule_of(op)(call, **attributes))

    def write(
        self, op: Declared, operands: tuple[Any, ...], name: str, attributes: dict[str, Any]
    ) -> None:
        call = self.call(op, operands)
        self._write(call, op, name, attributes)
        if call.batched[0]:
            written(self, call.values[0])

    def _write(self, call: Call, op: Declared, name: str, attributes: dict[str, Any]) -> None:
        target, batched = call.values[0], call.batched[0]
        name = name or f"{op.name}_"
        if not batched:
            if any(call.batched[1:]) or "indices" in attributes:
                raise _captured(name)
            write(call.op, *call.values, name=name, **attributes)
            return
        if how(op) == "pointwise" or op.name in _FILLING:
            ndim = example_ndim(target, True)
            for value, b in zip(call.values, call.batched, strict=True):
                if (
                    example_ndim(value, b) > ndim
                ):  # the batch would be taken for one of its dimensions
                    raise _too_wide(target, value, b)
            values = [
                with_ndim(value, ndim) if b else value
                for value, b in zip(call.values, call.batched, strict=True)
            ]
            write(call.op, *values, name=name, **attributes)
            return
        if "values" in attributes:  # a plain array, for each example
            attributes["values"] = xp.broadcast_to(attributes["values"], target.shape)
            write(call.op, target, *call.values[1:], name=name, **attributes)
            return
        given = [value for value in call.values if isinstance(value, Tensor)]
        if MODES.grad and any(value.requires_grad for value in given):
            # a node may save what is written over
            call = call._replace(values=(clone.record(target), *call.values[1:]))
        result = rule_of(op)(call, **attributes)
        write(copying.copy, target, result, name=name)

    def apply(self, function: Any, args: tuple[Any, ...]) -> Any:
        return applied(self, function, args, generated)

    def draw(self, kind: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        around = MODES.transforms
        MODES.transforms = tuple([level for level in around if level.number < self.number])
        try:
            return drawn(self, kind, function, args, kwargs)
        finally:
            MODES.transforms = around

    def lift(self, value: Tensor) -> Tensor:
        if isinstance(value, Wrapped) and value.level is self:
            return value
        return shared(self, value)

    def together(self, first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
        a, b = (filled(*unwrapped(self, each), self.size) for each in (first, second))
        return a, b

    def reshaped(self, wrapped: Wrapped, shape: tuple[int, ...], reshape: Any) -> Wrapped:
        if "shared" in wrapped.__dict__:
            return shared(self, reshape(wrapped.value, shape=shape))
        value = reshape(wrapped.value, shape=(self.size, *shape))
        return wrapped if value is wrapped.value else wrap(self, marked(self, value))

    def stand_in(self, wrapped: Wrapped) -> Elementless:
        like = wrapped.value._array
        first = 0 if "shared" in wrapped.__dict__ else 1
        if is_sparse(like):
            return SparseStandIn(wrapped, like.shape[first:], like.dtype, like.layout)
        return StandIn(wrapped, like.shape[first:], like.strides[first:], like.dtype)

    def made(self, wrapped: Wrapped, make: Callable[..., Any], shape: tuple[int, ...]) -> Tensor:
        out = wrap(self, new_tensor(make(wrapped.value._array, (self.size, *shape))))
        vars(out)["new"] = True
        return out

    def by_hand(self, function: Any, tensors: Sequence[Tensor], settings: dict[str, Any]) -> Any:
        values = [filled(*unwrapped(self, each), self.size) for each in tensors]
        return self.wrapped(HAND[function.__name__](function, values, **settings))

    def of_stacks(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        values = [unwrapped(self, arg) for arg in args]
        if sum(isinstance(value, Tensor) for value, _ in values) > 1:
            return self.of_examples(function, args, kwargs)
        return self.wrapped(function(*[value for value, _ in values], **kwargs))

    def of_examples(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.wrapped(looped(self, function, args, kwargs))

    def unreadable(self, wrapped: Wrapped, wanted: str) -> Exception:
        return wrong_call(
            Unreadable(
                f"vmap: {_READING.get(wanted, wanted)} asks for the elements of a tensor, which inside of "
                "vmap stands for all examples at once. What depends on elements (an `if`, a number, a shape) "
                "can't be batched."
            ),
            "write it with tensors alone (`where` in place of `if`), or do it outside of vmap",
        )


#: The attributes of an array that users' code reads.
_READING = {
    "item": ".item() on a Tensor",
    "reshape": "data-dependent control flow, or a number made of a Tensor,",
}

#: Written by shape alone: their other operand is laid beside the target.
_FILLING = frozenset({"copy", "fill_number", "zero"})


def _too_wide(target: Tensor, value: Tensor, batched: bool) -> RuntimeError:
    own, other = list(target.shape[1:]), list(value.shape[batched:])
    return wrong_call(
        RuntimeError(
            f"output with shape {own} doesn't match the broadcast shape of it and {other}: what is written "
            "in place keeps its shape"
        ),
        "write out of place",
    )


def _captured(name: str) -> RuntimeError:
    return wrong_call(
        RuntimeError(
            f"vmap: inplace arithmetic ({name}) is not possible: the tensor written to is the same for all "
            "examples, and what is written to it is not. It was made without any of the batched tensors."
        ),
        "write out of place, or make the tensor from a batched one, with `x.new_zeros(...)`",
        "forbidden-write",
    )


# Batches as dimensions: what autograd works with. The graph knows nothing of wrappers.


def open_batches() -> tuple[Batch, ...]:
    """The vmaps that this thread is inside of, the outermost first."""
    found = (level for level in MODES.transforms if isinstance(level, Batch))
    return tuple(level for level in found if not level.of_tangents)


def as_dimensions(tensor: Tensor, batches: Sequence[Batch]) -> Tensor:
    """`tensor` with the examples of these vmaps along its first dimensions, the outermost first.

    A value that is the same for all examples is repeated, without memory of its own. Wrappers of other
    vmaps stay.
    """
    for level in reversed(batches):
        tensor = out_of(tensor, level)
    return tensor


def out_of(tensor: Tensor, level: Batch) -> Tensor:
    """`tensor` with the examples of one vmap along its first dimension."""
    if isinstance(tensor, Wrapped):
        if tensor.level is level:
            return filled(tensor.value, not vars(tensor).get("shared", False), level.size)
        if tensor.level.number > level.number and not vars(tensor).get("shared", False):
            inner = out_of(tensor.value, level)  # (level, the wrapper's own, ...)
            return wrap(tensor.level, to_front(inner, 1))
    return filled(tensor, False, level.size)


def as_wrappers(tensor: Tensor, batches: Sequence[Batch]) -> Tensor:
    """Undoes `as_dimensions`."""
    for level in batches:
        tensor = into(tensor, level)
    return tensor


def into(tensor: Tensor, level: Batch) -> Tensor:
    """Undoes `out_of`."""
    if isinstance(tensor, Wrapped) and tensor.level.number > level.number:
        return wrap(tensor.level, into(to_front(tensor.value, 1), level))
    return wrap(level, tensor)


def depends_on_all(tensor: Tensor, batches: Sequence[Batch]) -> bool:
    """Is `tensor` wrapped at all of these levels?"""
    found = set()
    while isinstance(tensor, Wrapped):
        found.add(tensor.level)
        tensor = tensor.value
    return found.issuperset(batches)
