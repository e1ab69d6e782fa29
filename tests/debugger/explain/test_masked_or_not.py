"""0 * inf: was it a mask that made the gradient 0, or the mathematics of the line itself?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import vizgrad as vg

ROWS = [[0.0, 0.0], [1.0, 2.0]]


def _scaled(engine: Any, w: Any) -> Any:
    """Of a row of zeros the gradient of the norm is 0, as the row is."""
    return w / (w.pow(2).sum(1, keepdim=True).sqrt() + 1)


def _where_on_both_ways(engine: Any, w: Any) -> Any:
    g = _scaled(engine, w) @ engine.tensor([[1.0, -1.0], [0.5, -1.0]]) + 0.5
    return engine.where(g > 0, g.log(), g)


def _where_later(engine: Any, w: Any) -> Any:
    h = _scaled(engine, w)
    return engine.where(h >= 0, h, engine.tensor(0.0))


def _where_behind_a_layer(engine: Any, w: Any) -> Any:
    g = _scaled(engine, w) @ engine.tensor([[1.0, -1.0], [0.5, -1.0]]) + 0.5
    return engine.where(g > 0, g, engine.tensor(0.0))


def _times_a_number(engine: Any, w: Any) -> Any:
    return 0.5 * (w / (2 * w.pow(2).sum(1, keepdim=True).sqrt() + 1))


def _beside_the_mask(engine: Any, w: Any) -> Any:
    root = w.sqrt()
    return engine.where(w > 0, root, engine.tensor(0.0)) + root.pow(2)


NOT_MASKED = (
    _scaled,
    _where_on_both_ways,
    _where_later,
    _where_behind_a_layer,
    _times_a_number,
    _beside_the_mask,
)


def _root(engine: Any, w: Any) -> Any:
    return engine.where(w > 0, w.sqrt(), w)


def _root_deep_inside(engine: Any, w: Any) -> Any:
    return 2 * engine.where(w > 0, 1 / (1 + 3 * w.sqrt()), w)


def _root_times_a_mask(engine: Any, w: Any) -> Any:
    return w.sqrt() * engine.tensor([[0.0, 0.0], [1.0, 1.0]])


def _rows_behind_a_layer(engine: Any, w: Any) -> Any:
    made = w.sqrt() @ engine.tensor([[1.0], [2.0]])
    return engine.where(engine.tensor([[False], [True]]), made, engine.tensor(0.0))


def _a_part(engine: Any, w: Any) -> Any:
    return w.sqrt()[1:]


MASKED = (_root, _root_deep_inside, _root_times_a_mask, _rows_behind_a_layer, _a_part)


def _why(engine: Any, program: Callable[[Any, Any], Any], *, stepped: bool) -> Any:
    w = engine.tensor(ROWS, requires_grad=True)
    with vg.watch():
        loss = program(engine, w).sum()
        if not stepped:
            loss.backward()
    if stepped:
        with vg.debug(loss, display=False) as session:
            while session.status == "paused":
                session.continue_()
            return vg.why(w)
    return vg.why(w)


@pytest.mark.parametrize("stepped", [False, True])
@pytest.mark.parametrize("program", NOT_MASKED, ids=lambda each: each.__name__)
def test_a_mask_elsewhere_masks_nothing(engine: Any, program: Any, *, stepped: bool) -> None:
    found = _why(engine, program, stepped=stepped)
    assert found.kind == "nonfinite-backward"
    assert "masked" not in found.story
    assert "eps" in found.fix


@pytest.mark.parametrize("stepped", [False, True])
@pytest.mark.parametrize("program", MASKED, ids=lambda each: each.__name__)
def test_a_masked_branch_is_still_one(engine: Any, program: Any, *, stepped: bool) -> None:
    found = _why(engine, program, stepped=stepped)
    assert found.kind == "nonfinite-masked"
    assert "mask" in found.fix
