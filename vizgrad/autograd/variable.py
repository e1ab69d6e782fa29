"""Variable: the old name of Tensor, and what code written for it reaches through it."""

from __future__ import annotations

from typing import Any

from vizgrad.autograd.current import queue_callback
from vizgrad.autograd.running import backward
from vizgrad.tensor.tensor import Tensor

Variable = Tensor


class ImperativeEngine:
    """`Variable._execution_engine`: the engine as PyTorch names it."""

    queue_callback = staticmethod(queue_callback)

    @staticmethod
    def run_backward(*args: Any, **kwargs: Any) -> None:
        backward(*args, **kwargs)


# attached from above
Tensor._execution_engine = ImperativeEngine()  # pyright: ignore[reportAttributeAccessIssue]
