"""`why` while a session is open: nobody has listened, but its graph and its steps know."""

from __future__ import annotations

from typing import Any

import pytest

import vizgrad as vg
from vizgrad.debugger.explain import stepped
from vizgrad.debugger.session.session import Session


def culprit(found: vg.Explanation) -> str:
    return "" if found.culprit is None else found.culprit.text


def agrees(session: Session, found: vg.Explanation) -> None:
    """Both name one line."""
    stopped = session.stopped
    assert stopped is not None
    assert stopped.place is not None
    assert stopped.place == found.culprit


def opened(loss: Any) -> Session:
    return vg.debug(loss, display=False)


def test_an_infinite_derivative_is_found_as_the_session_says_it() -> None:
    w = vg.tensor([0.0, 1.0], requires_grad=True)
    square = w * w
    distance = square.sqrt()
    session = opened(distance.sum())
    session.continue_()
    stopped = session.stopped
    session.continue_()
    found = vg.why(w)
    assert (found.kind, culprit(found)) == ("nonfinite-backward", "distance = square.sqrt()")
    assert stopped is not None
    assert stopped.place == found.culprit
    assert [link.text for link in found.chain] == ["w.grad", "MulBackward0", "SqrtBackward0"]
    assert found.mended == "distance = square.clamp(min=1e-12).sqrt()"


def test_a_nan_of_the_forward_pass_is_found_though_the_run_has_let_go_of_what_was_saved() -> None:
    w = vg.tensor([-1.0, 1.0], requires_grad=True)
    a = w.log()
    b = a * 2
    loss = (b * b).sum()
    session = opened(loss)
    session.continue_()
    agrees(session, vg.why(loss))
    session.continue_()
    for tensor in (w, loss, b):
        found = vg.why(tensor)
        assert (found.kind, culprit(found)) == ("nonfinite-forward", "a = w.log()")
        assert "`w` is -1 at [0]" in found.story
        assert found.chain[-1].text == "LogBackward0"
    # along the gradients to where it met them, then along the values to where it was made
    numbers = [link.text for link in vg.why(w).chain]
    assert numbers[0] == "w.grad"
    assert numbers.count("LogBackward0") == 2


def test_bfloat16_is_floating() -> None:
    w = vg.tensor([-1.0, 1.0], dtype=vg.bfloat16, requires_grad=True)
    a = w.log()
    session = opened((a * a).sum())
    session.continue_()
    agrees(session, vg.why(a))
    while session.status == "paused":
        session.continue_()
    assert (vg.why(w).kind, culprit(vg.why(w))) == ("nonfinite-forward", "a = w.log()")


def test_a_hook_is_named() -> None:
    w = vg.tensor([1.0, 2.0], requires_grad=True)
    h = w * 2

    def spoil(grad: vg.Tensor) -> vg.Tensor:
        return grad / 0.0

    h.register_hook(spoil)
    session = opened(h.sum())
    session.continue_()
    session.continue_()
    found = vg.why(w)
    assert found.kind == "hook-effect"
    assert "spoil" in found.tensor
    assert found.culprit is None


def test_dead_units_and_vanishing_gradients_are_told_of_steps() -> None:
    dead = vg.tensor([-1.0, -2.0], requires_grad=True)
    alive = vg.tensor([1.0], requires_grad=True)
    session = opened(dead.relu().sum() + alive.sum())
    session.continue_()
    found = vg.why(dead)
    assert (found.kind, "2 of 2 activations are zero" in found.story) == ("zero-derivative", True)
    assert not vg.why(alive)
    x = vg.tensor([1.0], requires_grad=True)
    y = x
    for _ in range(20):
        y = y * 0.1
    other = opened(y)
    other.continue_()
    found = vg.why(x)
    assert (found.kind, culprit(found)) == ("ill-scaled", "y = y * 0.1")
    assert len(found.chain) == 21


def test_a_gradient_that_has_not_come_yet_is_no_bug() -> None:
    w = vg.tensor([1.0], requires_grad=True)
    loss = w.exp().sum()
    session = opened(loss)
    found = vg.why(w)
    assert not found
    assert "paused before SumBackward0, 0 of 3 nodes are done" in found.story
    session.continue_()
    assert "paused" not in vg.why(w).story
    session.restart()
    assert "paused" in vg.why(w).story


def test_a_backward_that_failed_says_why_there_is_no_gradient() -> None:
    w = vg.tensor([1.0], requires_grad=True)
    h = w.exp()
    loss = h.sin().sum()
    h.detach().mul_(2.0)
    session = opened(loss)
    with pytest.raises(RuntimeError, match="modified by an inplace"):
        session.continue_()
    assert (vg.why(w).kind, culprit(vg.why(w))) == ("saved-overwritten", "h.detach().mul_(2.0)")


def test_a_gradient_that_another_backward_left_is_not_explained_by_the_session() -> None:
    w = vg.tensor([-1.0], requires_grad=True)
    loss = w.relu().sum()
    session = opened(loss)
    session.continue_()
    assert vg.why(w).kind == "zero-derivative"
    w.grad = vg.tensor([3.0])
    assert not vg.why(w)


def test_asking_changes_nothing() -> None:
    w = vg.tensor([0.0, 1.0], requires_grad=True)
    session = opened((w * w).sqrt().sum())
    session.continue_()
    session.continue_()
    before = session.revision, session.position, w._version, str(w.grad)
    vg.why(w)
    assert before == (session.revision, session.position, w._version, str(w.grad))
    session.restart()
    assert w.grad is None


def test_tensors_of_pytorch_are_not_taken_for_ours() -> None:
    torch = pytest.importorskip("torch")
    w = vg.tensor([1.0], requires_grad=True)
    session = opened(w.exp().sum())
    x = torch.tensor([-1.0], requires_grad=True)
    assert not vg.why(x)
    assert vg.why(x.log()).kind == "nonfinite-forward"
    x.exp().sum().backward()
    assert not vg.why(x)
    session.close()


def test_a_backward_that_was_started_with_nan_says_so() -> None:
    w = vg.tensor([1.0, 2.0], requires_grad=True)
    session = vg.debug(w.exp(), vg.tensor([float("nan"), 1.0]), display=False)
    session.continue_()
    session.continue_()
    found = vg.why(w)
    assert (found.kind, found.culprit) == ("nonfinite-backward", None)
    assert "the gradient that the backward was started with" in found.story


def test_what_is_no_longer_kept_is_not_called_healthy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stepped, "MOST", 2)
    w = vg.tensor([0.0, 2.0], requires_grad=True)
    session = opened(((w * 2) * 2).sqrt().sum())
    session.continue_()
    session.continue_()
    found = vg.why(w)
    assert (found.kind, found.culprit) == ("nonfinite-backward", None)


def test_a_branch_that_is_masked_out_is_told_apart() -> None:
    p = vg.tensor([0.5, 0.0], requires_grad=True)
    entropy = p * vg.log(p)
    loss = vg.where(p > 0, entropy, vg.zeros(2)).sum()
    session = opened(loss)
    session.continue_()
    stopped = session.stopped
    while session.status == "paused":  # the logarithm makes another
        session.continue_()
    found = vg.why(p)
    assert (found.kind, culprit(found)) == ("nonfinite-masked", "entropy = p * vg.log(p)")
    assert stopped is not None
    assert stopped.place == found.culprit
    assert "mask the input too" in found.fix
    assert found.mended == ""


def test_what_a_backward_starts_from_needs_no_gradient() -> None:
    w = vg.tensor([1.0], requires_grad=True)
    h = w.exp()
    loss = h.sum()
    session = opened(loss)
    session.continue_()
    assert not vg.why(loss)
    assert vg.why(h).kind == "not-a-leaf"
