"""`vizgrad.save`."""

from __future__ import annotations

import io
import os
import pickle
import pickletools
import sys
import warnings
from collections import OrderedDict
from pathlib import Path
from typing import IO, Any, NamedTuple

from vizgrad.core.arrays import Array, blocks, xp
from vizgrad.core.arrays.backend import Device, device_of
from vizgrad.core.arrays.dtypes import DType
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Size, Tensor, address, new_tensor
from vizgrad.nn.modules.state import StateDict
from vizgrad.nn.parameter import Buffer, Parameter, is_lazy
from vizgrad.serialization import archive as storages
from vizgrad.serialization import names
from vizgrad.serialization.archive import Writer


def save(
    obj: Any,
    f: str | os.PathLike[str] | IO[bytes],
    pickle_module: Any = pickle,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
) -> None:
    """Writes tensors and whatever holds them to a file that `load` and PyTorch's `torch.load` read.

    Tensors that share memory share it again when loaded, and the memory is written once. The part
    that a view does not show is written too; save `x.clone()` for a part alone. `.grad` and history are
    not saved.

    The pickle inside has protocol 2, which every reader knows, whatever `pickle_protocol` says; other values
    of `pickle_module` and the format of before PyTorch 1.6 are refused with ValueError. Raises RuntimeError
    when two tensors view one memory as different types, or the folder does not exist.
    """
    if pickle_module is not pickle:
        raise ValueError("save() writes with Python's own pickle; leave pickle_module away")
    if not _use_new_zipfile_serialization:
        raise ValueError(
            "save() writes zip files only; the format of before PyTorch 1.6 can be read"
        )
    if isinstance(f, (str, os.PathLike)):
        f = Path(f)
        if not f.parent.is_dir():
            raise RuntimeError(f"Parent directory {f.parent} does not exist.")
    elif not hasattr(f, "write"):
        raise AttributeError(
            "expected 'f' to be string, path, or a file-like object with a 'write' attribute, "
            f"not {type(f).__name__}"
        )

    content = pickled(obj)
    with Writer(f) as archive:
        archive.add("data.pkl", content.data)
        archive.add(".format_version", b"1")
        archive.add(".storage_alignment", b"64")
        archive.add("byteorder", sys.byteorder.encode())
        for key, block in content.memory.items():
            archive.add(f"data/{key}", block)
        archive.add("version", b"3\n")


# Pickles objects so that PyTorch reads them: tensors by their memory, under the names PyTorch knows.

#: The protocol that every reader of these files knows.
PROTOCOL = 2


class Memory(NamedTuple):
    """A storage as the pickle refers to it: stands in it for `storages.Block`."""

    key: str
    dtype: DType
    location: str
    numel: int


class Pickled(NamedTuple):
    """The pickle of an object, and the bytes of each memory it refers to, by key."""

    data: bytes
    memory: dict[str, Array]


def pickled(obj: Any) -> Pickled:
    """Raises RuntimeError when two tensors view one memory as different types."""
    file = io.BytesIO()
    pickler = _Pickler(file, PROTOCOL)
    pickler.dump(obj)
    return Pickled(under_their_names(file.getvalue()), pickler.memory)


class _Pickler(pickle.Pickler):
    def __init__(self, file: Any, protocol: int) -> None:
        super().__init__(file, protocol)
        self.memory: dict[str, Array] = {}
        self._known: dict[Any, Memory] = {}
        self._kept: list[Any] = []

    def persistent_id(self, obj: Any) -> Any:
        if not isinstance(obj, Memory):
            return None
        kind = getattr(storages, storages.NAME_OF[obj.dtype])
        return ("storage", kind, obj.key, obj.location, obj.numel)

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, Tensor) and not is_lazy(obj):
            return self._tensor(obj)
        if isinstance(obj, DType):
            return "bool_" if obj.name == "bool" else obj.name
        if isinstance(obj, storages.StorageType):
            return storages.NAME_OF[obj.dtype]
        if isinstance(obj, Size):
            return names.rebuild_size, (tuple(obj),)
        if isinstance(obj, Device):
            where = (obj.type,) if obj.index is None else (obj.type, obj.index)
            return names.rebuild_device, where
        if isinstance(obj, StateDict):
            return OrderedDict, (), dict(vars(obj)), None, iter(obj.items())
        return NotImplemented

    def _tensor(self, tensor: Tensor) -> Any:
        if tensor._rare is not None and (tensor._rare.hooks or tensor._rare.post_accumulate):
            warnings.warn(
                "backward hooks on the tensor will not be serialized", UserWarning, stacklevel=5
            )
        if tensor.dtype not in storages.NAME_OF:
            raise wrong_call(
                RuntimeError(f"these files have no storage of {tensor.dtype.name}"),
                "convert it to a wider type, or use vizgrad.utils.safetensors, whose files have it",
            )
        if is_sparse(tensor._array):
            return self._sparse(tensor)
        array, memory = self._place(tensor)
        offset, strides = array
        size, none = tuple(tensor._array.shape), OrderedDict()
        state = dict(tensor.__dict__)
        geometry = (memory, offset, size, strides)
        if isinstance(tensor, Parameter):
            data = _Call(names.rebuild_tensor_v2, (*geometry, False, none))
            if not state:
                return names.rebuild_parameter, (data, tensor.requires_grad, none)
            return names.rebuild_parameter_with_state, (
                data, tensor.requires_grad, none, state,
            )  # fmt: skip
        arguments = (*geometry, tensor.requires_grad, none)
        kind = Tensor if isinstance(tensor, Buffer) else type(tensor)
        if isinstance(tensor, Buffer):
            state.pop("persistent", None)
        if kind is Tensor and not state:
            return names.rebuild_tensor_v2, arguments
        return names.rebuild_from_type, (
            names.rebuild_tensor_v2, kind, arguments, state,
        )  # fmt: skip

    @staticmethod
    def _sparse(tensor: Tensor) -> Any:
        """By its parts. As in PyTorch only a Parameter keeps its flag, and nothing keeps attributes."""
        array = tensor._array
        parts: tuple[Any, ...] = tuple(map(new_tensor, array.parts()))
        parts += (tensor.shape, array.coalesced) if tensor.is_sparse else (tensor.shape,)
        layout = _Call(names.rebuild_layout, (f"torch.{array.layout}",))
        made = names.rebuild_sparse_tensor, (layout, parts)
        if isinstance(tensor, Parameter):
            data = (_Call(*made), tensor.requires_grad, OrderedDict())
            return names.rebuild_parameter, data
        return made

    def _place(self, tensor: Tensor) -> tuple[tuple[int, tuple[int, ...]], Memory]:
        """Offset and strides of a tensor in elements, and the memory it lies in."""
        array = tensor._array
        item = array.itemsize
        low, high = blocks.span(array)
        storage = None if tensor.is_inference() else tensor._storage
        start, stop = low, high
        if storage is not None:
            start, stop = min(low, storage.origin), max(high, storage.origin + storage.nbytes)
        found = None
        if min(array.strides, default=0) >= 0 and not any(s % item for s in array.strides):
            found = blocks.bytes_between(array, start, stop)
        if found is None or (low - found[1]) % item or found[0].size % item:
            array = xp.ascontiguousarray(array).reshape(array.shape)
            found = array.reshape(-1).view(xp.uint8), address(array)
        block, start = found
        self._kept.append(block)  # so that its address stays its own
        location = str(device_of(array))
        key = (location, start, block.size) if block.size else object()
        memory = self._known.get(key)
        if memory is None:
            memory = Memory(str(len(self._known)), tensor.dtype, location, block.size // item)
            self._known[key] = memory
            self.memory[memory.key] = block
        if memory.dtype is not tensor.dtype:
            raise RuntimeError(
                "Cannot save multiple tensors or storages that view the same data as different "
                f"types: {memory.dtype} and {tensor.dtype}; clone one of them first"
            )
        strides = tuple(s // item for s in array.strides)
        return ((address(array) - start) // item if array.size else 0, strides), memory


class _Call:
    """An object that a file makes by calling a function."""

    def __init__(self, function: Any, arguments: tuple[Any, ...]) -> None:
        self._made_by = function, arguments

    def __reduce__(self) -> Any:
        return self._made_by


_NAMES = {
    f"{function.__module__} {function.__qualname__}": name.encode()
    for name, function in names.KNOWN.items()
    if callable(function) and function.__module__.startswith("vizgrad.")
}
_NAMES.update(
    (f"vizgrad.core.arrays.dtypes {'bool_' if n == 'torch.bool' else n[6:]}", n.encode())
    for n, found in names.KNOWN.items()
    if isinstance(found, DType)
)
_NAMES.update(
    (f"{storages.__name__} {n[6:]}", n.encode())
    for n, found in names.KNOWN.items()
    if isinstance(found, storages.StorageType)
)


def under_their_names(data: bytes) -> bytes:
    """The same pickle with our functions and types under the names that PyTorch has for them.

    In protocol 2 a name stands in the stream as two lines of text, whose lengths nothing else depends on.
    """
    out: list[bytes] = []
    copied = 0
    for opcode, argument, position in pickletools.genops(data):
        if opcode.name == "GLOBAL" and argument in _NAMES:
            module, _, name = _NAMES[argument].rpartition(b".")
            out += [data[copied:position], b"c", module, b"\n", name, b"\n"]
            copied = (position or 0) + len(argument.encode()) + 2
    return b"".join([*out, data[copied:]])
