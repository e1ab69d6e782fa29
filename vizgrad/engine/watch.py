"""What an observer of a run is told, if it overrides the method. All are called on the thread that runs
the node.

Values are handed over by reference: an observer that keeps one must copy what it needs at once. It must
not change anything.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from vizgrad.graph.node import Node
from vizgrad.observing import Observer


class Watch:
    def enter(self, node: Node, grads: tuple[Any, ...], full: bool) -> None:
        """`node` is about to be visited with `grads`; not `full`: it is only captured."""

    def stage(self, stage: str, detail: str, before: Any, after: Any) -> None:
        """A stage of the visit (E-50) did something; `before`/`after` are gradients or None."""

    def accumulated(self, node: Node, decision: str, reason: str) -> None:
        """A leaf has dealt with its gradient, as `decision` says."""

    def releasing(self, node: Node) -> None:
        """The node's saved values are about to be released."""

    def leave(self, node: Node) -> None:
        """The visit is over; its gradients are delivered next."""

    def routed(self, node: Node, index: int, computed: Any, routed: Any) -> None:
        """Edge `index` delivered `routed`, which is `computed` after reduction and cast."""

    def failed(self, node: Node, error: BaseException) -> None:
        """The visit ended with an error."""


class Guarded:
    """Passes events on to an observer until it raises: then it is dropped, and reported once."""

    enter: Callable[..., None]
    stage: Callable[..., None]
    accumulated: Callable[..., None]
    releasing: Callable[..., None]
    leave: Callable[..., None]
    routed: Callable[..., None]
    failed: Callable[..., None]

    def __init__(self, watch: Watch) -> None:
        observer = Observer("an observer of a backward", removed=self.end)
        for name in _EVENTS:
            ignored = getattr(type(watch), name) is getattr(Watch, name)
            event = getattr(watch, name)
            setattr(self, name, _nothing if ignored else partial(observer.ask, event))

    def end(self) -> None:
        """Tells the observer nothing any more, and lets go of it: the guard refers to itself."""
        for name in _EVENTS:
            setattr(self, name, _nothing)


_EVENTS = tuple(Guarded.__annotations__)


def _nothing(*_: Any) -> None:
    pass
