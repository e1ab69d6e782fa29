"""Whole Jacobians: all rows of them by one backward, or all columns by one forward pass (spec C-4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from math import prod
from typing import Any

from vizgrad.autograd.forward_ad import new_level
from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import on_device_of
from vizgrad.core.batching.level import Batch
from vizgrad.core.batching.values import filled, unwrapped
from vizgrad.core.function.transform_tensor import wrap
from vizgrad.core.ops.constants import place_of, zeros_beside
from vizgrad.core.ops.public.joining import cat
from vizgrad.core.ops.tangents.structure import primal_of
from vizgrad.core.tensor.duals import set_tangent
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.func.differentiating import in_normal_mode
from vizgrad.func.forward import Forward, check_pair, dual_of, only_tensors, parts_of
from vizgrad.func.reverse import (
    Argnums,
    checked_argnums,
    like_argnums,
    output_and_aux,
    vjp,
    with_arguments,
)
from vizgrad.utils._pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten


def _basis(leaves: Sequence[Tensor], start: int, end: int) -> list[Tensor]:
    """Rows start, ... of the unit vectors of all elements of `leaves`, as parts of the shape of each."""
    found: list[Tensor] = []
    first = 0
    for leaf in leaves:
        size = prod(leaf.shape)
        low, high = max(start, first), min(end, first + size)
        with on_device_of(place_of(leaf)):
            rows = xp.zeros_like(place_of(leaf), shape=((end - start) * size,), order="C")
            if low < high:  # one in each of these rows, one place further each time
                begin = (low - start) * size + low - first
                rows[begin : begin + (high - low) * (size + 1) : size + 1] = 1
        found.append(new_tensor(rows.reshape((end - start, *leaf.shape))))
        first += size
    return found


def _only_real(name: str, leaves: Sequence[Any], what: str) -> None:
    """RuntimeError for complex numbers: their derivative by a unit along 1 alone is half of it."""
    for nr, leaf in enumerate(leaves):
        if isinstance(leaf, Tensor) and leaf.is_complex():
            raise wrong_call(
                RuntimeError(
                    f"{name}: Expected all {what} to be real but received complex tensor at flattened "
                    f"{what[:-1]} idx: {nr}"
                ),
                "take and give real and imaginary parts, with vizgrad.view_as_real",
            )


# --- rows ----------------------------------------------------------------------------------------------


def jacrev(
    func: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False,
    chunk_size: int | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """A function that gives the Jacobian of `func` by its arguments `argnums`, in reverse mode.

    For each output of shape s, and each of these arguments, of shape t, it has a tensor of shape s + t, in
    the structure of the outputs, and in it that of the arguments. All rows are computed by one backward on a
    batch of cotangents; with `chunk_size` so many at a time.
    """
    if chunk_size is not None and chunk_size <= 0:
        raise wrong_call(
            ValueError("jacrev: `chunk_size` should be greater than 0."),
            "leave it out, or say how many rows are computed at a time",
        )

    @wraps(func)
    @in_normal_mode
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        _only_real("jacrev", tree_leaves(args), "inputs")
        places = checked_argnums(argnums, len(args))

        def of_chosen(*chosen: Any) -> Any:
            return func(*with_arguments(args, places, chosen), **kwargs)

        found = vjp(of_chosen, *[args[place] for place in places], has_aux=has_aux)
        outputs, out_spec = tree_flatten(found[0])
        _only_real("jacrev", outputs, "outputs")
        pull = found[1]
        total = sum(prod(leaf.shape) for leaf in outputs)
        step = total if chunk_size is None else chunk_size
        parts: list[list[Tensor]] = []
        spec: Any = None
        for start in range(0, max(total, 1), max(step, 1)):
            end = min(start + step, total)
            with Batch(end - start) as level:
                cotangents = [wrap(level, rows) for rows in _basis(outputs, start, end)]
                rows, spec = tree_flatten(pull(tree_unflatten(cotangents, out_spec)))
            parts.append([filled(*unwrapped(level, row), end - start) for row in rows])
        whole = [
            several[0] if len(several) == 1 else cat(list(several), 0)
            for several in zip(*parts, strict=True)
        ]
        jacobians, first = [], 0
        for leaf in outputs:
            size = prod(leaf.shape)
            own = [
                part.reshape((*leaf.shape, *part.shape[1:])) if leaf.ndim != 1 else part
                for rows in whole
                for part in [rows if size == total else rows[first : first + size]]
            ]
            jacobians.append(like_argnums(argnums, tree_unflatten(own, spec)))
            first += size
        jacobian = tree_unflatten(jacobians, out_spec)
        return (jacobian, found[2]) if has_aux else jacobian

    return wrapped


# --- columns -------------------------------------------------------------------------------------------


def jacfwd(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, *,
    randomness: str = "error",
) -> Callable[..., Any]:  # fmt: skip
    """A function that gives the Jacobian of `func` as `jacrev` does, in forward mode.

    The function is computed once, with a batch of tangents beside each value: all columns. `randomness` is
    what it is for `vmap`.
    """

    @wraps(func)
    @in_normal_mode
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        _only_real("jacfwd", tree_leaves(args), "inputs")
        places = checked_argnums(argnums, len(args))
        leaves, spec = tree_flatten(tuple(args[place] for place in places))
        for leaf in leaves:
            check_pair(leaf, leaf)
        total = sum(prod(leaf.shape) for leaf in leaves)
        batch = Batch(total, randomness)  # pyright: ignore[reportArgumentType]  as vmap's
        batch.of_tangents, batch.framed = True, False
        with Forward(func, args), new_level() as level, batch:
            inputs = [
                dual_of(leaf, wrap(batch, columns), level, _attached)
                for leaf, columns in zip(leaves, _basis(leaves, 0, total), strict=True)
            ]
            given = with_arguments(args, places, tree_unflatten(inputs, spec))
            output, aux = output_and_aux(func(*given, **kwargs), has_aux, "jacfwd(f)(*args)")
            outputs, out_spec = tree_flatten(output)
            only_tensors(outputs, "jacfwd(f)(*args)")
            _only_real("jacfwd", outputs, "outputs")
            found = [parts_of(leaf, level) for leaf in outputs]
            values = [
                filled(*unwrapped(batch, zeros_beside(p, p.shape) if t is None else t), total)
                for p, t in found
            ]
            if has_aux:
                aux = tree_map(lambda leaf: parts_of(leaf, level)[0], aux)
        jacobians = []
        for value in values:
            columns = value.movedim(0, -1)
            own, first = [], 0
            for leaf in leaves:
                size = prod(leaf.shape)
                part = columns if size == total else columns[..., first : first + size]
                own.append(
                    part if leaf.ndim == 1 else part.reshape((*part.shape[:-1], *leaf.shape))
                )
                first += size
            jacobians.append(like_argnums(argnums, tree_unflatten(own, spec)))
        jacobian = tree_unflatten(jacobians, out_spec)
        return (jacobian, aux) if has_aux else jacobian

    return wrapped


def _attached(primal: Tensor, tangent: Tensor, level: Any) -> Tensor:
    """`primal` with a tangent that stands for many."""
    dual = primal_of(primal)
    set_tangent(dual, level, tangent)
    return dual


def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """A function that gives the second derivatives of `func`: forward mode over reverse mode."""
    return jacfwd(jacrev(func, argnums), argnums)
