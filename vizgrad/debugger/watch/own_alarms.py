"""Losses and gradients of vizgrad's own engine, for a watch that looks at these alone."""

# Underscored slots of a tensor are hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from threading import get_ident
from typing import Any

from vizgrad.amp.grad_scaler import GradScaler
from vizgrad.amp.mode import (
    autocast,
    clear_autocast_cache,
    get_autocast_dtype,
    is_autocast_enabled,
)
from vizgrad.autograd import running, tensor_methods
from vizgrad.autograd.grad_mode import set_grad_enabled
from vizgrad.core.arrays import random
from vizgrad.core.arrays.backend import is_array, writeable
from vizgrad.core.graph.edges import AccumulateGrad
from vizgrad.core.tensor.modes import MODES, is_grad_enabled
from vizgrad.debugger.engines.api.alarm_source import (
    BackwardCall,
    Hearer,
    Restore,
    register_alarms,
)
from vizgrad.debugger.watch.functions import Tap
from vizgrad.debugger.watch.tensor_adapter import Look
from vizgrad.debugger.watch.vizgrad_tensors import OWN
from vizgrad.nn.modules.module import Module
from vizgrad.optim.optimizer import Optimizer


class OwnAlarms:
    """See `AlarmSource`."""

    look = OWN

    alone = True

    def listen(self, hearer: Hearer) -> Restore:
        under_way: set[int] = set()  # threads

        def backward(tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            thread = get_ident()
            if thread in under_way:  # one within a hook or a custom Function is a part of it
                return tap.original(*args, **kwargs)
            call = call_of(OWN, *args, **kwargs)
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

        def step(tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            hearer.step_begins(self, args[0])
            result = tap.original(*args, **kwargs)
            hearer.step_ended(self, args[0])
            return result

        def scale(tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            if args[0].is_enabled():
                hearer.scaled()
            return tap.original(*args, **kwargs)

        taps = [
            Tap(tensor_methods.backward, "backward", "", backward),
            Tap(running.backward, "backward", "", backward),
            Tap(GradScaler.scale, "scale", "", scale),
            *(Tap(each, "step", "", step) for each in _steps()),
        ]

        def end() -> None:
            for tap in reversed(taps):
                tap.end()

        return end

    def odd(self, tensors: Sequence[Any]) -> list[int]:
        return [place for place, each in enumerate(tensors) if not OWN.finite(each)]

    def grad(self, leaf: Any) -> Any:
        return leaf._grad

    def set_grad(self, leaf: Any, grad: Any) -> None:
        leaf._grad = grad

    def leaves(self, roots: Sequence[Any]) -> list[Any]:
        found: list[Any] = []
        todo = [node for root in roots if (node := OWN.node(root)) is not None]
        seen = set(map(id, todo))
        for node in todo:
            if isinstance(node, AccumulateGrad):
                found.append(node.variable)
                continue
            for below, _ in node.next_edges:
                if below is not None and id(below) not in seen:
                    seen.add(id(below))
                    todo.append(below)
        return found

    def version(self, tensor: Any) -> int:
        return tensor._version

    def random(self) -> Restore:
        noted = [each.noted() for each in random.generators()]

        def restore() -> None:
            for again in noted:
                again()

        return restore

    def modes(self) -> Callable[[], AbstractContextManager[Any]]:
        on, cast = is_grad_enabled(), is_autocast_enabled("cpu")
        dtype = get_autocast_dtype("cpu") if cast else None

        @contextmanager
        def again() -> Generator[None]:
            clear_autocast_cache()  # of weights whose graph is gone
            with ExitStack() as stack:
                if cast or is_autocast_enabled("cpu"):
                    stack.enter_context(autocast("cpu", dtype, enabled=cast))
                stack.enter_context(set_grad_enabled(on))
                yield

        return again

    def kept(self, tensors: Iterable[Any]) -> Restore:
        # In the second run a write gets a tick of its own: an earlier version is not set again.
        arrays = [each._array for each in tensors]
        copies = [
            (each, each.copy())
            for each in arrays
            if is_array(each) and each.size and writeable(each)
        ]

        def restore() -> None:
            for array, copy in reversed(copies):
                array[...] = copy

        return restore

    @contextmanager
    def hearing_modules(self, called: Callable[[list[Any]], None]) -> Generator[None]:
        def enters(tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            module = args[0]
            called([*module.parameters(recurse=False), *module.buffers(recurse=False)])
            return tap.original(*args, **kwargs)

        tap = Tap(Module.__call__, "__call__", "", enters)
        try:
            yield
        finally:
            tap.end()

    def stack(self) -> Any:
        return MODES.recorder


def call_of(
    look: Look, tensors: Any, gradient: Any = None, retain_graph: Any = None,
    create_graph: bool = False, *_: Any, **__: Any,
) -> BackwardCall:  # fmt: skip
    """From the arguments of `backward`."""
    several = tensors if isinstance(tensors, tuple | list) else (tensors,)
    keeps = create_graph if retain_graph is None else retain_graph
    return BackwardCall([each for each in several if look.knows(each)], bool(keeps))


def _steps() -> list[Any]:
    found, todo = [], [Optimizer]
    for cls in todo:
        todo += cls.__subclasses__()
        if "step" in vars(cls):
            found.append(vars(cls)["step"])
    return list(dict.fromkeys(found))


register_alarms(OwnAlarms)
