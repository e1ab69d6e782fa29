"""A watched backward says of every node as much as if it listened to each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
from vizgrad.debugger.engines.pytorch import watched_backward  # noqa: E402
from vizgrad.debugger.engines.pytorch.torch_watch import watching  # noqa: E402
from vizgrad.debugger.watch.backwards import Run  # noqa: E402

INF = float("inf")


class Doubling(torch.autograd.Function):
    """Writes to the gradient that it was given, and returns it."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return 2 * x

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad.mul_(2)


class Half(torch.autograd.Function):
    """Gives the second of its operands no gradient."""

    @staticmethod
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        return x + y

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad, None


def moved(a: Any, b: Any) -> Any:
    return (
        a.t().reshape(2, 6).unsqueeze(0)[0, :, 1:].contiguous().view(-1) * b.view(-1)[:10]
    ).sum()


def shared(a: Any, b: Any) -> Any:
    return (a.t() @ b).tanh().sum() + a.pow(2).sum() + b.t().sum()


def both_ways(a: Any, b: Any) -> Any:
    turned = a.t()
    return (turned + turned.exp()).sum()


def in_place(a: Any, b: Any) -> Any:
    return Doubling.apply(a.t()).t().pow(2).sum()


def one_only(a: Any, b: Any) -> Any:
    return Half.apply(a.t(), b.t()).sum()


def zeros(a: Any, b: Any) -> Any:
    return (a.t() * 0).sum() + (b - 1e9).t().relu().sum()


def infinite(a: Any, b: Any) -> Any:
    return (a * 0).t().sqrt().t().sum()


def through_linear(a: Any, b: Any) -> Any:
    return torch.nn.functional.linear(a.view(2, 2, 3), b[:3, :3].t()).sum()


def a_view(a: Any, b: Any) -> Any:
    return (a * b.t().t()).view(-1)[0]  # nobody delivers to the node of the root


def a_leaf(a: Any, b: Any) -> Any:
    return a.sum(), b  # the second root is a leaf


PROGRAMS = [
    moved, shared, both_ways, in_place, one_only, zeros, infinite, through_linear, a_view, a_leaf,
]  # fmt: skip


def told_of(run: Run, a: Any, b: Any) -> dict[str, Any]:
    """Numbers of nodes begin anew, and leaves are called by their names."""
    names = {-id(a): "a", -id(b): "b"}
    first = min((key for key in run.visits if key >= 0), default=0)

    def name(key: int) -> Any:
        return names.get(key, key - first)

    visits = {
        name(key): (
            visit.name, visit.site, pytest.approx(visit.incoming, nan_ok=True),
            [(name(each.target), each.edge, pytest.approx(each.size, nan_ok=True)) for each in visit.out],
        ) for key, visit in run.visits.items() if visit.incoming or key < 0
    }  # fmt: skip
    odd = [[(name(o.visit.key), o.edge) for o in found] for found in (run.births, run.kills)]
    return {"visits": visits, "odd": odd, "leaves": sorted(map(name, (-key for key in run.leaves)))}


def ran(program: Callable[..., Any], *, held: bool = False) -> tuple[dict[str, Any], int]:
    """All that is told of its backward; and how many hooks there were."""
    torch.manual_seed(0)
    a, b = torch.rand(4, 3, requires_grad=True), torch.rand(4, 3, requires_grad=True)
    hooks: list[int] = []
    begin = watched_backward.Listened.begin

    def counted(self: Any) -> None:
        begin(self)
        hooks.append(len(self._handles))

    with pytest.MonkeyPatch.context() as patch, watching() as noting:
        patch.setattr(watched_backward.Listened, "begin", counted)
        if held:
            a.grad = torch.ones_like(a)
        made = program(a, b)
        roots = made if isinstance(made, tuple) else (made,)
        torch.autograd.backward(roots, [torch.ones_like(root) for root in roots])
        (run,) = noting.runs
        kept = noting.gradients.of(a).kept
        return {**told_of(run, a, b), "kept": kept}, hooks[0]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("held", [False, True])
def test_a_node_without_a_listener_is_told_of_alike(
    program: Any, held: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    fewer, some = ran(program, held=held)
    init = watched_backward.Listened.__init__

    def listens_to_all(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **{**kwargs, "everywhere": False})

    monkeypatch.setattr(watched_backward.Listened, "__init__", listens_to_all)
    all_of_them, many = ran(program, held=held)
    assert fewer == all_of_them
    assert some < many


def test_a_hook_for_each_node_tells_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where PyTorch does not say which node runs."""
    by_one, _ = ran(shared)
    monkeypatch.setattr(watched_backward, "_running", None)
    assert ran(shared)[0] == by_one


def test_hooks_of_tensors_are_seen() -> None:
    """A hook between two nodes that only move elements changes what comes to the second."""
    a = torch.rand(4, 3, requires_grad=True)
    with watching() as noting:
        turned = a.t()
        turned.register_hook(lambda grad: grad * 0)
        turned.t().sum().backward()
    (run,) = noting.runs
    assert run.visits[-id(a)].incoming == 0.0
    assert run.changed


def test_a_part_of_a_graph_that_is_not_run_is_not_told_of() -> None:
    a, b = (torch.rand(3, requires_grad=True) for _ in range(2))
    with watching() as noting:
        torch.autograd.grad((a.view(3, 1).exp().sum() + b.view(3, 1).sum()), a)
    (run,) = noting.runs
    assert not run.leaves
    assert "SumBackward0" in {visit.name for visit in run.visits.values()}
    assert len([visit for visit in run.visits.values() if visit.name.startswith("View")]) == 1


@pytest.mark.filterwarnings("ignore")  # PyTorch warns of its own calls and of hooks of modules
def test_compiled_autograd_does_not_end_a_watch() -> None:
    """Its hooks are traced: a backward that is compiled is not told of, the next one is."""
    compiled_autograd = pytest.importorskip("torch._dynamo.compiled_autograd")
    a = torch.rand(3, requires_grad=True)
    with watching() as noting:
        with compiled_autograd._enable(torch.compile(backend="eager")):
            (a.exp().view(3, 1) * 2).sum().backward()
        a.grad = None
        a.exp().sum().backward()
    assert id(a) in noting.runs[-1].leaves
    assert "ExpBackward0" in {visit.name for visit in noting.runs[-1].visits.values()}
