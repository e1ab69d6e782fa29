"""A checkpointed call: what its forward saved is forgotten, and computed again when backward reads it.

Hooks on saved values (`saved_tensors_hooks`) give each node a `Holder` in place of its value. The first
that a backward reads runs the function again, under hooks that put each saved value, in the order of saving,
to the holder that stands for it. A value is dropped when it is read: one that is read twice in a backward,
or in another one, is computed again.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from itertools import zip_longest
from typing import Any, NamedTuple

from vizgrad.autograd.grad_mode import enable_grad
from vizgrad.autograd.graph import current_graph_task_id, queue_callback
from vizgrad.autograd.saved_hooks import saved_tensors_hooks
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.arrays.statistics import alike, same, sample
from vizgrad.core.errors import explained, function_place, place_of
from vizgrad.core.graph.packing import EnoughRecomputed
from vizgrad.core.tensor.modes import MODES, add_listener, remove_listener
from vizgrad.core.tensor.source_location import Site
from vizgrad.core.tensor.storage import tick
from vizgrad.core.tensor.tensor import Tensor, storage_of

# The two runs of what is checkpointed: what watches listens here.


def first(call: Any, args: tuple[Any, ...], **named: Any) -> Any:
    """The run of the forward pass. `call` is the checkpointed call, with its `run_function`."""
    return call.run_function(*args, **named)


def again(call: Any, args: tuple[Any, ...], **named: Any) -> Any:
    """A run of the backward pass, which may end early."""
    return call.run_function(*args, **named)


# Who wants to know of recomputations: a run that is stepped shows them.

#: A block in which something is computed again.
Block = Callable[[], AbstractContextManager[None]]


class _Watched(threading.local):
    block: Block | None = None


WATCHED = _Watched()


@contextmanager
def watching(block: Block) -> Iterator[None]:
    """This thread computes again within `block()`."""
    before, WATCHED.block = WATCHED.block, block
    try:
        yield
    finally:
        WATCHED.block = before


# A recomputation that was not the same as the forward.

_FIX = (
    "let the function do the same whenever it is called with the same arguments: no counters or random "
    "numbers of its own, nothing changed in place that it reads, preserve_rng_state=True"
)
_HINT = " Pass debug=True to compare the operations one by one."


class CheckpointError(RuntimeError):
    """The function of a checkpoint did something else in backward than in forward."""


def not_the_same(function: Any, message: str, debug: bool) -> CheckpointError:
    """The error for what `message` says was noticed."""
    return explained(
        CheckpointError(f"vizgrad.utils.checkpoint: {message}{'' if debug else _HINT}"),
        kind="not-repeatable",
        culprit=function_place(function),
        fix=_FIX,
    )


# The record of a saved value that is not kept: enough to notice that it was computed differently.

#: Elements that are remembered of each value, and with `debug=True`.
FEW, MANY = 64, 1 << 16


class Seen:
    """One saved value: what it was like, a sample of it, and in which memory at which version."""

    __slots__ = ("clock", "metadata", "most", "sample", "storage", "version")

    def __init__(self, tensor: Tensor, most: int) -> None:
        self.metadata = {
            "shape": tuple(tensor.shape), "dtype": tensor.dtype, "device": tensor.device
        }  # fmt: skip
        self.most = most
        array = tensor._array
        self.sample = None if is_sparse(array) else sample(array, most)
        storage = storage_of(tensor)
        self.storage = weakref.ref(storage)
        self.version = storage.version
        #: The tick of the latest write before it was saved.
        self.clock = storage.last_write

    def differences(self, tensor: Tensor, began: int) -> str:
        """The differences in a computation that `began` at this tick; empty if there are none."""
        now = Seen(tensor, self.most)
        if now.metadata != self.metadata:
            return f"saved metadata: {self.metadata}\nrecomputed metadata: {now.metadata}"
        if self.sample is None or now.sample is None:
            return ""
        storage = self.storage()
        if storage is None or storage is not now.storage():
            return "" if alike(self.sample, now.sample) else self._values(now)
        # memory from outside, which is there still
        unmoved = now.version == self.version
        if unmoved or storage.last_write > began:  # nobody but the function wrote: the same again?
            return "" if same(self.sample, now.sample) else self._values(now)
        written = storage.first_write_after(self.clock)
        place = place_of(written.site) if written is not None else None
        by = "" if written is None or not written.op else f", by {written.op}"
        return (
            f"it is memory that was changed in place in between{by}{f' at {place}' if place else ''}: "
            f"saved at version {self.version}, now at version {now.version}"
        )

    def _values(self, now: Seen) -> str:
        return f"saved values: {_shown(self.sample)}\nrecomputed values: {_shown(now.sample)}"


def _shown(array: Any) -> str:
    first = array.reshape(-1)[:4].tolist()
    return ", ".join(map(str, first)) + (", ..." if array.size > len(first) else "")


# The operations of a run, for `debug=True`: which, of what shape and type, on which line.


class Ran(NamedTuple):
    """One operation that was recorded."""

    what: str
    site: Site | None

    def __str__(self) -> str:
        place = place_of(self.site)
        return f"{self.what} at {place}" if place else self.what


@contextmanager
def noting(log: list[Ran]) -> Iterator[None]:
    """Within the block, enters each operation that this thread records into `log`."""

    def listener(node: Any, outputs: Any) -> None:
        meta = node.meta(0)
        log.append(Ran(f"{node.name()} {list(meta.shape)} {meta.dtype}", node.site))

    add_listener(listener)
    try:
        yield
    finally:
        remove_listener(listener)


def first_difference(before: list[Ran], again: list[Ran]) -> str:
    """Both lists beside each other from shortly before where they part; empty if they are the same."""
    pairs = list(zip_longest(before, again))
    parted = next(
        (n for n, (a, b) in enumerate(pairs) if a is None or b is None or a.what != b.what), None
    )
    if parted is None:
        return ""
    counts = f"{len(before)} operations then, {len(again)} now"
    lines = [f"operation {parted} of the recomputation is another than in the forward ({counts}):"]
    for n, (a, b) in enumerate(pairs[max(parted - 2, 0) : parted + 3], max(parted - 2, 0)):
        mark = ">" if n == parted else " "
        lines += [
            f"{mark} {n} forward:       {a or '(none)'}",
            f"{mark}   recomputation: {b or '(none)'}",
        ]
    return "\n".join(lines)


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
    """The values computed for a backward that has ended."""
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
        #: For each value in the order of saving: its placeholder, and (`check`) its properties.
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
                again(self, args, **named)
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
