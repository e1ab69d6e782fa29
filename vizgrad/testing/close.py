"""`assert_close` as in `torch.testing`: values, attributes and containers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from vizgrad.core.arrays.dtypes import (
    DType,
    bfloat16,
    complex64,
    complex128,
    float16,
    float32,
    float64,
)
from vizgrad.core.ops.forms import FORMS
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.testing.elements import mismatch, scalar_text

#: Defaults of (rtol, atol); of other types: equal.
_TOLERANCES: dict[DType, tuple[float, float]] = {
    float16: (1e-3, 1e-5),
    bfloat16: (1.6e-2, 1e-5),
    float32: (1.3e-6, 1e-5),
    float64: (1e-7, 1e-7),
    complex64: (1.3e-6, 1e-5),
    complex128: (1e-7, 1e-7),
}
_OF_NUMBERS = {bool: (0.0, 0.0), int: (0.0, 0.0), float: (1e-7, 1e-7), complex: (1e-7, 1e-7)}

Message = str | Callable[[str], str] | None


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: Message = None,
) -> None:
    """Asserts that two are close: ``|actual - expected| <= atol + rtol * |expected|`` in each element.

    As `torch.testing.assert_close`: shapes are equal, and dtypes, devices and layouts where they are checked.
    Both are tensors, what `vizgrad.as_tensor` takes, numbers, None, or sequences and mappings of these. The
    tolerances of a dtype are PyTorch's. Raises AssertionError (`msg` replaces its text, or is called with
    it), ValueError for one tolerance alone, TypeError for what cannot be compared.
    """
    if (rtol is None) != (atol is None):
        raise ValueError(
            "Both 'rtol' and 'atol' must be either specified or omitted, but got no "
            f"{'rtol' if rtol is None else 'atol'}."
        )
    limit = None if rtol is None or atol is None else (rtol, atol)
    checks = [
        name
        for name, wanted in (
            ("layout", check_layout), ("stride()", check_stride), ("device", check_device),
            ("dtype", check_dtype),
        )
        if wanted
    ]  # fmt: skip
    found = _compared(actual, expected, (limit, equal_nan, checks, allow_subclasses), ())
    if found:
        raise AssertionError(msg(found) if callable(msg) else msg or found)


Settings = tuple[tuple[float, float] | None, bool, list[str], bool]


def _compared(actual: Any, expected: Any, settings: Settings, path: tuple[Any, ...]) -> str:
    """The difference in words; empty: there is none."""
    if _is_sequence(actual) and _is_sequence(expected):
        if len(actual) != len(expected):
            return _at(
                f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", path
            )
        pairs = [(i, actual[i], expected[i]) for i in range(len(actual))]
    elif isinstance(actual, Mapping) and isinstance(expected, Mapping):
        if actual.keys() != expected.keys():
            return _at(
                "The keys of the mappings do not match:\n"
                f"Missing keys in the actual mapping: {sorted(expected.keys() - actual.keys())}\n"
                f"Additional keys in the actual mapping: {sorted(actual.keys() - expected.keys())}",
                path,
            )
        pairs = [(key, actual[key], expected[key]) for key in sorted(actual)]
    else:
        return _at(_of_pair(actual, expected, settings), path)
    found = (_compared(a, b, settings, (*path, key)) for key, a, b in pairs)
    return next(filter(None, found), "")


def _at(text: str, path: tuple[Any, ...]) -> str:
    where = "".join(str([key]) for key in path)
    return f"{text}\n\nThe failure occurred for item {where}" if text and path else text


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _of_pair(actual: Any, expected: Any, settings: Settings) -> str:
    if actual is None or expected is None:
        same = actual is expected
        return "" if same else f"None mismatch: {actual} is not {expected}"
    if isinstance(actual, bool) and isinstance(expected, bool):
        same = actual is expected
        return "" if same else f"Booleans mismatch: {actual} is not {expected}"
    if type(actual) in _OF_NUMBERS and type(expected) in _OF_NUMBERS:
        return _of_numbers(actual, expected, settings)
    related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
    if not related or not (settings[3] or type(actual) is type(expected)):
        raise _unknown(actual, expected)
    try:
        tensors = [
            each if isinstance(each, Tensor) else FORMS["as_tensor"].function(each)
            for each in (actual, expected)
        ]
    except (TypeError, ValueError, RuntimeError):
        raise _unknown(actual, expected) from None
    return _of_tensors(tensors[0], tensors[1], settings)


def _unknown(actual: Any, expected: Any) -> TypeError:
    return TypeError(
        f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}."
    )


def _of_numbers(actual: Any, expected: Any, settings: Settings) -> str:
    limit, equal_nan, checks, _ = settings
    if "dtype" in checks and type(actual) is not type(expected):
        return f"The (d)types do not match: {type(actual)} != {type(expected)}."
    several = [_OF_NUMBERS[type(each)] for each in (actual, expected)]
    rtol, atol = limit or tuple(map(max, zip(*several, strict=True)))
    same = actual == expected or (equal_nan and actual != actual and expected != expected)
    close = same or abs(actual - expected) <= atol + rtol * abs(expected) < float("inf")
    return "" if close else scalar_text(actual, expected, rtol, atol)


def _of_tensors(actual: Tensor, expected: Tensor, settings: Settings) -> str:
    limit, equal_nan, checks, _ = settings
    for name in ("shape", *checks):
        a, b = (_attribute(each, name) for each in (actual, expected))
        if a != b:
            return f"The values for attribute {name!r} do not match: {a} != {b}."
    several = [_TOLERANCES.get(each.dtype, (0.0, 0.0)) for each in (actual, expected)]
    rtol, atol = limit or tuple(map(max, zip(*several, strict=True)))
    one, other = (each.detach().to_dense()._array for each in (actual, expected))
    found = mismatch(one, other, rtol, atol, equal_nan=equal_nan)
    if found is None:
        return ""
    return found.text() if actual.shape else scalar_text(actual.item(), expected.item(), rtol, atol)


def _attribute(tensor: Tensor, name: str) -> Any:
    return tensor.stride() if name == "stride()" else getattr(tensor, name)
