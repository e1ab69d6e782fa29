"""`vizgrad.watch(keep=N)`: which backwards are kept, what they say, and that it changes nothing."""

from __future__ import annotations

import gc
import warnings
import weakref
from typing import Any

import pytest

import vizgrad as vg
from tests.oracle.harness import execute, faults_of_vizgrad, load
from tests.oracle.registry import Program, enabled_programs
from vizgrad.debugger.model import Trace
from vizgrad.debugger.session.replay import checked
from vizgrad.debugger.watch import kept_backwards
from vizgrad.debugger.watch.backwards import Watching
from vizgrad.debugger.watch.call_recorder import Tapping
from vizgrad.debugger.watch.kept_backwards import SPARE, KeptBackwards

#: Of all programs of the oracle every so manyth.
STEP = 41


class Net:
    """A net whose steps can leave their gradients, or fail."""

    def __init__(self) -> None:
        vg.manual_seed(0)
        self.net = vg.nn.Sequential(vg.nn.Linear(3, 4), vg.nn.Tanh(), vg.nn.Linear(4, 1))
        self.x = vg.randn(5, 3)
        self.opt = vg.optim.SGD(self.net.parameters(), lr=0.01)

    def loss(self) -> vg.Tensor:
        return (self.net(self.x) ** 2).mean()

    def step(self, *, zero: bool = True) -> None:
        if zero:
            self.opt.zero_grad()
        self.loss().backward()
        self.opt.step()


def test_the_last_ones_are_kept_and_the_oldest_dropped() -> None:
    net = Net()
    with vg.watch(keep=3) as watch:
        kept = watch.notings[0].kept
        assert kept is not None
        for number in range(1, 3 * SPARE):
            net.step()
            assert list(watch.kept) == list(range(max(1, number - 2), number + 1))
            assert len(kept._last) < 3 + SPARE
    assert len(kept._last) == 3
    assert (
        repr(watch.kept) == f"<kept backwards: {3 * SPARE - 3}, {3 * SPARE - 2}, {3 * SPARE - 1}>"
    )
    with pytest.raises(KeyError):
        watch.kept[1]


def test_the_first_ones_with_findings_are_kept_too() -> None:
    net = Net()
    with vg.watch(keep=2) as watch:
        for number in range(1, 60):
            net.step(zero=number != 7)
    assert {found.backward for found in watch.findings} == {7}
    assert list(watch.kept) == [7, 58, 59]


def test_no_more_than_asked_for_are_kept_for_their_findings() -> None:
    from vizgrad.debugger.watch.rounds import Rounds

    rounds = Rounds()
    kept = KeptBackwards(2, rounds, lambda: set(range(1, 1000)))
    records = []
    for clock in range(1, 100):
        rounds.begin(clock)
        record = kept.begin(clock)
        records.append(record)
        record._visits.append(None)  # a node, whichever
        kept.ended(clock, "backward")
    kept.end()
    assert list(kept.by_number()) == [1, 2, 98, 99]


def test_a_backward_that_is_too_large_and_a_call_of_grad_are_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    net = Net()
    monkeypatch.setattr(kept_backwards, "MOST_NODES", 5)
    with vg.watch(keep=2) as watch:
        net.step()
        w = vg.ones(2, requires_grad=True)
        vg.autograd.grad(w.sum(), w)
        w.sum().backward()
    assert list(watch.kept) == [2]


def test_all_together_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    net = Net()
    with vg.watch(keep=9) as watch:
        net.step()
        (nodes,) = (len(trace.graph.nodes) for trace in watch.kept.values())
    monkeypatch.setattr(kept_backwards, "MOST_TOGETHER", 4 * nodes)
    with vg.watch(keep=9) as watch:
        for _ in range(20):
            net.step()
    assert list(watch.kept) == [17, 18, 19, 20]


def test_nothing_is_kept_and_the_engine_is_told_the_same_where_nobody_asks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[type] = []
    watching = Tapping.watch

    def watch(self: Tapping, task: Any) -> Watching:
        made = watching(self, task)
        told.append(type(made))
        return made

    monkeypatch.setattr(Tapping, "watch", watch)
    monkeypatch.setattr(kept_backwards, "BackwardRecord", None)  # made by nobody
    with vg.watch() as plain, vg.watch(keep=0) as none:
        Net().step()
    assert told == [Watching]  # of the inner one
    assert not plain.kept
    assert not none.kept
    assert all(noting.kept is None for noting in (*plain.notings, *none.notings))


def _steps(trace: Trace) -> list[Any]:
    """What a trace says of each node, in the order in which they ran."""
    nodes = trace.graph.nodes
    return [
        (
            nodes[record.visit.node].name,
            nodes[record.visit.node].edges,
            nodes[record.visit.node].scope,
            record.visit.incoming,
            [(each.index, each.edge, each.computed, each.routed) for each in record.visit.routed],
            record.visit.accumulate,
            record.arrived,
            [each.node for each in record.readied],
            record.current,
        )
        for record in trace.records
    ]


def test_a_kept_backward_says_what_a_session_says() -> None:
    def loss_of(w: vg.Tensor, x: vg.Tensor) -> vg.Tensor:
        h = (x @ w).tanh()
        return (
            h * h + h.sum(0)
        ).mean()  # sums of two and three gradients, and one that is broadcast

    vg.manual_seed(1)
    x, w = vg.randn(4, 3), vg.randn(3, 2).requires_grad_()
    twin = w.detach().clone().requires_grad_()
    session = vg.debug(loss_of(twin, x))
    session.continue_()
    with vg.watch(keep=1) as watch:
        loss_of(w, x).backward()
    kept = watch.kept[1].whole
    for one, other in zip(_steps(kept), _steps(session.trace), strict=True):
        *ours, arrived, readied, current = one
        *theirs, arrived_there, readied_there, current_there = other
        assert ours == theirs
        assert (readied, current) == (readied_there, current_there)
        assert [a.node for a in arrived] == [a.node for a in arrived_there]
        for here, there in zip(arrived, arrived_there, strict=True):
            assert here.after is not None
            # the sum of some of several gradients is not known
            assert here.after == there.after or here.after.norm is None
    start, start_there = kept.start, session.trace.start
    assert start is not None
    assert start_there is not None
    assert [each.node for each in start.ready] == [each.node for each in start_there.ready]
    assert start.buffers == start_there.buffers
    assert (start.total, start.current) == (start_there.total, start_there.current)
    assert start.needed == start_there.needed
    checked(kept)


def test_a_kept_backward_is_stepped_saved_and_loaded(tmp_path: Any) -> None:
    net = vg.nn.Sequential(vg.nn.Linear(3, 4), vg.nn.Tanh(), vg.nn.Linear(4, 1))
    with vg.watch(keep=1) as watch:
        net(vg.randn(5, 3)).sum().backward()
    session = watch.kept[1]
    assert watch.kept[1] is session
    session.step(2)
    session.continue_()
    assert session.status == "finished"
    session.back()
    loaded = vg.load_trace(session.save(tmp_path / "kept.vgtrace"))
    assert loaded.trace.records == session.trace.records
    assert [node.label for node in session.graph.nodes if node.kind == "leaf"] == [
        "net.2.bias", "net.2.weight", "net.0.bias", "net.0.weight",
    ]  # fmt: skip


def test_a_backward_that_fails_ends_at_its_error() -> None:
    w = vg.ones(2, requires_grad=True)
    out = w * 2.0

    def fail(_: Any) -> None:
        raise ZeroDivisionError("in a hook")

    out.register_hook(fail)
    with vg.watch(keep=1) as watch, pytest.raises(ZeroDivisionError):
        out.sum().backward()
    records = watch.kept[1].whole.records
    assert records[-1].visit.error == "ZeroDivisionError: in a hook"
    assert records[-1].state == "error"


@pytest.mark.parametrize("one", list(enabled_programs())[::STEP], ids=lambda one: one.id)
def test_a_program_shows_the_same_and_all_its_traces_hold_together(one: Program) -> None:
    vizgrad = load("vizgrad")
    plainly = execute(one, vizgrad)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*was removed because it raised")
        with vg.watch(keep=100) as watch:
            watched = execute(one, vizgrad)
    assert not faults_of_vizgrad(plainly, watched)
    for trace in watch.kept.values():
        assert trace.whole.start is not None
        trace.continue_()


def test_tensors_and_memory_die_as_soon_as_without() -> None:
    gc.disable()
    try:
        with vg.watch(keep=5) as watch:
            x = vg.tensor([1.0, 2.0], requires_grad=True)
            hidden = x * 2.0
            loss = hidden.sum()
            loss.backward()
            gone = [weakref.ref(each) for each in (x, hidden, loss, loss.grad_fn)]
            del x, hidden, loss
            assert [each() for each in gone] == [None] * 4
        assert len(watch.kept) == 1
    finally:
        gc.enable()


def test_only_numbers_of_backwards_are_taken() -> None:
    for wrong in (-1, 1.5, "3", None, True):
        with pytest.raises(ValueError, match="keep must be a non-negative integer, but got"):
            vg.watch(keep=wrong)
    with pytest.raises(
        ValueError, match="keep=2 needs the full watch of each round, but got level"
    ):
        vg.watch(level="alarms", keep=2)
