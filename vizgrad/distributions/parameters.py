"""Parameters: numbers or tensors, brought to one shape; probabilities and their logits."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import TYPE_CHECKING, Any

from vizgrad.autograd.grad_mode import enable_grad
from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays.limits import finfo
from vizgrad.core.ops.public.broadcasting import broadcast_tensors
from vizgrad.core.ops.public.from_values import tensor
from vizgrad.core.tensor.tensor import Size, Tensor


def broadcast_all(*values: Any) -> list[Tensor]:
    """Tensors of one shape; numbers take the type and device of the first tensor among them.

    Raises ValueError for what is neither, RuntimeError for shapes that do not fit.
    """
    if not all(isinstance(v, (Tensor, Number)) for v in values):
        raise ValueError("Input arguments must all be instances of Number or Tensor")
    model = next((v for v in values if isinstance(v, Tensor)), None)
    dtype = dtypes.get_default_dtype() if model is None else model.dtype
    device = None if model is None else model.device
    return list(
        broadcast_tensors(
            *(v if isinstance(v, Tensor) else tensor(v, dtype=dtype, device=device) for v in values)
        )
    )


def only_one(probs: Any, logits: Any) -> None:
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


def batch_of(*values: Any) -> Size:
    """The batch shape of parameters that came as `values`: empty when all are numbers."""
    tensors = [v for v in values if isinstance(v, Tensor)]
    return broadcast_tensors(*tensors)[0].shape if tensors else Size()


def smallest(x: Tensor) -> float:
    """The smallest positive normal number of a tensor's type."""
    return finfo(x.dtype).tiny


def lowest(x: Tensor) -> float:
    return finfo(x.dtype).min


def precision(x: Tensor) -> float:
    """The distance from 1 to the next number of a tensor's type."""
    return finfo(x.dtype).eps


def clamp_probs(probs: Tensor) -> Tensor:
    """Probabilities kept away from 0 and 1 by the precision of their type."""
    eps = precision(probs)
    return probs.clamp(min=eps, max=1 - eps)


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """sigmoid, or softmax over the last dimension."""
    return logits.sigmoid() if is_binary else logits.softmax(-1)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """The inverse: log-odds, or logarithms."""
    kept: Any = clamp_probs(probs)
    return kept.log() - (-kept).log1p() if is_binary else kept.log()


class lazy_property:
    """An attribute computed when it is first asked for, with recording on."""

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        self.wrapped = wrapped
        self.__doc__ = wrapped.__doc__

    if TYPE_CHECKING:  # none in truth: the attribute, once set, hides this

        def __set__(self, instance: Any, value: Any) -> None: ...

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        with enable_grad():
            found = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, found)
        return found
