"""The last resort: an operation is run once for each example, and the results are stacked."""

from __future__ import annotations

from typing import Any

from vizgrad.core.batching.rules import Call, rule
from vizgrad.core.batching.values import unwrapped
from vizgrad.core.ops.joining import record_stack
from vizgrad.core.ops.shape import select
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor

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
    whole = record_stack(results, 0)
    return whole if size else whole[:0]
