"""Tensors over memory of other libraries, and theirs over that of tensors, without a copy: DLPack, and the
description of CUDA memory that numba and others read.
"""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import dlpack
from vizgrad.core.arrays.backend import Device, parse_device, placed
from vizgrad.core.arrays.dtypes import canonical
from vizgrad.core.arrays.sparse.base import is_sparse
from vizgrad.core.errors import explained
from vizgrad.core.function.transform_tensor import Wrapped
from vizgrad.core.ops.forms import method, public
from vizgrad.core.tensor.requirements import not_a_tensor
from vizgrad.core.tensor.tensor import Tensor, new_tensor


@public
def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor over the memory of another library's array, which is not copied.

    `ext_tensor`: an object with `__dlpack__` and `__dlpack_device__` (an array of numpy, cupy or jax, a
    tensor of PyTorch), or a capsule that `to_dlpack` gave, which can be read once. Writes on either side are
    seen on the other and counted on neither. `device`: where the tensor is to be, a
    copy if that is elsewhere.
    `copy`: True for a copy in any case, False for a ValueError where one were needed.

    RuntimeError for a capsule that was read already; TypeError for elements of types that vizgrad lacks.
    """
    if dlpack.is_capsule(ext_tensor):
        if device is not None or copy is not None:
            raise AssertionError(
                "device and copy kwargs not supported when ext_tensor is already a DLPack capsule: call "
                ".to(device) or .clone() on the result"
            )
        return new_tensor(canonical(dlpack.imported(ext_tensor)))
    if not hasattr(ext_tensor, "__dlpack__"):
        raise RuntimeError(
            "from_dlpack received an invalid capsule: "
            f"{type(ext_tensor).__name__} has no __dlpack__ and is no capsule"
        )
    moved = None
    if device is not None:
        if not isinstance(device, (str, Device)):
            raise AssertionError(f"from_dlpack: unsupported device type: {type(device)}")
        wanted = placed(parse_device(device))
        here = dlpack.device_from(ext_tensor.__dlpack_device__())
        if wanted != here:
            if copy is False:
                raise ValueError(
                    f"cannot move DLPack tensor from device {here} to {wanted} without copying. "
                    "Set copy=None or copy=True."
                )
            moved, copy = wanted, None
    made = new_tensor(canonical(dlpack.imported(ext_tensor, copy=copy)))
    return made if moved is None else made.to(moved)


@public
def to_dlpack(tensor: Tensor) -> Any:
    """A DLPack capsule over the tensor's memory, which a consumer may read once.

    Libraries of today take the tensor itself (`numpy.from_dlpack(tensor)`). BufferError for a tensor that
    requires grad or is sparse.
    """
    if not isinstance(tensor, Tensor):
        raise not_a_tensor("to_dlpack", "tensor", 1, tensor)
    return _exported(tensor, -1, None, None)


@method(name="__dlpack__")
def described(
    self: Tensor,
    *,
    stream: int | None = -1,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """A DLPack capsule over the tensor's memory: a consumer (`numpy.from_dlpack(tensor)`) calls this.

    `stream`: of a device, the handle of the stream that waits for the current one, -1 for none.
    `max_version`: the newest version that the consumer reads. `dl_device`: where the memory is to be, a
    copy if that is elsewhere. BufferError for a tensor that requires grad or is sparse, TypeError for a
    stream that is no number, ValueError where `copy` is False and one were needed.
    """
    _check_exportable(self)
    if stream is not None and type(stream) is not int:
        raise TypeError(f"stream must be ``int`` or ``none``, not {type(stream).__name__}")
    here = self.device
    if here.type == "cpu" and stream not in (None, -1):
        raise AssertionError(f"stream should be None on cpu. It is {stream}")
    if dl_device is not None and dlpack.device_from(dl_device) != here:
        there = dlpack.device_from(dl_device)
        if copy is False:
            raise ValueError(f"cannot move a tensor from {here} to {there} without a copy")
        return _exported(self.to(there), stream, max_version, None)
    return _exported(self, stream, max_version, copy)


@method(name="__dlpack_device__")
def place(self: Tensor) -> tuple[int, int]:
    """The kind of device that the memory is on (1 for the CPU, 2 for CUDA), and its number."""
    return dlpack.dl_device(self.device)


def _exported(tensor: Tensor, stream: int | None, max_version: Any, copy: bool | None) -> Any:
    _check_exportable(tensor)
    return dlpack.exported(tensor._array, stream, max_version, copy)


def _check_exportable(tensor: Tensor) -> None:
    if tensor.__class__ is Wrapped:
        raise tensor.level.unreadable(tensor, "__dlpack__()")
    if tensor.requires_grad:
        raise explained(
            BufferError(
                "Can't export tensors that require gradient, use tensor.detach(): what another library does "
                "with the memory cannot be recorded."
            ),
            kind="cut-detach",
            fix="export x.detach()",
            title="DLPack export of a tensor that requires grad",
        )
    if is_sparse(tensor._array):
        raise BufferError(
            "Can't export tensors with layout other than torch.strided: this one's is "
            f"{tensor.layout}; call .to_dense() first"
        )


def _cuda_array_interface(self: Tensor) -> dict[str, Any]:
    """The description of a CUDA tensor's memory for other libraries (`cupy.asarray(tensor)`, numba).

    AttributeError for a tensor on the CPU, and for a sparse one; RuntimeError for one that requires grad.
    """
    if not self.is_cuda:
        raise AttributeError(
            f"Can't get __cuda_array_interface__ on non-CUDA tensor type: this one is on {self.device}. "
            "If CUDA data is required use tensor.cuda() to copy tensor to device memory."
        )
    if is_sparse(self._array):
        raise AttributeError(
            f"Can't get __cuda_array_interface__ on sparse type: {self.layout}. "
            "Use Tensor.to_dense() to convert to a dense tensor first."
        )
    if self.requires_grad:
        raise RuntimeError(
            "Can't get __cuda_array_interface__ on Variable that requires grad. If gradients aren't "
            "required, use var.detach() to get Variable that doesn't require grad."
        )
    array = self._array
    itemsize, kind = array.dtype.itemsize, array.dtype.kind
    # as PyTorch: bfloat16 has no letter there
    typestr = f"<f{itemsize}" if kind == "V" else array.dtype.str
    return {
        "typestr": typestr,
        "shape": tuple(self.shape),
        "strides": None if self.is_contiguous() else array.strides,
        "data": (self.data_ptr() if array.size else 0, False),
        "version": 2,
    }


Tensor.__cuda_array_interface__ = property(_cuda_array_interface)
