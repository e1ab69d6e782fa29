"""Memory shared with other libraries, without a copy: numpy, PyTorch, and what lies on a device."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.fixtures import strict_module
from tests.fixtures.strict_array import StrictArray
from vizgrad.utils.dlpack import from_dlpack, to_dlpack


class Producer:
    """An array of a library: with `old`, from before versions of the protocol."""

    def __init__(self, array: Any, *, old: bool = False) -> None:
        self.array, self.old = array, old
        self.asked: list[dict[str, Any]] = []

    def __dlpack__(self, **options: Any) -> Any:
        self.asked.append(options)
        if self.old and options.keys() - {"stream"}:
            raise TypeError("unexpected keyword")
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


def test_numpy_reads_a_tensor_where_it_lies() -> None:
    x = vg.arange(6.0).reshape(2, 3)
    array = np.from_dlpack(x.T)
    assert array.strides == (4, 12)
    array[0, 1] = 9
    assert x[1, 0].item() == 9
    assert x.__dlpack_device__() == (1, 0)


def test_a_tensor_shows_an_array_where_it_lies() -> None:
    array = np.arange(6).reshape(2, 3)
    x = vg.from_dlpack(array.T)
    assert x.shape == (3, 2)
    x[2, 0] = 9
    assert array[0, 2] == 9


@pytest.mark.parametrize("old", [False, True])
def test_what_is_read_can_be_written_and_is_kept_alive(old: bool) -> None:
    array = np.ones(3)
    alive = weakref.ref(array)
    x = vg.from_dlpack(Producer(array, old=old))
    x += 1
    assert array.tolist() == [2, 2, 2]
    del array
    gc.collect()
    assert x[1:].tolist() == [2, 2]
    assert alive() is not None
    del x
    gc.collect()
    assert alive() is None


def test_read_only_memory_stays_so() -> None:
    array = np.ones(3)
    array.flags.writeable = False
    x = vg.from_dlpack(array)
    with pytest.raises(RuntimeError, match="read-only"):
        x += 1


@pytest.mark.parametrize("old", [False, True])
def test_a_copy_is_made_where_one_is_asked_for(old: bool) -> None:
    array = np.ones(3)
    x = vg.from_dlpack(Producer(array, old=old), copy=True)
    x += 1
    assert array.tolist() == [1, 1, 1]
    y = vg.from_dlpack(array, device="cpu", copy=False)
    y += 1
    assert array.tolist() == [2, 2, 2]


NARROW = [
    "bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu",
]  # fmt: skip


@pytest.mark.parametrize("name", ["bool", "uint8", "int16", "float16", "complex64", *NARROW])
def test_elements_of_each_type(name: str) -> None:
    x = vg.tensor([1.0, 2.0]).to(getattr(vg, name))
    capsule = to_dlpack(x)
    y = from_dlpack(capsule)
    assert y.dtype is x.dtype
    assert y.data_ptr() == x.data_ptr()
    with pytest.raises(RuntimeError, match="consumed only once"):
        from_dlpack(capsule)


def test_numpy_takes_no_narrow_type() -> None:
    with pytest.raises((BufferError, RuntimeError)):
        np.from_dlpack(vg.ones(2, dtype=vg.bfloat16))


def test_refusals() -> None:
    x = vg.ones(2, requires_grad=True)
    with pytest.raises(BufferError, match="Can't export tensors that require gradient"):
        to_dlpack(x)
    with vg.no_grad(), pytest.raises(BufferError, match="require gradient"):
        np.from_dlpack(x)
    with pytest.raises(BufferError, match=r"other than torch\.strided"):
        to_dlpack(vg.eye(2).to_sparse())
    with pytest.raises(TypeError, match="stream must be"):
        vg.ones(2).__dlpack__(stream="a")
    with pytest.raises(AssertionError, match="stream should be None on cpu"):
        vg.ones(2).__dlpack__(stream=3)
    with pytest.raises(RuntimeError, match="received an invalid capsule"):
        from_dlpack([1, 2])
    with pytest.raises(TypeError, match="uint16"):
        from_dlpack(np.ones(2, np.uint16))
    with pytest.raises(AssertionError, match="not supported when ext_tensor is already"):
        from_dlpack(to_dlpack(vg.ones(2)), copy=True)
    with pytest.raises(AssertionError, match="unsupported device type"):
        from_dlpack(np.ones(2), device=0)
    with pytest.raises(RuntimeError, match="vmap"):
        vg.vmap(to_dlpack)(vg.ones(2, 2))


def test_a_capsule_that_nobody_reads_frees_its_memory() -> None:
    x = vg.ones(2)
    alive = weakref.ref(x.numpy())
    capsule = x.__dlpack__()
    del x
    assert alive() is not None
    del capsule
    assert alive() is None


# --- on a device ---------------------------------------------------------------------------------------


def test_memory_of_a_device_is_shared() -> None:
    with strict_module.as_cuda():
        array = StrictArray(np.arange(4.0))
        x = vg.from_dlpack(Producer(array))
        assert x.is_cuda
        assert x.data_ptr() == array.data.ptr
        assert x.__dlpack_device__() == (2, 0)
        again = strict_module.MODULE.from_dlpack(x)
        assert again.data.ptr == array.data.ptr
        narrow = vg.ones(2, dtype=vg.bfloat16, device="cuda")
        assert vg.from_dlpack(narrow).data_ptr() == narrow.data_ptr()


def test_the_consumers_stream_is_told() -> None:
    with strict_module.as_cuda() as library:
        producer = Producer(StrictArray(np.ones(2)))
        vg.from_dlpack(producer)
        assert producer.asked[-1]["stream"] == 1  # the default stream, whose handle is 0
        stream = library.cuda.Stream()
        with stream:
            vg.from_dlpack(producer)
        assert producer.asked[-1]["stream"] == stream.ptr


def test_from_device_to_device() -> None:
    with strict_module.as_cuda():
        x = vg.from_dlpack(np.ones(2), device="cuda")
        assert x.is_cuda
        assert vg.from_dlpack(x, device="cpu").tolist() == [1, 1]
        with pytest.raises(ValueError, match="cannot move DLPack tensor from device cpu to cuda:0"):
            vg.from_dlpack(np.ones(2), device="cuda", copy=False)
        assert np.from_dlpack(x, device="cpu").tolist() == [1, 1]


def test_a_device_with_several() -> None:
    with strict_module.as_cuda(2):
        x = vg.ones(2, device="cuda:1")
        assert x.__dlpack_device__() == (2, 1)
        assert vg.from_dlpack(x).device == vg.device("cuda:1")


def test_cuda_array_interface() -> None:
    assert not hasattr(vg.ones(2), "__cuda_array_interface__")
    with strict_module.as_cuda():
        x = vg.ones(2, 3, device="cuda")
        assert x.__cuda_array_interface__ == {
            "typestr": "<f4", "shape": (2, 3), "strides": None, "data": (x.data_ptr(), False), "version": 2,
        }  # fmt: skip
        assert x.T.__cuda_array_interface__["strides"] == (4, 12)
        assert x[:0].__cuda_array_interface__["data"] == (0, False)
        assert x.to(vg.bfloat16).__cuda_array_interface__["typestr"] == "<f2"
        assert not hasattr(x.to_sparse(), "__cuda_array_interface__")
        with pytest.raises(RuntimeError, match="on Variable that requires grad"):
            _ = x.requires_grad_().__cuda_array_interface__


# --- as values -------------------------------------------------------------------------------------------


class Described:
    """Memory of CUDA that is described, without DLPack."""

    def __init__(self, tensor: vg.Tensor) -> None:
        self.__cuda_array_interface__ = tensor.__cuda_array_interface__


def test_arrays_of_other_libraries_are_values() -> None:
    array = np.array([[1.0, 2.0]])
    copied = vg.tensor(Producer(array))
    assert copied.dtype is vg.float64
    assert vg.as_tensor(Producer(array), dtype=vg.float32).tolist() == [[1, 2]]
    shared = vg.asarray(Producer(array), copy=False)
    array[0, 0] = 9
    assert shared.tolist() == [[9, 2]]
    assert copied.tolist() == [[1, 2]]


def test_an_array_of_a_device_stays_there() -> None:
    with strict_module.as_cuda():
        array = StrictArray(np.arange(4.0))
        assert vg.asarray(array).data_ptr() == array.data.ptr
        assert vg.asarray(Producer(array)).is_cuda
        assert not vg.asarray(array, device="cpu").is_cuda
        assert not vg.tensor(
            array
        ).is_cuda  # as in PyTorch: where no device is named, the default one
        assert vg.as_tensor(array, device="cuda").data_ptr() == array.data.ptr
        x = vg.ones(3, device="cuda")
        assert vg.asarray(Described(x)).is_cuda


def test_tensors_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    theirs = torch.arange(3.0, dtype=torch.float64)
    assert vg.as_tensor(theirs).data_ptr() == theirs.data_ptr()
    assert vg.tensor(theirs).dtype is vg.float64
    ours = vg.ones(2)
    assert torch.from_dlpack(ours).data_ptr() == ours.data_ptr()
    with pytest.raises(BufferError, match="require gradient"):
        vg.tensor(torch.ones(2, requires_grad=True))
