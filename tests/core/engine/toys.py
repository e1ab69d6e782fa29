"""A backward engine's world in miniature: Python floats for gradients, hand-made nodes, one journal.

The engine knows nothing of operations, so it can be tested with none. A gradient is a `Value`: a float
with the attributes that the engine looks at on delivery. Everything that happens is written to the
journal of the `World`, in order, so that a test can say exactly what it expects.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from types import SimpleNamespace
from typing import Any

from vizgrad.core.engine.observer import Watch
from vizgrad.core.engine.task import Capture, GraphTask
from vizgrad.core.graph.edges import AccumulateGrad
from vizgrad.core.graph.node import Edge, Meta, Node
from vizgrad.core.graph.saved import Freed


class Value(float):
    """A gradient: a Python float of shape () and of no particular type."""

    shape = ()
    dtype = None
    base = None

    def __add__(self, other: float) -> Value:
        return Value(float(self) + float(other))


class Toy(Node):
    """A node whose derivative is `formula(*grads)`; None where it has several slots and one is missing."""

    __slots__ = ("formula", "label", "outputs", "released", "world")

    def __init__(
        self,
        world: World,
        label: str,
        edges: Sequence[Any],
        formula: Callable[..., Any],
        outputs: int = 1,
    ) -> None:
        self.world = world
        self.label = label
        self.edges = tuple(edges)
        self.formula = formula
        self.outputs = outputs
        self.sequence_nr = world.tick()
        self.hooks = None
        self.shape = ()
        self.dtype = None
        self.code = None
        self.lasti = 0
        self.scope = None
        self.released = False

    def name(self) -> str:
        return self.label

    def run(self, grad: Any) -> Any:
        return self.run_all([grad])

    def run_all(self, grads: list[Any]) -> Any:
        self.world.journal.append((self.label, *grads))
        result = self.formula(*grads)
        return result if isinstance(result, tuple) else (result,)

    def release(self, token: object) -> None:
        self.released = True
        self.world.journal.append((f"{self.label} released",))


class FloatDomain:
    """`vizgrad.core.engine.domain.Domain` for floats; `metas` collects what was asked to fit."""

    raw = True
    records = False

    def __init__(self, world: World) -> None:
        self.world = world

    def add(self, a: Any, b: Any) -> Any:
        return a + b

    def can_add_in_place(self, total: Any, grad: Any) -> bool:
        return False

    def share_memory(self, view: Any, other: Any) -> bool:
        return view is other

    def fit(self, grad: Any, meta: Meta, node: Node, index: int) -> Any:
        if not isinstance(grad, Value):
            raise RuntimeError(f"{node.name()} gave {grad!r} for edge {index}")
        return grad

    def to_tensor(self, grad: Any) -> Any:
        return SimpleNamespace(value=grad, shape=(), dtype=None, device=None, requires_grad=False)

    def from_tensor(self, tensor: Any) -> Any:
        return Value(tensor.value)

    def zeros(self, meta: Meta) -> Any:
        return Value(0.0)

    def accumulate(self, variable: Any, grad: Any, borrowed: bool) -> tuple[str, str]:
        self.world.journal.append((f"acc({variable.name})", grad))
        if variable.grad is None:
            variable.grad = grad
            return ("copied" if borrowed else "taken"), "toy"
        variable.grad = variable.grad + grad
        return "added in place", "toy"

    def retain(self, tensor: Any, grad: Any) -> None:
        tensor.grad = grad

    def has_nan(self, grad: Any) -> bool:
        return grad != grad

    def explain(self, error: Exception, node: Node) -> None:
        error.add_note(f"while running {node.name()}")


class World:
    """Makes leaves and nodes, and keeps the journal of the runs over them."""

    def __init__(self) -> None:
        self.journal: list[tuple[Any, ...]] = []
        self.domain = FloatDomain(self)
        self._ticks = 0

    def tick(self) -> int:
        self._ticks += 1
        return self._ticks

    def leaf(self, name: str) -> AccumulateGrad:
        array = SimpleNamespace(shape=(), dtype=None)
        variable: Any = SimpleNamespace(
            name=name, _array=array, _rare=None, _tracked=2, requires_grad=True, grad=None
        )
        return AccumulateGrad(variable)

    def node(
        self, label: str, *edges: Any, formula: Callable[..., Any] | None = None, outputs: int = 1
    ) -> Toy:
        """A node that, unless told otherwise, hands what arrives to every edge."""
        if formula is None:

            def formula(*grads: Any) -> tuple[Any, ...]:
                return (grads[0],) * len(edges)

        return Toy(self, label, edges, formula, outputs)

    def scale(self, label: str, edge: Any, factor: float) -> Toy:
        return self.node(label, edge, formula=lambda g: Value(float(g) * factor))

    def task(
        self,
        *roots: Any,
        keep_graph: bool = False,
        captures: dict[Node, list[Capture]] | None = None,
        wanted: Iterable[Node] = (),
    ) -> GraphTask:
        """A task whose roots are nodes, or (node, slot, gradient)."""
        given = [r if isinstance(r, tuple) else (r, 0, Value(1.0)) for r in roots]
        domain: Any = self.domain
        return GraphTask(
            given,
            domain,
            keep_graph=keep_graph,
            freed=Freed(None),
            captures=captures,
            wanted=wanted,
        )

    @property
    def order(self) -> list[str]:
        """Names of what ran, releases left out."""
        return [entry[0] for entry in self.journal if not entry[0].endswith(" released")]


def slot(node: Node, nr: int) -> Edge:
    """The edge to output slot `nr` of a node."""
    return Edge(node, nr)


def resumes(task: GraphTask) -> Generator[Node, None, None]:
    """Drives a task as a debugger must that pauses it: the thread's modes are given back at each pause."""
    run = task.loop()
    while True:
        try:
            node = next(run)
        except StopIteration:
            return
        finally:
            task.leave()
        yield node


class Diary(Watch):
    """A `Watch` that writes down what it is told."""

    def __init__(self) -> None:
        self.lines: list[tuple[Any, ...]] = []

    def enter(self, node: Node, grads: tuple[Any, ...], full: bool) -> None:
        self.lines.append(("enter", node.name(), grads, full))

    def stage(self, stage: str, detail: str, before: Any, after: Any) -> None:
        self.lines.append(("stage", stage, detail))

    def accumulated(self, node: Node, decision: str, reason: str) -> None:
        self.lines.append(("accumulated", decision))

    def releasing(self, node: Node) -> None:
        self.lines.append(("releasing", node.name()))

    def leave(self, node: Node) -> None:
        self.lines.append(("leave", node.name()))

    def routed(self, node: Node, index: int, computed: Any, routed: Any) -> None:
        self.lines.append(("routed", node.name(), index, computed, routed))

    def failed(self, node: Node, error: BaseException) -> None:
        self.lines.append(("failed", node.name(), str(error)))
