"""`backward` and `grad`: from the user's arguments to a GraphTask (spec 02 B, C)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from vizgrad.autograd.graph import engine_edge
from vizgrad.autograd.roots import (
    all_rows,
    as_tuple,
    check_counts,
    check_rows,
    make_roots,
    of_wrappers,
    prototype,
)
from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import DEVICES, on_device_of
from vizgrad.core.engine.domain import ARRAYS, DUALS, TENSORS
from vizgrad.core.engine.task import Capture, GraphTask
from vizgrad.core.errors import explained, hide_frames, place_of, warn_once
from vizgrad.core.function.transform_tensor import stands_for_others
from vizgrad.core.graph.edges import AccumulateGrad, cut_off, edge_of, split_edge
from vizgrad.core.graph.node import Node
from vizgrad.core.graph.saved import Freed
from vizgrad.core.tensor.modes import GUARD, MODES, in_a_transform
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor, new_tensor

# These handlers are asked before a backward runs: each may run it in another way, or not at all.


class Call(NamedTuple):
    """A call of `backward`, with its arguments."""

    tensors: Any
    gradient: Any
    retain_graph: bool | None
    create_graph: bool
    inputs: Any


Ask = Callable[[Call], bool]
_asks: list[Ask] = []


def was_done(
    tensors: Any, gradient: Any, retain_graph: bool | None, create_graph: bool, inputs: Any
) -> bool:
    """Did a handler run it? Raises the handler's errors."""
    return bool(_asks) and _asks[-1](Call(tensors, gradient, retain_graph, create_graph, inputs))


@contextmanager
def asking(ask: Ask) -> Generator[None]:
    """In the block `ask(call)` is called before each backward of any thread; True: it has run it."""
    _asks.append(ask)
    try:
        yield
    finally:
        _asks.remove(ask)


Tensors = Tensor | Sequence[Tensor]


def _end(thing: Any, which: str) -> tuple[Node, int]:
    """Where the gradient of a Tensor or GradientEdge goes; RuntimeError if it requires none."""
    if not isinstance(thing, Tensor):
        return engine_edge(thing)
    edge = edge_of(thing)
    if edge is None and cut_off(thing):
        return AccumulateGrad(thing), 0  # no gradient comes there
    if edge is None:
        raise explained(
            RuntimeError(f"One of the differentiated Tensors ({which}) does not require grad"),
            kind="not-a-leaf",
            culprit=place_of(caller()),
            fix="call requires_grad_() on it before the forward pass",
        )
    return split_edge(edge)


def make_task(
    roots: list[tuple[Node, int, Any]],
    *,
    retain_graph: bool,
    create_graph: bool,
    captures: dict[Node, list[Capture]] | None = None,
    wanted: Iterable[Node] = (),
    boxed: bool = False,
) -> GraphTask:
    """`boxed`: gradients are tensors without a graph too: they stand for many, or carry tangents."""
    return GraphTask(
        roots,
        TENSORS if create_graph else DUALS if boxed else ARRAYS,
        keep_graph=retain_graph,
        freed=Freed(caller(3)),  # the caller called a function that calls this one
        captures=captures,
        wanted=wanted,
    )


def backward(
    tensors: Tensors,
    grad_tensors: Tensors | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Adds to `.grad` of the leaves the gradients of `tensors`.

    `grad_tensors` are the vectors of the vector-Jacobian product, one per tensor and of its shape; they
    may be left out for one-element tensors. `inputs` restricts which tensors get gradients;
    `grad_variables` is an old name of `grad_tensors`.
    Raises RuntimeError for roots without history, a second backward over released values, or a saved
    value that was changed in place.
    """
    # E-20 ... E-27
    if grad_variables is not None:
        grad_tensors = _old_name(grad_tensors, grad_variables)
    try:
        if not was_done(tensors, grad_tensors, retain_graph, create_graph, inputs):
            prepare_backward(tensors, grad_tensors, retain_graph, create_graph, inputs).run()
    except Exception as error:
        hide_frames(error)
        raise


def _old_name(grad_tensors: Any, grad_variables: Any) -> Any:
    warnings.warn(
        "`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=3
    )
    if grad_tensors is not None:
        raise wrong_call(
            RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
                "`backward()`. Please only use `grad_tensors`."
            ),
            "pass `grad_tensors` alone",
        )
    return grad_variables


def prepare_backward(
    tensors: Tensors,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> GraphTask:
    """A task that has not run yet. Non-leaf `inputs` retain their gradients from now on (E-27)."""
    if GUARD.transforms and in_a_transform():
        raise explained(
            RuntimeError(
                "backward() called inside a functorch transform. This is not supported, please use "
                "func.grad or func.vjp instead, or call backward() outside of the transforms"
            ),
            kind="grad-mode",
            culprit=place_of(caller()),
            fix="return the value, and differentiate the whole with vizgrad.func.grad",
        )
    chosen = None if inputs is None else as_tuple(inputs)
    if chosen == ():
        raise wrong_call(
            RuntimeError("`inputs` argument to `backward` cannot be empty."),
            "leave `inputs` out to fill `.grad` of all leaves",
        )
    boxed = MODES.levels != ()
    roots = make_roots(tensors, grad_tensors, create_graph or boxed)
    captures: dict[Node, list[Capture]] | None = None
    wanted: list[Node] = []
    if chosen is not None:
        captures = {}
        ends = [_end(thing, f"inputs[{index}]") for index, thing in enumerate(chosen)]
        # every input is good: only now is anything changed
        for thing, (node, nr) in zip(chosen, ends, strict=True):
            if isinstance(node, AccumulateGrad):
                wanted.append(node)
                continue
            captures.setdefault(node, []).append(Capture(nr))  # not run for nobody (E-27)
            if isinstance(thing, Tensor):
                thing.retain_grad()
    if create_graph:
        warn_once(
            "Using backward() with create_graph=True will create a reference cycle between the "
            "parameter and its gradient which can cause a memory leak. Use autograd.grad instead, "
            "or reset .grad to None after use."
        )
    return make_task(
        roots,
        retain_graph=create_graph if retain_graph is None else retain_graph,
        create_graph=create_graph,
        captures=captures,
        wanted=wanted,
        boxed=boxed,
    )


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

    With `is_grads_batched` the first dimension of each grad_output is a batch, and so is that of the
    results; hooks are called once, with tensors that stand for all rows. Raises
    RuntimeError for an input that does not require grad, or that was not used (unless `allow_unused`, which
    gives None for it, or `materialize_grads`, zeros).
    """
    # E-30 ... E-34
    if materialize_grads and allow_unused is False:
        raise wrong_call(
            ValueError(
                "Expected allow_unused to be True or not passed when materialize_grads=True, "
                "but got: allow_unused=False."
            ),
            "leave allow_unused out: zeros are given for what was not used",
        )
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True)",
            FutureWarning,
            stacklevel=2,
        )
    chosen = as_tuple(inputs)
    if not chosen:
        raise wrong_call(
            RuntimeError("grad requires non-empty inputs."), "name the tensors to differentiate"
        )
    if retain_graph is None:
        retain_graph = create_graph
    if GUARD.transforms and not is_grads_batched and any(map(stands_for_others, chosen)):
        return of_wrappers(
            grad, as_tuple(outputs), chosen, None if grad_outputs is None else as_tuple(grad_outputs),
            retain_graph=retain_graph, create_graph=create_graph, allow_unused=allow_unused,
            materialize_grads=materialize_grads,
        )  # fmt: skip
    if is_grads_batched:
        return _batched(
            outputs, chosen, grad_outputs, retain_graph, create_graph,
            bool(allow_unused), materialize_grads,
        )  # fmt: skip
    try:
        boxed = MODES.levels != () or _is_batched(grad_outputs)
        roots = make_roots(outputs, grad_outputs, create_graph or boxed)
        captures: dict[Node, list[Capture]] = {}
        asked: list[Capture] = []
        for index, wanted in enumerate(chosen):
            node, nr = _end(wanted, f"input {index}")
            capture = Capture(nr)
            captures.setdefault(node, []).append(capture)
            asked.append(capture)
        task = make_task(
            roots,
            retain_graph=retain_graph,
            create_graph=create_graph,
            captures=captures,
            boxed=boxed,
        )
        task.run()
        return tuple(
            _result(task, wanted, capture, index, bool(allow_unused), materialize_grads)
            for index, (wanted, capture) in enumerate(zip(chosen, asked, strict=True))
        )
    except Exception as error:
        hide_frames(error)
        raise


def _batched(
    outputs: Any,
    inputs: tuple[Any, ...],
    grad_outputs: Any,
    retain_graph: bool,
    create_graph: bool,
    allow_unused: bool,
    materialize: bool,
) -> tuple[Tensor | None, ...]:
    """`grad` of all rows of `grad_outputs` at once (E-34)."""
    several = as_tuple(outputs)
    given = (None,) * len(several) if grad_outputs is None else as_tuple(grad_outputs)
    check_counts(several, given)
    if not create_graph:
        given = tuple(g.detach() if isinstance(g, Tensor) else g for g in given)
    check_rows([prototype(thing).shape for thing in several], given)

    def of_row(row: Sequence[Any], keep: bool) -> tuple[Tensor | None, ...]:
        return grad(
            several, inputs, row, retain_graph=keep, create_graph=create_graph,
            allow_unused=allow_unused or materialize,
        )  # fmt: skip

    results = all_rows(of_row, given, retain_graph)
    if not materialize:
        return results
    # as in PyTorch, what was not used has no batch dimension
    return tuple(
        _zeros(wanted, create_graph) if value is None else value
        for wanted, value in zip(inputs, results, strict=True)
    )


def _is_batched(gradients: Any) -> bool:
    """Does one of them stand for many?"""
    return bool(GUARD.transforms) and any(map(stands_for_others, as_tuple(gradients)))


def _result(
    task: GraphTask, wanted: Any, capture: Capture, index: int, unused: bool, materialize: bool
) -> Tensor | None:
    if capture.value is not None:
        if task.domain.raw:
            return new_tensor(_own_memory(capture))
        return capture.value if task.domain.records else capture.value.clone()
    if materialize:
        return _zeros(wanted, task.domain.records)
    if not unused:
        raise explained(
            RuntimeError(
                "One of the differentiated Tensors appears to not have been used in the graph "
                f"(input {index}). Set allow_unused=True if this is the desired behavior."
            ),
            kind="unused",
            culprit=place_of(caller()),
            fix="use the tensor on the way to the output, or pass allow_unused=True",
        )
    return None


def _zeros(wanted: Any, requires_grad: bool) -> Tensor:
    """The result of `materialize_grads` for an unused input; with create_graph it requires grad."""
    if not isinstance(wanted, Tensor):
        raise wrong_call(
            RuntimeError(
                "materialize_grads cannot be used when the given input is a GradientEdge that was not used: "
                "an edge does not say what its zeros are like"
            ),
            "pass the tensor itself, or allow_unused=True",
            "unused",
        )
    with on_device_of(wanted):
        zeros = new_tensor(xp.zeros_like(wanted._array))
    return zeros.requires_grad_() if requires_grad else zeros


def _own_memory(capture: Capture) -> Any:
    """A copy with the same strides: a captured array may be shared with the caller's grad_outputs or with
    other results.
    """
    value = capture.value
    if DEVICES.several:
        with on_device_of(value):
            return value.copy("K")
    return value.copy("K")
