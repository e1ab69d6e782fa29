"""Hooks: functions of the user's that see, and may replace, gradients (spec 02 G).

A hook on a tensor lives where its gradient will be seen: on the producing node for a result (so that an
in-place write, which gives the tensor a new producer, leaves it with the old value, E-73), on the
tensor itself for a leaf.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Self

Hook = Callable[..., Any]
Hooks = OrderedDict[int, Hook]


class RemovableHandle:
    """Removes a hook; also a context manager that does so at its end. `remove` is idempotent."""

    _next_id = 0

    def __init__(self, hooks: Hooks) -> None:
        self._hooks = weakref.ref(hooks)  # a handle keeps no graph alive
        self.id = RemovableHandle._next_id
        RemovableHandle._next_id += 1

    def remove(self) -> None:
        hooks = self._hooks()
        if hooks is not None:
            hooks.pop(self.id, None)

    def __getstate__(self) -> tuple[Hooks | None, int]:
        return self._hooks(), self.id

    def __setstate__(self, state: tuple[Hooks | None, int]) -> None:
        """Copied together with the hooks it belongs to, a handle removes the copy's."""
        hooks, self.id = state
        self._hooks = weakref.ref(OrderedDict() if hooks is None else hooks)
        RemovableHandle._next_id = max(RemovableHandle._next_id, self.id + 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


def new_hooks() -> Hooks:
    return OrderedDict()


def add_hook(hooks: Hooks, fn: Hook) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = fn
    return handle


class NodeHooks:
    """All hooks of one node.

    `tensor[nr]` are the tensor hooks of output slot `nr`, `retain[nr]` the tensor (weakly) whose `.grad`
    is to be filled with that slot's gradient.
    """

    __slots__ = ("post", "pre", "retain", "tensor")

    def __init__(self) -> None:
        self.tensor: dict[int, Hooks] = {}
        self.retain: dict[int, weakref.ref[Any]] = {}
        self.pre: Hooks = new_hooks()
        self.post: Hooks = new_hooks()
