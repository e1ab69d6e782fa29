"""Losses and gradients of PyTorch's, for a watch that looks at these alone.

Nothing is heard but runs of the engine and steps of optimizers. The gradients of a step are read by one
reduction for each device and type; only where its result is not finite is each gradient looked at.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from threading import get_ident
from typing import Any

import torch
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from torch.overrides import _get_current_function_mode_stack

from vizgrad.debugger.engines.api.alarm_source import Hearer, Restore
from vizgrad.debugger.engines.pytorch.clipped_gradients import ClippedGradients
from vizgrad.debugger.engines.pytorch.device_threads import in_device_thread
from vizgrad.debugger.engines.pytorch.elements import parts_of
from vizgrad.debugger.engines.pytorch.torch_tensors import LOOK, graph_below, node_of
from vizgrad.debugger.watch.functions import Tap
from vizgrad.debugger.watch.own_alarms import call_of
from vizgrad.debugger.watch.scaling import listed

_PLAIN = (torch.Tensor, torch.nn.Parameter)
#: Kinds of devices whose autocast a step may find switched on.
_CASTING = ("cpu", "cuda")


class TorchAlarms:
    """See `AlarmSource`."""

    look = LOOK

    def __init__(self) -> None:
        self._clipped = ClippedGradients()

    def listen(self, hearer: Hearer) -> Restore:
        def scale(tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            if args[0].is_enabled():
                hearer.scaled()
            return tap.original(*args, **kwargs)

        def clip(tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            if torch.compiler.is_compiling():
                return tap.original(*args, **kwargs)
            args, kwargs = listed("clip_grad_norm_", args, kwargs)
            norm = tap.original(*args, **kwargs)
            hearer.clipped(lambda: self._clipped.clipped(args, kwargs, norm))
            return norm

        def step_begins(optimizer: Any, args: Any, kwargs: Any) -> None:
            if not torch.compiler.is_compiling():
                hearer.step_begins(self, optimizer)

        def step_ended(optimizer: Any, args: Any, kwargs: Any) -> None:
            if not torch.compiler.is_compiling():
                hearer.step_ended(self, optimizer)

        backward = self._backward(hearer)
        ends = [
            Tap(torch.autograd.backward, "backward", "", backward).end,
            Tap(torch.Tensor.backward, "backward", "", backward).end,
            Tap(torch.amp.GradScaler.scale, "scale", "", scale).end,
            Tap(torch.nn.utils.clip_grad_norm_, "clip_grad_norm_", "", clip).end,
            register_optimizer_step_pre_hook(step_begins).remove,
            register_optimizer_step_post_hook(step_ended).remove,
        ]

        def end() -> None:
            while ends:
                ends.pop()()

        return end

    def _backward(self, hearer: Hearer) -> Callable[..., Any]:
        """Listens to calls of backward."""
        under_way: set[int] = set()  # threads

        def backward(tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            """Heard before modes of the program are: here a watch may be ended."""
            thread = get_ident()
            within = thread in under_way or (bool(under_way) and in_device_thread())
            if within or _transforming() or torch.compiler.is_compiling():
                return tap.original(*args, **kwargs)
            call = call_of(LOOK, *args, **kwargs)
            hearer.backward_begins(self, call)
            under_way.add(thread)
            try:
                result = tap.original(*args, **kwargs)
            except Exception:
                under_way.discard(thread)
                hearer.backward_ended(self, call, failed=True)
                raise
            finally:
                under_way.discard(thread)
            hearer.backward_ended(self, call, failed=False)
            return result

        return backward

    def odd(self, tensors: Sequence[Any]) -> list[int]:
        if torch._C._len_torch_dispatch_stack():  # it would see the read
            return []
        if len(tensors) == 1 and tensors[0].numel() == 1 and type(tensors[0]) in _PLAIN:
            return [] if _is_finite(tensors[0]) else [0]
        with torch.no_grad(), torch._C.DisableTorchFunction():
            places = self._clipped.others(tensors)
            if not places:
                return []
            read = [_values(tensors[place]) for place in places]
            groups: dict[Any, list[Any]] = {}
            for each in read:
                if each is not None:
                    groups.setdefault((each.dtype, each.is_cpu or each.device), []).append(each)
            if all(map(_finite, groups.values())):
                return []
            return [
                place
                for place, each in zip(places, read, strict=True)
                if each is not None and not bool(torch.isfinite(each).all())
            ]

    def grad(self, leaf: Any) -> Any:
        return leaf.grad

    def set_grad(self, leaf: Any, grad: Any) -> None:
        leaf.grad = grad

    def leaves(self, roots: Sequence[Any]) -> list[Any]:
        nodes = [node for root in roots if (node := node_of(root)) is not None]
        below = graph_below(nodes)
        return [leaf for node in below if (leaf := getattr(node, "variable", None)) is not None]

    def version(self, tensor: Any) -> int:
        return 0 if tensor.is_inference() else tensor._version

    def random(self) -> Restore:
        state = torch.get_rng_state()
        there = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else []

        def restore() -> None:
            torch.set_rng_state(state)
            if there:
                torch.cuda.set_rng_state_all(there)

        return restore

    def modes(self) -> Callable[[], AbstractContextManager[Any]]:
        on = torch.is_grad_enabled()
        casts = {
            kind: torch.get_autocast_dtype(kind)
            for kind in _CASTING
            if torch.is_autocast_enabled(kind)
        }

        @contextmanager
        def again() -> Generator[None]:
            torch.clear_autocast_cache()  # of weights whose graph is gone
            with ExitStack() as stack:
                for kind in _CASTING:
                    if kind in casts:
                        stack.enter_context(torch.autocast(kind, casts[kind]))
                    elif torch.is_autocast_enabled(kind):
                        stack.enter_context(torch.autocast(kind, enabled=False))
                stack.enter_context(torch.set_grad_enabled(on))
                yield

        return again

    def kept(self, tensors: Iterable[Any]) -> Restore:
        copies: list[tuple[Any, Any, Any]] = []
        with torch.no_grad(), torch._C.DisableTorchFunction():
            for each in tensors:
                values = _values(each, floating=False)
                if values is None or torch._debug_has_internal_overlap(values) == 1:
                    continue  # nobody can write to the second in place
                counter = None
                if not values.is_inference():
                    counter = torch.autograd._unsafe_preserve_version_counter(values)
                copies.append((values, values.clone(), counter))

        def restore() -> None:
            with torch.no_grad(), torch._C.DisableTorchFunction():
                for values, copy, counter in reversed(copies):
                    if counter is None:
                        with torch.inference_mode():
                            values.copy_(copy)
                    else:
                        values.copy_(copy)
                        counter.__exit__(None, None, None)

        return restore

    @contextmanager
    def hearing_modules(self, called: Callable[[list[Any]], None]) -> Generator[None]:
        def enters(module: Any, args: Any) -> None:
            called([*module.parameters(recurse=False), *module.buffers(recurse=False)])

        handle = register_module_forward_pre_hook(enters)
        try:
            yield
        finally:
            handle.remove()

    def stack(self) -> Any:
        return tuple(map(id, _get_current_function_mode_stack()))

    @property
    def alone(self) -> bool:
        there = torch.distributed.is_available() and torch.distributed.is_initialized()
        return not there or torch.distributed.get_world_size() == 1


def _transforming() -> bool:
    return torch._C._functorch.peek_interpreter_stack() is not None


def _values(tensor: Any, *, floating: bool = True) -> Any:
    """The elements to be read, as a plain tensor: of a sparse tensor the values, of a distributed one its
    part here. None where there are none.
    """
    if type(tensor) not in _PLAIN:
        tensor = getattr(tensor, "_local_tensor", None)
        if type(tensor) not in _PLAIN:
            return None
    if tensor.layout is not torch.strided:
        tensor = next(iter(parts_of(tensor)), None)
        if tensor is None:
            return None
    kind = tensor.is_floating_point() or tensor.is_complex() or not floating
    # without an address: empty, or without memory for now
    return tensor if kind and tensor.data_ptr() else None


def _is_finite(number: Any) -> bool:
    with torch._C.DisableTorchFunction():
        return cmath.isfinite(number.item()) if number.data_ptr() else True


def _finite(several: list[Any]) -> bool:
    """Is the norm of all finite? One that overflows is no proof."""
    return cmath.isfinite(torch.stack(torch._foreach_norm(several)).sum().item())
