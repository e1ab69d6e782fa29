"""Declaring an operation: one kernel over arrays, one small formula per differentiable input.

    @primitive(pointwise=True)
    class mul:
        forward = xp.multiply

        def grad_self(grad, other):
            return grad * other

        def grad_other(grad, self):
            return grad * self

The names of a formula's parameters are what the node saves: an input (`self`), the output (`result`), an
attribute of the operation (`dim`), `<input>_meta` for shape and dtype alone, and `grad`, what arrives.
Positional parameters of `forward` are tensors, keyword-only ones are attributes.

Formulas are written in operations that take arrays and Tensors alike (a `Primitive` called with arrays
runs its kernel), so the same text serves the plain backward, which runs on arrays, and
``create_graph=True``, which runs on Tensors and is recorded itself.

For complex numbers a formula gives the derivative f'(z) times `grad`. The gradient that PyTorch's convention
wants for a holomorphic function is its conjugate, conj(f'(z)) * grad; the generated code conjugates what
goes into the formula and what comes out. Only a function that is not holomorphic (`abs`, `real`) says so,
and gives the gradient itself.

Where the derivatives of an operation share work, `together(grad, ..., wanted)` gives those by all inputs at
once, over arrays of numpy; `wanted` says of each whether it is (None is given for others). It is called where
those by the first two inputs are wanted, and is given nothing that their formulas do not ask for.

From a declaration (`declared.Declared`) the recording function and the node class are compiled once, as
straight-line code (`compile_node`, `compile_record`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal, overload

from vizgrad.core.function.compile_node import compile_node
from vizgrad.core.function.compile_record import compile_record
from vizgrad.core.function.declared import Declared, Numbers, Typing, saved_by
from vizgrad.core.function.transform_tensor import Wrapped, interpreted
from vizgrad.core.graph.node import Node
from vizgrad.core.tensor.tensor import Tensor

REGISTRY: dict[str, Primitive] = {}
#: Called with each operation that is declared; `vizgrad.core.ops.forms` makes functions and methods of it.
WHEN_DECLARED: list[Callable[[Primitive], None]] = []


class Primitive(Declared):
    """A declared operation. Call it with Tensors (records) or with arrays (just computes)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        saved_by(self)  # raises for a formula that asks for what nobody provides
        #: Runs it on Tensors and records it.
        self.record = compile_record(self, lambda: self.node_class)

    @cached_property
    def node_class(self) -> type[Node] | None:
        """The class of its nodes, made when the first is recorded; None if it has no derivative."""
        return compile_node(self) if self.formulas else None

    def __call__(self, *args: Any, **attributes: Any) -> Any:
        for arg in args:
            if isinstance(arg, Tensor):
                if arg.__class__ is Wrapped:
                    found = interpreted(self, args, attributes)
                    if found is not None:
                        return found
                return self.record(*args, **attributes)
        return self.forward(*args, **attributes)


@overload
def primitive(declaration: type) -> Primitive: ...
@overload
def primitive(
    declaration: None = None,
    *,
    node: str | None = None,
    outputs: tuple[str, ...] = ("result",),
    typing: Typing = "keep",
    view: bool = False,
    pointwise: bool = False,
    linear: bool = False,
    flat: tuple[str, ...] = (),
    undefined: tuple[str, ...] = (),
    holomorphic: bool = True,
    real_only: bool = False,
    floats_only: bool = False,
    public: bool = False,
    inplace: bool | Literal["public"] = False,
    aliases: str = "",
    numbers: Numbers = "any",
) -> Callable[[type], Primitive]: ...
def primitive(
    declaration: type | None = None,
    *,
    node: str | None = None,
    outputs: tuple[str, ...] = ("result",),
    typing: Typing = "keep",
    view: bool = False,
    pointwise: bool = False,
    linear: bool = False,
    flat: tuple[str, ...] = (),
    undefined: tuple[str, ...] = (),
    holomorphic: bool = True,
    real_only: bool = False,
    floats_only: bool = False,
    public: bool = False,
    inplace: bool | Literal["public"] = False,
    aliases: str = "",
    numbers: Numbers = "any",
) -> Any:
    """Makes a Primitive of a declaring class; see the module's docstring for its form.

    `node` is the node's name when it is not ``<Name>Backward0``; `outputs` names several results, of
    which the first is differentiable. `pointwise` and `linear` are facts from which forward mode and
    batching follow. `flat` names inputs (or "result") on which the gradients of a piecewise linear
    operation depend with slope zero, `undefined` those for which PyTorch says None instead. A formula of
    one that is not `holomorphic` gives the complex gradient as it is; one that is `real_only` refuses
    complex numbers, which have no order; one that is `floats_only` refuses integers and bools, of which
    its kernel would cut the fractions.

    With `public` there are `vizgrad.NAME`, which takes `out=`, and `Tensor.NAME`; with `inplace` there is
    `Tensor.NAME_`, and, if it is "public", `vizgrad.NAME_`. `aliases` are further names for all of these.
    `numbers` says which operands may be Python numbers, where several are brought to one type.
    """

    def declare(cls: type) -> Primitive:
        own = vars(cls)
        # `inspect` takes many times as long, and import time is spent here
        forward = own["forward"] if "forward" in own else inspect.getattr_static(cls, "forward")
        if isinstance(forward, staticmethod):
            forward = forward.__func__
        inputs, attributes = _parameters(forward, cls.__qualname__)
        formulas: dict[str, Callable[..., Any]] = {}
        maths: dict[str, str] = {}
        for key, value in own.items():
            if key.startswith("grad_"):
                formulas[key.removeprefix("grad_")] = value
            elif key.startswith("math_"):
                maths[key.removeprefix("math_")] = value
        if unknown := set(formulas) - set(inputs):
            raise TypeError(f"{cls.__name__}: formulas for unknown inputs {sorted(unknown)}")
        name = cls.__name__
        made = Primitive(
            name,
            forward,
            formulas,
            inputs=inputs,
            attributes=attributes,
            outputs=outputs,
            node_name=node or "".join(p.title() for p in name.split("_")) + "Backward0",
            typing=typing,
            view=view,
            structure=frozenset(
                flag for flag, on in (("pointwise", pointwise), ("linear", linear)) if on
            ),
            flat=flat,
            undefined=undefined,
            holomorphic=holomorphic,
            real_only=real_only,
            floats_only=floats_only,
            maths=maths,
            doc=_cleaned(cls.__doc__ or ""),
            module=cls.__module__,
            public=public,
            inplace=inplace,
            aliases=tuple(aliases.split()),
            numbers=numbers,
            together=own.get("together"),
        )
        for told in WHEN_DECLARED:  # which may refuse the name
            told(made)
        REGISTRY[name] = made
        return made

    return declare if declaration is None else declare(declaration)


def _cleaned(doc: str) -> str:
    return inspect.cleandoc(doc) if "\n" in doc else doc.strip()


def _parameters(forward: Any, owner: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(tensor inputs, attributes) of a kernel.

    A ufunc, or a kernel whose first parameter is called neither `self` nor `grad_output`, takes `self`,
    or `self, other`.
    """
    if hasattr(forward, "nin"):
        return ("self", "other", "third")[: forward.nin], ()
    # `inspect.signature` would take a tenth of the import's time
    code = (inspect.unwrap(forward) if hasattr(forward, "__wrapped__") else forward).__code__
    inputs = list(code.co_varnames[: code.co_argcount])
    attributes = code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
    named = inputs and inputs[0] in ("self", "grad_output")
    if inputs and not named and not forward.__qualname__.startswith(owner + "."):
        inputs = ["self", "other", "third"][: len(inputs)]
    return tuple(inputs), attributes
