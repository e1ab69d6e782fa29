"""Kernels that ask a handler first: selective checkpoints need it for every operation.

While it is on, and only then, the recording functions of all operations call a kernel that asks the runner of
their thread: they find it among their globals, so that nothing is asked, and nothing costs, at other times.
In-place writes, which must happen each time, are not asked about.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from vizgrad.core.function.primitive import REGISTRY, Primitive

Kernel = Callable[..., Any]
#: The name of kernels in a recording function.
_NAMES = ("kernel", "fused_kernel")


class Runner(Protocol):
    """Decides how a kernel is run."""

    def run(
        self, op: Primitive, kernel: Kernel, arrays: Any, attributes: dict[str, Any]
    ) -> Any: ...


class _Local(threading.local):
    runner: Runner | None = None


_LOCAL = _Local()
_lock = threading.RLock()
_users = 0
#: Scope of a recording function, name there, kernel: what to put back.
_exchanged: list[tuple[dict[str, Any], str, Kernel]] = []


def _asking(op: Primitive, kernel: Kernel) -> Kernel:
    def call(*arrays: Any, **attributes: Any) -> Any:
        runner = _LOCAL.runner
        if runner is None:
            return kernel(*arrays, **attributes)
        return runner.run(op, kernel, arrays, attributes)

    return call


def _exchange() -> None:
    for op in list(REGISTRY.values()):
        scope = op.record.__globals__
        for name in _NAMES:
            if name in scope:
                kernel = op.kernel if scope[name] is op.forward else scope[name]
                _exchanged.append((scope, name, kernel))
                scope[name] = _asking(op, kernel)


def _put_back() -> None:
    for scope, name, kernel in _exchanged:
        scope[name] = kernel
    _exchanged.clear()


@contextmanager
def running_kernels(runner: Runner | None) -> Iterator[None]:
    """Within the block, `runner` runs the kernels of this thread's operations; None: they run as always."""
    global _users
    before, _LOCAL.runner = _LOCAL.runner, runner
    with _lock:
        _users += 1
        if _users == 1:
            _exchange()
    try:
        yield
    finally:
        _LOCAL.runner = before
        with _lock:
            _users -= 1
            if not _users:
                _put_back()
