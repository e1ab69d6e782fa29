"""Memory shared with cupy itself, without a copy. `make gpu-test`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vizgrad as vg

pytestmark = pytest.mark.gpu


@pytest.fixture
def cupy() -> Any:
    """Fails, and does not skip, where there is none: nobody asks for these tests without a GPU."""
    import cupy

    return cupy


@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16", "int64", "bool", "complex64"])
def test_cupy_and_tensors_share(name: str, cupy: Any) -> None:
    x = vg.arange(6, device="cuda").reshape(2, 3).to(getattr(vg, name))
    array = cupy.from_dlpack(x.T)
    assert array.data.ptr == x.data_ptr()
    assert array.shape == (3, 2)
    assert array.strides == tuple(n * x.element_size() for n in (1, 3))
    back = vg.from_dlpack(array)
    assert back.dtype is x.dtype
    assert back.data_ptr() == x.data_ptr()
    back[0, 1] = 0
    assert x[1, 0].item() == 0
    assert vg.equal(vg.from_dlpack(x, copy=True), x)


def test_a_stream_waits() -> None:
    side = vg.cuda.Stream()
    x = vg.ones(3, device="cuda")
    with vg.cuda.stream(side):
        y = vg.from_dlpack(x) + 1
    side.synchronize()
    assert y.tolist() == [2, 2, 2]


def test_cuda_array_interface(cupy: Any) -> None:
    x = vg.arange(6.0, device="cuda").reshape(2, 3)
    array = cupy.asarray(x.T)
    assert array.data.ptr == x.data_ptr()
    assert vg.as_tensor(array, device="cuda").data_ptr() == x.data_ptr()
    assert vg.asarray(array).data_ptr() == x.data_ptr()
    assert np.array_equal(array.get(), x.T.cpu().numpy())


def test_to_the_host() -> None:
    x = vg.ones(3, device="cuda")
    assert np.from_dlpack(x, device="cpu").tolist() == [1, 1, 1]
    assert vg.from_dlpack(np.ones(2), device="cuda").is_cuda
