"""`vizgrad.watch(keep=N)` of PyTorch's backwards."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad as vg  # noqa: E402
from vizgrad.debugger.engines.pytorch import watched_backward  # noqa: E402


def _loss(w: Any, x: Any) -> Any:
    h = (x @ w).tanh()
    return (h * h + h.sum(0)).mean()


def test_a_kept_backward_says_what_a_session_says() -> None:
    torch.manual_seed(0)
    x, w = torch.randn(4, 3), torch.randn(3, 2, requires_grad=True)
    twin = w.detach().clone().requires_grad_()
    session = vg.debug(_loss(twin, x))
    session.continue_()
    with vg.watch(keep=1) as watch:
        _loss(w, x).backward()
    ours, theirs = watch.kept[1].whole, session.trace
    assert [node.name for node in ours.graph.nodes] == [node.name for node in theirs.graph.nodes]
    assert [node.edges for node in ours.graph.nodes] == [node.edges for node in theirs.graph.nodes]
    assert [r.current for r in ours.records] == [r.current for r in theirs.records]
    for here, there in zip(ours.visits, theirs.visits, strict=True):
        assert (here.node, here.incoming) == (there.node, there.incoming)
        sent = [(r.index, r.edge, r.routed) for r in there.routed if r.edge.node is not None]
        assert [(r.index, r.edge, r.routed) for r in here.routed] == sent
    last, stored = ours.visits[-1].accumulate, theirs.visits[-1].accumulate
    assert last is not None
    assert stored is not None
    assert (last.decision, last.before, last.after) == ("stored", None, stored.after)
    assert ours.start is not None
    assert theirs.start is not None
    assert (ours.start.buffers, ours.start.needed) == (theirs.start.buffers, theirs.start.needed)


def test_the_last_ones_and_the_first_with_findings_are_kept() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    opt, x = torch.optim.SGD(net.parameters(), lr=0.01), torch.randn(5, 3)
    with vg.watch(keep=2) as watch:
        for number in range(1, 50):
            if number != 5:
                opt.zero_grad()
            (net(x) ** 2).mean().backward()
            opt.step()
    assert {found.backward for found in watch.findings} == {5}
    assert list(watch.kept) == [5, 48, 49]
    trace = watch.kept[5]
    accumulated = [v.accumulate for v in trace.whole.visits if v.accumulate is not None]
    assert {each.decision for each in accumulated} == {"added"}
    assert {"net.0.weight", "net.2.bias"} < {node.label for node in trace.graph.nodes}
    assert ("Sequential", "0: Linear") in {node.scope for node in trace.graph.nodes}


def test_nothing_is_kept_and_nobody_is_asked_without(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(*_: Any) -> None:
        raise AssertionError("nobody wants to know")

    monkeypatch.setattr(watched_backward, "summarize", asked)
    monkeypatch.setattr(watched_backward, "NodeFacts", asked)
    with vg.watch() as watch:
        w = torch.ones(2, requires_grad=True)
        (w * 2).sum().backward()
    assert not watch.kept


def test_gradients_versions_and_lifetimes_are_those_of_an_unwatched_block() -> None:
    def run() -> tuple[Any, ...]:
        torch.manual_seed(0)
        w = torch.randn(3, 2, requires_grad=True)
        x = torch.randn(4, 3)
        loss = _loss(w, x)
        node = weakref.ref(loss)
        loss.backward()
        grad = w.grad
        assert grad is not None
        versions = w._version, grad._version, x._version
        _loss(w, x).backward()
        del loss
        return grad.clone(), versions, grad is w.grad, node() is None, w.grad._version

    gc.disable()
    try:
        plain = run()
        with vg.watch(keep=5) as watch:
            kept = run()
    finally:
        gc.enable()
    assert torch.equal(plain[0], kept[0])
    assert plain[1:] == kept[1:]
    assert list(watch.kept) == [1, 2]


def test_a_backward_that_fails_is_kept_up_to_its_error() -> None:
    with vg.watch(keep=1) as watch:
        out = torch.ones(2, requires_grad=True) * 2
        out.register_hook(lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            out.sum().backward()
    (trace,) = watch.kept.values()
    assert [node.name for node in trace.graph.nodes] == ["SumBackward0"]
