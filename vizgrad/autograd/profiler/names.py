"""Which of the functions that Python calls are operations, and what PyTorch's profiler calls them.

`aten::mm` is an operation, `MmBackward0` the visit of a node, `torch::autograd::AccumulateGrad` that of a
leaf, `Optimizer.step#SGD.step` a step. A custom Function has its own name, and its node the node's.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from vizgrad.core.engine import leaf
from vizgrad.core.function.custom import apply
from vizgrad.core.function.custom.backward_class import CustomNode
from vizgrad.core.function.primitive import REGISTRY
from vizgrad.core.ops.aten import names_there
from vizgrad.core.ops.forms import FORMS

#: The name of a call, from its frame; or the same for all calls of the code.
Named = str | Callable[[FrameType], str]

_PACKAGE = str(Path(__file__).parents[2])
_KERNELS = str(Path(_PACKAGE, "core", "arrays"))
_FUNCTIONAL = str(Path(_PACKAGE, "nn", "functional"))
_OPTIMIZER = str(Path(_PACKAGE, "optim", "optimizer.py"))


def _first(frame: FrameType) -> Any:
    """The first argument of a call that begins."""
    return frame.f_locals[frame.f_code.co_varnames[0]]


def _node(frame: FrameType) -> str:
    return _first(frame).name()


def _function(frame: FrameType) -> str:
    return _first(frame).__name__


def _step(frame: FrameType) -> str:
    name = type(_first(frame)).__name__
    return f"Optimizer.{frame.f_code.co_name}#{name}.{frame.f_code.co_name}"


class Names:
    """The names of codes: those that were met are kept."""

    def __init__(self) -> None:
        self._aten = names_there()
        self.known: dict[CodeType, Named | None] = {
            leaf.accumulate_array.__code__: "torch::autograd::AccumulateGrad",
            apply.apply.__code__: _function,
            CustomNode.run_tensors.__code__: _node,
        }
        for name, operation in REGISTRY.items():
            code = _code_of(operation.forward)
            # A kernel may be that of several operations, and of such as PyTorch has not.
            if code is not None and (name in FORMS or not code.co_filename.startswith(_KERNELS)):
                self.known.setdefault(code, f"aten::{self._aten.get(name, name)}")
        for name, forms in FORMS.items():
            for form in (forms.function, forms.method):
                code = _code_of(form)
                if code is not None and not code.co_filename.startswith("<"):
                    self.known.setdefault(code, f"aten::{name}")

    def find(self, code: CodeType) -> Named | None:
        """The name of a code that was not met before."""
        found = self.known[code] = self._find(code)
        return found

    def _find(self, code: CodeType) -> Named | None:
        file, name = code.co_filename, code.co_name
        if file.startswith(
            "<vizgrad "
        ):  # written by `vizgrad.core.function.compile_record` and others
            operation, _, what = file[len("<vizgrad ") : -1].rpartition(".")
            if what == "run":
                return _node
            return f"aten::{self._aten.get(operation, operation)}" if what == "record" else None
        if file.startswith(_FUNCTIONAL):
            public = code is _code_of(getattr(sys.modules["vizgrad.nn.functional"], name, None))
            return f"aten::{name}" if public else None
        if file == _OPTIMIZER and code.co_qualname in ("Optimizer.step", "Optimizer.zero_grad"):
            return _step
        return None


def _code_of(function: Any) -> CodeType | None:
    return getattr(inspect.unwrap(function), "__code__", None) if callable(function) else None
