"""Averages gradients over the ranks while a backward runs.

Gradients are put together in buckets, in the reversed order of the parameters, which is about that in which a
backward reaches them. When all gradients of a bucket are there, and the buckets before it have been sent, its
all-reduce begins on the thread of the process group. The hook of the last gradient waits for all of them, and
writes the averages to `.grad`: a session that steps the backward waits for the other ranks in this node.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import beside
from vizgrad.core.arrays.kernels.memory import zeros
from vizgrad.core.tensor.modes import MODES, about_to_write
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.storage import storage_of
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.distributed.calls import begun, carrying, running
from vizgrad.distributed.grad_bucket import GradBucket
from vizgrad.distributed.process_group import ProcessGroup
from vizgrad.distributed.reductions import ReduceOp
from vizgrad.nn.parallel.exchanges import (
    Waiting,
    all_reduced,
    bucket_for_hook,
    empty_sparse,
    hooked,
    reduced_to_owners,
    sparse_sum,
)

#: The first bucket is small, so that its all-reduce begins early. In bytes; PyTorch's.
FIRST_BUCKET = 1 << 20


class Bucket:
    """Parameters of one element type and device, whose gradients are one array on the way. `sparse`: it is
    one parameter, whose gradient has no zeros.
    """

    def __init__(self, parameters: Sequence[int], *, sparse: bool = False) -> None:
        self.parameters = tuple(parameters)
        self.sparse = sparse
        self.missing = set(parameters)
        #: Gives what the ranks have sent; None before it was begun.
        self.result: Waiting | None = None


def buckets_of(parameters: Sequence[Tensor], cap: int, sparse: Container[int] = ()) -> list[Bucket]:
    """`cap`: in bytes, of all buckets but the first of each element type. `sparse`: the places of parameters
    with sparse gradients.
    """
    filling: dict[Any, list[int]] = {}
    filled: dict[Any, int] = {}
    closed: list[Bucket] = []
    sizes: dict[Any, int] = {}
    for place in reversed(range(len(parameters))):
        each = parameters[place]
        if place in sparse:
            closed.append(Bucket([place], sparse=True))
            continue
        kind = each.dtype, each.device
        filling.setdefault(kind, []).append(place)
        sizes[kind] = sizes.get(kind, 0) + each.numel() * each.dtype.itemsize
        if sizes[kind] >= (cap if filled.get(kind) else min(cap, FIRST_BUCKET)):
            closed.append(Bucket(filling.pop(kind)))
            sizes[kind], filled[kind] = 0, 1
    return [*closed, *map(Bucket, filling.values())]


class Reducer:
    """For the parameters of one model. `names`: their names, for errors; `sparse`: the places of those with
    sparse gradients.
    """

    def __init__(
        self,
        parameters: Sequence[Tensor],
        names: Sequence[str],
        group: ProcessGroup,
        cap: int,
        sparse: Container[int] = (),
    ) -> None:
        self.parameters, self.names = list(parameters), list(names)
        self.group = group
        self.buckets = buckets_of(self.parameters, cap, sparse)
        self._bucket_of = {place: each for each in self.buckets for place in each.parameters}
        #: The hook of the user that sends buckets, with its state.
        self.hook: tuple[Callable[[Any, GradBucket], Any], Any] | None = None
        #: The rank that gets the gradient of a parameter; None: all get all.
        self.owner_of: Callable[[Tensor], int] | None = None
        #: By what gradients are divided.
        self.divisor: Callable[[], int] = group.size
        #: Sharded gradients that were stored last, with when they were written.
        self._stored: dict[int, tuple[Tensor, int]] = {}
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

    def forward_begins(self) -> None:
        """RuntimeError where a sharded gradient is still there: it would be averaged again."""
        for place, (grad, written) in self._stored.items():
            if self.parameters[place].grad is grad and storage_of(grad).last_write == written:
                raise wrong_call(
                    RuntimeError(
                        f"the gradient of `{self.names[place]}`, which is on this rank alone, would be "
                        "averaged a second time"
                    ),
                    "call zero_grad() after each step; add up gradients of several backwards within "
                    "no_sync()",
                )
        self._stored.clear()

    def _reset(self) -> None:
        self._expects = self._begun = False
        self._sent = 0
        self._ready.clear()
        self._unused = None
        for bucket in self.buckets:
            bucket.missing, bucket.result = set(bucket.parameters), None

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
            bucket = self.buckets[self._sent]
            with carrying([self.parameters[each] for each in bucket.parameters]):
                self._send(bucket)
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
        if bucket.sparse:
            (place,) = bucket.parameters
            grad = self._sparse_gradient(place)
            scale = beside(grad.values, self._scale(grad.values.dtype))
            scaled = grad.with_values(grad.values * scale)
            bucket.result = sparse_sum(self.group, scaled)
        else:
            self._send_flat(bucket, self._flat(bucket))

    def _send_flat(self, bucket: Bucket, flat: Any) -> None:
        """As in PyTorch, gradients are divided before they are added; a hook divides itself."""
        if self.hook is not None:
            hook, state = self.hook
            index = self.buckets.index(bucket)
            parameters = [self.parameters[place] for place in bucket.parameters]
            last = index == len(self.buckets) - 1
            given = bucket_for_hook(index, flat, parameters, last=last)
            bucket.result = hooked(hook, state, given)
            return
        flat = flat * beside(flat, self._scale(flat.dtype))
        if self.owner_of is None:
            bucket.result = all_reduced(self.group, flat)
            return
        parts: list[list[Any]] = [[flat[:0]] for _ in range(self.group.size())]
        for place, values in self._cut(bucket, flat):
            parts[self.owner_of(self.parameters[place])].append(values)
        bucket.result = reduced_to_owners(self.group, [xp.concatenate(each) for each in parts])
        for place in bucket.parameters:  # what another rank owns needs no memory here
            if not self._owns(place):
                _drop(self.parameters[place])

    def _scale(self, dtype: Any) -> Any:
        return xp.asarray(1.0 / self.divisor(), dtype)

    def _cut(
        self, bucket: Bucket, flat: Any, of: Callable[[int], bool] | None = None
    ) -> Iterator[tuple[int, Any]]:
        """The places of a bucket, of those alone that `of` says, with their part of an array."""
        start = 0
        for place in bucket.parameters:
            if of is None or of(place):
                end = start + self.parameters[place].numel()
                yield place, flat[start:end]
                start = end

    def _owns(self, place: int) -> bool:
        owner = self.owner_of
        return owner is None or owner(self.parameters[place]) == self.group.rank()

    def _sparse_gradient(self, place: int) -> Any:
        parameter = self.parameters[place]
        grad = parameter.grad if place not in (self._unused or ()) else None
        if grad is None:
            return empty_sparse(parameter)
        if not grad.is_sparse:
            raise wrong_call(
                RuntimeError(
                    f"DistributedDataParallel: the gradient of `{self.names[place]}`, a table made with "
                    "sparse=True, is dense"
                ),
                "use the table by its embedding alone, or make it without sparse=True",
            )
        return grad._array.coalesce()

    def _flat(self, bucket: Bucket) -> Any:
        parts: list[Any] = []
        for place in bucket.parameters:
            parameter = self.parameters[place]
            grad = parameter.grad if place not in (self._unused or ()) else None
            if grad is not None and grad.is_sparse:
                raise wrong_call(
                    RuntimeError(
                        f"DistributedDataParallel: the gradient of `{self.names[place]}` is sparse, and "
                        "those of nn.Embedding and nn.EmbeddingBag with sparse=True alone are averaged so"
                    ),
                    "use one of these, or an operation with a dense gradient",
                )
            parts.append(
                zeros(parameter._array, (parameter.numel(),))
                if grad is None
                else grad._array.reshape(-1)
            )
        return self._read(xp.concatenate(parts))

    def _read(self, flat: Any) -> Any:
        """Where the group takes it: on the device, or on the host."""
        return self.group.backend_for("DistributedDataParallel", flat).read(flat)

    def answer(self, *, searched: bool) -> None:
        """Takes part in the backward of other ranks with zeros, and stores the averages. `searched`: unused
        parameters are looked for.
        """
        if self._begun:
            raise self._unfinished()
        self._reset()
        for bucket in self.buckets:
            if bucket.sparse:
                (place,) = bucket.parameters
                bucket.result = sparse_sum(self.group, empty_sparse(self.parameters[place]))
            else:
                count = sum(self.parameters[place].numel() for place in bucket.parameters)
                like = self.parameters[bucket.parameters[0]]._array
                self._send_flat(bucket, self._read(zeros(like, (count,))))
        self._unused = frozenset(range(len(self.parameters))) if searched else None
        self._finish()

    def _finish(self) -> None:
        used = None if self._unused is None else self._used_on_any_rank()
        site = caller()
        for bucket in self.buckets:
            if bucket.result is None:
                raise AssertionError("all buckets were sent")
            values = bucket.result()
            if bucket.sparse:
                _store_sparse(self.parameters[bucket.parameters[0]], values)
                continue
            of = None if self.owner_of is None or self.hook is not None else self._owns
            for place, part in self._cut(bucket, values, of):
                if used is None or used[place]:
                    _store(self.parameters[place], part, site)
                if of is not None and (grad := self.parameters[place].grad) is not None:
                    self._stored[place] = grad, storage_of(grad).last_write
        self._reset()

    def _used_on_any_rank(self) -> Any:
        own = xp.ones(len(self.parameters), "int32")
        own[sorted(self._unused or ())] = 0
        call = f"all_reduce MAX of {own.dtype} {list(own.shape)}"
        number = self.group.number()
        with running(begun(self.group, number, "all_reduce", [own])):
            return self.group.all_reduce(number, call, own, ReduceOp.MAX)

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


def _about_to_write(parameter: Tensor) -> None:
    if MODES.before_grad_write is not None:
        MODES.before_grad_write(parameter)


def _drop(parameter: Tensor) -> None:
    _about_to_write(parameter)
    parameter.grad = None


def _store_sparse(parameter: Tensor, values: Any) -> None:
    _about_to_write(parameter)
    parameter.grad = new_tensor(beside(parameter._array, values))


def _store(parameter: Tensor, values: Any, site: Any) -> None:
    values = beside(parameter._array, values.reshape(parameter.shape))
    _about_to_write(parameter)
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
