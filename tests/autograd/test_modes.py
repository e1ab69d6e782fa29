"""Multithreading and anomaly flags, reset_modes, what no_grad does not touch."""

from __future__ import annotations

import threading

import pytest

import vizgrad as vg
from vizgrad.autograd.anomaly_mode import is_anomaly_check_nan_enabled, is_anomaly_enabled
from vizgrad.core.tensor.modes import MODES


@pytest.mark.rule("M-8", "M-9")
def test_what_no_grad_does_not_touch():
    x = vg.ones(2, requires_grad=True)
    with vg.no_grad():
        assert vg.ones(2, requires_grad=True).requires_grad
        assert vg.nn.Parameter(vg.ones(2)).requires_grad
        assert vg.ones(2).requires_grad_().requires_grad
        y = x * x
        assert not y.requires_grad
        assert x[:1].requires_grad
        x.add_(1)
    assert y.grad_fn is None
    assert x._version == 1


@pytest.mark.rule("M-40")
def test_multithreading():
    enabled = vg.autograd.is_multithreading_enabled
    assert enabled()
    with vg.autograd.set_multithreading_enabled(False):
        assert not enabled()
    assert enabled()
    vg.autograd.set_multithreading_enabled(False)
    assert not enabled()
    vg.autograd.set_multithreading_enabled(True)

    @vg.autograd.set_multithreading_enabled(False)
    def inside():
        return enabled()

    assert not enabled()  # as in PyTorch: decorating switches, and stays
    vg.autograd.set_multithreading_enabled(True)
    assert inside() is False
    assert enabled()


@pytest.mark.rule("M-41")
def test_anomaly_flags():
    flags = lambda: (is_anomaly_enabled(), is_anomaly_check_nan_enabled())  # noqa: E731
    assert flags() == (False, True)
    with vg.autograd.set_detect_anomaly(True, check_nan=False):
        assert flags() == (True, False)
        with (
            pytest.warns(UserWarning, match="Anomaly Detection has been enabled"),
            vg.autograd.detect_anomaly(),
        ):
            assert flags() == (True, True)
        assert flags() == (True, False)
    assert flags() == (False, True)
    vg.autograd.set_detect_anomaly(True)
    assert vg.is_anomaly_enabled()
    vg.autograd.set_detect_anomaly(False)
    assert flags() == (False, True)


@pytest.mark.rule("M-42")
def test_anomaly_is_of_the_thread():
    seen = []
    with vg.autograd.set_detect_anomaly(True):
        thread = threading.Thread(target=lambda: seen.append(is_anomaly_enabled()))
        thread.start()
        thread.join()
    assert seen == [False]


@pytest.mark.rule("M-44")
def test_default_dtype():
    assert vg.get_default_dtype() is vg.float32
    vg.set_default_dtype(vg.float64)
    try:
        assert vg.ones(1).dtype is vg.float64
    finally:
        vg.set_default_dtype(vg.float32)
    with pytest.raises(TypeError):
        vg.set_default_dtype(vg.int64)


@pytest.mark.rule("M-45")
def test_reset_modes():
    vg.set_grad_enabled(False)
    vg.autograd.set_detect_anomaly(True, check_nan=False)
    vg.autograd.set_multithreading_enabled(False)
    vg.reset_modes()
    assert vg.is_grad_enabled()
    assert not is_anomaly_enabled()
    assert is_anomaly_check_nan_enabled()
    assert vg.autograd.is_multithreading_enabled()
    with vg.inference_mode():
        vg.reset_modes()
        assert not vg.is_inference_mode_enabled()
        assert vg.is_grad_enabled()
    assert vg.is_grad_enabled()


def test_a_level_that_was_left_while_forward_mode_was_off_does_not_come_back():
    """It would stay for the rest of the thread, and each operation would look for its tangents."""
    fw = vg.autograd.forward_ad
    fw.enter_dual_level()
    with fw._set_fwd_grad_enabled(False):
        fw.exit_dual_level()
    assert MODES.levels == ()
    with fw.dual_level(), fw._set_fwd_grad_enabled(False):
        pass
    assert MODES.levels == ()
