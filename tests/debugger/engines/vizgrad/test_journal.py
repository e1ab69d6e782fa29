"""The steps of a run refer to values as they were, even after a later write."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.fixtures import strict_array, strict_module
from vizgrad.core.graph.edges import AccumulateGrad
from vizgrad.core.graph.node import NodeHooks
from vizgrad.debugger.engines.vizgrad import run
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.engines.vizgrad.steplog import StepLog
from vizgrad.debugger.engines.vizgrad.summary import CapturedArray


def arrived(session: Any) -> list[tuple[float | None, ...]]:
    """Norms of what arrived at each visit."""
    return [
        tuple(None if s is None else s.norm for s in visit.incoming)
        for visit in session.trace.visits
    ]


def doubled(grad: Any) -> None:
    with vg.no_grad():
        grad.mul_(2)


def test_a_hook_that_writes_changes_no_earlier_record() -> None:
    """The records of the steps before are made after the hook has written."""
    x = vg.ones(2, 3, requires_grad=True)
    y = x * 1
    y.register_hook(doubled)
    z = y.t() * 3  # hands the hook a view of what it computed
    session = open_session(z.sum(), names={})
    session.continue_()
    first = session.trace.visits[1]
    assert first.routed[0].computed is not None
    assert first.routed[0].computed.norm == (6 * 9) ** 0.5
    assert x.grad is not None
    assert x.grad.tolist() == [[6.0] * 3] * 2


def test_a_write_to_grad_changes_no_record_of_it() -> None:
    w = vg.ones(2, 3, requires_grad=True)
    session = open_session((w.t() * 3).sum(), names={})
    session.continue_()
    assert w.grad is not None
    with vg.no_grad():
        w.grad.zero_()
    assert arrived(session)[-1] == ((6 * 9) ** 0.5,)
    assert arrived(session)[-2] == ((6 * 9) ** 0.5,)


def test_a_sum_leaves_what_waited_before_as_it_was() -> None:
    x = vg.ones(3, requires_grad=True)
    y = x * 1
    session = open_session((y * 2 + y * 3).sum(), names={})
    session.continue_()
    sums = [a for r in session.trace.records for a in r.arrived if a.before is not None]
    assert [(a.before.norm, a.after.norm) for a in sums if a.before] == [(27**0.5, 75**0.5)]


def test_a_leaf_without_hooks_is_noted_as_one_with_hooks_is_watched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def run(watched: bool, given: str) -> tuple[Any, ...]:
        w = vg.tensor([[0.0, 1, 2], [3, 4, 5]], requires_grad=True)
        if given == "grad":
            w.grad = vg.ones(2, 3)
        loss = (w.t() * 3 + (w * 2).t()).sum()
        if given == "switched off":
            w.requires_grad_(False)
        session = open_session(loss, names={})
        for node in session._control.state.source.nodes:
            if watched and isinstance(node, AccumulateGrad):
                node.hooks = NodeHooks()
        session.continue_()
        after = w.grad.tolist() if w.grad is not None else None
        kept = session._control.state.history.kept
        record = session.trace.records[-1]
        assert record.visit.accumulate is not None
        told = replace(record, visit=replace(record.visit, seconds=0.0))
        session.back()
        before = w.grad.tolist() if w.grad is not None else None
        version = None if w.grad is None else w.grad._version
        session.step()
        assert (w.grad.tolist() if w.grad is not None else None) == after
        return told, kept, after, before, version

    entered: list[str] = []
    enter = StepLog.enter

    def listened(log: StepLog, node: Any, *more: Any) -> None:
        entered.append(node.name())
        enter(log, node, *more)

    monkeypatch.setattr(StepLog, "enter", listened)
    for given in ("nothing", "grad", "switched off"):
        noted = run(watched=False, given=given)
        assert entered == []
        assert noted == run(watched=True, given=given)
        assert entered == ["AccumulateGrad"]
        entered.clear()


def test_a_write_to_grad_changes_no_record_of_what_was_added() -> None:
    w = vg.ones(2, requires_grad=True)
    w.grad = vg.ones(2)
    session = open_session((w * 3).sum(), names={})
    session.continue_()
    with vg.no_grad():
        w.grad.zero_()
    done = session.trace.visits[-1].accumulate
    assert done is not None
    assert (done.before and done.before.norm, done.after and done.after.norm) == (2**0.5, 32**0.5)


@pytest.mark.parametrize("layout", ["as it is", "transposed", "in steps", "backwards", "expanded"])
def test_a_kept_gradient_is_put_into_numbers_without_a_copy_of_it(layout: str) -> None:
    whole = np.random.default_rng(0).standard_normal((2048, 4096)).astype(np.float32)  # 32 MB
    array = {
        "as it is": whole,
        "transposed": whole.T,
        "in steps": whole[:, ::2],
        "backwards": whole[::-1, ::-1],
        "expanded": np.broadcast_to(whole[0], whole.shape),
    }[layout]
    held, copied = CapturedArray(array, copy=False), CapturedArray(array, copy=True)
    tracemalloc.start()
    try:
        summary = held.summary
        closely = held.closely()
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert summary == copied.summary
    assert (closely.norm, closely.mean) == (summary.norm, summary.mean)
    assert sum(closely.histogram) == array.size
    assert (summary.histogram, summary.heat) == (
        (),
        None,
    )  # pictures are for those who look closely


def test_steps_and_recordings_do_not_wait_for_a_device() -> None:
    with strict_module.as_cuda():

        def loss() -> Any:
            w = vg.ones(20, 20, device="cuda", requires_grad=True)
            y = (w @ w).tanh()
            return (y * y + y).sum()

        session = open_session(loss(), names={})
        strict_array.reads.clear()
        session.step()
        session.step(3)
        session.back(2)
        session.stop_at_nonfinite = False
        session.continue_()
        with vg.record() as recording:
            loss().backward()
        assert len(recording.visits) == 6
        assert strict_array.reads == []
        visit = session.trace.visits[1]
        arrived = visit.incoming[0]
        assert arrived is not None
        assert arrived.norm == 20
        before = len(strict_array.reads)
        assert before <= len(session.trace.records) * 3  # each gradient once
        assert session.trace.visits[1] is visit
        assert len(strict_array.reads) == before


def test_a_nan_on_a_device_is_asked_about_now_and_then_and_stopped_at_where_it_was_born(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run, "_PACE", 60.0)  # a slow machine would ask before the run is further on
    with strict_module.as_cuda():
        x = vg.zeros(3, device="cuda", requires_grad=True)
        y = x.sqrt()
        for _ in range(30):
            y = y * 1.5
        z = x.sqrt() * 0
        session = open_session((z + y).sum(), names={})
        session.continue_()
        stopped = session.stopped
        assert stopped is not None
        assert stopped.text.startswith("Stopped: SqrtBackward0 made 3 NaN of 3, first at [0]")
        assert session.position == stopped.position
        assert session.run.recorded > session.position  # it was found when the run was further on
        assert x.grad is None
        session.continue_()
        session.continue_()
        assert session.status == "finished"
