"""Views of a device's memory: they have a base, and the allocation says what shares memory (E-52)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.fixtures import strict_module
from vizgrad.core.arrays import layout
from vizgrad.core.arrays.kernels import elementwise, shapes

MAKERS: dict[str, Callable[[Any], Any]] = {
    "expand": lambda x: shapes.expand(x, shape=(2, 3, 4)),
    "diagonal": lambda x: shapes.diagonal(x, 0, 0, 1),
    "unfold": lambda x: shapes.unfold(x, 1, 2, 1),
    "as_strided": lambda x: layout.as_strided(x, (2, 2), (4, 1), 1),
    "as_real": lambda x: elementwise.as_real(x.astype(np.complex128)),
    "restrided": lambda x: layout.restrided(x, (3,), (8,)),
}


@pytest.fixture(autouse=True, scope="module")
def there() -> Iterator[None]:
    with strict_module.as_cuda():
        yield


def array(*shape: int) -> Any:
    return vg.zeros(*shape, dtype=vg.float64, device="cuda")._array


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_view_has_a_base_as_on_the_host(make: Callable[[Any], Any]) -> None:
    view = make(array(3, 4))
    assert view.base is not None
    assert make(np.zeros((3, 4))).base is not None


def test_two_views_of_one_block_at_different_places_share_it() -> None:
    x = array(3, 4)
    first, second = (layout.as_strided(x, (2,), (1,), at) for at in (0, 6))
    assert layout.share_block(first, second)
    assert layout.share_block(first, x)
    assert layout.share_block(x, second)
    assert layout.block_of(first) == layout.block_of(x)
    assert not layout.share_block(first, array(3, 4))


def test_only_a_view_of_all_of_it_has_the_whole_block() -> None:
    x = array(40, 40)
    assert layout.has_whole_block(x.T)
    assert not layout.has_whole_block(x[:20])
    assert not layout.has_whole_block(shapes.diagonal(x, 0, 0, 1))
    assert not layout.has_whole_block(shapes.expand(array(40), shape=(40, 40)))


def test_an_operand_that_meets_the_target_in_part_is_refused() -> None:
    x = vg.zeros(12, device="cuda")
    first, second = (x.data.as_strided((6,), (1,), at) for at in (0, 3))
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        first.add_(second)


USES: dict[str, Callable[[Any], Any]] = {
    "sum of rows": lambda h: h * 1 + h.sum(0),
    "sum of all": lambda h: h.exp() + h.sum(),
    "mean": lambda h: h.exp() + h.mean(1, keepdim=True),
    "diagonal": lambda h: h.exp() + h.diagonal().sum(),
    "expand": lambda h: h.sin() + h[:1].expand(4, 4),
    "three times": lambda h: h.sum(0) * 2 + h.sum(1) + h.mean(),
    "trace": lambda h: h.trace() + h.sum() + h.tanh(),
}


@pytest.mark.rule("E-52")
@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_broadcast_gradient_is_not_added_to_in_place(use: Callable[[Any], Any]) -> None:
    found = []
    for device in ("cpu", "cuda"):
        x = vg.arange(16, dtype=vg.float64, device=device).reshape(4, 4).requires_grad_()
        h = x * 0.1
        use(h).sum().backward()
        use(h := x * 0.1).square().sum().backward()
        found.append(x.grad.tolist())
    np.testing.assert_allclose(found[1], found[0], rtol=1e-12)


def test_each_result_of_a_jacobian_has_memory_of_its_own() -> None:
    x = vg.ones(3, device="cuda")
    _, pull = vg.func.vjp(lambda a, b: a.sum() + b.sum(), x, vg.ones(3, device="cuda"))
    first, second = pull(vg.ones((), device="cuda"))
    first += 1
    assert second.tolist() == [1, 1, 1]
