"""`register_multi_grad_hook` keeps nothing of a backward that did not come to its end."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

import vizgrad as torch
from vizgrad.autograd.graph import register_multi_grad_hook


def _fails(grad: Any) -> None:
    raise ValueError("a hook of the user's")


@pytest.mark.rule("E-78")
def test_gradients_of_failed_backwards_are_let_go() -> None:
    x, y = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    calls: list[Any] = []
    kept: list[Any] = []
    register_multi_grad_hook([x, y], calls.append)
    # x comes last: its gradient never arrives
    late = x * 1
    handle = late.register_hook(_fails)
    y.register_hook(lambda grad: kept.append(weakref.ref(grad._array)))
    for _ in range(5):
        with pytest.raises(ValueError, match="a hook of the user's"):
            ((late * 2).tanh() * y).sum().backward()
        late = x * 1
        handle = late.register_hook(_fails)
    gc.collect()
    assert len(kept) == 5
    assert [r() for r in kept] == [None] * 5
    assert calls == []
    handle.remove()
    ((late * 2).tanh() * y).sum().backward()
    assert len(calls) == 1
    assert all(grad is not None for grad in calls[0])


def test_runs_on_their_way_are_not_confused() -> None:
    """A paused backward and another over the same tensors each give the hook their own gradients."""
    x, y = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    seen: list[Any] = []
    register_multi_grad_hook([x, y], lambda grads: seen.append([g.tolist() for g in grads]))
    session = torch.debug((x * 2 + y * 3).sum(), display=False)
    session.run_to("AccumulateGrad")
    session.step()
    (x * 20 + y * 30).sum().backward()
    session.continue_()
    session.close()
    assert seen == [[[20] * 3, [30] * 3], [[2] * 3, [3] * 3]]
