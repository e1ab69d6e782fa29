"""Forward mode as functions of functions: `jvp`, `linearize` (spec C-3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from vizgrad.autograd.forward_ad import attach, new_level, strip
from vizgrad.core.batching.level import into, out_of
from vizgrad.core.function.transform_tensor import Level, Wrapped, like_batch, wrap
from vizgrad.core.ops.constants import zeros_beside
from vizgrad.core.tensor.duals import DualLevel
from vizgrad.core.tensor.modes import set_grad_mode
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.func.differentiating import Differentiation, in_normal_mode, refuse_captured
from vizgrad.func.reverse import output_and_aux, pulled, vjp
from vizgrad.utils._pytree import tree_flatten, tree_map, tree_unflatten


class Forward(Level):
    """`jvp` and related functions, while they call their function."""

    name = "jvp"

    def __init__(self, function: Any, args: tuple[Any, ...]) -> None:
        super().__init__()
        self.function, self.args = function, args

    def before_write(self, target: Tensor) -> None:
        refuse_captured(target, self.function, self.args)


def _wrong(message: str, fix: str) -> RuntimeError:
    return wrong_call(RuntimeError(message), fix)


# --- duals ---------------------------------------------------------------------------------------------


def dual_of(primal: Tensor, tangent: Tensor, level: DualLevel, attach: Any = attach) -> Tensor:
    """`primal` with a tangent, which belongs to what lies below the wrappers of vmaps."""
    if not isinstance(primal, Wrapped):
        return attach(primal, tangent, level)
    around: Any = primal.level
    below = dual_of(out_of(primal, around), out_of(tangent, around), level, attach)
    return wrap(around, below)


def parts_of(dual: Tensor, level: DualLevel) -> tuple[Tensor, Tensor | None]:
    """(primal, tangent) of what `dual_of` gave, or of what was computed from it."""
    if not isinstance(dual, Wrapped):
        return strip(dual, level)
    around: Any = dual.level
    primal, tangent = parts_of(dual.value, level)
    if not vars(dual).get("shared", False) and tangent is not None:
        tangent = into(tangent, around)
    return wrap(around, primal, dual), tangent


def only_tensors(outputs: Sequence[Any], call: str) -> None:
    for output in outputs:
        if not isinstance(output, Tensor):
            raise _wrong(
                f"{call}: expected f(*primals) to return only tensors, got unsupported type "
                f"{type(output)}",
                "return tensors alone",
            )


# --- jvp -----------------------------------------------------------------------------------------------


@in_normal_mode
def jvp(
    func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False,
    has_aux: bool = False,
) -> tuple[Any, ...]:  # fmt: skip
    """(func(*primals), the product of its Jacobian with the tangents), computed side by side.

    Both arguments are tuples of one structure. With `has_aux` `func` returns a pair, and the tensors of its
    second part are the third result. RuntimeError for what is no tuple, for structures or sizes that differ
    and for outputs that are no tensors, and with `strict` for an output that does not depend on the primals;
    ValueError for integers.
    """
    call = "jvp(f, primals, tangents)"
    if not isinstance(primals, tuple):
        raise _wrong(
            f"{call}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).",
            "give a tuple of arguments, (x,)",
        )
    leaves, spec = tree_flatten(primals)
    given, given_spec = tree_flatten(tangents)
    if given_spec != spec:
        raise _wrong(
            f"{call}: Expected primals and tangents to have the same python structure. For example, if "
            f"primals is a tuple of 3 tensors, tangents also must be. Got primals with structure {spec} and "
            f"tangents with structure {given_spec}",
            "give one tangent for each primal",
        )
    if not leaves:
        raise _wrong(
            f"{call}: Expected primals to contain at least one Tensor.", "give it an argument"
        )
    for primal, tangent in zip(leaves, given, strict=True):
        check_pair(primal, tangent)
    with Forward(func, primals), new_level() as level:
        pairs = [(like_batch(p, t), like_batch(t, p)) for p, t in zip(leaves, given, strict=True)]
        inputs = [dual_of(p, t, level) for p, t in pairs]
        output, aux = output_and_aux(func(*tree_unflatten(inputs, spec)), has_aux, call)
        outputs, out_spec = tree_flatten(output)
        only_tensors(outputs, call)
        found = [parts_of(leaf, level) for leaf in outputs]
        if strict and any(tangent is None for _, tangent in found):
            raise _wrong(
                f"{call}(): The output of f is independent of the inputs. This is not allowed with "
                "strict=True.",
                "leave strict out for a tangent of zeros",
            )
        values = tree_unflatten([primal for primal, _ in found], out_spec)
        slopes = tree_unflatten(
            [zeros_beside(p, p.shape) if t is None else t for p, t in found], out_spec
        )
        if not has_aux:
            return values, slopes
        return values, slopes, tree_map(lambda leaf: _primal(leaf, level), aux)


def _primal(leaf: Any, level: DualLevel) -> Tensor:
    if not isinstance(leaf, Tensor):
        raise _wrong(
            f"Expected tensors, got unsupported type {type(leaf)}", "let aux be made of tensors"
        )
    return parts_of(leaf, level)[0]


def check_pair(primal: Any, tangent: Any) -> None:
    """Raises for what has no tangent, or has this one not."""
    for each in (primal, tangent):
        if not isinstance(each, Tensor):
            raise wrong_call(
                ValueError(f"Thing passed to transform API must be Tensor, got {type(each)}"),
                "make a Tensor of it: `vizgrad.tensor(...)`",
            )
    for name, each in (("primal", primal), ("tangent", tangent)):
        if not (each.is_floating_point() or each.is_complex()):
            raise wrong_call(
                ValueError(
                    f"Expected {name} to be floating point or complex, but got: {each.dtype}"
                ),
                "convert it with .float()",
                "cut-dtype",
            )
    if tuple(primal.shape) != tuple(tangent.shape):
        raise _wrong(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, "
            f"this is not supported. Tensor is of size {list(primal.shape)} while the given forward "
            f"gradient is of size {list(tangent.shape)}.",
            "give a tangent of the tensor's size",
        )


# --- linearize -----------------------------------------------------------------------------------------


@in_normal_mode
def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """(func(*primals), a function of tangents that gives their products with the Jacobian there).

    `func` is called once. Its backward is linear in what it is given: the products are the gradient of that.
    """
    leaves, spec = tree_flatten(primals)
    recording = set_grad_mode(True)  # what the tangents go through is recorded, under no_grad too
    try:
        output, pull = vjp(func, *primals)
    finally:
        set_grad_mode(recording)
    outputs, out_spec = tree_flatten(output)
    zeros = [zeros_beside(leaf, leaf.shape) for leaf in outputs]
    level = Differentiation(func, ())
    if not recording:
        output = tree_unflatten([level.closed(leaf, False) for leaf in outputs], out_spec)
    cotangents = [level.opened(zero) for zero in zeros]
    with level:
        slopes = tree_flatten(pull(tree_unflatten(cotangents, out_spec), create_graph=True))[0]

    @in_normal_mode
    def jvp_fn(*tangents: Any) -> Any:
        """The product of the Jacobian with the tangents, one for each primal."""
        given, given_spec = tree_flatten(tangents)
        if given_spec != spec:
            raise _wrong(
                f"Expected the tangents {given_spec} to have the same argspec as the primals {spec}",
                "give one tangent for each primal",
            )
        for index, (primal, tangent) in enumerate(zip(leaves, given, strict=True)):
            if tuple(primal.shape) != tuple(tangent.shape):
                raise _wrong(
                    f"tangent:{index} with shape {tangent.shape} in flattened pytree doesn't match the shape "
                    f"{primal.shape} of the corresponding primal.",
                    "give tangents of the shapes of the primals",
                )
            if primal.dtype != tangent.dtype:
                raise _wrong(
                    f"tangent:{index} with dtype {tangent.dtype} in flattened pytree doesn't match the dtype "
                    f"{primal.dtype} of the corresponding primal.",
                    "give tangents of the types of the primals",
                )
        found = pulled(level, slopes, cotangents, given, record=level.recorded_outside, keep=True)
        return tree_unflatten(found, out_spec)

    return output, jvp_fn
