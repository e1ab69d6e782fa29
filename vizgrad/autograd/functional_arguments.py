"""What functions of functions are given and return: checked, cut off, filled with zeros (spec 05 B)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from vizgrad.autograd.running import grad
from vizgrad.core.errors import explained, function_place
from vizgrad.core.ops.public.creation_like import zeros_like
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.core.tensor.wrong_call import wrong_call

Tensors = tuple[Tensor, ...]
Maybe = Sequence[Tensor | None]
Function = Callable[..., Any]

OUTPUTS = "outputs of the user-provided function"


def as_tensors(value: Any, what: str, name: str) -> tuple[bool, Tensors]:
    """(is it a tuple, its tensors); TypeError for anything but a Tensor or a tuple of Tensors."""
    if isinstance(value, Tensor):
        return False, (value,)
    if not isinstance(value, tuple):
        bad = f"the given {what} has type {type(value)}"
    else:
        others = [n for n, each in enumerate(value) if not isinstance(each, Tensor)]
        if not others:
            return True, value
        bad = f"the value at index {others[0]} has type {type(value[others[0]])}"
    raise wrong_call(
        TypeError(
            f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but {bad}."
        ),
        "give a Tensor, or several in a tuple",
    )


def cut_off(tensors: Tensors, keep: bool, requires_grad: bool = True) -> Tensors:
    """Tensors of the same memory that require grad; with `keep` those that do stay in the caller's graph."""
    return tuple(
        t.view_as(t) if keep and t.requires_grad else t.detach().requires_grad_(requires_grad)
        for t in tensors
    )


def plain(tensors: Tensors, keep: bool) -> Tensors:
    """Without a graph, unless it is to be kept."""
    return tensors if keep else tuple(t.detach() for t in tensors)


def vectors(
    v: Any, like: Tensors, several: bool, what: str, name: str, create_graph: bool
) -> tuple[Tensor | None, ...]:
    """`v` as one vector for each of `like`. It may be left out for a single one-element tensor.

    RuntimeError for other numbers and sizes; `what` says what `v` belongs to.
    """
    bad = ""
    given: tuple[Tensor, ...] = ()
    if v is None:
        if len(like) == 1 and like[0].numel() == 1:
            return (None,)
        bad = f"The vector v can only be None if the {what} a single Tensor with a single element."
    else:
        given = cut_off(as_tensors(v, "v", name)[1], create_graph, requires_grad=False)
        if len(given) != len(like):
            bad = f"v is a tuple of invalid length: should be {len(like)} but got {len(given)}."
            if not several:
                bad = "The given v should contain a single Tensor."
    for number, (one, other) in enumerate(zip(given, like, strict=False)):
        if not bad and one.shape != other.shape:
            entry = f"Entry {number} in " if several else ""
            bad = f"{entry}v has invalid size: should be {other.shape} but got {one.shape}."
    if bad:
        raise wrong_call(RuntimeError(bad), f"give {name} a v of the shape of what it belongs to")
    return given


def independent(function: Function, message: str) -> RuntimeError:
    """The error of strict mode."""
    return explained(
        RuntimeError(message),
        kind="unused",
        culprit=function_place(function),
        fix="let the result depend on every input, or leave strict=True out: then there are zeros",
    )


def require_grad(function: Function, tensors: Maybe, stage: str, strict: bool) -> None:
    """In strict mode RuntimeError for what does not depend on the inputs: `outputs`, `grad_input`,
    `jacobian` or `hessian` is what `tensors` are.
    """
    for number, tensor in enumerate(tensors if strict else ()):
        if tensor is not None and tensor.requires_grad:
            continue
        if tensor is None:
            bad = (
                f"The output of the user-provided function is independent of input {number}. This is not "
                "allowed in strict mode."
            )
        elif stage == "outputs":
            bad = (
                f"Output {number} of the user-provided function does not require gradients. The outputs must "
                "be computed in a differentiable manner from the input when running in strict mode."
            )
        elif stage == "jacobian":
            bad = (
                "While computing the hessian, found that the jacobian of the user-provided function with "
                f"respect to input {number} is independent of the input. This is not allowed in strict mode."
            )
        else:
            bad = (
                f"The {stage} of the user-provided function with respect to input {number} is independent of "
                "the input. This is not allowed in strict mode."
            )
        raise independent(function, bad)


def gradients(
    outputs: Maybe, inputs: Tensors, weights: Maybe | None = None, *,
    create_graph: bool, retain_graph: bool | None = None,
) -> tuple[Tensor | None, ...]:  # fmt: skip
    """`grad` of those outputs that there are and that require grad; None where nothing arrives."""
    weights = (None,) * len(outputs) if weights is None else weights
    pairs = [
        (output, weight)
        for output, weight in zip(outputs, weights, strict=True)
        if output is not None and output.requires_grad
    ]
    if not pairs:
        return (None,) * len(inputs)
    return grad(
        [output for output, _ in pairs],
        inputs,
        [weight for _, weight in pairs],
        retain_graph=retain_graph,
        create_graph=create_graph,
        allow_unused=True,
    )


def filled(
    function: Function, found: Maybe, like: Tensors, create_graph: bool, strict: bool
) -> Tensors:
    """The gradients with zeros where there are none; in strict mode RuntimeError for these, and with
    `create_graph` for those that do not depend on anything.
    """
    for number, one in enumerate(found if strict else ()):
        if one is None or (create_graph and not one.requires_grad):
            what, more = ("output", "") if one is None else ("jacobian", " when create_graph=True")
            raise independent(
                function,
                f"The {what} of the user-provided function is independent of input {number}. This is not "
                f"allowed in strict mode{more}.",
            )
    return tuple(
        zeros_like(other) if one is None else one for one, other in zip(found, like, strict=True)
    )


def single(function: Function, outputs: Any, name: str, strict: bool) -> Tensor:
    """The one element that a function returned of which there is to be a Hessian."""
    several, tensors = as_tensors(outputs, OUTPUTS, name)
    require_grad(function, tensors, "outputs", strict)
    bad = ""
    if several:
        bad = f"The function given to {name} should return a single Tensor"
    elif tensors[0].numel() != 1:
        bad = f"The Tensor returned by the function given to {name} should contain a single element"
    if bad:
        raise explained(
            RuntimeError(bad),
            kind="not-scalar",
            culprit=function_place(function),
            fix="return one number, e.g. the sum",
        )
    return tensors[0]
