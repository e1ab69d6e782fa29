"""The watch list over PyTorch's tensors: true values, and PyTorch does not notice."""

from __future__ import annotations

import math
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad  # noqa: E402


def test_values_follow_the_run() -> None:
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
    loss = net(torch.ones(4, 2)).square().sum()
    session = vizgrad.debug(loss)
    session.watches.add("net.0.weight.grad.norm()")
    session.watches.add("grad")
    versions = [p._version for p in net.parameters()]
    seen = [tuple(session.watches)]
    while session.status != "finished":
        session.step()
        seen.append(tuple(session.watches))
    assert seen[0][0].text == "None"
    assert seen[0][1].summary is not None
    assert seen[0][1].summary.norm == 1.0
    assert float(seen[-1][0].text) == pytest.approx(net[0].weight.grad.norm().item())
    assert [p._version for p in net.parameters()] == versions
    session.back()
    session.back()
    assert session.watches[0] == seen[-3][0]


@pytest.mark.parametrize(
    ("value", "dtype", "norm", "nans"),
    [
        (torch.tensor([1.5, 2.0], dtype=torch.bfloat16), "bfloat16", 2.5, 0),
        (torch.tensor([3 + 4j]).conj(), "complex64", 5.0, 0),
        (torch.empty(0, 3), "float32", 0.0, 0),
        (torch.tensor([1.0, math.nan]), "float32", math.nan, 1),
        (torch.ones(1).expand(4, 4), "float32", 4.0, 0),
        (torch.ones(2, device="meta"), "float32", None, 0),
        (torch.eye(2).to_sparse(), "float32", 2**0.5, 0),
    ],
)
def test_values_of_all_kinds_are_true(value: Any, dtype: str, norm: Any, nans: int) -> None:
    session = vizgrad.debug(torch.ones(2, requires_grad=True).sum())
    summary = session.watches.add("value").summary
    assert summary is not None
    assert (summary.dtype, summary.shape) == (dtype, tuple(value.shape))
    assert summary.norm == pytest.approx(norm, nan_ok=True)
    assert summary.nans == nans
