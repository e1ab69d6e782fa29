"""The public names of torch.distributed: processes that compute together."""

from importlib import import_module
from typing import Any

from vizgrad.distributed.collectives import (
    P2POp,
    all_gather,
    all_gather_into_tensor,
    all_gather_single,
    all_reduce,
    all_to_all,
    all_to_all_single,
    barrier,
    batch_isend_irecv,
    broadcast,
    gather,
    irecv,
    isend,
    monitored_barrier,
    recv,
    reduce,
    reduce_scatter,
    reduce_scatter_single,
    reduce_scatter_tensor,
    scatter,
    send,
)
from vizgrad.distributed.errors import (
    DistBackendError,
    DistError,
    DistNetworkError,
    DistStoreError,
)
from vizgrad.distributed.grad_bucket import GradBucket
from vizgrad.distributed.groups import (
    GroupMember,
    destroy_process_group,
    get_backend,
    get_global_rank,
    get_group_rank,
    get_node_local_rank,
    get_process_group_ranks,
    get_rank,
    get_world_size,
    group,
    init_process_group,
    is_available,
    is_gloo_available,
    is_initialized,
    is_mpi_available,
    is_nccl_available,
    is_torchelastic_launched,
    new_group,
)
from vizgrad.distributed.object_messages import recv_object_list as recv_object_list
from vizgrad.distributed.object_messages import send_object_list as send_object_list
from vizgrad.distributed.objects import (
    all_gather_object,
    broadcast_object_list,
    gather_object,
    scatter_object_list,
)
from vizgrad.distributed.process_group import ProcessGroup
from vizgrad.distributed.reductions import ReduceOp
from vizgrad.distributed.store import HashStore, PrefixStore, Store, TCPStore
from vizgrad.distributed.work import Work


def __getattr__(name: str) -> Any:
    """Modules that few programs use are imported when they are first used."""
    if name in ("algorithms", "nn", "optim"):
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
