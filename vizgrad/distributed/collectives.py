"""Collectives of tensors, with the names and arguments of torch.distributed.

All ranks of a group call the same collectives in the same order. Results are written into the tensors that
are given, without history, also where a tensor requires grad; the write is counted, so a backward that
needs the value from before refuses to run. (PyTorch does not count it, and computes with what was written.)
Collectives with a derivative: `vizgrad.distributed.nn.functional`.

With `async_op` a `Work` is returned, and the tensors must not be used before `wait()`. A process that is not
in the group returns None at once. Tensors on a device go through NCCL where the group has it; else they are
copied to the host and back.

Raises: ValueError before `init_process_group`, TypeError for what is no tensor, RuntimeError
(`DistBackendError`) where another rank has ended, has not come within the timeout of the group, or has called
another collective.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributed.arguments import (
    check,
    check_count,
    check_list,
    check_shapes,
    same_types,
    size_error,
)
from vizgrad.distributed.collective import (
    Collective,
    Written,
    barrier_tensor,
    destination,
    points,
    said,
    write,
)
from vizgrad.distributed.groups import default_group, group_or_default
from vizgrad.distributed.nccl import NcclBackend
from vizgrad.distributed.objects import root_rank
from vizgrad.distributed.process_group import ProcessGroup
from vizgrad.distributed.reductions import ReduceOp, check_reduction
from vizgrad.distributed.work import Work


def all_reduce(
    tensor: Tensor, op: ReduceOp = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Each `tensor` becomes the sum of all, or what `op` says."""
    check("tensor", tensor)
    check_reduction("all_reduce", op, tensor)
    found = group_or_default(group)
    if found is None:
        return None
    called = Collective("all_reduce", found, tensor)
    number, array = called.number, called.read(tensor)
    call = f"all_reduce {op.name} of {said(array)}"
    return called.run(
        call, async_op, lambda: [(tensor, called.backend.all_reduce(number, call, array, op))]
    )


def reduce(
    tensor: Tensor, dst: int | None = None, op: ReduceOp = ReduceOp.SUM, group: Any = None,
    async_op: bool = False, group_dst: int | None = None,
) -> Work | None:  # fmt: skip
    """The `tensor` of rank `dst` becomes the sum of all."""
    check("tensor", tensor)
    check_reduction("reduce", op, tensor)
    found = group_or_default(group)
    if found is None:
        return None
    to = root_rank(found, dst, group_dst, None)
    called = Collective("reduce", found, tensor)
    number, array = called.number, called.read(tensor)
    call = f"reduce {op.name} to {to} of {said(array)}"

    def _run() -> Written:
        got = called.backend.reduce(number, call, array, op, to)
        return [] if got is None else [(tensor, got)]

    return called.run(call, async_op, _run)


def broadcast(
    tensor: Tensor, src: int | None = None, group: Any = None, async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:  # fmt: skip
    """Each `tensor` becomes that of rank `src`."""
    check("tensor", tensor)
    found = group_or_default(group)
    if found is None:
        return None
    source = root_rank(found, src, group_src, None)
    called = Collective("broadcast", found, tensor)
    number, array = called.number, called.read(tensor)
    call = f"broadcast from {source} of {said(array)}"

    def _run() -> Written:
        got = called.backend.broadcast(number, call, array, source)
        return [] if found.rank() == source else [(tensor, got)]

    return called.run(call, async_op, _run)


def all_gather(
    tensor_list: list[Tensor], tensor: Tensor, group: Any = None, async_op: bool = False
) -> Work | None:
    """`tensor_list[r]` becomes the `tensor` of rank r."""
    check_list("tensor_list", tensor_list)
    check("tensor", tensor)
    same_types(*tensor_list, tensor)
    found = group_or_default(group)
    if found is None:
        return None
    check_count("allgather", "output", tensor_list, found)
    check_shapes("allgather", tensor_list, tensor)
    called = Collective("all_gather", found, tensor, *tensor_list)
    number, array = called.number, called.read(tensor)
    call = f"all_gather of {said(array)}"
    return called.run(
        call, async_op,
        lambda: list(zip(tensor_list, called.backend.all_gather(number, call, array), strict=True)),
    )  # fmt: skip


def all_gather_single(
    output_tensor: Tensor, input_tensor: Tensor, group: Any = None, async_op: bool = False
) -> Work | None:
    """`output_tensor` becomes the tensors of all ranks, one behind the other, or stacked: it has as many
    elements as they have together.
    """
    check("output_tensor", output_tensor)
    check("input_tensor", input_tensor)
    same_types(output_tensor, input_tensor)
    found = group_or_default(group)
    if found is None:
        return None
    if output_tensor.numel() != input_tensor.numel() * found.size():
        raise size_error("allgather", found.size(), input_tensor, output_tensor)
    called = Collective("all_gather_single", found, input_tensor, output_tensor)
    number, array = called.number, called.read(input_tensor)
    call = f"all_gather of {said(array)}"

    def _run() -> Written:
        joined = xp.concatenate(
            [each.reshape(-1) for each in called.backend.all_gather(number, call, array)]
        )
        return [(output_tensor, joined.reshape(output_tensor.shape))]

    return called.run(call, async_op, _run)


def gather(
    tensor: Tensor, gather_list: list[Tensor] | None = None, dst: int | None = None,
    group: Any = None, async_op: bool = False, group_dst: int | None = None,
) -> Work | None:  # fmt: skip
    """`gather_list[r]` of rank `dst` (0 if not given) becomes the `tensor` of rank r."""
    check("tensor", tensor)
    found = group_or_default(group)
    if found is None:
        return None
    to = root_rank(found, dst, group_dst, 0)
    outputs = gather_list if found.rank() == to else []
    if outputs is None or (found.rank() == to and not outputs):
        raise wrong_call(
            ValueError("Argument ``gather_list`` must be specified on destination rank."),
            "give a list with a tensor for each rank",
        )
    if found.rank() == to:
        check_list("gather_list", outputs)
        check_count("gather", "output", outputs, found)
        check_shapes("gather", outputs, tensor)
    elif gather_list:
        raise wrong_call(
            ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks."),
            f"give it on rank {to} alone",
        )
    called = Collective("gather", found, tensor, *outputs)
    number, array = called.number, called.read(tensor)
    call = f"gather to {to} of {said(array)}"
    return called.run(
        call, async_op,
        lambda: list(
            zip(outputs, called.backend.gather(number, call, array, to) or (), strict=True)
        ),
    )  # fmt: skip


def scatter(
    tensor: Tensor, scatter_list: list[Tensor] | None = None, src: int | None = None,
    group: Any = None, async_op: bool = False, group_src: int | None = None,
) -> Work | None:  # fmt: skip
    """The `tensor` of rank r becomes `scatter_list[r]` of rank `src` (0 if not given)."""
    check("tensor", tensor)
    found = group_or_default(group)
    if found is None:
        return None
    source = root_rank(found, src, group_src, 0)
    if found.rank() == source:
        if not scatter_list:
            raise wrong_call(
                ValueError("Argument ``scatter_list`` must be specified on source rank."),
                "give a list with a tensor for each rank",
            )
        check_list("scatter_list", scatter_list)
        check_count("scatter", "input", scatter_list, found)
        check_shapes("scatter", scatter_list, tensor)
    elif scatter_list:
        raise wrong_call(
            ValueError("Argument ``scatter_list`` must NOT be specified on non-source ranks."),
            f"give it on rank {source} alone",
        )
    called = Collective("scatter", found, tensor, *(scatter_list or ()))
    number, like = called.number, called.read(tensor)
    parts = None if scatter_list is None else [called.read(each) for each in scatter_list]
    call = f"scatter from {source} of {said(like)}"
    return called.run(
        call, async_op,
        lambda: [(tensor, called.backend.scatter(number, call, parts, like, source))],
    )  # fmt: skip


def reduce_scatter(
    output: Tensor, input_list: list[Tensor], op: ReduceOp = ReduceOp.SUM, group: Any = None,
    async_op: bool = False,
) -> Work | None:  # fmt: skip
    """The `output` of rank r becomes the sum of `input_list[r]` of all ranks."""
    check("output", output)
    check_list("input_list", input_list)
    same_types(output, *input_list)
    check_reduction("reduce_scatter", op, output)
    found = group_or_default(group)
    if found is None:
        return None
    check_count("reduce_scatter", "input", input_list, found)
    if input_list[found.rank()].shape != output.shape:
        raise size_error("reduce_scatter", found.rank(), output, input_list[found.rank()])
    called = Collective("reduce_scatter", found, output, *input_list)
    number, parts = called.number, [called.read(each) for each in input_list]
    call = f"reduce_scatter {op.name} of {parts[0].dtype}"
    return called.run(
        call, async_op, lambda: [(output, called.backend.reduce_scatter(number, call, parts, op))]
    )


def reduce_scatter_single(
    output: Tensor, input: Tensor, op: ReduceOp = ReduceOp.SUM, group: Any = None,
    async_op: bool = False,
) -> Work | None:  # fmt: skip
    """`input` is cut into as many equal parts as there are ranks, along its memory; the `output` of rank r
    becomes the sum of the parts r of all ranks.
    """
    check("output", output)
    check("input", input)
    same_types(output, input)
    check_reduction("reduce_scatter_single", op, output)
    found = group_or_default(group)
    if found is None:
        return None
    if output.numel() * found.size() != input.numel():
        raise size_error("reduce_scatter", found.size(), output, input)
    called = Collective("reduce_scatter_single", found, output, input)
    number, array = called.number, called.read(input)
    shape = (found.size(), *output.shape)
    call = f"reduce_scatter {op.name} of {array.dtype}"

    def _run() -> Written:
        parts = list(array.reshape(shape))
        return [(output, called.backend.reduce_scatter(number, call, parts, op))]

    return called.run(call, async_op, _run)


def all_to_all(
    output_tensor_list: list[Tensor], input_tensor_list: list[Tensor], group: Any = None,
    async_op: bool = False,
) -> Work | None:  # fmt: skip
    """`output_tensor_list[s]` of rank r becomes `input_tensor_list[r]` of rank s."""
    check_list("output_tensor_list", output_tensor_list)
    check_list("input_tensor_list", input_tensor_list)
    same_types(*output_tensor_list, *input_tensor_list)
    found = group_or_default(group)
    if found is None:
        return None
    check_count("all_to_all", "output", output_tensor_list, found)
    check_count("all_to_all", "input", input_tensor_list, found)
    called = Collective(
        "all_to_all",
        found,
        *output_tensor_list,
        *input_tensor_list,
        outputs=len(output_tensor_list),
    )
    number, outputs = called.number, list(output_tensor_list)
    parts, likes = list(map(called.read, input_tensor_list)), list(map(called.read, outputs))
    call = f"all_to_all of {parts[0].dtype}"

    def _run() -> Written:
        got = called.backend.exchange(number, "0", call, parts, likes)
        return list(zip(outputs, got, strict=True))

    return called.run(call, async_op, _run)


def all_to_all_single(
    output: Tensor, input: Tensor, output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None, group: Any = None, async_op: bool = False,
) -> Work | None:  # fmt: skip
    """Cuts `input` along its first dimension, into equal parts if no sizes are given; part r goes to rank r,
    and what comes is joined in `output`.
    """
    check("output", output)
    check("input", input)
    same_types(output, input)
    found = group_or_default(group)
    if found is None:
        return None
    called = Collective("all_to_all_single", found, output, input)
    parts = _cut(called.read(input), input_split_sizes, found.size())
    likes = _cut(called.read(output), output_split_sizes, found.size())
    call = f"all_to_all of {parts[0].dtype}"

    def _run() -> Written:
        got = called.backend.exchange(called.number, "0", call, parts, likes)
        return [(output, xp.concatenate(got))]

    return called.run(call, async_op, _run)


def _cut(array: Any, sizes: Sequence[int] | None, count: int) -> list[Any]:
    rows = array.shape[0] if array.ndim else 0
    if not sizes:
        if rows % count:
            raise wrong_call(
                RuntimeError("Tensor's dim 0 does not divide equally across group size"),
                "give input_split_sizes and output_split_sizes",
            )
        return xp.split(array, count)
    if len(sizes) != count or sum(sizes) != rows:
        raise wrong_call(
            RuntimeError(
                f"Split sizes {list(sizes)} doesn't match total dim 0 size {rows}, or the {count} ranks"
            ),
            "give a size for each rank, together as many as there are rows",
        )
    return xp.split(array, [sum(sizes[:place]) for place in range(1, count)])


def barrier(
    group: Any = None, async_op: bool = False, device_ids: Any = None, timeout: timedelta | None = None,
) -> Work | None:  # fmt: skip
    """Returns when all ranks have called it. A group of NCCL alone meets on a device: that of `device_ids`,
    of `init_process_group`, or the current one.
    """
    found = group_or_default(group)
    if found is None:
        return None
    tensor = barrier_tensor(found, device_ids)
    called = Collective("barrier", found, tensor)
    array = called.read(tensor)

    def _run() -> Written:
        called.backend.all_gather(called.number, "barrier", array)
        return []

    return called.run("barrier", async_op, _run)


def monitored_barrier(
    group: Any = None, timeout: timedelta | None = None, wait_all_ranks: bool = False
) -> None:
    """A barrier whose rank 0 says which rank has not come within `timeout` (that of the group if not given);
    with `wait_all_ranks`, which ranks.
    """
    found = group_or_default(group)
    if found is None:
        return
    if "cpu" not in found.backends:
        raise wrong_call(
            ValueError("monitored_barrier is only implemented for GLOO backend."),
            'call barrier(), or init_process_group("cpu:gloo,cuda:nccl")',
        )
    number = found.number()
    seconds = (timeout or found.timeout).total_seconds()
    missing = found.missing_at_barrier(number, seconds, wait_all_ranks)
    if missing:
        named = ", ".join(map(str, missing))
        raise wrong_call(
            RuntimeError(
                f"Rank {named} failed to pass monitoredBarrier in {seconds * 1000:.0f} ms"
            ),
            "look at what these ranks do: they have ended, or are in another collective",
        )


# --- from one rank to one


def send(
    tensor: Tensor, dst: int | None = None, group: Any = None, tag: int = 0,
    group_dst: int | None = None,
) -> None:  # fmt: skip
    """Returns when `tensor` may be changed: `recv` need not have been called."""
    work = isend(tensor, dst, group, tag, group_dst)
    if work is not None:
        work.wait()


def isend(
    tensor: Tensor, dst: int | None = None, group: Any = None, tag: int = 0,
    group_dst: int | None = None,
) -> Work | None:  # fmt: skip
    """`send`, without waiting."""
    check("tensor", tensor)
    found = group_or_default(group)
    if found is None:
        return None
    to = destination(found, dst, group_dst)
    backend = found.backend_for("send", tensor._array)
    if isinstance(backend, NcclBackend):
        return points(found, backend, [(True, tensor, to)])
    array = found.read(tensor._array)
    work = Work("send")
    work.run(lambda: found.send(array, to, tag, said(array)))
    return work


def recv(
    tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0,
    group_src: int | None = None,
) -> int:  # fmt: skip
    """`tensor` becomes what rank `src` has sent, any rank if not given; returns which, -1 outside the
    group.
    """
    check("tensor", tensor)
    found = group_or_default(group)
    if found is None:
        return -1
    source = None if src is None and group_src is None else root_rank(found, src, group_src, None)
    backend = found.backend_for("recv", tensor._array)
    if isinstance(backend, NcclBackend):
        points(found, backend, [(False, tensor, _known(source))]).wait()
        return found.ranks[_known(source)]
    rank = [-1]
    _received(tensor, found, source, tag, rank)
    return found.ranks[rank[0]]


def irecv(
    tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0,
    group_src: int | None = None,
) -> Work | None:  # fmt: skip
    """`recv`, without waiting."""
    check("tensor", tensor)
    found = group_or_default(group)
    if found is None:
        return None
    source = None if src is None and group_src is None else root_rank(found, src, group_src, None)
    backend = found.backend_for("recv", tensor._array)
    if isinstance(backend, NcclBackend):
        return points(found, backend, [(False, tensor, _known(source))])
    return found.begin("recv", lambda: _received(tensor, found, source, tag, [-1]))


def _received(
    tensor: Tensor, group: ProcessGroup, source: int | None, tag: int, rank: list[int]
) -> list[Tensor]:
    like = group.read(tensor._array)
    rank[0], array = group.receive(like, source, tag, said(like))
    write("recv", [(tensor, array)])
    return [tensor]


def _known(source: int | None) -> int:
    if source is None:
        raise wrong_call(
            RuntimeError("ProcessGroupNCCL does not support recvAnysource"), "give src="
        )
    return source


class P2POp:
    """A send or a receive for `batch_isend_irecv`. `op`: `isend` or `irecv`."""

    def __init__(
        self, op: Callable[..., Work | None], tensor: Tensor, peer: int | None = None,
        group: Any = None, tag: int = 0, group_peer: int | None = None,
    ) -> None:  # fmt: skip
        if op not in (isend, irecv):
            raise wrong_call(
                ValueError("Invalid ``op``. Expected ``op`` to be of type ``isend`` or ``irecv``"),
                "give vizgrad.distributed.isend or vizgrad.distributed.irecv",
            )
        self.op, self.tensor, self.peer = op, tensor, peer
        self.group, self.tag, self.group_peer = group, tag, group_peer


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[Work]:
    """Begins all of them. With NCCL they are one operation: two ranks that send to each other do not wait for
    each other, and there is one `Work`.
    """
    default_group()
    together = _of_one_device(p2p_op_list)
    if together is not None:
        return [points(*together)]
    begun = [
        each.op(each.tensor, each.peer, each.group, each.tag, each.group_peer)
        for each in p2p_op_list
    ]
    return [work for work in begun if work is not None]


def _of_one_device(
    ops: Sequence[P2POp],
) -> tuple[ProcessGroup, NcclBackend, list[tuple[bool, Tensor, int]]] | None:
    """The arguments of `points`; None unless NCCL carries all of them."""
    groups = [group_or_default(each.group) for each in ops]
    group = groups[0] if groups else None
    if group is None or any(each is not group for each in groups):
        return None
    backend = group.backend_for("batch_isend_irecv", *[each.tensor._array for each in ops])
    if not isinstance(backend, NcclBackend):
        return None
    parts = [
        (each.op is isend, each.tensor, root_rank(group, each.peer, each.group_peer, None))
        for each in ops
    ]
    return group, backend, parts


# --- names of before


def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: Any = None, async_op: bool = False
) -> Work | None:
    """`all_gather_single` by its old name."""
    _old("all_gather_into_tensor", "all_gather_single")
    return all_gather_single(output_tensor, input_tensor, group, async_op)


def reduce_scatter_tensor(
    output: Tensor, input: Tensor, op: ReduceOp = ReduceOp.SUM, group: Any = None,
    async_op: bool = False,
) -> Work | None:  # fmt: skip
    """`reduce_scatter_single` by its old name."""
    _old("reduce_scatter_tensor", "reduce_scatter_single")
    return reduce_scatter_single(output, input, op, group, async_op)


def _old(name: str, now: str) -> None:
    warnings.warn(
        f"`distributed.{name}` is deprecated. Please use `distributed.{now}` instead.",
        FutureWarning,
        stacklevel=3,
    )
