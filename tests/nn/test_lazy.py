"""Lazy modules, as far as they are vizgrad's own: copies, files, tools that look, sizes after a load."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

import vizgrad as vg
from vizgrad import nn


def net() -> nn.Sequential:
    return nn.Sequential(
        nn.LazyConv2d(4, 3), nn.LazyBatchNorm2d(), nn.ReLU(), nn.Flatten(), nn.LazyLinear(2)
    )


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_a_copy_is_lazy_and_apart(twin: Callable[[nn.Sequential], nn.Sequential]) -> None:
    first = net()
    second = twin(first)
    assert second(vg.ones(2, 3, 6, 6)).shape == (2, 2)
    assert [type(each).__name__ for each in second][:2] == ["Conv2d", "BatchNorm2d"]
    assert [type(each).__name__ for each in first][:2] == ["LazyConv2d", "LazyBatchNorm2d"]


def test_the_debugger_and_a_watch_take_a_model_that_is_lazy_still() -> None:
    model = net()
    with vg.watch() as watch:
        loss = model(vg.randn(2, 3, 6, 6)).sum()
        loss.backward()
    assert not watch.findings
    session = vg.debug(net()(vg.randn(2, 3, 6, 6)).sum())
    session.continue_()
    assert session.status == "finished"
    session.close()


def test_a_refusal_says_in_which_module() -> None:
    class Sum(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.LazyLinear(2)

        def forward(self, x: vg.Tensor) -> vg.Tensor:
            return self.layer.weight.sum() + x

    with pytest.raises(ValueError, match="uninitialized parameter in Sum"):
        Sum()(vg.ones(1))


def test_after_a_load_the_sizes_are_those_of_the_state() -> None:
    """PyTorch leaves them at 0, so that the module prints as Conv2d(0, ...)."""
    for lazy, known, shape in (
        (nn.LazyLinear(3), nn.Linear(6, 3), (1, 6)),
        (nn.LazyConv2d(4, 3, groups=2), nn.Conv2d(6, 4, 3, groups=2), (1, 6, 5, 5)),
        (nn.LazyConvTranspose2d(4, 3), nn.ConvTranspose2d(6, 4, 3), (1, 6, 5, 5)),
        (nn.LazyBatchNorm2d(), nn.BatchNorm2d(6), (2, 6, 5, 5)),
    ):
        lazy.load_state_dict(known.state_dict())
        lazy(vg.ones(*shape))
        assert repr(lazy) == repr(known)


def test_a_single_sample_of_an_instance_norm_has_its_channels_first() -> None:
    module = nn.LazyInstanceNorm1d()
    module(vg.randn(3, 8))
    assert repr(module).startswith("InstanceNorm1d(3, ")


def test_the_state_of_a_lazy_module_is_saved_but_not_read_without_leave(tmp_path: Path) -> None:
    file = tmp_path / "state.pt"
    vg.save(nn.LazyLinear(2).state_dict(), file)
    with pytest.raises(pickle.UnpicklingError, match="rebuild_uninitialized"):
        vg.load(file)
