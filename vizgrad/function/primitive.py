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

Of complex numbers a formula gives the derivative f'(z) times `grad`. The gradient that PyTorch's convention
wants for a holomorphic function is its conjugate, conj(f'(z)) * grad; the generated code conjugates what
goes into the formula and what comes out. Only a function that is not holomorphic (`abs`, `real`) says so,
and gives the gradient itself.

From a declaration the recording
function and the node class are compiled once, as straight-line code (`compile_node`, `compile_record`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Literal, overload

from vizgrad.arrays.dtypes import from_numpy
from vizgrad.function.typing import coerce, type_error
from vizgrad.tensor.tensor import Tensor
from vizgrad.tensor.wrong_call import wrong_call

#: How operand types are brought together (spec T-2 ... T-6):
#: "promote": by PyTorch's promotion; "float": the same, integers become the default float;
#: "same": must be equal, else RuntimeError; "keep": used as they are; "moved": so too, and nothing is
#: computed with the elements, which may be of types that have no arithmetic.
Typing = Literal["promote", "float", "same", "keep", "moved"]

#: Which operands may be Python numbers: any, all but the first, or none.
Numbers = Literal["any", "second", "none"]

REGISTRY: dict[str, Primitive] = {}
#: Called with each operation that is declared; `vizgrad.ops.forms` makes functions and methods of it.
WHEN_DECLARED: list[Callable[[Primitive], None]] = []


class Primitive:
    """A declared operation. Call it with Tensors (records) or with arrays (just computes)."""

    def __init__(
        self,
        name: str,
        forward: Callable[..., Any],
        formulas: dict[str, Callable[..., Any]],
        *,
        inputs: tuple[str, ...],
        attributes: tuple[str, ...],
        outputs: tuple[str, ...],
        node_name: str,
        typing: Typing,
        view: bool,
        structure: frozenset[str],
        flat: tuple[str, ...],
        undefined: tuple[str, ...],
        holomorphic: bool,
        real_only: bool,
        maths: dict[str, str],
        doc: str,
        module: str = "",
        public: bool = False,
        inplace: bool | Literal["public"] = False,
        aliases: tuple[str, ...] = (),
        numbers: Numbers = "any",
    ) -> None:
        self.name = name
        self.forward = forward
        self.formulas = formulas
        self.inputs = inputs
        self.attributes = attributes
        self.outputs = outputs
        self.node_name = node_name
        self.typing = typing
        self.numbers = numbers
        self.view = view
        self.structure = structure
        #: Values by which its derivatives have no slope: see `vizgrad.function.flat`.
        self.flat = flat
        self.undefined = undefined
        self.holomorphic = holomorphic
        self.real_only = real_only
        self.maths = maths
        #: Where it was declared.
        self.module = module
        #: In which forms it can be called, and under which other names.
        self.public, self.inplace, self.aliases = public, inplace, aliases
        #: On a device its kernel and formulas are one launch each.
        self.fuses = "pointwise" in structure
        self.__doc__ = doc
        from vizgrad.function.compile_node import compile_node
        from vizgrad.function.compile_record import compile_record

        #: Inputs that have a formula, in order: one edge each.
        self.differentiable = tuple(n for n in inputs if n in formulas)
        self.node_class = compile_node(self) if formulas else None
        self.record = compile_record(self)

    def __call__(self, *args: Any, **attributes: Any) -> Any:
        for arg in args:
            if isinstance(arg, Tensor):
                return self.record(*args, **attributes)
        return self.forward(*args, **attributes)

    def coerce(self, *operands: Any) -> tuple[Any, ...]:
        """Operands as Tensors, Python numbers wrapped; TypeError for anything else."""
        return coerce(self, *operands)

    def refuse_complex(self, array: Any) -> NotImplementedError:
        """What to raise for complex numbers."""
        return wrong_call(
            NotImplementedError(
                f'"{self.name}" not implemented for {from_numpy(array.dtype).name}: it is defined for '
                "real numbers only"
            ),
            "take .abs(), .real or .imag",
            "cut-dtype",
        )

    def type_error(self, *operands: Any) -> TypeError:
        return type_error(self, *operands)

    def __repr__(self) -> str:
        return f"<primitive {self.name}({', '.join(self.inputs + self.attributes)})>"


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
    complex numbers, which have no order.

    With `public` there are `vizgrad.NAME`, which takes `out=`, and `Tensor.NAME`; with `inplace` there is
    `Tensor.NAME_`, and, if it is "public", `vizgrad.NAME_`. `aliases` are further names for all of these.
    `numbers` says which operands may be Python numbers, where several are brought to one type.
    """

    def declare(cls: type) -> Primitive:
        forward = inspect.getattr_static(cls, "forward")
        if isinstance(forward, staticmethod):
            forward = forward.__func__
        inputs, attributes = _parameters(forward, cls.__qualname__)
        formulas: dict[str, Callable[..., Any]] = {}
        maths: dict[str, str] = {}
        for key, value in vars(cls).items():
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
            maths=maths,
            doc=inspect.cleandoc(cls.__doc__ or ""),
            module=cls.__module__,
            public=public,
            inplace=inplace,
            aliases=tuple(aliases.split()),
            numbers=numbers,
        )
        for told in WHEN_DECLARED:  # which may refuse the name
            told(made)
        REGISTRY[name] = made
        return made

    return declare if declaration is None else declare(declaration)


def _parameters(forward: Any, owner: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(tensor inputs, attributes) of a kernel.

    A ufunc, or a kernel whose first parameter is called neither `self` nor `grad_output`, takes `self`,
    or `self, other`.
    """
    if hasattr(forward, "nin"):
        return ("self", "other", "third")[: forward.nin], ()
    inputs: list[str] = []
    attributes: list[str] = []
    for parameter in inspect.signature(forward).parameters.values():
        keyword = parameter.kind is inspect.Parameter.KEYWORD_ONLY
        (attributes if keyword else inputs).append(parameter.name)
    named = inputs and inputs[0] in ("self", "grad_output")
    if inputs and not named and not forward.__qualname__.startswith(owner + "."):
        inputs = ["self", "other", "third"][: len(inputs)]
    return tuple(inputs), tuple(attributes)
