"""Max pooling over windows whose steps are drawn."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays.kernels import places as kernel
from vizgrad.core.errors import wrap_dim
from vizgrad.core.function.bfloat16 import wide
from vizgrad.core.function.transform_tensor import of_examples
from vizgrad.core.ops import pool_indices
from vizgrad.core.ops.public.arguments import check_kind
from vizgrad.core.ops.public.keywords import takes_tensors
from vizgrad.core.ops.public.random_sampling import rand
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.nn.functional.shapes import per_dim


@takes_tensors
def fractional_max_pool2d(
    input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
    return_indices: bool = False, _random_samples: Any = None,
) -> Any:  # fmt: skip
    """The largest of each of `output_size` overlapping windows, whose places are drawn.

    Shapes: input (N, C, H, W) or (C, H, W); `_random_samples` (N, C, 2), in [0, 1), fixes the draws.
    `output_ratio`, in (0, 1), gives the size as a part of the input's. ValueError without either,
    RuntimeError when a window does not fit. B. Graham, Fractional Max-Pooling (2014); T-41.
    """
    return _pool(input, 2, kernel_size, output_size, output_ratio, return_indices, _random_samples)


@takes_tensors
def fractional_max_pool3d(
    input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
    return_indices: bool = False, _random_samples: Any = None,
) -> Any:  # fmt: skip
    """`fractional_max_pool2d` over three dimensions."""
    return _pool(input, 3, kernel_size, output_size, output_ratio, return_indices, _random_samples)


@of_examples
def _pool(
    input: Any, dims: int, kernel_size: Any, output_size: Any, output_ratio: Any,
    return_indices: bool, samples: Any,
) -> Any:  # fmt: skip
    name = f"fractional_max_pool{dims}d"
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    if input.ndim not in (dims + 1, dims + 2):
        if 0 < input.ndim <= dims:
            wrap_dim(-dims - 1, input.ndim)
        raise RuntimeError(
            f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got: {list(input.shape)}"
        )
    check_kind(name, input)
    x = input._array
    size = x.shape[x.ndim - dims :]
    window = per_dim(kernel_size, dims, "kernel_size")
    if output_size is None:
        alone = isinstance(output_ratio, float) and dims == 3
        ratios: Any = (output_ratio,) * dims if alone else output_ratio
        if len(ratios) != dims:
            raise (ValueError if len(ratios) > dims else IndexError)(
                f"{name} requires output_ratio to be a tuple, a part for each of the {dims} dimensions: got "
                f"{output_ratio}"
            )
        output_size = tuple(int(n * r) for n, r in zip(size, ratios, strict=True))
    out = per_dim(output_size, dims, "output_size")
    for axis, n, k, o in zip(("time", "height", "width")[-dims:], size, window, out, strict=True):
        if o + k - 1 > n - (dims == 3):  # PyTorch asks for one more in three dimensions
            raise RuntimeError(
                f"{name}(): pool {axis} {k} too large relative to input {axis} {n}, for {o} windows"
            )
    lead = x.shape[: x.ndim - dims]
    batch = (1, *lead)[-2:]
    if samples is None:
        samples = rand(*batch, dims, dtype=input.dtype, device=input.device)
    elif (
        samples.ndim != 3
        or samples.shape[0] < batch[0]
        or tuple(samples.shape[1:]) != (batch[1], dims)
    ):
        raise RuntimeError(
            f"Expect _random_samples.size(0) no less then input batch size, in shape "
            f"{[*batch, dims]}, got {list(samples.shape)}"
        )
    draws = samples._array[: batch[0]].reshape(*lead, dims)
    # Of an image the first draw is the width's, of a block it is the first axis's.
    order = range(dims) if dims == 3 else reversed(range(dims))
    starts = [
        kernel.window_starts(draws[..., i], *geometry)
        for i, geometry in zip(order, zip(size, window, out, strict=True), strict=True)
    ]
    index = kernel.window_maxima(wide(x), starts, window)
    result = pool_indices.FRACTIONAL_MAX[dims].record(input, index=index)
    # the node keeps its own: the user may write to what is returned
    return (result, new_tensor(index.copy())) if return_indices else result
