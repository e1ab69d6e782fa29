"""Gradients that a clipping has found finite: an alarm does not read their elements a second time."""

from __future__ import annotations

import math
import weakref
from collections.abc import Sequence
from typing import Any

import torch

_PLAIN = (torch.Tensor, torch.nn.Parameter)


class ClippedGradients:
    """The gradients of the last `clip_grad_norm_` whose norm was finite, until someone writes to them."""

    def __init__(self) -> None:
        #: id of a gradient -> it, weakly, and its counter when the clipping had ended.
        self._known: dict[int, tuple[weakref.ref[Any], int]] = {}

    def clipped(self, args: tuple[Any, ...], kwargs: dict[str, Any], norm: Any) -> None:
        """A clipping has ended. `args` and `kwargs`: as `scaling.listed` gives them."""
        self._known = {}
        given, limit, *rest = args
        order = rest[0] if rest else kwargs.get("norm_type", 2.0)
        # others count elements, or take the smallest: a NaN may not show
        if not float(order) >= 1.0 or math.isnan(limit) or limit == -math.inf:
            return
        if norm.__class__ is not torch.Tensor or torch._C._len_torch_dispatch_stack():
            return  # a distributed norm: to read it, all processes are needed
        with torch._C.DisableTorchFunction():
            if not math.isfinite(norm.item()):
                return
            for each in given if isinstance(given, (list, tuple)) else (given,):
                grad = each.grad if each.__class__ in _PLAIN and each.is_leaf else None
                if grad is not None and not grad.is_inference():
                    self._known[id(grad)] = weakref.ref(grad), grad._version

    def others(self, grads: Sequence[Any]) -> list[int]:
        """The places of those of which this is not known."""
        known = self._known
        if not known:
            return list(range(len(grads)))
        found: list[int] = []
        for place, grad in enumerate(grads):
            each = known.get(id(grad))
            if each is None or each[0]() is not grad or grad._version != each[1]:
                found.append(place)
        return found
