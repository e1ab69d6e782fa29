"""Files go both ways: each of PyTorch and vizgrad reads what the other wrote."""

from __future__ import annotations

import io
from collections import OrderedDict
from typing import Any

import pytest

DTYPES = (
    "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
    "complex64", "complex128",
)  # fmt: skip


@pytest.fixture(params=["to PyTorch", "from PyTorch"])
def way(request: pytest.FixtureRequest, oracle: Any, vizgrad: Any) -> tuple[Any, Any]:
    """The module that writes, and the one that reads."""
    return (vizgrad, oracle) if request.param == "to PyTorch" else (oracle, vizgrad)


def carry(way: tuple[Any, Any], make: Any, **options: Any) -> Any:
    """`make(module)` of the writer as the reader finds it; PyTorch with `weights_only=True`."""
    writer, reader = way
    file = io.BytesIO()
    writer.save(make(writer), file, **options)
    file.seek(0)
    return reader.load(file, weights_only=True)


@pytest.mark.parametrize("dtype", DTYPES)
def test_tensors_of_every_type_and_geometry(way: tuple[Any, Any], dtype: str) -> None:
    def make(torch: Any) -> list[Any]:
        x = torch.tensor([[0, 1, 2], [3, 4, 5]]).to(getattr(torch, dtype))
        return [x, x.t(), x[:, 1:], x[1, 2], x[:0], x[:, :1].expand(2, 4)]

    for back, local in zip(carry(way, make), make(way[1]), strict=True):
        assert back.dtype is local.dtype
        assert (back.tolist(), back.shape) == (local.tolist(), local.shape)
        assert (back.stride(), back.storage_offset()) == (local.stride(), local.storage_offset())


def test_plain_things(way: tuple[Any, Any]) -> None:
    def make(torch: Any) -> dict[Any, Any]:
        return {
            "none": None, "numbers": [1, -1, 300, 10**30, 2.5, 1j, True], "text": "äö", "set": {1, 2},
            "more": bytearray(b"x"), "bytes": b"\x00a", "tuple": ((), (1,), (1, 2, 3, 4)),
            "dtype": torch.float16, "bool": torch.bool, "size": torch.Size([2, 3]),
            "device": torch.device("cpu"), "other": torch.device("cuda:1"),
            "ordered": OrderedDict(b=1, a=2), 3: {(1, 2): "key"},
        }  # fmt: skip

    assert carry(way, make) == make(way[1])


def test_flags_parameters_and_attributes(way: tuple[Any, Any]) -> None:
    def make(torch: Any) -> list[Any]:
        frozen = torch.nn.Parameter(torch.ones(2), requires_grad=False)
        frozen.note = "mine"
        marked = torch.zeros(1, requires_grad=True)
        marked.tags = ["a"]
        weight = torch.nn.Parameter(torch.ones(2))
        return [weight, frozen, marked, weight * 2, weight]

    back = carry(way, make)
    kinds = [type(t) for t in make(way[1])]
    assert [type(t) for t in back] == kinds
    assert [t.requires_grad for t in back] == [True, False, True, True, True]
    assert back[0] is back[4]
    assert (back[1].note, back[2].tags) == ("mine", ["a"])
    assert back[3].is_leaf


def test_shared_memory_stays_shared(way: tuple[Any, Any]) -> None:
    def make(torch: Any) -> list[Any]:
        x = torch.arange(6.0)
        return [x, x[2:5], x.reshape(2, 3).t(), torch.nn.Parameter(x), x.data]

    back = carry(way, make)
    back[1][0] = 99
    for tensor in (back[0], back[2].t().reshape(6), back[3], back[4]):
        assert tensor.tolist() == [0, 1, 99, 3, 4, 5]


@pytest.mark.rule("S-12")
@pytest.mark.filterwarnings("ignore:Sparse")
def test_sparse_tensors(way: tuple[Any, Any]) -> None:
    def make(torch: Any) -> dict[str, Any]:
        repeated = torch.sparse_coo_tensor([[1, 0, 1], [0, 2, 0]], [1.0, 2.0, 3.0], (2, 3))
        return {
            "coo": repeated, "coalesced": repeated.coalesce(), "csr": repeated.to_sparse_csr(),
            "csc": repeated.to_sparse_csc(), "rows": torch.eye(3, dtype=torch.float64).to_sparse(1),
            "nothing": torch.sparse_coo_tensor((2, 3)), "leaf": torch.nn.Parameter(torch.eye(2).to_sparse()),
        }  # fmt: skip

    back = carry(way, make)
    for name, local in make(way[1]).items():
        assert back[name].layout is local.layout
        assert back[name].dtype is local.dtype
        assert back[name]._nnz() == local._nnz()
        assert back[name].requires_grad == local.requires_grad
        assert back[name].to_dense().tolist() == local.to_dense().tolist()
        if local.is_sparse:
            assert back[name].is_coalesced() == local.is_coalesced()
            assert back[name]._indices().tolist() == local._indices().tolist()


def model(torch: Any) -> tuple[Any, Any]:
    nn = torch.nn
    made = nn.Sequential(
        nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Linear(8, 3), nn.GRU(3, 2)
    ).double()
    optimizer = torch.optim.AdamW(
        [{"params": made[:3].parameters(), "lr": 0.1}, {"params": made[3:].parameters()}], lr=0.01
    )
    return made, optimizer


def steps(torch: Any, made: Any, optimizer: Any, count: int) -> list[float]:
    losses = []
    for _ in range(count):
        optimizer.zero_grad()
        loss = (
            made(torch.arange(64.0, dtype=torch.float64).reshape(4, 1, 4, 4) / 64)[0].square().sum()
        )
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def test_training_goes_on_in_the_other(way: tuple[Any, Any]) -> None:
    writer, reader = way
    made, optimizer = model(writer)
    steps(writer, made, optimizer, 2)
    found = carry(
        way, lambda torch: {"model": made.state_dict(), "optimizer": optimizer.state_dict()}
    )
    assert found["model"]._metadata == made.state_dict()._metadata
    other, its_optimizer = model(reader)
    other.load_state_dict(found["model"])
    its_optimizer.load_state_dict(found["optimizer"])
    assert steps(reader, other, its_optimizer, 3) == pytest.approx(
        steps(writer, made, optimizer, 3), rel=1e-9
    )


def test_files_of_before_1_6(oracle: Any, vizgrad: Any) -> None:
    def make(torch: Any) -> dict[str, Any]:
        x = torch.arange(6.0)
        return {"x": x, "part": x[2:4], "p": torch.nn.Parameter(torch.ones(2)), "d": {"n": 1}}

    back = carry((oracle, vizgrad), make, _use_new_zipfile_serialization=False)
    assert back["x"].tolist() == [0, 1, 2, 3, 4, 5]
    back["part"][0] = 9
    assert back["x"].tolist() == [0, 1, 9, 3, 4, 5]
    assert type(back["p"]) is vizgrad.nn.Parameter


@pytest.mark.rule("X-11")
@pytest.mark.parametrize("new", [True, False], ids=["zip", "before 1.6"])
def test_bfloat16(way: tuple[Any, Any], oracle: Any, new: bool) -> None:
    values = [1.5, -2.0, float("inf"), 3.140625]
    if way[0] is not oracle and not new:
        pytest.skip("vizgrad writes zip files only")
    options = {} if new else {"_use_new_zipfile_serialization": False}
    back = carry(
        way,
        lambda torch: torch.nn.Parameter(
            torch.tensor(values, dtype=torch.bfloat16).reshape(2, 2).t()
        ),
        **options,
    )
    assert back.dtype is way[1].bfloat16
    assert back.tolist() == [[1.5, float("inf")], [-2.0, 3.140625]]
    assert back.stride() == (1, 2)


def test_mapped_files(way: tuple[Any, Any], tmp_path: Any) -> None:
    writer, reader = way
    writer.save({"x": writer.arange(5.0), "y": writer.ones(3, 3)[1:]}, tmp_path / "x.pt")
    back = reader.load(tmp_path / "x.pt", mmap=True, weights_only=True)
    assert back["x"].tolist() == [0, 1, 2, 3, 4]
    assert back["y"].shape == (2, 3)


@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize("what", ["blocks", "uint16", "module", "numpy", "frozenset of arrays"])
def test_what_vizgrad_has_not_is_refused_by_name(oracle: Any, vizgrad: Any, what: str) -> None:
    import pickle

    import numpy as np

    obj, name = {
        "blocks": lambda: (oracle.eye(2).to_sparse_bsr((1, 1)), "a layout is strided, sparse_coo"),
        "uint16": lambda: (
            oracle.ones(2, dtype=oracle.uint16),
            "_rebuild_tensor_v3|UntypedStorage",
        ),
        "module": lambda: (oracle.nn.Linear(1, 1), "torch.nn.modules.linear.Linear"),
        "numpy": lambda: (np.ones(2), "_reconstruct"),
        "frozenset of arrays": lambda: (frozenset([np.float64(1)]), "scalar"),
    }[what]()
    with pytest.raises(pickle.UnpicklingError, match=f"Weights only load failed.*({name})"):
        carry((oracle, vizgrad), lambda torch: obj)


def test_safetensors_both_ways(oracle: Any, vizgrad: Any) -> None:
    import safetensors.torch as theirs

    from vizgrad.utils import safetensors as ours

    def make(torch: Any) -> dict[str, Any]:
        return {d: torch.tensor([[0, 1], [2, 3]]).to(getattr(torch, d)) for d in DTYPES[:-1]}

    back = ours.load(theirs.save(make(oracle)))
    again = theirs.load(ours.save(make(vizgrad)))
    for name in DTYPES[:-1]:
        assert back[name].dtype.name == name
        assert str(again[name].dtype) == f"torch.{name}"
        assert back[name].tolist() == again[name].tolist() == make(oracle)[name].tolist()


def test_a_model_in_safetensors(oracle: Any, vizgrad: Any, tmp_path: Any) -> None:
    import safetensors.torch as theirs

    from vizgrad.utils import safetensors as ours

    made = {torch: model(torch)[0] for torch in (oracle, vizgrad)}
    theirs.save_model(made[oracle], tmp_path / "x")
    assert ours.load_model(made[vizgrad], tmp_path / "x") == (set(), [])
    for name, tensor in made[oracle].state_dict().items():
        assert made[vizgrad].state_dict()[name].tolist() == tensor.tolist()
    ours.save_model(made[vizgrad], tmp_path / "y")
    assert theirs.load_model(model(oracle)[0], tmp_path / "y") == (set(), [])
