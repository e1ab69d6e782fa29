"""Lines and modules of PyTorch's nodes, and nothing else: what may stay on in every cell of a notebook."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import (
    TorchFunctionMode,
    _get_current_function_mode_stack,
    _pop_mode,
    _push_mode,
)

from vizgrad.debugger.engines.pytorch import torch_hooks
from vizgrad.debugger.engines.pytorch.call_places import Marks, module_calls, spot_of
from vizgrad.debugger.engines.pytorch.torch_tensors import node_of


@contextmanager
def noting_lines() -> Generator[None]:
    """Nodes that this thread records in the block know their line, and the modules that were called."""
    mode = _Lines()
    with module_calls():
        _push_mode(mode)
        try:
            yield
        finally:
            _take_away(mode)


def _take_away(mode: TorchFunctionMode) -> None:
    """Out of the stack of modes: a cell may have left others above it."""
    stack = _get_current_function_mode_stack()
    if mode not in stack:
        return
    above = stack[stack.index(mode) + 1 :]
    for _ in range(len(above) + 1):
        _pop_mode()
    for each in above:
        _push_mode(each)


class _Lines(TorchFunctionMode):
    def __init__(self) -> None:
        super().__init__()
        self._marks = Marks()

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        made = func(*args, **(kwargs or {}))
        if torch_hooks.watched() or torch.compiler.is_compiling() or not torch.is_grad_enabled():
            return made  # a watch within marks them itself
        if isinstance(made, torch.Tensor):
            if made.requires_grad and not (made._is_view() and made._version):
                node = node_of(made)  # of a view that was written that would make one
                if node is not None:
                    self._marks.mark([node], spot_of(sys._getframe(1)))
        elif isinstance(made, tuple | list):
            nodes = [node_of(each) for each in made if isinstance(each, torch.Tensor)]
            self._marks.mark(
                [each for each in nodes if each is not None], spot_of(sys._getframe(1))
            )
        return made
