"""The text tier: what is written once, what is referred to, and where it is cut."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from tests.debugger.drawing.examples import Builder, in_place, mlp, run_at
from tests.debugger.drawing.strategies import graphs
from vizgrad.debugger.drawing import (
    graph_svg,
    graph_text,
    run_text,
    trace_text,
    versions_text,
    visit_text,
)
from vizgrad.debugger.model import (
    AccumulateRecord,
    Buffer,
    Edge,
    Event,
    Graph,
    Group,
    Place,
    Ready,
    Routed,
    StageRecord,
    StepRecord,
    Storage,
    TensorSummary,
    Trace,
    Visit,
    Write,
)

GRADIENT = TensorSummary((4, 1), "float32", "cpu", 16, norm=0.5, min=-1.0, max=0.25)


def test_a_shared_node_is_written_after_the_last_that_feeds_it() -> None:
    b = Builder()
    x = b.op("ExpBackward0", {"self": b.leaf("x", (3,))}, (3,))
    product = b.op("MulBackward0", {"self": x, "other": x}, (3,))
    total = b.op("AddBackward0", {"self": x, "other": product}, (3,))
    assert graph_text(b.graph(total, title="t")).split("\n")[1:] == [
        "○ AddBackward0  [3] f32",
        "├─↓ self: ExpBackward0 (node 2), below",
        "○ other: MulBackward0  [3] f32",
        "├─↓ self: ExpBackward0 (node 2), below",
        "○ other: ExpBackward0  [3] f32           (node 2)",
        "● AccumulateGrad x  [3] f32",
    ]


def test_several_results_are_numbered() -> None:
    b = Builder()
    x = b.leaf("x", (3,))
    one, two = b.op("Sin", {"self": x}, (3,)), b.op("Cos", {"self": x}, (3,))
    assert graph_text(b.graph(one, two)).split("\n")[1:] == [
        "○ result 0: Sin  [3] f32",
        "● AccumulateGrad x  [3] f32   use 1 of 2",
        "○ result 1: Cos  [3] f32",
        "● AccumulateGrad x  [3] f32   use 2 of 2",
    ]


@given(graphs())
def test_every_node_is_written_once_and_every_leaf_at_each_use(graph: Graph) -> None:
    lines = [line for line in graph_text(graph).split("\n")[1:] if not line.startswith("!")]
    for node in graph.nodes:
        own = [line for line in lines if f"Op{node.id}Backward0" in line]
        uses = [edge.node for other in graph.nodes for edge in other.edges].count(node.id)
        uses += [root for root, _ in graph.roots].count(node.id)
        leaf = node.kind == "leaf" and not node.edges
        assert len(own) == max(uses, 1)
        assert sum("↓" not in line for line in own) == (len(own) if leaf else 1)
        if not leaf:
            assert "↓" not in own[-1]


def test_long_graphs_are_cut_and_say_so() -> None:
    text = graph_text(mlp(), limit=5)
    assert len(text.split("\n")) == 1 + 5 + 1
    assert text.endswith("… 8 more nodes")


def test_a_run_shows_queue_buffers_and_breakpoints() -> None:
    graph = mlp()
    run = run_at(graph, 5)
    run = replace(run, buffers=(Buffer(4, 0, GRADIENT),), breakpoints=(11,), recorded=9)
    text = run_text(graph, run, limit=2)
    assert text.split("\n") == [
        "backward of loss: paused, 5 of 12 nodes done, 4 steps recorded ahead",
        "  current  TBackward0 (node 4)",
        "  ready    TBackward0 (node 4)",
        "           ReluBackward0 (node 5)",
        "  buffers  TBackward0 (node 4) output 0: [4, 1] f32  norm 0.5  -1 … 0.25",
        "  waiting  AddmmBackward0 (node 6): 0 of 1",
        "           TBackward0 (node 7): 0 of 1",
        "           … 3 more",
        "  breaks   AccumulateGrad of fc2.bias (node 11)",
    ]


def test_a_run_that_names_an_unknown_node_is_refused() -> None:
    graph = mlp()
    for change in ({"breakpoints": (99,)}, {"current": 99}, {"ready": (Ready(99, 0),)}):
        run = replace(run_at(graph, 0), **change)
        for draw in (run_text, graph_text, graph_svg):
            with pytest.raises(ValueError, match="the run names node 99, the graph has 12"):
                draw(graph, run)


def test_versions_of_a_storage_are_a_timeline() -> None:
    writes = tuple(Write(i, 10 * i, "add_", Place("a.py", i, text=f"w += {i}")) for i in (3, 4, 5))
    storage = Storage(1, "", (2,), "float32", 8, 5, writes, 2)
    assert versions_text([storage], limit=2).split("\n") == [
        "storage 1  [2] f32  8 B  now v5",
        "  … 2 earlier writes",
        "  … 1 earlier mark",
        "      40  v4   written by add_ at a.py:4   w += 4",
        "      50  v5   written by add_ at a.py:5   w += 5",
    ]
    assert versions_text([]) == "no storages are tracked"
    untouched = Storage(2, "w", (), "float64", 8, 0)
    assert versions_text([untouched]).endswith("now v0\n  no writes, no saves")
    assert "by node (3)" in versions_text(in_place().storages)


VISIT = Visit(
    index=3,
    node=3,
    incoming=(GRADIENT,),
    routed=(
        Routed(Edge(11, 0, "self"), GRADIENT, GRADIENT, "summed over dimension 0"),
        Routed(Edge(None, 0, "mat1"), None, None, index=1),
        Routed(Edge(4, 1, "mat2"), None, None, index=2),
    ),
    stages=(StageRecord("tensor_hooks", "scale", None, GRADIENT), StageRecord("formula", "g @ w")),
    released_bytes=320,
    seconds=1.2e-4,
)
LEAF = Visit(
    index=4,
    node=11,
    incoming=(GRADIENT,),
    routed=(),
    accumulate=AccumulateRecord("taken", "nobody else owns it", None, GRADIENT),
)


def test_a_visit_in_full() -> None:
    assert visit_text(VISIT, mlp()).split("\n") == [
        "#4 AddmmBackward0 (node 3)  120 µs, released 320 B",
        "  in   output 0: [4, 1] f32  norm 0.5  -1 … 0.25",
        "  tensor hooks    scale",
        "                  undefined → [4, 1] f32  norm 0.5  -1 … 0.25",
        "  formula         g @ w",
        (
            "  out  self: [4, 1] f32  norm 0.5  -1 … 0.25 → AccumulateGrad of fc2.bias (node 11)"
            "  (summed over dimension 0)"
        ),
        "  out  mat1: not needed",
        "  out  mat2: undefined → TBackward0 (node 4) output 1",
    ]
    assert "  grad taken: nobody else owns it\n       undefined → [4, 1]" in visit_text(LEAF)


def test_a_trace_has_a_line_for_each_visit_and_event() -> None:
    events = tuple(Event(i, "record", "op", 3, Place("a.py", 2)) for i in range(3))
    records = tuple(StepRecord(visit, Ready(visit.node, None)) for visit in (VISIT, LEAF))
    trace = Trace(mlp(), records, events, "step 1")
    assert trace_text(trace, limit=2).split("\n") == [
        "step 1: 12 nodes · 2 visits · 3 events",
        "     #4 AddmmBackward0 (node 3)  in 0.5  out 0.5, undefined",
        "     #5 AccumulateGrad of fc2.bias (node 11)  in 0.5  grad taken",
        "events",
        "     0  record     op  a.py:2",
        "     1  record     op  a.py:2",
        "… 1 more event",
    ]


@pytest.mark.slow
def test_a_hundred_thousand_nodes_neither_recurse_nor_flood() -> None:
    b = Builder()
    node = b.leaf("x", (3,))
    for _ in range(100_000):
        node = b.op("SinBackward0", {"self": node}, (3,))
    graph = b.graph(node, groups=(Group(0, None, "part", "part", 0, 100_000),))
    assert len(graph_text(graph)) < 20_000
    assert graph_text(graph).endswith("… 99,801 more nodes")
    assert len(graph_svg(graph)) < 100_000
