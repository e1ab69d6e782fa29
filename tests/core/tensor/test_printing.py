"""How tensors look as text."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import vizgrad as vg

CASES = [
    (vg.tensor(1.5), "tensor(1.5000)"),
    (vg.tensor([1.0, 2.0]), "tensor([1., 2.])"),
    (vg.tensor([1.0, 2.5], requires_grad=True), "tensor([1.0000, 2.5000], requires_grad=True)"),
    (vg.tensor([1, 20]), "tensor([ 1, 20])"),
    (vg.tensor([True, False]), "tensor([ True, False])"),
    (vg.tensor([1.0], dtype=vg.float64), "tensor([1.], dtype=vizgrad.float64)"),
    (vg.tensor([1], dtype=vg.int32), "tensor([1], dtype=vizgrad.int32)"),
    (vg.tensor([1e-5, 1.0]), "tensor([1.0000e-05, 1.0000e+00])"),
    (vg.tensor([float("nan"), 1.0, float("inf")]), "tensor([nan, 1., inf])"),
    (vg.zeros(0), "tensor([])"),
    (vg.zeros(0, 3), "tensor([], size=(0, 3))"),
    (vg.zeros(0, dtype=vg.int64), "tensor([], dtype=vizgrad.int64)"),
    (vg.tensor([[1, 2], [3, 4]]), "tensor([[1, 2],\n        [3, 4]])"),
    (vg.arange(2000), "tensor([   0,    1,    2,  ..., 1997, 1998, 1999])"),
    (vg.tensor([1 + 2j, 3.5 - 1j]), "tensor([1.0000+2.j, 3.5000-1.j])"),
]


@pytest.mark.parametrize(("tensor", "text"), CASES, ids=[text[:30] for _, text in CASES])
def test_repr(tensor: vg.Tensor, text: str) -> None:
    assert repr(tensor) == text


def test_history_is_named() -> None:
    x = vg.ones(2, requires_grad=True)
    assert repr(x * 2) == "tensor([2., 2.], grad_fn=<MulBackward0>)"


def test_large_matrices_show_their_edges() -> None:
    lines = repr(vg.zeros(100, 100)).split("\n")
    assert len(lines) == 7
    assert lines[0] == "tensor([[0., 0., 0.,  ..., 0., 0., 0.],"
    assert lines[3].strip() == "...,"


def test_numbers_format_themselves() -> None:
    assert f"{vg.tensor(1.23456):.2f}" == "1.23"
    with pytest.raises(TypeError):
        f"{vg.ones(2):.2f}"


@pytest.fixture
def _options() -> Iterator[None]:
    yield
    vg.set_printoptions(profile="default")


@pytest.mark.usefixtures("_options")
def test_options() -> None:
    vg.set_printoptions(precision=2)
    assert repr(vg.tensor([1.234])) == "tensor([1.23])"
    vg.set_printoptions(sci_mode=True)
    assert repr(vg.tensor([1.5])) == "tensor([1.50e+00])"
    vg.set_printoptions(profile="full")
    assert "..." not in repr(vg.arange(2000))
