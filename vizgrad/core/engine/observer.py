"""The callbacks of an observer of a run; it overrides those that it needs. All are called on the thread
that runs the node.

Values are handed over by reference: an observer that keeps one must copy what it needs at once. It must
not change anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol

from vizgrad.core.graph.edges import AccumulateGrad
from vizgrad.core.graph.node import Node
from vizgrad.core.observing import Observer


class Journal(Protocol):
    """Where a run notes what it did at nodes of which nobody need be told: those without hooks.

    The notes refer to gradients and saved values themselves. So the engine writes to none of them any
    more: sums are made anew, and a leaf gets a copy of what it would take over.
    """

    @property
    def open(self) -> bool:
        """Closed, between two nodes, the watch is told of each stage of each node instead."""
        ...

    @property
    def saved(self) -> Mapping[type[Node], Callable[[Any], Any]]:
        """The class of a node -> what gives its saved values, before they are released."""
        ...

    @property
    def readied(self) -> list[Node]:
        """Nodes in the order in which they became ready."""
        ...

    #: So many nodes from the first are known to have made nothing that is not finite, of what was; -1: what
    #: the run starts with is not.
    finite_until: int

    def __len__(self) -> int:
        """How many nodes are noted."""
        ...

    def made_nonfinite(self, index: int) -> bool:
        """Did the node that was noted there make what is not finite of what is?"""
        ...

    @property
    def visited(self) -> Callable[[tuple[Any, ...]], None]:
        """Takes (node, what arrived, what it computed, its saved values, when it began and ended, how many
        nodes had become ready before) of a node that is about to deliver.
        """
        ...

    def before_storing(self, node: AccumulateGrad) -> Any:
        """A leaf without hooks is about to deal with its gradient; `stored` is given what this returns."""
        ...

    def stored(
        self,
        node: AccumulateGrad,
        incoming: Any,
        before: Any,
        done: tuple[str, str],
        times: tuple[float, float],
    ) -> None:
        """It has, as `done` says: decision and reason; `times` are when it began and ended."""
        ...

    def delivered(self, index: int, grad: Any, before: Any, total: Any) -> None:
        """Edge `index` delivered something else than was computed, or to where something waited."""
        ...


class Trail:
    """Told of a node without hooks once, when it has run: what else there is to know of it is in the node."""

    __slots__ = ()

    def ran(
        self,
        node: Node,
        incoming: Any,
        computed: tuple[Any, ...] | None,
        began: float,
        error: str = "",
    ) -> None:
        """`node` was given `incoming`, at the time `began`, and has computed a gradient for each edge, or
        has raised `error`. Its saved values are still there.
        """

    def storing(self, node: AccumulateGrad, grad: Any) -> None:
        """A leaf is about to deal with its gradient."""

    def stored(
        self, node: AccumulateGrad, grad: Any, began: float, decision: str, reason: str
    ) -> None:
        """A leaf has dealt with its gradient, as `decision` says."""

    def delivering(self, node: Node, computed: tuple[Any, ...]) -> None:
        """A node with hooks, of whose stages the watch was told, is about to deliver."""

    def fitted(self, node: Node, index: int, grad: Any) -> None:
        """Edge `index` delivers `grad`, where what was computed may have had to be summed or cast: its shape
        or dtype is not that of the target, or the target has several outputs.
        """


class Watch:
    #: For a watch that need not know of stages where nobody looks on: it is told of all other nodes alone.
    #: In the reference loop it is told of all nodes all the same, and the trail of none.
    trail: Trail | None = None
    #: For a watch that can do with less than events; it is told of nodes that have hooks alone.
    journal: Journal | None = None

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
    raised: Callable[[Exception], None]
    trail: Trail | None

    journal: ClassVar[None] = None

    def __init__(self, watch: Watch) -> None:
        observer = Observer("an observer of a backward", removed=self.end)
        self.trail = watch.trail
        #: The trail has raised.
        self.raised = observer.raised
        for name in _EVENTS:
            ignored = getattr(type(watch), name) is getattr(Watch, name)
            event = getattr(watch, name)
            setattr(self, name, _nothing if ignored else _guarded(event, observer))

    def end(self) -> None:
        """Tells the observer nothing any more, and lets go of it: the guard refers to itself."""
        self.trail = None
        self.raised = _nothing
        for name in _EVENTS:
            setattr(self, name, _nothing)


_EVENTS = ("enter", "stage", "accumulated", "releasing", "leave", "routed", "failed")


def _guarded(event: Callable[..., None], observer: Observer) -> Callable[..., None]:
    """As `observer.ask`, with one call less: it is made for each node, several times."""

    def told(*args: Any) -> None:
        if observer.active:
            try:
                event(*args)
            except Exception as error:  # noqa: BLE001  whatever it was, it is reported
                observer.raised(error)

    return told


def _nothing(*_: Any) -> None:
    pass
