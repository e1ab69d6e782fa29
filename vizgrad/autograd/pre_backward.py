"""What is asked before a backward runs: somebody may want to run it in another way, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, NamedTuple


class Call(NamedTuple):
    """A call of `backward`, with its arguments."""

    tensors: Any
    gradient: Any
    retain_graph: bool | None
    create_graph: bool
    inputs: Any


Ask = Callable[[Call], bool]
_asks: list[Ask] = []


def was_done(
    tensors: Any, gradient: Any, retain_graph: bool | None, create_graph: bool, inputs: Any
) -> bool:
    """Did somebody run it? May raise what they raise."""
    return bool(_asks) and _asks[-1](Call(tensors, gradient, retain_graph, create_graph, inputs))


@contextmanager
def asking(ask: Ask) -> Generator[None]:
    """In the block `ask(call)` is called before each backward of any thread; True: it has run it."""
    _asks.append(ask)
    try:
        yield
    finally:
        _asks.remove(ask)
