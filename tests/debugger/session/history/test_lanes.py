"""Lanes beside the graph: operations within a node, backwards within it, and the graph of second order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vizgrad as vg
from tests.debugger.session.test_stepping_property import quietly
from tests.fixtures.whole import whole
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger import model
from vizgrad.debugger.drawing.static import graph_svg
from vizgrad.debugger.engines.api.protocols import WorldChanged
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.jupyter.widget.query_answers import drawn
from vizgrad.debugger.session.grouping.outline import Outline
from vizgrad.debugger.session.history.lanes import MOST_SHOWN, Lane, lane_within, title_of
from vizgrad.debugger.session.session import Session


class Slope(vg.autograd.Function):
    """Its backward computes with several operations, among them those of a hook-like call."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        twice = 2 * x
        big = vg.where(twice > 1, twice, grad)
        big += 1
        return (big - 1) * grad


class Again(vg.autograd.Function):
    """Runs a backward of its own, which adds to `.grad` of a leaf that it was not given."""

    weight: Tensor

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * 3

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        with vg.enable_grad():
            z = x.detach().requires_grad_()
            y = (z * Again.weight).sum()
            y.backward()
        assert z.grad is not None
        return z.grad * grad


def made_in(session: Session) -> list[tuple[str, str, tuple[int, ...]]]:
    lane = session.lane
    assert lane is not None
    return [(title_of(one), one.kind, one.inputs) for one in lane.made]


def lane_at(session: Session) -> Lane | None:
    return session.lane


def within(session: Session) -> model.Within:
    found = session.within
    assert found is not None
    return found


def leaf(*values: float) -> Tensor:
    return vg.tensor(list(values), requires_grad=True)


def test_the_operations_of_a_backward_are_a_lane_with_names_and_values() -> None:
    x = leaf(1.0, 0.25)
    session = open_session(Slope.apply(x).sum(), names={id(x): "x"})
    assert session.lane is None
    session.run_to("SlopeBackward")
    session.step_in()
    assert made_in(session) == [
        ("saved x", "input", ()),
        ("twice = mul", "operation", (0,)),
        ("gt", "operation", (1,)),
        ("grad", "input", ()),
        ("big = where", "operation", (2, 1, 3)),
        ("add_", "operation", (4,)),
        ("sub", "operation", (5,)),
        ("mul", "operation", (6, 3)),
    ]
    lane = session.lane
    assert lane is not None
    twice = lane.made[1]
    assert twice.value is not None
    assert twice.value.values == (2.0, 0.5)
    assert twice.output == model.OutputMeta((2,), "float32", "cpu")
    assert lane.at == tuple(range(1, 9))
    # Forwards and backwards, line by line.
    assert within(session).made == 1
    session.step_in()
    assert within(session).made == 2
    session.stage(-1)
    assert within(session).made == 1
    session.step_out()
    assert within(session).made == 8
    session.continue_()
    assert session.lane is None
    assert x.grad is not None
    assert x.grad.tolist() == [2.0, 1.0]


def test_what_calls_further_and_what_raises_is_a_lane_too() -> None:
    def twice(tensor: Tensor) -> Tensor:
        return tensor * 2

    def hook(grad: Tensor) -> Tensor:
        return twice(grad).exp()

    x = leaf(1.0)
    y = x.exp()
    y.register_hook(hook)
    session = open_session(y.sum(), names={})
    session.step()
    session.step_in()
    assert [name for name, *_ in made_in(session)] == ["tensor", "mul", "exp"]
    assert [len(line.made) for line in within(session).code] == [2, 1]


def test_a_backward_within_is_gone_into_node_by_node_or_over() -> None:
    x, Again.weight = leaf(1.0, 2.0), leaf(3.0)
    session = open_session(Again.apply(x).sum(), names={id(x): "x", id(Again.weight): "w"})
    session.run_to("AgainBackward")
    session.step_in()
    session.stage(3)  # to before the line that calls it
    before = within(session)
    session.step_in()
    assert "within" in session.where
    assert session.where.endswith("y.backward(), after SumBackward0")
    visits = [name for name, kind, _ in made_in(session) if kind == "visit"]
    assert visits == ["SumBackward0", "MulBackward0", "AccumulateGrad", "AccumulateGrad w"]
    session.stage(-1)
    assert session.within == before
    session.step_in()
    session.step_in()
    assert within(session).lines == before.lines
    session.step_out()  # of the backward, to behind its line
    assert within(session).lines == before.lines + 1
    session.stage(-1)
    assert session.within == before
    session.stage()  # over it
    assert within(session).lines == before.lines + 1
    lane = session.lane
    assert lane is not None
    (group,) = lane.graph.groups
    assert [lane.made[at].kind for at in range(group.first, group.last)] == ["visit"] * 4
    # What it has added to `.grad` of another leaf is of this step, forwards and backwards.
    session.step()
    assert Again.weight.grad is not None
    assert Again.weight.grad.tolist() == [3.0]
    session.back()
    assert Again.weight.grad is None
    session.continue_()
    assert Again.weight.grad is not None
    assert Again.weight.grad.tolist() == [3.0]


def test_a_leaf_to_which_a_backward_within_adds_is_undone_once() -> None:
    x = leaf(2.0)

    def hook(grad: Tensor) -> None:
        with vg.enable_grad():
            (x * 7).sum().backward()

    y = x * 5
    y.register_hook(hook)
    session = open_session(y.sum(), names={})
    session.continue_()
    assert x.grad is not None
    assert x.grad.tolist() == [12.0]
    session.back(2)
    assert x.grad is None
    session.step(2)
    assert x.grad is not None
    assert x.grad.tolist() == [12.0]


def second(x: Tensor) -> Session:
    with quietly():
        return open_session((x.exp() * x).sum(), names={id(x): "x"}, create_graph=True)


def test_the_graph_of_second_order_grows_with_the_steps() -> None:
    session = second(leaf(1.0, 2.0))
    assert lane_at(session) is None
    sizes: list[int] = []
    while session.status == "paused":
        session.step()
        lane = session.lane
        sizes.append(0 if lane is None else len(lane.made))
    assert sizes == [0, 4, 6, 7]
    assert made_in(session) == [
        ("x", "input", ()),
        ("MulBackward0", "recorded", (0,)),
        ("ExpBackward0", "input", ()),
        ("MulBackward0", "recorded", (2,)),
        ("MulBackward0", "recorded", (1, 2)),
        ("AddBackward0", "recorded", (3, 4)),
        ("x.grad = CopyBackwards", "recorded", (5,)),
    ]
    lane = session.lane
    assert lane is not None
    assert lane.at == (2, 2, 2, 2, 3, 3, 4)
    assert [group.title for group in lane.graph.groups] == ["MulBackward0", "ExpBackward0"]
    end = lane.made[-1].value
    assert end is not None
    assert end.values == pytest.approx((2 * 2.7182817, 3 * 7.3890561))
    # It is in the records: going back takes nothing away from what was recorded.
    session.restart()
    assert session.lane == lane
    assert session.trace.records == ()
    session.seek(2)
    assert [len(record.made) for record in session.trace.records] == [0, 4]


def test_the_second_order_is_a_session_of_its_own() -> None:
    x = leaf(1.0, 2.0)
    first = second(x)
    with pytest.raises(ValueError, match="no graph of second order yet"):
        first.second()
    first.continue_()
    hessian = first.second()
    assert hessian.title == "x.grad"
    assert x.grad is not None
    before = x.grad.tolist()
    hessian.continue_()
    assert x.grad is not None
    e = vg.tensor([1.0, 2.0]).exp().tolist()
    assert x.grad.tolist() == pytest.approx(
        [b + e[i] * (i + 1 + 2) for i, b in enumerate(before)], rel=1e-5
    )
    # What it wrote is not undone by the first, which says so; taken back, both can be stepped.
    with pytest.raises(WorldChanged):
        first.restart()
    hessian.restart()
    first.restart()
    assert x.grad is None
    first.continue_()
    assert x.grad is not None
    assert x.grad.tolist() == before
    hessian.close()
    with pytest.raises(ValueError, match="create_graph=True"):
        open_session((x * 2).sum(), names={}).second()


def test_a_closed_session_and_a_trace_keep_the_lane() -> None:
    session = second(leaf(1.0))
    session.continue_()
    lane = session.lane
    assert lane is not None
    session.close()
    assert session.lane == lane


def test_of_a_long_lane_the_latest_are_drawn() -> None:
    made = tuple(model.Made("mul", inputs=(at - 1,) if at else ()) for at in range(MOST_SHOWN + 9))
    place = model.Place("x.py", 1)
    lane = lane_within(3, (model.CodeStep(0, place, made=made),), "f")
    assert lane is not None
    assert (lane.node, len(lane.made), lane.left_out) == (3, MOST_SHOWN, 9)
    assert lane.at[0] == 10
    assert len(lane.graph.nodes) == MOST_SHOWN
    assert drawn(lane).boxes


def lanes() -> st.SearchStrategy[tuple[model.Made, ...]]:
    """Any that records can tell."""

    @st.composite
    def lane(draw: st.DrawFn) -> tuple[model.Made, ...]:
        kinds = draw(st.lists(st.sampled_from(("operation", "visit", "input")), max_size=30))
        return tuple(
            model.Made(
                draw(st.text(max_size=8)),
                kind,
                ()
                if kind == "input" or at == 0
                else tuple(draw(st.lists(st.integers(0, at - 1), max_size=3, unique=True))),
                label=draw(st.text(max_size=5)),
            )
            for at, kind in enumerate(kinds)
        )

    return lane()


@given(lanes())
def test_the_live_picture_of_a_lane_is_the_static_one(made: tuple[model.Made, ...]) -> None:
    lane = lane_within(0, (model.CodeStep(0, model.Place("x.py", 1), made=made),), "f")
    if lane is None:
        assert not made
        return
    drawing = drawn(lane)
    outline = Outline.of_graph(lane.graph)  # raises for what is no graph
    shown = {box.node for box in drawing.boxes if box.node is not None}
    hidden = {node for box in drawing.boxes for node in range(box.first, box.last)}
    assert shown | hidden == set(range(outline.size))
    edges = sum(line.edges for line in drawing.lines)
    inside = sum(
        1
        for giver, node in enumerate(lane.graph.nodes)
        for edge in node.edges
        if edge.node in hidden and giver in hidden
    )
    assert edges + inside >= sum(len(one.inputs) for one in made) - inside
    svg = graph_svg(lane.graph)
    assert svg == graph_svg(lane.graph)
    assert svg.count('class="op') + svg.count('class="root') == len(shown)


# --- whatever way a run is gone through, each place is as it was ------------------------------------------


@contextmanager
def program(kind: str) -> Iterator[tuple[Session, list[Tensor]]]:
    """A run with nested lanes, and the tensors that it changes."""
    x, w = leaf(0.5, 1.5), leaf(2.0)
    Again.weight = w
    y = Slope.apply(x) if kind != "again" else Again.apply(x)
    z = Again.apply(y.exp()) if kind == "both" else y.exp()
    z.register_hook(lambda grad: grad * 2)
    with quietly():
        session = open_session(z.sum(), names={}, create_graph=kind == "second")
        yield session, [x, w]
    session.close()


def digest(session: Session, tensors: list[Tensor]) -> str:
    """Of all that can be seen of a run where it stands."""
    run = session.run
    grads = [None if t.grad is None else (t.grad.tolist(), t.grad._version) for t in tensors]
    place = session.within
    recorded = [record.made for record in session.trace.records]
    seen = (run.position, run.nodes, run.ready, run.buffers, run.edges, run.saved, grads, recorded)
    inside = None if place is None else (place.node, place.done, place.lines, place.made)
    return blake2b(whole((seen, inside)).encode()).hexdigest()


MOVES = ("stage", "in", "out", "step")


@given(
    st.sampled_from(("slope", "again", "both", "second")),
    st.lists(st.sampled_from(MOVES), min_size=1, max_size=14),
    st.data(),
)
def test_k_back_and_k_forward_is_where_it_was(
    kind: str, path: list[str], data: st.DataObject
) -> None:
    with program(kind) as (session, tensors):
        go = {
            "stage": session.stage,
            "in": session.step_in,
            "out": session.step_out,
            "step": session.step,
        }
        seen = [digest(session, tensors)]
        places = [key(session)]
        for move in path:
            go[move]()
            seen.append(digest(session, tensors))
            places.append(key(session))
        by_place = dict(zip(places, seen, strict=True))
        assert [
            by_place[place] for place in places
        ] == seen  # a place is one, however it is come to
        back = data.draw(st.integers(1, 12))
        for _ in range(back):
            session.stage(-1)
            assert by_place.setdefault(key(session), digest(session, tensors)) == digest(
                session, tensors
            )
        for _ in range(back):
            session.stage()
            assert by_place.setdefault(key(session), digest(session, tensors)) == digest(
                session, tensors
            )
        lane = session.lane
        assert lane is None or isinstance(lane, Lane)
        session.continue_()
        end = [None if t.grad is None else t.grad.tolist() for t in tensors]
    with program(kind) as (other, again):
        other.continue_()
        assert [None if t.grad is None else t.grad.tolist() for t in again] == end


def key(session: Session) -> tuple[int, int, int, int]:
    place = session.within
    if place is None:
        return session.position, 0, 0, 0
    return session.position, place.done, place.lines, place.made
