"""Random backward graphs: any shape, any scopes, any sequence numbers."""

from __future__ import annotations

from hypothesis import strategies as st

from vizgrad.inspection.model import Edge, Graph, Node, NodeKind, OutputMeta, Saved

SCOPES = ("net", "fc1", "fc2", "cell")
KINDS: tuple[NodeKind, ...] = ("op", "op", "op", "function", "copy_slices")


@st.composite
def graphs(draw: st.DrawFn, most: int = 24) -> Graph:
    """A graph without cycles: node i has edges to nodes below i only; the first few are leaves."""
    count = draw(st.integers(1, most))
    leaves = draw(st.integers(0, min(count, 5)))
    sequence = draw(st.permutations(range(count)))
    nodes: list[Node] = []
    for index in range(count):
        leaf = index < leaves
        targets = (
            []
            if leaf or not index
            else draw(st.lists(st.none() | st.integers(0, index - 1), max_size=4))
        )
        outputs = draw(st.integers(1, 3))
        edges = tuple(
            Edge(t, 0 if t is None else draw(st.integers(0, len(nodes[t].outputs) - 1)), f"in{i}")
            for i, t in enumerate(targets)
        )
        below = [nodes[t].topological_nr for t in targets if t is not None]
        saved = tuple(
            Saved(
                f"s{i}",
                draw(st.sampled_from(("alive", "stale", "freed", "packed"))),
                (2,),
                "float32",
                8,
            )
            for i in range(draw(st.integers(0, 3)))
        )
        nodes.append(
            Node(
                id=index,
                name=f"Op{index}Backward0",
                kind="leaf" if leaf else draw(st.sampled_from(KINDS)),
                sequence_nr=sequence[index],
                topological_nr=1 + max(below, default=-1),
                edges=edges,
                outputs=(OutputMeta((2, 3), "float32", "cpu"),) * outputs,
                saved=() if leaf else saved,
                scope=() if leaf else tuple(draw(st.lists(st.sampled_from(SCOPES), max_size=3))),
                label=f"w{index}" if leaf else "",
            )
        )
    roots = draw(st.lists(st.integers(0, count - 1), max_size=2, unique=True))
    return Graph(tuple(nodes), tuple((root, 0) for root in roots or [count - 1]))
