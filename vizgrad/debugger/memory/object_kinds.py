"""The kinds of objects that a walk through the memory meets: asked once for each type."""

from __future__ import annotations

import weakref
from types import (
    CodeType,
    FrameType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from vizgrad.core.arrays.backend import is_array_type
from vizgrad.core.function.custom.backward_class import FunctionBase
from vizgrad.core.graph.hooks import NodeHooks
from vizgrad.core.graph.node import Edge, Node
from vizgrad.core.graph.saved import Checked, KeptSelf, Overwritten, SavedGroup, SavedResult
from vizgrad.core.tensor.state import Rare
from vizgrad.core.tensor.storage import Storage
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.core.tensor.views import ViewInfo
from vizgrad.debugger.engines.api import frameworks
from vizgrad.debugger.session.session import Session
from vizgrad.nn.modules.module import Module
from vizgrad.optim.optimizer import Optimizer

NOTHING = 0  #: leads nowhere: a number, a string, code, a weak reference
ARRAY = 1
INNER = 2  #: a part of a tensor or node, which has no name of its own
TENSOR = 3
NODE = 4
OTHER = 5  #: a list, an object of a person's, ...
OPTIMIZER = 6
SESSION = 7
FUNCTION = 8
PROGRAM = 9  #: modules and classes: they lead everywhere
HOST = 10  #: things of what runs the notebook: they lead everywhere, too
MODULE = 11  #: `nn.Module`
CONTEXT = 12  #: of a custom Function
FRAME = 13

#: The flag of types whose things tell the garbage collector what they hold (Py_TPFLAGS_HAVE_GC).
_HAS_PARTS = 1 << 14
_NOTHING = (
    CodeType, WrapperDescriptorType, MethodDescriptorType, GetSetDescriptorType, MemberDescriptorType,
    weakref.ReferenceType,
    # what `weakref.finalize` will call: it goes with what it waits for, which nobody keeps by that
    getattr(weakref.finalize, "_Info", weakref.ReferenceType),
)  # fmt: skip
_INNER = (
    Edge, SavedResult, KeptSelf, Overwritten, Checked, SavedGroup, Storage, ViewInfo, Rare, NodeHooks,
)  # fmt: skip
#: In this order: the first that fits.
_BY_CLASS = (
    (Tensor, TENSOR), (Node, NODE), (FunctionBase, CONTEXT), (Optimizer, OPTIMIZER), (Session, SESSION),
    (Module, MODULE), (FunctionType, FUNCTION), (FrameType, FRAME), (ModuleType, PROGRAM), (type, PROGRAM),
    (MappingProxyType, PROGRAM),
)  # fmt: skip
#: Whose things lead from a person's variables to all there is.
HOSTS = frozenset((
    "IPython", "asyncio", "comm", "concurrent", "ipykernel", "ipywidgets", "jupyter_client", "logging",
    "threading", "tornado", "traitlets", "zmq", "_pytest", "pluggy",
))  # fmt: skip


class _Kinds(dict[type, int]):
    def __missing__(self, kind: type) -> int:
        found = self[kind] = _kind(kind)
        return found


#: Type -> what things of it are. Types that nobody else holds are let go of after each reading (`forget`).
KINDS = _Kinds()


def forget() -> None:
    """A person's classes are not to live on for having been looked at."""
    KINDS.clear()


def _kind(kind: type) -> int:
    if is_array_type(kind):
        return ARRAY
    if not kind.__flags__ & _HAS_PARTS or kind in _NOTHING:
        return NOTHING
    if issubclass(kind, _INNER):
        return INNER
    for known, found in _BY_CLASS:
        if issubclass(kind, known):
            return found
    if issubclass(kind, tuple(frameworks.optimizers)):
        return OPTIMIZER
    module = _module_of(kind)
    if module.startswith("vizgrad.core.arrays."):
        return INNER  # of a sparse array
    return HOST if module.partition(".")[0] in HOSTS else OTHER


def _module_of(kind: type) -> str:
    found: Any = type.__getattribute__(kind, "__dict__").get("__module__")
    return found if isinstance(found, str) else ""
