"""Inference mode."""

from __future__ import annotations

import pytest

import vizgrad as vg
from vizgrad.autograd import Function
from vizgrad.core.tensor.modes import GUARD, inference_blocks


@pytest.fixture(autouse=True)
def _modes_come_back():
    inference, no_grad = GUARD.inference, len(GUARD.no_grad)
    yield
    assert vg.is_grad_enabled()
    assert not vg.is_inference_mode_enabled()
    # of all threads: those of tests before may have ended
    assert GUARD.inference <= inference
    assert len(GUARD.no_grad) <= no_grad


def made_inside():
    with vg.inference_mode():
        return vg.ones(3)


@pytest.mark.rule("M-20")
def test_inside():
    with vg.inference_mode():
        assert vg.is_inference_mode_enabled()
        assert not vg.is_grad_enabled()
        i = vg.ones(3)
        view = i[:1]
        assert not view._is_view()
        assert view.storage_offset() == 0
        assert i[1:].storage_offset() == 1
        with pytest.raises(RuntimeError, match="do not track version counter"):
            i._version  # noqa: B018
        i.add_(1)
    assert i.tolist() == [2, 2, 2]


@pytest.mark.rule("M-20", "M-3")
def test_as_a_decorator():
    @vg.inference_mode
    def bare():
        return vg.is_inference_mode_enabled()

    @vg.inference_mode()
    def called():
        return vg.is_inference_mode_enabled()

    @vg.inference_mode(mode=False)
    def off():
        return vg.is_inference_mode_enabled()

    assert bare() is called() is True
    assert off() is False
    with vg.inference_mode():
        assert off() is False


@pytest.mark.rule("M-21")
def test_what_is_an_inference_tensor():
    x = vg.ones(3, requires_grad=True)
    result = x * 1
    with vg.inference_mode():
        i = vg.tensor([1.0, 2.0])
        for made in (i, i * 2, i[:1], i.detach(), i > 1, x * 2, x.clone(), x.double(), i.sum()):
            assert made.is_inference()
            assert not made.requires_grad
        for alias in (x[:1], x.detach(), result.view(3), result):
            assert not alias.is_inference()
        assert result[:1].requires_grad
    assert not vg.ones(1).is_inference()


@pytest.mark.rule("M-22")
def test_switching_inside():
    with vg.inference_mode():
        with vg.inference_mode(False):
            assert vg.is_grad_enabled()
            assert not vg.is_inference_mode_enabled()
            x = vg.ones(1, requires_grad=True)
            assert (x * 2).requires_grad
            assert not x.is_inference()
        with vg.enable_grad():
            assert vg.is_grad_enabled()
            y = x * 2
            assert not y.requires_grad
            assert y.is_inference()
        assert not vg.is_grad_enabled()
        vg.set_grad_enabled(True)
        assert vg.is_grad_enabled()
    with vg.no_grad(), vg.inference_mode(False):
        assert vg.is_grad_enabled()


@pytest.mark.rule("M-23", "M-8")
def test_a_leaf_made_inside():
    with vg.inference_mode():
        x = vg.ones(2, requires_grad=True)
        assert x.requires_grad
        assert x.is_inference()
        assert not (x * 2).requires_grad
    (x + 1).sum().backward()
    assert x.grad.tolist() == [1, 1]


@pytest.mark.rule("M-24", "M-26")
def test_what_is_allowed_outside():
    i = made_inside()
    x = vg.ones(3, requires_grad=True)
    assert (i + x).requires_grad
    assert i[:1].is_inference()
    assert i.detach().is_inference()
    for normal in (i.clone(), i + 1, i * i):
        assert not normal.is_inference()
        assert normal._version == 0
    vg.zeros(3).add_(i)
    assert i.tolist() == [1, 1, 1]


@pytest.mark.rule("M-25", "V-24")
def test_what_is_refused_outside():
    i = made_inside()
    x = vg.ones(3, requires_grad=True)

    class Saving(Function):
        @staticmethod
        def forward(ctx, x, i):
            ctx.save_for_backward(i)
            return x * 1

    with pytest.raises(RuntimeError, match="cannot be saved for backward") as caught:
        _ = i * x  # saved here
    assert caught.value.explanation.culprit.text == "_ = i * x  # saved here"
    for saving in (lambda: (x * 1).mul_(i), lambda: Saving.apply(x, i)):
        with pytest.raises(RuntimeError, match="cannot be saved for backward"):
            saving()
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor") as caught:
        i.add_(1)
    assert caught.value.explanation.tensor == "i"
    with vg.no_grad(), pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        i.add_(1)
    with pytest.raises(RuntimeError, match="Setting requires_grad=True on inference tensor"):
        i.requires_grad_()
    assert i.requires_grad_(False) is i
    with pytest.raises(RuntimeError, match="do not track version counter"):
        i._version  # noqa: B018
    vg.autograd.graph.increment_version(i)


@pytest.mark.rule("M-27")
def test_writing_to_normal_tensors_inside():
    x = vg.ones(2, requires_grad=True)
    a = x * 1
    y = (a * a).sum()
    with vg.inference_mode():
        a.add_(1)
        x.add_(1)
    assert a._version == x._version == 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


@pytest.mark.rule("M-28", "V-47")
def test_a_view_made_inside_is_not_written_to_outside():
    x = vg.ones(2, requires_grad=True)
    base = x * 1
    with vg.inference_mode():
        view, other = base[:1], base[1:]
    with pytest.raises(RuntimeError, match="created in inference mode"):
        view.mul_(2)
    base.mul_(2)
    with pytest.raises(RuntimeError, match="base or another view of its base"):
        other.grad_fn  # noqa: B018


@pytest.mark.rule("M-29")
def test_backward_inside():
    x = vg.ones(2, requires_grad=True)
    y = (x * x).sum()
    with vg.inference_mode():
        y.backward()
        assert x.grad.tolist() == [2, 2]
        assert vg.is_inference_mode_enabled()


@pytest.mark.rule("M-21")
def test_recording_does_not_look_for_what_is_gone():
    x = vg.ones(3, requires_grad=True)
    i = made_inside()
    # the block of this tensor alone: other threads and tests may have some of their own
    (block,) = [known for known in inference_blocks if known() is i._storage]
    _ = x * 2
    assert block() is not None
    del i
    assert block() is None
    assert any(known is block for known in inference_blocks)
    _ = x * 2
    assert all(known is not block for known in inference_blocks)


@pytest.mark.rule("M-25")
def test_a_number_first_met_inside_is_a_number_outside():
    with vg.inference_mode():
        _ = vg.ones(2) * 0.123456789
    x = vg.ones(2, requires_grad=True)
    (x * 0.123456789).sum().backward()
    assert x.grad is not None


def test_one_that_is_given_other_data_is_as_that_is() -> None:
    with vg.inference_mode():
        made = vg.ones(2)
    made.data = vg.full((3,), 2.0)
    assert not made.is_inference()
    (made.requires_grad_() * made).sum().backward()
    assert made.grad.tolist() == [4.0, 4.0, 4.0]
    with vg.inference_mode():
        still = vg.ones(2)
        still.data = vg.zeros(2)
    assert still.is_inference()
