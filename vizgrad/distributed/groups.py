"""The process groups of this process: the default one, which all processes of the run are in, and others."""

from __future__ import annotations

import atexit
import itertools
import os
from collections.abc import Sequence
from datetime import timedelta
from importlib import import_module
from typing import Any

from vizgrad.core.arrays.backend import Device, namespace_for, parse_device
from vizgrad.core.tensor.state import wrong_call
from vizgrad.distributed.backends import NCCL, available, backends_of, bindings, of_host
from vizgrad.distributed.peers import Peers
from vizgrad.distributed.process_group import ProcessGroup
from vizgrad.distributed.rendezvous import Found, rendezvous
from vizgrad.distributed.store import Store

#: As PyTorch's for gloo, and for NCCL.
DEFAULT_TIMEOUT, TIMEOUT_OF_NCCL = timedelta(minutes=30), timedelta(minutes=10)
_FIX = "call vizgrad.distributed.init_process_group() first, on all ranks"


class _NonMember:
    """`new_group` returns it to a process that is not in the group."""

    def __repr__(self) -> str:
        return "GroupMember.NON_GROUP_MEMBER"


class GroupMember:
    """Whether this process is in a group."""

    WORLD: ProcessGroup | None = None
    NON_GROUP_MEMBER = _NonMember()


class _World(type):
    @property
    def WORLD(cls) -> ProcessGroup | None:
        return _groups.default


class group(metaclass=_World):
    """`group.WORLD`: the default group; None before it is initialised."""


class _Groups:
    def __init__(self) -> None:
        self.default: ProcessGroup | None = None
        self.others: list[ProcessGroup] = []
        self.names = itertools.count(1)
        self.store: Store | None = None


_groups = _Groups()


def is_available() -> bool:
    """True: nothing has to be built."""
    return True


def is_initialized() -> bool:
    """Is there a default group?"""
    return _groups.default is not None


def is_gloo_available() -> bool:
    return True


def is_nccl_available() -> bool:
    """Is there a device, and NCCL for cupy? This imports cupy."""
    return available()


def is_mpi_available() -> bool:
    """Can mpi4py be imported?"""
    try:
        import_module("mpi4py.MPI")
    except (ImportError, RuntimeError):
        return False
    return True


def is_torchelastic_launched() -> bool:
    """Has `torchrun` started this process?"""
    return "TORCHELASTIC_RUN_ID" in os.environ


def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: timedelta | None = None,
    world_size: int = -1,
    rank: int = -1,
    store: Store | None = None,
    group_name: str = "",
    pg_options: Any = None,
    device_id: Any = None,
) -> None:
    """Joins the processes of the run; returns when all are there.

    `backend`: ``gloo`` (TCP) or ``mpi`` (mpi4py, of processes that mpirun has started) for all tensors,
    ``nccl`` for tensors on CUDA devices, or for each kind of device one: ``cpu:gloo,cuda:nccl``, which is the
    default where NCCL can be used. `init_method`: ``env://`` (RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT, as
    torchrun sets them), ``tcp://host:port`` or ``file:///path``; with a `store`, none. `timeout`: how long a
    collective waits for another rank, 30 minutes if not given, 10 with ``nccl``. `device_id`: the device of
    this process; without `backend` the group is for such devices alone.

    ValueError where there is a default group already or something is missing; RuntimeError for a backend that
    is not there; DistNetworkError (a RuntimeError) where other processes are not reached within the timeout.
    """
    if _groups.default is not None:
        raise wrong_call(
            ValueError("trying to initialize the default process group twice!"),
            "call destroy_process_group() before, or use new_group()",
        )
    device = _device_of_rank(device_id)
    if backend is None and device is not None:
        backend = NCCL
    name, backends = _backends(backend)
    if timeout is None:
        timeout = TIMEOUT_OF_NCCL if name == NCCL else DEFAULT_TIMEOUT
    if store is not None and init_method is not None:
        raise wrong_call(
            AssertionError("Cannot specify both init_method and store."), "give one of them"
        )
    if of_host(backends) == "mpi":
        from vizgrad.distributed.mpi import MPIPeers

        transport: Any = MPIPeers()
        _groups.store = transport.store()
    else:
        if store is None:
            found = rendezvous(init_method or "env://", rank, world_size, timeout)
        elif rank < 0 or world_size < 0:
            raise wrong_call(
                AssertionError("rank and world_size are required with a store"),
                "give rank= and world_size=",
            )
        else:
            found = Found(store, rank, world_size)
        _groups.store = found.store
        transport = Peers(found, timeout)
    ranks = range(transport.world_size)
    _groups.default = ProcessGroup(transport, ranks, "0", name, timeout, backends)
    _groups.default.device = device
    GroupMember.WORLD = _groups.default
    atexit.register(_close)


def _backends(backend: str | None) -> tuple[str, dict[str, str]]:
    """RuntimeError for NCCL where it cannot be used."""
    name, found = backends_of(backend)
    if NCCL in found.values():
        bindings()
    return name, found


def _device_of_rank(device_id: Any) -> Device | None:
    if device_id is None:
        return None
    device = parse_device(device_id)
    if device.type == "cpu" or device.index is None:
        raise wrong_call(
            ValueError(
                "init_process_group device_id parameter must be an accelerator with an index, not "
                f"{device_id!r}"
            ),
            'give vizgrad.device("cuda", get_node_local_rank())',
        )
    namespace_for(device)  # is there such a device?
    return device


def destroy_process_group(group: ProcessGroup | None = None) -> None:
    """Leaves a group; without one, all of them. Other ranks that still wait for this one get an
    error.
    """
    if _groups.default is None:
        raise wrong_call(AssertionError("Process group cannot be None"), _FIX)
    if group is None or group is _groups.default:
        _close()
    elif group in _groups.others:
        _groups.others.remove(group)
        group.close()
    else:
        raise _invalid(group)


def _close() -> None:
    default, _groups.default = _groups.default, None
    if default is None:
        return
    atexit.unregister(_close)
    for each in (*_groups.others, default):
        each.close()
    default.transport.close()
    close = getattr(_groups.store, "close", None)
    if close is not None:
        close()
    GroupMember.WORLD = _groups.store = None
    _groups.others.clear()
    _groups.names = itertools.count(1)


def default_store() -> Store | None:
    """That of the default group; None before it is initialised, and under MPI where it is not reached."""
    return _groups.store


def default_group() -> ProcessGroup:
    if _groups.default is None:
        message = (
            "Default process group has not been initialized, please make sure to call "
            "init_process_group."
        )
        raise wrong_call(ValueError(message), _FIX)
    return _groups.default


def group_or_default(group: Any) -> ProcessGroup | None:
    """The group that a collective was given, the default one for None; None where this process is not in
    it.
    """
    default = default_group()
    if group is None:
        return default
    if group is GroupMember.NON_GROUP_MEMBER:
        return None
    if group is not default and group not in _groups.others:
        raise _invalid(group)
    return group


def _invalid(group: Any) -> ValueError:
    return wrong_call(
        ValueError(f"Group {group!r} is not registered: Invalid process group specified"),
        "give what new_group() has returned, before it was destroyed",
    )


def new_group(
    ranks: Sequence[int] | None = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    use_local_synchronization: bool = False,
    group_desc: str | None = None,
    device_id: Any = None,
    sort_ranks: bool = True,
) -> Any:
    """A group of `ranks`, numbers in the default group; all if None. All processes of the run call it, in
    the same order. A rank in the group is its place among the sorted numbers, or without `sort_ranks` its
    place in `ranks`. Returns `GroupMember.NON_GROUP_MEMBER` to processes that are not in the group.
    """
    default = default_group()
    size = default.size()
    members = list(range(size) if ranks is None else ranks)
    if sort_ranks:
        members.sort()
    if len(members) > size:
        raise wrong_call(
            ValueError(
                "the new group's world size should be less or equal to the world size set by "
                "init_process_group"
            ),
            f"give ranks below {size}",
        )
    if members and not 0 <= min(members) <= max(members) < size:
        raise wrong_call(
            ValueError(
                "The new group's rank should be within the world_size set by init_process_group"
            ),
            f"give ranks below {size}",
        )
    if len(set(members)) < len(members):
        raise wrong_call(
            ValueError(f"a rank is given twice: {list(ranks or ())}"), "give each rank once"
        )
    chosen, backends = default.backend, default.backends
    if backend is not None:
        chosen, backends = _backends(backend)
    name = str(next(_groups.names))
    if default.rank() not in members:
        return GroupMember.NON_GROUP_MEMBER
    made = ProcessGroup(
        default.transport, members, name, chosen, timeout or default.timeout, backends
    )
    made.device = default.device
    _groups.others.append(made)
    return made


def get_rank(group: Any = None) -> int:
    """The rank of this process in the group; -1 where it is not in it."""
    found = group_or_default(group)
    return -1 if found is None else found.rank()


def get_world_size(group: Any = None) -> int:
    """How many processes are in the group; -1 where this one is not in it."""
    found = group_or_default(group)
    return -1 if found is None else found.size()


def get_backend(group: Any = None) -> str:
    """As `init_process_group` was told: ``gloo``, ``mpi``, ``nccl`` or a backend for each kind of device;
    ``undefined`` if it was told none.
    """
    found = group_or_default(group)
    if found is None:
        raise _invalid(group)
    return found.backend


def get_process_group_ranks(group: Any = None) -> list[int]:
    """The numbers in the run of the group's processes, by their rank in the group."""
    found = group_or_default(group)
    return [] if found is None else list(found.ranks)


def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """The rank in the group of the process with this number in the run."""
    found = group_or_default(group)
    if found is None or global_rank not in found.ranks:
        raise wrong_call(
            ValueError(f"Global rank {global_rank} is not part of group {group}"),
            "give a rank of get_process_group_ranks(group)",
        )
    return found.ranks.index(global_rank)


def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """The number in the run of the process with this rank in the group."""
    found = group_or_default(group)
    if found is None or not 0 <= group_rank < found.size():
        raise wrong_call(
            ValueError(f"Group rank {group_rank} is not part of group {group}"),
            "give a rank below get_world_size(group)",
        )
    return found.ranks[group_rank]


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """The rank of this process on its machine, as its launcher says."""
    found = os.environ.get("LOCAL_RANK")
    if found is not None:
        return int(found)
    if fallback_rank is not None:
        return int(fallback_rank)
    raise wrong_call(
        RuntimeError(
            "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow "
            "`get_node_local_rank` to work"
        ),
        "start the program with torchrun, or give fallback_rank=",
    )
