"""How the gradients of a bucket go to the other ranks: all to all, each to the rank that owns it, through a
hook of the user's, or, where they are sparse, as their stored elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import to_host
from vizgrad.core.arrays.sparse.coo import COO
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.distributed.calls import Call, begun, running
from vizgrad.distributed.grad_bucket import GradBucket
from vizgrad.distributed.process_group import ProcessGroup
from vizgrad.distributed.reductions import ReduceOp
from vizgrad.futures import Future

#: Called for the result, an array; waits for it.
Waiting = Callable[[], Any]


def all_reduced(group: ProcessGroup, flat: Any) -> Waiting:
    """The sum of all ranks."""
    backend = group.backend_for("all_reduce", flat)
    number, call = group.number(), f"all_reduce SUM of {flat.dtype} {list(flat.shape)}"
    wait = backend.prepared(
        number, call, lambda: backend.all_reduce(number, call, flat, ReduceOp.SUM), flat
    )
    called = begun(group, number, "all_reduce", [flat])
    return group.begin("all_reduce", lambda: _ended(called, wait)).result


def reduced_to_owners(group: ProcessGroup, parts: Sequence[Any]) -> Waiting:
    """The sum of all ranks of the part of this rank."""
    sizes = [part.shape[0] for part in parts]
    backend = group.backend_for("reduce_scatter", *parts)
    number, call = group.number(), f"reduce_scatter SUM of {parts[0].dtype} {sizes}"
    wait = backend.prepared(
        number, call, lambda: backend.reduce_scatter(number, call, parts, ReduceOp.SUM), parts[0]
    )
    called = begun(group, number, "reduce_scatter", parts)
    return group.begin("reduce_scatter", lambda: _ended(called, wait)).result


def _ended(called: Call | None, wait: Waiting) -> Any:
    with running(called):
        return wait()


def hooked(hook: Callable[[Any, GradBucket], Any], state: Any, bucket: GradBucket) -> Waiting:
    """The result of the user's hook. TypeError where it returns no Future, RuntimeError for a value of
    another size.
    """
    buffer = bucket.buffer()
    future = hook(state, bucket)
    if not isinstance(future, Future):
        raise wrong_call(
            TypeError(
                "expected the communication hook to return a Future, but it returned "
                f"{type(future).__name__}"
            ),
            "return dist.all_reduce(bucket.buffer(), async_op=True).get_future().then(...)",
        )

    def result() -> Any:
        value: Any = future.wait()
        if isinstance(value, (list, tuple)) and len(value) == 1:
            value = value[0]
        if not isinstance(value, Tensor) or value.numel() != buffer.numel():
            said = list(value.shape) if isinstance(value, Tensor) else type(value).__name__
            raise wrong_call(
                RuntimeError(
                    f"the communication hook gave {said} for a bucket of {buffer.numel()} gradients"
                ),
                "give a tensor with the size of bucket.buffer()",
            )
        return value.detach()._array.reshape(-1).astype(buffer._array.dtype, copy=False)

    return result


def sparse_sum(group: ProcessGroup, grad: COO) -> Waiting:
    """The sum of all ranks, coalesced. Its elements go through the host: the ranks have different numbers of
    them.
    """
    grad = grad.mapped(to_host)
    numbers = group.number(), group.number()
    size, dense = group.size(), grad.values.shape[1:]

    def gathered(number: int, part: Any, what: str) -> list[Any]:
        call = f"all_reduce SUM of sparse {what} {part.dtype} {list(grad.shape)}"
        got = group.exchange(number, "0", call, [part] * size, [None] * size)
        return [xp.frombuffer(each, part.dtype) if each is not part else part for each in got]

    def run() -> Any:
        indices = gathered(numbers[0], grad.indices, "indices of")
        values = gathered(numbers[1], grad.values, "values of")
        return COO(
            xp.concatenate([each.reshape(grad.sparse_dim, -1) for each in indices], axis=1),
            xp.concatenate([each.reshape(-1, *dense) for each in values]),
            grad.shape,
        ).coalesce()

    called = begun(group, numbers[0], "all_reduce", [grad.indices, grad.values])
    return group.begin("all_reduce", lambda: _ended(called, run)).result


def empty_sparse(parameter: Tensor) -> COO:
    """The gradient of a table that was not used: rows of it are stored."""
    rows, *rest = parameter.shape
    return COO(
        xp.zeros((1, 0), "int64"), xp.zeros((0, *rest), parameter.dtype.np), (rows, *rest), True
    )


def bucket_for_hook(
    index: int, flat: Any, parameters: Sequence[Tensor], *, last: bool
) -> GradBucket:
    assert flat.shape[0] == sum(prod(each.shape) for each in parameters)
    return GradBucket(index, new_tensor(flat), parameters, last=last)
