"""Selective checkpoints: some operations keep their results after all, where computing is dear (H-9)."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, NamedTuple

from vizgrad.core.arrays.backend import CPU, Device, as_array, device_of, is_array, to_device
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.function.kernel_dispatch import Kernel, running_kernels
from vizgrad.core.function.primitive import Primitive
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import new_tensor


class CheckpointPolicy(enum.Enum):
    """The decision on an operation's result: kept, kept in the host's memory, or computed again.

    MUST and PREFER are the same here: nothing but the policy decides.
    """

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


_KEPT = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)
_ON_HOST = (CheckpointPolicy.MUST_CPU_OFFLOAD, CheckpointPolicy.PREFER_CPU_OFFLOAD)


@dataclass(kw_only=True)
class SelectiveCheckpointContext:
    """The argument of a policy besides the operation and its arguments: in the forward, its result too."""

    is_recompute: bool
    op_output: Any = None


Policy = Callable[..., Any]


class _Result(NamedTuple):
    """Copies of what an operation gave, and where it was."""

    arrays: tuple[Any, ...]
    devices: tuple[Device, ...]
    several: bool

    def restored(self) -> Any:
        arrays = tuple(to_device(a, d) for a, d in zip(self.arrays, self.devices, strict=True))
        return arrays if self.several else arrays[0]


class _Cache:
    """Kept results, by operation and how often it had been called."""

    def __init__(self) -> None:
        self.results: dict[tuple[str, int], _Result] = {}


class _Running:
    """A context in which kernels are counted and run by `run`."""

    def __init__(self, cache: _Cache) -> None:
        self.cache = cache
        self._counts: Counter[str] = Counter()
        self._blocks: list[AbstractContextManager[None]] = []

    def __enter__(self) -> None:
        self._counts.clear()
        self._blocks.append(running_kernels(self))
        self._blocks[-1].__enter__()

    def __exit__(self, *exc: object) -> None:
        self._blocks.pop().__exit__(None, None, None)

    def _next(self, op: Primitive) -> tuple[str, int]:
        number = self._counts[op.name]
        self._counts[op.name] += 1
        return op.name, number

    def run(self, op: Primitive, kernel: Kernel, arrays: Any, attributes: dict[str, Any]) -> Any:
        raise NotImplementedError


class _Forward(_Running):
    """Asks the policy about each operation, and keeps what it wants."""

    def __init__(self, cache: _Cache, policy: Policy) -> None:
        super().__init__(cache)
        self._policy = policy

    def run(self, op: Primitive, kernel: Kernel, arrays: Any, attributes: dict[str, Any]) -> Any:
        result = kernel(*arrays, **attributes)
        key = self._next(op)
        several = isinstance(result, tuple)
        outputs = tuple(map(as_array, result)) if several else (as_array(result),)
        shown = tuple(map(new_tensor, outputs))
        context = SelectiveCheckpointContext(
            is_recompute=False, op_output=shown if several else shown[0]
        )
        given = [new_tensor(a) if is_array(a) else a for a in arrays]
        with running_kernels(None):
            policy = self._policy(context, op, *given, **attributes)
        wanted = policy is True or policy in _KEPT or policy in _ON_HOST
        # a view costs nothing, and is to share the memory that there will be
        if wanted and not op.view and not any(map(is_sparse, outputs)):
            copies = tuple(_copy(a, policy in _ON_HOST) for a in outputs)
            self.cache.results[key] = _Result(copies, tuple(map(device_of, outputs)), several)
        return result


def _copy(array: Any, on_host: bool) -> Any:
    """Its own memory: the program may write to the result, and the recomputation will do that again."""
    if on_host and device_of(array) != CPU:
        return to_device(array, CPU)
    return array.copy(order="K")


class _Recomputation(_Running):
    """Gives kept results in place of running the kernel; each once, so that its memory is free."""

    def run(self, op: Primitive, kernel: Kernel, arrays: Any, attributes: dict[str, Any]) -> Any:
        kept = self.cache.results.pop(self._next(op), None)
        return kernel(*arrays, **attributes) if kept is None else kept.restored()


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Policy | Sequence[Primitive], allow_cache_entry_mutation: bool = False
) -> tuple[AbstractContextManager[None], AbstractContextManager[None]]:
    """For `checkpoint(..., context_fn=partial(create_selective_checkpoint_contexts, policy))`.

    `policy(ctx, op, *args, **kwargs)` is asked about every operation of the forward and says a
    CheckpointPolicy (or True: keep it). A list names the operations to keep: `[vizgrad.ops.aten.mm.default]`.
    Kept results are copies, so they may be written to in place whatever `allow_cache_entry_mutation` says;
    each is used once, and another backward computes it again. In-place operations and views always run.

    Raises TypeError for what is neither a function nor a list, ValueError for a list of other things.
    """
    if isinstance(policy_fn_or_list, (list, tuple)):
        policy = _policy_of(policy_fn_or_list)
    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise wrong_call(
            TypeError("policy_fn_or_list must be either a function or a list of ops."),
            "give it a function, or e.g. [vizgrad.ops.aten.mm.default]",
        )
    cache = _Cache()
    return _Forward(cache, policy), _Recomputation(cache)


def _policy_of(ops: Sequence[Any]) -> Policy:
    for op in ops:
        if not isinstance(op, Primitive):
            raise wrong_call(
                ValueError(
                    f"Expected op in `op_list` to be an OpOverload but got: {op} of type {type(op)}."
                ),
                "name the operation as vizgrad.ops.aten.mm.default",
            )
    kept = {op.name for op in ops}

    def policy(ctx: SelectiveCheckpointContext, op: Primitive, *args: Any, **kwargs: Any) -> Any:
        if op.name in kept:
            return CheckpointPolicy.MUST_SAVE
        return CheckpointPolicy.PREFER_RECOMPUTE

    return policy
