"""Arguments of another kind than their parameter are refused before anything is looked at."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

import vizgrad as vg
from vizgrad.core.tensor.requirements import Kinds
from vizgrad.core.tensor.tensor import Tensor


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
def test_another_kind_as_pytorchs_is_a_type_error(call: Any) -> None:
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


def _function(input: Tensor, dim: int, *, word: str | None = None) -> None: ...


def test_what_was_right_once_says_nothing_of_other_classes() -> None:
    kinds, x = Kinds(_function), vg.ones(2)
    for _ in range(2):
        kinds.check((x, 1), {})
        kinds.check((x,), {"dim": 1, "word": "a"})
        kinds.check((x, 1), {"word": None})
        for args, options in (
            ((x, 1.0), {}), ((1, 1), {}), ((x,), {"dim": True}), ((x, 1), {"word": 2}), ((None, 1), {}),
        ):  # fmt: skip
            with pytest.raises(TypeError, match="must be"):
                kinds.check(args, options)
    assert len(kinds.passed) == 3


def test_a_position_is_not_taken_for_a_name() -> None:
    kinds, x = Kinds(_function), vg.ones(2)
    kinds.check((x,), {"dim": 1})
    with pytest.raises(TypeError, match=r"'word' .* must be str, not int"):
        kinds.check((x,), {"word": 1})


def test_no_class_of_a_persons_is_kept() -> None:
    kinds = Kinds(_function)

    class Mine:
        pass

    kept: Any = weakref.ref(Mine)
    kinds.check((Mine(), 1), {})
    del Mine
    gc.collect()
    assert kept() is None
    assert not kinds.passed
