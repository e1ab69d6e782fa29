"""A checkpointed call: what its forward saved is forgotten, and computed again when backward reads it.

Hooks on saved values (`saved_tensors_hooks`) give each node a `Holder` in place of its value. The first
that a backward reads runs the function again, under hooks that put each saved value, in the order of saving,
to the holder that stands for it. A value is dropped when it is read: one that is read twice in a backward,
or in another one, is computed again.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, suppress
from functools import partial
from typing import Any

from vizgrad.autograd.current import current_graph_task_id, queue_callback
from vizgrad.autograd.grad_mode import enable_grad
from vizgrad.autograd.saved_hooks import saved_tensors_hooks
from vizgrad.core.errors import explained, place_of
from vizgrad.core.graph.packing import EnoughRecomputed
from vizgrad.core.tensor.clock import tick
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.tensor import Tensor, storage_of
from vizgrad.utils.checkpoint import runs
from vizgrad.utils.checkpoint.failing import not_the_same
from vizgrad.utils.checkpoint.fingerprint import FEW, MANY, Seen
from vizgrad.utils.checkpoint.operations import Ran, first_difference, noting
from vizgrad.utils.checkpoint.watched import WATCHED


class Holder:
    """Stands for a saved value in its node. While it lives, the value may be needed."""

    __slots__ = ("__weakref__",)


class _Value:
    """A saved value that was computed again, until it is read."""

    __slots__ = ("clock", "tensor")

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self.clock = storage_of(tensor).last_write

    def read(self) -> Tensor:
        """RuntimeError if it was changed in place since it was saved, as without a checkpoint."""
        storage = storage_of(self.tensor)
        if storage.last_write <= self.clock:
            return self.tensor
        written = storage.first_write_after(self.clock)
        raise explained(
            RuntimeError(
                "one of the variables needed for gradient computation has been modified by an inplace "
                f"operation: a saved {self.tensor.dtype} {list(self.tensor.shape)} was computed again by a "
                f"checkpoint, and is at version {storage.version}; expected "
                f"{storage.expected_at(self.clock)} instead."
            ),
            kind="saved-overwritten",
            culprit=None if written is None else place_of(written.site),
            fix="write out of place there (e.g. `x = x + y` for `x += y`), or clone before the write",
        )


class _Run:
    """One recomputation, and what it has put by."""

    def __init__(self, frame: Frame) -> None:
        #: Weakly: the frame keeps its runs, one that is left early until the next.
        self.frame = weakref.ref(frame)
        self.values: weakref.WeakKeyDictionary[Holder, _Value] = weakref.WeakKeyDictionary()
        self.saved = 0
        self.differences: list[str] = []
        self.began = tick()

    def pack(self, tensor: Tensor) -> Tensor:
        frame, number = self.frame(), self.saved
        assert frame is not None, "the frame runs this"
        kept = tensor.detach() if tensor.requires_grad else tensor
        self.saved += 1
        if number >= len(frame.holders):
            return kept
        if frame.seen and (found := frame.seen[number].differences(tensor, self.began)):
            self.differences.append(f"tensor at position {number}:\n{found}")
        holder = frame.holders[number]()
        if holder is not None:
            self.values[holder] = _Value(kept)
        if frame.early_stop and self.saved == len(frame.holders):
            raise EnoughRecomputed
        return kept


def _forget(frame: weakref.ref[Frame], number: int) -> None:
    """What was computed for a backward that has ended."""
    if (known := frame()) is not None:
        known._runs.pop(number, None)


#: Calls whose values may yet be computed again.
_alive: weakref.WeakSet[Frame] = weakref.WeakSet()


def recomputes(saved: Any) -> bool:
    """Will this saved value of a node be computed again by a checkpoint?"""
    return bool(_alive) and isinstance(
        getattr(getattr(saved, "unpack", None), "__self__", None), Frame
    )


def any_alive() -> bool:
    return bool(_alive)


class Frame:
    """A checkpointed call of `function`. `again` is the block of another run, and gives its arguments."""

    def __init__(
        self,
        again: Callable[[], AbstractContextManager[tuple[tuple[Any, ...], dict[str, Any]]]],
        function: Any,
        *,
        early_stop: bool,
        check: bool,
        debug: bool,
    ) -> None:
        self.again = again
        self.run_function = function
        self.early_stop = early_stop and not debug
        self.check = check
        self.debug = debug
        #: Of each value in the order of saving: what stands for it, and (`check`) what it was like.
        self.holders: list[weakref.ref[Holder]] = []
        self.seen: list[Seen] = []
        self.operations: list[Ran] = []
        _alive.add(self)
        #: False while the forward runs.
        self.complete = False
        #: Number of a backward -> what was computed for it.
        self._runs: dict[int, _Run] = {}

    def forward(self) -> AbstractContextManager[Any]:
        """The block in which the function runs for the first time."""
        stack = ExitStack()
        if self.debug:
            stack.enter_context(noting(self.operations))
        stack.enter_context(saved_tensors_hooks(self._pack, self._unpack))
        return stack

    def _pack(self, tensor: Tensor) -> Holder:
        holder = Holder()
        self.holders.append(weakref.ref(holder))
        if self.check:
            self.seen.append(Seen(tensor, MANY if self.debug else FEW))
        return holder

    def _unpack(self, holder: Holder) -> Tensor:
        task = current_graph_task_id()
        run = self._runs.get(task)
        value = None if run is None else run.values.pop(holder, None)
        if value is None:
            run = self._recompute()
            if task != -1:
                self._keep(task, run)
            value = run.values.pop(holder)
        return value.read()

    def _keep(self, number: int, run: _Run) -> None:
        """Until this backward ends; what others left that failed is dropped."""
        running, task = set(), MODES.task
        while task is not None:
            running.add(task.id)
            task = task.outer
        self._runs = {known: r for known, r in self._runs.items() if known in running}
        if number not in self._runs:
            queue_callback(partial(_forget, weakref.ref(self), number))
        self._runs[number] = run

    def _recompute(self) -> _Run:
        run, operations = _Run(self), []
        with ExitStack() as stack:
            args, named = stack.enter_context(self.again())
            if WATCHED.block is not None:
                stack.enter_context(WATCHED.block())
            if self.debug:
                stack.enter_context(noting(operations))
            stack.enter_context(saved_tensors_hooks(run.pack, lambda kept: kept))
            stack.enter_context(enable_grad())
            with suppress(EnoughRecomputed):
                runs.again(self, args, **named)
        if self.complete:
            self._compare(run, operations)
        return run

    def _compare(self, run: _Run, operations: list[Ran]) -> None:
        """Raises CheckpointError unless the recomputation was like the forward."""
        wrong = ""
        count = len(self.holders)
        if run.saved > count:
            wrong = (
                "trying to save more tensors during recomputation than during the original forward pass "
                f"({run.saved}, not {count})."
            )
        elif run.saved < count:
            wrong = (
                "A different number of tensors was saved during the original forward and recomputation.\n"
                f"Number of tensors saved during forward: {count}\n"
                f"Number of tensors saved during recomputation: {run.saved}."
            )
        elif run.differences:
            what = "metadata" if any("metadata" in d for d in run.differences) else "values"
            wrong = (
                f"Recomputed values for the following tensors have different {what} than during the forward "
                "pass.\n" + "\n".join(run.differences) + "."
            )
        if self.debug and self.check and (parted := first_difference(self.operations, operations)):
            wrong = f"{wrong}\n{parted}" if wrong else parted
        if wrong:
            raise not_the_same(self.run_function, wrong, self.debug)
