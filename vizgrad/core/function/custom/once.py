"""`once_differentiable`: a backward that is not itself to be differentiated (spec 01 G)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from vizgrad.core.errors import Place, explained, function_place
from vizgrad.core.graph.edges import AccumulateGrad, set_history
from vizgrad.core.graph.node import Meta, Node
from vizgrad.core.tensor.modes import MODES, set_grad_mode
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.storage import tick
from vizgrad.core.tensor.tensor import LEAF, Tensor, new_tensor


class DelayedError(Node):
    """Raises when it is backpropagated through: what stands behind it has no derivative."""

    __slots__ = ("culprit", "message", "metas", "outputs")

    runs_on_undefined = True
    runs_first = True

    def __init__(
        self, message: str, tensors: tuple[Tensor | None, ...], culprit: Place | None
    ) -> None:
        self.message = message
        self.culprit = culprit
        self.edges = tuple(None if t is None else _fake_leaf(t) for t in tensors)
        self.metas = tuple(
            Meta((), None) if t is None else Meta(t._array.shape, t._array.dtype) for t in tensors
        )
        self.outputs = len(tensors)
        self.shape, self.dtype = self.metas[0].shape, self.metas[0].dtype
        self.sequence_nr = tick()
        self.hooks = None
        site = caller()
        self.code, self.lasti = (None, 0) if site is None else site
        self.scope = MODES.scope

    def meta(self, nr: int) -> Meta:
        return self.metas[nr]

    def run(self, grad: Any) -> Any:
        raise explained(
            RuntimeError(self.message),
            kind="second-order-cut",
            culprit=self.culprit,
            tensor=self.name(),
            fix="remove @once_differentiable and write backward with differentiable operations",
        )

    def run_all(self, grads: Any) -> Any:
        return self.run(grads)

    def run_tensors(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        return self.run(grads)


def _fake_leaf(tensor: Tensor) -> AccumulateGrad:
    leaf = new_tensor(tensor._array)
    leaf._tracked = LEAF
    return AccumulateGrad(leaf)


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a backward that uses what autograd cannot follow (numpy, in-place tricks).

    It runs without grad mode. If a gradient that requires grad came in, differentiating the results
    raises RuntimeError; if none did, they are plain constants (F-71, F-72).
    """

    @functools.wraps(fn)
    def wrapper(ctx: Any, *args: Any) -> Any:
        recording = set_grad_mode(False)
        try:
            outputs = fn(ctx, *args)
        finally:
            set_grad_mode(recording)
        if not recording:
            return outputs
        given = (g for arg in args for g in (arg if isinstance(arg, list) else [arg]))
        if not any(isinstance(g, Tensor) and g.requires_grad for g in given):
            return outputs
        return _refusing(outputs, fn)

    return wrapper


def _refusing(outputs: Any, fn: Any) -> Any:
    """The results, such that differentiating them raises."""
    several = outputs if isinstance(outputs, tuple) else (outputs,)
    tensors = tuple(t if isinstance(t, Tensor) else None for t in several)
    if not any(t is not None for t in tensors):
        return outputs
    node = DelayedError(
        "trying to differentiate twice a function that was marked with @once_differentiable",
        tensors,
        function_place(fn),
    )
    results: list[Any] = []
    for nr, (value, tensor) in enumerate(zip(several, tensors, strict=True)):
        if tensor is None:
            results.append(value)
            continue
        out = new_tensor(tensor._array)
        out._storage = tensor._storage
        set_history(out, node, nr)
        results.append(out)
    return tuple(results) if isinstance(outputs, tuple) else results[0]
