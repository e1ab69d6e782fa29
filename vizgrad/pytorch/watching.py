"""Notes where nodes of PyTorch are recorded and memory is written, as long as a block of code runs.

Each function of PyTorch's marks the nodes that it recorded with the person's line and the calls of modules
around it (`places.py`), and notes what it wrote to (`writes.py`). What is noted lives with nodes and memory.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from threading import local
from types import FrameType
from typing import Any

import torch
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)
from torch.overrides import TorchFunctionMode

from vizgrad.inspection.origin import MOST_CALLS, Call, Origin, Spot
from vizgrad.pytorch.places import note
from vizgrad.pytorch.writes import counters, note_write

#: Frames of these are passed over when looking for a person's line.
_PASSED = ("torch", "vizgrad", "contextlib")


@contextmanager
def watching() -> Generator[None]:
    """Nodes recorded in the block, on this thread, know their line and the modules that were called.

    Within another such block nothing is added.
    """
    if _OPEN.calls is not None:
        yield
        return
    _OPEN.calls = [((), None)]
    handles = [
        register_module_forward_pre_hook(_entered),
        register_module_forward_hook(_left, always_call=True),
    ]
    try:
        with _Noting():
            yield
    finally:
        for handle in handles:
            handle.remove()
        _OPEN.calls = None


class _Open(local):
    #: The calls of modules that are open on this thread, and the site of the last; None: not watching.
    calls: list[tuple[tuple[Call, ...], Any]] | None = None


_OPEN = _Open()


class _Noting(TorchFunctionMode):
    def __init__(self) -> None:
        super().__init__()
        #: What was recorded before has no place.
        self._since = torch._C._autograd._get_sequence_nr()
        self._known: dict[tuple[Any, Any, int], Origin] = {}

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        before = counters((*args, *kwargs.values()))
        made = func(*args, **kwargs)
        wrote = False
        for tensor, version in before:
            if tensor._version > version:
                wrote = True
                name = getattr(func, "__name__", "")
                note_write(tensor, version, name, _spot_of(sys._getframe(1)))
        if torch.is_grad_enabled():
            several = made if isinstance(made, tuple | list) else (made,)
            nodes = [_recorded(each, wrote) for each in several if isinstance(each, torch.Tensor)]
            self._mark([node for node in nodes if node is not None])
        return made

    def _mark(self, nodes: list[Any]) -> None:
        """These, and what was recorded below them by the same call."""
        origin = None
        while nodes:
            node = nodes.pop()
            if node._sequence_nr() < self._since or hasattr(node, "variable"):
                continue
            if origin is None:
                origin = self._here()
            if note(node, origin):
                nodes += [below for below, _ in node.next_functions if below is not None]

    def _here(self) -> Origin:
        calls, site = _OPEN.calls[-1] if _OPEN.calls else ((), None)
        spot = _spot_of(sys._getframe(3))
        if spot == site:  # the line that called a module of PyTorch's
            spot = None
        key = calls, None if spot is None else id(spot.code), 0 if spot is None else spot.offset
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = Origin(calls, spot)
        return known


def _recorded(made: torch.Tensor, wrote: bool) -> Any:
    """The node that made it. Of a view that was written to that of its base: to ask for its own makes one."""
    base = made._base if wrote and made._is_view() else None
    try:
        return made.grad_fn if base is None else base.grad_fn
    except RuntimeError:  # of a view that must not be used any more
        return None


def _entered(module: torch.nn.Module, args: object) -> None:
    if _OPEN.calls is None:  # of another thread
        return
    calls, around = _OPEN.calls[-1]
    site = _spot_of(sys._getframe(1))
    if len(calls) < MOST_CALLS:
        name = _name_in(_MODULES.open[-1] if _MODULES.open else None, module)
        calls = (*calls, Call(name, "module", None if site == around else site))
    _OPEN.calls.append((calls, site))
    _MODULES.open.append(module)


def _left(module: object, args: object, made: object) -> None:
    if _OPEN.calls is not None and len(_OPEN.calls) > 1:
        _OPEN.calls.pop()
        _MODULES.open.pop()


class _Modules(local):
    def __init__(self) -> None:
        self.open: list[torch.nn.Module] = []


_MODULES = _Modules()


def _name_in(parent: torch.nn.Module | None, module: torch.nn.Module) -> str:
    """What its parent calls it, and its class: ``0: Block``. A parent may hold it in a list of modules."""
    kind = type(module).__name__
    if parent is None:
        return kind
    for name, inner in parent.named_children():
        if inner is module:
            return f"{name}: {kind}"
        if isinstance(inner, torch.nn.ModuleList | torch.nn.ModuleDict):
            below: Iterable[tuple[str, torch.nn.Module]] = inner.named_children()
            for key, each in below:
                if each is module:
                    return f"{name}.{key}: {kind}"
    return kind


def _spot_of(frame: FrameType | None) -> Spot | None:
    """The nearest instruction of a person's, from this frame on."""
    while frame is not None and is_passed(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
    return None if frame is None else Spot(frame.f_code, frame.f_lasti)


def is_passed(module: str) -> bool:
    """Is it no person's?"""
    known = _KNOWN.get(module)
    if known is None:
        known = _KNOWN[module] = module.partition(".")[0] in _PASSED
    return known


_KNOWN: dict[str, bool] = {}
