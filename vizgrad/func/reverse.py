"""Reverse mode as functions of functions: `grad`, `grad_and_value`, `vjp` (spec C)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from vizgrad.autograd.running import make_task
from vizgrad.core.arrays import layout, xp
from vizgrad.core.arrays.backend import on_device_of, writeable
from vizgrad.core.batching.level import as_dimensions, as_wrappers, depends_on_all
from vizgrad.core.engine.task import Capture
from vizgrad.core.function.transform_tensor import Wrapped
from vizgrad.core.graph.edges import edge_of, split_edge
from vizgrad.core.graph.node import Node
from vizgrad.core.ops.constants import zeros_beside
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.func.differentiating import Differentiation, in_normal_mode, plain
from vizgrad.utils._pytree import tree_flatten, tree_map, tree_unflatten

Argnums = int | tuple[int, ...]


def _wrong(message: str, fix: str) -> RuntimeError:
    return wrong_call(RuntimeError(message), fix)


# --- which arguments -----------------------------------------------------------------------------------


def checked_argnums(argnums: Any, count: int) -> tuple[int, ...]:
    """Places of arguments, counted from the start; RuntimeError for what is none."""
    if not isinstance(argnums, (int, tuple)) or isinstance(argnums, bool):
        raise _wrong(
            f"argnums must be int or Tuple[int, ...], got: {type(argnums)}",
            "give the number of an argument, or a tuple of such",
        )
    several = argnums if isinstance(argnums, tuple) else (argnums,)
    if not several:
        raise _wrong("argnums must be non-empty", "name an argument to differentiate by")
    found: list[int] = []
    for each in several:
        if not isinstance(each, int) or isinstance(each, bool):
            raise _wrong(
                f"argnums must be int or Tuple[int, ...], got: {argnums}", "give whole numbers"
            )
        if not -count <= each < count:
            raise _wrong(
                f"Got argnum={each}, but only {count} positional inputs",
                "count the arguments from 0",
            )
        found.append(each % count)
    if len(set(found)) < len(found):
        raise _wrong(f"argnums elements must be unique, got {argnums}", "name each argument once")
    return tuple(found)


def like_argnums(argnums: Argnums, values: Sequence[Any]) -> Any:
    """One value for one number, a tuple for a tuple."""
    return tuple(values) if isinstance(argnums, tuple) else values[0]


def with_arguments(
    args: tuple[Any, ...], places: Sequence[int], values: Sequence[Any]
) -> list[Any]:
    out = list(args)
    for place, value in zip(places, values, strict=True):
        out[place] = value
    return out


def output_and_aux(output: Any, has_aux: bool, call: str) -> tuple[Any, Any]:
    if not has_aux:
        return output, None
    if not (isinstance(output, tuple) and len(output) == 2):
        raise _wrong(
            f"{call}: output of function f should be a tuple: (output, aux) if has_aux is True",
            "return a pair",
        )
    return output


def closed_aux(level: Differentiation, aux: Any) -> Any:
    def close(leaf: Any) -> Tensor:
        if not isinstance(leaf, Tensor):
            raise _wrong(
                f"Expected tensors, got unsupported type {type(leaf)}",
                "let aux be made of tensors",
            )
        return level.closed(leaf)

    return tree_map(close, aux)


# --- gradients -----------------------------------------------------------------------------------------


def pulled(
    level: Differentiation,
    outputs: Sequence[Tensor],
    inputs: Sequence[Tensor],
    cotangents: Sequence[Tensor | None],
    *,
    record: bool,
    keep: bool,
    reached: bool | None = None,
) -> list[Tensor]:
    """The vector-Jacobian products of `outputs`, seen inside of `level`, by what it opened (`inputs`).

    `record`: they may have a history, if something outside is reached; `reached` says so where it is known.
    Ones stand for a cotangent of None.
    """
    known = [depends_on_all(output, level.batches) for output in outputs]
    values = [as_dimensions(o, level.batches) for o, on in zip(outputs, known, strict=True) if on]
    given = [
        None if c is None else as_dimensions(c, level.batches)
        for c, on in zip(cotangents, known, strict=True)
        if on
    ]
    graph = record and (
        (level.reaches_outside(values) if reached is None else reached)
        or any(c is not None and _tracked(c) for c in given)
    )
    batched = any(isinstance(c, Wrapped) for c in given)
    raw = not (graph or batched or MODES.levels)
    roots = [
        (*split_edge(edge), _start(value, cotangent, raw))
        for value, cotangent in zip(values, given, strict=True)
        if (edge := edge_of(value)) is not None
    ]
    captures: dict[Node, list[Capture]] = {}
    asked: list[Capture] = []
    for each in inputs:
        node, nr = split_edge(plain(each)._edge)
        capture = Capture(nr)
        captures.setdefault(node, []).append(capture)
        asked.append(capture)
    if roots:
        make_task(
            roots,
            retain_graph=keep or graph,
            create_graph=graph,
            captures=captures,
            boxed=not raw,
        ).run()
    found = [_found(c, plain(i), raw) for c, i in zip(asked, inputs, strict=True)]
    if raw:
        _unshared(found, given)
    results = [as_wrappers(value, level.batches) for value in found]
    if raw:  # they have no history, and no tangents
        return results
    return [level.closed(result) for result in results]


def _tracked(tensor: Tensor) -> bool:
    return bool(plain(tensor)._tracked) and plain(tensor).requires_grad


def _start(value: Tensor, cotangent: Tensor | None, raw: bool) -> Any:
    if cotangent is None:
        with on_device_of(value):
            ones = xp.ones_like(value._array, order="C")
        return ones if raw else new_tensor(ones)
    return cotangent._array if raw else cotangent


def _found(capture: Capture, value: Tensor, raw: bool) -> Tensor:
    if capture.value is None:
        return zeros_beside(value, value.shape)
    return new_tensor(capture.value) if raw else capture.value


def _unshared(found: list[Tensor], given: Sequence[Tensor | None]) -> None:
    """Gives each result memory of its own: an array may arrive at several places, or be a cotangent."""
    seen = {layout.block_of(c._array) for c in given if c is not None}
    for tensor in found:
        array = tensor._array
        memory = layout.block_of(array)
        if memory in seen or not writeable(array) or layout.overlaps_itself(array):
            tensor._array = array.copy()
        seen.add(memory)


# --- grad ----------------------------------------------------------------------------------------------


def grad_and_value(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that gives (gradient of `func` by its arguments `argnums`, value).

    `func` returns a tensor without dimensions; with `has_aux` a pair of it and of tensors that are handed
    through: then the second result is (value, aux). Arguments may be nests of tensors, and so are the
    gradients. RuntimeError for other outputs, integers and wrong `argnums`, ValueError for arguments that are
    no tensors.
    """
    call = "grad_and_value(f)(*args)"

    @wraps(func)
    @in_normal_mode
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        places = checked_argnums(argnums, len(args))
        level = Differentiation(func, args)
        leaves, spec = tree_flatten([args[place] for place in places])
        opened = [level.opened(leaf) for leaf in leaves]
        with level:
            given = with_arguments(args, places, tree_unflatten(opened, spec))
            output, aux = output_and_aux(func(*given, **kwargs), has_aux, call)
            if not isinstance(output, Tensor):
                raise _wrong(
                    f"{call}: Expected f(*args) to return a Tensor, got {type(output)}",
                    "return a tensor without dimensions",
                )
            if output.dim() != 0:
                raise _wrong(
                    f"{call}: Expected f(*args) to return a scalar Tensor, got tensor with "
                    f"{output.dim()} dims. Maybe you wanted to use the vjp or jacrev APIs instead?",
                    "reduce it to one number, e.g. with .sum(), or use vjp or jacrev",
                )
            if output.is_complex():
                raise _wrong(
                    f"{call}: Expected f(*args) to return a real tensor. Got tensor of dtype {output.dtype}.",
                    "return a real number, e.g. .abs()",
                )
        record = level.recorded_outside
        reached = record and level.reaches_outside([output])
        found = pulled(level, [output], opened, [None], record=record, keep=False, reached=reached)
        gradients = like_argnums(argnums, tree_unflatten(found, spec))
        value = level.closed(output, reached)
        return gradients, (value, closed_aux(level, aux)) if has_aux else value

    return wrapped


def grad(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that gives the gradient of `func` by its arguments `argnums`; see `grad_and_value`.

    With `has_aux` it gives (gradient, aux).
    """
    both = grad_and_value(func, argnums, has_aux)

    @wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        gradients, value = both(*args, **kwargs)
        return (gradients, value[1]) if has_aux else gradients

    return wrapped


@in_normal_mode
def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """(func(*primals), a function of cotangents that gives their products with the Jacobian).

    The products come as a tuple, one for each of `primals`; the function may be called again, and under
    other transforms. Cotangents have the structure and shapes of the output. With `has_aux` `func` returns a
    pair, and the tensors of its second part are the third result.
    """
    call = "vjp(f, *primals)"
    level = Differentiation(func, primals)
    leaves, spec = tree_flatten(primals)
    opened = [level.opened(leaf) for leaf in leaves]
    with level:
        output, aux = output_and_aux(func(*tree_unflatten(opened, spec)), has_aux, call)
        outputs, out_spec = tree_flatten(output)
        for leaf in outputs:
            if not isinstance(leaf, Tensor):
                raise _wrong(
                    f"{call}: expected f(*primals) to return only tensors, got unsupported type "
                    f"{type(leaf)}",
                    "return tensors alone",
                )

    @in_normal_mode
    def vjp_fn(
        *cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None
    ) -> Any:
        """The product of the cotangents with the Jacobian, for each primal."""
        given, given_spec = tree_flatten(cotangents[0] if len(cotangents) == 1 else cotangents)
        if given_spec != out_spec:
            raise _wrong(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to "
                f"the function. cotangents: {given_spec}, primal output: {out_spec}",
                "give a cotangent for each output",
            )
        _check_shapes(outputs, given)
        record = MODES.grad if create_graph is None else create_graph
        found = pulled(level, outputs, opened, given, record=record, keep=retain_graph)
        return tree_unflatten(found, spec)

    results = tree_unflatten([level.closed(leaf) for leaf in outputs], out_spec)
    return (results, vjp_fn, closed_aux(level, aux)) if has_aux else (results, vjp_fn)


def _check_shapes(outputs: Sequence[Tensor], cotangents: Sequence[Any]) -> None:
    for index, (output, cotangent) in enumerate(zip(outputs, cotangents, strict=True)):
        if not isinstance(cotangent, Tensor):
            raise wrong_call(
                TypeError(
                    f"gradients can be either Tensors or None, but got {type(cotangent).__name__}"
                ),
                "give a Tensor of the shape of the output",
            )
        if tuple(cotangent.shape) != tuple(output.shape):
            raise _wrong(
                f"Mismatch in shape: grad_output[{index}] has a shape of {list(cotangent.shape)} and "
                f"output[{index}] has a shape of {list(output.shape)}.",
                "give a cotangent of exactly the shape of the output",
            )
