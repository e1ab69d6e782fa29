"""The course of a training of PyTorch's: the norms that PyTorch computes itself."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad  # noqa: E402


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.complex64])
def test_norms_are_those_of_the_steps(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        torch.nn.Linear(3, 4, dtype=dtype), torch.nn.Linear(4, 1, dtype=dtype)
    )
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    x = torch.ones(5, 3, dtype=dtype)
    wanted = []
    with vizgrad.watch() as w:
        for _ in range(3):
            optimizer.zero_grad()
            net(x).abs().sum().backward()
            own = list(net[0].parameters())
            grads = torch.cat([p.grad.flatten() for p in own]).to(torch.complex128)
            weights = torch.cat([p.detach().flatten() for p in own]).to(torch.complex128)
            wanted.append((grads.norm().item(), weights.norm().item()))
            versions = [p._version for p in own]
            optimizer.step()
            assert [p._version for p in own] == [v + 1 for v in versions]
    (course,) = w.history.data.optimizers
    assert course.backwards == (1, 2, 3)
    layer = next(each for each in course.layers if each.name == "net.0")
    found = list(zip(layer.gradient, layer.weight, strict=True))
    assert found == [pytest.approx(pair, rel=1e-5) for pair in wanted]
