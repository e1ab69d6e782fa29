"""Where a backward starts: nodes, and the gradients they are given (E-20 ... E-22)."""

from __future__ import annotations

from math import prod
from typing import Any

from vizgrad.autograd.edges import GradientEdge, engine_edge
from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import CPU, device_of
from vizgrad.core.arrays.current_device import DEVICES, elsewhere, on
from vizgrad.core.arrays.dtypes import from_numpy
from vizgrad.core.arrays.layout import can_sum_to, sum_to
from vizgrad.core.errors import explained, place_of
from vizgrad.core.graph.edges import edge_of
from vizgrad.core.graph.node import Edge, Meta, Node
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.core.tensor.wrong_call import wrong_call


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
            )
        node, nr = (edge.node, edge.input_nr) if type(edge) is Edge else (edge, 0)
    else:
        node, nr = engine_edge(thing)
        like = node.meta(nr)
    grad = root_gradient(like, given, index, create_graph)
    if like.shape and (wanted := node.meta(nr).shape) != like.shape:
        grad = _fitting(grad, like.shape, wanted, index)
    return node, nr, grad


def _fitting(grad: Any, have: tuple[int, ...], wanted: tuple[int, ...], index: int) -> Any:
    """Of a root that was reshaped in place where nothing was recorded: its node knows another shape."""
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


def likeness(thing: Any) -> Any:
    """The array of an output, or the Meta of a GradientEdge: something with its shape and dtype."""
    if isinstance(thing, Tensor):
        return thing._array
    node, nr = engine_edge(thing)
    return node.meta(nr)
