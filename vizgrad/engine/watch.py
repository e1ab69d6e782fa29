"""What an observer of a run is told. All methods are called on the thread that runs the node.

Values are handed over by reference: an observer that keeps one must copy what it needs at once. It must
not change anything.
"""

from __future__ import annotations

from typing import Any, Protocol

from vizgrad.graph.node import Node


class Watch(Protocol):
    def enter(self, node: Node, grads: tuple[Any, ...], full: bool) -> None:
        """`node` is about to be visited with `grads`; not `full`: it is only captured."""
        ...

    def stage(self, stage: str, detail: str, before: Any, after: Any) -> None:
        """A stage of the visit (E-50) did something; `before`/`after` are gradients or None."""
        ...

    def accumulated(self, node: Node, decision: str, reason: str) -> None: ...

    def releasing(self, node: Node) -> None:
        """The node's saved values are about to be released."""
        ...

    def leave(self, node: Node) -> None:
        """The visit is over; its gradients are delivered next."""
        ...

    def routed(self, node: Node, index: int, computed: Any, routed: Any) -> None:
        """Edge `index` delivered `routed`, which is `computed` after reduction and cast."""
        ...

    def failed(self, node: Node, error: BaseException) -> None: ...
