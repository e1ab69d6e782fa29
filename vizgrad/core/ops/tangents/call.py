"""One call of an operation, as a rule for tangents sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vizgrad.core.function.declared import formula_parameters
from vizgrad.core.graph.node import Meta
from vizgrad.core.ops.constants import zeros_like
from vizgrad.core.ops.tangents.layouts import primal_of
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.tensor import Tensor


class Call:
    """What `op` was given and gave: operands, attributes and results, and the tangents of the operands."""

    __slots__ = ("attributes", "op", "operands", "out", "results", "tangents")

    def __init__(
        self,
        op: Any,
        operands: tuple[Any, ...],
        attributes: dict[str, Any],
        results: tuple[Tensor, ...],
        tangents: dict[str, Tensor],
    ) -> None:
        self.op = op
        self.operands = dict(zip(op.inputs, operands, strict=True))
        self.attributes = attributes
        self.results = results
        #: The result that has a tangent.
        self.out = results[0]
        #: Input -> its tangent, for those that have one.
        self.tangents = tangents

    def value(self, name: str) -> Any:
        """What a formula, or a rule, means by `name`."""
        if name in self.operands:
            return bare(self.operands[name])
        if name in self.attributes:
            return self.attributes[name]
        if name.endswith("_meta"):
            array = self.operands[name.removesuffix("_meta")]._array
            return Meta(array.shape, array.dtype)
        return bare(self.results[self.op.outputs.index(name)])

    def applied(self, formula: Callable[..., Any], first: Tensor) -> Any:
        """A formula (or rule) of its first parameter, and of what its other parameters name."""
        return formula(first, *[self.value(name) for name in formula_parameters(formula)[1:]])

    def again(self, replaced: dict[str, Any], **attributes: Any) -> Tensor:
        """The operation's (first) result for other operands."""
        operands = [
            replaced[name] if name in replaced else bare(value)
            for name, value in self.operands.items()
        ]
        made = self.op.record(*operands, **(self.attributes | attributes))
        return made[0] if isinstance(made, tuple) else made

    def tangent_or_zeros(self, name: str) -> Tensor:
        found = self.tangents.get(name)
        return zeros_like(self.operands[name]) if found is None else found


def bare(value: Any) -> Any:
    """An operand without its tangent, where a tangent that is computed with it is recorded.

    What is recorded keeps its operands, and a tangent has none under its own level: a gradient of it that
    is taken later, in the same level, must not have one either.
    """
    if MODES.grad and isinstance(value, Tensor) and value.requires_grad:
        return primal_of(value)
    return value


def total(parts: list[Tensor]) -> Tensor | None:
    """Their sum; None of nothing."""
    whole = None
    for part in parts:
        whole = part if whole is None else whole + part
    return whole
