"""The questions of a diagnosis about the nodes of a graph: each engine answers for its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from vizgrad.core.tensor.source_location import Site


class NodeReader(Protocol):
    """Nodes are the engine's own objects. Reading changes nothing, and runs no hook."""

    def key(self, node: Any) -> int:
        """Its number within a run, by which notes know it; of a leaf a negative one, that of its tensor."""
        ...

    def name(self, node: Any) -> str:
        """``MulBackward0``."""
        ...

    def site(self, node: Any) -> Site | None:
        """The instruction that recorded it; None where nobody noted that."""
        ...

    def variable(self, node: Any) -> Any:
        """The tensor that the node of a leaf fills; None of other nodes."""
        ...

    def producers(self, node: Any) -> Sequence[Any]:
        """The node behind each edge, in order; None where an operand has no history."""
        ...

    def operands(self, node: Any) -> Sequence[str]:
        """The names under which the operands are saved, edge by edge, as far as they are known."""
        ...

    def saved(self, node: Any) -> Mapping[str, Any]:
        """Its saved tensors as arrays; None for one that is released, packed or was overwritten."""
        ...

    def array(self, value: Any) -> Any:
        """The elements of a tensor, or of a value that a step has kept; None where they cannot be read."""
        ...

    def is_current(self, node: Any, leaf: Any) -> bool:
        """Does the tensor of the node `leaf` hold what it held when `node` was recorded?"""
        ...

    def last_write(self, leaf: Any) -> tuple[str, Site | None] | None:
        """The operation that wrote to the tensor of the node of a leaf last; None where nobody noted it."""
        ...

    def output(self, node: Any) -> tuple[tuple[int, ...], str] | None:
        """Shape and dtype name of its only output; None where it has several, or that is not known."""
        ...

    def operation(self, node: Any) -> str:
        """The operation of the forward pass: ``mul``."""
        ...

    def factor(self, node: Any, name: str) -> float:
        """A number that it has saved, as `alpha` of an addition; infinite where it is not known."""
        ...
