"""Archives of numpy's."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from vizgrad.utils.npz import load_npz, save_npz


def test_tensors_come_back_and_numpy_reads_them(tmp_path: Path) -> None:
    x = vg.arange(6.0, requires_grad=True)
    tensors = {
        "x": x, "part": x.detach().reshape(2, 3).t(), "file": vg.tensor(3), "a.b": vg.zeros(0, 2),
        "flag": vg.tensor([True]), "half": vg.ones(1, dtype=vg.float16),
    }  # fmt: skip
    path = tmp_path / "x.npz"
    save_npz(tensors, path)
    back = load_npz(path)
    assert list(back) == list(tensors)
    for name, tensor in tensors.items():
        assert (back[name].dtype, back[name].shape) == (tensor.dtype, tensor.shape)
        assert back[name].tolist() == tensor.tolist()
    assert vg.equal(back["x"] + x, 2 * x)
    with np.load(path) as archive:
        assert archive["part"].tolist() == tensors["part"].tolist()
    np.savez(tmp_path / "y.npz", big=np.arange(3, dtype=">f4"))
    assert load_npz(tmp_path / "y.npz")["big"].tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("array", "error", "phrase"),
    [
        (np.array([{}], object), ValueError, "allow_pickle=False"),
        (np.array(["a"]), TypeError, "can't convert an array of dtype"),
    ],
    ids=["objects", "text"],
)
def test_what_is_no_tensor(array: Any, error: type[Exception], phrase: str) -> None:
    file = io.BytesIO()
    np.savez(file, x=array)
    file.seek(0)
    with pytest.raises(error, match=phrase):
        load_npz(file)
    with pytest.raises(TypeError, match="`x` is no tensor but ndarray"):
        save_npz({"x": array}, io.BytesIO())
