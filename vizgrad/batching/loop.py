"""The last resort: an operation is run once for each example, and the results are stacked."""

from __future__ import annotations

from typing import Any

from vizgrad.batching.rules import Call, rule
from vizgrad.ops.joining import record_stack
from vizgrad.ops.shape import select
from vizgrad.tensor.tensor import Tensor

#: Names of operations that were run so, and how often: what tests and people ask about.
LOOPED: dict[str, int] = {}


@rule("loop")
def loop(call: Call, **attributes: Any) -> Any:
    LOOPED[call.op.name] = LOOPED.get(call.op.name, 0) + 1
    return each_example(call.op.record, call, **attributes)


def each_example(function: Any, call: Call, **attributes: Any) -> Any:
    """The results of `function` for each example, stacked; of no example, for one of zeros."""
    count = max(call.size, 1)
    results = [
        function(
            *[
                _example(value, nr, call.size) if batched else value
                for value, batched in zip(call.values, call.batched, strict=True)
            ],
            **attributes,
        )
        for nr in range(count)
    ]
    if not isinstance(results[0], tuple):
        return _stacked(results, call.size)
    return tuple(_stacked(list(each), call.size) for each in zip(*results, strict=True))


def _example(value: Tensor, nr: int, size: int) -> Tensor:
    if not size:
        return value.new_zeros(value.shape[1:])
    return select.record(value, dim=0, index=nr)


def _stacked(results: list[Tensor], size: int) -> Tensor:
    whole = record_stack(results, 0)
    return whole if size else whole[:0]
