"""Random numbers whose chances are tensors: what was drawn is a constant, the gradient of the chances 0."""

from __future__ import annotations

from vizgrad.function.primitive import Primitive, primitive
from vizgrad.ops.constants import zeros_like


def _drawn(name: str) -> Primitive:
    class Declaration:
        """`drawn`, with the chances `self`: no change of them changes it (T-84)."""

        def forward(self, *, drawn):
            return drawn

        def grad_self(grad):
            return zeros_like(grad)

    Declaration.__name__ = name
    return primitive(Declaration)


bernoulli = _drawn("bernoulli")
poisson = _drawn("poisson")
