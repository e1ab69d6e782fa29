"""PyTorch's own graphs, looked at: nodes, pictures and views show what the engine did."""

from __future__ import annotations

import random
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad  # noqa: E402
from tests.pytorch.programs import (  # noqa: E402
    a_custom_function,
    agrees,
    an_mlp,
    leaf,
)
from tests.widgets.views import Following  # noqa: E402
from vizgrad.inspection import model  # noqa: E402
from vizgrad.rendering.static import svg_of_session, text_of_session  # noqa: E402
from vizgrad.widgets import protocol as p  # noqa: E402
from vizgrad.widgets.controller import after_cell  # noqa: E402

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
    assert function.outputs == (model.OutputMeta((4,), "float32", "cpu"),)
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
    from vizgrad.widgets.debugview import DebugView

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
