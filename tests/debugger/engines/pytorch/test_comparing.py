"""PyTorch and vizgrad side by side: the same program, matched node by node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad as vg  # noqa: E402
from tests.debugger.engines.pytorch.threads import held_threads  # noqa: E402

Built = tuple[Any, Callable[[Any, Any], Any]]


def numbers(t: Any, *shape: int, dtype: Any = None) -> Any:
    count = int(torch.tensor(shape).prod())
    return t.linspace(-1, 2, count, dtype=dtype).sin().reshape(shape)


def an_mlp(t: Any) -> Built:
    model = t.nn.Sequential(
        t.nn.Linear(4, 8), t.nn.LayerNorm(8), t.nn.GELU(), t.nn.Linear(8, 3)
    )  # fmt: skip
    return model, lambda m, dtype: t.nn.functional.cross_entropy(
        m(numbers(t, 5, 4, dtype=dtype)), t.tensor([0, 1, 2, 0, 1])
    )


def a_network_of_convolutions(t: Any) -> Built:
    """Whose biases get a gradient that is nothing but rounding."""
    parts = [t.nn.Conv2d(2, 4, 3), t.nn.BatchNorm2d(4), t.nn.ReLU(), t.nn.Conv2d(4, 6, 3)]
    model = t.nn.Sequential(
        *parts, t.nn.BatchNorm2d(6), t.nn.ReLU(), t.nn.Flatten(), t.nn.Linear(96, 3)
    )
    return model, lambda m, dtype: t.nn.functional.cross_entropy(
        m(numbers(t, 4, 2, 8, 8, dtype=dtype)), t.tensor([0, 1, 2, 0])
    )


def a_transformer(t: Any) -> Built:
    """The bias of whose keys gets a gradient that is nothing but rounding."""
    layers = [
        t.nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, activation="gelu", batch_first=True)
        for _ in range(4)
    ]
    model = t.nn.Sequential(*layers, t.nn.Linear(16, 5))
    return model, lambda m, dtype: t.nn.functional.mse_loss(
        m(numbers(t, 2, 6, 16, dtype=dtype)), numbers(t, 2, 6, 5, dtype=dtype)
    )


def a_recurrent_network(t: Any) -> Built:
    class Net(t.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cell, self.head = t.nn.GRUCell(3, 5), t.nn.Linear(5, 2)

        def forward(self, x: Any) -> Any:
            state = t.zeros(x.shape[1], 5, dtype=x.dtype)
            for step in x:
                state = self.cell(step, state)
            return self.head(state)

    return Net(), lambda m, dtype: (m(numbers(t, 12, 2, 3, dtype=dtype)) ** 2).mean()


BUILDS = [an_mlp, a_network_of_convolutions, a_transformer, a_recurrent_network]


def losses(build: Callable[[Any], Built], *, double: bool = False, scale: float = 1.0) -> list[Any]:
    """Of the same weights, on PyTorch and on vizgrad; vizgrad's in double precision, if asked for."""
    theirs, of = build(torch)
    ours, its = build(vg)
    weights = {k: vg.tensor(v.numpy()) for k, v in theirs.state_dict().items()}
    ours.load_state_dict(weights)
    ours = ours.double() if double else ours
    with vg.watch():
        return [of(theirs, torch.float32) * scale, its(ours, vg.float64 if double else vg.float32)]


@pytest.mark.parametrize("double", [False, True], ids=["float32", "float64"])
@pytest.mark.parametrize("build", BUILDS, ids=lambda build: build.__name__)
def test_the_same_model_differs_nowhere_on_both(
    build: Callable[[Any], Built], double: bool
) -> None:
    a, b = losses(build, double=double)
    found = vg.compare(a, b)
    assert found.first is None, found
    matched, alone = len(found.nodes), len(found.only_here) + len(found.only_there)
    assert matched > alone, found
    leaves = [n for n in found.trace.graph.nodes if n.kind == "leaf"]
    assert {n.node for n in found.nodes} >= {leaf.id for leaf in leaves}
    assert not held_threads()


def test_labels_of_matched_leaves_are_those_of_the_same_parameter() -> None:
    a, b = losses(a_transformer)
    found = vg.compare(a, b)
    there = found.other.graph.nodes
    pairs = [(found.trace.graph.nodes[n.node], there[n.other]) for n in found.nodes]
    leaves = [(x, y) for x, y in pairs if x.kind == "leaf"]
    assert len(leaves) > 40
    assert all([o.shape for o in x.outputs] == [o.shape for o in y.outputs] for x, y in leaves)


def test_a_difference_is_found_where_it_is_made() -> None:
    model, of = an_mlp(torch)
    model[2].register_full_backward_hook(lambda module, given, got: (given[0] * 1.5,))
    theirs = of(model, torch.float32)
    ours, its = an_mlp(vg)
    ours.load_state_dict({k: vg.tensor(v.numpy()) for k, v in model.state_dict().items()})
    found = vg.compare(its(ours, vg.float32), theirs)
    assert found.first is not None
    assert found.first.name == "NativeLayerNormBackward0"
    assert found.first.relative == pytest.approx(0.5, rel=1e-3)
    assert found.forward is None  # both have computed the same before
    assert [node.name for node in found.only_there] == ["BackwardHookFunctionBackward"] * 2


def test_two_of_pytorch_before_and_after_a_change() -> None:
    torch.manual_seed(0)
    w = torch.randn(3, 3, requires_grad=True)
    before = (w @ w).tanh().sum()
    after = (w @ w).tanh().mul(1.25).sum()
    found = vg.compare(before, after)
    assert [node.name for node in found.only_there] == ["MulBackward0"]
    assert found.first is not None
    assert found.first.name == "TanhBackward0"
    assert w.grad is None
    after.backward()
    assert w.grad is not None


def test_what_is_compared_can_be_saved_and_shown(tmp_path: Any) -> None:
    a, b = losses(an_mlp, scale=1.01)
    found = vg.compare(a, b)
    assert "[0.01" not in found.to_svg()
    found.save(tmp_path / "both.vgtrace")
    loaded = vg.load_trace(tmp_path / "both.vgtrace")
    assert loaded.whole.diff(found.other, tolerance=None).first == found.first


def test_the_same_gradients_are_asserted_across_engines_and_by_arrays() -> None:
    theirs, ours = losses(an_mlp)
    vg.testing.assert_same_gradients(theirs, ours)
    vg.testing.assert_same_gradients(ours, theirs, rtol=1e-3, atol=1e-6)
    model, of = an_mlp(torch)
    loss = of(model, torch.float32)
    loss.backward(retain_graph=True)
    grads = {name: p.grad.numpy().copy() for name, p in model.named_parameters()}
    vg.testing.assert_same_gradients(loss, grads)
    vg.testing.assert_same_gradients(loss, {p: p.grad for p in model.parameters()})
    with pytest.raises(AssertionError, match="no line is known; make this loss within"):
        vg.testing.assert_same_gradients(loss, loss * 2)


def test_a_port_to_another_framework_is_told_the_first_difference_of_both() -> None:
    theirs, ours = losses(a_recurrent_network, scale=1.5)
    _, others = losses(a_recurrent_network)
    assert theirs is not ours
    with pytest.raises(
        AssertionError, match=r"(?s)not close.*First difference.*  a: test_comp.*  b: "
    ):
        vg.testing.assert_same_gradients(theirs, others)
