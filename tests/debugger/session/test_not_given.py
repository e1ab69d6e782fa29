"""Operands that were not given: no engine shows a saved value for one, before it ran and after."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import vizgrad as vg


@pytest.fixture(params=["vizgrad", "torch"])
def library(request: pytest.FixtureRequest) -> Any:
    return vg if request.param == "vizgrad" else pytest.importorskip("torch")


def losses(library: Any) -> list[Any]:
    """An attention without a mask, and a layer norm without a weight."""
    functional = library.nn.functional
    x = library.ones(1, 2, 3, 4, requires_grad=True)
    attention = functional.scaled_dot_product_attention(x, x, x)
    return [attention.sum(), functional.layer_norm(x, (4,)).sum()]


def saved(session: Any) -> set[str]:
    return {value.name for _, value in session.saved}


def test_no_value_stands_for_an_operand_that_was_not_given(library: Any, tmp_path: Path) -> None:
    for loss in losses(library):
        assert "v0" in str(vg.graph(loss))
        assert "weight" not in str(vg.graph(loss))
        assert "attn_mask" not in str(vg.graph(loss))
        with vg.debug(loss, display=False) as session:
            given = saved(session)
            assert given
            assert not given & {"weight", "attn_mask"}
            assert all(block.bytes for block in session.versions)
            session.continue_()
            assert saved(session) == given
            told = str(session.trace)
            assert "weight" not in told
            assert "attn_mask" not in told
            session.trace.save(tmp_path / "run.vgtrace")
        graph = vg.load_trace(tmp_path / "run.vgtrace").graph
        assert not {s.name for node in graph.nodes for s in node.saved} & {"weight", "attn_mask"}


def test_stepping_back_gives_a_formula_its_missing_operands_back() -> None:
    for loss in losses(vg):
        with vg.debug(loss, display=False) as session:
            session.continue_()
            first = session.trace.records[-1].visit.accumulate.after.norm
            session.restart()
            with pytest.raises(ValueError, match=r"has saved no 'weight'; it has saved: \w+, "):
                session.set_saved(1, "weight", 3.0)
            session.continue_()
            assert session.trace.records[-1].visit.accumulate.after.norm == first
