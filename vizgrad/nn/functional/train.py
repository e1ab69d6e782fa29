"""Dropout as `vizgrad.dropout` has it: without defaults, and `train` for `training`."""

from __future__ import annotations

from vizgrad.nn.functional.dropout import alpha_dropout as _alpha_dropout
from vizgrad.nn.functional.dropout import dropout as _dropout
from vizgrad.tensor.tensor import Tensor


def dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """`nn.functional.dropout`."""
    return _dropout(input, p, train)


def alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """`nn.functional.alpha_dropout`."""
    return _alpha_dropout(input, p, train)
