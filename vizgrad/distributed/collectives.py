"""Collectives of tensors, with the names and arguments of torch.distributed.

All ranks of a group call the same collectives in the same order. Results are written into the tensors that
are given, without history, also where a tensor requires grad; the write is counted, so a backward that
needs the value from before refuses to run. (PyTorch does not count it, and computes with what was written.)
Collectives with a derivative: `vizgrad.distributed.nn.functional`.

With `async_op` a `Work` is returned, and the tensors must not be used before `wait()`. A process that is not
in the group returns None at once. Tensors on a device are copied to the host and back.

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
from vizgrad.core.arrays.backend import beside, device_of, on, to_host
from vizgrad.core.tensor.modes import about_to_write
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.storage import storage_of
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributed.groups import default_group, group_or_default
from vizgrad.distributed.objects import root_rank
from vizgrad.distributed.peers import Late
from vizgrad.distributed.process_group import ProcessGroup
from vizgrad.distributed.reductions import ReduceOp, check_reduction
from vizgrad.distributed.work import Work

#: Tensors, and the arrays that are written into them.
Written = Sequence[tuple[Tensor, Any]]


def all_reduce(
    tensor: Tensor, op: ReduceOp = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Each `tensor` becomes the sum of all, or what `op` says."""
    _check("tensor", tensor)
    check_reduction("all_reduce", op, tensor)
    found = group_or_default(group)
    if found is None:
        return None
    number, array = found.number(), _read(tensor)
    call = f"all_reduce {op.name} of {_said(array)}"
    return _done(
        "all_reduce", found, async_op,
        lambda: [(tensor, found.all_reduce(number, call, array, op))],
    )  # fmt: skip


def reduce(
    tensor: Tensor, dst: int | None = None, op: ReduceOp = ReduceOp.SUM, group: Any = None,
    async_op: bool = False, group_dst: int | None = None,
) -> Work | None:  # fmt: skip
    """The `tensor` of rank `dst` becomes the sum of all."""
    _check("tensor", tensor)
    check_reduction("reduce", op, tensor)
    found = group_or_default(group)
    if found is None:
        return None
    to, number, array = root_rank(found, dst, group_dst, None), found.number(), _read(tensor)
    call = f"reduce {op.name} to {to} of {_said(array)}"

    def _run() -> Written:
        got = found.reduce(number, call, array, op, to)
        return [] if got is None else [(tensor, got)]

    return _done("reduce", found, async_op, _run)


def broadcast(
    tensor: Tensor, src: int | None = None, group: Any = None, async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:  # fmt: skip
    """Each `tensor` becomes that of rank `src`."""
    _check("tensor", tensor)
    found = group_or_default(group)
    if found is None:
        return None
    source, number, array = root_rank(found, src, group_src, None), found.number(), _read(tensor)
    call = f"broadcast from {source} of {_said(array)}"

    def _run() -> Written:
        got = found.broadcast(number, call, array, source)
        return [] if found.rank() == source else [(tensor, got)]

    return _done("broadcast", found, async_op, _run)


def all_gather(
    tensor_list: list[Tensor], tensor: Tensor, group: Any = None, async_op: bool = False
) -> Work | None:
    """`tensor_list[r]` becomes the `tensor` of rank r."""
    _check_list("tensor_list", tensor_list)
    _check("tensor", tensor)
    _same_types(*tensor_list, tensor)
    found = group_or_default(group)
    if found is None:
        return None
    _check_count("allgather", "output", tensor_list, found)
    _check_shapes("allgather", tensor_list, tensor)
    number, array = found.number(), _read(tensor)
    call = f"all_gather of {_said(array)}"
    return _done(
        "all_gather", found, async_op,
        lambda: list(zip(tensor_list, found.all_gather(number, call, array), strict=True)),
    )  # fmt: skip


def all_gather_single(
    output_tensor: Tensor, input_tensor: Tensor, group: Any = None, async_op: bool = False
) -> Work | None:
    """`output_tensor` becomes the tensors of all ranks, one behind the other, or stacked: it has as many
    elements as they have together.
    """
    _check("output_tensor", output_tensor)
    _check("input_tensor", input_tensor)
    _same_types(output_tensor, input_tensor)
    found = group_or_default(group)
    if found is None:
        return None
    if output_tensor.numel() != input_tensor.numel() * found.size():
        raise _size_error("allgather", found.size(), input_tensor, output_tensor)
    number, array = found.number(), _read(input_tensor)
    call = f"all_gather of {_said(array)}"

    def _run() -> Written:
        joined = xp.concatenate(
            [each.reshape(-1) for each in found.all_gather(number, call, array)]
        )
        return [(output_tensor, joined.reshape(output_tensor.shape))]

    return _done("all_gather_single", found, async_op, _run)


def gather(
    tensor: Tensor, gather_list: list[Tensor] | None = None, dst: int | None = None,
    group: Any = None, async_op: bool = False, group_dst: int | None = None,
) -> Work | None:  # fmt: skip
    """`gather_list[r]` of rank `dst` (0 if not given) becomes the `tensor` of rank r."""
    _check("tensor", tensor)
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
        _check_list("gather_list", outputs)
        _check_count("gather", "output", outputs, found)
        _check_shapes("gather", outputs, tensor)
    elif gather_list:
        raise wrong_call(
            ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks."),
            f"give it on rank {to} alone",
        )
    number, array = found.number(), _read(tensor)
    call = f"gather to {to} of {_said(array)}"
    return _done(
        "gather", found, async_op,
        lambda: list(zip(outputs, found.gather(number, call, array, to) or (), strict=True)),
    )  # fmt: skip


def scatter(
    tensor: Tensor, scatter_list: list[Tensor] | None = None, src: int | None = None,
    group: Any = None, async_op: bool = False, group_src: int | None = None,
) -> Work | None:  # fmt: skip
    """The `tensor` of rank r becomes `scatter_list[r]` of rank `src` (0 if not given)."""
    _check("tensor", tensor)
    found = group_or_default(group)
    if found is None:
        return None
    source = root_rank(found, src, group_src, 0)
    parts = None
    if found.rank() == source:
        if not scatter_list:
            raise wrong_call(
                ValueError("Argument ``scatter_list`` must be specified on source rank."),
                "give a list with a tensor for each rank",
            )
        _check_list("scatter_list", scatter_list)
        _check_count("scatter", "input", scatter_list, found)
        _check_shapes("scatter", scatter_list, tensor)
        parts = [_read(each) for each in scatter_list]
    elif scatter_list:
        raise wrong_call(
            ValueError("Argument ``scatter_list`` must NOT be specified on non-source ranks."),
            f"give it on rank {source} alone",
        )
    number, like = found.number(), _read(tensor)
    call = f"scatter from {source} of {_said(like)}"
    return _done(
        "scatter", found, async_op,
        lambda: [(tensor, found.scatter(number, call, parts, like, source))],
    )  # fmt: skip


def reduce_scatter(
    output: Tensor, input_list: list[Tensor], op: ReduceOp = ReduceOp.SUM, group: Any = None,
    async_op: bool = False,
) -> Work | None:  # fmt: skip
    """The `output` of rank r becomes the sum of `input_list[r]` of all ranks."""
    _check("output", output)
    _check_list("input_list", input_list)
    _same_types(output, *input_list)
    check_reduction("reduce_scatter", op, output)
    found = group_or_default(group)
    if found is None:
        return None
    _check_count("reduce_scatter", "input", input_list, found)
    number, parts = found.number(), [_read(each) for each in input_list]
    if parts[found.rank()].shape != tuple(output.shape):
        raise _size_error("reduce_scatter", found.rank(), output, input_list[found.rank()])
    call = f"reduce_scatter {op.name} of {parts[0].dtype}"
    return _done(
        "reduce_scatter", found, async_op,
        lambda: [(output, found.reduce_scatter(number, call, parts, op))],
    )  # fmt: skip


def reduce_scatter_single(
    output: Tensor, input: Tensor, op: ReduceOp = ReduceOp.SUM, group: Any = None,
    async_op: bool = False,
) -> Work | None:  # fmt: skip
    """`input` is cut into as many equal parts as there are ranks, along its memory; the `output` of rank r
    becomes the sum of the parts r of all ranks.
    """
    _check("output", output)
    _check("input", input)
    _same_types(output, input)
    check_reduction("reduce_scatter_single", op, output)
    found = group_or_default(group)
    if found is None:
        return None
    if output.numel() * found.size() != input.numel():
        raise _size_error("reduce_scatter", found.size(), output, input)
    number = found.number()
    shape = (found.size(), *output.shape)
    parts = list(_read(input).reshape(shape))
    call = f"reduce_scatter {op.name} of {parts[0].dtype}"
    return _done(
        "reduce_scatter_single", found, async_op,
        lambda: [(output, found.reduce_scatter(number, call, parts, op))],
    )  # fmt: skip


def all_to_all(
    output_tensor_list: list[Tensor], input_tensor_list: list[Tensor], group: Any = None,
    async_op: bool = False,
) -> Work | None:  # fmt: skip
    """`output_tensor_list[s]` of rank r becomes `input_tensor_list[r]` of rank s."""
    _check_list("output_tensor_list", output_tensor_list)
    _check_list("input_tensor_list", input_tensor_list)
    _same_types(*output_tensor_list, *input_tensor_list)
    found = group_or_default(group)
    if found is None:
        return None
    _check_count("all_to_all", "output", output_tensor_list, found)
    _check_count("all_to_all", "input", input_tensor_list, found)
    number, outputs = found.number(), list(output_tensor_list)
    parts, likes = [_read(each) for each in input_tensor_list], [_read(each) for each in outputs]
    call = f"all_to_all of {parts[0].dtype}"
    return _done(
        "all_to_all", found, async_op,
        lambda: list(zip(outputs, found.exchange(number, "0", call, parts, likes), strict=True)),
    )  # fmt: skip


def all_to_all_single(
    output: Tensor, input: Tensor, output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None, group: Any = None, async_op: bool = False,
) -> Work | None:  # fmt: skip
    """Cuts `input` along its first dimension, into equal parts if no sizes are given; part r goes to rank r,
    and what comes is joined in `output`.
    """
    _check("output", output)
    _check("input", input)
    _same_types(output, input)
    found = group_or_default(group)
    if found is None:
        return None
    number = found.number()
    parts = _cut(_read(input), input_split_sizes, found.size())
    likes = _cut(_read(output), output_split_sizes, found.size())
    call = f"all_to_all of {parts[0].dtype}"

    def _run() -> Written:
        got = found.exchange(number, "0", call, parts, likes)
        return [(output, xp.concatenate(got))]

    return _done("all_to_all_single", found, async_op, _run)


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
    """Returns when all ranks have called it."""
    found = group_or_default(group)
    if found is None:
        return None
    number = found.number()
    empty = xp.empty(0, "uint8")

    def _run() -> Written:
        found.all_gather(number, "barrier", empty)
        return []

    return _done("barrier", found, async_op, _run)


def monitored_barrier(
    group: Any = None, timeout: timedelta | None = None, wait_all_ranks: bool = False
) -> None:
    """A barrier whose rank 0 says which rank has not come within `timeout` (that of the group if not given);
    with `wait_all_ranks`, which ranks.
    """
    found = group_or_default(group)
    if found is None:
        return
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
    _check("tensor", tensor)
    found = group_or_default(group)
    if found is None:
        return None
    to = root_rank(found, dst, group_dst, None)
    if to == found.rank():
        raise wrong_call(
            ValueError(
                "Invalid destination rank: destination rank should not be the same as the rank of the "
                "current process."
            ),
            "send to another rank",
        )
    array = _read(tensor)
    work = Work("send")
    work.run(lambda: found.send(array, to, tag, _said(array)))
    return work


def recv(
    tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0,
    group_src: int | None = None,
) -> int:  # fmt: skip
    """`tensor` becomes what rank `src` has sent, any rank if not given; returns which, -1 outside the
    group.
    """
    found = group_or_default(group)
    if found is None:
        _check("tensor", tensor)
        return -1
    source = None if src is None and group_src is None else root_rank(found, src, group_src, None)
    rank = [-1]
    _received(tensor, found, source, tag, rank)
    return found.ranks[rank[0]]


def irecv(
    tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0,
    group_src: int | None = None,
) -> Work | None:  # fmt: skip
    """`recv`, without waiting."""
    _check("tensor", tensor)
    found = group_or_default(group)
    if found is None:
        return None
    source = None if src is None and group_src is None else root_rank(found, src, group_src, None)
    return found.begin("recv", lambda: _received(tensor, found, source, tag, [-1]))


def _received(
    tensor: Tensor, group: ProcessGroup, source: int | None, tag: int, rank: list[int]
) -> list[Tensor]:
    _check("tensor", tensor)
    like = _read(tensor)
    try:
        rank[0], array = group.receive(like, source, tag, _said(like))
    except Late as late:
        whom = "any rank" if source is None else f"rank {source}"
        raise Late(f"{late}: {whom} has not called send with tag {tag}") from None
    _write("recv", [(tensor, array)])
    return [tensor]


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
    """Begins all of them."""
    default_group()
    begun = [
        each.op(each.tensor, each.peer, each.group, each.tag, each.group_peer)
        for each in p2p_op_list
    ]
    return [work for work in begun if work is not None]


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


# --- what all share


def _done(
    name: str, group: ProcessGroup, async_op: bool, run: Callable[[], Written]
) -> Work | None:  # fmt: skip
    site = caller()

    def _written() -> list[Tensor]:
        results = run()
        _write(name, results, site)
        return [tensor for tensor, _ in results]

    if async_op:
        return group.begin(name, _written)
    _written()
    return None


def _write(name: str, results: Written, site: Any = None) -> None:
    for tensor, array in results:
        about_to_write(tensor)
        with on(device_of(tensor._array)):  # the thread of a group has a current device of its own
            tensor._array[...] = beside(tensor._array, array)
        storage_of(tensor).wrote(name, caller() if site is None else site)


def _read(tensor: Tensor) -> Any:
    return to_host(tensor._array)


def _said(array: Any) -> str:
    """As all ranks must have it."""
    return f"{array.dtype} {list(array.shape)}"


def _check(name: str, tensor: Any) -> None:
    if not isinstance(tensor, Tensor):
        raise wrong_call(
            TypeError(
                f"Invalid function argument. Expected parameter `{name}` of type Tensor but got "
                f"{type(tensor)} instead."
            ),
            "give a tensor; objects have functions of their own, e.g. all_gather_object",
        )


def _check_list(name: str, tensors: Any) -> None:
    if not isinstance(tensors, (list, tuple)) or not all(isinstance(t, Tensor) for t in tensors):
        raise wrong_call(
            TypeError(
                f"Invalid function argument. Expected parameter `{name}` of type List[Tensor] but got "
                f"{type(tensors)} instead."
            ),
            "give a list of tensors",
        )


def _same_types(*tensors: Tensor) -> None:
    first, *rest = tensors
    for each in rest:
        if each.dtype is not first.dtype:
            raise wrong_call(
                ValueError(
                    f"Invalid usage of tensors with different dtypes: found {first.dtype} and {each.dtype}"
                ),
                "give tensors of one dtype",
            )


def _check_count(name: str, what: str, tensors: Sequence[Tensor], group: ProcessGroup) -> None:
    if len(tensors) != group.size():
        raise wrong_call(
            RuntimeError(
                f"{name}: invalid {what} tensor list at index 0 (expected length {group.size()}, got "
                f"{len(tensors)})"
            ),
            "give a tensor for each rank",
        )


def _check_shapes(name: str, tensors: Sequence[Tensor], like: Tensor) -> None:
    _same_types(like, *tensors)
    for place, each in enumerate(tensors):
        if each.shape != like.shape:
            raise _size_error(name, place, like, each)


def _size_error(name: str, place: int, expected: Tensor, got: Tensor) -> RuntimeError:
    return wrong_call(
        RuntimeError(
            f"{name}: invalid tensor size at index {place} (expected {tuple(expected.shape)}, got "
            f"{tuple(got.shape)})"
        ),
        "give tensors of the sizes that the docstring says",
    )
