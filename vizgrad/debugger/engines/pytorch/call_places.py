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
from types import CodeType, FrameType
from typing import Any, NamedTuple
from weakref import ref

import torch
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)
from torch.nn.parallel import DistributedDataParallel

from vizgrad.core.errors import is_library
from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger.engines.api.summarizer import MOST_CALLS, Call, Origin, Spot
from vizgrad.debugger.engines.pytorch import torch_hooks
from vizgrad.debugger.engines.pytorch.torch_nodes import note_all, note_one
from vizgrad.debugger.watch.note_recorder import near_of
from vizgrad.debugger.watch.notes import Near

#: Frames of these are passed over when looking for a person's line.
_PASSED = ("torch", "vizgrad", "contextlib")
#: So begin the files that torch.compile says its code is in.
_WRITTEN_BY_TORCH = ("<eval_with_key>", f"{Path(torch.__file__).parent}{os.sep}")


class _Opened:
    """A call of a module that is open, and all around it."""

    __slots__ = ("calls", "forward", "near", "off", "origins", "place", "site")

    def __init__(
        self, calls: tuple[Call, ...], place: _Place | tuple[None, None] = (None, None),
        off: Spot | None = None, forward: CodeType | None = None,
    ) -> None:  # fmt: skip
        self.calls = calls
        #: Where the innermost was called; and the code that runs it, where that is PyTorch's.
        self.place, self.forward = place, forward
        #: Where the outermost module was called that ran from its beginning with gradients off.
        self.off = off
        #: Where the user's code has called the library that runs, once it was asked for.
        self.near: Near | None = None
        self.site = place[0]
        #: The origins of what was recorded so far, by the id of the instruction, which they hold.
        self.origins: dict[int, Origin] = {}


class _Open(local):
    #: The calls of modules that are open on this thread; None: not watching.
    calls: list[_Opened] | None = None


OPEN = _Open()


@contextmanager
def module_calls() -> Generator[None]:
    """Calls of modules on this thread are known in the block."""
    if OPEN.calls is not None:
        yield
        return
    OPEN.calls = [_Opened(())]
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
    calls = OPEN.calls[-1].calls if OPEN.calls else ()
    return "/".join(call.name.partition(": ")[0] for call in calls)


def called_without_grad() -> Site | None:
    """Where the outermost module was called that runs with gradients off from its beginning: its caller has
    switched them off. None where a module did so itself.
    """
    off = OPEN.calls[-1].off if OPEN.calls else None
    return None if off is None else Site(off.code, off.offset)


def near_here(site: Site | None) -> Near | None:
    """`near_of` what runs: within one call of a module it is asked for once."""
    opened = OPEN.calls[-1] if OPEN.calls and len(OPEN.calls) > 1 else None
    if site is None or not is_library(site.file):
        return None
    if opened is None:
        return near_of(site, modules_called)
    if opened.near is None:
        opened.near = near_of(site, modules_called)
    return opened.near


class Marks:
    """Marks the nodes that are recorded from now on."""

    def __init__(self) -> None:
        #: Earlier nodes have no place.
        self._since = torch._C._autograd._get_sequence_nr()
        #: The origins of what no module recorded.
        self._outside = _Opened(())

    def mark_one(self, node: Any, spot: Spot | None) -> None:
        """One that is all that its call has recorded."""
        opened = OPEN.calls[-1] if OPEN.calls else self._outside
        note_one(node, opened.origins.get(id(spot)) or self._origin(spot))

    def mark(self, nodes: list[Any], spot: Spot | None) -> None:
        """These, and what was recorded below them by the same call."""
        note_all(nodes, self._origin(spot), self._since)

    def _origin(self, spot: Spot | None) -> Origin:
        opened = OPEN.calls[-1] if OPEN.calls else self._outside
        if spot is not None and spot == opened.site:  # the line that called a module of PyTorch's
            spot = None
        origin = opened.origins.get(id(spot))
        if origin is None:
            origin = opened.origins[id(spot)] = Origin(opened.calls, spot)
        return origin


def _entered(module: torch.nn.Module, args: object) -> None:
    if _is_compiling() or (opened := OPEN.calls) is None:  # the second: of another thread
        return
    around, modules = opened[-1], _MODULES.open
    # a frame costs when it is shown: those between are PyTorch's
    frame: FrameType | None = sys._getframe(3)
    frame = frame.f_back if frame.f_code is _CALL else sys._getframe(1)
    calls, place = around.calls, place_of(frame)
    site = place[0]
    if len(calls) < MOST_CALLS:
        name = _name_in(modules[-1] if modules else None, module)
        calls = (*calls, Call(name, "module", None if site == around.site else site))
    off = around.off
    if off is None and not torch.is_grad_enabled():
        off = site
    kind = module.__class__
    forward = getattr(getattr(kind, "forward", None), "__code__", None)
    known = _CODES.get(id(forward))
    if known is None or not known.passed or "forward" in module.__dict__:
        forward = None
    opened.append(_Opened(calls, place, off, forward))
    modules.append(module)
    if DistributedDataParallel in kind.__mro__:
        for one in torch_hooks.watched():
            one.replicates(module, site)


def _left(module: torch.nn.Module, args: tuple[Any, ...], made: object) -> None:
    if _is_compiling():
        return
    opened = OPEN.calls
    if opened is not None and len(opened) > 1:
        if isinstance(module, _BY_MODE):
            spot = opened[1].site
            for one in torch_hooks.watched():
                one.ran_layer(_MODULES.open[0], spot, module, args, made)
        opened.pop()
        _MODULES.open.pop()


_is_compiling = torch.compiler.is_compiling
#: The third frame above a hook of a module: what calls it is above.
_CALL = torch.nn.Module._wrapped_call_impl.__code__


#: Layers that do something else in training than in evaluation.
_BY_MODE = (torch.nn.modules.dropout._DropoutNd, torch.nn.modules.batchnorm._NormBase)


class _Modules(local):
    def __init__(self) -> None:
        self.open: list[torch.nn.Module] = []


_MODULES = _Modules()


#: By the id of a module: it, the parent that called it, its name there, and the steps down to it.
_NAMED: dict[
    int, tuple[ref[torch.nn.Module], ref[torch.nn.Module], str, tuple[str, ...]]
] = {}  # fmt: skip
_MOST_NAMED = 100_000


def _name_in(parent: torch.nn.Module | None, module: torch.nn.Module) -> str:
    """The name in its parent, and its class: ``0: Block``. A parent may hold it in a list of modules."""
    if parent is None:
        return type(module).__name__
    known = _NAMED.get(id(module))
    if known is not None and known[0]() is module and known[1]() is parent:
        there: Any = parent
        for key in known[3]:
            there = None if there is None else there._modules.get(key)
        if there is module:
            return known[2]
    found = _found_in(parent, module)
    if len(_NAMED) >= _MOST_NAMED:
        _NAMED.clear()
    steps = tuple(found.partition(": ")[0].split("."))
    _NAMED[id(module)] = ref(module), ref(parent), found, steps
    return found


def _found_in(parent: torch.nn.Module, module: torch.nn.Module) -> str:
    kind = type(module).__name__
    for name, inner in parent.named_children():
        if inner is module:
            return f"{name}: {kind}"
        if isinstance(inner, torch.nn.ModuleList | torch.nn.ModuleDict):
            below: Iterable[tuple[str, torch.nn.Module]] = inner.named_children()
            for key, each in below:
                if each is module:
                    return f"{name}.{key}: {kind}"
    return kind


class _Place(NamedTuple):
    """One instruction of the user's, as nodes and as notes know it."""

    spot: Spot
    site: Site


class _Code:
    """A code object that was met."""

    __slots__ = ("code", "passed", "places", "whose")

    def __init__(self, code: CodeType, module: str) -> None:
        self.code = code
        #: Is it no person's?
        self.passed = is_passed(module) or code.co_filename.startswith(_WRITTEN_BY_TORCH)
        #: See `whose`.
        self.whose = _WHOSE[module]
        #: The instructions of it that were met.
        self.places: dict[int, _Place] = {}


#: By the id of the code object. All are forgotten where there are very many, as a program has that writes
#: programs.
_CODES: dict[int, _Code] = {}
_MOST_CODES = 20_000


def place_of(frame: FrameType | None) -> tuple[Spot, Site] | tuple[None, None]:
    """The nearest instruction of a person's, from this frame on."""
    calls = OPEN.calls
    opened = calls[-1] if calls else None
    while frame is not None:
        code = frame.f_code
        if opened is not None and code is opened.forward:
            return opened.place  # from here on it was asked for when the module was called
        known = _CODES.get(id(code)) or _met(frame)
        if not known.passed:
            offset = frame.f_lasti
            found = known.places.get(offset)
            if found is None:
                found = known.places[offset] = _Place(Spot(code, offset), Site(code, offset))
            return found
        frame = frame.f_back
    return None, None


def whose(frame: FrameType) -> str:
    """Who calls PyTorch: "step" for an optimizer of PyTorch's, "own" for vizgrad, "watch" for what listens in
    it, "" for all others.
    """
    return (_CODES.get(id(frame.f_code)) or _met(frame)).whose


def spot_of(frame: FrameType | None) -> Spot | None:
    """The same as nodes know it."""
    return place_of(frame)[0]


def _met(frame: FrameType) -> _Code:
    if len(_CODES) >= _MOST_CODES:
        _CODES.clear()
    code = frame.f_code
    found = _CODES[id(code)] = _Code(code, frame.f_globals.get("__name__") or "")
    return found


class _Whose(dict[str, str]):
    """Name of a module -> whose it is."""

    def __missing__(self, module: str) -> str:
        found = "step" if module.startswith("torch.optim.") else ""
        if module.partition(".")[0] == "vizgrad":
            found = "watch" if module in _TELLING else "own"
        self[module] = found
        return found


_TELLING = frozenset(
    {
        "vizgrad.debugger.engines.pytorch.torch_watch",
        "vizgrad.debugger.engines.pytorch.torch_hooks",
        "vizgrad.debugger.watch.function_hooks",
    }
)
_WHOSE = _Whose()


def is_passed(module: str) -> bool:
    """Is it no person's?"""
    return module.partition(".")[0] in _PASSED
