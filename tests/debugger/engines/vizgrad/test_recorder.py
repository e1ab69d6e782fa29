"""Recording: what is noted, how it reads, and that nobody's fault in it breaks a run."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given

import vizgrad
from tests.debugger.session.test_stepping_property import modes_of, quietly
from tests.fixtures import strict_module
from tests.fixtures.programs import Program, backward_of, build, values
from tests.fixtures.sessions import leaf
from tests.fixtures.strategies import programs
from vizgrad.core.tensor.tensor import new_tensor
from vizgrad.debugger.engines.vizgrad.recorder import Recording
from vizgrad.debugger.model import TensorSummary
from vizgrad.debugger.wire.wire import from_json, to_json

G = new_tensor(values((3,), 4))


def kinds(recording: Recording) -> list[tuple[str, str]]:
    return [(e.kind, e.text) for e in recording.events]


def test_forward_writes_hooks_and_visits_in_their_order() -> None:
    x = leaf()

    def look(grad: Any) -> None:
        pass

    with vizgrad.record("a title") as trace:
        y = x.tanh()
        y.register_hook(look)
        z = y * 2
        z.add_(1)
        z.backward(G)
    found = kinds(trace)
    assert [k for k, _ in found] == [
        "forward", "forward", "write", "forward", "backward", "visit", "visit", "hook", "visit",
        "visit",
    ]  # fmt: skip
    assert [t for k, t in found if k == "visit"] == [
        "AddBackward0", "MulBackward0", "TanhBackward0", "AccumulateGrad",
    ]  # fmt: skip
    assert trace.title == trace.graph.title == trace.trace.title == "a title"
    assert "2 operations" not in repr(trace)
    assert "3 operations recorded, 4 nodes run, 1 in-place writes" in repr(trace)


def test_events_name_their_lines() -> None:
    x = leaf()
    with vizgrad.record() as trace:
        x.tanh().backward(G)
    for event in trace.events:
        if event.kind in ("forward", "backward"):
            assert event.place is not None
            assert event.place.file == __file__
            assert event.place.text == "x.tanh().backward(G)"


def test_the_graph_of_a_block() -> None:
    x, y = leaf(1), leaf(2)
    with vizgrad.record() as trace:
        (x * y + x).tanh()
    nodes = trace.graph.nodes
    by_name = {n.name: n for n in nodes if n.kind == "op"}
    assert set(by_name) == {"MulBackward0", "AddBackward0", "TanhBackward0"}
    assert {n.label for n in nodes if n.kind == "leaf"} == {"x", "y"}
    assert trace.graph.roots == ((by_name["TanhBackward0"].id, 0),)
    edges = [nodes[e.node].name for e in by_name["AddBackward0"].edges if e.node is not None]
    assert edges == ["MulBackward0", "AccumulateGrad"]
    assert [e.name for e in by_name["MulBackward0"].edges] == ["self", "other"]


def test_scopes_are_recorded() -> None:
    x = leaf()
    with vizgrad.record() as trace, vizgrad.scope("outer"):
        a = x.tanh()
        with vizgrad.scope("inner"):
            b = a.exp()
        (b * a).sin_()
    scopes = {n.name: n.scope for n in trace.graph.nodes if n.kind == "op"}
    assert scopes == {
        "TanhBackward0": ("outer",), "ExpBackward0": ("outer", "inner"), "MulBackward0": ("outer",),
        "SinBackward0": ("outer",),
    }  # fmt: skip


def test_scopes_of_operations_with_many_parts() -> None:
    x = leaf(shape=(2, 3))
    with vizgrad.record() as trace, vizgrad.scope("outer"):
        a, b = x.unbind(0)
        vizgrad.cat([a, b])
    assert {n.scope for n in trace.graph.nodes if n.kind == "op"} == {("outer",)}


def test_history_from_before_the_block_stays_out() -> None:
    x = leaf()
    before = x.tanh().exp()
    with vizgrad.record() as trace:
        before.sin()
    assert [n.name for n in trace.graph.nodes] == ["SinBackward0"]
    assert trace.graph.nodes[0].edges[0].node is None


def test_a_backward_over_older_nodes_records_its_visits() -> None:
    y = leaf().tanh().exp()
    with vizgrad.record() as trace:
        y.backward(G)
    assert [trace.graph.nodes[v.node].name for v in trace.visits] == [
        "ExpBackward0", "TanhBackward0", "AccumulateGrad",
    ]  # fmt: skip
    assert [v.index for v in trace.visits] == [0, 1, 2]


def test_an_inner_recording_takes_over_and_gives_back() -> None:
    x = leaf()
    with vizgrad.record() as outer:
        x.tanh()
        with vizgrad.record() as inner:
            x.exp()
        x.sin()
    assert [t for _, t in kinds(outer)] == ["TanhBackward0", "SinBackward0"]
    assert [t for _, t in kinds(inner)] == ["ExpBackward0"]


def test_other_threads_are_not_recorded() -> None:
    x = leaf()
    with vizgrad.record() as trace:
        thread = threading.Thread(target=x.tanh)
        thread.start()
        thread.join()
        x.exp()
    assert [t for _, t in kinds(trace)] == ["ExpBackward0"]


def test_what_is_not_recorded_is_no_event() -> None:
    x = leaf()
    with vizgrad.record() as trace, vizgrad.no_grad():
        x.tanh()
    assert trace.events == ()


def facts(recording: Recording) -> tuple[Any, ...]:
    """All that a recording says, but times, numbers of backwards and ticks."""
    trace = recording.trace
    first = min((n.sequence_nr for n in trace.graph.nodes), default=0)
    nodes = [
        replace(n, sequence_nr=0 if n.kind == "leaf" else n.sequence_nr - first)
        for n in trace.graph.nodes
    ]
    events = [e if e.kind != "backward" else replace(e, text="") for e in trace.events]
    return nodes, [replace(v, seconds=0.0) for v in trace.visits], events


@given(programs())
def test_nodes_told_once_are_told_of_as_are_those_with_hooks(program: Program) -> None:
    """The engine tells of each stage of a node with hooks, and of others that they ran: one recording."""

    def recorded() -> tuple[Any, ...]:
        with vizgrad.record() as recording:
            world = build(program)
            plan = backward_of(program, world)
            if plan is not None:
                with suppress(RuntimeError, TypeError, NotImplementedError):
                    vizgrad.autograd.backward(plan.tensors, plan.gradients, **plan.settings)
        return facts(recording)

    def listening(recording: Recording, task: Any) -> Any:
        made = watch(recording, task)
        made.trail = None
        return made

    watch = Recording.watch
    with quietly(), modes_of(program):
        once = recorded()
        with patch.object(Recording, "watch", listening):
            in_full = recorded()
    for one, other in zip(once, in_full, strict=True):
        assert one == other


def test_what_is_told_of_a_visit() -> None:
    w, x = leaf(1, shape=(2, 3)), leaf(2, shape=(2, 3))
    x.grad = new_tensor(values((2, 3), 3))
    with vizgrad.record() as trace:
        first, second = (w * x).unbind(0)
        (first * 2).backward(G)
        del second
    told = [
        (trace.graph.nodes[v.node].name, v.incoming, v.accumulate and v.accumulate.decision)
        for v in trace.visits
    ]
    row, whole = (
        TensorSummary((3,), "float64", "cpu", 24),
        TensorSummary((2, 3), "float64", "cpu", 48),
    )
    assert told == [
        ("MulBackward0", (row,), None),
        ("UnbindBackward0", (row, None), None),
        ("MulBackward0", (whole,), None),
        ("AccumulateGrad", (whole,), "taken"),
        ("AccumulateGrad", (whole,), "added in place"),
    ]
    assert all(0 < v.seconds < 10 for v in trace.visits)


def test_where_things_are_is_told_of_a_device_too() -> None:
    with strict_module.as_cuda():
        x = new_tensor(values((3,), 1)).to("cuda").requires_grad_()
        y = x.tanh()
        with vizgrad.record() as trace:
            (y * x).exp().backward(vizgrad.ones(3, dtype=vizgrad.float64, device="cuda"))
        assert {o.device for n in trace.graph.nodes for o in n.outputs} == {"cuda:0"}
        assert {s.device for v in trace.visits for s in v.incoming if s} == {"cuda:0"}
        assert len(trace.visits) == 4


def test_a_long_history_from_before_is_not_gone_through_at_each_node(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(
        "vizgrad.debugger.engines.vizgrad.recorder.output_device",
        lambda node, _: asked.append(node),
    )
    y = leaf()
    for _ in range(50):
        y = y.tanh()
    with vizgrad.record() as trace:
        (y * 2).backward(G)
    assert len(trace.visits) == 52
    assert {o.device for n in trace.graph.nodes for o in n.outputs} == {"cpu"}
    assert asked == []


def test_reading_goes_on_where_it_was() -> None:
    x = leaf()
    with vizgrad.record() as trace:
        y = x.tanh()
        early = trace.graph
        assert [n.name for n in early.nodes] == ["TanhBackward0", "AccumulateGrad"]
        assert len(trace.events) == 1
        y.exp().backward(G)
    late = trace.graph.nodes
    assert [n.name for n in late] == ["ExpBackward0", "TanhBackward0", "AccumulateGrad"]
    assert [n.sequence_nr for n in late[1:]] == [n.sequence_nr for n in early.nodes]
    assert [k for k, _ in kinds(trace)] == ["forward", "forward", "backward", *["visit"] * 3]


def test_a_failing_node_is_an_event_too() -> None:
    y = leaf().tanh()

    def broken(grad: Any) -> Any:
        raise ZeroDivisionError("the hook's own fault")

    y.register_hook(broken)
    with vizgrad.record() as trace, pytest.raises(ZeroDivisionError):
        y.exp().backward(G)
    assert trace.visits[-1].error == "ZeroDivisionError: the hook's own fault"


def test_a_name_is_not_taken_over_by_another_tensor() -> None:
    """Names go by address: that of a tensor which is gone must not name one that comes after it."""
    x = leaf()
    with vizgrad.record() as trace:
        x.tanh()
        for _ in range(19):
            del x
            x = leaf()
            (x.tanh() * 2).backward(G)
    labels = [n.label for n in trace.graph.nodes if n.kind == "leaf"]
    assert labels[1:] == [""] * 19


def test_a_trace_survives_its_json_form() -> None:
    x = leaf()
    with vizgrad.record("<b>") as trace, vizgrad.scope("</script>"):
        (x.tanh() * 2).backward(G)
    text = to_json(trace.trace)
    assert "<" not in text
    assert from_json(type(trace.trace), text) == trace.trace


@pytest.mark.parametrize("event", ["recorded", "wrote", "watch"])
def test_a_recorder_that_raises_is_dropped_and_reported_once(
    event: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("the recorder's own fault")

    monkeypatch.setattr(Recording, event, broken)
    x = leaf()
    with pytest.warns(RuntimeWarning, match="the recorder's own fault") as warned, vizgrad.record():
        y = x * 2
        y.add_(1)
        y.backward(G)
    assert len(warned) == 1
    assert x.grad is not None
    assert x.grad.tolist() == (G * 2).tolist()
