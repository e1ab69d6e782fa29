"""A run over large gradients keeps copies up to a budget; the statistics of the others are true."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad  # noqa: E402
from vizgrad.debugger import model  # noqa: E402
from vizgrad.debugger.engines.api.protocols import WorldChanged  # noqa: E402
from vizgrad.debugger.engines.pytorch import captured  # noqa: E402
from vizgrad.debugger.engines.pytorch.captured import CapturedTensor, are_finite  # noqa: E402
from vizgrad.debugger.engines.pytorch.run import STATISTICS  # noqa: E402
from vizgrad.debugger.engines.pytorch.summary import summarize, summarize_at_once  # noqa: E402

#: A matrix of this side is no small gradient.
SIDE = 160
EVERYTHING = 10**10


@pytest.fixture(autouse=True)
def tight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captured, "LEAST", 0)
    monkeypatch.setattr(captured, "PART", 100)


def leaves(count: int) -> list[Any]:
    torch.manual_seed(3)
    return [(torch.randn(SIDE, SIDE) / SIDE**0.5).requires_grad_() for _ in range(count)]


def layers(w: list[Any]) -> Any:
    h = torch.ones(SIDE, SIDE)
    for one in w:
        h = torch.tanh(h @ one.T)
    return h.square().mean()


def three_times(w: list[Any]) -> Any:
    a, b = w
    return (a.exp() * a + a @ b + b).sum() + (a * b).mean()


def in_views(w: list[Any]) -> Any:
    a, b = w
    return (a.T.reshape(-1) * b.permute(1, 0).flatten()).sum() + b[3:, ::2].exp().sum()


PROGRAMS = [layers, three_times, in_views]


def capturing(session: Any) -> captured.Capturing:
    return session._control.live().history.run._capturing


def array(session: Any, node: int, kind: Any, nr: int = 0) -> Any:
    return session._control.live().value(model.ArrayName(node, kind, nr))


def leaf_visit(session: Any, leaf: str) -> model.Visit:
    node = next(n.id for n in session.graph.nodes if n.label == leaf)
    return next(v for v in session.trace.visits if v.node == node)


def alike(a: model.TensorSummary | None, b: model.TensorSummary | None) -> bool:
    if a is None or b is None:
        return a is b
    exact = [(each.shape, each.dtype, each.zeros, each.nans, each.infs) for each in (a, b)]
    near = [(each.norm, each.min, each.max, each.mean) for each in (a, b)]
    return exact[0] == exact[1] and all(
        one == other or one == pytest.approx(other, rel=1e-4, abs=1e-7, nan_ok=True)
        for one, other in zip(*near, strict=True)
    )


def all_of(record: model.StepRecord) -> list[model.TensorSummary | None]:
    visit = record.visit
    found = [*visit.incoming]
    for routed in visit.routed:
        found += [routed.computed, routed.routed]
    for arrival in record.arrived:
        found += [arrival.before, arrival.after]
    if visit.accumulate is not None:
        found += [visit.accumulate.before, visit.accumulate.after]
    return found


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("accumulates", [False, True])
def test_statistics_are_those_of_copies(
    program: Callable[[list[Any]], Any], accumulates: bool
) -> None:
    found: list[tuple[model.StepRecord, ...]] = []
    for keep in (EVERYTHING, None):
        w = leaves(2)
        if accumulates:
            program(w).backward()
        session = vizgrad.debug(program(w), keep=keep, display=False)
        session.continue_()
        found.append(session.trace.records)
        if keep is None:
            run = capturing(session)
            assert run.budget is not None
            assert 0 <= run.kept <= run.budget
            assert session._control.live().history.kept >= run.kept
        session.close()
    for full, less in zip(*found, strict=True):
        assert full.visit.node == less.visit.node
        assert all(map(alike, all_of(full), all_of(less)))
        assert full.visit.stages == less.visit.stages == ()
        assert [r.node for r in full.readied] == [r.node for r in less.readied]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("accumulates", [False, True])
def test_back_and_on_again_gives_what_backward_gives(
    program: Callable[[list[Any]], Any], accumulates: bool
) -> None:
    plain, w = leaves(2), leaves(2)
    for one in (plain, w) if accumulates else ():
        program(one).backward()
    before = [None if one.grad is None else one.grad.clone() for one in w]
    program(plain).backward()
    session = vizgrad.debug(program(w), display=False)
    session.continue_()
    for position in (0, session.total, session.total // 2, session.total):
        session.seek(position)
        if not position:
            assert all(
                one.grad is was if was is None else torch.equal(one.grad, was)
                for one, was in zip(w, before, strict=True)
            )
    assert all(torch.equal(a.grad, b.grad) for a, b in zip(plain, w, strict=True))


def test_a_gradient_is_read_in_grad_until_somebody_writes_there() -> None:
    w = leaves(2)
    session = vizgrad.debug(layers(w), display=False)
    session.continue_()
    visit = leaf_visit(session, "w[0]")
    assert visit.accumulate is not None
    assert visit.accumulate.decision == "taken"
    for kind in ("incoming", "grad_after"):
        assert torch.equal(array(session, visit.node, kind), w[0].grad)
    # the view of it, which the node before has computed
    before = next(r.visit for r in session.trace.records if r.current == visit.node)
    assert torch.equal(array(session, before.node, "computed"), w[0].grad)
    assert session.inspect(visit.node)[1].incoming[0].histogram
    w[0].grad.mul_(2)
    for node, kind in ((visit.node, "incoming"), (before.node, "computed")):
        with pytest.raises(LookupError) as raised:
            array(session, node, kind)
        assert str(raised.value) == STATISTICS
    assert not session.inspect(visit.node)[1].incoming[0].histogram
    assert session.inspect(visit.node)[1].incoming[0].norm == visit.incoming[0].norm


def test_data_written_past_the_counter_is_not_shown_as_the_gradient() -> None:
    w = leaves(2)
    session = vizgrad.debug(layers(w), display=False)
    session.continue_()
    node = leaf_visit(session, "w[0]").node
    w[0].grad.data.neg_()
    with pytest.raises(LookupError):
        array(session, node, "incoming")


def test_what_waits_where_it_stops_is_there_and_a_step_by_itself_keeps_all() -> None:
    w, plain = leaves(3), leaves(3)
    session = vizgrad.debug(layers(w), display=False)
    session.run_to("MmBackward0")
    node = session.run.current
    assert node is not None
    waiting = array(session, node, "waiting")
    assert capturing(session).take(waiting).summary.norm == session.buffers[0].value.norm
    kept = waiting.clone()
    session.step()
    assert torch.equal(array(session, node, "incoming"), kept)
    assert array(session, node, "computed").shape == (SIDE, SIDE)
    session.continue_()
    layers(plain).backward()
    assert all(torch.equal(a.grad, b.grad) for a, b in zip(plain, w, strict=True))


def test_a_condition_on_elements_is_asked_where_they_wait() -> None:
    w = leaves(3)
    session = vizgrad.debug(layers(w), display=False)
    session.breakpoints.add("MmBackward0", condition="any(abs(grad) > 0)")
    where = session.continue_()
    assert "MmBackward0" in str(where)
    assert session.stopped is not None


@pytest.mark.parametrize("past_the_counter", [False, True])
def test_a_hook_that_writes_is_told(past_the_counter: bool) -> None:
    w = leaves(2)

    def double(grad: Any) -> None:
        (grad.data if past_the_counter else grad).mul_(2)

    w[0].register_hook(double)
    session = vizgrad.debug(layers(w), display=False)
    session.continue_()
    stage = leaf_visit(session, "w[0]").stages[0]
    assert stage.detail == "changed"
    assert stage.after.norm == pytest.approx(2 * stage.before.norm)


def test_a_nan_is_told_with_its_place() -> None:
    a = torch.ones(SIDE, SIDE)
    a[2, 3] = 0
    a.requires_grad_()
    session = vizgrad.debug((a.sqrt() * a).sum(), display=False)
    where = session.continue_()
    assert "[2, 3]" in str(where)
    assert session.stopped is not None


def test_a_change_is_put_where_a_large_gradient_waits() -> None:
    w = leaves(2)
    session = vizgrad.debug(layers(w), display=False)
    session.run_to("TanhBackward0")
    node = session.run.current
    session.set_grad(node, 0.0)
    session.continue_()
    assert not w[0].grad.any()


def test_what_a_callback_writes_after_the_last_node_is_not_taken_back_without_a_copy() -> None:
    w = leaves(2)

    def halve() -> None:
        for one in w:
            one.grad.mul_(0.5)

    def later(grad: Any) -> None:
        torch.autograd.Variable._execution_engine.queue_callback(halve)

    w[0].register_hook(later)
    session = vizgrad.debug(layers(w), display=False)
    session.continue_()
    halved = [one.grad.clone() for one in w]
    with pytest.raises(WorldChanged, match="written to since"):
        session.back()
    assert all(torch.equal(one.grad, was) for one, was in zip(w, halved, strict=True))
    session.close()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int32"])
def test_statistics_at_once_are_those_of_one_pass_over_all(dtype: str) -> None:
    torch.manual_seed(0)
    for scale in (1.0, 0.0, 1e-25, 1e25):
        values = (torch.randn(200_000) * scale).to(getattr(torch, dtype))
        values[::7] = 0
        assert alike(summarize_at_once(values)[0], summarize(values))
        other = values.flip(0).contiguous()
        assert alike(summarize_at_once(values, other)[0], summarize(values + other))
    odd = torch.ones(100_000)
    odd[5], odd[6] = float("nan"), float("inf")
    assert (summarize_at_once(odd)[0].nans, summarize_at_once(odd)[0].infs) == (1, 1)


@pytest.mark.parametrize("kind", [torch.float32, torch.float64, torch.bfloat16, torch.complex64])
def test_whether_a_gradient_is_finite_is_known_after_its_copy_is_released(kind: Any) -> None:
    for number, finite in ((1.0, True), (3e38, True), (float("nan"), False), (float("inf"), False)):
        taken = CapturedTensor(torch.tensor([0.0, number, 1.0], dtype=kind))
        assert are_finite([taken, None]) is finite
        taken.forget()
        assert are_finite([None, taken]) is finite
        late = CapturedTensor(torch.tensor([number], dtype=kind))
        late.forget()
        assert late.finite is finite
    assert are_finite([CapturedTensor(torch.tensor([1, 2]))])
