"""With create_graph=True the next backward is what it would be: the same nodes in the same order."""

from __future__ import annotations

import random
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad  # noqa: E402
from tests.debugger.engines.pytorch.programs import leaf, order_of, same  # noqa: E402
from vizgrad.debugger.engines.pytorch import graph_source  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True")


def run(seed: int, *, stepped: bool) -> tuple[list[str], list[Any]]:
    """The order of the second backward, and what it gives."""
    torch.manual_seed(seed)
    rng = random.Random(seed)
    leaves = [leaf(3) for _ in range(3)]
    leaves[0].register_hook(lambda grad: grad * pool[4])
    pool = list(leaves)
    for _ in range(10):
        a, b = rng.choice(pool), rng.choice(pool)
        pool.append(rng.choice([a * b, a.sin(), a + b, a * a, (a - b).tanh()]))
    loss = sum(each.sum() for each in pool[-4:]) + leaves[0].sum()
    if stepped:
        session = vizgrad.debug(loss, create_graph=True)
        while session.status == "paused":
            session.step(rng.choice([1, 1, 2]))
        session.close()
    else:
        loss.backward(create_graph=True)
        rng = random.Random(seed)
    rng = random.Random(seed)
    grads = [each.grad for each in leaves if each.grad is not None]
    for each in leaves:
        each.grad = None
    second = sum((grad * rng.choice(pool)).sum() for grad in grads)
    order = order_of([second])
    second.backward()
    return order, [each.grad for each in leaves]


@pytest.mark.parametrize("far", [graph_source.FAR, 0])
def test_the_next_backward_runs_as_it_would(far: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_source, "FAR", far)
    for seed in range(12):
        expected, grads = run(seed, stepped=False)
        order, stepped = run(seed, stepped=True)
        assert order == expected
        assert all(map(same, stepped, grads))


def test_the_second_backward_is_debugged_too() -> None:
    a = leaf(3)
    loss = (a**3).sum()
    vizgrad.debug(loss, create_graph=True).continue_()
    grad, a.grad = a.grad, None
    session = vizgrad.debug(grad.sum())
    assert all(
        edge.node is None or edge.node > node.id
        for node in session.graph.nodes
        for edge in node.edges
    )
    session.continue_()
    assert torch.allclose(a.grad, 6 * a.detach())


def test_second_opens_the_backward_of_the_gradients() -> None:
    a, b = leaf(3), leaf(3)
    loss = (a**3 * b).sum()
    with vizgrad.debug(loss, create_graph=True, display=False) as session:
        with pytest.raises(ValueError, match="no leaf has one with a history so far"):
            session.second()
        session.continue_()
        with session.second() as second:
            assert sorted(second.graph.title.split(", ")) == ["a.grad", "b.grad"]
            second.continue_()
    first = 3 * a.detach() ** 2
    assert torch.allclose(a.grad, first * b.detach() + 6 * a.detach() * b.detach() + first)
    assert torch.allclose(b.grad, a.detach() ** 3 + first)


def test_second_says_what_is_missing() -> None:
    with vizgrad.debug((leaf(3) ** 3).sum(), display=False) as session:
        session.continue_()
        with pytest.raises(ValueError, match="debug with create_graph=True"):
            session.second()
