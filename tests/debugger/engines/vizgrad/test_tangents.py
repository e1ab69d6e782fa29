"""Tangents of saved values, in pictures."""

from __future__ import annotations

import vizgrad as vg
from vizgrad.autograd import forward_ad as fw


def tangents(tensor: vg.Tensor) -> dict[str, list[tuple[float, ...] | None]]:
    nodes = vg.graph(tensor).data.nodes
    return {n.name: [t.values for s in n.saved for t in s.tangents] for n in nodes if n.saved}


def test_a_saved_value_is_told_with_its_tangent() -> None:
    w = vg.tensor([0.5, 2.0], requires_grad=True)
    with fw.dual_level():
        x = fw.make_dual(vg.tensor([1.0, -1.0]), vg.tensor([1.0, 3.0]))
        y = (x * w).sin().sum()
        assert tangents(y) == {
            "SumBackward0": [],
            "SinBackward0": [(0.5, 6.0)],
            "MulBackward0": [(1.0, 3.0)],
        }
        assert "saved: self v0 ↑" in vg.graph(y).to_text()
        assert "self v0 ↑" in vg.graph(y).to_svg()
        assert "its tangent ↑ [2] f32" in vg.graph(y).to_svg()
    assert "↑" not in vg.graph(y).to_text()  # the level is over


def test_a_view_has_the_part_of_its_roots() -> None:
    w = vg.ones(2, requires_grad=True)
    with fw.dual_level():
        x = fw.make_dual(vg.ones(4), vg.tensor([1.0, 2.0, 3.0, 4.0]))
        assert tangents((x[2:] * w).sum())["MulBackward0"] == [(3.0, 4.0)]


def test_in_a_level_nothing_of_second_order_grows() -> None:
    w = vg.ones(2, requires_grad=True)
    with fw.dual_level():
        x = fw.make_dual(vg.ones(2), vg.ones(2))
        with vg.debug((x * w).sum(), display=False) as session:
            session.continue_()
            assert session.lane is None


def test_asking_changes_nothing() -> None:
    w = vg.ones(2, requires_grad=True)
    with fw.dual_level():
        x = fw.make_dual(vg.ones(2), vg.ones(2))
        y = (x * w).exp()
        vg.graph(y)
        assert fw.unpack_dual(y).tangent.tolist() == (vg.ones(2).exp()).tolist()
