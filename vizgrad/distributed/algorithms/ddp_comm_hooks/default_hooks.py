"""The hooks that average gradients as they are, or in half the bytes.

A hook is called with its state and a GradBucket, and returns a Future of the averaged gradients. The state of
these is a process group, None for the default one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vizgrad.core.arrays.dtypes import bfloat16, float16
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributed.collectives import all_reduce
from vizgrad.distributed.grad_bucket import GradBucket
from vizgrad.distributed.groups import default_group
from vizgrad.distributed.work import Work
from vizgrad.futures import Future

Hook = Callable[[Any, GradBucket], Future[Tensor]]


def allreduce_hook(process_group: Any, bucket: GradBucket) -> Future[Tensor]:
    """The average of all ranks, as without a hook."""
    return _averaged(process_group, bucket.buffer())


def fp16_compress_hook(process_group: Any, bucket: GradBucket) -> Future[Tensor]:
    """The average, sent as float16."""
    return _compressed(process_group, bucket, float16)


def bf16_compress_hook(process_group: Any, bucket: GradBucket) -> Future[Tensor]:
    """The average, sent as bfloat16; on the CPU, too, where PyTorch's refuses."""
    return _compressed(process_group, bucket, bfloat16)


def fp16_compress_wrapper(hook: Hook) -> Hook:
    """`hook`, given gradients of float16."""
    return _wrapped(hook, float16)


def bf16_compress_wrapper(hook: Hook) -> Hook:
    """`hook`, given gradients of bfloat16."""
    return _wrapped(hook, bfloat16)


def _averaged(process_group: Any, buffer: Tensor) -> Future[Tensor]:
    group = default_group() if process_group is None else process_group
    buffer.div_(group.size())
    work = all_reduce(buffer, group=group, async_op=True)
    if not isinstance(work, Work):
        raise ValueError("this process is not in the process group of the hook")
    return work.get_future().then(lambda done: done.value()[0])


def _compressed(process_group: Any, bucket: GradBucket, dtype: Any) -> Future[Tensor]:
    buffer = bucket.buffer()
    averaged = _averaged(process_group, buffer.to(dtype))
    return averaged.then(lambda done: buffer.copy_(done.value()))


def _wrapped(hook: Hook, dtype: Any) -> Hook:
    def wrapper(state: Any, bucket: GradBucket) -> Future[Tensor]:
        buffer = bucket.buffer()
        bucket.set_buffer(buffer.to(dtype))
        return hook(state, bucket).then(lambda done: buffer.copy_(done.value()))

    return wrapper
