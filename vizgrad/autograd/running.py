"""`backward` and `grad`: from the user's arguments to a GraphTask (spec 02 B, C)."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

from vizgrad.arrays import xp
from vizgrad.arrays.backend import CPU, namespace_for
from vizgrad.arrays.dtypes import from_numpy
from vizgrad.autograd.edges import GradientEdge, engine_edge
from vizgrad.engine.array_domain import ARRAYS, TENSORS
from vizgrad.engine.task import Capture, GraphTask
from vizgrad.errors import explained, place_of, warn_once
from vizgrad.graph.accumulate import AccumulateGrad
from vizgrad.graph.edges import edge_of, split_edge
from vizgrad.graph.node import Edge, Meta, Node
from vizgrad.graph.saved import Freed
from vizgrad.tensor.modes import set_grad_mode
from vizgrad.tensor.place import caller
from vizgrad.tensor.tensor import Tensor, new_tensor

Tensors = Tensor | Sequence[Tensor]


def _as_tuple(value: Any) -> tuple[Any, ...]:
    if isinstance(value, Tensor) or value is None or isinstance(value, GradientEdge):
        return (value,)
    return tuple(value)


def _edge(thing: Any) -> tuple[Node, int] | None:
    """Where the gradient of a Tensor or GradientEdge goes; None if it does not require grad."""
    if isinstance(thing, Tensor):
        edge = edge_of(thing)
        return None if edge is None else split_edge(edge)
    return engine_edge(thing)


def root_gradient(array: Any, given: Any, index: int, create_graph: bool) -> Any:
    """The gradient a root starts with: `given`, checked, or ones for a scalar (E-20, E-21).

    `array` is the root's, or the Meta of a GradientEdge: its shape and dtype count.
    """
    if isinstance(given, Tensor):
        own = given._array
        if own.shape == array.shape and own.dtype == array.dtype:
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
            raise RuntimeError(
                "grad can be implicitly created only for real scalar outputs but got "
                f"{from_numpy(array.dtype)}"
            )
        given = new_tensor(_ones_like(array))
    elif not isinstance(given, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(given).__name__}")
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
    if given._array.dtype != array.dtype:
        given = given.to(from_numpy(array.dtype))
    return given if create_graph else given._array


def _ones_like(array: Any) -> Any:
    if isinstance(array, Meta):
        return namespace_for(array.device or CPU).ones(array.shape, array.dtype)
    one = array.copy()  # with `fill` a fifth of the time of `ones_like`
    one.fill(1)
    return one


def make_roots(tensors: Any, gradients: Any, create_graph: bool) -> list[tuple[Node, int, Any]]:
    """(node, output_nr, gradient) of each tensor to start from; of one tensor, or of several."""
    if isinstance(tensors, Tensor) and (gradients is None or isinstance(gradients, Tensor)):
        return [_root(tensors, gradients, 0, create_graph)]
    several = _as_tuple(tensors)
    given = (None,) * len(several) if gradients is None else _as_tuple(gradients)
    if len(several) != len(given):
        raise RuntimeError(f"got {len(several)} tensors and {len(given)} gradients")
    return [_root(several[i], given[i], i, create_graph) for i in range(len(several))]


def _root(thing: Any, given: Any, index: int, create_graph: bool) -> tuple[Node, int, Any]:
    if isinstance(thing, Tensor):
        edge, like = edge_of(thing), thing._array
        if edge is None:
            raise explained(
                RuntimeError(
                    f"element {index} of tensors does not require grad and does not have a grad_fn"
                ),
                kind="cut-detach",
                fix="make it from tensors that require grad, outside no_grad and without detach()",
            )
        node, nr = (edge.node, edge.input_nr) if type(edge) is Edge else (edge, 0)
    else:
        node, nr = engine_edge(thing)
        like = node.meta(nr)
    return node, nr, root_gradient(like, given, index, create_graph)


def make_task(
    roots: list[tuple[Node, int, Any]],
    *,
    retain_graph: bool,
    create_graph: bool,
    captures: dict[Node, list[Capture]] | None = None,
    leaves_wanted: Iterable[Node] = (),
) -> GraphTask:
    return GraphTask(
        roots,
        TENSORS if create_graph else ARRAYS,
        keep_graph=retain_graph,
        freed=Freed(caller()),
        captures=captures,
        leaves_wanted=leaves_wanted,
    )


def backward(
    tensors: Tensors,
    grad_tensors: Tensors | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Adds to `.grad` of the leaves the gradients of `tensors` (spec E-20 ... E-27).

    `grad_tensors` are the vectors of the vector-Jacobian product, one per tensor and of its shape; they
    may be left out for one-element tensors. `inputs` restricts which tensors get gradients.
    Raises RuntimeError for roots without history, a second backward over released values, or a saved
    value that was changed in place.
    """
    task, filled = prepare_backward(tensors, grad_tensors, retain_graph, create_graph, inputs)
    task.run()
    finish_backward(task, filled)


def prepare_backward(
    tensors: Tensors,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> tuple[GraphTask, list[tuple[Tensor, Capture]]]:
    """A task that has not run yet, and the non-leaf `inputs` whose `.grad` it will fill."""
    captures: dict[Node, list[Capture]] | None = None
    wanted: list[Node] = []
    filled: list[tuple[Tensor, Capture]] = []
    if inputs is not None:
        chosen = _as_tuple(inputs)
        if not chosen:
            raise RuntimeError("`inputs` argument to `backward` cannot be empty.")
        captures = {}
        for index, tensor in enumerate(chosen):
            edge = _edge(tensor)
            if edge is None:
                raise RuntimeError(
                    f"One of the differentiated Tensors (inputs[{index}]) does not require grad"
                )
            node, nr = edge
            if isinstance(node, AccumulateGrad):
                wanted.append(node)
            else:
                capture = Capture(nr)
                captures.setdefault(node, []).append(capture)
                filled.append((tensor, capture))
    roots = make_roots(tensors, grad_tensors, create_graph)
    if create_graph:
        warn_once(
            "Using backward() with create_graph=True will create a reference cycle between the "
            "parameter and its gradient which can cause a memory leak. Use autograd.grad instead, "
            "or reset .grad to None after use."
        )
    task = make_task(
        roots,
        retain_graph=create_graph if retain_graph is None else retain_graph,
        create_graph=create_graph,
        captures=captures,
        leaves_wanted=wanted,
    )
    return task, filled


def finish_backward(task: GraphTask, filled: list[tuple[Tensor, Capture]]) -> None:
    """Puts what was captured into `.grad` of the non-leaf `inputs` (E-27), in the run's mode (E-26)."""
    if not filled:
        return
    before = set_grad_mode(not task.domain.raw)
    try:
        for tensor, capture in filled:
            if capture.value is not None:
                task.domain.accumulate(tensor, capture.value, True)
    finally:
        set_grad_mode(before)


def grad(
    outputs: Tensors,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of `outputs` with respect to `inputs`, one per input; `.grad` is left alone.

    See spec E-30 ... E-34. Raises RuntimeError for an input that does not require grad, or that was
    not used (unless `allow_unused`, which gives None for it, or `materialize_grads`, zeros).
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, "
            "but got: allow_unused=False."
        )
    if is_grads_batched:
        raise NotImplementedError("is_grads_batched needs vmap, which this release does not have")
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True)",
            FutureWarning,
            stacklevel=2,
        )
    chosen = _as_tuple(inputs)
    if not chosen:
        raise RuntimeError("grad requires non-empty inputs.")
    roots = make_roots(outputs, grad_outputs, create_graph)
    captures: dict[Node, list[Capture]] = {}
    asked: list[Capture] = []
    for index, wanted in enumerate(chosen):
        edge = _edge(wanted)
        if edge is None:
            raise explained(
                RuntimeError(
                    f"One of the differentiated Tensors does not require grad (input {index})"
                ),
                kind="not-a-leaf",
                fix="call requires_grad_() on it before the forward pass",
            )
        node, nr = edge
        capture = Capture(nr)
        captures.setdefault(node, []).append(capture)
        asked.append(capture)
    task = make_task(
        roots,
        retain_graph=create_graph if retain_graph is None else retain_graph,
        create_graph=create_graph,
        captures=captures,
    )
    task.run()
    return tuple(
        _result(task, wanted, capture, index, bool(allow_unused), materialize_grads)
        for index, (wanted, capture) in enumerate(zip(chosen, asked, strict=True))
    )


def _result(
    task: GraphTask, wanted: Any, capture: Capture, index: int, unused: bool, materialize: bool
) -> Tensor | None:
    if capture.value is not None:
        if task.domain.raw:
            return new_tensor(_own_memory(capture))
        return capture.value
    if materialize and isinstance(wanted, Tensor):
        return new_tensor(xp.zeros_like(wanted._array, subok=False))
    if not unused:
        raise explained(
            RuntimeError(
                "One of the differentiated Tensors appears to not have been used in the graph "
                f"(input {index}). Set allow_unused=True if this is the desired behavior."
            ),
            kind="unused",
            fix="use the tensor on the way to the output, or pass allow_unused=True",
        )
    return None


def _own_memory(capture: Capture) -> Any:
    """A captured array may be shared with the caller's grad_outputs or with other results."""
    value = capture.value
    return value.copy()
