"""Every row of the spec table on strict arrays: what cupy would be asked to do, where, and no waiting for it.

The rows lie on the second of two devices while the first is current: what is made on the way to a result or
a gradient on the current device, and not on that of the operands, is an error (E-94).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.core.ops.differences import results_of, same_memory, weights_for
from tests.fixtures import strict_array, strict_devices, strict_module
from tests.specs import activations, layers
from tests.specs.checks import check_row
from tests.specs.row import Row, Sample
from tests.specs.table import ROWS as OPS

pytestmark = pytest.mark.rule("T-89")

ROWS = [*OPS, *layers.ROWS, *activations.ROWS]
SECOND = "cuda:1"


@pytest.fixture(scope="module")
def a_device() -> Iterator[None]:
    # For all tests at once: each time that a device comes or goes all compiled functions are written anew.
    with strict_module.as_cuda(2):
        yield
    assert strict_devices.current() == 0


@pytest.fixture
def cuda(a_device: None) -> Iterator[None]:
    with vg.device("cuda"):
        yield


def derivatives(row: Row, sample: Sample, device: str, twice: bool) -> list[np.ndarray]:
    """Values, gradients and their gradients, read at the very end."""
    leaves = [vg.from_numpy(same_memory(a)).to(device) for a in sample.arrays]
    leaves = [x.requires_grad_() if x.dtype.category >= 2 else x for x in leaves]
    del strict_array.reads[:]
    with vg.device(device):
        results = results_of(row, leaves)
    found = [r.detach() for r in results]
    roots = [r for r in results if r.requires_grad]
    wanted = [x for x in leaves if x.requires_grad]
    weights = zip(weights_for(roots), roots, strict=True)
    incoming = [vg.tensor(w, device=device).to(r.dtype) for w, r in weights]
    if roots:
        options: dict[str, Any] = {"allow_unused": True, "materialize_grads": True}
        firsts = vg.autograd.grad(roots, wanted, incoming, create_graph=twice, **options)
        found += [g.detach() for g in firsts]
        curved = [g for g in firsts if g.requires_grad]
        if curved:
            found += vg.autograd.grad(curved, wanted, [vg.ones_like(g) for g in curved], **options)
    assert {t.device for t in found} == {vg.empty(0, device=device).device}
    assert strict_devices.current() == 0
    return [t.cpu().numpy() for t in found]


#: Beginnings of the names of rows that must wait for the device, and why.
WAITING = {
    "gaussian_nll_loss": "negative variances are refused",
    "x[row mask": "the shape of the result is the number of true elements",
    "x[mask": "the shape of the result is the number of true elements",
    "masked_select": "the shape of the result is the number of true elements",
    "masked_scatter": "there must be as many elements as places",
    "unique": "the shape of the result is the number of different elements",
    "complex eigh": "a loss that depends on the phases of vectors is refused",
    "complex eigvalsh": "as eigh",
    "complex svd": "as eigh",
    "complex eig": "as eigh",
    "complex matrix_exp": "the norm says how often to square",
    "repeat_interleave by counts": "negative counts are refused, and their sum is a size",
    "grid_sample": "places outside the image are chosen by a mask",
    "prod": "with create_graph, zeros decide which formula is used",
    "cumprod": "as prod",
    "det": "as prod, of singular matrices",
    "complex prod": "as prod",
    "complex cumprod": "as prod",
    "complex det": "as det",
    "lu": "the order of rows is made from pivots one after another, on the host",
    "matrix_exp": "the norm says how often to square",
    "lstsq": "as pinv, below; and there are residuals of full rank alone",
    "ctc_loss": "the recursion runs over targets, which are lists",
}


#: It is read whether there is a result, as in PyTorch, which raises for a singular matrix, too.
RAISING = {
    "cond", "inv", "slogdet", "logdet", "solve", "solve from the right", "cholesky", "svdvals", "svd",
    "svd vectors", "pinv", "matrix_norm nuc", "matrix_norm 2", "complex inv", "complex logabsdet",
    "complex sign of det", "complex solve", "complex cholesky", "cholesky_inverse", "cholesky_inverse, upper",
}  # fmt: skip


def the_same_and_nobody_waits(row: Row, sample: Sample) -> None:
    there = derivatives(row, sample, SECOND, row.twice)
    waited = strict_array.reads[: -len(there)]
    here = derivatives(row, sample, "cpu", row.twice)
    for a, b in zip(there, here, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-10)
    if not row.name.startswith(tuple(WAITING)) and row.name not in RAISING:
        assert not waited


def a_fixed_order_gives_the_same(row: Row, sample: Sample) -> None:
    if "add" not in row.name and "x[" not in row.name:
        return
    vg.use_deterministic_algorithms(True)
    try:
        assert vg.are_deterministic_algorithms_enabled()
        there = derivatives(row, sample, SECOND, False)
    finally:
        vg.use_deterministic_algorithms(False)
    here = derivatives(row, sample, "cpu", False)
    for a, b in zip(there, here, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.mark.rule("E-94")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_row(row: Row, a_device: None) -> None:
    check_row(row, the_same_and_nobody_waits, a_fixed_order_gives_the_same)


# --- the strict array itself ------------------------------------------------------------------------


def test_it_refuses_what_cupy_refuses(cuda: None) -> None:
    x = vg.ones(3)._array
    for call in (
        lambda: np.asarray(x),
        lambda: x + np.ones(3),
        lambda: np.maximum.reduce(x),
        lambda: np.zeros_like(x, subok=False),
        lambda: np.frompyfunc(abs, 1, 1)(x),
        lambda: x[np.array([0])],
        lambda: np.ascontiguousarray(x),
    ):
        with pytest.raises((TypeError, NotImplementedError, IndexError)):
            call()


@pytest.mark.parametrize("read", [float, bool, repr, lambda x: x.item(), lambda x: x.tolist()])
def test_reading_is_noted(read: Any, cuda: None) -> None:
    x = vg.ones(())._array
    del strict_array.reads[:]
    read(x)
    assert len(strict_array.reads) == 1


def test_a_number_of_the_cpu_stands_beside_a_tensor_of_the_device(cuda: None) -> None:
    x = vg.ones(3, dtype=vg.float64, requires_grad=True)
    scale = vg.tensor(2.0, dtype=vg.float64, device="cpu", requires_grad=True)
    (x * scale).sum().backward()
    assert scale.grad.device == vg.device("cpu")
    assert scale.grad.item() == 3
    assert x.grad.tolist() == [2, 2, 2]
    with vg.no_grad():
        x.mul_(scale)
    assert x.tolist() == [2, 2, 2]


def test_devices_do_not_mix(cuda: None) -> None:
    for first, second in (("cuda", "cpu"), ("cpu", "cuda")):
        with pytest.raises(RuntimeError, match="same device"):
            vg.add(vg.ones(3, device=first), vg.ones(3, device=second))
        with pytest.raises(RuntimeError, match="same device"):
            vg.ones(3, device=first).add_(vg.ones(3, device=second))
