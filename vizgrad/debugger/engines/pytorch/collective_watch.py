"""The collectives that a held backward calls: those of DistributedDataParallel in C++, of FSDP2's hooks, of a
user's code.

All of them go through PyTorch's dispatcher, where a mode sees them. It is on within nodes that may call one;
where FSDP2 has a node of its own in the graph, in all of the backward, because that gathers in hooks of
tensors, which run before their node is held. A collective has ended when its `Work` says so: a thread asks
each of them until then. For whom it waited is known to no `Work`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from threading import Lock, Thread
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode, _pop_mode, _push_mode

from vizgrad.debugger.engines.pytorch.torch_nodes import LEAF, is_compiled, is_custom, name_of
from vizgrad.debugger.model.collectives import Collective

#: Names of the dispatcher's, without what they end with, and those of torch.distributed.
_KINDS = {
    "allreduce": "all_reduce", "allreduce_coalesced": "all_reduce", "all_reduce": "all_reduce",
    "allgather": "all_gather", "allgather_base": "all_gather", "allgather_coalesced": "all_gather",
    "allgather_into_tensor_coalesced": "all_gather", "all_gather_into_tensor": "all_gather",
    "reduce_scatter": "reduce_scatter", "reduce_scatter_base": "reduce_scatter",
    "reduce_scatter_tensor": "reduce_scatter", "reduce_scatter_tensor_coalesced": "reduce_scatter",
    "broadcast": "broadcast", "reduce": "reduce", "gather": "gather", "scatter": "scatter",
    "alltoall": "all_to_all", "alltoall_base": "all_to_all", "all_to_all_single": "all_to_all",
}  # fmt: skip
#: Seconds between two looks at whether collectives have ended: at first, and at most.
_LOOK, _MOST = 0.0005, 0.02
#: Seconds for which it is waited for at the end of a backward, at most: a user may leave one running.
_SETTLED = 0.5


@dataclass
class _Running:
    """One that has not ended. `work`: PyTorch's; None where its end is seen otherwise. `at_once`: its caller
    waits for it before anything else.
    """

    call: Collective
    since: float
    work: Any
    at_once: bool = False
    #: That of the results of a functional collective, by which these are waited for.
    memory: frozenset[int] = frozenset()


class CollectiveWatch:
    """Those of one backward. `nodes` are those of its graph."""

    def __init__(self, nodes: Sequence[Any]) -> None:
        self._mode = _Mode(self)
        self._nodes = nodes
        #: FSDP2 gathers before nodes are held.
        self._always = any(getattr(node, "param_group", None) is not None for node in nodes)
        self._entered = False
        #: The node that runs, and the leaves that have run and whose gradients no collective has carried yet.
        self._current = -1
        self._left: list[int] = []
        self._lock = Lock()
        self._running: list[_Running] = []
        self._ended: list[Collective] = []
        self._looking = False
        self._counts: dict[str, int] = {}
        self._called: list[Collective] = []
        #: (step, its node, collective): see `vizgrad.debugger.engines.api.abilities.Communicating`.
        self.told: list[tuple[int, int, Collective]] = []

    # --- on the thread of the backward ------------------------------------------------------------

    def around(self) -> AbstractContextManager[Any] | None:
        """Held around the whole backward; None: it is enough to be told of nodes."""
        return self._mode if self._always else None

    def begins(self, number: int) -> None:
        """A node is let go on."""
        node = self._nodes[number]
        self._current, self._entered = number, False
        if node.__class__ is LEAF:
            self._left.append(number)
        if not self._always and may_call(node):
            # Not by `with`: flags that other threads read would say that a mode is on, also after an error.
            _push_mode(self._mode)
            self._entered = True

    def ends(self) -> None:
        """It has given its results, and hooks of others behind it have run. One that raises comes to no such
        place: PyTorch puts back the modes of the thread itself.
        """
        if self._entered:
            self._entered = False
            _pop_mode()
        self.goes_on()

    def goes_on(self) -> None:
        """Something else runs: a caller who waits at once has done so. (gloo's `Work` of a reduce-scatter
        never says that it has ended.)
        """
        if self._running:
            with self._lock:
                for each in [one for one in self._running if one.at_once]:
                    self._end(each)

    def saw(self, name: str, args: Sequence[Any], out: Any, *, at_once: bool) -> None:
        """An operation of the dispatcher's has begun a collective."""
        kind = _KINDS.get(name.rpartition("::")[2].strip("_"))
        if kind is None:
            return
        group = _group_in(args)
        if group is None:
            return
        given = [list(_tensors(arg)) for arg in (*args, out)]
        self._began(kind, group, given, _work_in(out), list(_tensors(out)), at_once=at_once)

    def waited(self, tensor: torch.Tensor) -> None:
        """A functional collective was waited for by its result."""
        memory = _memory(tensor)
        with self._lock:
            for each in [one for one in self._running if memory in one.memory]:
                self._end(each)

    def _began(
        self,
        kind: str,
        group: Any,
        given: Sequence[Sequence[torch.Tensor]],
        work: Any,
        results: Sequence[torch.Tensor],
        *,
        at_once: bool,
    ) -> None:
        name = group.group_name
        number = self._counts[name] = self._number(group, self._counts.get(name, 0))
        flat = next((tensors[0] for tensors in given if tensors), None)
        call = Collective(
            name,
            number,
            kind,
            tuple(torch.distributed.get_process_group_ranks(group)),
            max(sum(each.nbytes for each in tensors) for tensors in given),
            () if flat is None else self._carried(flat),
            time.time(),
        )
        memory = frozenset() if work is not None else frozenset(map(_memory, results))
        with self._lock:
            self._called.append(call)
            self._running.append(_Running(call, time.monotonic(), work, at_once, memory))
            look = work is not None and not self._looking
            self._looking = self._looking or look
        if look:
            Thread(target=self._look, name="vizgrad collectives", daemon=True).start()

    @staticmethod
    def _number(group: Any, before: int) -> int:
        """As PyTorch counts the collectives of a group; else those that were seen."""
        with suppress(AttributeError, RuntimeError):
            return max(int(group._get_sequence_number_for_group()), before + 1)
        return before + 1

    def _carried(self, flat: torch.Tensor) -> tuple[int, ...]:
        """The leaves whose gradients are in the bucket of a leaf's hook. A bucket holds gradients that are
        there: so it is all of those left if it has as many elements, or those that lie in its memory.
        Otherwise it is not known.
        """
        if self._current < 0 or self._nodes[self._current].__class__ is not LEAF:
            return ()
        leaves = {number: self._nodes[number].variable for number in self._left}
        storage = _memory(flat)
        lying = [
            n
            for n, leaf in leaves.items()
            if leaf.grad is not None and _memory(leaf.grad) == storage
        ]
        typed = [n for n, leaf in leaves.items() if leaf.dtype == flat.dtype]
        for chosen in (lying, typed, list(leaves)):
            if chosen and sum(leaves[number].numel() for number in chosen) == flat.numel():
                self._left = [number for number in self._left if number not in chosen]
                return tuple(chosen)
        return ()

    # --- their ends ---------------------------------------------------------------------------------

    def _look(self) -> None:
        while True:
            with self._lock:
                self._look_once()
                left = [each.since for each in self._running if each.work is not None]
                self._looking = bool(left)
                if not left:
                    return
            # A long wait is measured as closely, in parts of it.
            time.sleep(min(max(_LOOK, (time.monotonic() - max(left)) / 50), _MOST))

    def _look_once(self) -> None:
        for each in list(self._running):
            if each.work is not None and each.work.is_completed():
                self._end(each)

    def _end(self, running: _Running) -> None:
        """The work keeps tensors alive: it is let go of."""
        self._running.remove(running)
        self._ended.append(replace(running.call, seconds=time.monotonic() - running.since))

    # --- for the session ------------------------------------------------------------------------------

    @property
    def calling(self) -> tuple[Collective, ...]:
        """Those that the step which runs has called; from any thread."""
        with self._lock:
            return tuple(self._called)

    def over(self, step: int, node: int) -> tuple[Collective, ...]:
        """A step is over: what it called, and what has ended meanwhile."""
        with self._lock:
            self._look_once()
            ended = {each.key: each for each in self._ended}
            new = [ended.pop(each.key, each) for each in self._called]
            found = (*ended.values(), *new)
            self._called, self._ended = [], []
        self.told += [(step, node, each) for each in found]
        return found

    def settle(self) -> None:
        """The backward has ended, and DistributedDataParallel has waited for its buckets, by futures that are
        ready some moments before their `Work` says so.
        """
        until = time.monotonic() + _SETTLED
        while time.monotonic() < until:
            with self._lock:
                self._look_once()
                buckets = [one for one in self._running if one.call.kind == "all_reduce"]
                if all(one.work is None for one in buckets):
                    return
            time.sleep(_LOOK)

    def close(self) -> None:
        with self._lock:
            self._running.clear()


class _Mode(TorchDispatchMode):
    def __init__(self, watch: CollectiveWatch) -> None:
        super().__init__()
        self._watch = watch

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        watch = self._watch
        watch.goes_on()
        out = func(*args, **(kwargs or {}))
        name = func._schema.name
        if name.startswith(("c10d::", "_c10d_functional::")):
            if name.endswith("::wait_tensor"):
                watch.waited(args[0])
            else:
                names = [each.name for each in func._schema.arguments]
                given = {**dict(zip(names, args, strict=False)), **(kwargs or {})}
                waits = given.get("asyncOp", given.get("async_op", True)) is False
                watch.saw(name, tuple(given.values()), out, at_once=waits)
        return out


def in_a_group() -> bool:
    """Is this process one of several?"""
    return torch.distributed.is_available() and torch.distributed.is_initialized()


def may_call(node: Any) -> bool:
    """A leaf, behind which DistributedDataParallel has hooks; a custom Function, but for what `torch.compile`
    has made, whose compilation would see the mode.
    """
    if node.__class__ is LEAF or "CppNode" in name_of(node):
        return True
    return is_custom(node) and not is_compiled(node)


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _tensors(each)


def _group_in(args: Sequence[Any]) -> Any:
    """The process group among the arguments: an object of the dispatcher's, or the last text, its name."""
    for arg in args:
        if isinstance(arg, torch.ScriptObject):
            with suppress(RuntimeError):
                return torch.distributed.ProcessGroup.unbox(arg)
    names = [arg for arg in args if isinstance(arg, str)]
    with suppress(RuntimeError, AttributeError, KeyError):
        return (
            torch.distributed.distributed_c10d._resolve_process_group(names[-1]) if names else None
        )
    return None


def _work_in(out: Any) -> Any:
    for each in reversed(out if isinstance(out, (list, tuple)) else (out,)):
        if isinstance(each, torch.ScriptObject):
            with suppress(RuntimeError, AttributeError):
                return torch.distributed.Work.unbox(each)
    return None


def _memory(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr() if tensor.layout == torch.strided else id(tensor)
