"""Linear maps."""

from __future__ import annotations

import math
from typing import Annotated, Any

from vizgrad.core import errors
from vizgrad.core.arrays.dtypes import promote_types
from vizgrad.core.ops import distances, shape
from vizgrad.core.ops import matrix_products as op
from vizgrad.core.ops.public.arguments import as_float, takes_tensors, written
from vizgrad.core.ops.public.broadcasting import broadcast_tensors
from vizgrad.core.tensor.modes import set_grad_mode
from vizgrad.core.tensor.requirements import AtLeast, DtypeKind, Rank
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.tensor import Tensor

_addmm, _mm, _t = op.addmm_t.record, op.mm_t.record, shape.t.record


@takes_tensors
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias, over the last dimension of `input`.

    Shapes: input (*, in), weight (out, in) or (in), bias (out) or what broadcasts to (rows, out)
    -> (*, out). Raises RuntimeError when the sizes or the types do not match.
    """
    try:
        array, filters = input._array, weight._array
    except AttributeError:
        raise _not_tensor(input, weight) from None
    if filters.ndim != 2 or array.shape[-1:] != filters.shape[1:]:
        return _unusual(input, weight, bias)
    if bias is not None and bias._array.shape != filters.shape[:1]:
        _check_bias(bias, math.prod(array.shape[:-1]), filters.shape[0])
    if array.ndim == 2:
        if bias is None:
            return _mm(input, _t(weight))
        return _addmm(bias, input, _t(weight), beta=1, alpha=1)
    rows = _flattened(input)
    if bias is None or not array.flags.c_contiguous:
        out = _mm(rows, _t(weight))
        if array.ndim == 1:
            out = shape.drop_dim.record(out, dim=0)
        else:
            out = shape.unsafe_view.record(out, shape=(*array.shape[:-1], filters.shape[0]))
        return out if bias is None else out + bias
    out = _addmm(bias, rows, _t(weight), beta=1, alpha=1)
    return shape.view.record(out, shape=(*array.shape[:-1], filters.shape[0]))


def _flattened(input: Tensor) -> Any:
    """All dimensions but the last as one."""
    array = input._array
    if array.ndim == 1:
        return shape.unsqueeze.record(input, dim=0)
    return shape.reshape(input, shape=(math.prod(array.shape[:-1]), array.shape[-1]))


def _check_bias(bias: Tensor, rows: int, features: int) -> None:
    sizes = bias._array.shape
    if len(sizes) > 2 or any(
        n not in (1, m) for n, m in zip(sizes[::-1], (features, rows), strict=False)
    ):
        raise RuntimeError(
            f"The expanded size of the tensor ({features}) must match the existing size "
            f"({sizes[-1]}) at non-singleton dimension 1: linear() with {features} output "
            f"features needs a bias of shape [{features}], got {list(sizes)}"
        )


def _unusual(input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    if weight._array.ndim == 1 and input._array.shape[-1:] == weight._array.shape:
        if bias is not None and (bias.ndim or input.ndim == 2):
            raise RuntimeError(
                "mat2 must be a matrix, got 1-D tensor: linear() with a weight of shape "
                f"{list(weight.shape)} takes no such bias"
            )
        out = input @ weight
        return out if bias is None else out + bias
    left = input._array.shape
    right = weight._array.shape
    rows = 1
    for n in left[:-1]:
        rows *= n
    raise errors.explained(
        RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({rows}x{left[-1] if left else 1} and "
            f"{right[-1] if right else 1}x{right[0] if right else 1}): the input has shape "
            f"{list(left)}, and a weight of shape {list(right)} expects inputs with "
            f"{right[-1] if right else 1} features in the last dimension"
        ),
        kind="shape-broadcast",
        fix="flatten or reshape the input, or change in_features of the layer",
        culprit=errors.place_of(caller()),
    )


def _not_tensor(input: Any, weight: Any) -> TypeError:
    name, value = ("input", input) if not isinstance(input, Tensor) else ("weight", weight)
    position = 1 if name == "input" else 2
    return TypeError(
        f"linear(): argument '{name}' (position {position}) must be Tensor, not "
        f"{type(value).__name__}"
    )


@takes_tensors
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """sum over i, j of input1[..., i] * weight[o, i, j] * input2[..., j], plus a bias.

    Shapes: input1 (*, in1), input2 (*, in2), weight (out, in1, in2) -> (*, out).
    """
    a: Any = input1
    b: Any = input2
    given = [input1, input2, weight, *(() if bias is None else (bias,))]
    if len({t._array.dtype for t in given}) > 1:
        raise RuntimeError(
            "bilinear(): All tensors must have the same dtype, got "
            + ", ".join(t.dtype.name for t in given)
        )
    if a.ndim != b.ndim:
        raise RuntimeError(
            f"bilinear(): input dimensions do not match: got {a.ndim} and {b.ndim}: shapes "
            f"{list(a.shape)} and {list(b.shape)}"
        )
    if weight._array.ndim != 3:
        errors.wrap_dim(1, weight._array.ndim)
        if a.shape[-1:] == weight.shape[1:2]:
            errors.wrap_dim(2, weight._array.ndim)
        raise RuntimeError(
            f"bilinear(): the weight must have 3 dimensions, but its shape is {list(weight.shape)}"
        )
    out_features, in1, in2 = weight.shape
    if bias is not None and bias._array.shape != (out_features,):
        errors.existing_dim(0, bias._array.ndim)
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {list(bias.shape)} but expected "
            f"{out_features}"
        )
    if a.shape[-1:] != (in1,) or b.shape[-1:] != (in2,) or a.shape[:-1] != b.shape[:-1]:
        raise RuntimeError(
            f"bilinear(): inputs of shapes {list(a.shape)} and {list(b.shape)} do not fit a weight "
            f"of shape {list(weight.shape)}"
        )
    if not (in1 and in2):
        raise RuntimeError(
            "bilinear(): cannot reshape tensor of 0 elements: inputs without features (shapes "
            f"{list(a.shape)}, {list(b.shape)}) are not supported"
        )
    lead = tuple(a.shape[:-1])
    count = math.prod(lead)
    out: Any = op.trilinear.record(a.reshape(count, in1), b.reshape(count, in2), weight)
    if bias is not None:
        out = out + bias
    return shape.unsafe_view.record(out, shape=(*lead, out_features))


# Similarities, distances and normalisation by a norm.


def _norm(x: Any, p: float, dim: Any, keepdim: bool) -> Any:
    return x.norm(p, dim, keepdim=keepdim)


def normalize(
    input: Any, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Any = None
) -> Tensor:
    """x / max(norm, eps) along `dim`."""
    size = _norm(input, p, dim, True).clamp_min(eps).expand_as(input)
    result = input / size
    return result if out is None else written(out, result, "div", input)


@takes_tensors
def cosine_similarity(
    x1: Any,
    x2: Any,
    dim: int = 1,
    eps: Annotated[float, AtLeast(0, "eps must be non-negative, got: {value}")] = 1e-8,
) -> Tensor:
    """x1 . x2 / (max(|x1|, eps) max(|x2|, eps)) along `dim`."""
    common = promote_types(x1.dtype, x2.dtype)
    if not common.is_floating_point:
        raise RuntimeError(
            f"expected common dtype to be floating point, yet common dtype is {common.name}"
        )
    x1, x2 = broadcast_tensors(as_float(x1), as_float(x2))
    return (x1 / _raised(x1, dim, eps) * (x2 / _raised(x2, dim, eps))).sum(dim)


def _raised(x: Any, dim: int, eps: float) -> Any:
    """The norm, at least `eps`; the derivative is that of the norm there, too, as in PyTorch."""
    norm = _norm(x, 2, dim, True).clone()
    before = set_grad_mode(False)
    try:
        return norm.clamp_min_(eps)
    finally:
        set_grad_mode(before)


@takes_tensors
def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """The p-norm of x1 - x2 + eps over the last dimension."""
    return _norm(x1 - x2 + eps, p, -1, keepdim)


@takes_tensors
def pdist(
    input: Annotated[
        Any,
        Rank(2, "pdist only supports 2D tensors, got: {ndim}D"),
        DtypeKind("fV", "pdist only supports floating-point dtypes, got {dtype}", RuntimeError),
    ],
    p: Annotated[float, AtLeast(0, "pdist only supports non-negative p values, got {value}")] = 2.0,
) -> Tensor:
    """The distances of all pairs i < j of rows, in order."""
    return distances.pdist.record(input, p=float(p))
