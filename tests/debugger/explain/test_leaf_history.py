"""Where the tensor of a leaf comes from."""

from __future__ import annotations

from typing import Any

import vizgrad as vg
from vizgrad.debugger.explain.leaf_history import LeafHistory, history_of_leaf
from vizgrad.debugger.session.session import Session


def told(session: Session) -> dict[str, LeafHistory | None]:
    with session.at_rest() as (_, look):
        outline = look.outline
        leaves = range(outline.inner, outline.size)
        names = {name.node: name.label for name in look.names(leaves)}
        return {names[leaf]: history_of_leaf(look, leaf) for leaf in leaves}


def test_a_watch_knows_what_made_a_leaf_and_the_last_write_is_known(engine: Any) -> None:
    with vg.watch():
        x = engine.tensor([0.5, 1.0], requires_grad=True)
        w = engine.tensor([2.0, 3.0], requires_grad=True)
        with engine.no_grad():
            w.mul_(2)
        loss = (x * w).sum()
    found = told(vg.debug(loss, display=False))
    x_told, w_told = found["x"], found["w"]
    assert x_told is not None
    assert w_told is not None
    made, written = x_told.made, w_told.written
    assert made is not None
    assert made.place is not None
    assert (made.text, made.place.text.strip()) == (
        "tensor",
        "x = engine.tensor([0.5, 1.0], requires_grad=True)",
    )
    assert x_told.written is None
    assert written is not None
    assert written.place is not None
    assert (written.text, written.place.text.strip()) == ("mul_", "w.mul_(2)")


def test_without_a_watch_nothing_is_said_to_have_made_it(engine: Any) -> None:
    x = engine.tensor([0.5, 1.0], requires_grad=True)
    session = vg.debug((x * x).sum(), display=False)
    assert told(session) == {"x": LeafHistory()}
    session.close()


def test_a_parameter_is_told_from_a_tensor_that_a_watch_may_note(engine: Any) -> None:
    x = engine.tensor([[0.5, 1.0]], requires_grad=True)
    layer = engine.nn.Linear(2, 1)
    session = vg.debug(layer(x).sum(), display=False)
    parameters = {
        name: each is not None and each.is_parameter for name, each in told(session).items()
    }
    session.close()
    assert parameters == {"x": False, "layer.weight": True, "layer.bias": True}
