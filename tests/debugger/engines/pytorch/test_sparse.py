"""Graphs that hold tensors which are not dense are stepped as any; what cannot be had is left out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad  # noqa: E402
from vizgrad.debugger.engines.pytorch.elements import bytes_of, shape_of  # noqa: E402
from vizgrad.debugger.engines.pytorch.summary import summarize_closely  # noqa: E402

pytestmark = [
    pytest.mark.rule("Y-4"),
    pytest.mark.filterwarnings("ignore:Sparse (CSR|CSC|BSR|BSC|invariant)"),
    pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors"),
]

#: How a matrix is made sparse, by layout.
SPARSE: dict[str, Callable[[Any], Any]] = {
    "coo": lambda dense: dense.to_sparse(),
    "csr": lambda dense: dense.to_sparse_csr(),
    "csc": lambda dense: dense.to_sparse_csc(),
    "bsr": lambda dense: dense.to_sparse_bsr((2, 2)),
    "bsc": lambda dense: dense.to_sparse_bsc((2, 2)),
}


def dense() -> Any:
    return torch.tensor([[0.0, 2, 0, 0], [1, 0, 0, 3], [0, 0, 0, 0], [0, 4, 0, 5]])


def a_constant(layout: str) -> tuple[Any, Any]:
    x = torch.ones(4, 2, requires_grad=True)
    return (torch.sparse.mm(SPARSE[layout](dense()), x) ** 2).sum(), x


def a_leaf(layout: str) -> tuple[Any, Any]:
    a = SPARSE[layout](dense()).requires_grad_()
    return torch.sparse.mm(a, torch.ones(4, 2)).sum(), a


def on_the_way(layout: str) -> tuple[Any, Any]:
    x = dense().requires_grad_()
    return (SPARSE[layout](x).to_dense() ** 2).sum(), x


def many_of_one_place(layout: str) -> tuple[Any, Any]:
    places = torch.tensor([[0, 0, 1], [1, 1, 0]])
    values = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    a = torch.sparse_coo_tensor(places, values, (2, 2))
    return torch.sparse.sum(a * a).exp(), values


def none_stored(layout: str) -> tuple[Any, Any]:
    x = torch.ones(4, 2, requires_grad=True)
    return torch.sparse.mm(SPARSE[layout](torch.zeros(4, 4)), x).sum(), x


def an_embedding(layout: str) -> tuple[Any, Any]:
    weight = torch.linspace(0, 1, 10).reshape(5, 2).requires_grad_()
    rows = torch.nn.functional.embedding(torch.tensor([1, 1, 3]), weight, sparse=True)
    return rows.pow(2).sum(), weight


def a_nested_one(layout: str) -> tuple[Any, Any]:
    rows = [torch.ones(2, 3), torch.full((4, 3), 2.0)]
    nested = torch.nested.nested_tensor(rows, layout=torch.jagged, requires_grad=True)
    return (torch.nested.to_padded_tensor(nested * nested, 0.0) ** 2).sum(), nested


def on_the_meta_device(layout: str) -> tuple[Any, Any]:
    x = torch.ones(3, device="meta", requires_grad=True)
    return (x * x).exp().sum(), x


#: Those that PyTorch itself differentiates.
PROGRAMS = [
    *((a_constant, layout) for layout in ("coo", "csr", "csc")),
    *((a_leaf, layout) for layout in ("coo", "csr")),
    *((on_the_way, layout) for layout in SPARSE),
    *((none_stored, layout) for layout in ("coo", "csr")),
    (many_of_one_place, "coo"), (an_embedding, "coo"), (a_nested_one, "jagged"), (on_the_meta_device, ""),
]  # fmt: skip
programs = pytest.mark.parametrize(
    ("program", "layout"), PROGRAMS, ids=lambda of: of if isinstance(of, str) else of.__name__
)


def same(one: Any, two: Any) -> bool:
    if one.device.type == "meta":
        return one.shape == two.shape
    if one.is_nested:
        return torch.equal(one.values(), two.values())
    return one.layout == two.layout and torch.equal(one.to_dense(), two.to_dense())


def gradient_of(program: Callable[[str], Any], layout: str) -> Any:
    loss, leaf = program(layout)
    loss.backward()
    return leaf.grad


def stepped(loss: Any, leaf: Any, folder: Path, kinds: tuple[str, ...] = ("healthy",)) -> None:
    """Everything that can be asked of a session."""
    vizgrad.graph(loss).to_text()
    vizgrad.versions(loss)
    vizgrad.versions(leaf)
    with vizgrad.debug(loss, display=False) as session:
        session.step()
        session.back()
        session.continue_()
        session.seek(1)
        session.continue_()
        assert session.status == "finished"
        assert len(session.trace.visits) == len(session.trace.graph.nodes)
        assert all(visit.error == "" for visit in session.trace.visits)
        session.trace.save(folder / "run.vgtrace")
        with session.at_rest() as (_, look):
            assert look.memory.largest(0, 4) is not None
        for name, _ in session.trace.arrays():
            assert name.node >= 0
        assert vizgrad.why(leaf).kind in kinds


#: Their gradients are zero, and large: the steps of a session tell it.
SAID = {none_stored: ("zero-derivative",), many_of_one_place: ("healthy", "ill-scaled")}


def test_the_memory_of_every_layout_is_read() -> None:
    """All at once: one reading goes through the whole process."""
    held = [program(layout) for program, layout in PROGRAMS]
    assert vizgrad.memory()
    del held


@programs
def test_a_session(program: Callable[[str], Any], layout: str, tmp_path: Path) -> None:
    expected = gradient_of(program, layout)
    loss, leaf = program(layout)
    stepped(loss, leaf, tmp_path, SAID.get(program, ("healthy",)))
    assert same(leaf.grad, expected)


@programs
def test_a_watch(program: Callable[[str], Any], layout: str, tmp_path: Path) -> None:
    expected = gradient_of(program, layout)
    with vizgrad.watch() as watch:
        found = gradient_of(program, layout)
        loss, leaf = program(layout)
        stepped(loss, leaf, tmp_path, SAID.get(program, ("healthy",)))
    assert same(found, expected)
    assert same(leaf.grad, expected)
    assert watch.findings == []


@pytest.mark.parametrize(
    ("layout", "nbytes", "nnz"),
    [("coo", 5 * (4 + 16), 5), ("csr", 5 * (4 + 8) + 5 * 8, 5), ("csc", 5 * (4 + 8) + 5 * 8, 5),
     ("bsr", 4 * 16 + 3 * 8 + 4 * 8, 4), ("bsc", 4 * 16 + 3 * 8 + 4 * 8, 4)],
)  # fmt: skip
def test_the_size_is_that_of_values_and_places(layout: str, nbytes: int, nnz: int) -> None:
    tensor = SPARSE[layout](dense())
    assert bytes_of(tensor) == nbytes
    told = summarize_closely(tensor)
    assert told is not None
    assert (told.shape, told.bytes, told.nnz, told.layout) == (
        (4, 4),
        nbytes,
        nnz,
        f"sparse_{layout}",
    )
    assert (told.norm, told.max, told.zeros) == (pytest.approx(55**0.5), 5.0, 11)
    assert told.heat is None


def test_saved_sparse_values_are_sized_and_seen_written() -> None:
    a = dense().to_sparse()
    loss = torch.sparse.mm(a, torch.ones(4, 2, requires_grad=True)).sum()
    (saved,) = [
        s for node in vizgrad.graph(loss).data.nodes for s in node.saved if s.shape == (4, 4)
    ]
    assert (saved.bytes, saved.state) == (100, "alive")
    a.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        vizgrad.debug(loss, display=False).continue_()


def test_a_large_sparse_gradient_is_never_made_dense() -> None:
    """It would take 40 GB."""
    leaf = torch.sparse_coo_tensor(
        torch.tensor([[1], [2]]), torch.tensor([3.0]), (100_000, 100_000), requires_grad=True
    )
    leaf.register_hook(lambda grad: grad * 2)
    session = vizgrad.debug(torch.sparse.sum(leaf * 2), display=False)
    session.continue_()
    assert session.trace.visits[-1].accumulate.after.nnz == 1
    session.close()


def test_a_sparse_gradient_that_is_not_finite_is_explained() -> None:
    weight = torch.zeros(5, 2, requires_grad=True)
    with vizgrad.watch():
        rows = torch.nn.functional.embedding(torch.tensor([1, 1, 3]), weight, sparse=True)
        loss = (rows.sqrt() * rows).sum()
        loss.backward()
    assert weight.grad.is_sparse
    found = vizgrad.why(weight)
    assert found.culprit is not None
    assert "sqrt" in found.culprit.text


def test_the_shape_of_a_nested_tensor_says_what_differs() -> None:
    rows = [torch.ones(2, 3), torch.ones(4, 3)]
    assert shape_of(torch.nested.nested_tensor(rows)) == (2, -1, 3)
    assert shape_of(torch.nested.nested_tensor(rows, layout=torch.jagged)) == (2, -1, 3)
