"""Which global names a file may use, and what each stands for here.

A pickle names the functions and classes it wants called. Files are read with this table alone: a name
that is in neither it nor the caller's own `add_safe_globals` is refused, so that loading runs no code of a
file's choice.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar
from types import TracebackType
from typing import Any

from vizgrad.core.arrays import dtypes
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.nn.parameter import Parameter
from vizgrad.serialization import archive, rebuilding

#: Name in a file -> what is called or put in its place.
KNOWN: dict[str, Any] = {
    "torch._utils._rebuild_tensor": rebuilding.rebuild_tensor,
    "torch._utils._rebuild_tensor_v2": rebuilding.rebuild_tensor_v2,
    "torch._utils._rebuild_sparse_tensor": rebuilding.rebuild_sparse_tensor,
    "torch.serialization._get_layout": rebuilding.rebuild_layout,
    "torch._utils._rebuild_parameter": rebuilding.rebuild_parameter,
    "torch._utils._rebuild_parameter_with_state": rebuilding.rebuild_parameter_with_state,
    "torch._tensor._rebuild_from_type_v2": rebuilding.rebuild_from_type,
    "torch.Size": rebuilding.rebuild_size,
    "torch.device": rebuilding.rebuild_device,
    "torch.Tensor": Tensor,
    "torch.nn.parameter.Parameter": Parameter,
    "collections.OrderedDict": rebuilding.rebuild_ordered_dict,
    "collections.Counter": rebuilding.rebuild_counter,
    "builtins.set": rebuilding.rebuild_set,
    "builtins.frozenset": rebuilding.rebuild_frozenset,  # PyTorch refuses it
    "builtins.bytearray": rebuilding.rebuild_bytearray,
    "builtins.complex": rebuilding.rebuild_complex,
    "_codecs.encode": rebuilding.rebuild_bytes,
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
