"""Where nodes of PyTorch are recorded: the person's line, and the modules that are being called.

PyTorch does not note it: what listens to its functions puts an `Origin` into the metadata of the nodes
that a call recorded (`torch_nodes.py`). `torch_watch.py` does so in a watch, `line_watch.py` that alone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from threading import local
from types import FrameType
from typing import Any

import torch
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)
from torch.nn.parallel import DistributedDataParallel

from vizgrad.debugger.engines.api.summarizer import MOST_CALLS, Call, Origin, Spot
from vizgrad.debugger.engines.pytorch import torch_hooks
from vizgrad.debugger.engines.pytorch.torch_nodes import edges_of, note

#: Frames of these are passed over when looking for a person's line.
_PASSED = ("torch", "vizgrad", "contextlib")
#: So begin the files that torch.compile says its code is in.
_WRITTEN_BY_TORCH = ("<eval_with_key>", f"{Path(torch.__file__).parent}{os.sep}")


class _Open(local):
    #: The calls of modules that are open on this thread, and the site of the last; None: not watching.
    calls: list[tuple[tuple[Call, ...], Any]] | None = None


OPEN = _Open()


@contextmanager
def module_calls() -> Generator[None]:
    """Calls of modules on this thread are known in the block."""
    if OPEN.calls is not None:
        yield
        return
    OPEN.calls = [((), None)]
    handles: list[Any] = [
        register_module_forward_pre_hook(_entered),
        register_module_forward_hook(_left, always_call=True),
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
        OPEN.calls = None


def modules_called() -> str:
    """The names of the modules whose calls are open, the class of the outermost first: `GPT2/h.1/ln_2`."""
    calls = OPEN.calls[-1][0] if OPEN.calls else ()
    return "/".join(call.name.partition(": ")[0] for call in calls)


class Marks:
    """Marks the nodes that are recorded from now on."""

    def __init__(self) -> None:
        #: Earlier nodes have no place.
        self._since = torch._C._autograd._get_sequence_nr()
        self._known: dict[tuple[Any, Any, int], Origin] = {}

    def mark(self, nodes: list[Any], spot: Spot | None) -> None:
        """These, and what was recorded below them by the same call."""
        origin = None
        while nodes:
            node = nodes.pop()
            if node._sequence_nr() < self._since or hasattr(node, "variable"):
                continue
            if origin is None:
                origin = self._here(spot)
            if note(node, origin):
                nodes += [below for below, _ in edges_of(node) if below is not None]

    def _here(self, spot: Spot | None) -> Origin:
        calls, site = OPEN.calls[-1] if OPEN.calls else ((), None)
        if spot == site:  # the line that called a module of PyTorch's
            spot = None
        key = calls, None if spot is None else id(spot.code), 0 if spot is None else spot.offset
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = Origin(calls, spot)
        return known


def _entered(module: torch.nn.Module, args: object) -> None:
    if torch.compiler.is_compiling() or OPEN.calls is None:  # the second: of another thread
        return
    calls, around = OPEN.calls[-1]
    site = spot_of(sys._getframe(1))
    if len(calls) < MOST_CALLS:
        name = _name_in(_MODULES.open[-1] if _MODULES.open else None, module)
        calls = (*calls, Call(name, "module", None if site == around else site))
    OPEN.calls.append((calls, site))
    _MODULES.open.append(module)
    if isinstance(module, DistributedDataParallel):
        for one in torch_hooks.watched():
            one.replicates(module, site)


def _left(module: torch.nn.Module, args: tuple[Any, ...], made: object) -> None:
    if torch.compiler.is_compiling():
        return
    if OPEN.calls is not None and len(OPEN.calls) > 1:
        if isinstance(module, _BY_MODE):
            spot = OPEN.calls[1][1]
            for one in torch_hooks.watched():
                one.ran_layer(_MODULES.open[0], spot, module, args, made)
        OPEN.calls.pop()
        _MODULES.open.pop()


#: Layers that do something else in training than in evaluation.
_BY_MODE = (torch.nn.modules.dropout._DropoutNd, torch.nn.modules.batchnorm._NormBase)


class _Modules(local):
    def __init__(self) -> None:
        self.open: list[torch.nn.Module] = []


_MODULES = _Modules()


def _name_in(parent: torch.nn.Module | None, module: torch.nn.Module) -> str:
    """The name in its parent, and its class: ``0: Block``. A parent may hold it in a list of modules."""
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


def spot_of(frame: FrameType | None) -> Spot | None:
    """The nearest instruction of a person's, from this frame on."""
    while frame is not None and (
        is_passed(frame.f_globals.get("__name__", ""))
        or frame.f_code.co_filename.startswith(_WRITTEN_BY_TORCH)
    ):
        frame = frame.f_back
    return None if frame is None else Spot(frame.f_code, frame.f_lasti)


def is_passed(module: str) -> bool:
    """Is it no person's?"""
    known = _KNOWN.get(module)
    if known is None:
        known = _KNOWN[module] = module.partition(".")[0] in _PASSED
    return known


_KNOWN: dict[str, bool] = {}
