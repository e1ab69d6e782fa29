"""Padding (T-41): linear, so each derivative is the transpose."""

from __future__ import annotations

from vizgrad.core.arrays.kernels import padding as kernel
from vizgrad.core.function.primitive import Primitive, primitive


@primitive(linear=True)
class constant_pad_nd:
    """`pad` = (before, after) for each of the last dimensions, filled with `value`."""

    def forward(self, *, pad, value):
        return kernel.constant(self, pad, value)

    def grad_self(grad, pad):
        return constant_pad_nd(grad, pad=tuple((-b, -a) for b, a in pad), value=0)


@primitive(linear=True, node="PadByIndexBackwardBackward0")
class add_back:
    """The transpose of padding by copies: copies are added to the element they are of."""

    def forward(self, *, places, size):
        return kernel.add_back(self, places, size)

    def grad_self(grad, places):
        return reflection_pad1d(grad, places=places)


def _by_index(name: str) -> Primitive:
    """Padding by copies; the kinds differ by the places alone, and in the node's name."""

    class Declaration:
        """Copies of elements before and after the last dimensions, given by index."""

        def forward(self, *, places):
            return kernel.take(self, places)

        def grad_self(grad, places, self_meta):
            size = self_meta.shape[len(self_meta.shape) - len(places) :]
            return add_back(grad, places=places, size=size)

    Declaration.__name__ = name
    flat = () if name.startswith("circular") else ("self",)
    return primitive(linear=True, flat=flat)(Declaration)


#: (mode, number of dimensions) -> operation.
BY_INDEX = {
    (mode, dims): _by_index(f"{word}_pad{dims}d")
    for mode, word in (
        ("reflect", "reflection"), ("replicate", "replication"), ("circular", "circular"),
    )
    for dims in (1, 2, 3)
}  # fmt: skip
reflection_pad1d = BY_INDEX["reflect", 1]
