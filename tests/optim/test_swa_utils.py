"""swa_utils: what it refuses; that it agrees with PyTorch is shown by an ordinary program."""

from __future__ import annotations

import pytest

import vizgrad as vg
from vizgrad.optim import swa_utils


def test_settings_that_make_no_sense() -> None:
    w = vg.nn.Linear(1, 1)
    optimizer = vg.optim.SGD(w.parameters(), lr=0.1)
    with pytest.raises(ValueError, match="anneal_strategy"):
        swa_utils.SWALR(optimizer, 0.1, anneal_strategy="steep")
    with pytest.raises(ValueError, match="anneal_epochs"):
        swa_utils.SWALR(optimizer, 0.1, anneal_epochs=-1)
    with pytest.raises(ValueError, match="same length"):
        swa_utils.SWALR(optimizer, [0.1, 0.2])
    with pytest.raises(ValueError, match="Invalid decay"):
        swa_utils.get_ema_multi_avg_fn(2.0)
    with pytest.raises(AssertionError, match="Only one"):
        swa_utils.AveragedModel(
            w, avg_fn=swa_utils.get_swa_avg_fn(), multi_avg_fn=swa_utils.get_swa_multi_avg_fn()
        )


@pytest.mark.parametrize("whole", [False, True], ids=["one by one", "lists"])
def test_all_averages_count_the_same(whole: bool) -> None:
    model = vg.nn.Linear(1, 1, bias=False)
    options = (
        {"multi_avg_fn": swa_utils.get_swa_multi_avg_fn()}
        if whole
        else {"avg_fn": swa_utils.get_swa_avg_fn()}
    )
    averaged = swa_utils.AveragedModel(model, **options)
    for value in (1.0, 2.0, 6.0):
        model.weight.data.fill_(value)
        averaged.update_parameters(model)
    assert averaged.module.weight.item() == pytest.approx(3.0)
    assert averaged.n_averaged.item() == 3
