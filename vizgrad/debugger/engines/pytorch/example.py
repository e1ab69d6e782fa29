"""A custom Function of PyTorch's and the arguments that it is examined on; each run is of fresh copies."""

from __future__ import annotations

import sys
from inspect import getattr_static
from typing import Any, NamedTuple

import torch
from torch.overrides import TorchFunctionMode

from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger.engines.pytorch.torch_tensors import LOOK

#: Random numbers of each run begin here.
SEED = 7
_METHODS = ("forward", "setup_context", "backward", "vjp")


class Done(NamedTuple):
    """One operation within a method of the Function: the method's line, and what came of it."""

    site: Site
    op: str
    operands: tuple[Any, ...]
    made: Any
    #: A copy of the values, as plain numbers.
    values: Any
    wrote: bool


class Trace(TorchFunctionMode):
    """The operations of methods, in order, and those of functions that they call."""

    def __init__(self, cls: Any) -> None:
        super().__init__()
        self.done: list[Done] = []
        self._codes = {code_of(cls, name) for name in _METHODS} - {None}

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        first = args[0] if args and isinstance(args[0], torch.Tensor) else None
        before = None if first is None else first._version
        made = func(*args, **(kwargs or {}))
        frame = sys._getframe(1)
        while frame is not None and frame.f_code not in self._codes:
            frame = frame.f_back  # pyright: ignore[reportAssignmentType]
        if frame is not None and isinstance(made, torch.Tensor):
            with torch._C.DisableTorchFunction():
                wrote = first is not None and first._version != before
                operands = tuple(each for each in args if isinstance(each, torch.Tensor))
                name = str(getattr(func, "__name__", ""))
                if name == "__get__":
                    name = str(getattr(func.__self__, "__name__", ""))
                copy = LOOK.array(made).copy()
                site = Site(frame.f_code, frame.f_lasti)
                self.done.append(Done(site, name, operands, made, copy, wrote))
        return made


def code_of(cls: Any, name: str) -> Any:
    """The code of a method as the person wrote it."""
    method = getattr_static(cls, name, None)
    if method is getattr_static(torch.autograd.Function, name, None):
        return None  # it has none
    function = getattr(method, "__func__", method)
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return getattr(function, "__code__", None)


def argument(cls: Any, n: int, inputs: tuple[Any, ...]) -> str:
    """What forward calls the tensor number `n` of its arguments."""
    numbers = [i for i, each in enumerate(inputs) if isinstance(each, torch.Tensor)]
    code = code_of(cls, "forward")
    skipped = 0 if code_of(cls, "setup_context") is not None else 1
    names = () if code is None else code.co_varnames[skipped : code.co_argcount]
    return names[numbers[n]] if numbers[n] < len(names) else f"argument {numbers[n]}"


class Call:
    """Leaves, arguments (each a copy of its leaf, so it may be written to) and what came of it."""

    def __init__(
        self, cls: Any, inputs: tuple[Any, ...], values: list[Any], wants: list[bool]
    ) -> None:
        self.cls = cls
        self.leaves = [
            value.clone().requires_grad_(wanted)
            for value, wanted in zip(values, wants, strict=True)
        ]
        self.arguments = [leaf.clone() for leaf in self.leaves]
        self.versions = [each._version for each in self.arguments]
        self.args = arguments_of(inputs, self.arguments)
        torch.manual_seed(SEED)
        self.trace = Trace(cls)
        with self.trace:
            made = cls.apply(*self.args)
        several = made if isinstance(made, tuple) else (made,)
        self.results = [each for each in several if isinstance(each, torch.Tensor)]
        self.outputs = [each for each in self.results if each.requires_grad]
        self.wanted = [leaf for leaf in self.leaves if leaf.requires_grad]

    @property
    def node(self) -> Any:
        return self.outputs[0].grad_fn if self.outputs else None

    def gradients(
        self, weights: list[Any], *, create_graph: bool = False
    ) -> tuple[list[Any], list[Done]]:
        """One for each leaf that wants one, and the operations of backward."""
        trace = Trace(self.cls)
        with trace:  # `torch.autograd.grad` would take the mode away
            found = torch.autograd.graph._engine_run_backward(
                tuple(self.outputs), tuple(weights), True, create_graph, tuple(self.wanted),
                allow_unreachable=True, accumulate_grad=False,
            )  # fmt: skip
        return list(found), trace.done


def arguments_of(inputs: tuple[Any, ...], tensors: list[Any]) -> list[Any]:
    """`inputs` with these in place of their tensors."""
    given = iter(tensors)
    return [next(given) if isinstance(each, torch.Tensor) else each for each in inputs]


def wide(tensor: torch.Tensor) -> torch.Tensor:
    """Its values, in double precision."""
    plain = tensor.detach()
    if plain.is_complex():
        return plain.to(torch.complex128)
    return plain.double() if plain.is_floating_point() else plain
