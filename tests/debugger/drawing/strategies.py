"""Random backward graphs: any shape, any scopes, any groups, any sequence numbers."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.debugger.drawing.origins import groups_by_scope
from vizgrad.debugger.model import Edge, Graph, Group, Node, NodeKind, OutputMeta, Saved

SCOPES = ("net", "fc1", "fc2", "cell")
KINDS: tuple[NodeKind, ...] = ("op", "op", "op", "function", "copy_slices")


@st.composite
def graphs(draw: st.DrawFn, most: int = 24) -> Graph:
    """Edges lead to larger numbers, and the last few nodes are leaves."""
    count = draw(st.integers(1, most))
    inner = count - draw(st.integers(0, min(count, 5)))
    sequence = draw(st.permutations(range(count)))
    outputs = [draw(st.integers(1, 3)) for _ in range(count)]
    nodes: list[Node] = []
    for index in reversed(range(count)):
        leaf = index >= inner
        targets = (
            []
            if leaf or index == count - 1
            else draw(st.lists(st.none() | st.integers(index + 1, count - 1), max_size=4))
        )
        edges = tuple(
            Edge(t, 0 if t is None else draw(st.integers(0, outputs[t] - 1)), f"in{i}")
            for i, t in enumerate(targets)
        )
        below = [nodes[count - 1 - t].topological_nr for t in targets if t is not None]
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
                outputs=(OutputMeta((2, 3), "float32", "cpu"),) * outputs[index],
                saved=() if leaf else saved,
                scope=() if leaf else tuple(draw(st.lists(st.sampled_from(SCOPES), max_size=3))),
                label=f"w{index}" if leaf else "",
            )
        )
    nodes.reverse()
    roots = draw(st.lists(st.integers(0, count - 1), max_size=2)) or [0]
    groups = draw(st.just(None) | any_groups(inner))
    return Graph(
        tuple(nodes),
        tuple((root, 0) for root in roots),
        groups=groups_by_scope(nodes) if groups is None else groups,
    )


@st.composite
def any_groups(draw: st.DrawFn, inner: int) -> tuple[Group, ...]:
    """Stretches in stretches, some of equal children."""
    found: list[Group] = []
    waiting: list[tuple[int | None, int, int]] = [(None, 0, inner)]
    while waiting:
        parent, first, last = waiting.pop()
        while first < last:
            first = draw(st.integers(first, last))
            end = draw(st.integers(first, last))
            if end - first < 2 or len(found) > 12:
                first = end + 1
                continue
            group = len(found)
            cells = draw(st.sampled_from((0, 0, *_divisors(end - first))))
            found.append(Group(group, parent, "equal", f"group {group}", first, end, None, cells))
            size = (end - first) // (cells or 1)
            if not cells:
                waiting.append((group, first, end))
            for cell in range(cells if size > 1 else 0):
                start = first + cell * size
                inside = Group(len(found), group, "turn", f"turn {cell}", start, start + size)
                found.append(inside)
                waiting.append((inside.id, start, start + size))
            first = end
    return tuple(found)


def _divisors(size: int) -> tuple[int, ...]:
    return tuple(cells for cells in range(2, size + 1) if size % cells == 0)
