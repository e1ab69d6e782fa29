"""Distributions of an event that happens with a probability: given by that, or by its log-odds."""

from __future__ import annotations

from typing import Any

from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions.distribution import (
    Distribution,
    broadcast_all,
    lazy_property,
    logits_to_probs,
    only_one,
    probs_to_logits,
)


class ProbsOrLogits(Distribution):
    """Made from `probs` or `logits`; the other one is computed when it is asked for."""

    def _take(self, probs: Any, logits: Any, *beside: Any) -> list[Tensor]:
        """Keeps the one that is given, and returns what stands beside it, both in their common shape.
        ValueError unless one of the two is given.
        """
        only_one(probs, logits)
        *others, given = broadcast_all(*beside, logits if probs is None else probs)
        setattr(self, "logits" if probs is None else "probs", given)
        return others

    @lazy_property
    def logits(self) -> Tensor:
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def _param(self) -> Tensor:
        return self.probs if "probs" in self.__dict__ else self.logits

    @property
    def param_shape(self) -> Any:
        return self._param.size()
