"""Where a backward starts: nodes, and the gradients they are given (E-20 ... E-22).

Several vector-Jacobian products over one graph: `grad(..., is_grads_batched=True)` (E-34).

The graph is run once, on gradients that stand for all rows (`vizgrad.core.batching`). Where a formula, or
a hook, looks at elements, it is run once for each row instead, and the results are stacked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from vizgrad.autograd.graph import GradientEdge, engine_edge
from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import CPU, DEVICES, device_of, elsewhere, on
from vizgrad.core.arrays.dtypes import from_numpy
from vizgrad.core.arrays.layout import can_sum_to, sum_to
from vizgrad.core.errors import explained, place_of
from vizgrad.core.function.transform_tensor import Unreadable, wrap
from vizgrad.core.graph.edges import edge_of
from vizgrad.core.graph.node import Edge, Meta, Node
from vizgrad.core.ops.public.joining import stack
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor, new_tensor


def as_tuple(value: Any) -> tuple[Any, ...]:
    if isinstance(value, Tensor) or value is None or isinstance(value, GradientEdge):
        return (value,)
    return tuple(value)


def root_gradient(array: Any, given: Any, index: int, create_graph: bool) -> Any:
    """The gradient a root starts with: `given`, checked, or ones for a scalar (E-20, E-21).

    `array` is the root's, or the Meta of a GradientEdge: its shape and dtype count.
    """
    if isinstance(given, Tensor):
        own = given._array
        if (
            own.shape == array.shape
            and own.dtype == array.dtype
            and type(own) is type(array) is xp.ndarray
        ):
            return given if create_graph else own
    if given is None:
        if prod(array.shape) != 1:
            raise explained(
                RuntimeError(
                    "grad can be implicitly created only for scalar outputs; output "
                    f"{index} has shape {list(array.shape)}"
                ),
                kind="not-scalar",
                fix="reduce it to one number first (`.sum()`, `.mean()`), or pass the gradient",
                culprit=place_of(caller()),
            )
        if array.dtype.kind == "c":
            raise explained(
                RuntimeError(
                    "grad can be implicitly created only for real scalar outputs but got "
                    f"{from_numpy(array.dtype)}"
                ),
                kind="not-scalar",
                fix="make it real first (`.abs()`, `.real`), or pass the gradient",
                culprit=place_of(caller()),
            )
        ones = _ones_like(array)
        return new_tensor(ones) if create_graph else ones
    _check_kind(given)
    if given._array.shape != array.shape:
        raise explained(
            RuntimeError(
                f"Mismatch in shape: grad_output[{index}] has a shape of "
                f"{list(given._array.shape)} and output[{index}] has a shape of "
                f"{list(array.shape)}."
            ),
            kind="shape-broadcast",
            fix="give a gradient of exactly the output's shape (it is not broadcast)",
            culprit=place_of(caller()),
        )
    if "c" in (given._array.dtype.kind, array.dtype.kind) and given._array.dtype != array.dtype:
        raise explained(
            RuntimeError(
                "For complex Tensors, both grad_output and output are required to have the same "
                f"dtype. Mismatch in dtype: grad_output[{index}] has a dtype of {given.dtype} and "
                f"output[{index}] has a dtype of {from_numpy(array.dtype)}."
            ),
            kind="shape-broadcast",
            fix=f"give a gradient of type {from_numpy(array.dtype)}",
            culprit=place_of(caller()),
        )
    device = array.device if isinstance(array, Meta) else device_of(array)
    if device is not None and given.device != device and given.ndim:
        raise wrong_call(
            RuntimeError(
                f"invalid gradient at index {index} - expected device {device} but got {given.device}"
            ),
            f"give a gradient on {device}",
        )
    if given._array.dtype != array.dtype:
        given = given.to(from_numpy(array.dtype))
    return given if create_graph else given._array


def _check_kind(given: Any) -> None:
    if given is not None and not isinstance(given, Tensor):
        raise wrong_call(
            TypeError(f"gradients can be either Tensors or None, but got {type(given).__name__}"),
            "make a Tensor of it: `vizgrad.tensor(...)`",
        )


def _ones_like(array: Any) -> Any:
    if isinstance(array, Meta):
        with on(array.device or CPU) as namespace:
            return namespace.ones(array.shape, array.dtype)
    if DEVICES.several and (place := elsewhere(array)) is not None:
        with place:
            return _ones_like(array)
    one = array.copy()  # with `fill` a fifth of the time of `ones_like`
    one.fill(1)
    return one


def make_roots(tensors: Any, gradients: Any, create_graph: bool) -> list[tuple[Node, int, Any]]:
    """(node, output_nr, gradient) of each tensor to start from; of one tensor, or of several."""
    if isinstance(tensors, Tensor) and (gradients is None or isinstance(gradients, Tensor)):
        return [_root(tensors, gradients, 0, create_graph)]
    several = as_tuple(tensors)
    given = (None,) * len(several) if gradients is None else as_tuple(gradients)
    check_counts(several, given)
    return [_root(several[i], given[i], i, create_graph) for i in range(len(several))]


def check_counts(tensors: Any, gradients: Any) -> None:
    if len(tensors) != len(gradients):
        for each in gradients:
            _check_kind(each)
        raise wrong_call(
            RuntimeError(f"got {len(tensors)} tensors and {len(gradients)} gradients"),
            "give one gradient (or None) for each tensor",
        )


def _root(thing: Any, given: Any, index: int, create_graph: bool) -> tuple[Node, int, Any]:
    if isinstance(thing, Tensor):
        edge, like = edge_of(thing), thing._array
        if edge is None:
            raise explained(
                RuntimeError(
                    f"element {index} of tensors does not require grad and does not have a grad_fn"
                ),
                kind="cut-detach",
                culprit=place_of(caller()),
                fix="make it from tensors that require grad, outside no_grad and without detach()",
                title="Does not require grad",
            )
        node, nr = (edge.node, edge.input_nr) if type(edge) is Edge else (edge, 0)
    else:
        node, nr = engine_edge(thing)
        like = node.meta(nr)
    grad = root_gradient(like, given, index, create_graph)
    wanted = node.shape if node.outputs == 1 else node.meta(nr).shape
    if wanted != like.shape and like.shape:
        grad = _fitting(grad, like.shape, wanted, index)
    return node, nr, grad


def _fitting(grad: Any, have: tuple[int, ...], wanted: tuple[int, ...], index: int) -> Any:
    """Raised for a root that was reshaped in place where nothing was recorded: its node has another shape."""
    if not can_sum_to(have, wanted):
        raise explained(
            RuntimeError(
                f"invalid gradient at index {index} - got {list(have)} but expected shape compatible "
                f"with {list(wanted)}"
            ),
            kind="shape-broadcast",
            fix="reshape it with history: out of place, or outside of no_grad",
            culprit=place_of(caller()),
        )
    return grad.sum_to_size(wanted) if isinstance(grad, Tensor) else sum_to(grad, wanted)


def prototype(thing: Any) -> Any:
    """The array of an output, or the Meta of a GradientEdge: something with its shape and dtype."""
    if isinstance(thing, Tensor):
        return thing._array
    node, nr = engine_edge(thing)
    return node.meta(nr)


# Several vector-Jacobian products over one graph: `grad(..., is_grads_batched=True)` (E-34).


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
    from vizgrad.core.batching.level import as_dimensions, as_wrappers, depends_on_all, open_batches

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
