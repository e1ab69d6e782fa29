"""Gradients that a clipping has found finite: an alarm does not read their elements a second time."""

from __future__ import annotations

import math
import weakref
from collections.abc import Sequence
from operator import is_
from typing import Any

import torch

_PLAIN = (torch.Tensor, torch.nn.Parameter)


class ClippedGradients:
    """The gradients of the last `clip_grad_norm_` whose norm was finite, until someone writes to them."""

    def __init__(self) -> None:
        #: The gradients, weakly, and their counters when the clipping had ended.
        self._refs: list[weakref.ref[Any]] = []
        self._versions: list[int] = []

    def clipped(self, args: tuple[Any, ...], kwargs: dict[str, Any], norm: Any) -> None:
        """A clipping has ended. `args` and `kwargs`: as `scaling.listed` gives them."""
        self._refs, self._versions = [], []
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
            grads = [
                grad
                for each in (given if isinstance(given, (list, tuple)) else (given,))
                if each.__class__ in _PLAIN
                and each.is_leaf
                and (grad := each.grad) is not None
                and not grad.is_inference()
            ]
            self._refs = list(map(weakref.ref, grads))
            self._versions = [grad._version for grad in grads]

    def others(self, grads: Sequence[Any]) -> list[int]:
        """The places of those of which this is not known."""
        refs, versions = self._refs, self._versions
        if not refs:
            return list(range(len(grads)))
        there = [ref() for ref in refs]
        if len(there) == len(grads) and all(
            map(is_, there, grads)
        ):  # as a rule: all of one optimizer
            now = [grad._version for grad in grads]
            if now == versions:
                return []
        known = {id(grad): version for grad, version in zip(there, versions, strict=True)}
        known.pop(id(None), None)  # of those that are gone
        return [
            place
            for place, grad in enumerate(grads)
            if (version := known.get(id(grad))) is None or grad._version != version
        ]
