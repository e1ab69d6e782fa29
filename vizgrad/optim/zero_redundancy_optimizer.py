"""ZeroRedundancyOptimizer: each rank keeps the state of a part of the parameters (ZeRO stage 1), and if
wanted the gradients of that part alone (stage 2).

Source: Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models" (2020).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from vizgrad.core.ops.public.creation import zeros
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributed import collectives
from vizgrad.distributed.algorithms.join import Join, Joinable, JoinHook
from vizgrad.distributed.groups import group_or_default
from vizgrad.distributed.objects import gather_object
from vizgrad.distributed.process_group import ProcessGroup
from vizgrad.optim.optimizer import Optimizer


class ZeroRedundancyOptimizer(Optimizer, Joinable):
    """An `optimizer_class` whose state is shared out among the ranks: each steps its part of the
    parameters, and then all get the new values.

    Gradients are the same on all ranks, as DistributedDataParallel makes them, or after
    `shard_gradients(model)` are each on the rank that steps its parameter. `defaults` are the options of
    `optimizer_class`. Schedulers change `param_groups` as of any optimizer.

    `state_dict()` needs `consolidate_state_dict(to=rank)` before, which all ranks call; RuntimeError without.
    TypeError for an `optimizer_class` that is no optimizer.
    """

    def __init__(
        self,
        params: Iterable[Any],
        optimizer_class: type[Optimizer],
        process_group: ProcessGroup | None = None,
        parameters_as_bucket_view: bool = False,
        overlap_with_ddp: bool = False,
        **defaults: Any,
    ) -> None:
        if not (isinstance(optimizer_class, type) and issubclass(optimizer_class, Optimizer)):
            raise wrong_call(
                TypeError(f"optimizer_class must be an Optimizer, got {optimizer_class!r}"),
                "give a class of vizgrad.optim, e.g. vizgrad.optim.Adam",
            )
        if overlap_with_ddp:
            raise wrong_call(
                RuntimeError("ZeroRedundancyOptimizer: overlap_with_ddp is not supported"),
                "leave it out: the step is taken after the backward",
            )
        group = group_or_default(process_group)
        if group is None:
            raise wrong_call(
                ValueError("Invalid process group specified: this process is not in it"),
                "make the optimizer on the ranks of the group alone",
            )
        self.process_group = group
        self.optimizer_class = optimizer_class
        self._defaults = defaults
        self._collected: list[dict[str, Any]] = []
        self._owner: dict[int, int] = {}
        self._load = [0] * group.size()
        super().__init__(params, optimizer_class(_spare(), **defaults).defaults)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Shares the parameters of the group out: the largest first, each to the rank that has the least."""
        super().add_param_group(param_group)
        added = self.param_groups[-1]["params"]
        for each in sorted(added, key=lambda p: p.numel(), reverse=True):
            rank = self._load.index(min(self._load))
            self._owner[id(each)] = rank
            self._load[rank] += each.numel()
        self._make_own()

    def _make_own(self) -> None:
        rank = self.process_group.rank()
        groups = [
            {**group, "params": [p for p in group["params"] if self._owner[id(p)] == rank]}
            for group in self.param_groups
        ]
        state = self.optim.state if hasattr(self, "optim") else {}
        #: The optimizer that steps the part of this rank.
        self.optim = self.optimizer_class(_spare(), **self._defaults)
        self.optim.param_groups[:] = groups
        self.optim.state.clear()
        self.optim.state.update(state)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Steps the part of this rank, then gives and takes the new values."""
        Join.notify_join_context(self)
        for own, group in zip(self.optim.param_groups, self.param_groups, strict=True):
            own.update({name: value for name, value in group.items() if name != "params"})
        loss = self.optim.step(closure)
        works = [
            collectives.broadcast(
                each, group=self.process_group, group_src=self._owner[id(each)], async_op=True
            )
            for group in self.param_groups
            for each in group["params"]
        ]
        for work in works:
            if work is not None:
                work.wait()
        for own, group in zip(self.optim.param_groups, self.param_groups, strict=True):
            group.update({name: value for name, value in own.items() if name != "params"})
        return loss

    def shard_gradients(self, model: Any) -> None:
        """ZeRO stage 2, which PyTorch has in FSDP alone (SHARD_GRAD_OP): each gradient of `model`, a
        DistributedDataParallel of these parameters, is averaged on the rank that steps its parameter. On the
        others `.grad` is None after the backward. So a norm of all gradients, as for clipping, is to be added
        up over the ranks. Call zero_grad() after each step.

        ValueError for a parameter of the model that is not in this optimizer.
        """
        for name, each in model.module.named_parameters():
            if each.requires_grad and id(each) not in self._owner:
                raise wrong_call(
                    ValueError(f"`{name}` of the model is not in this optimizer"),
                    "make the optimizer with model.parameters()",
                )
        model.shard_gradients(lambda parameter: self._owner[id(parameter)])

    def join_hook(self, **kwargs: Any) -> JoinHook:
        return _StepHook(self)

    @property
    def join_device(self) -> Any:
        return self.param_groups[0]["params"][0].device

    @property
    def join_process_group(self) -> ProcessGroup:
        return self.process_group

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Collects the state of all ranks in rank `to`. All ranks call it."""
        collected: list[Any] = [None] * self.process_group.size()
        here = self.process_group.rank() == to
        gather_object(
            self.optim.state_dict(), collected if here else None, group=self.process_group,
            group_dst=to,
        )  # fmt: skip
        self._collected = collected if here else []

    def state_dict(self) -> dict[str, Any]:
        """That of an `optimizer_class` of all parameters."""
        if not self._collected:
            raise wrong_call(
                RuntimeError(
                    "Optimizer state has not been consolidated on this rank. Please call "
                    f"`consolidate_state_dict(to={self.process_group.rank()})` on all ranks beforehand "
                    "if you meant to save the global state."
                ),
                "call consolidate_state_dict(to=rank) on all ranks, and state_dict() on that rank",
            )
        found = super().state_dict()
        places = self._places()
        for rank, part in enumerate(self._collected):
            own = [place for place, owner in places if owner == rank]
            found["state"].update({own[number]: state for number, state in part["state"].items()})
        found["state"] = dict(sorted(found["state"].items()))
        return found

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes the state of an `optimizer_class` of all parameters; each rank keeps its part."""
        super().load_state_dict(state_dict)
        rank = self.process_group.rank()
        kept = {
            each: self.state[each]
            for group in self.param_groups
            for each in group["params"]
            if self._owner[id(each)] == rank and each in self.state
        }
        self.state.clear()
        self.optim.state.clear()
        self.optim.state.update(kept)

    def _places(self) -> list[tuple[int, int]]:
        """(number, rank) of each parameter, in the order of groups."""
        listed = [each for group in self.param_groups for each in group["params"]]
        return [(place, self._owner[id(each)]) for place, each in enumerate(listed)]


class _StepHook(JoinHook):
    """A rank without inputs steps its part with the gradients of the others."""

    def __init__(self, optimizer: ZeroRedundancyOptimizer) -> None:
        self._optimizer = optimizer

    def main_hook(self) -> None:
        self._optimizer.step()
        self._optimizer.zero_grad()  # the next round brings others


def _spare() -> list[Tensor]:
    """An optimizer is made with a parameter, which is then replaced by those of this rank: it may have
    none.
    """
    return [zeros(1, requires_grad=True)]
