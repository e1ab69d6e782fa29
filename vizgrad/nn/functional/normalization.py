"""Normalisation layers as functions."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Annotated, Any

from vizgrad.core import errors
from vizgrad.core.arrays.dtypes import INTS, finfo
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.layout import is_channels_last, overlaps_itself
from vizgrad.core.function.transform_tensor import Wrapped
from vizgrad.core.graph.packing import EnoughRecomputed
from vizgrad.core.ops import arithmetic
from vizgrad.core.ops import normalization as op
from vizgrad.core.ops.constants import given
from vizgrad.core.ops.public.arguments import takes_tensors, whole_number
from vizgrad.core.tensor.duals import DUALS
from vizgrad.core.tensor.modes import GUARD, MODES, about_to_write
from vizgrad.core.tensor.requirements import RankAtLeast, Requirement, checked
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.tensor import Tensor, storage_of
from vizgrad.nn.functional.losses import no_gradient_of


@takes_tensors
def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """(x - mean) / sqrt(var + eps) * weight + bias over the last dimensions, the biased variance.

    J. Ba, J. Kiros, G. Hinton, Layer Normalization (2016). RuntimeError when `input` does not end in
    `normalized_shape`.
    """
    shape = _sizes("layer_norm", normalized_shape)
    _check_shape(input, shape, weight, bias)
    return op.layer_norm.record(input, given(weight), given(bias), dims=len(shape), eps=eps)[0]


def _sizes(name: str, normalized_shape: Any) -> tuple[int, ...]:
    given = (normalized_shape,) if isinstance(normalized_shape, INTS) else normalized_shape
    several = _several(given)
    wrong = (
        [n for n in given if n.__class__ is bool or not hasattr(n, "__index__")]
        if several
        else [given]
    )
    if wrong:
        raise TypeError(
            f"{name}(): argument 'normalized_shape' (position 2) must be tuple of ints, but found "
            f"{type(wrong[0]).__name__}"
        )
    return tuple(given)


def _several(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _check_types(input: Tensor, *parameters: Tensor | None) -> None:
    """Parameters, and buffers, have the type of the input; those of a half-precision one may be float32."""
    kind = input._array.dtype
    for parameter in parameters:
        if parameter is None or parameter._array.dtype is kind:
            continue
        own = parameter._array.dtype
        if own != kind and not (kind.itemsize == 2 and own.name == "float32"):
            raise RuntimeError(
                f"expected scalar type {input.dtype.name} but found {parameter.dtype.name}: weight, bias "
                "and running statistics have the type of the input"
            )


def _check_shape(
    input: Tensor, shape: tuple[int, ...], weight: Tensor | None, bias: Tensor | None = None
) -> None:
    x = input._array
    if not shape or x.shape[max(0, x.ndim - len(shape)) :] != shape:
        wanted = ", ".join(["*", *map(str, shape)])
        raise errors.explained(
            RuntimeError(
                f"Given normalized_shape={list(shape)}, expected input with shape [{wanted}], but got "
                f"input of size{list(x.shape)}"
            ),
            kind="shape-broadcast",
            fix="normalized_shape are the sizes of the last dimensions",
            culprit=errors.place_of(caller()),
        )
    _check_types(input, weight, bias)
    _check_parameters(shape, weight, bias)


def _check_parameters(
    shape: tuple[int, ...], weight: Tensor | None, bias: Tensor | None = None
) -> None:
    for name, parameter in (("weight", weight), ("bias", bias)):
        if parameter is not None and parameter._array.shape != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(parameter.shape)} and normalized_shape = {list(shape)}"
            )


@takes_tensors
def rms_norm(
    input: Any, normalized_shape: Any, weight: Any = None, eps: float | None = None
) -> Tensor:
    """x / sqrt(mean(x^2) + eps) * weight; eps is the type's resolution if not given.

    B. Zhang, R. Sennrich, Root Mean Square Layer Normalization (2019).
    """
    shape = _sizes("rms_norm", normalized_shape)
    if input._array.ndim < max(len(shape), 1):
        raise ValueError(
            f"Input tensor must have at least {max(len(shape), 1)} dimensions, but got "
            f"{input._array.ndim}"
        )
    if input._array.dtype.kind not in "fcV":
        raise NotImplementedError(f'"rms_norm" not implemented for {input.dtype.name}')
    _check_shape(input, shape, None)
    _check_parameters(shape, weight)
    x = input.float() if input._array.dtype.itemsize == 2 else input
    small = finfo(x.dtype).eps if eps is None else eps
    dims = tuple(range(-len(shape), 0))
    out = x * (x.pow(2).mean(dims, keepdim=True) + small).rsqrt()
    return (out if weight is None else out * weight).to(input.dtype)


@takes_tensors
def batch_norm(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None,
    weight: Tensor | None = None, bias: Tensor | None = None, training: bool = False,
    momentum: float = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """(x - mean) / sqrt(var + eps) * weight + bias, by channel (dimension 1).

    In training the statistics are those of the batch, and the running ones move towards them by
    `momentum`, the variance without bias. ValueError for one value per channel in training, and for
    an `eps` that is not positive then, or negative otherwise.
    """
    # T-55
    x = input._array
    if training and x.ndim and prod(x.shape[:1] + x.shape[2:]) == 1:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {list(x.shape)}"
        )
    if eps < 0 or (training and eps == 0):
        wanted = "positive during training" if training else "non-negative"
        raise ValueError(f"batch_norm eps must be {wanted}, but got {eps}")
    if x.ndim == 1 and not x.size:
        return arithmetic.mul.record(input, 1)  # of nothing, no channels
    if x.ndim < 2:
        alone = running_mean is running_var is weight is bias is None
        raise (
            IndexError if alone else RuntimeError
        )(  # PyTorch counts the channels of what is given
            f"Dimension out of range: the channels are dimension 1, got shape {list(x.shape)}"
        )
    _check_by_channel(input, running_mean, running_var, weight, bias)
    if not training and (running_mean is None or running_var is None):
        raise RuntimeError("running_mean and running_var must be defined in evaluation mode")
    _check_running("batch_norm", running_mean, running_var)
    if not training:
        return op.batch_norm_fixed.record(
            input, given(weight), given(bias), running_mean, running_var, eps=eps
        )
    if _same_for_all(input, weight, bias):
        plain = batch_norm(input, running_mean, running_var, None, None, True, momentum, eps)
        return _scaled(plain, weight, bias)
    count = x.size // max(1, x.shape[1])
    try:
        out, mean, _, variance = op.batch_norm.record(input, given(weight), given(bias), eps=eps)
    except EnoughRecomputed:  # PyTorch's kernel has moved the statistics before anything is saved
        batch_norm(input.detach(), running_mean, running_var, None, None, True, momentum, eps)
        raise
    if not x.size:
        return out  # of nothing, no statistics
    if running_mean is not None:
        _move(running_mean, mean, momentum)
    if running_var is not None:
        _move(running_var, variance, momentum, count / (count - 1))
    return out


def _check_by_channel(input: Tensor, *parameters: Tensor | None) -> None:
    """Running statistics, weight and bias have a number for each channel, and the type of the input."""
    x = input._array
    kind, shape = x.dtype, x.shape[1:2]
    for parameter in parameters:
        if parameter is not None:
            array = parameter._array
            if array.dtype is not kind or array.shape != shape:
                break
    else:  # as nearly always
        return
    _check_channels(input, *parameters)
    _check_types(input, *parameters[2:], *(parameters[:2] if x.size else ()))


def _same_for_all(input: Tensor, weight: Tensor | None, bias: Tensor | None) -> bool:
    """Do the examples of the innermost transform differ in their scale alone? They share statistics, then."""
    return max(_depth(weight), _depth(bias)) > _depth(input)


def _depth(tensor: Tensor | None) -> int:
    """The number of the transform whose examples it holds; 0 of any other tensor."""
    return tensor.level.number if isinstance(tensor, Wrapped) else 0


def _scaled(plain: Tensor, weight: Any, bias: Any) -> Tensor:
    shape = (-1, *(1,) * (plain.ndim - 2))
    scaled: Any = plain if weight is None else plain * weight.reshape(shape)
    return scaled if bias is None else scaled + bias.reshape(shape)


def _check_running(name: str, running_mean: Tensor | None, running_var: Tensor | None) -> None:
    if (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    if running_mean is None or running_var is None:
        return
    plain = running_mean.__class__ is running_var.__class__ is Tensor
    if plain and not (running_mean._tracked or running_var._tracked or DUALS.on):
        return
    no_gradient_of(name, running_mean=running_mean, running_var=running_var)


@quiet
def _move(running: Tensor, found: Any, momentum: float, factor: float = 1.0) -> None:
    """running = (1 - momentum) * running + momentum * factor * found, as one write."""
    if running.__class__ is Wrapped or found.__class__ is Wrapped:
        value = found.detach() * factor
        running.copy_((1 - momentum) * running.detach() + momentum * value)
        return
    array = running._array
    if GUARD.transforms:  # statistics are no part of what is differentiated
        around, MODES.transforms = MODES.transforms, ()
        try:
            about_to_write(running)
        finally:
            MODES.transforms = around
    elif GUARD.scoped:
        about_to_write(running)
    array *= 1 - momentum
    array += (momentum * factor * found._array).astype(array.dtype, copy=False)
    storage_of(running).wrote("batch_norm", caller())


def _check_channels(input: Tensor, *parameters: Tensor | None) -> None:
    channels = input._array.shape[1]
    for name, parameter in zip(
        ("running_mean", "running_var", "weight", "bias"), parameters, strict=True
    ):
        if parameter is not None and parameter._array.size != channels:
            raise RuntimeError(
                f"{name} should contain {channels} elements, one for each channel, not "
                f"{parameter._array.size}"
            )


@takes_tensors
def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Standardises within groups of channels. Y. Wu, K. He, Group Normalization (2018)."""
    shape = input._array.shape
    groups = whole_number("group_norm", "num_groups", 2, num_groups)
    alone = len(shape) > 1 and groups > 0
    if alone and shape[0] * (shape[1] // groups) * prod(shape[2:]) == 1:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {list(shape)}"
        )
    return grouped(input, groups, weight, bias, eps)


_OF_CHANNELS = Requirement(
    "{0}._array.ndim != 1",
    "Expected {argument} to be a vector of size equal to the number of channels in input, but got "
    "{argument} of shape {shape} and input of shape {other_shape}",
    other="",
)


@checked
def grouped(
    input: Annotated[
        Tensor,
        RankAtLeast(2, "Expected at least 2 dimensions for input tensor but received {ndim}"),
    ],
    groups: Annotated[
        int,
        Requirement(
            "{0} < 1 or {1}._array.shape[1] % {0}",
            "Expected number of channels in input to be divisible by num_groups, but got input of "
            "shape {other_shape} and num_groups={value}",
            other="",
        ),
    ],
    weight: Annotated[Tensor, _OF_CHANNELS] | None,
    bias: Annotated[Tensor, _OF_CHANNELS] | None,
    eps: float,
) -> Tensor:
    """`group_norm`, also of groups of a single value, which become 0."""
    x = input._array
    _check_channels(input, None, None, weight, bias)
    _check_types(input, weight, bias)
    if not (x.flags.c_contiguous or (x.ndim in (4, 5) and is_channels_last(x))):
        input = (
            input.contiguous()
        )  # as PyTorch: a later write to a part does not reach what is saved
    return op.group_norm.record(input, given(weight), given(bias), groups=groups, eps=eps)[0]


@takes_tensors
def instance_norm(
    input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None,
    weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: bool = True,
    momentum: float = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Standardises every channel of every sample. D. Ulyanov et al., Instance Normalization (2016)."""
    x = input._array
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    _check_running("instance_norm", running_mean, running_var)
    for running in (running_mean, running_var):
        if running is not None and overlaps_itself(running._array):
            raise RuntimeError(
                "instance_norm: more than one element of the running statistics refers to a single memory "
                "location: clone() them first"
            )
    n, channels = x.shape[:2]
    if x.size // max(1, n * channels) == 1:
        raise ValueError(
            f"Expected more than 1 spatial element when training, got input size {list(x.shape)}"
        )
    for name, each in {
        "running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias,
    }.items():  # fmt: skip
        if each is not None and each._array.size != channels:
            raise RuntimeError(
                f"{name} should contain {n * channels} elements not {n * each._array.size}: those of "
                f"{channels} channels for each of {n} samples"
            )
    _check_types(input, weight, bias)
    if _same_for_all(input, weight, bias):
        plain = instance_norm(input, running_mean, running_var, momentum=momentum, eps=eps)
        return _scaled(plain, weight, bias)
    whole = tuple(x.shape)
    flat = input.contiguous().reshape(1, n * channels, *whole[2:])
    out, mean, _, variance = op.batch_norm.record(
        flat, given(None if weight is None else weight.repeat(n)),
        given(None if bias is None else bias.repeat(n)), eps=eps,
    )  # fmt: skip
    if running_mean is not None and running_var is not None:
        if not n:  # the mean over no instances, as in PyTorch
            for running in (running_mean, running_var):
                _move(running, running.detach() * float("nan"), momentum)
            return out.view(*whole)
        count = x.size // (n * channels)
        means, variances = (each.detach().reshape(n, channels).mean(0) for each in (mean, variance))
        _move(running_mean, means, momentum)
        _move(running_var, variances, momentum, count / (count - 1))
    return out.view(*whole)


@takes_tensors
def local_response_norm(
    input: Annotated[
        Any,
        RankAtLeast(
            3, "Expected 3D or higher dimensionality input (got {ndim} dimensions)", ValueError
        ),
    ],
    size: int,
    alpha: float = 1e-4,
    beta: float = 0.75,
    k: float = 1.0,
) -> Tensor:
    """x / (k + alpha * mean of x^2 over `size` neighbouring channels) ** beta.

    A. Krizhevsky, I. Sutskever, G. Hinton, ImageNet Classification (2012), section 3.3.
    """
    from vizgrad.core.ops.public.padding import pad
    from vizgrad.nn.functional.pooling import avg_pool2d

    if not input.numel():
        return input
    squares = input.mul(input).reshape(input.shape[0], 1, input.shape[1], -1)
    squares = pad(squares, (0, 0, size // 2, (size - 1) // 2))
    near = avg_pool2d(squares, (size, 1), stride=1).reshape(*input.shape)
    return input / (near * alpha + k) ** beta
