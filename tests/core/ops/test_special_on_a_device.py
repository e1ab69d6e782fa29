"""Special functions on strict arrays: the types of cupyx.scipy.special, and the functions it lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.fixtures import strict_module
from vizgrad.core.ops.normalization import safe_softmax

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


@pytest.mark.parametrize("name", ["i0e", "i1e"])
@pytest.mark.parametrize("dtype", [vg.float64, vg.float32, vg.float16])
def test_scaled_bessel_functions_of_large_numbers(name: str, dtype: Any) -> None:
    values = [0.0, -0.5, 80.0, -90.0, 299.0, 301.0, -700.0, 5e4, float("inf"), float("nan")]
    function = getattr(S, name)
    found = [function(vg.tensor(values, dtype=dtype, device=d)) for d in ("cpu", "cuda")]
    assert found[1].dtype is dtype
    rtol = {8: 1e-14, 4: 1e-6, 2: 2e-3}[dtype.itemsize]
    np.testing.assert_allclose(found[1].tolist(), found[0].tolist(), rtol=rtol)


REFUSED: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "copysign": (lambda x: vg.copysign(x, x), vg.complex64),
    "nextafter": (lambda x: vg.nextafter(x, x), vg.complex128),
    "deg2rad": (vg.deg2rad, vg.complex64),
    "polygamma": (lambda x: S.polygamma(1, x), vg.complex64),
    "cross": (lambda x: vg.linalg.cross(x, x), vg.bool),
    "safe_softmax": (lambda x: safe_softmax.record(x, dim=0), vg.int64),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_type_is_refused_as_on_the_cpu(name: str) -> None:
    call, dtype = REFUSED[name]
    said = []
    for device in ("cpu", "cuda"):
        with pytest.raises(NotImplementedError) as error:
            call(vg.ones(3, device=device).to(dtype))
        said.append(str(error.value).partition("\n")[0])
    assert said[0] == said[1]


@pytest.mark.parametrize(
    "call",
    [S.airy_ai, lambda x: S.chebyshev_polynomial_t(x, x), lambda x: S.hermite_polynomial_h(x, x)],
)
def test_a_function_that_cupy_lacks_is_named(call: Callable[[Any], Any]) -> None:
    with pytest.raises(NotImplementedError, match=r"is not implemented for CUDA devices: cupyx\."):
        call(vg.ones(3, device="cuda"))
