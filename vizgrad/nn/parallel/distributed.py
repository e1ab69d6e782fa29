"""DistributedDataParallel: one model on all ranks, whose gradients are averaged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any

from vizgrad.autograd.grad_mode import is_grad_enabled, no_grad
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributed import collectives
from vizgrad.distributed.algorithms.join import Join, Joinable, JoinHook
from vizgrad.distributed.grad_bucket import GradBucket
from vizgrad.distributed.groups import group_or_default
from vizgrad.distributed.objects import all_gather_object
from vizgrad.distributed.process_group import ProcessGroup
from vizgrad.nn.modules.module import Module
from vizgrad.nn.modules.sparse import Embedding, EmbeddingBag
from vizgrad.nn.parallel.joining import DDPJoinHook, begun
from vizgrad.nn.parallel.reducer import Reducer

#: PyTorch's: in megabytes.
_BUCKET = 25


class DistributedDataParallel(Module, Joinable):
    """`module` under the name `module`, as its state dict has it. All ranks make it, with the same module.

    It begins with the parameters and buffers of rank 0. Each backward of what the forward has returned
    averages the gradients of all ranks; buffers become those of rank 0 before each forward
    (`broadcast_buffers`).

    `bucket_cap_mb`: how many megabytes of gradients are sent together, 25 if not given.
    `find_unused_parameters`, `static_graph`: parameters that an output does not depend on are found after
    each forward; without, the next forward raises RuntimeError. `gradient_as_bucket_view` changes nothing
    here: gradients keep memory of their own. Gradients of embeddings with `sparse=True` stay sparse.

    ValueError before `init_process_group`; RuntimeError for a module without parameters that require grad,
    and where the modules of the ranks differ.
    """

    module: Module
    #: Within `join()`: by the number of all ranks, not of those that have inputs.
    _join_divides_by_all = True

    def __init__(
        self,
        module: Module,
        device_ids: Sequence[Any] | None = None,
        output_device: Any = None,
        dim: int = 0,
        broadcast_buffers: bool = True,
        init_sync: bool = True,
        process_group: ProcessGroup | None = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
    ) -> None:
        super().__init__()
        named = [(name, each) for name, each in module.named_parameters() if each.requires_grad]
        if not named:
            raise wrong_call(
                RuntimeError(
                    "DistributedDataParallel is not needed when a module doesn't have any parameter that "
                    "requires a gradient"
                ),
                "use the module as it is",
            )
        if device_ids and all(not each.is_cuda for _, each in named):
            raise wrong_call(
                ValueError(
                    "DistributedDataParallel device_ids and output_device arguments only work with GPU "
                    f"modules, but got device_ids {list(device_ids)} and a module on the CPU"
                ),
                "leave device_ids out",
            )
        group = group_or_default(process_group)
        if group is None:
            raise wrong_call(
                ValueError("Invalid process group specified: this process is not in it"),
                "make the model on the ranks of the group alone",
            )
        self.process_group = group
        self.dim, self.device_ids, self.output_device = dim, device_ids, output_device
        self.broadcast_buffers = broadcast_buffers
        self.find_unused_parameters, self.static_graph = find_unused_parameters, static_graph
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.require_backward_grad_sync = True
        self.module = module
        if init_sync:
            self._check_same([*named, *module.named_buffers()])
            self._from_first(chain(module.parameters(), module.buffers()))
        cap = int((_BUCKET if bucket_cap_mb is None else bucket_cap_mb) * (1 << 20))
        sparse = _sparse_tables(module)
        self.reducer = Reducer(
            [each for _, each in named],
            [name for name, _ in named],
            group,
            cap,
            {place for place, (_, each) in enumerate(named) if id(each) in sparse},
        )

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        averages = is_grad_enabled() and self.require_backward_grad_sync
        joining = begun(self) if self._join_config is not None else None
        self.reducer.forward_begins()
        if joining is not None:
            averages = joining.round(averages)
        elif self.broadcast_buffers and self.require_backward_grad_sync:
            self._from_first(self.module.buffers())
        result = self.module(*inputs, **kwargs)
        if averages:
            searched = self.find_unused_parameters or self.static_graph
            self.reducer.prepare(list(_tensors(result)) if searched else None)
        return result

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Within it forwards and their backwards leave gradients as each rank has them; the next backward
        outside averages what has been added up.
        """
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def register_comm_hook(self, state: Any, hook: Callable[[Any, GradBucket], Any]) -> None:
        """From now on `hook(state, bucket)` averages gradients, a bucket at a time: it returns a Future of
        the averaged `bucket.buffer()`. Hooks that are there:
        `vizgrad.distributed.algorithms.ddp_comm_hooks.default_hooks`.

        TypeError for what cannot be called, RuntimeError the second time, and with `shard_gradients`.
        """
        if not callable(hook):
            raise wrong_call(TypeError("Communication hook must be callable."), "give a function")
        if self.reducer.hook is not None or self.reducer.owner_of is not None:
            raise wrong_call(
                RuntimeError(
                    "register_comm_hook or register_builtin_comm_hook can only be called once."
                ),
                "register one hook, and no gradients that are sharded",
            )
        self.reducer.hook = hook, state

    def shard_gradients(self, owner_of: Callable[[Tensor], int]) -> None:
        """From now on the averaged gradient of a parameter is on the rank `owner_of(parameter)` alone; on the
        others `.grad` is None after the backward. `ZeroRedundancyOptimizer.shard_gradients(model)` calls it.
        """
        if self.reducer.hook is not None:
            raise wrong_call(
                RuntimeError(
                    "gradients cannot be sharded where a communication hook averages them"
                ),
                "register no hook",
            )
        self.reducer.owner_of = owner_of

    def join(
        self,
        divide_by_initial_world_size: bool = True,
        enable: bool = True,
        throw_on_early_termination: bool = False,
    ) -> Join:
        """The block around a training loop whose ranks have inputs of different length. A rank without inputs
        takes part in the averaging with zeros; at the end all get the parameters of those that had most.

        `divide_by_initial_world_size`: gradients are divided by the number of all ranks, not of those that
        still have inputs. `throw_on_early_termination`: all raise RuntimeError when one has none left.
        """
        return Join(
            [self],
            enable,
            throw_on_early_termination,
            divide_by_initial_world_size=divide_by_initial_world_size,
        )

    def join_hook(self, **kwargs: Any) -> JoinHook:
        return DDPJoinHook(self, kwargs.get("divide_by_initial_world_size", True))

    @property
    def join_device(self) -> Any:
        return next(self.module.parameters()).device

    @property
    def join_process_group(self) -> ProcessGroup:
        return self.process_group

    def _check_same(self, named: list[tuple[str, Tensor]]) -> None:
        own = [(name, tuple(each.shape), each.dtype.name) for name, each in named]
        found: list[Any] = [None] * self.process_group.size()
        all_gather_object(found, own, self.process_group)
        first = found[0]
        for rank, other in enumerate(found):
            if len(other) != len(first):
                raise _different(
                    f"Rank 0 has {len(first)} params, while rank {rank} has inconsistent {len(other)} params"
                )
            for (name, *here), (_, *there) in zip(first, other, strict=True):
                if here != there:
                    raise _different(
                        f"`{name}` is of shape {list(here[0])} and type {here[1]} on rank 0, of shape "
                        f"{list(there[0])} and type {there[1]} on rank {rank}"
                    )

    def _from_first(self, tensors: Any, first: int = 0) -> None:
        """`first`: the rank whose values all get."""
        with no_grad():
            works = [
                collectives.broadcast(
                    each, group=self.process_group, group_src=first, async_op=True
                )
                for each in tensors
            ]
            for work in works:
                if work is not None:
                    work.wait()


def _sparse_tables(module: Module) -> set[int]:
    """The ids of parameters whose gradients are sparse."""
    return {
        id(each.weight)
        for each in module.modules()
        if isinstance(each, (Embedding, EmbeddingBag)) and each.sparse
    }


def _different(what: str) -> RuntimeError:
    return wrong_call(
        RuntimeError(f"DDP expects same model across all ranks, but {what}."),
        "make the same model on all ranks",
    )


def _tensors(value: Any) -> Iterator[Tensor]:
    """Those in nested containers and dataclasses."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _tensors(each)
    elif isinstance(value, (list, tuple, set)):
        for each in value:
            yield from _tensors(each)
    elif hasattr(value, "__dataclass_fields__"):
        for name in value.__dataclass_fields__:
            yield from _tensors(getattr(value, name))
