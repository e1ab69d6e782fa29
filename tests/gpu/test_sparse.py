"""Sparse products and gradients on an NVIDIA GPU are those of the CPU. `make gpu-test`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vizgrad as torch

pytestmark = pytest.mark.gpu


def found_on(device: str) -> list[Any]:
    i = torch.tensor([[0, 1, 1, 0], [2, 0, 2, 2]], device=device)
    v = torch.tensor([3.0, 4.0, 5.0, 1.0], device=device, requires_grad=True)
    d = torch.tensor(np.linspace(-1, 1, 6).reshape(3, 2), dtype=torch.float32, device=device)
    d.requires_grad_()
    s = torch.sparse_coo_tensor(i, v, (2, 3))
    out = torch.sparse.mm(torch.sparse.softmax(s, 1), d) + s.to_sparse_csr() @ d
    out.pow(2).sum().backward()
    table = torch.nn.Embedding(5, 2, sparse=True).to(device)
    with torch.no_grad():
        table.weight.fill_(0.5)
    optimizer = torch.optim.SparseAdam(table.parameters(), lr=0.1)
    (table(i) ** 2).sum().backward()
    optimizer.step()
    assert table.weight.grad.is_sparse
    assert table.weight.grad.device.type == device
    return [out, v.grad, d.grad, table.weight]


def test_sparse_on_the_device_is_sparse_on_the_host() -> None:
    for here, there in zip(found_on("cpu"), found_on("cuda"), strict=True):
        assert there.device.type == "cuda"
        np.testing.assert_allclose(there.detach().cpu().numpy(), here.detach().numpy(), rtol=1e-5)
