"""The line that wrote to the memory of a PyTorch tensor, during a watch.

PyTorch counts writes. A note says which operation brought the counter to a number, and stays as
long as the memory; where two say so (a tensor and its `.data` share memory, and each has a
counter), none is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from vizgrad.core import errors
from vizgrad.core.tensor.source_location import Site
from vizgrad.core.tensor.storage import tick
from vizgrad.debugger import model
from vizgrad.debugger.engines.api.summarizer import Spot
from vizgrad.debugger.engines.pytorch.elements import storage_of

#: This number of latest writes is kept for each piece of memory; dead ones are searched now and then.
MOST, OFTEN = 256, 1024


class _Noted(NamedTuple):
    op: str
    spot: Spot | None
    #: Nodes with smaller numbers were recorded before it.
    clock: int
    #: When it was, by vizgrad's own clock.
    tick: int


class _Log:
    def __init__(self, storage: torch.UntypedStorage) -> None:
        #: As long as there is this, no other memory has its address.
        self.reference = StorageWeakRef(storage)
        #: By what the counter was after it; None: there are two that say so.
        self.noted: dict[int, _Noted | None] = {}


_logs: dict[int, _Log] = {}


def counters(values: Iterable[Any]) -> list[tuple[torch.Tensor, int]]:
    """The tensors among the arguments of a call, and in lists among them, with their counters."""
    found: list[tuple[torch.Tensor, int]] = []
    for value in values:
        if isinstance(value, torch.Tensor):
            if not value.is_inference():
                found.append((value, value._version))
        elif isinstance(value, tuple | list):
            found += [
                (each, each._version)
                for each in value
                if isinstance(each, torch.Tensor) and not each.is_inference()
            ]
    return found


def note_all_writes(
    counted: Iterable[tuple[torch.Tensor, int]], ops: Callable[[int], Sequence[str]], spot: Spot | None
) -> None:  # fmt: skip
    """The counters of these tensors were as told, and have gone on by one call: `ops` says by which
    operations, if by so many. All share their notes, as the garbage collector has to go through each.
    """
    clock, now = int(torch._C._autograd._get_sequence_nr()), tick()
    made: dict[str, _Noted] = {}
    for tensor, before in counted:
        times = tensor._version - before
        if times > 0:
            each = ops(times)
            made.update((op, _Noted(op, spot, clock, now)) for op in each if op not in made)
            _note(tensor, before, [made[op] for op in each])


def note_writes(tensor: torch.Tensor, before: int, ops: Sequence[str], spot: Spot | None) -> None:
    """These operations, one after the other, have each brought the counter of a tensor one further; it was
    `before`.
    """
    clock, now = int(torch._C._autograd._get_sequence_nr()), tick()
    _note(tensor, before, [_Noted(op, spot, clock, now) for op in ops])


def _note(tensor: torch.Tensor, before: int, writes: Sequence[_Noted]) -> None:
    storage = storage_of(tensor)
    if storage is None:  # a wrapper around others
        return
    key = storage._cdata
    log = _logs.get(key)
    if log is None:
        if len(_logs) % OFTEN == OFTEN - 1:
            for gone in [k for k, each in _logs.items() if each.reference.expired()]:
                del _logs[gone]
        log = _logs[key] = _Log(storage)
    noted = log.noted
    for version, made in enumerate(writes, before + 1):
        known = noted.get(version, made)  # told twice where one watch is within another
        noted[version] = made if known is not None and known[:3] == made[:3] else None
    while len(noted) > MOST:
        del noted[next(iter(noted))]


def writes_to(tensor: torch.Tensor, since: int = 0) -> Iterator[model.Write]:
    """The known writes that brought its counter to more than `since`, in order."""
    log = _log_of(tensor)
    if log is None:
        return
    for version, noted in sorted(log.noted.items()):
        if since < version <= tensor._version and noted is not None:
            spot = noted.spot
            place = None if spot is None else errors.place_of(Site(spot.code, spot.offset))
            yield model.Write(version, noted.clock, noted.op, place)


def writer(tensor: torch.Tensor, version: int) -> tuple[str, Site | None] | None:
    """The operation that brought its counter to `version`, and its instruction; None if that is not known."""
    log = _log_of(tensor)
    noted = None if log is None else log.noted.get(version)
    if noted is None:
        return None
    return noted.op, None if noted.spot is None else Site(noted.spot.code, noted.spot.offset)


def clock_of_write(tensor: torch.Tensor) -> int | None:
    """Nodes with smaller numbers were recorded before the latest write; None if nobody noted that write."""
    log = _log_of(tensor)
    noted = None if log is None else log.noted.get(tensor._version)
    return None if noted is None else noted.clock


def last_write(tensor: torch.Tensor) -> int:
    """The tick of the last write to its memory that was noted; 0 if none was."""
    log = _log_of(tensor)
    if log is None:
        return 0
    return max((noted.tick for noted in log.noted.values() if noted is not None), default=0)


def _log_of(tensor: torch.Tensor) -> _Log | None:
    storage = storage_of(tensor)
    return None if storage is None else _logs.get(storage._cdata)
