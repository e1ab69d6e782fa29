"""GradBucket: the gradients that DistributedDataParallel gives to a communication hook."""

from __future__ import annotations

from collections.abc import Sequence

from vizgrad.core.tensor.tensor import Tensor


class GradBucket:
    """Gradients of some parameters in one tensor of one dimension. They are not divided by the number of
    ranks yet: a hook that averages does that.
    """

    def __init__(
        self, index: int, buffer: Tensor, parameters: Sequence[Tensor], *, last: bool
    ) -> None:
        self._index, self._buffer, self._last = index, buffer, last
        self._parameters = list(parameters)

    def index(self) -> int:
        """Its place in the order in which buckets are sent."""
        return self._index

    def is_last(self) -> bool:
        return self._last

    def buffer(self) -> Tensor:
        """All gradients, one after another."""
        return self._buffer

    def set_buffer(self, buffer: Tensor) -> None:
        """Replaces the gradients."""
        self._buffer = buffer

    def parameters(self) -> list[Tensor]:
        return self._parameters

    def gradients(self) -> list[Tensor]:
        """Views of the buffer, in the shapes of the parameters."""
        found: list[Tensor] = []
        start = 0
        for each in self._parameters:
            end = start + each.numel()
            found.append(self._buffer[start:end].view(each.shape))
            start = end
        return found
