"""Variable: what a tensor that autograd follows was called once, and what is reached through it."""

from __future__ import annotations

import warnings
from typing import Any

from vizgrad.autograd.graph import queue_callback
from vizgrad.autograd.running import backward
from vizgrad.core.ops.public.creation import empty
from vizgrad.core.tensor.copying import leaf_over
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor


class ImperativeEngine:
    """`Variable._execution_engine`: the engine as PyTorch names it."""

    queue_callback = staticmethod(queue_callback)

    @staticmethod
    def run_backward(*args: Any, **kwargs: Any) -> None:
        backward(*args, **kwargs)


class _AnyTensor(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=_AnyTensor):
    """`Variable(data, requires_grad=False)`: a leaf on the memory of `data`, which keeps its own flag.

    Every tensor is an instance. There is no need of it: `data.detach().requires_grad_()` says the same.
    TypeError for what is no tensor, RuntimeError for an integer one that is to require grad.
    """

    _execution_engine = ImperativeEngine()

    def __new__(cls, data: Any = None, requires_grad: Any = False, volatile: Any = False) -> Any:
        if volatile:
            warnings.warn(
                "volatile was removed and now has no effect. Use `with vizgrad.no_grad():` instead.",
                UserWarning,
                stacklevel=2,
            )
            if requires_grad:
                raise wrong_call(
                    ValueError("Variable can't be volatile and require_grad at the same time!"),
                    "leave volatile out",
                )
        if data is None:
            return empty(0).requires_grad_(bool(requires_grad))
        if not isinstance(data, Tensor):
            raise wrong_call(
                TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}"),
                "make a tensor of it: `vizgrad.tensor(data)`",
            )
        return leaf_over(data, bool(requires_grad))
