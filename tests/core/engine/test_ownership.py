"""Whose memory a gradient is: no memory with another holder is taken or written (E-52, E-60 ... E-64)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vizgrad as torch
from vizgrad.autograd.running import prepare_backward
from vizgrad.core.engine.domain import ARRAYS
from vizgrad.core.engine.observer import Watch
from vizgrad.core.graph.edges import gradient_edge, set_history
from vizgrad.core.graph.node import Node
from vizgrad.core.tensor.storage import tick
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger.engines.vizgrad.opener import open_session

pytestmark = pytest.mark.rule("E-64")


def leaf(*shape: int) -> Tensor:
    return torch.ones(*(shape or (3,)), requires_grad=True)


def shares(a: Any, b: Any) -> bool:
    return np.shares_memory(a._array, b._array)


def grad_of(x: Tensor) -> Tensor:
    assert x.grad is not None
    return x.grad


def decisions(root: Tensor, given: Any = None, **settings: Any) -> dict[str, str]:
    """What AccumulateGrad decided for each leaf, by its label."""

    with open_session(root, given, **settings) as session:
        session.continue_()
        nodes = session.graph.nodes
        return {
            nodes[v.node].label: v.accumulate.decision
            for v in session.trace.visits
            if v.accumulate is not None
        }


@pytest.mark.rule("E-60")
def test_a_fresh_gradient_is_taken() -> None:
    x = leaf()
    assert decisions(x * 2, torch.ones(3)) == {"x": "taken"}


@pytest.mark.rule("E-61")
def test_a_second_backward_adds_in_place() -> None:
    x = leaf()
    (x * 2).sum().backward()
    first = grad_of(x)
    assert decisions((x * 3).sum()) == {"x": "added in place"}
    assert x.grad is first
    assert first._version == 1
    assert first.tolist() == [5, 5, 5]


@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.rule("E-61")
def test_with_create_graph_a_new_tensor_is_made() -> None:
    x = leaf()
    (x * 2).sum().backward()
    first = grad_of(x)
    assert decisions((x * x).sum(), create_graph=True) == {"x": "new tensor"}
    assert x.grad is not first
    assert grad_of(x).requires_grad
    assert first.tolist() == [2, 2, 2]
    x.grad = None


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x + 1, lambda x: x, lambda x: x.view(3), lambda x: x.reshape(3, 1), lambda x: x[:],
        lambda x: x + leaf(), lambda x: x.expand(3), lambda x: x.clone(), lambda x: x.squeeze(),
        lambda x: (x + 0).t(), lambda x: x.detach() + x, lambda x: torch.cat([x]),
    ],
)  # fmt: skip
def test_the_callers_gradient_is_never_in_grad(make: Any) -> None:
    x = leaf()
    y = make(x)
    given = torch.ones(*y.shape)
    y.backward(given)
    assert not shares(grad_of(x), given)
    before = given.tolist()
    if y is not x:
        make(x).backward(torch.ones(*y.shape))
    assert given.tolist() == before


def test_two_leaves_never_share_their_grads() -> None:
    x, y = leaf(), leaf()
    (x + y).backward(torch.ones(3))
    assert not shares(grad_of(x), grad_of(y))
    (x * 2).sum().backward()
    assert grad_of(y).tolist() == [1, 1, 1]


def test_a_leaf_used_twice_does_not_write_into_the_gradient_of_another() -> None:
    x, y = leaf(), leaf()
    ((x + y) + x).backward(torch.ones(3))
    assert grad_of(x).tolist() == [2, 2, 2]
    assert grad_of(y).tolist() == [1, 1, 1]


def look(kept: list[Any]) -> Any:
    def hook(*grads: Any) -> None:
        for grad in grads:
            tensors = grad if isinstance(grad, tuple) else (grad,)
            kept.extend((t, t.tolist()) for t in tensors if t is not None)

    return hook


@pytest.mark.parametrize("where", ["leaf", "leaf node pre", "result", "node pre", "node post"])
def test_what_a_hook_keeps_stays_as_it_was(where: str) -> None:
    x = leaf()
    kept: list[Any] = []
    for _ in range(3):
        y = x * 2
        z = y + x
        match where:
            case "leaf":
                x.register_hook(look(kept))
            case "leaf node pre":
                y.grad_fn.next_functions[0][0].register_prehook(look(kept))
            case "result":
                y.register_hook(look(kept))
            case "node pre":
                z.grad_fn.register_prehook(look(kept))
            case _:
                z.grad_fn.register_hook(look(kept))
        z.backward(torch.ones(3))
    assert kept
    assert all(tensor.tolist() == then for tensor, then in kept)
    assert grad_of(x).tolist() == [9, 9, 9]


@pytest.mark.parametrize("where", ["leaf", "leaf node pre", "result", "node pre", "node post"])
def test_what_a_hook_returns_is_not_taken_over(where: str) -> None:
    x = leaf()
    mine = torch.full((3,), 5.0)

    def one(grad: Any) -> Any:
        return mine

    def each(*grads: Any) -> Any:
        return tuple(None if g is None else mine for g in grads[0])

    for _ in range(2):
        y = x + 1
        z = y + x
        match where:
            case "leaf":
                handle = x.register_hook(one)
            case "leaf node pre":
                handle = y.grad_fn.next_functions[0][0].register_prehook(each)
            case "result":
                handle = y.register_hook(one)
            case "node pre":
                handle = z.grad_fn.register_prehook(each)
            case _:
                handle = z.grad_fn.register_hook(each)
        z.backward(torch.ones(3))
        handle.remove()
        assert mine.tolist() == [5, 5, 5]
        assert not shares(grad_of(x), mine)


@pytest.mark.parametrize("pre", [False, True])
@pytest.mark.parametrize(
    "make",
    [lambda x: x + 1, lambda x: x.view(3), lambda x: x.view(3, 1).t(), lambda x: x.expand(3)],
)
def test_what_a_hook_keeps_is_not_handed_on(make: Any, pre: bool) -> None:
    """Where the formula gives back what arrived, or a view of it."""
    x = leaf()
    kept: list[Any] = []
    y = make(x)
    if pre:
        y.grad_fn.register_prehook(look(kept))
    else:
        y.register_hook(look(kept))
    (y * 2).sum().backward()
    assert not shares(grad_of(x), kept[0][0])


@pytest.mark.rule("E-60")
@pytest.mark.parametrize("kind", ["tensor", "pre", "post"])
def test_what_is_computed_after_a_hook_is_taken(kind: str) -> None:
    """A hook of a result sees what arrives there: what is computed from it is new memory."""
    x = leaf()
    y = x * 2
    if kind == "tensor":
        y.register_hook(lambda grad: grad * 2)
    elif kind == "pre":
        y.grad_fn.register_prehook(lambda grads: None)
    else:
        y.grad_fn.register_hook(lambda grads, arrived: None)
    assert decisions(y.sum()) == {"x": "copied" if kind == "post" else "taken"}


def test_a_post_hook_that_goes_keeps_what_it_saw() -> None:
    x = leaf()
    kept: list[Any] = []
    y = x * 2

    def once(grads: Any, arrived: Any) -> None:
        kept.extend(grads)
        handle.remove()

    handle = y.grad_fn.register_hook(once)
    y.sum().backward()
    assert kept
    assert not shares(grad_of(x), kept[0])


def test_what_grad_returns_belongs_to_the_caller() -> None:
    x, y = leaf(), leaf()
    given = torch.ones(3)
    found = torch.autograd.grad(x + y, [x, y, x], given)
    for i, one in enumerate(found):
        assert not shares(one, given)
        for other in found[i + 1 :]:
            assert not shares(one, other)


def test_a_retained_gradient_is_a_copy() -> None:
    x = leaf()
    y = x + 1
    y.retain_grad()
    z = y + 1
    z.retain_grad()
    z.backward(torch.ones(3))
    assert y.grad is not None
    assert z.grad is not None
    assert not shares(y.grad, z.grad)
    assert not shares(y.grad, grad_of(x))


def test_a_custom_function_may_keep_what_it_returns() -> None:
    store = torch.full((3,), 2.0)

    class Keeps(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 1

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return store

    x = leaf()
    for _ in range(3):
        (Keeps.apply(x) + x).sum().backward()
    assert store.tolist() == [2, 2, 2]
    assert grad_of(x).tolist() == [9, 9, 9]


@pytest.mark.rule("E-63")
def test_grad_has_the_layout_of_a_dense_leaf() -> None:
    x = torch.ones(2, 3).t().contiguous().t().requires_grad_()
    assert x.stride() == (1, 2)
    (x * 2).sum().backward()
    assert grad_of(x).stride() == (1, 2)
    y = torch.ones(2, 6)[:, ::2].requires_grad_()
    (y * 2).sum().backward()
    assert grad_of(y).is_contiguous()


@pytest.mark.rule("E-52")
def test_sums_are_made_in_place_only_in_the_engines_own_memory() -> None:
    own = np.ones(3)
    view = own[:]
    assert ARRAYS.can_add_in_place(own, own)
    assert not ARRAYS.can_add_in_place(view, own)
    own.flags.writeable = False
    assert not ARRAYS.can_add_in_place(own, own)
    assert not ARRAYS.can_add_in_place(np.float64(1), own)


def test_a_sum_of_wider_gradients_is_not_made_in_a_narrower_type() -> None:
    x = leaf()
    y = x.double()
    (y * 0.1 + x).sum().backward()
    assert grad_of(x).dtype is torch.float32


def weight_program() -> tuple[Tensor, Tensor]:
    w, b = torch.ones(2, 3, requires_grad=True), torch.ones(2)
    return w, torch.nn.functional.linear(torch.ones(4, 3), w, b).sum()


class Keeps(Watch):
    """Holds on to everything it is told of."""

    def __init__(self) -> None:
        self.kept: list[Any] = []

    def enter(self, node: Any, grads: Any, full: bool) -> None:
        self.kept.append(grads)

    def routed(self, node: Any, index: int, computed: Any, routed: Any) -> None:
        self.kept += [computed, routed]


@pytest.mark.rule("E-60")
def test_a_view_of_a_fresh_array_is_taken_whoever_looks_on() -> None:
    """Who refers to an array is no question of whose it is: a debugger's look must change nothing."""
    w, out = weight_program()
    assert decisions(out) == {"w": "taken"}
    w, out = weight_program()
    task = prepare_backward(out)
    task.watch = watch = Keeps()
    task.run()
    held = [a for a in watch.kept if hasattr(a, "base") and a.shape == (2, 3)]
    assert any(np.shares_memory(a, grad_of(w)._array) for a in held)
    assert grad_of(w).tolist() == [[4] * 3] * 2


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x.t(), lambda x: x.t().t(), lambda x: x.view(6), lambda x: x.view(6).view(3, 2),
        lambda x: x.unsqueeze(0), lambda x: x.transpose(0, 1).reshape(6), lambda x: x.flip(0),
        lambda x: x.as_strided((2, 3), (3, 1)), lambda x: x.expand(2, 3), lambda x: x[:].t(),
        lambda x: x.permute(1, 0).unsqueeze(2), lambda x: x.unflatten(0, (2, 1)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("captured", [False, True])
def test_no_chain_of_views_leads_to_the_callers_gradient(make: Any, captured: bool) -> None:
    """On the quick path, and on that of a node whose gradient is asked for."""
    x = torch.ones(2, 3, requires_grad=True)
    y = make(x)
    given = torch.ones(*y.shape)
    if captured:
        y.backward(given, inputs=[x, y])
    else:
        y.backward(given)
    assert not shares(grad_of(x), given)
    grad_of(x).add_(5)
    assert given.tolist() == torch.ones(*y.shape).tolist()
    if captured:
        assert y.grad is not None
        assert y.grad.tolist() == given.tolist()


def test_two_views_of_one_block_are_two_gradients() -> None:
    """A node may hand the same fresh memory to two edges, each time as a view."""

    class Twice(Node):
        __slots__ = ()

        def run(self, grad: Any) -> Any:
            block = grad * 2
            return block.reshape(3), block.T

    x, y = leaf(), leaf()
    node = Twice()
    node.sequence_nr = tick()
    node.edges = (gradient_edge(x)[0], gradient_edge(y)[0])
    node.hooks = node.code = node.scope = None
    node.lasti, node.shape, node.dtype = 0, (3,), np.dtype("float32")
    out = torch.ones(3)
    set_history(out, node)
    for _ in range(3):
        out.backward(torch.ones(3), retain_graph=True)
        assert not shares(grad_of(x), grad_of(y))
    assert grad_of(x).tolist() == grad_of(y).tolist() == [6, 6, 6]


def test_a_part_of_a_block_is_copied() -> None:
    x = torch.ones(2, 3, requires_grad=True)
    (torch.cat([x, x * 2]) * 3).sum().backward()
    assert grad_of(x)._array.base is None
