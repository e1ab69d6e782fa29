"""What is read of tensors where they lie: the same numbers, whichever way is quick enough for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
from vizgrad.debugger.engines.pytorch.elements import lying  # noqa: E402
from vizgrad.debugger.engines.pytorch.torch_tensors import LOOK  # noqa: E402

MADE: dict[str, Callable[[], Any]] = {
    "contiguous": lambda: torch.randn(3, 5),
    "doubles": lambda: torch.randn(7).double(),
    "transposed": lambda: torch.randn(3, 5).t(),
    "channels last": lambda: torch.randn(2, 3, 4, 4).to(memory_format=torch.channels_last),
    "a part": lambda: torch.randn(4, 6)[1:, ::2],
    "one row": lambda: torch.randn(4, 6)[2],
    "expanded": lambda: torch.randn(3, 1).expand(3, 4),
    "none": lambda: torch.empty(0, 3),
    "a number": lambda: torch.tensor(-2.5),
    "zeros": lambda: torch.zeros(4),
    "tiny": lambda: torch.full((4,), 1e-30),
    "huge": lambda: torch.full((4,), 1e30),
    "with NaN": lambda: torch.tensor([1.0, float("nan")]),
    "with Inf": lambda: torch.tensor([1.0, -float("inf")]),
    "large": lambda: torch.randn(300, 70),
    "a parameter": lambda: torch.nn.Parameter(torch.randn(4, 4)),
    "negated in place of a copy": lambda: torch.randn(3, dtype=torch.complex64).conj().imag,
}


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_numbers_of_a_tensor_are_those_of_its_elements(make: Callable[[], Any]) -> None:
    torch.manual_seed(0)
    tensor = make()
    exact = tensor.detach().double()
    norm = float(exact.norm())
    assert LOOK.kind(tensor) == "f"
    assert LOOK.finite(tensor) is bool(exact.isfinite().all())
    assert LOOK.norm_later(tensor)() == pytest.approx(norm, rel=1e-5, nan_ok=True)
    size = LOOK.size(tensor)
    largest = float(exact.abs().max()) if exact.numel() else 0.0
    assert size == pytest.approx(norm, rel=1e-5, nan_ok=True) or size == pytest.approx(largest)
    if exact.numel():
        sample = LOOK.sample(tensor, 10**6)
        assert torch.equal(torch.tensor(sample).double().nan_to_num(7), exact.nan_to_num(7))
        few = LOOK.sample(tensor, 8)
        assert few.size <= max(8, exact.numel() > 8)
        assert set(few[few == few]) <= set(sample.ravel())


def test_a_sample_is_a_copy() -> None:
    tensor = torch.ones(3)
    sample = LOOK.sample(tensor, 64)
    tensor.zero_()
    assert sample.tolist() == [1.0, 1.0, 1.0]


def test_what_does_not_lie_side_by_side_is_not_read_so() -> None:
    freed, cut = torch.randn(8), torch.randn(8)
    freed.untyped_storage().resize_(0)
    cut.untyped_storage().resize_(16)
    others = [
        freed, cut, torch.randn(3).half(), torch.arange(3), torch.randn(3).to_sparse(),
        torch.empty(3, device="meta"), torch.randn(4, 4)[:, ::2], torch.randn(1).expand(3),
        torch.frombuffer(bytearray(13), dtype=torch.float32, count=3, offset=1),
    ]  # fmt: skip
    assert [lying(each) for each in others] == [None] * len(others)
    assert all(LOOK.finite(each) for each in others)
    torch.vmap(_not_read)(torch.randn(3, 2))


def _not_read(row: Any) -> Any:
    assert lying(row) is None
    return row


def test_reading_leaves_memory_as_it_is() -> None:
    tensor = torch.randn(4)
    assert LOOK.finite(tensor)
    assert LOOK.size(tensor)
    tensor.untyped_storage().resize_(0)  # which PyTorch refuses for memory that numpy was shown
    assert tensor._version == 0
