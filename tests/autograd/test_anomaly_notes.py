"""Anomaly mode where warnings are errors: the story of the forward is a note of the error (X-10)."""

import warnings

import pytest

import vizgrad as vg


def _fails() -> vg.Tensor:
    class Fails(vg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            raise ValueError("stop")

    return Fails.apply(vg.ones(2, requires_grad=True)).sum()


@pytest.mark.rule("X-10")
@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_the_story_is_a_note():
    with vg.autograd.detect_anomaly():
        y = _fails()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(ValueError, match="stop") as caught:
                y.backward()
    assert any("Traceback of forward call that caused" in note for note in caught.value.__notes__)


@pytest.mark.rule("X-10")
@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_where_warnings_are_no_errors_it_is_a_warning_alone():
    with vg.autograd.detect_anomaly():
        y = _fails()
        with (
            pytest.warns(UserWarning, match="Traceback of forward call"),
            pytest.raises(ValueError, match="stop") as caught,
        ):
            y.backward()
    assert not any("Traceback of forward call" in note for note in caught.value.__notes__)
