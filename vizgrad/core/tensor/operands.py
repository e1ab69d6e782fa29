"""What is raised for an operand that should be a Tensor and is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vizgrad.core.tensor.tensor import Tensor
from vizgrad.core.tensor.wrong_call import wrong_call


def not_a_tensor(function: str, argument: str, position: int, value: Any) -> TypeError:
    """What PyTorch's argument parser raises; `position` counts from 1."""
    kind = "NoneType" if value is None else type(value).__name__
    return wrong_call(
        TypeError(
            f"{function}(): argument '{argument}' (position {position}) must be Tensor, not {kind}"
        ),
        "make a Tensor of it: `vizgrad.tensor(...)`",
    )


def all_tensors(tensors: Any) -> tuple[Tensor, ...]:
    """The elements of a sequence, each of which is a Tensor; TypeError for another, or for one Tensor."""
    if isinstance(tensors, Tensor):
        raise TypeError("expected a sequence of Tensors, not one Tensor")
    found = tuple(tensors)
    for position, each in enumerate(found):
        if not isinstance(each, Tensor):
            raise TypeError(
                f"expected Tensor as element {position} in argument 0, but got "
                f"{type(each).__name__}"
            )
    return found


def wrong_operand(
    function: Callable[..., Any],
    error: AttributeError,
    args: tuple[Any, ...],
    options: dict[str, Any],
) -> Exception:
    """A TypeError if the object without the attribute was given as an argument; else the error itself."""
    wrong = error.obj
    if isinstance(wrong, Tensor) or not hasattr(Tensor, error.name or ""):
        return error  # not in the place of a tensor: something else is missing indeed
    code = getattr(function, "__wrapped__", function).__code__
    named = code.co_argcount + code.co_kwonlyargcount
    names, rest = code.co_varnames[: code.co_argcount], code.co_varnames[named : named + 1]
    for position, value in enumerate(args, 1):
        if value is wrong:
            name = names[position - 1] if position <= len(names) else "".join(rest)
            return not_a_tensor(function.__name__, name, position, value)
        if isinstance(value, (list, tuple)) and any(each is wrong for each in value):
            return wrong_call(
                TypeError(
                    f"{function.__name__}(): expected Tensor as element of argument {position}, but got "
                    f"{type(wrong).__name__}"
                ),
                "make Tensors of all elements",
            )
    for name, value in options.items():
        if value is wrong:
            place = code.co_varnames.index(name) + 1 if name in code.co_varnames[:named] else 0
            return not_a_tensor(function.__name__, name, place, value)
    return error
