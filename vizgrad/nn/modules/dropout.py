"""Dropout layers: active in training, the identity in evaluation."""

from __future__ import annotations

from typing import Annotated

from vizgrad.core.tensor.requirements import Within, checked
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.nn import functional as F
from vizgrad.nn.modules.module import Module

_PROBABILITY = Within(
    "0 <= x <= 1", "dropout probability has to be between 0 and 1, but got {value}", ValueError
)


class _Dropout(Module):
    @checked
    def __init__(self, p: Annotated[float, _PROBABILITY] = 0.5, inplace: bool = False) -> None:
        super().__init__()
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """See `F.dropout`."""

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_Dropout):
    """See `F.dropout1d`."""

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_Dropout):
    """See `F.dropout2d`."""

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_Dropout):
    """See `F.dropout3d`."""

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_Dropout):
    """See `F.alpha_dropout`."""

    def forward(self, input: Tensor) -> Tensor:
        return F.alpha_dropout(input, self.p, self.training, self.inplace)


class FeatureAlphaDropout(_Dropout):
    """See `F.feature_alpha_dropout`."""

    def forward(self, input: Tensor) -> Tensor:
        return F.feature_alpha_dropout(input, self.p, self.training, self.inplace)
