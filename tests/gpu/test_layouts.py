"""Results of elements lie in memory as their operands do, on a GPU as on the CPU. `make gpu-test`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from vizgrad.nn import functional as F

pytestmark = pytest.mark.gpu


def columns(d: str, dtype: Any = vg.float32) -> Any:
    return vg.ones(3, 4, device=d, dtype=dtype).T


def images(d: str) -> Any:
    return vg.ones(2, 3, 4, 5, device=d).to(memory_format=vg.channels_last)


def gradient(x: Any) -> Any:
    x.requires_grad_()
    vg.lerp(x * x, x, 0.3).abs().backward(vg.ones(x.shape, device=x.device))
    return x.grad


PROGRAMS: dict[str, Callable[[str], Any]] = {
    "a number": lambda d: columns(d) + 1,
    "one function": lambda d: columns(d).exp(),
    "several functions": lambda d: F.gelu(columns(d)),
    "integers": lambda d: columns(d, vg.int64) + 1,
    "halves": lambda d: columns(d, vg.float16) * 2,
    "complex numbers": lambda d: vg.lerp(*[columns(d, vg.complex64)] * 2, 0.3).abs(),
    "complex numbers of two orders": lambda d: vg.addcmul(
        columns(d, vg.complex64), *[vg.ones(4, 3, device=d)] * 2
    ).abs(),
    "the gradient of complex numbers": lambda d: gradient(columns(d, vg.complex64)).abs(),
    "a comparison": lambda d: columns(d) > 1,
    "a choice": lambda d: vg.where(columns(d) > 1, columns(d), 0.0),
    "three dimensions": lambda d: vg.ones(2, 3, 4, device=d).permute(2, 0, 1) * 2,
    "operands that differ": lambda d: columns(d) * vg.ones(4, 3, device=d),
    "what is expanded": lambda d: vg.ones(3, 1, device=d).expand(3, 4) + 1,
    "channels last": lambda d: (images(d) * 2 + 1).relu(),
    "channels last and a bias": lambda d: images(d) * vg.ones(3, 1, 1, device=d),
    "a batch norm": lambda d: vg.nn.BatchNorm2d(3).to(d)(images(d)),
    "every second": lambda d: vg.ones(4, 6, device=d)[:, ::2].T.exp(),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_strides_are_those_of_the_cpu(name: str) -> None:
    here, there = PROGRAMS[name]("cpu"), PROGRAMS[name]("cuda")
    assert there.stride() == here.stride()
    np.testing.assert_allclose(
        *(x.detach().cpu().float().numpy() for x in (there, here)), rtol=1e-6
    )
