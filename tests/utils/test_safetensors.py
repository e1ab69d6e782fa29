"""Safetensors files: what comes back, what the format cannot say, damage."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest
import safetensors

import vizgrad as vg
from vizgrad import nn
from vizgrad.utils.safetensors import load, load_file, load_model, save, save_file, save_model

DTYPES = (
    vg.bool, vg.uint8, vg.int8, vg.int16, vg.int32, vg.int64, vg.float16, vg.float32, vg.float64,
    vg.complex64,
)  # fmt: skip


def content(dtype: str, shape: list[int], raw: bytes) -> bytes:
    """A file of one tensor "x", written by hand."""
    head = json.dumps(
        {"x": {"dtype": dtype, "shape": shape, "data_offsets": [0, len(raw)]}}
    ).encode()
    return struct.pack("<Q", len(head)) + head + raw


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.name)
def test_every_type_comes_back(dtype: Any, tmp_path: Path) -> None:
    tensors = {
        "matrix": vg.tensor([[0, 1], [2, 3]]).to(dtype),
        "scalar": vg.tensor(1).to(dtype),
        "none": vg.zeros(0, 3).to(dtype),
    }
    save_file(tensors, tmp_path / "x.safetensors", {"made": "here"})
    for back in (load_file(tmp_path / "x.safetensors"), load(save(tensors))):
        assert sorted(back) == sorted(tensors)
        for name, tensor in tensors.items():
            assert (back[name].dtype, back[name].shape) == (tensor.dtype, tensor.shape)
            assert back[name].tolist() == tensor.tolist()
    with safetensors.safe_open(tmp_path / "x.safetensors", "numpy") as file:
        assert file.metadata() == {"made": "here"}
    back["matrix"][0, 0] = 1  # memory of its own, which may be written to


@pytest.mark.rule("X-11")
def test_types_that_numpy_has_not() -> None:
    x = load(content("BF16", [2], b"\xc0\x3f\x00\xc0"))["x"]
    assert x.dtype is vg.bfloat16
    assert x.tolist() == [1.5, -2]
    for dtype in (vg.bfloat16, vg.float8_e4m3fn, vg.float8_e5m2):
        back = load(save({"x": vg.tensor([[1.5], [-2.0]]).to(dtype)}))["x"]
        assert back.dtype is dtype
        assert back.tolist() == [[1.5], [-2]]


@pytest.mark.parametrize(
    ("tensors", "error", "phrase"),
    [
        ([1], ValueError, "Expected a dict"),
        ({"a": 1}, ValueError, "Key `a` is invalid, expected"),
        ({"a": vg.zeros(2, 3).t()}, ValueError, "non contiguous tensor: `a`"),
        ({"a": vg.zeros(1, dtype=vg.complex128)}, ValueError, "have no complex128"),
        ({1: vg.zeros(1)}, TypeError, "names of tensors are strings"),
    ],
    ids=["list", "number", "strides", "complex128", "name"],
)
def test_what_the_format_cannot_say(tensors: Any, error: type[Exception], phrase: str) -> None:
    with pytest.raises(error, match=phrase):
        save(tensors)


def test_shared_memory_is_refused() -> None:
    x = vg.arange(6.0)
    save({"a": x[:3], "b": x[3:]})  # parts that do not meet
    for other in (x, x[2:], x.detach()):
        with pytest.raises(RuntimeError, match=r"Some tensors share memory.*'a'.*save_model"):
            save({"a": x[:3], "b": other})


def tied() -> Any:
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    model[1].weight = model[0].weight
    return model


def test_a_model_with_shared_weights(tmp_path: Path) -> None:
    file = tmp_path / "m.safetensors"
    model, other = tied(), tied()
    save_model(model, file)
    assert sorted(load_file(file)) == ["0.bias", "0.weight", "1.bias"]
    with safetensors.safe_open(file, "numpy") as opened:
        assert opened.metadata() == {"1.weight": "0.weight"}
    assert load_model(other, file) == (set(), [])
    assert vg.equal(other[1].weight, model[0].weight)
    # under the other of its names
    found = load_file(file)
    found["1.weight"] = found.pop("0.weight")
    save_file(found, file)
    assert load_model(other, file) == (set(), [])


def test_loading_another_model(tmp_path: Path) -> None:
    file = tmp_path / "m.safetensors"
    save_file({"weight": vg.zeros(1, 2), "more": vg.zeros(1)}, file)
    layer = nn.Linear(2, 1)
    with pytest.raises(RuntimeError, match=r'(?s)for Linear.*Missing.*"bias".*Unexpected.*"more"'):
        load_model(layer, file)
    assert load_model(layer, file, strict=False) == ({"bias"}, ["more"])
    assert layer.weight.tolist() == [[0, 0]]


def test_memory_that_no_tensor_covers(tmp_path: Path) -> None:
    model = nn.Module()
    x = vg.arange(6.0)
    model.register_buffer("a", x[:4])
    model.register_buffer("b", x[2:])
    with pytest.raises(RuntimeError, match="covers all of the memory"):
        save_model(model, tmp_path / "m.safetensors")


def test_errors_quote_little_of_the_file() -> None:
    number, name = "9" * 5000, "n" * 5000
    damaged = content("F32", [1], bytes(4)).replace(b"F32", number.encode())
    damaged = (len(damaged) - 12).to_bytes(8, "little") + damaged[8:]
    long_name = content("U16", [1], b"\0\0").replace(b'"x"', f'"{name}"'.encode())
    long_name = (len(long_name) - 10).to_bytes(8, "little") + long_name[8:]
    for data in (damaged, long_name):
        with pytest.raises((safetensors.SafetensorError, TypeError)) as caught:
            load(data)
        assert 20 < len(str(caught.value)) < 1100


def test_damage_and_foreign_types(tmp_path: Path) -> None:
    with pytest.raises(safetensors.SafetensorError):
        load(b"xx")
    with pytest.raises(safetensors.SafetensorError):
        load(save({"x": vg.ones(4)})[:-3])
    with pytest.raises(TypeError, match="no element type U16, which `x` is of"):
        load(content("U16", [1], b"\0\0"))
    with pytest.raises(FileNotFoundError):
        load_file(tmp_path / "none")
