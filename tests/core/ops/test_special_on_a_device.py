"""Special functions on strict arrays: the types of cupyx.scipy.special, and the functions it lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.fixtures import strict_module

S: Any = vg.special

CALLS: dict[str, Callable[[Any], Any]] = {
    name: getattr(S, name)
    for name in (
        "digamma", "entr", "erf", "erfc", "erfinv", "gammaln", "i0", "i0e", "i1", "i1e", "ndtr",
        "ndtri", "log_ndtr", "psi"
    )
} | {
    "polygamma 0": lambda x: S.polygamma(0, x),
    "polygamma 1": lambda x: S.polygamma(1, x),
    "polygamma 3": lambda x: S.polygamma(3, x),
    "multigammaln": lambda x: S.multigammaln(x + 2, 2),
    "zeta": lambda x: S.zeta(x.detach() + 1, x.detach()),
    "bessel_j0": lambda x: S.bessel_j0(x.detach()),
    "modified_bessel_i0": lambda x: S.modified_bessel_i0(x.detach()),
    "xlog1py": lambda x: S.xlog1py(x, x),
    "gammainc": lambda x: S.gammainc(x.detach(), x),
}  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def there() -> Iterator[None]:
    with strict_module.as_cuda():
        yield


@pytest.mark.parametrize("dtype", [vg.float64, vg.float32, vg.bfloat16, vg.float16])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_the_result_has_the_type_of_the_cpu(call: Callable[[Any], Any], dtype: Any) -> None:
    found = []
    for device in ("cpu", "cuda"):
        x = vg.tensor([0.25, 0.5, 0.75], dtype=dtype, device=device, requires_grad=True)
        try:
            out = call(x)
        except NotImplementedError as error:
            found.append(str(error).partition(" for ")[0])
            continue
        slope = x
        if out.requires_grad:
            (slope,) = vg.autograd.grad(out.sum(), x)
        found.append((out.dtype, slope.dtype, out.tolist(), slope.tolist()))
    here, there = found
    assert here[:2] == there[:2]
    if not isinstance(here, str):
        for a, b in zip(there[2:], here[2:], strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-2 if dtype.itemsize == 2 else 1e-4)


@pytest.mark.parametrize(
    "call",
    [S.airy_ai, lambda x: S.chebyshev_polynomial_t(x, x), lambda x: S.hermite_polynomial_h(x, x)],
)
def test_a_function_that_cupy_lacks_is_named(call: Callable[[Any], Any]) -> None:
    with pytest.raises(NotImplementedError, match=r"is not implemented for CUDA devices: cupyx\."):
        call(vg.ones(3, device="cuda"))
