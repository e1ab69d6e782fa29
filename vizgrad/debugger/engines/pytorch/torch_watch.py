"""Notes where nodes of PyTorch are recorded and memory is written, as long as a block of code runs.

Each function of PyTorch's marks the nodes that it recorded with the person's line and the calls of modules
around it (`torch_nodes.py`), and notes what it wrote to (`write_lines.py`). The notes live with
nodes and memory.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import (
    TorchFunctionMode,
    _get_current_function_mode_stack,
    _pop_mode,
    _push_mode,
)

from vizgrad.core.errors import hide_frames, is_library
from vizgrad.core.tensor.source_location import Site
from vizgrad.core.tensor.storage import tick
from vizgrad.debugger.engines.api.summarizer import Spot
from vizgrad.debugger.engines.pytorch import torch_hooks
from vizgrad.debugger.engines.pytorch.call_places import (
    Marks,
    is_passed,
    module_calls,
    place_of,
    whose,
)
from vizgrad.debugger.engines.pytorch.function_card import heard_as
from vizgrad.debugger.engines.pytorch.optimizer_steps import (
    StepWrites,
    can_be_told,
    counts_of,
)
from vizgrad.debugger.engines.pytorch.plain_calls import plain_operands
from vizgrad.debugger.engines.pytorch.torch_errors import explain_call, explain_parameter
from vizgrad.debugger.engines.pytorch.torch_notes import TorchNoting
from vizgrad.debugger.engines.pytorch.versions import OUTPUTS_TOLD, note_output
from vizgrad.debugger.engines.pytorch.watched_backward import Engine
from vizgrad.debugger.engines.pytorch.write_lines import counters, note_all_writes, note_writes
from vizgrad.debugger.watch.note_recorder import Noting, may_write, near_of
from vizgrad.debugger.watch.scaling import CLIPPING


@contextmanager
def watching(noting: TorchNoting | None = None) -> Generator[TorchNoting]:
    """Nodes recorded in the block, on this thread, know their line and the modules that were called, and
    what happens to tensors is noted. Within another such block each notes for itself.
    """
    noting = TorchNoting() if noting is None else noting
    mode = _Listening(noting)
    noting.start()
    torch_hooks.listen(mode)
    try:
        with module_calls(), mode:
            yield noting
    finally:
        torch_hooks.end(mode)
        noting.stop()


class _Listening(TorchFunctionMode):
    """Runs each call of a function of PyTorch's that a person's code makes, and notes what it did."""

    def __init__(self, noting: TorchNoting) -> None:
        super().__init__()
        self._noting = noting
        self._marks = Marks()
        self._steps = StepWrites()

    def __torch_function__(  # noqa: C901, PLR0915  in one piece, as each call of a function costs
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if _is_compiling():  # it would become a part of what is compiled
            return func(*args, **kwargs)
        kind, name = heard_as(func)
        if kind in _UNNOTED:
            try:
                made = func(*args, **kwargs)
            except Exception as error:
                # as bool() of a tensor within vmap
                if kind != "run" and not _of_own(_getframe(1)):
                    self._failed(error, name, args, kwargs)
                hide_frames(error)
                raise
            if made is None and kind == "ask":
                self._has_none(args[0], _getframe(1))
            return made
        frame = _getframe(1)
        caller = whose(frame)
        if caller == "watch":
            caller, frame = _caller(frame)
        if caller == "own" or _tracing() is not None:
            return func(*args, **kwargs)
        given = plain_operands(args, kwargs) if kind == "op" and not may_write(name) else None
        if given is None:
            return self._noted(kind, func, name, args, kwargs, caller, frame)
        operands, versions, constant = given
        number = _number()  # of the next node
        try:
            made = func(*args, **kwargs)
        except Exception as error:
            self._failed(error, name, args, kwargs)
            hide_frames(error)
            raise
        written = [each._version for each in operands] != versions
        if made.__class__ is not torch.Tensor or caller == "step" or written:
            with torch._C.DisableTorchFunction():
                before = list(zip(operands, versions, strict=True))
                self._tell(kind, name, args, kwargs, made, before, caller, frame)
            return made
        spot, site = place_of(frame)
        node, key = None, 0
        if _records() and (node := made.grad_fn) is not None:
            key = node._sequence_nr()
            if key == number == _number() - 1:  # it is all that the call has recorded
                self._marks.mark_one(node, spot)
            else:
                self._marks.mark([node], spot)
            if not OUTPUTS_TOLD:
                note_output(made, node)
        noting = self._noting
        observer = noting._observer
        if observer is not None and observer.active:
            noting.busy = True  # as `guarded`, without a call of its own
            try:
                noting.made_plainly(name, args, kwargs, operands, constant, made, site, node, key)
            except Exception as error:  # noqa: BLE001  whatever it was, it is reported
                observer.raised(error)
            finally:
                noting.busy = False
        return made

    def _noted(
        self, kind: str, func: Any, name: str, args: Any, kwargs: dict[str, Any], caller: str, frame: Any
    ) -> Any:  # fmt: skip
        """A call of which nothing is known beforehand."""
        with torch._C.DisableTorchFunction():
            before = counters((*args, *kwargs.values()) if kwargs else args)
            if args and may_write(name) and caller != "step":
                self._noting.guarded(self._noting.note_before, args[0])
        try:
            made = func(*args, **kwargs)
        except Exception as error:
            self._failed(error, name, args, kwargs)
            hide_frames(error)
            raise
        with torch._C.DisableTorchFunction():
            self._tell(kind, name, args, kwargs, made, before, caller, frame)
        return made

    def _tell(
        self, kind: str, name: str, args: Any, kwargs: dict[str, Any], made: Any,
        before: list[tuple[Any, int]], caller: str, frame: Any,
    ) -> None:  # fmt: skip
        """Notes a call that has ended. `before`: its tensors, and what their counters were."""
        spot, site = place_of(frame)
        wrote = [each for each in before if each[0]._version > each[1]]
        if wrote:
            for tensor, version in wrote:
                note_writes(tensor, version, (name,) * (tensor._version - version), spot)
                if caller == "step":
                    self._steps.wrote(tensor, version, name)
            wrote = [tensor for tensor, _ in wrote]
        if caller != "step":  # what a step did to the parameters is told by itself
            self._made(kind, name, args, kwargs, made, wrote, spot, site)

    def _made(
        self, kind: str, name: str, args: Any, kwargs: dict[str, Any], made: Any, wrote: list[Any],
        spot: Spot | None, site: Site | None,
    ) -> None:  # fmt: skip
        node = None
        if torch.is_grad_enabled():
            if made.__class__ is torch.Tensor and not wrote:
                node = _recorded(made, False)
                nodes = [] if node is None else [node]
            else:
                several = made if isinstance(made, tuple | list) else (made,)
                nodes = [
                    each
                    for tensor in several
                    if isinstance(tensor, torch.Tensor)
                    and (each := _recorded(tensor, bool(wrote))) is not None
                ]
            if nodes:
                self._marks.mark(nodes, spot)
        noting = self._noting
        Noting.guarded(noting, noting.called, kind, name, args, kwargs, made, wrote, site, node)

    def _failed(
        self, error: Exception, name: str, args: Any, kwargs: dict[str, Any] | None = None
    ) -> None:
        with torch._C.DisableTorchFunction():
            site = _site_here(2)
            self._noting.guarded(explain_call, self._noting, error, name, args, site, kwargs)

    def _has_none(self, tensor: Any, frame: Any) -> None:
        """Code has asked a tensor for its gradient, and there is none: the user's own code, and a leaf?"""
        if whose(frame) or is_passed(frame.f_globals.get("__name__") or ""):
            return
        with torch._C.DisableTorchFunction():
            if tensor.is_leaf and tensor.requires_grad and not is_library(frame.f_code.co_filename):
                noting = self._noting
                noting.guarded(noting.gradients.asked_in_vain, tensor, noting.last_end)

    # --- told by taps ----------------------------------------------------------------------------

    def ran_engine(self, args: tuple[Any, ...], kwargs: dict[str, Any], go: torch_hooks.Go) -> Any:
        """A backward, or a call of grad: within it a person's hooks and functions run."""
        with torch._C.DisableTorchFunction():
            call = self._noting.guarded(Engine, self._noting, args, kwargs, _site_here(2))
        try:
            result = self._within(go)
        except Exception as error:
            if call is not None:
                with torch._C.DisableTorchFunction():
                    self._noting.guarded(call.failed, error)
                if self._noting.on_progress is not None:
                    self._noting.on_progress(self._noting, "failed", error)
            raise
        finally:
            if call is not None:
                call.end()
        if call is not None:
            with torch._C.DisableTorchFunction():
                self._noting.guarded(call.ran, result)
            if self._noting.on_progress is not None:
                self._noting.on_progress(self._noting, call.kind)
        return result

    def refused(self, error: Exception) -> None:
        self._noting.guarded(explain_call, self._noting, error, "backward", (), _site_here(2))

    def refused_parameters(self, error: Exception, parameters: list[Any]) -> None:
        """An optimizer refused parameters."""
        site = _site_here(2)
        self._noting.guarded(explain_parameter, self._noting, error, parameters, site)

    def _within(self, go: torch_hooks.Go) -> Any:
        if self in _get_current_function_mode_stack():
            return go()
        with self:
            return go()

    def applied(self, cls: Any, args: tuple[Any, ...], go: torch_hooks.Go) -> Any:
        with torch._C.DisableTorchFunction():
            before, began = counters(args), tick()
        made = go()
        with torch._C.DisableTorchFunction():
            spot, site = place_of(sys._getframe(1))
            several = made if isinstance(made, tuple) else (made,)
            nodes = [_recorded(each, False) for each in several if isinstance(each, torch.Tensor)]
            self._marks.mark([node for node in nodes if node is not None], spot)
            self._noting.guarded(self._noting.applied, cls, args, made, before, began, site)
        return made

    def ran_step(self, args: Any, kwargs: dict[str, Any], go: torch_hooks.Go) -> Any:
        """A step of an optimizer of PyTorch's, but not the first of its class."""
        steps, optimizer = self._steps, args[0]
        modes = _get_current_function_mode_stack()
        if (
            not steps.knows(optimizer)
            or not can_be_told(optimizer, args[1:], kwargs)
            or (not modes or modes[-1] is not self)
        ):
            return go()
        with torch._C.DisableTorchFunction():
            before = counts_of(optimizer)
        _pop_mode()
        try:
            return go()
        except Exception as error:
            self._failed(error, "step", args)
            raise
        finally:
            _push_mode(self)
            with torch._C.DisableTorchFunction():
                spot, _ = place_of(sys._getframe(1))
                self._noting.guarded(steps.note, optimizer, before, spot)

    def steps(self, optimizer: Any) -> None:
        if not self._steps.knows(optimizer):
            self._steps.begin()
        self._noting.guarded(self._noting.steps_begin, optimizer, _site_here(2))

    def stepped(self, optimizer: Any) -> None:
        self._steps.end(optimizer)
        self._noting.guarded(self._noting.stepped, optimizer, _site_here(2))
        on_progress = self._noting.on_progress
        if on_progress is not None:
            self._within(lambda: on_progress(self._noting, "step"))

    def cleared(self, optimizer: Any) -> None:
        training = self._noting.training
        self._noting.guarded(training.cleared, optimizer, self._noting.gradients, _site_here(2))

    def switched(self, module: Any) -> None:
        layers, site = self._noting.layers, _site_here(2)
        near = near_of(site, str)  # a library's `eval` may be its own
        if near is not None and near.site is not None:
            site = near.site
        self._noting.guarded(layers.switched, module, bool(module.training), site)

    def ran_layer(self, whole: Any, spot: Spot | None, layer: Any, args: Any, made: Any) -> None:
        site = None if spot is None else Site(spot.code, spot.offset)
        self._noting.guarded(self._noting.ran_layer, whole, site, layer, args, made)

    def taken(self, name: str, array: Any, made: Any) -> None:
        with torch._C.DisableTorchFunction():
            self._noting.guarded(self._noting.taken, name, array, made, _site_here(2))

    def switched_grad(self, on: bool) -> None:
        self._noting.off = None if on else _site_here(2)

    def wrapped(self, data: Any, made: Any) -> None:
        with torch._C.DisableTorchFunction():
            site, noting = _site_here(2), self._noting
            noting.guarded(noting.gradients.assigned, made, site)
            if isinstance(data, torch.Tensor) and data.requires_grad:
                noting.guarded(noting.wrapped, data, made, site)

    def replicates(self, module: Any, spot: Spot | None) -> None:
        """Parameters are replicated on several processes, by a module that is called at `spot`."""
        site = None if spot is None else Site(spot.code, spot.offset)
        self._noting.guarded(self._noting.replicates, module, site)

    def tended(self, name: str, args: tuple[Any, ...], go: torch_hooks.Go) -> Any:
        """A GradScaler, or clipping: its own steps are heard as well."""
        noting = self._noting
        if noting.busy:  # the watch itself asks
            return go()
        noting.guarded(noting.scaling.begins, name, args, _site_here(2))
        try:
            made = self._clips(go, args[0]) if name in CLIPPING and args else go()
        finally:
            noting.scaling.leaves(name)
        noting.guarded(noting.tended, name, args, made)
        return made

    def _clips(self, go: torch_hooks.Go, given: Any) -> Any:
        """PyTorch's own clipping calls a dozen functions for each gradient. Where all gradients are finite,
        and nobody could miss one of these calls, it is told by the counters of the gradients.
        """
        modes = _get_current_function_mode_stack()
        noting = self._noting
        with torch._C.DisableTorchFunction():
            grads = noting.guarded(noting.plain_gradients, given)
        if not grads or not modes or modes[-1] is not self:
            return go()
        _pop_mode()
        try:
            return go()
        finally:
            _push_mode(self)
            with torch._C.DisableTorchFunction():
                spot, _ = place_of(sys._getframe(2))
                note_all_writes(grads, lambda times: ("_foreach_mul_",) * times, spot)

    def repeat_begins(self) -> None:
        self._noting.repeats.begin()

    def repeat_ends(self, call: torch_hooks.Repeating, *, again: bool) -> None:
        self._noting.recomputed = call.run_function if again else self._noting.recomputed
        self._noting.guarded(lambda: self._noting.repeats.end(call, again=again))

    def stray(self, made: Any) -> None:
        if len(self._noting.habits.strays) < _STRAYS_KEPT:
            self._noting.habits.strays.append(_site_here(2))


def _caller(frame: Any) -> tuple[str, Any]:
    """Whose the code is that calls, and its frame; not that of a watch within another."""
    while (caller := whose(frame)) == "watch":
        frame = frame.f_back
    return caller, frame


def _recorded(made: torch.Tensor, wrote: bool) -> Any:
    """The node that made it, which is to be marked. For a written view the node of its base: to ask for its
    own makes one.
    """
    base = made._base if wrote and made._is_view() else None
    try:
        node = (made if base is None else base).grad_fn
    except RuntimeError:  # a view that must not be used any more
        return None
    if base is None and not OUTPUTS_TOLD:
        note_output(made, node)
    return node


def _site_here(depth: int) -> Site | None:
    return place_of(sys._getframe(depth))[1]


_getframe = sys._getframe
_is_compiling = torch.compiler.is_compiling
_number = torch._C._autograd._get_sequence_nr
_records = torch.is_grad_enabled
_tracing = torch._C._get_tracing_state
#: Calls of these kinds are let through.
_UNNOTED = frozenset({"ask", "pass", "run"})
#: Lines of other threads that are kept.
_STRAYS_KEPT = 16


def _of_own(frame: Any) -> bool:
    """Is it a call of vizgrad's own?"""
    while (caller := whose(frame)) == "watch":
        frame = frame.f_back
    return caller == "own"
