"""Holds a backward of PyTorch before each node: it runs on a thread of its own, blocked in a hook.

PyTorch calls hooks before and after a node. The one before says which node has come, and waits there until
the session lets it go on; the one after notes what the node computed.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from contextvars import copy_context
from queue import Empty, SimpleQueue
from time import perf_counter
from typing import Any

import torch

#: Seconds for which a thread is waited for that was told to end. One that is inside a node ends after it.
ENDING = 5.0
#: Seconds in which a node may end by itself when it is interrupted.
GRACE = 0.2


class Abandoned(BaseException):
    """Ends the backward of a session that goes no further. Nobody but the gate sees it."""


class Call:
    """One node as its hooks saw it. Gradients are copies: PyTorch goes on with its own."""

    def __init__(self, number: int, used: Sequence[torch.Tensor | None]) -> None:
        self.number = number
        #: What the node was given, behind all other hooks.
        self.used = [copy_of(grad) for grad in used]
        self.computed: list[torch.Tensor | None] = []
        self.seconds = 0.0
        self.leaf: LeafCall | None = None


class LeafCall:
    """What a leaf's node did to `.grad`: told by whether it is the same object, or the same memory."""

    def __init__(self, variable: torch.Tensor, used: torch.Tensor | None) -> None:
        self.before = copy_of(variable.grad)
        self.after: torch.Tensor | None = None
        self.decision = "undefined"
        self._variable = variable
        self._grad = variable.grad
        self._memory = _memory(used)

    def finish(self) -> None:
        grad = self._variable.grad
        self.after = copy_of(grad)
        if self._memory is None:
            self.decision = "undefined"
        elif grad is None:
            self.decision = "dropped"
        elif self._grad is None:
            self.decision = "taken" if _memory(grad) == self._memory else "copied"
        else:
            self.decision = "added in place" if grad is self._grad else "new tensor"
        self._grad = None


class Gate:
    """`start` runs the whole backward; `wait` says which of `nodes` has come, `pass_on` lets it run."""

    def __init__(self, nodes: Sequence[Any], start: Callable[[], None]) -> None:
        self._start = start
        self._came: SimpleQueue[Call | BaseException | None] = SimpleQueue()
        self._go: SimpleQueue[bool] = SimpleQueue()
        self._abandoned = False
        #: Of the backward that is held: others may run through the same nodes, also within it.
        self._task: int | None = None
        self._call: Call | None = None
        self._since = 0.0
        self._handles: list[Any] = []
        for number, node in enumerate(nodes):
            variable = getattr(node, "variable", None)
            self._handles.append(node.register_prehook(self._before(number, variable)))
            self._handles.append(node.register_hook(self._after(number)))
        context = copy_context()
        self._thread = threading.Thread(
            target=lambda: context.run(self._work), name="held backward", daemon=True
        )
        self._thread.start()

    # --- on the session's side ------------------------------------------------------------------

    def wait(self) -> Call | BaseException | None:
        """The node that has come; what the backward ended with, None if all is well."""
        return self._came.get()

    def pass_on(self) -> None:
        self._go.put(True)

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def close(self, *, at_once: bool = False) -> None:
        """Ends the thread, and takes the hooks away. `at_once` also within a node, if that is in Python."""
        self._abandoned = True
        self._go.put(False)
        if self._thread is threading.current_thread():
            return  # the collector ran there
        if at_once:
            self._thread.join(GRACE)
            if self.running:
                _raise_in(self._thread, Abandoned)
        self._thread.join(ENDING)

    # --- on its own thread ----------------------------------------------------------------------

    def _work(self) -> None:
        end: BaseException | None = None
        try:
            self._start()
        except Abandoned:
            pass
        except BaseException as error:  # noqa: BLE001  handed to the session
            end = error
        finally:
            for handle in self._handles:
                handle.remove()
            self._handles.clear()
            del self._start
            self._came.put(end)
            del end  # its traceback refers to this frame

    def _is_ours(self) -> bool:
        task = torch._C._current_graph_task_id()
        if self._task is None and (_of_torch() or threading.current_thread() is self._thread):
            self._task = task
        return task == self._task

    def _before(self, number: int, variable: torch.Tensor | None) -> Callable[[Any], None]:
        def before(grads: Sequence[torch.Tensor | None]) -> None:
            if not self._is_ours():
                return
            call = Call(number, grads)
            self._call = call
            self._came.put(call)
            if not self._go.get() or self._abandoned:
                raise Abandoned
            if variable is not None:
                call.leaf = LeafCall(variable, grads[0])
            self._since = perf_counter()

        return before

    def _after(self, number: int) -> Callable[[Any, Any], None]:
        def after(computed: Sequence[torch.Tensor | None], _: object) -> None:
            call = self._call
            if call is None or call.number != number or not self._is_ours():
                return
            call.seconds = perf_counter() - self._since
            if self._abandoned:
                raise Abandoned
            call.computed = [copy_of(grad) for grad in computed]
            if call.leaf is not None:
                call.leaf.finish()

        return after

    def drain(self) -> None:
        """Lets go of what was told to nobody."""
        self._call = None
        try:
            while True:
                self._came.get_nowait()
        except Empty:
            return


def copy_of(tensor: torch.Tensor | None) -> torch.Tensor | None:
    """Its values as they are now, without history."""
    if tensor is None:
        return None
    with torch.no_grad():
        return tensor.detach().clone()


def _of_torch() -> bool:
    """Is this a thread that PyTorch made, for the nodes of a device?"""
    return isinstance(threading.current_thread(), threading._DummyThread)


def _memory(tensor: torch.Tensor | None) -> int | None:
    if tensor is None:
        return None
    return tensor.data_ptr() if tensor.layout == torch.strided else -id(tensor)


def _raise_in(thread: threading.Thread, error: type[BaseException]) -> None:
    assert thread.ident is not None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread.ident), ctypes.py_object(error)
    )
