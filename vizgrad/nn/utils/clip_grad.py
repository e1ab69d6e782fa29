"""Limiting gradients before a step (T-56)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import (
    DEVICES,
    as_array,
    device_of,
    on_device_of,
    places,
    to_device,
)
from vizgrad.core.arrays.fusion.many import together
from vizgrad.core.arrays.kernels import optimizers as rule
from vizgrad.core.arrays.layout import shaped
from vizgrad.core.arrays.sparse import SparseUnsupported, is_sparse
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.tensor import Tensor, new_tensor, storage_of

Tensors = Tensor | Iterable[Tensor]


def _gradients(parameters: Tensors) -> list[Tensor]:
    listed = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [p._grad for p in listed if p._grad is not None]


def _norm(arrays: list[Any], norm_type: float) -> Any:
    """The norm of all elements together, as a 0-dim array."""
    if norm_type == math.inf:
        parts = [as_array(xp.abs(a).max()) for a in arrays if a.size]
        parts = parts or [shaped(xp.zeros_like, arrays[0], shape=())]
        return as_array(xp.max(xp.stack(parts)))
    if norm_type == 2:
        if (found := rule.squares(arrays)) is not None:
            return xp.sqrt(found).astype(arrays[0].dtype)
        squares = [xp.vdot(a, a).real if a.flags.c_contiguous else (a * a).sum() for a in arrays]
        return as_array(xp.sqrt(sum(squares[1:], squares[0])))
    if norm_type == 0:  # of the norms of each: how many are not all zero
        return as_array(sum((a != 0).any() for a in arrays)).astype(arrays[0].dtype)
    powers = [(xp.abs(a) ** norm_type).sum() for a in arrays]
    return as_array(sum(powers[1:], powers[0]) ** (1.0 / norm_type))


def _norm_there(array: Any, norm_type: float, first: Any) -> Any:
    """The norm of one array, computed on its device and brought to that of `first`."""
    with on_device_of(array):
        found = _norm([array], norm_type)
    return to_device(found, device_of(first))


def get_total_norm(
    tensors: Tensors, norm_type: float = 2.0, error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:  # fmt: skip
    """The norm of all elements of all tensors together; RuntimeError if asked for when not finite."""
    listed = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    arrays = [t._array for t in listed]
    if not arrays:
        return new_tensor(xp.zeros((), "float32"))
    for array in arrays:
        if is_sparse(array):
            raise SparseUnsupported("linalg_vector_norm", array.layout)
    with xp.errstate(all="ignore"), on_device_of(arrays[0]):
        if (
            DEVICES.several and len(places(arrays)) > 1
        ):  # as in PyTorch, their norms meet on the first
            arrays = [_norm_there(array, float(norm_type), arrays[0]) for array in arrays]
        total = _norm(arrays, float(norm_type))
    if error_if_nonfinite and not bool(xp.isfinite(total)):
        raise RuntimeError(
            f"The total norm of order {float(norm_type)} for gradients from `parameters` is "
            "non-finite, so it cannot be clipped. To disable this error and scale the gradients by "
            "the non-finite norm anyway, set `error_if_nonfinite=False`"
        )
    return new_tensor(total)


def clip_grads_with_norm_(
    parameters: Tensors, max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scales gradients in place by max_norm / (total_norm + 1e-6), if that is below 1."""
    grads = _gradients(parameters)
    if not grads:
        return
    site = caller()
    with xp.errstate(all="ignore"):
        with on_device_of(total_norm):
            factor = xp.minimum(max_norm / (total_norm._array + 1e-6), 1.0)
        with together():
            for grad in grads:
                array = grad._array
                with on_device_of(array):
                    here = to_device(factor, device_of(array)) if DEVICES.several else factor
                    rule.scale_by(array, here.astype(array.dtype, copy=False))
        for grad in grads:
            storage_of(grad).wrote("clip_grad_norm_", site)


def clip_grad_norm_(
    parameters: Tensors, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:  # fmt: skip
    """Scales gradients in place so that their norm together is at most `max_norm`.

    Returns the norm before. Gradients whose norm is NaN become NaN, unless `error_if_nonfinite`
    (RuntimeError).
    """
    listed = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    if not listed and isinstance(parameters, Iterator):
        warnings.warn(
            "`parameters` is an empty generator, no gradient clipping will occur: it may have been used "
            "up before",
            UserWarning,
            stacklevel=2,
        )
    total = get_total_norm(_gradients(listed), norm_type, error_if_nonfinite)
    clip_grads_with_norm_(listed, float(max_norm), total)
    return total


def clip_grad_norm(
    parameters: Tensors, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:  # fmt: skip
    """`clip_grad_norm_` by its old name."""
    warnings.warn(
        "`nn.utils.clip_grad_norm` is now deprecated in favor of `nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(parameters: Tensors, clip_value: float, foreach: bool | None = None) -> None:
    """Moves every element of the gradients into [-clip_value, clip_value], in place."""
    site = caller()
    for grad in _gradients(parameters):
        array = grad._array
        with on_device_of(array):
            xp.clip(array, -clip_value, clip_value, out=array)
        storage_of(grad).wrote("clip_grad_value_", site)
