"""Which global names a file may use, and the constructor that each stands for here.

A pickle names the functions and classes it wants called. Files are read with this table alone: a name
that is in neither it nor the caller's own `add_safe_globals` is refused, so that loading runs no code of a
file's choice. The constructors stand for PyTorch's functions of the same names when a file is read, and
are written under those names.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable
from contextvars import ContextVar
from types import TracebackType
from typing import Any

from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays.backend import Device
from vizgrad.core.arrays.dtypes import DType
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.ops.public.sparse import sparse_compressed_tensor, sparse_coo_tensor
from vizgrad.core.tensor import in_memory
from vizgrad.core.tensor.in_memory import layout
from vizgrad.core.tensor.tensor import Size, Tensor, new_tensor
from vizgrad.nn.parameter import Parameter
from vizgrad.serialization import archive
from vizgrad.serialization.archive import Block

#: Below this in magnitude are whole numbers that are sizes, or keys: beyond it a file could choose numbers
#: that all fall on one place of a dict.
_INTEGERS = 2**63
_SIMPLE = (str, bytes, float, bool, type(None), DType, Device)


def check_key(key: Any) -> int:
    """Is it what a dict of a file may be keyed by? Returns how much work it is to look up.

    Tuples in tuples are none, for their hash is computed afresh each time and without a bound.
    """
    kind = type(key)
    if kind is int:
        if not -_INTEGERS <= key < _INTEGERS:
            raise TypeError("a whole number above 64 bits is no key")
        return 8
    if kind is str or kind is bytes:
        return len(key)
    if kind in _SIMPLE:
        return 8
    if (kind is tuple or kind is Size) and all(type(k) is int or type(k) in _SIMPLE for k in key):
        return sum(map(check_key, key))
    raise TypeError(
        "keys are strings, numbers, None, types, devices, or tuples of these, not a "
        f"{kind.__name__}{' of other things' if kind is tuple else ''}"
    )


def _integers(found: Any, what: str) -> tuple[int, ...]:
    if not (isinstance(found, (tuple, list)) and all(type(n) is int for n in found)):
        raise TypeError(f"{what} is a tuple of whole numbers")
    if not all(-_INTEGERS <= n < _INTEGERS for n in found):
        raise ValueError(f"{what} has numbers above 64 bits")
    return tuple(found)


def rebuild_tensor(
    storage: Block, storage_offset: int, size: tuple[int, ...], stride: tuple[int, ...]
) -> Tensor:
    """A tensor as files of PyTorch before 0.4 hold it."""
    return rebuild_tensor_v2(storage, storage_offset, size, stride, False, None)


def rebuild_tensor_v2(
    storage: Block,
    storage_offset: int,
    size: tuple[int, ...],
    stride: tuple[int, ...],
    requires_grad: bool,
    backward_hooks: Any,
    metadata: Any = None,
) -> Tensor:
    """A leaf over a part of `storage`; hooks are not kept in files."""
    if not isinstance(storage, Block):
        raise TypeError(f"a tensor is over a storage, not a {type(storage).__name__}")
    (offset,) = _integers((storage_offset,), "the offset of a tensor")
    size, stride = _integers(size, "the size of a tensor"), _integers(stride, "its stride")
    return storage.tensor(offset, size, stride, requires_grad is True)


def rebuild_parameter(data: Tensor, requires_grad: bool, backward_hooks: Any) -> Parameter:
    """A Parameter over the memory of `data`."""
    if not isinstance(data, Tensor):
        raise TypeError(f"a Parameter is over a tensor, not a {type(data).__name__}")
    return Parameter(data, requires_grad is True)


def rebuild_parameter_with_state(
    data: Tensor, requires_grad: bool, backward_hooks: Any, state: Any
) -> Parameter:
    """A Parameter with attributes of its own."""
    return _with_attributes(rebuild_parameter(data, requires_grad, None), state)


def rebuild_from_type(function: Any, kind: type, arguments: tuple[Any, ...], state: Any) -> Tensor:
    """A tensor that has attributes, or a class of its own."""
    if not any(function is known for known in TENSOR_FUNCTIONS):
        raise TypeError("tensors are not made by this function")
    out = function(*arguments)
    if type(out) is not kind:
        if not (isinstance(kind, type) and issubclass(kind, Tensor)):
            raise TypeError(f"a {type(kind).__name__} is no class of tensors")
        made = new_tensor(out._array, kind)
        made._storage, made._tracked = out._storage, out._tracked
        out = made
    return _with_attributes(out, state)


def rebuild_layout(name: str) -> layout:
    found = in_memory.BY_NAME.get(name.removeprefix("torch.")) if isinstance(name, str) else None
    if found is None:
        raise TypeError("a layout is strided, sparse_coo, sparse_csr or sparse_csc")
    return found


def rebuild_sparse_tensor(kind: layout, data: Any) -> Tensor:
    """A sparse tensor from its parts and its size; of COO the file may say that it is coalesced."""
    coo = kind is in_memory.sparse_coo
    if not coo and kind not in (in_memory.sparse_csr, in_memory.sparse_csc):
        raise TypeError("sparse tensors have a sparse layout")
    if not isinstance(data, tuple) or len(data) not in ((3, 4) if coo else (4,)):
        raise TypeError("a sparse tensor is made of indices, values and a size")
    places, rest = (data[:1], data[1:]) if coo else (data[:2], data[2:])
    values, size = rest[0], rebuild_size(rest[1])
    if not all(_is_dense(p) and p.dtype.name in _PLACES for p in places) or not _is_dense(values):
        raise TypeError("the parts of a sparse tensor are dense, its indices whole numbers")
    if not coo:
        return sparse_compressed_tensor(places[0], places[1], values, size, layout=kind)
    coalesced = len(rest) == 3 and rest[2] is True
    out = sparse_coo_tensor(places[0], values, size, is_coalesced=coalesced)
    if coalesced and not out._array.is_in_order():
        raise ValueError("a tensor that is said to be coalesced is not")
    return out


def weight_of_parts(kind: Any, data: Any) -> int:
    """How much work its parts are: they are looked at, and may show one element many times."""
    parts = data if isinstance(data, tuple) else ()
    return sum(4 * int(part._array.nbytes) for part in parts if isinstance(part, Tensor))


def _is_dense(part: Any) -> bool:
    return isinstance(part, Tensor) and not is_sparse(part._array)


_PLACES = ("int64", "int32")


TENSOR_FUNCTIONS = (
    rebuild_tensor, rebuild_tensor_v2, rebuild_parameter, rebuild_parameter_with_state,
)  # fmt: skip


def rebuild_size(lengths: Any) -> Size:
    return Size(_integers(lengths, "a size"))


def rebuild_device(kind: str, index: int | None = None) -> Device:
    if not (isinstance(kind, str) and (index is None or type(index) is int)):
        raise TypeError("a device is a string and a number")
    return Device(kind, index)


# --- containers and bytes: only from what needs no more memory than it has ------------------------------


def rebuild_ordered_dict(items: Any = ()) -> OrderedDict[Any, Any]:
    """An OrderedDict, as Python 2 saved it with its items."""
    if not (isinstance(items, (list, tuple)) and all(_is_pair(item) for item in items)):
        raise TypeError("an OrderedDict is made from pairs")
    for key, _ in items:
        check_key(key)
    return OrderedDict(items)


def _is_pair(item: Any) -> bool:
    return isinstance(item, (list, tuple)) and len(item) == 2


def rebuild_counter(counts: Any = None) -> Counter[Any]:
    if not (counts is None or type(counts) is dict):
        raise TypeError("a Counter is made from a dict")
    return Counter(counts)


def rebuild_set(items: Any = ()) -> set[Any]:
    return set(_keys(items))


def rebuild_frozenset(items: Any = ()) -> frozenset[Any]:
    return frozenset(_keys(items))


def _keys(items: Any) -> Any:
    if not isinstance(items, (list, tuple)):
        raise TypeError("a set is made from a list")
    for item in items:
        check_key(item)
    return items


def rebuild_bytearray(data: Any = b"", encoding: Any = None) -> bytearray:
    """From bytes, or from text as protocol 2 has it: never by length."""
    return bytearray(
        data if type(data) is bytes and encoding is None else rebuild_bytes(data, encoding)
    )


def rebuild_bytes(text: Any, encoding: Any = "utf-8") -> bytes:
    """Bytes as protocol 2 has them: text, each of whose characters is a byte."""
    if not (type(text) is str and type(encoding) is str and encoding in _BYTES):
        raise TypeError("bytes are saved as text in latin1, and nothing else is encoded")
    return text.encode(encoding)


_BYTES = ("latin1", "latin-1", "utf-8", "utf8")


def rebuild_complex(real: Any, imag: Any = 0.0) -> complex:
    if not (isinstance(real, (int, float)) and isinstance(imag, (int, float))):
        raise TypeError("a complex number is made from two numbers")
    return complex(real, imag)


# --- attributes --------------------------------------------------------------------------------------------


def check_attributes(state: Any, kind: type) -> dict[str, Any]:
    """`state` as attributes of an object; TypeError where one would hide what its class has.

    Names with two underscores are refused too: numpy and others ask any object for some of them, one of
    which is an address to read from.
    """
    if type(state) is not dict:
        raise TypeError(f"attributes are a dict, not a {type(state).__name__}")
    for name in state:
        if type(name) is not str or name.startswith("__") or hasattr(kind, name):
            raise TypeError(
                f"an attribute that is saved with a {kind.__name__} would hide its own "
                f"{name[:40]!r}" if type(name) is str else "names of attributes are strings"
            )  # fmt: skip
    return state


def _with_attributes(out: Any, state: Any) -> Any:
    if isinstance(state, tuple) and len(state) == 2 and not state[1]:
        state = state[0]  # (dict, slots), as pickle gives the state of an object with both
    # An attribute of the caller's own class may differ in each tensor.
    out.__dict__.update(
        check_attributes(state, Parameter if isinstance(out, Parameter) else Tensor)
    )
    return out


# --- the table ----------------------------------------------------------------------------------------

#: Name in a file -> what is called or put in its place.
KNOWN: dict[str, Any] = {
    "torch._utils._rebuild_tensor": rebuild_tensor,
    "torch._utils._rebuild_tensor_v2": rebuild_tensor_v2,
    "torch._utils._rebuild_sparse_tensor": rebuild_sparse_tensor,
    "torch.serialization._get_layout": rebuild_layout,
    "torch._utils._rebuild_parameter": rebuild_parameter,
    "torch._utils._rebuild_parameter_with_state": rebuild_parameter_with_state,
    "torch._tensor._rebuild_from_type_v2": rebuild_from_type,
    "torch.Size": rebuild_size,
    "torch.device": rebuild_device,
    "torch.Tensor": Tensor,
    "torch.nn.parameter.Parameter": Parameter,
    "collections.OrderedDict": rebuild_ordered_dict,
    "collections.Counter": rebuild_counter,
    "builtins.set": rebuild_set,
    "builtins.frozenset": rebuild_frozenset,  # PyTorch refuses it
    "builtins.bytearray": rebuild_bytearray,
    "builtins.complex": rebuild_complex,
    "_codecs.encode": rebuild_bytes,
}
#: The subset of those that a file may call.
CALLABLE = frozenset(id(found) for found in KNOWN.values() if found not in (Tensor, Parameter))
KNOWN.update((f"torch.{dtype.name}", dtype) for dtype in dtypes.ALL)
KNOWN.update(
    (f"torch.{name}", kind)
    for name, kind in vars(archive).items()
    if isinstance(kind, archive.StorageType)
)


class _Trust:
    """The names that one entered block of `safe_globals` allows, until it is left."""

    __slots__ = ("names", "owner")

    def __init__(self, owner: safe_globals, names: dict[str, Any]) -> None:
        self.owner = owner
        self.names = names


#: For the whole process; never changed, always replaced.
_added: dict[str, Any] = {}
#: The open blocks around this code: of its own thread and task alone.
_blocks: ContextVar[tuple[_Trust, ...]] = ContextVar("vizgrad_safe_globals", default=())


def add_safe_globals(safe_globals: Iterable[Any]) -> None:
    """Lets files name these classes and functions: what they then do on loading is up to them.

    Each is a class or function, or a pair of it and the full name that files use for it. This holds for the
    whole process; `with safe_globals([...])` for a block.
    """
    global _added
    _added = _added | dict(map(_named, safe_globals))


def get_safe_globals() -> list[Any]:
    """The names that `add_safe_globals` has added, and the `safe_globals` blocks around the call."""
    return list(_trusted().values())


def clear_safe_globals() -> None:
    """Forgets what `add_safe_globals` and the blocks around the call have added."""
    global _added
    _added = {}
    for block in _blocks.get():
        block.names = {}


class safe_globals:
    """`with safe_globals([Config]):` adds them for a block: for its thread and task, and no longer."""

    def __init__(self, safe_globals: Iterable[Any]) -> None:
        self._names = dict(map(_named, safe_globals))

    def __enter__(self) -> None:
        _blocks.set((*_blocks.get(), _Trust(self, self._names)))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        # By name, not by place: blocks may be left in another order than they were entered.
        blocks = _blocks.get()
        for mine in reversed(blocks):
            if mine.owner is self:
                mine.names = {}  # a task that was begun inside has it as well
                _blocks.set(tuple(block for block in blocks if block is not mine))
                break


def _named(entry: Any) -> tuple[str, Any]:
    if isinstance(entry, tuple):
        if len(entry) != 2 or not isinstance(entry[1], str):
            raise ValueError(f"a safe global is a class, a function or (it, its name), not {entry}")
        return entry[1], entry[0]
    return f"{entry.__module__}.{entry.__qualname__}", entry


def _trusted() -> dict[str, Any]:
    found = _added
    for block in _blocks.get():
        found = found | block.names
    return found


class Names:
    """The names one file may use: what the caller trusts as the reading begins."""

    def __init__(self) -> None:
        self._trusted = _trusted()
        self._vouched = frozenset(map(id, self._trusted.values()))

    def allowed(self, name: str) -> Any:
        """The object called `name`; KeyError if a file may not use it."""
        if name.startswith("__builtin__."):  # as Python 2, and so protocol 2, has it
            name = "builtins" + name.removeprefix("__builtin__")
        return self._trusted[name] if name in self._trusted else KNOWN[name]

    def may_call(self, function: Any) -> bool:
        return id(function) in CALLABLE or id(function) in self._vouched

    def vouched(self, kind: Any) -> bool:
        """Did the caller vouch for this class?"""
        return id(kind) in self._vouched
