"""The declaration of an operation, and the facts that follow from it without compiling anything.

The ground of this package: the compilers, and all that helps them, know an operation as a `Declared`;
`vizgrad.core.function.primitive`, above them, makes of it what can be called.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from vizgrad.core.arrays.errstate import nameless
from vizgrad.core.tensor.source_location import INTERNAL

#: How operand types are brought together (spec T-2 ... T-6):
#: "promote": by PyTorch's promotion; "float": the same, integers become the default float;
#: "same": must be equal, else RuntimeError; "keep": used as they are; "moved": so too, and the kernel is
#: given elements of all types as they are: it computes nothing with them, or widens them itself.
Typing = Literal["promote", "float", "same", "keep", "moved"]

#: Which operands may be Python numbers: any, all but the first, or none.
Numbers = Literal["any", "second", "none"]


#: By module, which is whole when its first operation runs: the names that its kernels see.
_WHOLE: dict[int, dict[str, Any]] = {}


@dataclass(eq=False, repr=False)
class Declared:
    """An operation as `vizgrad.core.function.primitive.primitive` read it off a class."""

    name: str
    #: The kernel: over arrays.
    forward: Callable[..., Any]
    #: Input -> its derivative.
    formulas: dict[str, Callable[..., Any]]
    inputs: tuple[str, ...]
    attributes: tuple[str, ...]
    outputs: tuple[str, ...]
    node_name: str
    typing: Typing
    view: bool
    structure: frozenset[str]
    #: Values by which its derivatives have no slope: see `vizgrad.core.function.compile_node`.
    flat: tuple[str, ...]
    undefined: tuple[str, ...]
    holomorphic: bool
    real_only: bool
    floats_only: bool
    #: Input -> its derivative as a line of mathematics.
    maths: dict[str, str]
    doc: str
    #: Where it was declared.
    module: str
    #: In which forms it can be called, and under which other names.
    public: bool
    inplace: bool | Literal["public"]
    aliases: tuple[str, ...]
    numbers: Numbers
    #: All derivatives at once, over arrays: used where those of the first two inputs are wanted.
    together: Callable[..., Any] | None = None

    @cached_property
    def kernel(self) -> Callable[..., Any]:
        """`forward`, as operations run it: numpy warns nobody from its frame
        (`vizgrad.core.arrays.errstate`).

        A person's own, whose module may change under it, is left as it is.
        """
        module = getattr(self.forward, "__globals__", {})
        if not INTERNAL[module.get("__package__")]:
            return self.forward
        return nameless(self.forward, _WHOLE.setdefault(id(module), {}))

    def __post_init__(self) -> None:
        self.__doc__ = self.doc
        #: On a device its kernel and formulas are one launch each.
        self.fuses = "pointwise" in self.structure
        #: Inputs that have a formula, in order: one edge each.
        self.differentiable = tuple(n for n in self.inputs if n in self.formulas)
        if self.together is not None:
            known = {"grad", "wanted"}
            for name in self.differentiable[:2]:
                known.update(formula_parameters(self.formulas[name]))
            if unknown := set(formula_parameters(self.together)) - known:
                raise TypeError(f"{self.name}: the first two formulas do not ask for {unknown}")

    def __repr__(self) -> str:
        return f"<primitive {self.name}({', '.join(self.inputs + self.attributes)})>"


#: Attributes that are made of tensors (`vizgrad.core.graph.saved`): saved like tensors, not like
#: numbers.
GROUPS = frozenset({"indices"})


def formula_parameters(formula: Callable[..., Any]) -> tuple[str, ...]:
    """Names of a formula's parameters (read off its code: `inspect.signature` would cost import time)."""
    code = formula.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def saved_by(op: Declared) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(saved tensors, plain values) that the formulas of `op` ask for, in a fixed order."""
    wanted = {p for f in op.formulas.values() for p in formula_parameters(f)} - {"grad"}
    tensors = [n for n in op.inputs + op.outputs if n in wanted]
    plain = [n for n in op.attributes if n in wanted]
    plain += [n + "_meta" for n in op.inputs if n + "_meta" in wanted]
    if unknown := wanted - set(tensors) - set(plain):
        raise TypeError(f"{op.name}: formulas ask for {sorted(unknown)}, which nobody provides")
    return tuple(tensors), tuple(plain)


def users_of(op: Declared, name: str) -> list[int]:
    """Numbers of the edges whose formula reads `name`."""
    return [
        i for i, n in enumerate(op.differentiable) if name in formula_parameters(op.formulas[n])
    ]
