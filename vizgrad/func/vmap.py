"""`vmap`: a function of one example, as a function of a batch of them (spec D)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from vizgrad.core.arrays import random
from vizgrad.core.batching.level import Batch, Randomness
from vizgrad.core.batching.values import filled, from_front, marked, to_front, unwrapped
from vizgrad.core.function.transform_tensor import wrap
from vizgrad.core.ops.public.joining import cat
from vizgrad.core.tensor.in_memory import sparse_csc, sparse_csr
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.utils._pytree import (
    _broadcast_to_and_flatten,
    tree_flatten,
    tree_unflatten,
)

Dims = int | tuple[Any, ...] | list[Any] | dict[str, Any] | None


def vmap(
    func: Callable[..., Any],
    in_dims: Dims = 0,
    out_dims: Dims = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """`func`, which is written for one example, for all examples along a dimension of its arguments.

    `in_dims` says along which: a number, or numbers in the structure of the tuple of arguments, None for an
    argument that is the same for all; keyword arguments are. `out_dims` says where the dimension is in the
    results. Operations are run once, on the whole batch; inside, tensors look like one example, and their
    elements cannot be asked for (RuntimeError). `randomness` says whether a random operation is an error, or
    draws the "same" or "different" numbers for all examples. `chunk_size` runs so many examples at a time.

    ValueError for dimensions that do not fit the arguments or the results, or results that are no tensors.
    """
    if randomness not in ("error", "different", "same"):
        raise wrong_call(
            RuntimeError(
                f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}"
            ),
            "choose one of these",
        )
    if not (chunk_size is None or chunk_size > 0):
        raise wrong_call(
            ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})"),
            "leave chunk_size out, or say how many examples are run at a time",
        )

    @wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        size, dims, leaves, spec = inputs_of(in_dims, args, func)

        def run(leaves: Sequence[Any], size: int) -> Any:
            return _run(func, size, dims, leaves, spec, out_dims, randomness, kwargs)

        if chunk_size is None or chunk_size >= size:
            return run(leaves, size)
        return _in_chunks(run, size, chunk_size, dims, leaves, out_dims, randomness)

    return wrapped


def _name(func: Callable[..., Any]) -> str:
    return getattr(func, "__name__", repr(func))


def _bad(error: str, fix: str = "give in_dims that fit the arguments") -> ValueError:
    return wrong_call(ValueError(error), fix)


def inputs_of(
    in_dims: Any, args: tuple[Any, ...], func: Any
) -> tuple[int, list[Any], list[Any], Any]:
    """(size of the batch, dimension of each leaf, leaves, structure); ValueError where they do not fit."""
    call = f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>): "
    if not isinstance(in_dims, (int, tuple)):
        raise _bad(
            f"{call}expected `in_dims` to be int or a (potentially nested) tuple matching the structure of "
            f"inputs, got: {type(in_dims)}."
        )
    if not args:
        raise _bad(
            f"vmap({_name(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are "
            "trying to vmap over a function with no inputs. The latter is unsupported.",
            "give the function an argument whose dimension is the batch",
        )
    leaves, spec = tree_flatten(args)
    dims = _broadcast_to_and_flatten(in_dims, spec)
    if dims is None:
        raise _bad(
            f"{call}in_dims is not compatible with the structure of `inputs`. in_dims has structure "
            f"{tree_flatten(in_dims)[1]} but inputs has structure {spec}."
        )
    for nr, (leaf, dim) in enumerate(zip(leaves, dims, strict=True)):
        dims[nr] = _checked(call, leaf, dim)
    sizes = [leaf.shape[d] for leaf, d in zip(leaves, dims, strict=True) if d is not None]
    if not sizes:
        raise _bad(
            f"{call}Expected at least one Tensor to vmap over: all in_dims are None",
            "give an in_dim for the argument that is the batch",
        )
    if len(set(sizes)) > 1:
        raise _bad(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension",
            "give batches of one length",
        )
    return sizes[0], dims, leaves, spec


def _checked(call: str, leaf: Any, dim: Any) -> int | None:
    """The dimension of one argument, counted from the start."""
    if dim is None:
        return None
    if not isinstance(dim, int) or isinstance(dim, bool):
        raise _bad(
            f"{call}Got in_dim={dim} for an input but in_dim must be either an integer dimension or None."
        )
    if not isinstance(leaf, Tensor):
        raise _bad(
            f"{call}Got in_dim={dim} for an input but the input is of type {type(leaf)}. We cannot vmap over "
            "non-Tensor arguments, please use None as the respective in_dim"
        )
    if not -leaf.ndim <= dim < leaf.ndim:
        raise _bad(
            f"{call}Got in_dim={dim} for some input, but that input is a Tensor of dimensionality "
            f"{leaf.ndim} so expected in_dim to satisfy -{leaf.ndim} <= in_dim < {leaf.ndim}."
        )
    if leaf.layout in (sparse_csr, sparse_csc):
        raise wrong_call(
            RuntimeError(
                f"{call}Sparse {repr(leaf.layout)[-3:].upper()} tensors do not have strides: their rows "
                "can't be examples"
            ),
            "give a COO tensor, or call .to_dense() first",
        )
    return dim % leaf.ndim


def _run(
    func: Any, size: int, dims: Sequence[int | None], leaves: Sequence[Any], spec: Any, out_dims: Any,
    randomness: Randomness, kwargs: dict[str, Any],
) -> Any:  # fmt: skip
    with Batch(size, randomness) as level:
        batched = [
            leaf if dim is None else wrap(level, _moved(level, leaf, dim))
            for leaf, dim in zip(leaves, dims, strict=True)
        ]
        outputs = func(*tree_unflatten(batched, spec), **kwargs)
        return _results(level, outputs, out_dims, func)


def _moved(level: Batch, leaf: Tensor, dim: int) -> Tensor:
    """An argument, with the examples in front."""
    return marked(level, to_front(leaf, dim)) if dim else leaf


def _results(level: Batch, outputs: Any, out_dims: Any, func: Any) -> Any:
    """The outputs as batches along `out_dims`."""
    leaves, spec = tree_flatten(outputs)
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise _bad(
                f"vmap({_name(func)}, ...): `{_name(func)}` must only return Tensors, got type "
                f"{type(leaf)} as a return.",
                "return tensors alone",
            )
    dims = _broadcast_to_and_flatten(out_dims, spec)
    if isinstance(outputs, Tensor) and isinstance(out_dims, tuple) and len(out_dims) == 1:
        dims = list(out_dims)
    if dims is None:
        raise _bad(
            f"vmap({_name(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the "
            f"structure of `outputs`. out_dims has structure {tree_flatten(out_dims)[1]} but outputs has "
            f"structure {spec}.",
            "give out_dims in the structure of what the function returns",
        )
    found = [
        _result(level, leaf, dim, out_dims, func) for leaf, dim in zip(leaves, dims, strict=True)
    ]
    return tree_unflatten(found, spec)


def _result(level: Batch, output: Tensor, dim: Any, out_dims: Any, func: Any) -> Tensor:
    value, batched = unwrapped(level, output)
    if dim is None:
        if batched:
            raise _bad(
                f"vmap({_name(func)}, ...): `{_name(func)}` can not return a BatchedTensor when out_dim is "
                "None",
                "say where the dimension of the batch is in the result",
            )
        return value
    if not isinstance(dim, int):
        raise _bad(
            f"vmap({_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python "
            "collection of ints representing where in the outputs the vmapped dimension should appear.",
            "give numbers of dimensions",
        )
    if not batched:
        value = marked(level, filled(value, batched, level.size))
    if not -value.ndim <= dim < value.ndim:
        raise wrong_call(
            IndexError(
                f"Dimension out of range (expected to be in range of [{-value.ndim}, {value.ndim - 1}], but "
                f"got {dim})"
            ),
            "give an out_dim that the result has",
        )
    dim %= value.ndim
    return marked(level, from_front(value, dim), dim) if dim else value


def _in_chunks(
    run: Callable[[Sequence[Any], int], Any], size: int, chunk_size: int, dims: Sequence[int | None],
    leaves: Sequence[Any], out_dims: Any, randomness: str,
) -> Any:  # fmt: skip
    """The examples in groups of `chunk_size`, the results joined."""
    state = random.default_generator().snapshot() if randomness == "same" else None
    results: list[list[Tensor]] = []
    spec: Any = None
    for start in range(0, size, chunk_size):
        length = min(chunk_size, size - start)
        part = [
            leaf if dim is None else leaf.narrow(dim, start, length)
            for leaf, dim in zip(leaves, dims, strict=True)
        ]
        if state is not None:
            random.default_generator().restore(state)
        found, spec = tree_flatten(run(part, length))
        results.append(found)
    ends = _broadcast_to_and_flatten(out_dims, spec)
    if ends is None:
        ends = list(out_dims)
    joined = [
        parts[0] if dim is None else cat(list(parts), dim)
        for parts, dim in zip(zip(*results, strict=True), ends, strict=True)
    ]
    return tree_unflatten(joined, spec)
