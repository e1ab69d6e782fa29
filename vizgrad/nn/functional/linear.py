"""Linear maps."""

from __future__ import annotations

import math
from typing import Any

from vizgrad.core import errors
from vizgrad.core.ops import linear as op
from vizgrad.core.ops import shape
from vizgrad.core.ops.public.keywords import takes_tensors
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
        if not bias._array.ndim:
            raise IndexError(
                "Dimension specified as 0 but tensor has no dimensions: the bias of bilinear()"
            )
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
    rows = a.reshape(count, in1)
    spread = linear(rows, weight.permute(0, 2, 1).reshape(out_features * in2, in1))
    out: Any = (spread.reshape(count, out_features, in2) * b.reshape(count, 1, in2)).sum(
        -1, dtype=a.dtype
    )
    if bias is not None:
        out = out + bias
    return out.reshape(*lead, out_features)
