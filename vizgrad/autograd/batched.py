"""Several vector-Jacobian products over one graph: `grad(..., is_grads_batched=True)` (E-34).

The graph is run once, on gradients that stand for all rows (`vizgrad.core.batching`). Where a formula, or
a hook, looks at elements, it is run once for each row instead, and the results are stacked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from vizgrad.core.function.transform_tensor import Unreadable, wrap
from vizgrad.core.ops.public.joining import stack
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.core.tensor.wrong_call import wrong_call


def check_rows(shapes: Sequence[tuple[int, ...]], given: Sequence[Any]) -> None:
    """`shapes` are those of the outputs, `given` has one batch of gradients for each of them.

    Raises RuntimeError for a batch whose rows do not have the shape of their output, ValueError for
    batches of several lengths or a missing one, IndexError for one without rows, TypeError for what is
    not a tensor.
    """
    for index, (shape, batch) in enumerate(zip(shapes, given, strict=True)):
        _check(shape, batch, index)
    if any(batch is None for batch in given):
        raise wrong_call(
            ValueError(
                "is_grads_batched=True got in_dim=0 for a gradient that was left out: ones for a "
                "one-element output have no dimension to be the batch"
            ),
            "give a batch of gradients for each output",
        )
    lengths = [batch.shape[0] for batch in given]
    if len(set(lengths)) > 1:
        raise wrong_call(
            ValueError(
                "Expected all tensors to have the same size in the mapped dimension, got sizes "
                f"{lengths} for the batches in grad_outputs"
            ),
            "give as many rows for each output",
        )


def all_rows(
    of_row: Callable[[Sequence[Any], bool], tuple[Tensor | None, ...]],
    given: Sequence[Any],
    keep: bool,
) -> tuple[Tensor | None, ...]:
    """The results for all rows; `of_row(gradients, keep_graph)` gives those of one."""
    from vizgrad.core.batching.level import Batch
    from vizgrad.core.batching.values import filled, unwrapped

    size = given[0].shape[0]
    try:
        with Batch(size) as level:
            found = of_row([wrap(level, batch) for batch in given], keep)
            results = tuple(
                None if value is None else filled(*unwrapped(level, value), size) for value in found
            )
    except Unreadable:
        if not keep:  # what ran has released what it had saved
            raise
        rows = [tuple(batch[row] for batch in given) for row in range(size)]
        return stacked([of_row(row, keep or nr < size - 1) for nr, row in enumerate(rows)])
    return results


def _check(shape: tuple[int, ...], batch: Any, index: int) -> None:
    if batch is None:
        if prod(shape) != 1:
            raise wrong_call(
                RuntimeError(
                    "grad can be implicitly created only for scalar outputs; output "
                    f"{index} has shape {list(shape)}"
                ),
                "give a batch of gradients for each output",
            )
        return
    if not isinstance(batch, Tensor):
        raise wrong_call(
            TypeError(f"gradients can be either Tensors or None, but got {type(batch).__name__}"),
            "give a Tensor whose first dimension is the batch",
        )
    got = tuple(batch.shape)
    if not got or got[0] == 0:
        raise wrong_call(
            IndexError(
                f"is_grads_batched=True, but grad_output[{index}] of shape {list(got)} has no rows"
            ),
            "give at least one row",
        )
    if got[1:] != shape:
        raise wrong_call(
            RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output "
                f"as the batch dimension. Mismatch in shape: the rows of grad_output[{index}] have "
                f"the shape {list(got[1:])}, output[{index}] has {list(shape)}."
            ),
            f"give a gradient of shape {['rows', *shape]}",
        )


def of_wrappers(
    grad: Callable[..., tuple[Tensor | None, ...]],
    outputs: tuple[Any, ...],
    inputs: tuple[Any, ...],
    grad_outputs: tuple[Any, ...] | None,
    **options: Any,
) -> tuple[Tensor | None, ...]:
    """`grad` by tensors that stand for a batch, inside of a vmap: the graph is of what they stand for."""
    from vizgrad.core.batching.unwrapping import (
        as_dimensions,
        as_wrappers,
        depends_on_all,
        open_batches,
    )

    batches = open_batches()
    every = (*outputs, *inputs)
    if not all(isinstance(each, Tensor) and depends_on_all(each, batches) for each in every):
        raise wrong_call(
            RuntimeError(
                "grad() inside of vmap: outputs and inputs must all be made from the batched tensors; what "
                "is the same for all examples has no gradient of each"
            ),
            "use vizgrad.func.grad, which gives each example a gradient",
        )
    given = grad_outputs or (None,) * len(outputs)
    starts = [
        output.new_ones(output.shape) if start is None and not output.ndim else start
        for output, start in zip(outputs, given, strict=True)
    ]
    found = grad(
        [as_dimensions(output, batches) for output in outputs],
        [as_dimensions(each, batches) for each in inputs],
        [None if start is None else as_dimensions(start, batches) for start in starts],
        **options,
    )
    return tuple(None if value is None else as_wrappers(value, batches) for value in found)


def stacked(results: Sequence[tuple[Tensor | None, ...]]) -> tuple[Tensor | None, ...]:
    """The results of all rows, input by input; None where no row gave a gradient."""
    return tuple(map(_column, zip(*results, strict=True)))


def _column(values: tuple[Tensor | None, ...]) -> Tensor | None:
    like = next((value for value in values if value is not None), None)
    if like is None:
        return None
    return stack([like.new_zeros(like.shape) if value is None else value for value in values])
