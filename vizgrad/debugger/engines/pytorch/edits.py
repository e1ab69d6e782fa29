"""The value that a person gives at a pause, of the shape and type of the gradient it takes the place of."""

from __future__ import annotations

from typing import Any

import torch

from vizgrad.debugger.expressions import evaluate_value


def new_value(there: torch.Tensor, value: Any) -> tuple[torch.Tensor, str]:
    """A tensor like `there`, and what it is in words. `value` is a number, values, a tensor, or a text
    (`vizgrad.debugger.expressions.parse_value`). ValueError where it does not fit.
    """
    if there.layout != torch.strided:
        raise ValueError("a sparse value cannot be changed")
    words = value.strip() if isinstance(value, str) else _words(value)
    with torch.no_grad():
        try:
            given = evaluate_value(value, there) if isinstance(value, str) else value
            return _fitted(_tensor(given, there), there), words
        except (ArithmeticError, TypeError, RuntimeError, ValueError) as error:
            said = str(error).splitlines()[0]
            raise ValueError(
                f"{words} does not fit what is there, of shape {list(there.shape)} and type {there.dtype}: "
                f"{said}"
            ) from None


def _fitted(given: torch.Tensor, there: torch.Tensor) -> torch.Tensor:
    if given.is_complex() and not there.is_complex():
        raise ValueError("it is complex, and what is there is not")
    return torch.empty_like(there).copy_(given)


def _tensor(value: Any, there: torch.Tensor) -> torch.Tensor:
    return torch.as_tensor(value, device=there.device).detach()


def _words(value: Any) -> str:
    if isinstance(value, bool | int | float | complex):
        return f"{value}"
    shape = getattr(value, "shape", None)
    return "given values" if shape is None else f"values of shape {list(shape)}"
