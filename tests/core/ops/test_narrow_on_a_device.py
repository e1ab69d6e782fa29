"""bfloat16 on strict arrays gives what it gives on the CPU (X-11). float8 is refused: cupy has none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.core.ops.differences import results_of, same_memory
from tests.fixtures import strict_module
from tests.specs import activations, layers
from tests.specs.row import Row, Sample
from tests.specs.table import ROWS as OPS
from vizgrad.core.tensor.tensor import Tensor

F: Any = vg.nn.functional

ROWS = [*OPS, *layers.ROWS, *activations.ROWS]


@pytest.fixture(autouse=True, scope="module")
def there() -> Iterator[None]:
    with strict_module.as_cuda():
        yield


def in_bfloat16(row: Row, sample: Sample, device: str) -> list[tuple[Any, list[float]]] | str:
    """Types and numbers of results and gradients; the class of what is raised."""
    leaves = [vg.from_numpy(same_memory(a)).to(device) for a in sample.arrays]
    leaves = [x.to(vg.bfloat16).requires_grad_() if x.is_floating_point() else x for x in leaves]
    try:
        with vg.device(device):
            results = results_of(row, leaves)
            roots = [r for r in results if r.requires_grad]
            wanted = [x for x in leaves if x.requires_grad]
            ones = [vg.ones_like(r) for r in roots]
            found = [
                *results,
                *(vg.autograd.grad(roots, wanted, ones, allow_unused=True) if roots else ()),
            ]
    except (RuntimeError, TypeError, ValueError, IndexError) as error:
        return type(error).__name__
    assert all(t is None or t.device.type == device for t in found)
    return [(t.dtype, numbers(t)) for t in found if t is not None]


def numbers(t: Tensor) -> list[float]:
    t = t.detach().cpu()
    return (t if t.is_complex() else t.double()).reshape(-1).tolist()


@pytest.mark.rule("X-11")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_row(row: Row) -> None:
    for sample in row.samples:
        here, there = (in_bfloat16(row, sample, device) for device in ("cpu", "cuda"))
        if isinstance(here, str) or isinstance(there, str):
            assert here == there, sample.name
            continue
        assert [kind for kind, _ in there] == [kind for kind, _ in here], sample.name
        for (_, a), (_, b) in zip(there, here, strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-2, atol=1e-2, err_msg=sample.name)


PROGRAMS: dict[str, Callable[[str], Any]] = {
    "made there": lambda d: vg.ones(3, dtype=vg.bfloat16, device=d) + 1,
    "from numbers": lambda d: vg.tensor([1.0, 2.5], dtype=vg.bfloat16, device=d) * 3,
    "in place": lambda d: vg.ones(3, dtype=vg.bfloat16, device=d).mul_(0.3).add_(1),
    "rounded down": lambda d: vg.div(seven(d), seven(d) + 2, rounding_mode="floor"),
    "floor_divide": lambda d: vg.floor_divide(seven(d), 0.3),
    "beside float32": lambda d: seven(d) + vg.ones(7, device=d),
    "where": lambda d: vg.where(seven(d) > 1, seven(d), 0.0),
    "scatter_add": lambda d: vg.zeros(7, dtype=vg.bfloat16, device=d).scatter_add(
        0, vg.tensor([0, 0, 1], device=d), seven(d)[:3]
    ),
    "from float8": lambda d: vg.zeros(3, device=d).copy_(vg.ones(3, dtype=vg.float8_e5m2)),
}


def seven(device: str) -> Tensor:
    return vg.linspace(-2, 2, 7, dtype=vg.bfloat16, device=device)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_gives_what_it_gives_on_the_cpu(program: Callable[[str], Any]) -> None:
    here, there = program("cpu"), program("cuda")
    assert there.device.type == "cuda"
    assert there.dtype is here.dtype
    assert there.tolist() == here.tolist()


@pytest.mark.parametrize("optimizer", [vg.optim.Adam, vg.optim.SGD])
def test_a_parameter_is_trained(optimizer: Any) -> None:
    found = []
    for device in ("cpu", "cuda"):
        weight = seven(device).requires_grad_()
        steps = optimizer([weight], lr=0.1)
        (weight * weight).sum().backward()
        steps.step()
        assert weight.dtype is vg.bfloat16
        found.append(weight.tolist())
    assert found[0] == found[1]


def test_autocast_to_bfloat16() -> None:
    found = []
    for device in ("cpu", "cuda"):
        x = vg.linspace(-1, 1, 12, device=device).reshape(3, 4).requires_grad_()
        with vg.autocast(device, dtype=vg.bfloat16):
            out = F.relu(x @ x.T).softmax(1).sum()
        out.backward()
        assert x.grad is not None
        found.append((out.dtype, x.grad.tolist()))
    assert found[0] == found[1]


FLOAT8: dict[str, Callable[[], Any]] = {
    "to": lambda: vg.ones(3, device="cuda").to(vg.float8_e4m3fn),
    "to another": lambda: vg.ones(3).to("cuda", dtype=vg.float8_e4m3fn),
    "moved": lambda: vg.ones(3).to(vg.float8_e4m3fn).cuda(),
    "zeros": lambda: vg.zeros(3, dtype=vg.float8_e4m3fn, device="cuda"),
    "ones": lambda: vg.ones(3, dtype=vg.float8_e4m3fn, device="cuda"),
    "empty": lambda: vg.empty(3, dtype=vg.float8_e4m3fn, device="cuda"),
    "full": lambda: vg.full((3,), 1.0, dtype=vg.float8_e4m3fn, device="cuda"),
    "tensor": lambda: vg.tensor([1.0], dtype=vg.float8_e4m3fn, device="cuda"),
    "ones_like": lambda: vg.ones_like(vg.ones(3, device="cuda"), dtype=vg.float8_e4m3fn),
    "new_zeros": lambda: vg.ones(3, device="cuda").new_zeros(2, dtype=vg.float8_e4m3fn),
    "view": lambda: vg.ones(3, dtype=vg.uint8, device="cuda").view(vg.float8_e4m3fn),
}


@pytest.mark.parametrize("make", FLOAT8.values(), ids=FLOAT8)
def test_float8_is_refused_by_name(make: Callable[[], Any]) -> None:
    with pytest.raises(NotImplementedError, match="float8_e4m3fn is not implemented for CUDA"):
        make()
