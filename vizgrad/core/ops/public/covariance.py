"""Statistics of the rows of a matrix."""

from __future__ import annotations

import warnings
from typing import Any

from vizgrad.core.errors import wrap_dim
from vizgrad.core.function.transform_tensor import Wrapped
from vizgrad.core.ops.constants import place_of
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public import dimensions, matrix_products, reduction, slicing, statistics
from vizgrad.core.ops.public.arguments import as_float
from vizgrad.core.ops.public.complexes import adjoint, real
from vizgrad.core.ops.public.keywords import takes_out, takes_tensors
from vizgrad.core.tensor.tensor import Tensor


@public(method=True)
@takes_tensors
def cov(
    input: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """Covariances of the rows (variables) of a matrix of observations (columns).

    `fweights` (integers) says how often each observation was made, `aweights` (floats) how much it counts.
    The sum of squares is divided by  n - correction;  with `aweights`, by  n - correction * sum(w a) / n  for
    w = f a, a the `aweights`, and n the sum of w.
    """
    if input._array.ndim > 2:
        raise RuntimeError(
            "cov(): expected input to have two or fewer dimensions but got an input with "
            f"{input._array.ndim} dimensions"
        )
    if input._array.dtype.kind == "b":
        raise RuntimeError("cov(): bool dtype is not supported for input")
    rows: Any = as_float(dimensions.atleast_2d(input))
    count = rows.shape[1]
    weights: Any = _weights(fweights, aweights, count)
    total = count if weights is None else reduction.sum(weights)
    if weights is None:
        centred = rows - reduction.mean(rows, 1, keepdim=True)
        product: Any = matrix_products.mm(centred, adjoint(centred))
    else:
        if not place_of(total).all():
            raise RuntimeError("cov(): weights sum to zero, can't be normalized")
        centred = rows - reduction.sum(rows * weights, 1, keepdim=True) / total
        product = matrix_products.mm(centred, adjoint(centred * weights))
    if aweights is None or not correction:
        freedom: Any = total - correction
    else:
        freedom = total - correction * reduction.sum(weights * aweights) / total
    # of a batch, that of the example with the fewest
    left: Any = place_of(freedom).min().item() if isinstance(freedom, Tensor) else freedom
    if left <= 0:
        warnings.warn(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of "
            f"observations; what is left of them is {left}.",
            UserWarning,
            stacklevel=2,
        )
        freedom = freedom.clamp(min=0) if isinstance(freedom, Wrapped) else 0.0
    return dimensions.squeeze(product / freedom)


def _weights(fweights: Tensor | None, aweights: Tensor | None, count: int) -> Tensor | None:
    """How much each of `count` observations counts; None for all the same."""
    for name, kinds, wanted, given in (
        ("fweights", "iu", "integral", fweights),
        ("aweights", "f", "floating point", aweights),
    ):
        if given is None:
            continue
        array = given._array
        if array.ndim > 1:
            raise RuntimeError(
                f"cov(): expected {name} to have one or fewer dimensions but got {name} with "
                f"{array.ndim} dimensions"
            )
        if array.dtype.kind not in kinds:
            raise RuntimeError(
                f"cov(): expected {name} to have {wanted} dtype but got {name} with {given.dtype.name} dtype"
            )
        if array.size != count:
            raise RuntimeError(
                f"cov(): expected {name} to have the same numel as there are observations in the input "
                f"but got {array.size} != {count}"
            )
        if not bool((place_of(given) >= 0).all()):
            raise RuntimeError(f"cov(): {name} cannot be negative")
    if fweights is None or aweights is None:
        return aweights if fweights is None else fweights
    return fweights * aweights


@public(method=True)
@takes_tensors
def corrcoef(input: Tensor) -> Tensor:
    """Correlations of the rows of a matrix."""
    c: Any = cov(input)
    if c.ndim == 0:
        return c / c
    scale: Any = real(slicing.diagonal(c)) ** 0.5
    return c / dimensions.unsqueeze(scale, 1) / dimensions.unsqueeze(scale, 0)


@public(method=True)
@takes_out
def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """Slices along `dim` scaled down to a p-norm of at most `maxnorm`."""
    ndim = input._array.ndim
    if ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {ndim} dimensions")
    at = wrap_dim(dim, ndim)
    if not p > 0:
        raise RuntimeError(f"renorm: non-positive-norm not supported, got p={p}")
    if not maxnorm >= 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    others = [d for d in range(ndim) if d != at]
    given_as = input.dtype
    if (
        given_as.itemsize == 2 and given_as.is_floating_point
    ):  # derivatives cancel: in halves nothing is left
        input = input.float()
    norms: Any = statistics.vector_norm(input, p, others, keepdim=True)
    from vizgrad.core.ops.public.where_clamp import where

    factor = where(norms > maxnorm, maxnorm / (norms + 1e-7), 1.0)
    return (input * factor).to(given_as)
