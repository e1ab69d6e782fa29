"""`set_paranoid`: writes that went past the version counter are found when backward reads (V-25)."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import vizgrad as vg
from vizgrad.autograd import Function
from vizgrad.autograd.graph import save_on_cpu, set_paranoid
from vizgrad.core.tensor.modes import MODES
from vizgrad.debugger.engines.vizgrad.opener import open_session

pytestmark = pytest.mark.rule("V-25")


@pytest.fixture(autouse=True)
def paranoid() -> Iterator[None]:
    before = MODES.on_record
    assert set_paranoid(True) is False
    yield
    assert set_paranoid(False) is True
    assert MODES.on_record == before


def leaf() -> vg.Tensor:
    return vg.ones(3, requires_grad=True)


class Square(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        y = x * x
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        x, _ = ctx.saved_tensors
        return 2 * x * grad


def through_numpy(t: vg.Tensor) -> None:
    t.detach().numpy()[0] = 7


def through_data(t: vg.Tensor) -> None:
    t.data.add_(1)


def with_other_data(t: vg.Tensor) -> None:
    t.data = vg.zeros(3)


@pytest.mark.parametrize("write", [through_numpy, through_data, with_other_data])
@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("square", [lambda x: x * x, Square.apply], ids=["built-in", "custom"])
def test_a_hidden_write_is_told(write: Any, create_graph: bool, square: Any) -> None:
    x = leaf()
    y = x * 2
    z = square(y)
    write(y)
    with pytest.warns(UserWarning, match="changed past its version counter") as told:
        vg.autograd.grad(z.sum(), x, create_graph=create_graph)
    explanation: Any = told[0].message
    assert explanation.explanation.kind == "hidden-write"
    assert z.grad_fn.name() in str(told[0].message)
    assert "test_paranoid.py" in str(told[0].message)


def test_a_result_that_is_saved_is_looked_at_too() -> None:
    y = leaf().exp()
    through_numpy(y)
    with pytest.warns(UserWarning, match="`result`, saved by ExpBackward0"):
        y.sum().backward()


def test_reading_the_node_tells_too() -> None:
    y = leaf() * 1
    z = y * y
    through_numpy(y)
    with pytest.warns(UserWarning, match="past its version counter"):
        _ = z.grad_fn._saved_self


@pytest.mark.parametrize("create_graph", [False, True])
def test_without_a_hidden_write_all_is_as_without_the_setting(create_graph: bool) -> None:
    def gradients() -> list[Any]:
        x = vg.tensor([1.0, 2.0, 3.0], requires_grad=True)
        y = x * 2
        part = y[:2]
        part.mul_(x[1:])
        z = (Square.apply(y).exp() * y).sum()
        (first,) = vg.autograd.grad(z, x, create_graph=create_graph, retain_graph=True)
        assert z.grad_fn is not None
        return [first.tolist(), first.requires_grad, y._version]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        watched = gradients()
        set_paranoid(False)
        assert gradients() == watched
        set_paranoid(True)


def test_counted_writes_are_errors_as_ever() -> None:
    y = leaf() * 1
    z = y * y
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_what_is_packed_is_left_to_its_hooks() -> None:
    x = leaf()
    with save_on_cpu():
        y = x * 2
        z = y * y
    through_numpy(y)
    z.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [8.0, 8.0, 8.0]  # the copy was made before


def test_freed_values_are_freed() -> None:
    z = leaf().exp().sum()
    z.backward()
    with pytest.raises(RuntimeError, match="a second time"):
        z.backward()


def test_hooks_can_be_put_on_a_checked_value() -> None:
    y = leaf().exp()
    y.grad_fn._raw_saved_result.register_hooks(lambda t: t * 2, lambda t: t)
    y.sum().backward()


def test_a_session_shows_checked_values_and_tells() -> None:
    x = leaf()
    y = x * 2
    z = (y * y).sum()
    with open_session(z, names={}) as session:
        states = {s.state for node in session.graph.nodes for s in node.saved}
        assert states == {"alive"}
        through_numpy(y)
        with pytest.warns(UserWarning, match="past its version counter"):
            session.continue_()


def test_reset_modes_ends_it() -> None:
    vg.reset_modes()
    assert set_paranoid(True) is False
