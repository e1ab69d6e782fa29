"""Errors and shapes of linalg on strict arrays, whose own are cupy's: silent, without broadcasting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.fixtures import strict_module

L: Any = vg.linalg

SINGULAR = [[1.0, 2.0], [2.0, 4.0]]
INDEFINITE = [[1.0, 3.0], [3.0, 1.0]]


@pytest.fixture(autouse=True, scope="module")
def there() -> Iterator[None]:
    with strict_module.as_cuda():
        yield


REFUSED: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "inv": (L.inv, SINGULAR),
    "solve": (lambda a: L.solve(a, a), SINGULAR),
    "one of a stack": (lambda a: L.inv(vg.stack([vg.eye(2, device=a.device), a])), SINGULAR),
    "cholesky": (L.cholesky, INDEFINITE),
    "upper": (lambda a: L.cholesky(a, upper=True), INDEFINITE),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_matrix_without_a_result_is_refused(name: str) -> None:
    call, matrix = REFUSED[name]
    said = []
    for device in ("cpu", "cuda"):
        with pytest.raises(L.LinAlgError) as error:
            call(vg.tensor(matrix, device=device))
        said.append(str(error.value).partition("(")[0])
    assert said[0] == said[1]


FOUND: dict[str, Callable[[str], Any]] = {
    "info of cholesky_ex": lambda d: L.cholesky_ex(vg.tensor(INDEFINITE, device=d)).info,
    "info of inv_ex": lambda d: L.inv_ex(vg.tensor(SINGULAR, device=d)).info,
    "inv_ex": lambda d: L.inv_ex(vg.tensor(SINGULAR, device=d)).inverse.isnan(),
    "solve_ex": lambda d: L.solve_ex(vg.tensor(SINGULAR, device=d), vg.ones(2, 1, device=d)).info,
    "info of none": lambda d: L.inv_ex(vg.ones(2, 0, 0, device=d)).info,
    "lu_unpack": lambda d: vg.lu_unpack(*L.lu_factor(vg.tensor(INDEFINITE, device=d)))[1],
    "householder_product": lambda d: L.householder_product(
        vg.tensor(INDEFINITE, device=d), vg.ones(2, device=d)
    ),
    "geqrf": lambda d: vg.geqrf(vg.tensor(INDEFINITE, device=d))[0].abs(),
    "cholesky_inverse": lambda d: vg.cholesky_inverse(vg.tensor(INDEFINITE, device=d)),
    "lstsq": lambda d: L.lstsq(vg.tensor(INDEFINITE, device=d), vg.ones(2, 1, device=d)).solution,
    "matrix_rank": lambda d: L.matrix_rank(vg.tensor(SINGULAR, device=d)),
    "cond": lambda d: L.cond(vg.tensor(INDEFINITE, device=d)),
    "matrix_power": lambda d: L.matrix_power(vg.tensor(INDEFINITE, device=d), -2),
    "tensorinv": lambda d: L.tensorinv(vg.tensor(INDEFINITE, device=d), ind=1),
    "eigvalsh": lambda d: L.eigvalsh(vg.tensor(INDEFINITE, device=d)),
    "multi_dot": lambda d: L.multi_dot([vg.tensor(INDEFINITE, device=d)] * 3),
    "vander": lambda d: L.vander(vg.tensor([1.0, 2.0], device=d), N=3),
    "stft": lambda d: vg.stft(vg.arange(8.0, device=d), 4, return_complex=True).abs(),
    "istft": lambda d: vg.istft(
        vg.stft(vg.arange(8.0, device=d), 4, return_complex=True), 4, length=8
    ),
    "det": lambda d: L.det(vg.tensor(SINGULAR, device=d)),
    "a triangle of zeros": lambda d: L.solve_triangular(
        vg.tensor([[2.0, 1.0], [0.0, 4.0]], device=d), vg.ones(2, 1, device=d), upper=True
    ),
    "one matrix, many sides": lambda d: L.solve(
        vg.tensor([[2.0, 1.0], [0.0, 4.0]], device=d), vg.ones(3, 2, 2, device=d)
    ),
    "many matrices, one side": lambda d: L.solve(
        vg.tensor([[2.0, 1.0], [0.0, 4.0]], device=d).expand(3, 2, 2), vg.ones(2, 2, device=d)
    ),
    "eigh": lambda d: L.eigh(vg.tensor(INDEFINITE, device=d)).eigenvalues,
    "qr": lambda d: L.qr(vg.tensor(INDEFINITE, device=d)).R.abs(),
    "slogdet": lambda d: L.slogdet(vg.tensor(INDEFINITE, device=d)).logabsdet,
}


@pytest.mark.parametrize("call", FOUND.values(), ids=FOUND)
def test_results_are_those_of_the_cpu(call: Callable[[str], Any]) -> None:
    here, there = call("cpu"), call("cuda")
    assert there.device.type == "cuda"
    assert there.dtype is here.dtype
    np.testing.assert_allclose(there.tolist(), here.tolist(), rtol=1e-6)


def test_the_derivative_of_the_determinant_of_a_singular_matrix() -> None:
    found = []
    for device in ("cpu", "cuda"):
        a = vg.tensor(SINGULAR, device=device, requires_grad=True)
        L.det(a).backward()
        found.append(a.grad.tolist())
    np.testing.assert_allclose(found[1], found[0], rtol=1e-5)
    np.testing.assert_allclose(found[0], [[4, -2], [-2, 1]], rtol=1e-5)
