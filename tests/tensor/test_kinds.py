"""Arguments of another kind than their parameter are refused before anything is looked at."""

from __future__ import annotations

from typing import Any

import pytest

import vizgrad as vg


@pytest.mark.rule("X-33")
@pytest.mark.parametrize(
    "call",
    [
        lambda m, a: m.topk(a, 1.0),
        lambda m, a: m.topk(a, k=True),
        lambda m, a: m.gather([1.0], 0, a),
        lambda m, a: m.addcdiv(a, a, 2.0),
        lambda m, a: m.fft.rfft(a, 2.0),
        lambda m, a: m.fft.rfft(a, norm=3),
        lambda m, a: a.sum(True),
        lambda m, a: a.cumsum(True),
        lambda m, a: a.view(True, 4),
        lambda m, a: m.as_strided_scatter(a, a, (4,), (1,), 1.5),
    ],
)
def test_another_kind_is_a_type_error(call: Any) -> None:
    torch = pytest.importorskip("torch")
    for module in (torch, vg):
        with pytest.raises(TypeError, match=r"int|Tensor|str"):
            call(module, module.arange(4.0))


def test_the_message_says_which_argument() -> None:
    with pytest.raises(
        TypeError, match=r"topk\(\): argument 'k' \(position 2\) must be int, not float"
    ):
        vg.topk(vg.ones(3), 1.0)


def test_none_is_taken_where_it_is_the_default() -> None:
    assert vg.fft.rfft(vg.ones(4), None).shape == (3,)
