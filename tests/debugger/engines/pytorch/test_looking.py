"""PyTorch's own graphs, looked at: nodes, pictures and views show what the engine did."""

from __future__ import annotations

import random
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad  # noqa: E402
from tests.debugger.engines.pytorch.programs import (  # noqa: E402
    a_custom_function,
    agrees,
    an_mlp,
    leaf,
)
from tests.debugger.jupyter.widget.views import Following  # noqa: E402
from vizgrad.debugger import model  # noqa: E402
from vizgrad.debugger.drawing.static import svg_of_session, text_of_session  # noqa: E402
from vizgrad.debugger.engines.pytorch import summary, versions  # noqa: E402
from vizgrad.debugger.jupyter.widget import protocol as p  # noqa: E402
from vizgrad.debugger.jupyter.widget.controller import after_cell  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True")


def test_nodes_describe_themselves() -> None:
    tensors, loss, _ = a_custom_function()
    a = tensors["a"]
    session = vizgrad.debug(loss)
    nodes = {n.name: n for n in session.graph.nodes}
    assert [n.name for n in session.graph.nodes] == [
        "SumBackward0", "MulBackward0", "ExpBackward0", "DoubleBackward", "AccumulateGrad",
    ]  # fmt: skip
    function = nodes["DoubleBackward"]
    assert function.kind == "function"
    assert "grad * 2 + 0 * a" in function.formulas[0].source
    told = model.OutputMeta((4,), "float32", "cpu")
    assert function.outputs == (told if versions.OUTPUTS_TOLD else versions.UNKNOWN,)
    assert nodes["ExpBackward0"].outputs == (told,)
    assert {s.name for s in nodes["MulBackward0"].saved} == {"self", "other"}
    assert nodes["AccumulateGrad"].label in ("a", "tensors['a']")
    mul = nodes["MulBackward0"]
    session.run_to(mul.id)
    session.step()
    node, visit, slots, grad = session.inspect(mul.id)
    assert {s.state for s in node.saved} == {"freed"}
    assert visit is not None
    assert visit.incoming[0] is not None
    assert visit.incoming[0].histogram
    assert (slots, grad) == ((None,), None)
    assert session.trace.records[-1].released == ("other", "self")
    assert visit.released_bytes == 32
    session.continue_()
    assert session.inspect(nodes["AccumulateGrad"].id)[3].values == tuple(a.grad.tolist())


def test_looking_runs_no_hook_of_saved_tensors() -> None:
    unpacked: list[Any] = []

    def unpack(value: Any) -> Any:
        unpacked.append(value)
        return value

    a = leaf(3)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
        loss = a.exp().sum()
    session = vizgrad.debug(loss)
    assert [s.state for _, s in session.saved if not s.value] == []
    node = session.graph.nodes[1]
    assert [(s.state, s.value) for s in node.saved] == [("packed", "Tensor")]
    _ = session.run, session.versions
    assert unpacked == []
    session.continue_()
    assert len(unpacked) == 1
    assert session.trace.records[1].released == ("result",)


def test_pictures_text_and_widget() -> None:
    from vizgrad.debugger.jupyter.widget.debugview import DebugView

    _, loss, _ = an_mlp()
    session = vizgrad.debug(loss)
    session.step(3)
    text, svg = text_of_session(session), svg_of_session(session)
    for name in ("TanhBackward0", "AccumulateGrad"):
        assert name in text
    assert "3 of" in text
    assert "TanhBackward0" in svg
    view = DebugView(session)
    bundle = view._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    assert data["text/plain"] == text
    view.close()


def test_values_are_read_only_when_they_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a device, to read one is to wait for all that was computed before."""
    read: list[tuple[int, ...]] = []

    def elements(tensor: Any, real: Any = summary.elements_of) -> Any:
        read.append(tuple(tensor.shape))
        return real(tensor)

    monkeypatch.setattr(summary, "elements_of", elements)
    w = leaf(3, 4)
    session = vizgrad.debug((torch.ones(5, 3) @ w).tanh().exp().sum())
    assert read == [()]  # what it begins with
    session.step(2)
    session.back()
    session.continue_()  # stops where a NaN is born, if one is
    assert session.status == "finished"
    assert read == [()]
    shape = session.trace.visits[1].incoming[0].shape
    assert shape == (5, 4)
    assert len(read) > 4


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_what_is_not_finite_is_found_where_it_is_made(bad: float) -> None:
    a = leaf(3)
    session = vizgrad.debug(((a * 2) * torch.tensor([1.0, bad, 1.0])).sum())
    session.continue_()
    assert session.stopped is not None
    assert session.stopped.birth.node == 1
    assert session.trace.visits[-1].routed[0].computed.nans == (bad != bad)
    table = leaf(4, 2)
    rows = torch.nn.functional.embedding(torch.tensor([1, 3, 1]), table, sparse=True)
    session = vizgrad.debug((rows * torch.tensor([[bad], [1.0], [2.0]])).sum())
    session.continue_()
    assert "MulBackward0 made" in session.stopped.text


@pytest.mark.parametrize("seed", range(8))
def test_a_view_folds_what_the_engine_did(seed: int) -> None:
    rng = random.Random(seed)
    torch.manual_seed(seed)
    pool = leaves = [leaf(2, 3), leaf(3), leaf(1)]
    for _ in range(rng.randrange(2, 12)):
        a, b = rng.choice(pool), rng.choice(pool)
        pool = [*pool, rng.choice([a + b, a * b, a.tanh(), a.exp().clamp(max=3), a - b.sum()])]
    session = vizgrad.debug((pool[-1] * 2).sum())
    views = [Following(session)]
    while session.status == "paused":
        match rng.randrange(4):
            case 0 | 1:
                session.step(rng.randrange(3))
            case 2:
                views[0].ask(p.RunTo, session.id, rng.randrange(session.total))
            case _:
                leaves[0].detach().mul_(1.0)  # stale, if it was saved
                after_cell()
                views.append(Following(session))
        for view in views:
            agrees(view)


def test_negative_numbers_that_nodes_saved_are_negative() -> None:
    a = torch.ones(2, 3, requires_grad=True)
    text = vizgrad.graph(a.sum((-1, -2)).softmax(-1)[None][-1]).to_text()
    assert "dim=(-1, -2)" in text
    assert "index=-1" in text
    assert "dim=-1" in text
    assert "18446744073709551" not in text
    loss = torch.nn.functional.cross_entropy(a, torch.tensor([0, 1]))
    assert "ignore_index=-100" in vizgrad.graph(loss).to_text()
