"""How each operation is run on a batch: the table of rules, by the name of the operation.

A rule is called with the operation, its operands, of each whether it is a batch (then its examples lie along
dimension 0), and the operation's attributes. It gives the result, or results, as a batch.
An operation that is pointwise needs none; one that is not here is run once for each example (`looped`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from vizgrad.core.batching.values import unwrapped
from vizgrad.core.function.declared import Declared
from vizgrad.core.function.primitive import Primitive
from vizgrad.core.ops.joining import record_stack as stack_along
from vizgrad.core.ops.shape import select
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor

Rule = Callable[..., Any]

RULES: dict[str, Rule] = {}

#: Rules that say by name that there is none: where PyTorch refuses, too.
REFUSING: set[Rule] = set()


class Call(NamedTuple):
    """An operation on values of which some are batches."""

    #: The vmap that asks (`vizgrad.core.batching.level.Batch`).
    level: Any
    op: Primitive
    values: tuple[Any, ...]
    batched: tuple[bool, ...]

    @property
    def size(self) -> int:
        return self.level.size

    def operands(self) -> tuple[Any, ...]:
        """The values as the vmap's own operands again."""
        return tuple(
            self.level.wrapped(value) if batched else value
            for value, batched in zip(self.values, self.batched, strict=True)
        )

    def of(self, op: Primitive, values: Sequence[Any], batched: Sequence[bool]) -> Call:
        """Another operation of the same vmap."""
        return Call(self.level, op, tuple(values), tuple(batched))


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Makes a function the rule of the operations of these names."""

    def declare(function: Rule) -> Rule:
        for name in names:
            RULES[name] = function
        return function

    return declare


def rule_of(op: Declared) -> Rule:
    """The rule of an operation; the loop over the examples if there is none."""
    found = _FOUND.get(op)
    if found is None:
        found = _FOUND[op] = RULES[_named(op)]
    return found


#: The cache of `rule_of`.
_FOUND: dict[Declared, Rule] = {}


def how(op: Declared) -> str:
    """How `op` is batched: "pointwise", by a "rule", "refused", or in a "loop" over the examples."""
    named = _named(op)
    if named in ("pointwise", "loop"):
        return named
    return "refused" if RULES[named] in REFUSING else "rule"


def _named(op: Declared) -> str:
    if op.name in RULES:
        return op.name
    return "pointwise" if "pointwise" in op.structure else "loop"


# Operations whose nodes are written by hand: any number of tensors in, or out.

#: Name of the recording function -> what it gives for batches.
HAND: dict[str, Callable[..., Any]] = {}


def _hand(function: Callable[..., Any]) -> Callable[..., Any]:
    HAND[function.__name__] = function
    return function


@_hand
def record_cat(record: Any, values: Sequence[Tensor], *, dim: int, lengths: Any) -> Tensor:
    if lengths is not None:
        values = [v for v, n in zip(values, lengths, strict=True) if n is not None]
    return record(values, dim + 1)


@_hand
def record_stack(record: Any, values: Sequence[Tensor], *, dim: int) -> Tensor:
    return record(values, dim + 1)


@_hand
def record_split(record: Any, values: Sequence[Tensor], *, dim: int, **settings: Any) -> Any:
    return record(values[0], dim + 1, **settings)


@_hand
def record_unbind(record: Any, values: Sequence[Tensor], *, dim: int) -> Any:
    return record(values[0], dim + 1)


# --- the last resort: an operation is run once for each example ---------------------------------------


#: Names of operations that were run so, and how often: what tests and people ask about.
LOOPED: dict[str, int] = {}


@rule("loop")
def loop(call: Call, **attributes: Any) -> Any:
    if call.op.view:  # what is stacked shares no memory: writing to it would be lost
        raise wrong_call(
            NotImplementedError(f"vmap: {call.op.name} gives a view, and has no batching rule"),
            "use another operation, or give it a rule in vizgrad.core.batching",
        )
    return looped(call.level, call.op.record, call.operands(), attributes, call.op.name)


def each_example(call: Call, **attributes: Any) -> Any:
    """A rule's last resort, for settings that it does not batch."""
    return loop(call, **attributes)


def looped(
    level: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], name: str = ""
) -> Any:
    """The results of `function` for each example, stacked; of no example, for one of zeros."""
    name = name or function.__name__
    LOOPED[name] = LOOPED.get(name, 0) + 1
    results = [
        function(
            *[_example(level, arg, nr) for arg in args],
            **{word: _example(level, value, nr) for word, value in kwargs.items()},
        )
        for nr in range(max(level.size, 1))
    ]
    return _stacked(results, level.size)


def _example(level: Any, arg: Any, nr: int) -> Any:
    if isinstance(arg, (tuple, list)):
        parts = [_example(level, each, nr) for each in arg]
        return parts if isinstance(arg, list) else getattr(type(arg), "_make", tuple)(parts)
    value, batched = unwrapped(level, arg)
    if not batched:
        return value
    if not level.size:
        return value.new_zeros(value.shape[1:])
    return select.record(value, dim=0, index=nr)


def _stacked(results: list[Any], size: int) -> Any:
    first = results[0]
    if isinstance(first, tuple):
        parts = [_stacked(list(each), size) for each in zip(*results, strict=True)]
        return getattr(type(first), "_make", tuple)(parts)
    if not isinstance(first, Tensor):
        return first
    if any(result.shape != first.shape for result in results):
        raise wrong_call(
            RuntimeError(
                "vmap: stack expects each tensor to be equal size, but the results of the examples have the "
                f"shapes {', '.join(str(list(result.shape)) for result in results)}"
            ),
            "batch only what has one shape for all examples, or do it outside of vmap",
        )
    whole = stack_along(results, 0)
    return whole if size else whole[:0]
