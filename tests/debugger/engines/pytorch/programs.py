"""Programs of PyTorch to step through, and what an undisturbed backward does with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from tests.debugger.jupyter.widget.views import Following


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        ctx.save_for_backward(a)
        return a * 2

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        (a,) = ctx.saved_tensors
        return grad * 2 + 0 * a


def leaf(*shape: int, dtype: Any = None) -> Any:
    return torch.randn(shape, dtype=dtype, requires_grad=True)


Made = tuple[dict[str, Any], Any, dict[str, Any]]


def an_mlp() -> Made:
    w, b, v = leaf(3, 4), leaf(3), leaf(1, 3)
    return {"w": w, "b": b, "v": v}, (torch.randn(5, 4) @ w.T + b).tanh().matmul(v.T).sum(), {}


def shared_and_broadcast() -> Made:
    a, b = leaf(2, 3), leaf(3)
    c = a * b + b
    return {"a": a, "b": b}, (c * c.sum() + a).sum(), {}


def a_custom_function() -> Made:
    a = leaf(4)
    return {"a": a}, (Double.apply(a).exp() * a).sum(), {}


def written_in_place() -> Made:
    a = leaf(4)
    b = a * 1
    b[1:] = b[:-1].clone() * 2
    b.mul_(3)
    return {"a": a}, b.pow(2).sum(), {}


def other_types() -> Made:
    a, b = leaf(3, dtype=torch.float64), leaf(3)
    return {"a": a, "b": b}, (a * b).sum() + (b.to(torch.bfloat16) * 2).float().sum(), {}


def several_outputs() -> Made:
    a = leaf(3, 2)
    first, _, third = a.unbind(0)
    return {"a": a}, (first * third).sum(), {}


def some_inputs() -> Made:
    a, b, c = leaf(3), leaf(3), leaf(3)
    inner = a * b
    return {"a": a, "b": b, "c": c}, (inner.sin() * c).sum(), {"inputs": [b]}


def an_inner_input() -> Made:
    a, b = leaf(3), leaf(3)
    inner = a * b
    return {"a": a, "inner": inner}, (inner.sin() * b).sum(), {"inputs": [inner]}


def several_losses() -> Made:
    a = leaf(3)
    first = a.sin()
    second = first * a
    given = [torch.ones(3), torch.full((3,), 2.0)]
    return {"a": a}, [first, second], {"gradient": given}


def with_hooks() -> Made:
    a, b = leaf(3), leaf(3)
    inner = a * b
    inner.retain_grad()
    inner.register_hook(lambda grad: grad * 3)
    a.register_hook(lambda grad: grad + 1)
    return {"a": a, "b": b, "inner": inner}, inner.exp().sum(), {}


def higher() -> Made:
    a = leaf(3)
    return {"a": a}, (a**3).sum(), {"create_graph": True}


def kept_graph() -> Made:
    a = leaf(3)
    return {"a": a}, (a.exp() * a).sum(), {"retain_graph": True}


def a_sparse_gradient() -> Made:
    table = leaf(5, 2)
    rows = torch.nn.functional.embedding(torch.tensor([1, 3, 1]), table, sparse=True)
    return {"table": table}, (rows**2).sum(), {}


def a_leaf_alone() -> Made:
    a = leaf()
    return {"a": a}, a, {}


def a_checkpoint() -> Made:
    from torch.utils.checkpoint import checkpoint

    a = leaf(3)
    inner = checkpoint(lambda x: x.sin() * x, a.exp(), use_reentrant=True)
    return {"a": a}, inner.sum(), {}


PROGRAMS = [
    an_mlp, shared_and_broadcast, a_custom_function, written_in_place, other_types, several_outputs,
    some_inputs, an_inner_input, several_losses, with_hooks, higher, kept_graph, a_sparse_gradient,
    a_leaf_alone, a_checkpoint,
]  # fmt: skip


def order_of(losses: list[Any]) -> list[str]:
    """A list that fills with the nodes as they run."""
    order: list[str] = []
    nodes = [torch.autograd.graph.get_gradient_edge(t).node for t in losses]
    found = set(nodes)
    for node in nodes:
        node.register_prehook(lambda _, node=node: order.append(node.name().rpartition("::")[2]))
        for following, _ in node.next_functions:
            if following is not None and following not in found:
                found.add(following)
                nodes.append(following)
    return order


def plainly(make: Callable[[], Made]) -> tuple[dict[str, Any], list[str]]:
    """The gradients, and the nodes in the order in which they ran."""
    torch.manual_seed(1)
    tensors, loss, options = make()
    losses = loss if isinstance(loss, list) else [loss]
    order = order_of(losses)
    options = {"grad_tensors" if k == "gradient" else k: v for k, v in options.items()}
    torch.autograd.backward(losses, **options)
    return tensors, order


def agrees(view: Following) -> None:
    view.hear(view.updates())
    view.agrees()


def same(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is b
    return a.layout == b.layout and torch.equal(a.to_dense(), b.to_dense())
