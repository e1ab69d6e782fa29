"""Graphs written by hand as the engine would record them, small enough to check by eye."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tests.debugger.drawing.origins import groups_by_scope
from vizgrad.debugger.model import (
    CodeStep,
    Edge,
    EdgeRun,
    Formula,
    Graph,
    Group,
    Made,
    Node,
    NodeKind,
    NodeRun,
    OutputMeta,
    Place,
    Ready,
    Run,
    Saved,
    SavedRun,
    SaveMark,
    Storage,
    Write,
)
from vizgrad.debugger.session.grouping.outline import is_leaf
from vizgrad.debugger.session.history.lanes import lane_within

LEAF_SEQUENCE = 2**64 - 1


@dataclass
class Builder:
    """Adds nodes as the forward pass does; what it gives for them is good for further nodes and for roots.

    The graph has them in its own order: the latest first, leaves behind all others.
    """

    nodes: list[Node] = field(default_factory=list[Node])
    clock: int = 0

    def leaf(self, label: str, shape: tuple[int, ...], dtype: str = "float32") -> int:
        return self._add("AccumulateGrad", "leaf", (), shape, dtype, label=label)

    def op(
        self,
        name: str,
        inputs: dict[str, int | None],
        shape: tuple[int, ...] = (),
        *,
        saved: tuple[Saved, ...] = (),
        scope: str = "",
        kind: NodeKind = "op",
        line: int = 0,
        slots: dict[str, int] | None = None,
        outputs: int = 1,
        formulas: tuple[Formula, ...] = (),
    ) -> int:
        edges = tuple(Edge(node, (slots or {}).get(key, 0), key) for key, node in inputs.items())
        path = tuple(scope.split("/")) if scope else ()
        return self._add(name, kind, edges, shape, "float32", saved, path, line, outputs, formulas)

    def _add(
        self,
        name: str,
        kind: NodeKind,
        edges: tuple[Edge, ...],
        shape: tuple[int, ...],
        dtype: str,
        saved: tuple[Saved, ...] = (),
        scope: tuple[str, ...] = (),
        line: int = 0,
        outputs: int = 1,
        formulas: tuple[Formula, ...] = (),
        label: str = "",
    ) -> int:
        leaf = kind == "leaf"
        self.clock += not leaf
        below = [self.nodes[edge.node].topological_nr for edge in edges if edge.node is not None]
        node = Node(
            id=len(self.nodes),
            name=name,
            kind=kind,
            sequence_nr=LEAF_SEQUENCE if leaf else self.clock,
            topological_nr=0 if leaf else 1 + max(below, default=0),
            edges=edges,
            outputs=(OutputMeta(shape, dtype, "cpu"),) * outputs,
            saved=saved,
            formulas=formulas,
            scope=scope,
            place=Place("train.py", line, "step", None, "") if line else None,
            label=label,
        )
        self.nodes.append(node)
        return node.id

    def graph(
        self,
        *roots: int,
        title: str = "",
        storages: tuple[Storage, ...] = (),
        groups: tuple[Group, ...] | None = None,
    ) -> Graph:
        """Without `groups` those of the scopes."""
        latest = sorted(self.nodes, key=lambda n: (is_leaf(n), n.id if is_leaf(n) else -n.id))
        numbers = {node.id: number for number, node in enumerate(latest)}
        nodes = tuple(_renumbered(node, numbers) for node in latest)
        return Graph(
            nodes,
            tuple((numbers[root], 0) for root in roots),
            tuple(_marked(storage, numbers) for storage in storages),
            title,
            groups=groups_by_scope(nodes) if groups is None else groups,
        )


def _renumbered(node: Node, numbers: dict[int, int]) -> Node:
    edges = tuple(
        replace(edge, node=None if edge.node is None else numbers[edge.node]) for edge in node.edges
    )
    return replace(node, id=numbers[node.id], edges=edges)


def _marked(storage: Storage, numbers: dict[int, int]) -> Storage:
    saves = tuple(replace(mark, node=numbers[mark.node]) for mark in storage.saves)
    return replace(storage, saves=saves)


def number_of(graph: Graph, name: str, nth: int = 0) -> int:
    """The number of the nth node with this name or label."""
    return [node.id for node in graph.nodes if name in (node.name, node.label)][nth]


def alive(name: str, shape: tuple[int, ...], size: int, version: int = 0) -> Saved:
    return Saved(name, "alive", shape, "float32", size, 1, version, version)


def value(name: str, text: str) -> Saved:
    return Saved(name, "alive", value=text)


def mlp() -> Graph:
    """Twelve nodes: a two-layer network, and a penalty on its first weight (so used twice)."""
    b = Builder()
    w1, b1 = b.leaf("fc1.weight", (16, 8)), b.leaf("fc1.bias", (16,))
    w2, b2 = b.leaf("fc2.weight", (1, 16)), b.leaf("fc2.bias", (1,))
    t1 = b.op("TBackward0", {"self": w1}, (8, 16), scope="net/fc1", line=12)
    fc1 = b.op(
        "AddmmBackward0",
        {"self": b1, "mat1": None, "mat2": t1},
        (4, 16),
        saved=(alive("mat1", (4, 8), 128), value("alpha", "1"), value("beta", "1")),
        scope="net/fc1",
        line=12,
    )
    relu = b.op(
        "ReluBackward0",
        {"self": fc1},
        (4, 16),
        saved=(alive("result", (4, 16), 256),),
        scope="net/act",
        line=13,
    )
    t2 = b.op("TBackward0", {"self": w2}, (16, 1), scope="net/fc2", line=14)
    fc2 = b.op(
        "AddmmBackward0",
        {"self": b2, "mat1": relu, "mat2": t2},
        (4, 1),
        saved=(alive("mat1", (4, 16), 256), alive("mat2", (16, 1), 64)),
        scope="net/fc2",
        line=14,
    )
    mse = b.op(
        "MseLossBackward0",
        {"self": fc2, "target": None},
        (),
        saved=(alive("self", (4, 1), 16), alive("target", (4, 1), 16)),
        line=20,
    )
    norm = b.op(
        "LinalgVectorNormBackward0",
        {"self": w1},
        (),
        saved=(alive("self", (16, 8), 512), alive("result", (), 4), value("ord", "2.0")),
        line=21,
    )
    total = b.op("AddBackward0", {"self": mse, "other": norm}, (), line=21)
    return b.graph(total, title="loss")


def in_place() -> Graph:
    """``y = x.exp(); y[0] = row; (y * w).sum()``: exp saved y, the write made it stale."""
    b = Builder()
    x, row, w = b.leaf("x", (2, 3)), b.leaf("row", (3,)), b.leaf("w", (2, 3))
    write = Write(1, 3, "copy_", Place("train.py", 12, "step", None, "y[0] = row"), "y[0]")
    stale = Saved("result", "stale", (2, 3), "float32", 24, 7, 0, 1, write)
    exp = b.op("ExpBackward0", {"self": x}, (2, 3), saved=(stale,), line=11)
    copy = b.op("CopySlices", {"base": exp, "src": row}, (2, 3), kind="copy_slices", line=12)
    mul = b.op(
        "MulBackward0",
        {"self": copy, "other": w},
        (2, 3),
        saved=(
            Saved("self", "alive", (2, 3), "float32", 24, 7, 1, 1),
            Saved("other", "alive", (2, 3), "float32", 24, 8, 0, 0),
        ),
        line=13,
    )
    total = b.op("SumBackward0", {"self": mul}, (), saved=(value("self_sizes", "(2, 3)"),), line=13)
    storage = Storage(
        7,
        "y",
        (2, 3),
        "float32",
        24,
        1,
        (write,),
        0,
        (SaveMark(exp, "result", 0, 1, "stale"), SaveMark(mul, "self", 1, 4, "alive")),
    )
    return b.graph(total, title="(y * w).sum()", storages=(storage,))


def timelines() -> tuple[Storage, ...]:
    """One storage with many writes and a save in each state, one never written to."""
    writes = tuple(
        Write(i, 10 * i, ("add_", "mul_")[i % 2], Place("norm.py", 30 + i, text="mean.mul_(0.9)"))
        for i in range(2, 6)
    )
    saves = (
        SaveMark(3, "input", 3, 33, "stale"),
        SaveMark(1, "other", 2, 21, "freed"),
        SaveMark(3, "weight", 5, 55, "alive"),
        SaveMark(99, "state", 5, 61, "packed"),
    )
    mean = Storage(2, "mean", (64,), "float32", 256, 5, writes, 1, saves)
    return (*in_place().storages, mean, Storage(4, "", (), "float32", 4, 0))


def transformer(layers: int = 12) -> Graph:
    """As many equal layers: attention, a network of two linear maps, and a norm after both."""
    b = Builder()
    x = b.op("EmbeddingBackward0", {"weight": b.leaf("embed", (32, 16))}, (4, 16))

    def normed(x: int, way: int, scope: str) -> int:
        total = b.op("AddBackward0", {"self": x, "other": way}, (4, 16), scope=scope)
        affine = {"weight": b.leaf("gain", (16,)), "bias": b.leaf("bias", (16,))}
        inputs = {"input": total, **affine}
        return b.op("NativeLayerNormBackward0", inputs, (4, 16), scope=scope)

    for layer in range(layers):
        here = f"Encoder/layers.{layer}: EncoderLayer"
        inside = f"{here}/attention: Attention"
        q = b.op("MmBackward0", {"self": x, "mat2": b.leaf("q", (16, 16))}, (4, 16), scope=inside)
        x = normed(x, b.op("SoftmaxBackward0", {"self": q}, (4, 16), scope=inside), here)
        inside = f"{here}/mlp: Mlp"
        up = b.op("MmBackward0", {"self": x, "mat2": b.leaf("up", (16, 64))}, (4, 64), scope=inside)
        x = normed(x, b.op("ReluBackward0", {"self": up}, (4, 64), scope=inside), here)
    return b.graph(b.op("MeanBackward0", {"self": x}, ()), title="loss")


def loop(turns: int = 24) -> Graph:
    """A loop of a program, each turn of two nodes that use the same weight."""
    b = Builder()
    w, h = b.leaf("w", (8, 8)), b.leaf("h", (4, 8))
    for _ in range(turns):
        product = b.op("MmBackward0", {"self": h, "mat2": w}, (4, 8))
        h = b.op("TanhBackward0", {"self": product}, (4, 8))
    total = b.op("SumBackward0", {"self": h}, ())
    place = Place("train.py", 7, "step", None, "for t in range(24):")
    groups = [Group(0, None, "loop", "for t in range(24)", 1, 1 + 2 * turns, place, turns)]
    groups += [
        Group(t, 0, "turn", f"{turns + 1 - t} of {turns}", 2 * t - 1, 2 * t + 1)
        for t in range(1, turns + 1)
    ]
    return b.graph(total, title="loss", groups=tuple(groups))


def vanishing(layers: int = 3) -> Graph:
    """Equal layers of two nodes each."""
    b = Builder()
    x = b.op("CloneBackward0", {"self": b.leaf("x", (4, 8))}, (4, 8))
    for layer in range(layers):
        scope = f"layers.{layer}: Layer"
        x = b.op("MmBackward0", {"self": x, "mat2": b.leaf("w", (8, 8))}, (4, 8), scope=scope)
        x = b.op("SigmoidBackward0", {"self": x}, (4, 8), scope=scope)
    return b.graph(b.op("SumBackward0", {"self": x}, ()), title="loss")


def run_at(graph: Graph, position: int, shrink: float = 1.0) -> Run:
    """A run over `graph` after `position` visits, in the order the engine would take. Each gradient that
    arrives at a node is `shrink` times that of the one before.
    """
    needed = [0] * len(graph.nodes)
    for node in graph.nodes:
        for edge in node.edges:
            if edge.node is not None:
                needed[edge.node] += 1
    delivered = [0] * len(graph.nodes)
    ready = [root for root, _ in graph.roots]
    order: dict[int, int] = {}
    edges: list[EdgeRun] = []
    freed: list[SavedRun] = []
    for visit in range(position):
        ready.sort(key=lambda index: -graph.nodes[index].sequence_nr)
        index = ready.pop(0)
        order[index] = visit
        node = graph.nodes[index]
        freed += [
            SavedRun(index, s.name, "freed", s.version_now) for s in node.saved if not s.value
        ]
        for number, edge in enumerate(node.edges):
            if edge.node is None:
                continue
            norm = 0.25 * (visit + 1) if shrink == 1.0 else shrink**visit
            edges.append(EdgeRun(index, number, norm))
            delivered[edge.node] += 1
            if delivered[edge.node] == needed[edge.node]:
                ready.append(edge.node)
    ready.sort(key=lambda index: -graph.nodes[index].sequence_nr)
    current = ready[0] if ready else None
    nodes = tuple(
        NodeRun("done", needed[i], needed[i], order[i], grad_norm=shrink ** order[i])
        if i in order
        else NodeRun("current" if i == current else "ready", delivered[i], needed[i])
        if i in ready
        else NodeRun("waiting", delivered[i], needed[i])
        for i in range(len(graph.nodes))
    )
    return Run(
        status="paused" if current is not None else "finished",
        position=position,
        recorded=position,
        total=len(graph.nodes),
        current=current,
        nodes=nodes,
        ready=tuple(Ready(i, graph.nodes[i].sequence_nr) for i in ready),
        edges=tuple(edges),
        saved=tuple(freed),
    )


def with_state(run: Run, node: int, state: NodeRun) -> Run:
    """The same run with one node in another state."""
    return replace(run, nodes=(*run.nodes[:node], state, *run.nodes[node + 1 :]))


def lane() -> Graph:
    """What two lines of a custom backward ran, the second a backward of its own: `g * (x * 3)`."""
    meta = OutputMeta((3,), "float32", "cpu")
    made = (
        Made("saved", "input", label="x", output=meta),
        Made("mul", inputs=(0,), label="slope", output=meta),
        Made("grad", "input", output=meta, node=1),
        Made("mul", inputs=(1, 2), output=meta),
        Made("SumBackward0", "visit", output=meta),
        Made("MulBackward0", "visit", inputs=(4,), output=meta),
        Made("AccumulateGrad", "visit", inputs=(5,), label="w"),
    )
    place = Place("train.py", 7, "backward")
    code = (CodeStep(1, place, made=made[:4]), CodeStep(1, place, made=made[4:]))
    found = lane_within(3, code, "CubeBackward")
    assert found is not None
    return found.graph
