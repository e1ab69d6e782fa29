"""Holds a backward of PyTorch before each node: it runs on a thread of its own, blocked in a hook.

PyTorch calls hooks before and after a node. The one before says which node has come, and waits there until
the session lets it go on; the one after notes what the node computed. Hooks of a person's that belong to a
tensor have run when its node is held: PyTorch calls these first.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from contextvars import copy_context
from queue import Empty, SimpleQueue
from time import perf_counter
from types import MappingProxyType
from typing import Any, NoReturn

import torch

from vizgrad.debugger.engines.pytorch import device_threads
from vizgrad.debugger.engines.pytorch.captured import (
    CapturedTensor,
    Capturing,
    LargeTensor,
    flat_of,
)
from vizgrad.debugger.engines.pytorch.collective_watch import CollectiveWatch, in_a_group
from vizgrad.debugger.engines.pytorch.device_streams import settle, told_late
from vizgrad.debugger.engines.pytorch.effects import GradEffect, leaf_effect
from vizgrad.debugger.engines.pytorch.graph_source import Numbering
from vizgrad.debugger.engines.pytorch.torch_nodes import name_of

#: Seconds for which a thread is waited for that was told to end. One that is inside a node ends after it.
ENDING = 5.0
#: Seconds in which a node may end by itself when it is interrupted.
GRACE = 0.2
Grad = torch.Tensor | None
Captured = CapturedTensor | None
#: A node, and the slot of it that a gradient goes to.
Slot = tuple[int, int]


class Abandoned(BaseException):
    """Ends the backward of a session that goes no further. Nobody but the gate sees it."""


class Call:
    """One node as its hooks saw it. Gradients are captured: PyTorch goes on with its own."""

    def __init__(self, number: int, used: Sequence[Captured] | None) -> None:
        self.number = number
        #: The gradients that the node received, after all other hooks; None if it received none.
        self.used = None if used is None else tuple(used)
        self.computed: list[Captured] = []
        #: The sums of results with what had arrived before, by the number of the result.
        self.sums: dict[int, Captured] = {}
        self.seconds = 0.0
        self.leaf: LeafCall | None = None
        #: The changes of leaves' `.grad` by backwards within the node, by identity of the leaf.
        self.within: dict[int, GradEffect] = {}
        #: Has the node given its results?
        self.done = False


class LeafCall:
    """The change of `.grad` by a leaf's node: recognised by the same object, or the same memory."""

    def __init__(self, variable: torch.Tensor, used: Grad, captured: Captured) -> None:
        self.effect = GradEffect(variable)
        #: The last change of `.grad` that was noted: this one, or one of those after it.
        self.latest = self.effect
        self.leaf_effect = leaf_effect(variable)
        before = self.effect.before
        self.before = None if before is None else CapturedTensor(before)
        self.after: Captured = None
        self.decision = "undefined"
        self._used = captured
        self._variable: torch.Tensor | None = variable
        self._memory = _memory(used)

    @property
    def grad(self) -> Grad:
        """`.grad` as it is now."""
        return None if self._variable is None else self._variable.grad

    def finish(self, capturing: Capturing) -> None:
        assert self._variable is not None  # is finished once
        grad, before = self._variable.grad, self.effect.grad_before
        self.after = self._captured(grad, capturing)
        if self._memory is None:
            self.decision = "undefined"
        elif grad is None:
            self.decision = "dropped"
        elif before is None:
            self.decision = "taken" if _memory(grad) == self._memory else "copied"
        else:
            self.decision = "added in place" if grad is before else "new tensor"
        self._variable = self._used = None

    def _captured(self, grad: Grad, capturing: Capturing) -> Captured:
        """Where processes work together, who averages gradients afterwards is undone with a copy."""
        if grad is None or not capturing.is_large(grad):
            return capturing.take(grad)
        used, elements = self._used, None
        if isinstance(used, LargeTensor) and _memory(grad) != self._memory:
            elements = used.elements if used.elements.equal(flat := flat_of(grad)) else None
            if elements is not None:
                elements.lie_in(flat)
        found = capturing.take(grad) if elements is None else LargeTensor(elements, grad)
        if in_a_group():
            capturing.keep(found)
        return found


class Gate:
    """`start` runs the whole backward; `wait` says which of `nodes` has come, `pass_on` lets it run."""

    def __init__(
        self,
        nodes: Sequence[Any],
        others: Sequence[Any],
        start: Callable[[], None],
        numbering: Numbering | None = None,
        capturing: Capturing | None = None,
        waiting: Mapping[Slot, CapturedTensor] = MappingProxyType({}),
        summed: Mapping[tuple[int, int], tuple[Slot, int]] = MappingProxyType({}),
    ) -> None:
        """`others`: nodes of leaves that backwards within a node may lead to. `numbering`: of what the
        backward records, if it does. `waiting`: what it starts from. `summed`: by node and number of its
        edge, the slots that several gradients go to, and how many.
        """
        self._start = start
        self._capturing = Capturing(None) if capturing is None else capturing
        self._summed = summed
        #: The sum for a slot so far, as a copy (None: the engine has it), and captured.
        self._sums: dict[Slot, tuple[torch.Tensor | None, CapturedTensor]] = {
            slot: (seed.array, seed) for slot, seed in waiting.items()
        }
        self._numbering = numbering
        self._came: SimpleQueue[Call | BaseException | None] = SimpleQueue()
        #: For each node that is let go on, what it is given instead of what came (None: just that).
        self._go: SimpleQueue[dict[int, torch.Tensor] | None] = SimpleQueue()
        self._abandoned = False
        #: For the backward that is held: others may run through the same nodes, also within it.
        self._task: int | None = None
        self._call: Call | None = None
        #: Modes that are off while an abandoned backward ends.
        self._anomaly: tuple[bool, bool] | None = None
        self._since = 0.0
        self._handles: list[Any] = []
        self._others = others  # a leaf alone does not keep its node
        #: The collectives of the nodes; None in a process that is alone.
        self.collectives = CollectiveWatch(nodes) if in_a_group() else None
        #: The devices in whose threads PyTorch runs some of the nodes.
        self._devices = device_threads.devices_of(nodes)
        device_threads.refuse(self._devices)
        for number, node in enumerate(nodes):
            variable = getattr(node, "variable", None)
            self._handles.append(
                node.register_prehook(self._before(number, variable, name_of(node)))
            )
            self._handles.append(node.register_hook(self._after(number)))
        for node in others:
            self._handles.append(
                node.register_prehook(self._before(-1, node.variable, name_of(node)))
            )
        #: A new thread would share work among as many as there are cores, and sum in another order.
        self._workers = torch.get_num_threads()
        context = copy_context()
        self._thread = threading.Thread(
            target=lambda: context.run(self._work), name="held backward", daemon=True
        )
        #: The thread that runs the nodes: that one, or one that PyTorch made for those of a device.
        self._runner = self._thread
        if self._devices:
            device_threads.guard()
        self._thread.start()

    # --- on the session's side ------------------------------------------------------------------

    def wait(self) -> Call | BaseException | None:
        """The node that has come; what the backward ended with, None if all is well."""
        came = self._came.get()
        if self._numbering is not None:
            self._numbering.stepped()
        return came

    def pass_on(self, instead: dict[int, torch.Tensor] | None = None) -> None:
        """Lets the node that is held run, with other gradients at some slots."""
        if self._numbering is not None:
            self._numbering.going_on()
        call = self._call
        if call is not None and self._capturing.closely:
            for captured in call.used or ():
                self._capturing.keep(captured)
        self._go.put(instead)

    def refuse(self) -> None:
        """RuntimeError where another session holds the thread of a device that `pass_on` may need."""
        device_threads.refuse(self._devices, self)

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def close(self, *, at_once: bool = False) -> None:
        """Ends the thread, and takes the hooks away. `at_once` also within a node, if that is in Python."""
        self._abandoned = True
        self._go.put(None)
        if self._thread is threading.current_thread():
            return  # the collector ran there
        if at_once:
            self._thread.join(GRACE)
            if self.running:
                _raise_in(self._runner, Abandoned)
        self._thread.join(ENDING)

    # --- on its own thread ----------------------------------------------------------------------

    def _work(self) -> None:
        end: BaseException | None = None
        try:
            if torch.get_num_threads() != self._workers:
                torch.set_num_threads(self._workers)
            if self._numbering is not None:
                self._numbering.began()
            around = None if self.collectives is None else self.collectives.around()
            with nullcontext() if around is None else around:
                self._start()
        except Abandoned:
            if self._anomaly is not None:
                torch.autograd.set_detect_anomaly(*self._anomaly)
        except BaseException as error:  # noqa: BLE001  handed to the session
            told_late(error)
            end = error
        finally:
            for handle in self._handles:
                handle.remove()
            self._handles.clear()
            self._others = ()
            del self._start
            device_threads.go_on(self)
            self._came.put(end)
            del end  # its traceback refers to this frame

    def _is_ours(self) -> bool:
        task = torch._C._current_graph_task_id()
        if self._task is None and self._is_here():
            self._task = task
        return task == self._task

    def _is_here(self) -> bool:
        """Is this the thread of the backward, or one that PyTorch made for the nodes of a device?"""
        return threading.current_thread() is self._thread or device_threads.in_device_thread()

    def _before(
        self, number: int, variable: torch.Tensor | None, name: str
    ) -> Callable[[Any], Any]:
        def before(grads: Sequence[Grad]) -> Sequence[Grad] | None:
            if not self._is_ours():
                if variable is not None:
                    self._within(variable)
                return None
            self._runner = threading.current_thread()
            # The thread of a device counts the nodes that it records, with a session and without.
            numbering = self._numbering if self._runner is self._thread else None
            if numbering is not None:
                numbering.renumber(grads)
            self._call = call = Call(number, self._received(number, grads))
            settle(grads)  # the session reads them on another stream
            if self._runner is not self._thread:
                self._hold(grads, name)
            self._came.put(call)
            instead = self._go.get()
            device_threads.go_on(self)
            if self._abandoned:
                self._abandon()
            if numbering is not None:
                numbering.started()
            if instead:
                grads = [instead.get(nr, grad) for nr, grad in enumerate(grads)]
                call.used = tuple(map(self._capturing.take, grads))
            if variable is not None:
                used = None if call.used is None else call.used[0]
                call.leaf = LeafCall(variable, grads[0], used)
            if self.collectives is not None:
                self.collectives.begins(number)
            self._since = perf_counter()
            return tuple(grads) if instead else None

        return before

    def _hold(self, grads: Sequence[Grad], name: str) -> None:
        """Says that this thread, of a device, does not run other backwards for now."""
        here = self._devices.intersection(grad.device for grad in grads if grad is not None)
        device_threads.stop(self, here or self._devices, name)

    def _received(self, number: int, grads: Sequence[Grad]) -> list[Captured]:
        found: list[Captured] = []
        for nr, grad in enumerate(grads):
            waiting = self._sums.pop((number, nr), None)
            if waiting is None:
                found.append(self._capturing.take(grad, hooked=True))
            else:
                found.append(self._capturing.received(waiting[1], grad))
        return found

    def _deliver(self, call: Call, computed: Sequence[Grad]) -> None:
        """Captures results, and adds up those that go where others go."""
        capturing = self._capturing
        for index, grad in enumerate(computed):
            captured = capturing.take(grad)
            call.computed.append(captured)
            way = self._summed.get((call.number, index))
            if way is None or captured is None or grad is None:
                continue
            slot, count = way
            waiting = self._sums.get(slot)
            if waiting is None:
                array = captured.copied
            else:
                array, captured = capturing.added(*waiting, grad, count == 2)
                call.sums[index] = captured
            self._sums[slot] = array, captured

    def _within(self, leaf: torch.Tensor) -> None:
        """Another backward has come to a leaf: within the node that runs?"""
        call = self._call
        if call is not None and not call.done and self._is_here():
            call.within.setdefault(id(leaf), GradEffect(leaf))

    def _after(self, number: int) -> Callable[[Any, Any], None]:
        def after(computed: Sequence[Grad], _: object) -> None:
            call = self._call
            if call is None or call.number != number or not self._is_ours():
                return
            call.seconds = perf_counter() - self._since
            if self.collectives is not None:
                self.collectives.ends()
            if self._abandoned:
                self._abandon()
            self._deliver(call, computed)
            settle(computed)
            if self._numbering is not None and self._runner is self._thread:
                leaf = call.leaf
                self._numbering.renumber(computed if leaf is None else [leaf.grad])
            if call.leaf is not None:
                call.leaf.finish(self._capturing)
            call.done = True

        return after

    def _abandon(self) -> NoReturn:
        """PyTorch would warn of it where it looks for anomalies."""
        self._anomaly = torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()
        torch.autograd.set_detect_anomaly(False)
        raise Abandoned

    def drain(self) -> None:
        """Lets go of what was told to nobody."""
        self._call = None
        self._sums.clear()
        if self.collectives is not None:
            self.collectives.close()
        if self._numbering is not None:
            self._numbering.close()
        try:
            while True:
                self._came.get_nowait()
        except Empty:
            return


def _memory(tensor: Grad) -> int | None:
    if tensor is None:
        return None
    return tensor.data_ptr() if tensor.layout == torch.strided else -id(tensor)


def _raise_in(thread: threading.Thread, error: type[BaseException]) -> None:
    assert thread.ident is not None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread.ident), ctypes.py_object(error)
    )
