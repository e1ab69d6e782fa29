"""Pruning, and modules without starting values. tests/oracle/programs/pruning.py compares with PyTorch."""

from __future__ import annotations

import pytest

import vizgrad as vg
from vizgrad.nn.utils import prune, skip_init


def test_gradients_pass_through_the_mask() -> None:
    layer = prune.l1_unstructured(vg.nn.Linear(4, 3), "weight", amount=5)
    layer(vg.ones(2, 4)).sum().backward()
    assert layer.weight_orig.grad.tolist() == (2 * layer.weight_mask).tolist()
    assert int(layer.weight_mask.sum()) == 7
    vg.optim.SGD(layer.parameters(), lr=1.0).step()
    layer(vg.ones(1, 4))
    assert layer.weight.detach().tolist() == (layer.weight_orig * layer.weight_mask).tolist()
    prune.remove(layer, "weight")
    assert int((layer.weight == 0).sum()) == 5
    assert layer.weight.is_leaf


def test_each_method_chooses_among_what_is_left() -> None:
    layer = vg.nn.Linear(4, 4)
    for left in (8, 4, 2):
        prune.random_unstructured(layer, "weight", 0.5)
        assert int(layer.weight_mask.sum()) == left
    prune.ln_structured(layer, "weight", 0.5, n=1, dim=0)
    assert prune.is_pruned(vg.nn.Sequential(layer))
    assert len(layer._forward_pre_hooks) == 1


def test_a_refusal_changes_nothing() -> None:
    layer = vg.nn.Linear(4, 3)
    with pytest.raises(ValueError, match="should be smaller than"):
        prune.l1_unstructured(layer, "weight", 13)
    assert [name for name, _ in layer.named_parameters()] == ["weight", "bias"]
    prune.identity(layer, "weight")
    with pytest.raises(ValueError, match="should be smaller than"):
        prune.l1_unstructured(layer, "weight", 13)
    assert len(layer._forward_pre_hooks) == 1


def test_a_module_without_starting_values_draws_nothing() -> None:
    vg.manual_seed(1)
    first = vg.rand(3)
    vg.manual_seed(1)
    layer = skip_init(vg.nn.Linear, 3, 2, dtype=vg.float64)
    assert layer.weight.shape == (2, 3)
    assert layer.weight.dtype is vg.float64
    assert layer.weight.requires_grad
    assert vg.equal(vg.rand(3), first)
    assert float(vg.nn.init.ones_(layer.weight).sum()) == 6


def test_what_skip_init_refuses() -> None:
    class Own(vg.nn.Module):
        pass

    with pytest.raises(RuntimeError, match="must support a 'device' arg"):
        skip_init(Own)
    with pytest.raises(RuntimeError, match="Expected a Module"):
        skip_init(vg.ones, 3)
