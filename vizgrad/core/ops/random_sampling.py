"""Random numbers whose chances are tensors: what was drawn is a constant, the gradient of the chances 0."""

from __future__ import annotations

from vizgrad.core.function.primitive import Primitive, primitive
from vizgrad.core.ops.constants import zeros_like


def _drawn(name: str, node: str = "") -> Primitive:
    class Declaration:
        """`drawn`, with the chances `self`: no change of them changes it (T-84)."""

        def forward(self, *, drawn):
            return drawn

        def grad_self(grad):
            return zeros_like(grad)

    Declaration.__name__ = name
    return primitive(node=node)(Declaration) if node else primitive(Declaration)


bernoulli = _drawn("bernoulli")
poisson = _drawn("poisson")
normal_of_means = _drawn("normal_of_means", "NormalBackward1")
normal_of_deviations = _drawn("normal_of_deviations", "NormalBackward2")


@primitive(node="NormalBackward3")
class normal:
    """`drawn`, with the means `self` and the standard deviations `std`."""

    def forward(self, std, *, drawn):
        return drawn

    def grad_self(grad):
        return zeros_like(grad)

    def grad_std(grad):
        return zeros_like(grad)
