"""PyTorch's own graphs, moved: what is computed is what an undisturbed backward computes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad  # noqa: E402
from tests.debugger.engines.pytorch.programs import (  # noqa: E402
    PROGRAMS,
    Made,
    agrees,
    an_mlp,
    leaf,
    plainly,
    same,
    shared_and_broadcast,
    with_hooks,
)
from tests.debugger.engines.pytorch.threads import held_threads  # noqa: E402
from tests.debugger.jupyter.widget.views import Following  # noqa: E402
from tests.debugger.session.record_fold import RecordFold  # noqa: E402
from tests.fixtures.whole import whole  # noqa: E402
from vizgrad.debugger import model  # noqa: E402
from vizgrad.debugger.jupyter.widget.controller import after_cell  # noqa: E402
from vizgrad.debugger.wire.wire import from_json, to_json  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True")


@pytest.mark.parametrize("make", PROGRAMS)
def test_stepping_does_what_backward_does(make: Callable[[], Made]) -> None:
    expected, order = plainly(make)
    torch.manual_seed(1)
    tensors, loss, options = make()
    session = vizgrad.debug(loss, **options)
    view = Following(session)
    assert session.total == len(order)
    while session.status == "paused":
        session.step()
        agrees(view)
    names = {n.id: n.name for n in session.graph.nodes}
    assert [names[v.node] for v in session.trace.visits] == order
    for name, tensor in tensors.items():
        assert same(tensor.grad, expected[name].grad)
        assert (tensor.grad is None) or tensor.grad.requires_grad == expected[
            name
        ].grad.requires_grad
    assert not session.ready
    assert not session.buffers
    assert not held_threads()


@pytest.mark.parametrize("make", PROGRAMS)
def test_what_waited_is_what_came(make: Callable[[], Made]) -> None:
    """Sums that the records tell are those that PyTorch hands to the node: only hooks change them."""
    _, loss, options = make()
    session = vizgrad.debug(loss, **options)
    session.continue_()
    stages = [s for v in session.trace.visits for s in v.stages]
    assert bool(stages) == (make is with_hooks)
    trace = session.trace
    assert from_json(model.Trace, to_json(trace)) == trace
    assert trace.start is not None
    fold = RecordFold(trace.start)
    states: list[Any] = []
    for record in trace.records:
        states.append(told(fold))
        fold.apply(record)
    for record in reversed(trace.records):
        fold.unapply(record)
        assert told(fold) == states.pop()


def told(fold: RecordFold) -> Any:
    nodes = range(len(fold.start.needed))
    return tuple(map(fold.node, nodes)), fold.queue, whole(fold.waiting), fold.current


def test_leaves_take_copy_and_add_as_they_would() -> None:
    a, b = leaf(3), leaf(3)
    b.grad = torch.ones(3)
    loss = (a * 2 + b + a.expand(2, 3).sum(0)).sum() + a.sum()
    session = vizgrad.debug(loss)
    session.continue_()
    done = {
        session.graph.nodes[v.node].label: v.accumulate.decision
        for v in session.trace.visits
        if v.accumulate is not None
    }
    assert done == {"a": "taken", "b": "added in place"}
    c = leaf(3)
    kept: list[Any] = []
    c.register_hook(kept.append)  # the hook holds it: it is not taken
    session = vizgrad.debug((c * 2).sum())
    session.continue_()
    assert [v.accumulate.decision for v in session.trace.visits if v.accumulate] == ["copied"]


def test_back_takes_grad_and_saved_values_along() -> None:
    tensors, loss, _ = an_mlp()
    expected, _ = plainly(an_mlp)
    torch.manual_seed(1)
    tensors, loss, _ = an_mlp()
    tensors["w"].grad = before = torch.ones(3, 4)
    session = vizgrad.debug(loss)
    view = Following(session)
    session.continue_()
    after = tensors["w"].grad
    assert after is before
    assert same(after, expected["w"].grad + 1)
    version = after._version
    for _ in range(2):
        session.restart()
        agrees(view)
        assert tensors["w"].grad is before
        assert torch.equal(before, torch.ones(3, 4))
        assert before._version == 0
        assert tensors["v"].grad is None
        assert {s.state for _, s in session.saved if s.storage is not None} == {"alive"}
        session.continue_()
        agrees(view)
        assert same(tensors["w"].grad, expected["w"].grad + 1)
        assert same(tensors["v"].grad, expected["v"].grad)
        assert before._version == version
        assert "freed" in {s.state for _, s in session.saved}


def test_back_refuses_what_others_have_changed() -> None:
    tensors, loss, _ = an_mlp()
    session = vizgrad.debug(loss)
    session.continue_()
    tensors["w"].grad.mul_(2)
    with pytest.raises(RuntimeError, match=r"cannot step back: \.grad of a tensor was changed"):
        session.restart()
    session = vizgrad.debug((tensors["w"] * 2).sum())
    session.continue_()
    session.restart()
    tensors["w"].grad = None
    with pytest.raises(RuntimeError, match="cannot step forward again"):
        session.continue_()


def test_back_takes_a_kept_gradient_and_backwards_within_along() -> None:
    a, b = leaf(3), leaf(3)
    calls: list[Any] = []
    b.register_hook(calls.append)

    class Within(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            with torch.enable_grad():
                (b * 3).sum().backward()
            return grad * 2

    inner = Within.apply(a)
    inner.retain_grad()
    b.grad = torch.ones(3)
    session = vizgrad.debug(inner.exp().sum())
    session.continue_()
    expected = inner.grad
    assert torch.equal(b.grad, torch.full((3,), 4.0))
    session.restart()
    assert torch.equal(b.grad, torch.ones(3))
    assert inner.grad is None
    assert a.grad is None
    session.continue_()
    assert torch.equal(b.grad, torch.full((3,), 4.0))
    assert inner.grad is expected
    assert len(calls) == 1


def test_hooks_run_once_and_in_order_wherever_the_session_goes() -> None:
    def made() -> tuple[Any, list[str]]:
        calls: list[str] = []
        model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
        for name, parameter in model.named_parameters():
            parameter.register_hook(lambda _, name=name: calls.append(f"of {name}"))
            parameter.register_post_accumulate_grad_hook(
                lambda _, name=name: calls.append(f"behind {name}")
            )
        model[1].register_full_backward_hook(lambda *_: calls.append("module"))
        model[1].register_full_backward_pre_hook(lambda *_: calls.append("before module"))
        loss = model(torch.ones(2, 3)).sum()
        loss.grad_fn.register_hook(lambda *_: calls.append("node"))
        loss.grad_fn.next_functions[0][0].register_prehook(lambda *_: calls.append("before node"))
        return loss, calls

    loss, expected = made()
    loss.backward()
    assert len(expected) == 12
    loss, calls = made()
    session = vizgrad.debug(loss)
    while session.status == "paused":
        session.step(2)
        session.back(min(session.position, 3))
        session.seek(session.run.recorded)
        session.step()
    session.restart()
    session.continue_()
    assert calls == expected


def test_what_a_hook_after_accumulation_writes_is_taken_back_and_done_again() -> None:
    model = torch.nn.Linear(2, 1)
    calls = []

    def step(parameter: Any) -> None:
        calls.append(parameter)
        with torch.no_grad():
            parameter.data.sub_(parameter.grad)  # counts in no version
            parameter.mul_(2)
        parameter.grad = None

    for parameter in model.parameters():
        parameter.register_post_accumulate_grad_hook(step)
    before = [p.detach().clone() for p in model.parameters()]
    versions = [p._version for p in model.parameters()]
    with vizgrad.debug(model(torch.ones(1, 2)).sum(), display=False) as session:
        session.continue_()
        after = [p.detach().clone() for p in model.parameters()]
        assert not any(map(torch.equal, before, after))
        for _ in range(2):
            session.restart()
            assert all(map(torch.equal, before, model.parameters()))
            assert [p._version for p in model.parameters()] == versions
            session.continue_()
            assert all(map(torch.equal, after, model.parameters()))
        assert len(calls) == 2
        session.restart()
        with torch.no_grad():
            model.weight.add_(1)
        with pytest.raises(RuntimeError, match="a leaf was written since"):
            session.continue_()


def test_a_hook_that_raises_is_of_the_node_that_it_belongs_to() -> None:
    a = leaf(3)
    inner = a.exp()

    def broken(grad: Any) -> None:
        torch.nn.functional.linear(grad, torch.ones(2, 2))  # raises within PyTorch

    inner.register_hook(broken)
    session = vizgrad.debug((inner * 2).sum())
    with pytest.raises(RuntimeError, match=r"size mismatch|shapes cannot"):
        session.continue_()
    assert session.status == "failed"
    last = session.trace.visits[-1]
    assert session.graph.nodes[last.node].name == "ExpBackward0"
    assert [v.error == "" for v in session.trace.visits] == [True, True, False]
    assert session.trace.visits[1].routed[0].routed is not None
    assert not held_threads()


def test_run_to_and_breakpoints() -> None:
    tensors, loss, _ = an_mlp()
    session = vizgrad.debug(loss)
    session.run_to("Tanh*")
    assert session.node is not None
    assert session.node.name == "TanhBackward0"
    session.break_at(tensor=tensors["w"])
    session.continue_()
    assert session.node.label == "tensors['w']"
    assert tensors["w"].grad is None
    a = leaf(2)
    session = vizgrad.debug((a * torch.tensor([1.0, torch.inf])).tanh().sum())
    session.break_at(when="nonfinite")
    session.continue_()
    names = [session.graph.nodes[v.node].name for v in session.trace.visits]
    assert names[-1] == "MulBackward0"
    assert session.status == "paused"


def test_run_to_a_leaf_stops_at_the_leaf_that_comes_first() -> None:
    _, loss, _ = shared_and_broadcast()
    session = vizgrad.debug(loss)
    session.run_to("AccumulateGrad")
    kinds = [session.graph.nodes[v.node].kind for v in session.trace.visits]
    assert session.node is not None
    assert session.node.kind == "leaf"
    assert "leaf" not in kinds


class Broken(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        return a * 2

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        raise LookupError("not today")


def test_what_a_node_raises_comes_out_of_step() -> None:
    a = leaf(3)
    session = vizgrad.debug(Broken.apply(a.exp()).sum())
    view = Following(session)
    with pytest.raises(LookupError, match="not today"):
        session.continue_()
    assert (session.status, session.position, session.total) == ("failed", 2, 4)
    assert "LookupError: not today" in session.run.error
    assert "while running BrokenBackward\n  where: " in session.run.error
    assert session.run.error.endswith(': raise LookupError("not today")')
    agrees(view)
    assert not held_threads()
    assert session.trace.visits[-1].routed == ()


def test_a_stale_value_is_shown_before_it_fails() -> None:
    a, b = leaf(3), leaf(3)
    loss = (a * b).sum()
    session = vizgrad.debug(loss)
    view = Following(session)
    with torch.no_grad():
        a.add_(1)
    after_cell()
    agrees(view)
    stale = [
        (n.name, s.name, s.version_saved, s.version_now)
        for n, s in session.saved
        if s.state == "stale"
    ]
    assert stale == [("MulBackward0", "self", 0, 1)]
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as raised:
        session.continue_()
    explanation = raised.value.explanation
    assert (explanation.kind, explanation.tensor) == ("saved-overwritten", "a")
    assert (
        "MulBackward0 saved `self` for its backward; it was changed in place once"
        in session.run.error
    )
    late = vizgrad.debug((a * b).sum() + loss)
    stale = [
        (n.name, s.name, s.version_saved, s.version_now)
        for n, s in late.saved
        if s.state == "stale"
    ]
    assert stale == [("MulBackward0", "self", 0, 1)]


@pytest.mark.parametrize(
    ("loss", "words"),
    [(lambda: leaf(3) * 2, "scalar outputs"), (lambda: torch.ones(()), "does not require grad")],
)
def test_what_backward_refuses_is_refused(loss: Callable[[], Any], words: str) -> None:
    with pytest.raises(RuntimeError, match=words):
        vizgrad.debug(loss())
    assert not held_threads()


class Misshapen(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        return a * 2

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return torch.ones(7)


def test_what_pytorch_refuses_behind_a_node_is_of_that_node() -> None:
    a = leaf(3)
    session = vizgrad.debug(Misshapen.apply(a.exp()).sum())
    with pytest.raises(RuntimeError, match="invalid gradient"):
        session.continue_()
    names = [session.graph.nodes[v.node].name for v in session.trace.visits]
    assert names == ["SumBackward0", "MisshapenBackward"]
    assert "while running MisshapenBackward" in session.run.error


def test_anomalies_are_found_in_the_node_and_closing_is_none() -> None:
    a = torch.zeros(3, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.autograd.detect_anomaly():
            session = vizgrad.debug((a.log() * 0).sum())
            session.stop_at_nonfinite = False
            with pytest.raises(RuntimeError, match="'LogBackward0' returned nan"):
                session.continue_()
    assert "while running LogBackward0" in session.run.error
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with torch.autograd.detect_anomaly():
            session = vizgrad.debug(a.exp().sum())
            session.step()
            session.close()
            assert torch.is_anomaly_enabled()
    assert not [each for each in caught if "Error detected" in str(each.message)]
    assert not torch.is_anomaly_enabled()


def test_a_gradient_that_is_changed_at_a_pause_goes_on_into_the_run() -> None:
    def backward(change: Any) -> tuple[Any, Any]:
        torch.manual_seed(1)
        a, b = leaf(3), leaf(3)
        inner = a * b
        loss = (inner.exp() + inner).sum()
        session = vizgrad.debug(loss)
        view = Following(session)
        session.run_to("MulBackward0")
        change(session)
        agrees(view)
        session.continue_()
        agrees(view)
        session.back(2)
        session.restart()
        agrees(view)
        session.continue_()
        agrees(view)
        return a.grad, b.grad

    plain = backward(lambda session: None)
    halved = backward(lambda session: session.set_grad("MulBackward0", "g * 0.5"))
    assert all(torch.equal(one, other / 2) for one, other in zip(halved, plain, strict=True))
    given = backward(lambda session: session.set_grad(session.node.id, torch.zeros(3)))
    assert all(torch.equal(each, torch.zeros(3)) for each in given)

    def twice(session: Any) -> None:
        session.set_grad("MulBackward0", "g * 0.5")
        session.set_grad("MulBackward0", "g * 100")
        session.branches.undo_change()

    assert all(torch.equal(one, two) for one, two in zip(backward(twice), halved, strict=True))

    def undone(session: Any) -> None:
        session.set_grad("MulBackward0", "zero")
        session.branches.undo_change()
        assert not session.branches[0].edits

    assert all(torch.equal(one, two) for one, two in zip(backward(undone), plain, strict=True))


def test_a_change_is_not_undone_once_its_node_has_run() -> None:
    session = vizgrad.debug((leaf(3).exp() * 3).sum())
    with pytest.raises(ValueError, match="nothing was changed where the run stands"):
        session.branches.undo_change()
    session.step()
    session.set_grad("MulBackward0", "zero")
    session.step()
    session.back()
    with pytest.raises(
        ValueError, match="PyTorch runs a node only once, and the changed one has run"
    ):
        session.branches.undo_change()


def test_a_change_says_what_it_cannot_do() -> None:
    a = leaf(3)
    inner = a.exp()
    inner.register_hook(lambda grad: grad * 2)
    session = vizgrad.debug((inner * 3).sum())
    with pytest.raises(ValueError, match="only the gradient of the next node can be changed"):
        session.set_grad("MulBackward0", 0)
    session.step()
    with pytest.raises(ValueError, match="does not fit"):
        session.set_grad("MulBackward0", torch.ones(7))
    edit = session.set_grad("MulBackward0", 1)
    assert edit.text == "gradient of MulBackward0 = 1"
    session.step()
    with pytest.raises(ValueError, match="a hook has changed"):
        session.set_grad("ExpBackward0", 1)
    session.back()
    with pytest.raises(ValueError, match="cannot be run twice"):
        session.set_grad("MulBackward0", 1)
    with pytest.raises(ValueError, match="has one branch"):
        session.branch()
    session.continue_()
    assert torch.equal(a.grad, 6 * a.detach().exp())


@pytest.mark.parametrize(
    ("text", "positions"),
    [
        ("isnan(loss)", []),
        ("loss.item() > 1", [1, 2, 3, 4]),
        ("torch.isfinite(loss) and position > 2", [3, 4]),
        ("step == 3", [3]),
        ("turn == 7 and position == 2", [2]),
        ("grad.norm() > 100", [3, 4]),
        ("grad.abs().max() > 100 and grad.shape == (1,)", [3, 4]),
        ("w.grad is None and not isnan(w) and grad.norm > 100", [3, 4]),
    ],
)
def test_a_condition_speaks_of_the_callers_variables(text: str, positions: list[int]) -> None:
    w, turn = torch.ones(1, requires_grad=True), 7
    y = w
    for _ in range(5):
        y = y * 10
    found: list[int] = []
    with vizgrad.debug(y, display=False) as session:
        session.break_at("Mul*", condition=text)
        while session.continue_() and session.status == "paused":
            found.append(session.position)
    assert found == positions
    assert (turn, w._version) == (7, 0)


@pytest.mark.parametrize("mode", [nullcontext(), torch.device("cpu")], ids=["", "in a mode"])
def test_backward_of_pytorch_can_be_asked_about_before_it_runs(mode: Any) -> None:
    """A mode of functions, as a default device is, has PyTorch call `backward` again."""
    from vizgrad.debugger.engines.api.frameworks import intercepting

    asked: list[tuple[Any, ...]] = []
    w = leaf(2)

    def ask(*call: Any) -> bool:
        asked.append(call)
        return len(asked) == 1

    with intercepting(ask), mode:
        (w * 2).sum().backward()
        assert w.grad is None
        torch.autograd.backward([w.sum(), w.sum()], retain_graph=True)
    assert w.grad is not None
    (w * 2).sum().backward()
    assert [(type(call[0]), *call[1:]) for call in asked] == [
        (torch.Tensor, None, None, False, None),
        (list, None, True, False, None),
    ]


def test_a_trace_keeps_what_was_changed(tmp_path: Path) -> None:
    x = leaf(3)
    session = vizgrad.debug((x * 2).tanh().sum(), display=False)
    session.step()
    session.set_grad("TanhBackward0", "g * 10")
    session.continue_()
    file = session.save(tmp_path / "changed.vgtrace")
    with vizgrad.load_trace(file) as loaded:
        (edit,) = loaded.branches[0].edits
        assert (edit.position, edit.node) == (1, 1)
        assert edit.text == "gradient of TanhBackward0 = g * 10"
        with pytest.raises(ValueError, match="has one branch"):
            loaded.set_grad("TanhBackward0", 0)
