"""Collectives as nodes of the graph: each has a derivative, which is a collective again.

The loss is the sum of the losses of all ranks: the gradient that a rank gets for what it gave is that of this
sum. All ranks run their backward, and reach these nodes in the same order. A session stops before such a node
as before any other; a step into it waits for the other ranks.

Results are new tensors; what is given stays as it is. Shapes, types and errors are those of the collectives
of `vizgrad.distributed`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vizgrad.autograd.function import Function
from vizgrad.core.ops.public.from_values import empty_like, zeros_like
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributed import collectives
from vizgrad.distributed.groups import get_world_size, group_or_default
from vizgrad.distributed.objects import root_rank
from vizgrad.distributed.process_group import ProcessGroup
from vizgrad.distributed.reductions import ReduceOp


def all_reduce(tensor: Tensor, op: ReduceOp = ReduceOp.SUM, group: Any = None) -> Tensor:
    """The sum (or, with AVG, the mean) of the tensors of all ranks; the gradient is the same of their
    gradients.

    RuntimeError for another `op`: it has no derivative here. (PyTorch reduces the gradients with `op`,
    which is the derivative of sums alone.)
    """
    _only_sums("all_reduce", op)
    return _AllReduce.apply(tensor, op, _group(group))


def reduce(tensor: Tensor, dst: int, op: ReduceOp = ReduceOp.SUM, group: Any = None) -> Tensor:
    """The sum of the tensors of all ranks on rank `dst`; on the others a copy of their own, whose gradient
    is not used.
    """
    _only_sums("reduce", op)
    found = _group(group)
    return _Reduce.apply(tensor, root_rank(found, dst, None, None), op, found)


def broadcast(tensor: Tensor, src: int, group: Any = None) -> Tensor:
    """The tensor of rank `src`, on all; its gradient is the sum of theirs."""
    found = _group(group)
    return _Broadcast.apply(tensor, root_rank(found, src, None, None), found)


def all_gather(tensor: Tensor, group: Any = None) -> tuple[Tensor, ...]:
    """The tensors of all ranks, by rank."""
    return _AllGather.apply(tensor, _group(group))


def gather(tensor: Tensor, dst: int = 0, group: Any = None) -> tuple[Tensor, ...]:
    """The tensors of all ranks on rank `dst`; on the others zeros, whose gradients are not used."""
    found = _group(group)
    return _Gather.apply(tensor, root_rank(found, dst, None, None), found)


def scatter(tensors: Sequence[Tensor], src: int = 0, group: Any = None) -> Tensor:
    """The tensor that rank `src` has for this rank. The others give tensors of the same shapes, which are not
    used.
    """
    found = _group(group)
    return _Scatter.apply(root_rank(found, src, None, None), found, *tensors)


def reduce_scatter(
    output: Tensor, input_list: Sequence[Tensor], op: ReduceOp = ReduceOp.SUM, group: Any = None
) -> Tensor:
    """The sum of `input_list[r]` of all ranks, on rank r. `output` says only the shape and the type."""
    _only_sums("reduce_scatter", op)
    return _ReduceScatter.apply(op, _group(group), output.detach(), *input_list)


def all_to_all(
    output_tensor_list: Sequence[Tensor], input_tensor_list: Sequence[Tensor], group: Any = None
) -> tuple[Tensor, ...]:
    """`input_tensor_list[r]` of rank s, at s on rank r. `output_tensor_list` says only shapes and types."""
    likes = [each.detach() for each in output_tensor_list]
    return _AllToAll.apply(_group(group), likes, *input_tensor_list)


def all_to_all_single(
    output: Tensor, input: Tensor, output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None, group: Any = None,
) -> Tensor:  # fmt: skip
    """`vizgrad.distributed.all_to_all_single`. `output` says only the shape and the type."""
    return _AllToAllSingle.apply(
        input, output.detach(), output_split_sizes, input_split_sizes, _group(group)
    )


def _group(group: Any) -> ProcessGroup:
    found = group_or_default(group)
    if found is None:
        raise wrong_call(
            ValueError("Invalid process group specified: this process is not in it"),
            "call it on the ranks of the group alone",
        )
    return found


def _only_sums(name: str, op: ReduceOp) -> None:
    if op not in (ReduceOp.SUM, ReduceOp.AVG):
        raise wrong_call(
            RuntimeError(f"{name} with {op} has no derivative: only SUM and AVG have one here"),
            f"call vizgrad.distributed.{name} on a detached tensor, or sum what you need",
        )


class _AllReduce(Function):
    @staticmethod
    def forward(ctx: Any, tensor: Tensor, op: ReduceOp, group: ProcessGroup) -> Tensor:
        ctx.op, ctx.group = op, group
        result = tensor.clone()
        collectives.all_reduce(result, op, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return _AllReduce.apply(grad, ctx.op, ctx.group), None, None


class _Reduce(Function):
    @staticmethod
    def forward(ctx: Any, tensor: Tensor, dst: int, op: ReduceOp, group: ProcessGroup) -> Tensor:
        ctx.dst, ctx.op, ctx.group = dst, op, group
        result = tensor.clone()
        collectives.reduce(result, op=op, group=group, group_dst=dst)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        grad = _Broadcast.apply(grad, ctx.dst, ctx.group)
        mean = ctx.op is ReduceOp.AVG
        return (grad / ctx.group.size() if mean else grad), None, None, None


class _Broadcast(Function):
    @staticmethod
    def forward(ctx: Any, tensor: Tensor, src: int, group: ProcessGroup) -> Tensor:
        ctx.src, ctx.group = src, group
        result = tensor.clone()
        collectives.broadcast(result, group=group, group_src=src)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        summed = _Reduce.apply(grad, ctx.src, ReduceOp.SUM, ctx.group)
        return (summed if ctx.group.rank() == ctx.src else summed * 0), None, None


class _AllGather(Function):
    @staticmethod
    def forward(ctx: Any, tensor: Tensor, group: ProcessGroup) -> tuple[Tensor, ...]:
        ctx.group = group
        tensor = tensor.contiguous()
        results = [empty_like(tensor) for _ in range(get_world_size(group))]
        collectives.all_gather(results, tensor, group)
        return tuple(results)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        own = grads[ctx.group.rank()]
        return _ReduceScatter.apply(ReduceOp.SUM, ctx.group, own.detach(), *grads), None


class _ReduceScatter(Function):
    @staticmethod
    def forward(
        ctx: Any, op: ReduceOp, group: ProcessGroup, like: Tensor, *parts: Tensor
    ) -> Tensor:
        ctx.op, ctx.group = op, group
        result = empty_like(like)
        collectives.reduce_scatter(result, [each.contiguous() for each in parts], op, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        if ctx.op is ReduceOp.AVG:
            grad = grad / ctx.group.size()
        return None, None, None, *_AllGather.apply(grad, ctx.group)


class _Gather(Function):
    @staticmethod
    def forward(ctx: Any, tensor: Tensor, dst: int, group: ProcessGroup) -> tuple[Tensor, ...]:
        ctx.dst, ctx.group = dst, group
        results = [zeros_like(tensor) for _ in range(group.size())]
        collectives.gather(
            tensor.contiguous(),
            results if group.rank() == dst else None,
            group=group,
            group_dst=dst,
        )
        return tuple(results)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        return _Scatter.apply(ctx.dst, ctx.group, *grads), None, None


class _Scatter(Function):
    @staticmethod
    def forward(ctx: Any, src: int, group: ProcessGroup, *tensors: Tensor) -> Tensor:
        ctx.src, ctx.group = src, group
        result = empty_like(tensors[group.rank()])
        parts = [each.contiguous() for each in tensors] if group.rank() == src else None
        collectives.scatter(result, parts, group=group, group_src=src)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return None, None, *_Gather.apply(grad, ctx.src, ctx.group)


class _AllToAll(Function):
    @staticmethod
    def forward(
        ctx: Any, group: ProcessGroup, likes: Sequence[Tensor], *parts: Tensor
    ) -> tuple[Tensor, ...]:
        ctx.group, ctx.likes = group, [empty_like(each.detach()) for each in parts]
        results = [empty_like(each) for each in likes]
        collectives.all_to_all(results, [each.contiguous() for each in parts], group)
        return tuple(results)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        return None, None, *_AllToAll.apply(ctx.group, ctx.likes, *grads)


class _AllToAllSingle(Function):
    @staticmethod
    def forward(
        ctx: Any,
        input: Tensor,
        output: Tensor,
        output_sizes: Any,
        input_sizes: Any,
        group: ProcessGroup,
    ) -> Tensor:
        ctx.group, ctx.sizes, ctx.like = (
            group,
            (output_sizes, input_sizes),
            empty_like(input.detach()),
        )
        result = empty_like(output)
        collectives.all_to_all_single(result, input.contiguous(), output_sizes, input_sizes, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        output_sizes, input_sizes = ctx.sizes
        back = _AllToAllSingle.apply(grad, ctx.like, input_sizes, output_sizes, ctx.group)
        return back, None, None, None, None
