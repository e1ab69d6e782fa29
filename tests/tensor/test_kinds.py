"""What arguments must be is asked once of each combination of classes; a person's classes are not kept."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

import vizgrad as vg
from vizgrad.tensor.kinds import Kinds
from vizgrad.tensor.tensor import Tensor


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
