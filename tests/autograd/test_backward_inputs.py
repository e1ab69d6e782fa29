"""A backward that is refused has changed nothing."""

from __future__ import annotations

from typing import Any

import pytest

import vizgrad as torch
from vizgrad.autograd.graph import get_gradient_edge


def _refusals() -> list[Any]:
    one = torch.ones(2)
    return [
        pytest.param(lambda h: (h * 3).backward(inputs=[h]), id="no gradient given"),
        pytest.param(lambda h: (h * 3).backward(torch.ones(3), inputs=[h]), id="wrong shape"),
        pytest.param(lambda h: (h * 3).backward(3.0, inputs=[h]), id="no tensor"),
        pytest.param(lambda h: (h * 3).sum().backward(inputs=[h, one]), id="a constant behind it"),
        pytest.param(lambda h: (h * 3).sum().backward(inputs=[one, h]), id="a constant before it"),
        pytest.param(lambda h: (h * 3).sum().backward(inputs=[h, 5]), id="no tensor behind it"),
        pytest.param(lambda h: one.backward(inputs=[h]), id="a root without history"),
        pytest.param(
            lambda h: torch.autograd.backward([h.sum(), one], inputs=[h]), id="one of two roots"
        ),
        pytest.param(
            lambda h: torch.autograd.backward([h.sum()], [None, None], inputs=[h]), id="counts"
        ),
        pytest.param(lambda h: torch.debug(h * 3, inputs=[h], display=False), id="a session"),
    ]


@pytest.mark.rule("E-27")
@pytest.mark.parametrize("call", _refusals())
def test_a_refused_backward_makes_no_input_retain(call: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    h = x * 2
    with pytest.raises((RuntimeError, TypeError, AttributeError)):
        call(h)
    assert not h.retains_grad
    (h * 3).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [6, 6]


@pytest.mark.rule("E-27")
def test_an_accepted_one_does() -> None:
    x = torch.ones(2, requires_grad=True)
    h, g = x * 2, x * 3
    (h * g).sum().backward(inputs=[h, get_gradient_edge(g)])
    assert (h.retains_grad, g.retains_grad) == (True, False)
    assert h.grad is not None
    assert h.grad.tolist() == [3, 3]
