"""Continue stops where a NaN or an infinity is born, and says why a run has stopped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.debugger.drawing.static import text_of_session
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.session.session import Session


def leaf(*values: float, dtype: Any = np.float32) -> Tensor:
    return new_tensor(np.array(values, dtype=dtype)).requires_grad_()


def opened(loss: Any, **leaves: Tensor) -> Session:
    return open_session(loss, names={id(tensor): name for name, tensor in leaves.items()})


def masked_root() -> Session:
    """The root of 0 behind a mask: what is not taken still spoils the gradient."""
    x = leaf(0, 1, 4)
    mask = vg.tensor([False, True, True])
    return opened(vg.where(mask, x.sqrt(), vg.zeros(3)).sum(), x=x)


def test_a_nan_stops_where_it_is_born_and_it_is_said_why() -> None:
    session = masked_root()
    where = session.continue_()
    stopped = session.stopped
    assert stopped is not None
    assert str(stopped) == "Stopped: SqrtBackward0 made 1 NaN of 3, at [0], where result = 0"
    assert (stopped.kind, stopped.position, session.position) == ("nonfinite", 3, 3)
    birth = stopped.birth
    assert birth is not None
    assert (birth.nans, birth.infs, birth.size, birth.index) == (1, 0, 3, (0,))
    assert [(o.name, o.value) for o in birth.operands] == [("result", 0.0)]
    assert not birth.forward
    assert stopped.place is not None
    assert stopped.place.text.startswith("return opened(")
    assert stopped.text[1:] in where
    assert stopped.text in text_of_session(session)
    assert session.run.stopped == stopped
    # it stops once: what goes on from there is not born again
    session.continue_()
    assert session.status == "finished"
    assert session.stopped is None
    assert "done #4 NaN" in text_of_session(session)


def test_it_stops_there_again_when_it_is_gone_over_again() -> None:
    session = masked_root()
    session.stop_at_nonfinite = False
    session.continue_()
    assert session.status == "finished"
    session.restart()
    session.stop_at_nonfinite = True
    session.continue_()
    assert session.position == 3
    assert session.stopped is not None
    session.back()
    assert session.stopped is None
    session.step()
    assert session.stopped is None  # a step is no Continue: it has not stopped, it was at its end


def test_what_is_made_by_a_hook_is_said_to_be() -> None:
    def spoil(grad: Any) -> Any:
        return grad / 0

    x = leaf(1, 2)
    y = x * 2
    y.register_hook(spoil)
    session = opened(y.sum(), x=x)
    session.continue_()
    assert (
        str(session.stopped) == "Stopped: hook spoil of MulBackward0 made 2 inf of 2, first at [0]"
    )


def test_what_the_forward_made_is_told_apart() -> None:
    x = leaf(1, 1000)
    session = opened(x.exp().sum(), x=x)
    session.continue_()
    stopped = session.stopped
    assert stopped is not None
    assert stopped.text == (
        "Stopped: ExpBackward0 made 1 inf of 2, at [1], where result = inf since the forward"
    )
    assert stopped.birth is not None
    assert stopped.birth.forward


def test_which_of_several_inputs_it_is_for_and_which_values_met_there() -> None:
    x, y = leaf(1, 2, 3), leaf(2, 0, 2)
    session = opened((x / y).sum(), x=x, y=y)
    session.continue_()
    assert str(session.stopped) == (
        "Stopped: DivBackward0 made 1 inf of 3 for self, at [1], where other = 0"
    )


def test_a_sum_of_two_finite_gradients_may_not_be_finite() -> None:
    x = leaf(3e38)
    y = x.clone()
    session = opened((y * 3e38 + y * 3e38).sum() * 1.0, x=x)
    session.continue_()
    stopped = session.stopped
    assert stopped is not None
    assert stopped.text == "Stopped: MulBackward0 made an inf by adding up"


def test_dot_grad_may_grow_out_of_bounds() -> None:
    x, y = leaf(1), leaf(1)
    x.grad = new_tensor(np.array([3e38], dtype=np.float32))
    session = opened((y.exp() + x * 3e38).sum(), x=x, y=y)
    session.continue_()
    assert str(session.stopped) == "Stopped: AccumulateGrad x made an inf by adding up"


def test_a_large_sum_of_finite_numbers_is_no_infinity() -> None:
    x = leaf(*[3e38] * 10)
    session = opened((x * 3e38).sum(), x=x)
    session.continue_()
    assert session.status == "finished"


def test_a_gradient_that_was_given_is_born_nowhere() -> None:
    x = leaf(1, 2)
    session = open_session(x.exp() * 2, new_tensor(np.array([np.nan, 1], np.float32)), names={})
    session.continue_()
    assert session.status == "finished"


@pytest.mark.parametrize("dtype", ["float16", "float64", "complex64"])
def test_numbers_of_any_kind(dtype: str) -> None:
    x = leaf(0, 1, dtype=dtype)
    session = opened(x.sqrt().abs().sum() if dtype == "complex64" else x.sqrt().sum(), x=x)
    session.continue_()
    assert session.stopped is not None
    assert session.stopped.kind == "nonfinite"


@pytest.mark.filterwarnings("ignore:Using backward")
def test_with_create_graph_gradients_are_tensors() -> None:
    x = leaf(0, 1)
    session = open_session(x.sqrt().sum(), names={}, create_graph=True)
    session.continue_()
    assert str(session.stopped) == (
        "Stopped: SqrtBackward0 made 1 inf of 2, at [0], where result = 0"
    )


def test_a_breakpoint_and_a_condition_are_named() -> None:
    x = leaf(1, 2)
    session = opened(x.exp().tanh().sum(), x=x)
    session.break_at("Exp*")
    assert "stopped: breakpoint before ExpBackward0" in session.continue_()
    session.restart()
    session.clear_breakpoints()
    session.break_at(when=lambda visit: visit.index == 1)
    session.continue_()
    assert str(session.stopped) == "Stopped: when ..., true after TanhBackward0"


def test_a_node_that_raised_is_named_by_what_it_raised() -> None:
    def hook(grad: Any) -> None:
        raise ValueError("no {braces} here\nand a second line")

    x = leaf(1, 2)
    y = x.exp()
    y.register_hook(hook)
    session = opened(y.sum(), x=x)
    with pytest.raises(ValueError, match="braces"):
        session.continue_()
    assert str(session.stopped) == "Stopped: ExpBackward0 raised ValueError: no {braces} here"
    assert session.stopped is not None
    assert session.stopped.kind == "error"
    session.back()
    assert session.stopped is None


def test_a_closed_session_still_says_it() -> None:
    session = masked_root()
    session.continue_()
    session.close()
    assert session.stopped is not None


def test_a_nan_of_a_custom_function_and_of_a_retained_graph() -> None:
    class Bad(vg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * 1

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad / ctx.saved_tensors[0]

    x = leaf(2, 0)
    session = open_session(Bad.apply(x.exp() * x).sum(), names={}, retain_graph=True)
    session.continue_()
    assert str(session.stopped) == "Stopped: BadBackward made 1 inf of 2, at [1], where x = 0"
