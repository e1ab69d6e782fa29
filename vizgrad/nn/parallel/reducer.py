"""Averages gradients over the ranks while a backward runs.

Gradients are put together in buckets, in the reversed order of the parameters, which is about that in which a
backward reaches them. When all gradients of a bucket are there, and the buckets before it have been sent, its
all-reduce begins on the thread of the process group. The hook of the last gradient waits for all of them, and
writes the averages to `.grad`: a session that steps the backward waits for the other ranks in this node.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import beside, to_host
from vizgrad.core.tensor.modes import about_to_write
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.storage import storage_of
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.distributed.process_group import ProcessGroup
from vizgrad.distributed.reductions import ReduceOp
from vizgrad.distributed.work import Work

#: The first bucket is small, so that its all-reduce begins early. In bytes; PyTorch's.
FIRST_BUCKET = 1 << 20


class Bucket:
    """Parameters of one element type and device, whose gradients are one array on the way."""

    def __init__(self, parameters: Sequence[int]) -> None:
        self.parameters = tuple(parameters)
        self.missing = set(parameters)
        self.work: Work | None = None


def buckets_of(parameters: Sequence[Tensor], cap: int) -> list[Bucket]:
    """`cap`: in bytes, of all buckets but the first of each element type."""
    filling: dict[Any, list[int]] = {}
    filled: dict[Any, int] = {}
    closed: list[list[int]] = []
    sizes: dict[Any, int] = {}
    for place in reversed(range(len(parameters))):
        each = parameters[place]
        kind = each.dtype, each.device
        filling.setdefault(kind, []).append(place)
        sizes[kind] = sizes.get(kind, 0) + each.numel() * each.dtype.itemsize
        if sizes[kind] >= (cap if filled.get(kind) else min(cap, FIRST_BUCKET)):
            closed.append(filling.pop(kind))
            sizes[kind], filled[kind] = 0, 1
    return [Bucket(places) for places in (*closed, *filling.values())]


class Reducer:
    """For the parameters of one model. `names`: their names, for errors."""

    def __init__(
        self, parameters: Sequence[Tensor], names: Sequence[str], group: ProcessGroup, cap: int
    ) -> None:
        self.parameters, self.names = list(parameters), list(names)
        self.group = group
        self.buckets = buckets_of(self.parameters, cap)
        self._bucket_of = {place: each for each in self.buckets for place in each.parameters}
        self._expects = False
        self._begun = False
        self._sent = 0
        self._ready: set[int] = set()
        self._unused: frozenset[int] | None = None
        # The hook of a parameter must not keep its model alive.
        itself: weakref.ref[Reducer] = weakref.ref(self)
        self._handles = [
            each.register_post_accumulate_grad_hook(_Hook(itself, place))
            for place, each in enumerate(self.parameters)
        ]

    def prepare(self, outputs: Iterable[Tensor] | None) -> None:
        """A forward has run whose backward is to be averaged. `outputs`: where parameters may be unused, what
        the forward returned.
        """
        if self._begun:
            raise self._unfinished()
        self._reset()
        self._expects = True
        self._unused = None if outputs is None else self._not_reached(outputs)

    def _reset(self) -> None:
        self._expects = self._begun = False
        self._sent = 0
        self._ready.clear()
        self._unused = None
        for bucket in self.buckets:
            bucket.missing, bucket.work = set(bucket.parameters), None

    def arrived(self, place: int) -> None:
        """`.grad` of this parameter has been written."""
        if not self._expects:
            return
        if not self._begun:
            self._begun = True
            for unused in self._unused or ():
                self._mark(unused)
        self._mark(place)
        while self._sent < len(self.buckets) and not self.buckets[self._sent].missing:
            self._send(self.buckets[self._sent])
            self._sent += 1
        if self._sent == len(self.buckets):
            self._finish()

    def _mark(self, place: int) -> None:
        if place in self._ready:
            raise wrong_call(
                RuntimeError(
                    f"Expected to mark a variable ready only once: the gradient of `{self.names[place]}` "
                    "has arrived twice in one backward, or it is used though the output of the forward "
                    "does not depend on it"
                ),
                "use each parameter within the forward of the wrapped model alone",
            )
        self._ready.add(place)
        self._bucket_of[place].missing.discard(place)

    def _send(self, bucket: Bucket) -> None:
        flat = self._flat(bucket)
        number = self.group.number()
        call = f"all_reduce SUM of {flat.dtype} {list(flat.shape)}"
        bucket.work = self.group.begin(
            "all_reduce", lambda: self.group.all_reduce(number, call, flat, ReduceOp.SUM)
        )

    def _flat(self, bucket: Bucket) -> Any:
        """The gradients by the number of ranks: as in PyTorch, divided before they are added."""
        parts: list[Any] = []
        for place in bucket.parameters:
            parameter = self.parameters[place]
            grad = parameter.grad if place not in (self._unused or ()) else None
            if grad is not None and grad.is_sparse:
                raise wrong_call(
                    RuntimeError(
                        f"DistributedDataParallel: the gradient of `{self.names[place]}` is sparse, and "
                        "only dense gradients are averaged"
                    ),
                    "make the embedding without sparse=True",
                )
            if grad is None:
                parts.append(xp.zeros(parameter.numel(), parameter.dtype.np))
            else:
                parts.append(to_host(grad._array).reshape(-1))
        flat = xp.concatenate(parts)
        return flat * xp.asarray(1.0 / self.group.size(), flat.dtype)

    def _finish(self) -> None:
        used = None if self._unused is None else self._used_on_any_rank()
        site = caller()
        for bucket in self.buckets:
            if bucket.work is None:
                raise AssertionError("all buckets were sent")
            flat, start = bucket.work.result(), 0
            for place in bucket.parameters:
                parameter = self.parameters[place]
                end = start + parameter.numel()
                if used is None or used[place]:
                    _store(parameter, flat[start:end], site)
                start = end
        self._reset()

    def _used_on_any_rank(self) -> Any:
        own = xp.ones(len(self.parameters), "int32")
        own[sorted(self._unused or ())] = 0
        call = f"all_reduce MAX of {own.dtype} {list(own.shape)}"
        return self.group.all_reduce(self.group.number(), call, own, ReduceOp.MAX)

    def _not_reached(self, outputs: Iterable[Tensor]) -> frozenset[int]:
        pending = [each.grad_fn for each in outputs if each.grad_fn is not None]
        reached = {id(each) for each in outputs}
        seen: set[Any] = set()
        while pending:
            node = pending.pop()
            if node in seen:
                continue
            seen.add(node)
            variable = getattr(node, "variable", None)
            if variable is not None:
                reached.add(id(variable))
            pending += [following for following, _ in node.next_functions if following is not None]
        return frozenset(
            place for place, each in enumerate(self.parameters) if id(each) not in reached
        )

    def _unfinished(self) -> RuntimeError:
        waiting = [name for place, name in enumerate(self.names) if place not in self._ready]
        error = wrong_call(
            RuntimeError(
                "Expected to have finished reduction in the prior iteration before starting a new one. "
                f"No gradient arrived for {_listed(waiting)}: the loss does not depend on "
                f"{'it' if len(waiting) == 1 else 'them'}"
            ),
            "pass find_unused_parameters=True to DistributedDataParallel, or use all outputs of the "
            "forward in the loss",
        )
        self._reset()
        return error


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} other parameters"


def _store(parameter: Tensor, values: Any, site: Any) -> None:
    values = beside(parameter._array, values.reshape(parameter.shape))
    grad = parameter.grad
    if grad is None:
        parameter.grad = new_tensor(values.copy())
        return
    about_to_write(grad)
    grad._array[...] = values
    storage_of(grad).wrote("all_reduce", site)


class _Hook:
    """Called with the parameter when its `.grad` has been written. It is found by its name in a session."""

    def __init__(self, reducer: weakref.ref[Reducer], place: int) -> None:
        self._reducer, self._place = reducer, place
        self.__name__ = "DistributedDataParallel"

    def __call__(self, parameter: Tensor) -> None:
        reducer = self._reducer()
        if reducer is not None:
            reducer.arrived(self._place)
