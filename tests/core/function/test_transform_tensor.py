"""Tensors that stand for something else: who may look at what, and what is left when their level is over."""

from __future__ import annotations

from typing import Any

import pytest

import vizgrad as vg
from vizgrad.core.function.abstract_array import StandIn
from vizgrad.core.function.inplace import write
from vizgrad.core.function.transform_tensor import Level, Wrapped, wrap


def _value(operand: Any) -> Any:
    return operand.value if isinstance(operand, Wrapped) else operand


class Rows(Level):
    """Wrappers stand for all rows, and look like one."""

    name = "rows"

    def __init__(self) -> None:
        super().__init__()
        self.ran: list[str] = []

    def run(self, op: Any, operands: Any, attributes: Any) -> Any:
        self.ran.append(op.name)
        return wrap(self, op.record(*map(_value, operands), **attributes))

    def write(self, op: Any, operands: Any, name: str, attributes: Any) -> None:
        self.ran.append(name)
        write(op, *map(_value, operands), name=name, **attributes)

    def stand_in(self, wrapped: Wrapped) -> StandIn:
        like = wrapped.value._array
        return StandIn(wrapped, like.shape[1:], like.strides[1:], like.dtype)

    def unreadable(self, wrapped: Wrapped, wanted: str) -> Exception:
        return RuntimeError(f"no elements for {wanted}")


def test_the_level_runs_what_its_wrappers_meet():
    x = vg.arange(6.0).reshape(2, 3)
    with Rows() as level:
        y = 1 - wrap(level, x) * 2.0
        y += 1
        assert level.ran == ["mul", "rsub_number", "add_"]
        assert isinstance(y, Wrapped)
        assert y.value.tolist() == (2 - x * 2).tolist()


def test_what_is_seen_is_the_shape_and_never_an_element():
    with Rows() as level:
        y = wrap(level, vg.ones(2, 3, dtype=vg.float64))
        assert (y.shape, y.dtype, y.ndim, y.numel()) == ((3,), vg.float64, 1, 3)
        one = wrap(level, vg.ones(2))
        for look in (
            y.tolist, one.item, one.__bool__, one.__float__, lambda: y._array[0],
        ):  # fmt: skip
            with pytest.raises(RuntimeError, match="no elements"):
                look()


def test_the_innermost_level_is_asked_first_and_hands_on():
    x = vg.ones(2, 3, 4)
    with Rows() as outer, Rows() as inner:
        z = wrap(inner, wrap(outer, x)) + wrap(outer, vg.ones(2, 3, 4))
        assert isinstance(z, Wrapped)
        assert z.level is inner
        assert (outer.ran, inner.ran) == (["add"], ["add"])


def test_after_its_level_a_wrapper_is_what_it_stood_for():
    x = vg.ones(2, 3, requires_grad=True)
    with Rows() as level:
        y = wrap(level, x * 2)
    z = y + 1
    assert type(y) is vg.Tensor
    assert z.shape == (2, 3)
    assert z.requires_grad
