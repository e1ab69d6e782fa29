"""Addition, division, powers and related operations with PyTorch's signatures."""

from __future__ import annotations

from functools import reduce
from typing import Annotated, Any, NamedTuple

from vizgrad.core.arrays.dtypes import INTS, promote_types
from vizgrad.core.function.typing import number
from vizgrad.core.ops import arithmetic, pointwise, pointwise_binary, special
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public import conversion
from vizgrad.core.ops.public.arguments import (
    beside_number,
    check_kind,
    check_number,
    element,
    factor,
    index_of,
    number_of,
    takes_out,
    takes_tensors,
    written,
)
from vizgrad.core.ops.public.conversion import cdouble, double
from vizgrad.core.ops.public.from_values import as_tensor
from vizgrad.core.tensor.requirements import AtLeast, DtypeKind, not_a_tensor
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor

_NUMBERS = frozenset({int, float, complex, bool})


def _beside_number(input: Any, other: Any) -> Any:
    """The first of two numbers becomes a tensor; beside a tensor it stays."""
    if isinstance(other, Tensor):
        return input
    return as_tensor(input)


def scaled_by(alpha: Any, input: Any, other: Any) -> Any:
    """`alpha` as an element of the result; RuntimeError for a number of a higher kind, and for a bool."""
    dtype, alpha = conversion.result_type(input, other), number_of(alpha)
    if isinstance(alpha, bool) and dtype.category:
        raise RuntimeError(f"Boolean alpha only supported for Boolean results, not {dtype.name}.")
    if isinstance(alpha, (float, complex)) and dtype.category < 2:
        raise RuntimeError(
            "For integral input tensors, argument alpha must not be a floating point number "
            f"(it is {alpha})."
        )
    if isinstance(alpha, complex) and dtype.category < 3:
        raise RuntimeError(
            "For non-complex input tensors, argument alpha must not be a complex number "
            f"(it is {alpha})."
        )
    return element(alpha, dtype.np)


@public(method=True)
def add(input: Tensor, other: Any, *, alpha: float = 1, out: Tensor | None = None) -> Tensor:
    """input + alpha * other, broadcast; types are promoted."""
    if input.__class__ in _NUMBERS:
        input = _beside_number(input, other)
    if alpha.__class__ is int and alpha == 1:
        result = arithmetic.add.record(input, other)
    else:
        alpha = scaled_by(alpha, input, other)
        result = arithmetic.add_scaled.record(input, other, alpha=alpha)
    return result if out is None else written(out, result, "add", input, other)


@public(method=True, aliases="subtract")
def sub(input: Tensor, other: Any, *, alpha: float = 1, out: Tensor | None = None) -> Tensor:
    """input - alpha * other, broadcast; not for bools."""
    if input.__class__ in _NUMBERS:
        input = _beside_number(input, other)
    refuse_bool_minus(input, other)
    if alpha.__class__ is int and alpha == 1:
        result = arithmetic.sub.record(input, other)
    else:
        alpha = scaled_by(alpha, input, other)
        result = arithmetic.sub_scaled.record(input, other, alpha=alpha)
    return result if out is None else written(out, result, "sub", input, other)


def refuse_bool_minus(input: Any, other: Any) -> None:
    a, b = _is_bool(input), _is_bool(other)
    if a and b:
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
            "`logical_xor()` operator instead."
        )
    if a or b:
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
            "trying to invert a mask, use the `~` or `logical_not()` operator instead."
        )


def _is_bool(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value._array.dtype.kind == "b"
    return isinstance(value, bool)


@public
def rsub(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """other - alpha * input."""
    check_number("rsub", "other", other)
    refuse_bool_minus(input, other)
    one = alpha.__class__ is int and alpha == 1
    alpha = alpha if one else scaled_by(alpha, input, other)
    if one and not isinstance(other, Tensor):
        return arithmetic.rsub_number.record(input, number(other, input))
    return arithmetic.rsub.record(input, other, alpha=alpha)


@public(method=True, aliases="multiply")
def mul(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """input * other, broadcast; types are promoted."""
    if input.__class__ in _NUMBERS:
        input = _beside_number(input, other)
    result = arithmetic.mul.record(input, other)
    return result if out is None else written(out, result, "mul", input, other)


def check_rounding(mode: str) -> None:
    if mode not in ("trunc", "floor"):
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found {mode!r}"
        )


@public(method=True, aliases="divide true_divide")
def div(
    input: Tensor, other: Any, *, rounding_mode: str | None = None, out: Tensor | None = None
) -> Tensor:
    """input / other: true division, or rounded ("trunc" towards zero, "floor" down; derivative 0)."""
    if input.__class__ in _NUMBERS:
        input = _beside_number(input, other)
    if rounding_mode is None:
        result = arithmetic.div.record(input, other)
    else:
        check_rounding(rounding_mode)
        result = arithmetic.div_rounded.record(input, other, rounding_mode=rounding_mode)
    return result if out is None else written(out, result, "div", input, other)


@public(method=True)
def floor_divide(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """input // other, rounded down; backward through it raises, as in PyTorch."""
    if input.__class__ in _NUMBERS:
        input = _beside_number(input, other)
    op = arithmetic.floor_divide if isinstance(other, Tensor) else arithmetic.floor_divide_number
    result = op.record(input, other)
    return result if out is None else written(out, result, "floor_divide", input, other)


@public(method=True)
def remainder(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """input % other: has the sign of `other`."""
    op = arithmetic.remainder if isinstance(other, Tensor) else arithmetic.remainder_number
    result = op.record(input, other)
    return result if out is None else written(out, result, "remainder", input, other)


@public(method=True)
def fmod(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """The remainder with the sign of `input`."""
    if not isinstance(input, Tensor):
        raise not_a_tensor("fmod", "input", 1, input)
    op = arithmetic.fmod if isinstance(other, Tensor) else arithmetic.fmod_number
    result = op.record(input, other)
    return result if out is None else written(out, result, "fmod", input, other)


@public(method=True)
def pow(input: Any, exponent: Any, *, out: Tensor | None = None) -> Tensor:
    """input to the power exponent; one of the two may be a number."""
    if not isinstance(exponent, Tensor):
        if exponent.__class__ is not int and exponent.__class__ is not float:
            check_number("pow", "exponent", exponent)
        base = _base_beside(input, exponent)
        check_exponent(base, exponent)
        result = pointwise_binary.pow_number.record(base, exponent=exponent)
    elif isinstance(input, Tensor):
        result = pointwise_binary.pow.record(input, exponent)
    else:
        check_number("pow", "self", input)
        result = pointwise_binary.number_pow.record(number(input, exponent), exponent)
    return result if out is None else written(out, result, "pow", input, exponent)


def _base_beside(input: Tensor, exponent: Any) -> Tensor:
    """The base in the result's type; a float next to a float needs nothing."""
    if not isinstance(input, Tensor):
        raise TypeError(
            f"pow(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}"
        )
    kind = input._array.dtype.kind
    if kind in "fV" and not isinstance(exponent, complex):
        return input
    return beside_number(input, exponent)


def check_exponent(base: Tensor, exponent: Any) -> None:
    """RuntimeError for a number that an integer or half base has no place for."""
    dtype = base._array.dtype
    if dtype.itemsize <= 2 or dtype.kind in "iu":
        element(exponent, dtype)


@public(method=True)
@takes_out
def float_power(input: Any, exponent: Any) -> Tensor:
    """Like `pow`, computed in float64, or complex128."""
    if isinstance(input, Tensor):
        input = cdouble(input) if input.is_complex() else double(input)
    if isinstance(exponent, Tensor):
        exponent = cdouble(exponent) if exponent.is_complex() else double(exponent)
    elif isinstance(exponent, INTS):
        exponent = float(exponent)
    return pow(input, exponent)


@public(method=True)
def square(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input to the power 2."""
    result = pointwise_binary.pow_number.record(_base_beside(input, 2), exponent=2)
    return result if out is None else written(out, result, "square", input)


@public(method=True, aliases="negative")
def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """-input; not for bools."""
    if _is_bool(input):
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
            "invert a mask, use the `~` or `logical_not()` operator instead."
        )
    result = pointwise.neg.record(input)
    return result if out is None else written(out, result, "neg", input)


@public(method=True)
def positive(input: Tensor) -> Tensor:
    """`input` itself; not for bools."""
    if not isinstance(input, Tensor):
        raise not_a_tensor("positive", "input", 1, input)
    if _is_bool(input):
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


def check_lerp(input: Tensor, end: Tensor, weight: Any) -> None:
    check_number("lerp", "weight", weight)
    for name, other in (("end", end), ("weight", weight)):
        if not isinstance(other, Tensor) or other._array.dtype == input._array.dtype:
            continue
        if other is end or other._array.ndim:
            raise wrong_call(
                RuntimeError(
                    f"expected dtype {input.dtype.name} for `{name}` but got dtype {other.dtype.name}"
                ),
                "convert one with .to(dtype)",
                "cut-dtype",
            )
    if input._array.dtype.kind in "biu":
        raise NotImplementedError(f'"lerp" not implemented for {input.dtype.name}')


@public(method=True)
@takes_tensors
def lerp(input: Tensor, end: Tensor, weight: Any, *, out: Tensor | None = None) -> Tensor:
    """input + weight * (end - input); RuntimeError for operands of different types."""
    check_lerp(input, end, weight)
    if isinstance(weight, Tensor):
        result = arithmetic.lerp.record(input, end, weight)
    else:
        weight = factor(weight, input._array.dtype)
        result = arithmetic.lerp_number.record(input, end, weight=weight)
    return result if out is None else written(out, result, "lerp", input, end, weight)


def refuse_bool_products(*tensors: Tensor) -> None:
    if all(t._array.dtype.kind == "b" for t in tensors):
        raise NotImplementedError('"addcmul" not implemented for bool')


def cut(value: Any, *tensors: Tensor) -> Any:
    """`value` as one of the result's elements, before anything is multiplied; RuntimeError if it is none."""
    return factor(value, reduce(promote_types, (t.dtype for t in tensors)).np)


def _no_fractions(*tensors: Tensor) -> bool:
    return all(t._array.dtype.kind in "iub" for t in tensors)


@public(method=True)
@takes_tensors
def addcmul(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1, out: Tensor | None = None
) -> Tensor:
    """input + value * tensor1 * tensor2."""
    refuse_bool_products(input, tensor1, tensor2)
    if value != 1:
        value = cut(value, input, tensor1, tensor2)
    result = arithmetic.addcmul.record(input, tensor1, tensor2, value=value)
    return result if out is None else written(out, result, "addcmul", input, tensor1, tensor2)


@public(method=True)
@takes_tensors
def addcdiv(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1, out: Tensor | None = None
) -> Tensor:
    """input + value * tensor1 / tensor2; RuntimeError when both of these are integers."""
    check_fractions(tensor1, tensor2)
    if value != 1:
        value = cut(value, input, tensor1, tensor2)
    result = arithmetic.addcdiv.record(input, tensor1, tensor2, value=value)
    return result if out is None else written(out, result, "addcdiv", input, tensor1, tensor2)


def check_fractions(tensor1: Tensor, tensor2: Tensor) -> None:
    if _no_fractions(tensor1, tensor2):
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported: convert tensor1 or tensor2 to a "
            "floating type"
        )


POLYGAMMA_ORDER = AtLeast(0, "polygamma(n, x) does not support negative n, got {value}")


@public
@takes_out
def polygamma(n: Annotated[int, POLYGAMMA_ORDER], input: Tensor) -> Tensor:
    """The n-th derivative of digamma, n >= 0."""
    if n == 0:
        return special.digamma.record(input)
    return special.polygamma.record(input, n=n)


@method(name="polygamma")
def _polygamma_of(self: Tensor, n: int) -> Tensor:
    """`polygamma(n, self)`."""
    return polygamma(n, self)


@public(method=True)
@takes_tensors
def logit(input: Tensor, eps: float | None = None, *, out: Tensor | None = None) -> Tensor:
    """log(x / (1 - x)); with `eps`, x is first moved into [eps, 1 - eps]."""
    result = special.logit.record(input, eps=eps)
    return result if out is None else written(out, result, "logit", input)


@public(method=True)
def round(input: Tensor, *, decimals: int = 0, out: Tensor | None = None) -> Tensor:
    """To `decimals` places, halves to the even neighbour; the derivative is 0."""
    places = decimals if decimals.__class__ is int else index_of(decimals)
    if places and isinstance(input, Tensor):
        check_kind("round", input)
    result = pointwise.round.record(input, decimals=places)
    return result if out is None else written(out, result, "round", input)


@public(method=True)
def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input * 2 ** other."""
    for position, each in enumerate((input, other), 1):
        if not isinstance(each, Tensor):
            raise not_a_tensor("ldexp", "input" if position == 1 else "other", position, each)
    if other._array.dtype.kind == "b" and input.is_floating_point():
        check_kind("ldexp", other)
    if out is not None and out._array.dtype.kind in "iub":
        raise RuntimeError(f"ldexp can't be cast to the desired output type {out.dtype.name}")
    result = pointwise_binary.ldexp.record(input, other)
    return result if out is None else written(out, result, "ldexp", input, other)


class Frexp(NamedTuple):
    mantissa: Tensor
    exponent: Tensor


@public(method=True)
@takes_out
def frexp(
    input: Annotated[
        Tensor,
        DtypeKind(
            "fV", "torch.frexp() only supports floating-point dtypes, got {dtype}", RuntimeError
        ),
    ],
) -> Frexp:
    """Mantissas in (-1, -1/2] and [1/2, 1), and int32 exponents: input = mantissa * 2 ** exponent."""
    return Frexp(*pointwise_binary.frexp.record(input))
