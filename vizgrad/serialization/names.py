"""Which global names a file may use, and what each stands for here.

A pickle names the functions and classes it wants called. Files are read with this table alone: a name
that is in neither it nor the caller's own `add_safe_globals` is refused, so that loading runs no code of a
file's choice.
"""

from __future__ import annotations

import codecs
from collections import Counter, OrderedDict
from collections.abc import Iterable
from types import TracebackType
from typing import Any

from vizgrad.arrays import dtypes
from vizgrad.nn.parameter import Parameter
from vizgrad.serialization import rebuilding, storages
from vizgrad.tensor.tensor import Tensor

#: Name in a file -> what is called or put in its place.
KNOWN: dict[str, Any] = {
    "torch._utils._rebuild_tensor": rebuilding.rebuild_tensor,
    "torch._utils._rebuild_tensor_v2": rebuilding.rebuild_tensor_v2,
    "torch._utils._rebuild_parameter": rebuilding.rebuild_parameter,
    "torch._utils._rebuild_parameter_with_state": rebuilding.rebuild_parameter_with_state,
    "torch._tensor._rebuild_from_type_v2": rebuilding.rebuild_from_type,
    "torch.Size": rebuilding.rebuild_size,
    "torch.device": rebuilding.rebuild_device,
    "torch.Tensor": Tensor,
    "torch.nn.parameter.Parameter": Parameter,
    "collections.OrderedDict": OrderedDict,
    "collections.Counter": Counter,
    "builtins.set": set,
    "builtins.frozenset": frozenset,  # PyTorch refuses it
    "builtins.bytearray": bytearray,
    "builtins.complex": complex,
    "_codecs.encode": codecs.encode,
}
KNOWN.update((f"torch.{dtype.name}", dtype) for dtype in dtypes.ALL)
KNOWN.update(
    (f"torch.{name}", kind)
    for name, kind in vars(storages).items()
    if isinstance(kind, storages.StorageType)
)

#: Of those, the ones a file may call.
CALLABLE = tuple(
    found for found in KNOWN.values() if callable(found) and found not in (Tensor, Parameter)
)

_safe: dict[str, Any] = {}


def add_safe_globals(safe_globals: Iterable[Any]) -> None:
    """Lets files name these classes and functions: what they then do on loading is up to them.

    Each is a class or function, or a pair of it and the full name that files use for it.
    """
    _safe.update(map(_named, safe_globals))


def get_safe_globals() -> list[Any]:
    """What `add_safe_globals` has added."""
    return list(_safe.values())


def clear_safe_globals() -> None:
    """Forgets what `add_safe_globals` has added."""
    _safe.clear()


class safe_globals:
    """`with safe_globals([Config]):` adds them for a block."""

    def __init__(self, safe_globals: Iterable[Any]) -> None:
        self._added = list(safe_globals)
        self._before: dict[str, Any] = {}

    def __enter__(self) -> None:
        self._before = dict(_safe)
        add_safe_globals(self._added)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _safe.clear()
        _safe.update(self._before)


def _named(entry: Any) -> tuple[str, Any]:
    if isinstance(entry, tuple):
        if len(entry) != 2 or not isinstance(entry[1], str):
            raise ValueError(f"a safe global is a class, a function or (it, its name), not {entry}")
        return entry[1], entry[0]
    return f"{entry.__module__}.{entry.__qualname__}", entry


def allowed(name: str) -> Any:
    """What `name` stands for; KeyError if a file may not use it."""
    if name.startswith("__builtin__."):  # as Python 2, and so protocol 2, has it
        name = "builtins" + name.removeprefix("__builtin__")
    return _safe[name] if name in _safe else KNOWN[name]


def may_call(function: Any) -> bool:
    return any(function is known for known in (*CALLABLE, *_safe.values()))


def added(kind: type) -> bool:
    """Did the caller vouch for this class?"""
    return any(kind is known for known in _safe.values())
