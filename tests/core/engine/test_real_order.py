"""The order of visits through real operations, said exactly (E-42, E-43, E-50)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import vizgrad as torch
from vizgrad.debugger.engines.vizgrad.opener import open_session

pytestmark = pytest.mark.rule("E-42")


def order(root: Any, **settings: Any) -> list[str]:
    """Names of the visited nodes; leaves by their label."""
    names = settings.pop("names", {})
    with open_session(root, names={id(t): n for n, t in names.items()}, **settings) as session:
        session.continue_()
        nodes = session.graph.nodes
        visits = [nodes[v.node] for v in session.trace.visits]
    return [n.label or n.name.removesuffix("Backward0").lower() for n in visits]


def leaf(*shape: int) -> Any:
    return torch.ones(*shape, requires_grad=True)


@pytest.mark.rule("E-43")
def test_the_example_of_the_rules() -> None:
    l1, l2 = leaf(2), leaf(2)
    p = l1 * 2
    q = l2 * 3
    r = q.exp()
    s = (p + r).sum()
    assert order(s, names={"l1": l1, "l2": l2}) == ["sum", "add", "exp", "mul", "l2", "mul", "l1"]


def test_a_shared_result_waits_for_all_its_uses() -> None:
    x = leaf(2)
    a = x * 2
    b = a.tanh()
    c = a.sin()
    s = (b + c + a).sum()
    assert order(s, names={"x": x}) == ["sum", "add", "add", "sin", "tanh", "mul", "x"]


def test_a_late_branch_runs_before_an_early_one() -> None:
    x, y = leaf(2), leaf(2)
    early = x.exp()
    late = y.tanh()
    names = {"x": x, "y": y}
    expected = ["sum", "mul", "tanh", "y", "exp", "x"]
    assert order((late * early).sum(), names=names, retain_graph=True) == expected
    assert order((early * late).sum(), names=names) == expected


def test_a_leaf_used_early_and_late_is_filled_last() -> None:
    x, w = leaf(2), leaf(2)
    h = (x * w).tanh()
    s = (h * w).sum()
    assert order(s, names={"x": x, "w": w}) == ["sum", "mul", "tanh", "mul", "x", "w"]


def test_several_roots() -> None:
    x, y = leaf(1), leaf(1)
    a, b = x.exp(), y.tanh()
    ones = [torch.ones(1), torch.ones(1)]
    names = {"x": x, "y": y}
    found = order([a, b], gradient=ones, names=names, retain_graph=True)
    assert found == ["tanh", "y", "exp", "x"]
    assert order([b.exp(), a], gradient=ones, names=names) == ["exp", "tanh", "y", "exp", "x"]


def test_an_in_place_write_through_a_view() -> None:
    x, y = leaf(4), leaf(2)
    a = x * 1
    a[:2].mul_(y)
    assert order(a.sum(), names={"x": x, "y": y}) == ["sum", "copyslices", "y", "mul", "x"]


def test_a_view_of_what_was_written() -> None:
    x = leaf(4)
    a = x * 1
    v = a[:2]
    a.mul_(3)
    assert order(v.sum(), names={"x": x}) == ["sum", "asstrided", "mul", "mul", "x"]


def test_parts_of_one_operation_are_one_visit() -> None:
    x = leaf(6)
    a, _, c = x.split(2)
    assert order((a * c).sum(), names={"x": x}) == ["sum", "mul", "split", "x"]


@pytest.mark.rule("E-32")
def test_only_what_was_asked_for() -> None:
    x, y = leaf(2), leaf(2)
    a = x.exp()
    b = y.tanh()
    s = (a * b).sum()
    names = {"x": x, "y": y}
    assert order(s, inputs=[x], names=names) == ["sum", "mul", "exp", "x"]
    s = (x.exp() * b).sum()
    assert order(s, inputs=[b], names=names) == ["sum", "mul", "tanh"]  # captured, not run


@pytest.mark.rule("E-42", "E-46")
@pytest.mark.parametrize("times", range(3))
def test_the_same_program_gives_the_same_order_and_bits(times: int) -> None:
    def run() -> tuple[list[str], bytes]:
        x = torch.linspace(-1, 1, 12).reshape(3, 4).requires_grad_()
        w = torch.linspace(0, 1, 8).reshape(4, 2).requires_grad_()
        h = (x @ w).tanh()
        s = (h * h.exp() + h.sum(0)).sum()
        with open_session(s, names={}) as session:
            session.continue_()
            names = [session.graph.nodes[v.node].name for v in session.trace.visits]
        assert w.grad is not None
        return names, w.grad.numpy().tobytes()

    assert run() == run()


@pytest.mark.rule("E-90")
def test_a_backward_within_a_hook_runs_to_its_end_first() -> None:
    journal: list[str] = []

    def tell(name: str) -> Callable[[Any], None]:
        def told(grad: Any) -> None:
            journal.append(name)

        return told

    x, inner_leaf = leaf(2), leaf(2)
    x.register_hook(tell("outer leaf"))
    inner_leaf.register_hook(tell("inner leaf"))

    def nested(grad: Any) -> None:
        journal.append("begin")
        with torch.enable_grad():
            inner = (inner_leaf * 2).sum()
        inner.backward()
        journal.append("end")

    y = x * 2
    y.register_hook(nested)
    y.sum().backward()
    assert journal == ["begin", "inner leaf", "end", "outer leaf"]
    assert inner_leaf.grad is not None


@pytest.mark.rule("E-90")
def test_a_nested_backward_may_share_the_outer_graph() -> None:
    x = leaf(2)
    shared = x * 3
    left = shared.tanh()

    def nested(grad: Any) -> None:
        shared.backward(torch.ones(2), retain_graph=True)

    left.register_hook(nested)
    (left + shared).sum().backward()
    t = (torch.ones(2) * 3).tanh()
    expected = 3 + 3 * (1 - t * t) + 3
    assert x.grad is not None
    assert torch.allclose(x.grad, expected)
