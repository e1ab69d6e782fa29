"""What a fused kernel may do with elements: numpy's name of a function, and how CUDA C writes it.

Where C differs from numpy the text says what numpy does: `maximum` hands on NaN, `sign` keeps it.
"""

from __future__ import annotations

import numpy as np

#: Types of elements, as C names them. Halves are left to cupy's own functions, complex numbers too.
C_TYPES = {
    np.dtype(name): text
    for name, text in {
        "?": "bool", "i1": "signed char", "u1": "unsigned char", "i2": "short", "i4": "int",
        "i8": "long long", "f4": "float", "f8": "double",
    }.items()
}  # fmt: skip

#: numpy's name -> C text. {0} {1} {2} are operands, {T} the type of the result.
C_TEXT = {
    "add": "{0} + {1}", "subtract": "{0} - {1}", "multiply": "{0} * {1}", "divide": "{0} / {1}",
    "negative": "-{0}", "positive": "{0}", "square": "{0} * {0}", "reciprocal": "1 / {0}",
    "absolute": "{0} < 0 ? -{0} : {0} + 0", "sign": "{0} != {0} ? {0} : {T}(({0} > 0) - ({0} < 0))",
    "exp": "exp({0})", "exp2": "exp2({0})", "expm1": "expm1({0})", "log": "log({0})",
    "log2": "log2({0})", "log10": "log10({0})", "log1p": "log1p({0})", "sqrt": "sqrt({0})",
    "sin": "sin({0})", "cos": "cos({0})", "tan": "tan({0})", "arcsin": "asin({0})",
    "arccos": "acos({0})", "arctan": "atan({0})", "sinh": "sinh({0})", "cosh": "cosh({0})",
    "tanh": "tanh({0})", "arcsinh": "asinh({0})", "arccosh": "acosh({0})", "arctanh": "atanh({0})",
    "arctan2": "atan2({0}, {1})", "hypot": "hypot({0}, {1})", "copysign": "copysign({0}, {1})",
    "power": "pow({0}, {1})", "floor": "floor({0})", "ceil": "ceil({0})", "trunc": "trunc({0})",
    "rint": "rint({0})", "erf": "erf({0})", "erfc": "erfc({0})",
    "maximum": "({0} > {1} || {0} != {0}) ? {0} : {1}",
    "minimum": "({0} < {1} || {0} != {0}) ? {0} : {1}",
    "less": "{0} < {1}", "less_equal": "{0} <= {1}", "greater": "{0} > {1}",
    "greater_equal": "{0} >= {1}", "equal": "{0} == {1}", "not_equal": "{0} != {1}",
    "logical_and": "{0} && {1}", "logical_or": "{0} || {1}", "logical_not": "!{0}",
    "isnan": "{0} != {0}", "isfinite": "{0} - {0} == 0",
    "where": "{0} ? {1} : {2}", "cast": "{0}",
}  # fmt: skip

#: Of bools these are logic, of integers they work on bits.
C_LOGIC = {
    "bitwise_and": "{0} && {1}", "bitwise_or": "{0} || {1}", "bitwise_xor": "{0} != {1}",
    "invert": "!{0}",
}  # fmt: skip

#: Only of floating-point numbers is this the same function in C.
FLOATS_ONLY = frozenset(
    {"power", "reciprocal", "divide", "floor", "ceil", "trunc", "rint", "isfinite"}
)

#: Reductions of a row -> (where they start, how two parts become one).
C_REDUCTIONS = {
    "row_sum": ("0", "{0} + {1}", "block_sum"),
    "row_max": ("-endless<{T}>()", C_TEXT["maximum"], "block_max"),
}


def text_of(op: str, types: tuple[np.dtype, ...]) -> str | None:
    """The C text of an operation on operands of these types; None if it is not to be fused."""
    if any(t not in C_TYPES for t in types):
        return None
    if op in C_LOGIC:
        return C_LOGIC[op] if all(t.kind == "b" for t in types) else None
    if op in FLOATS_ONLY and types[0].kind != "f":
        return None
    return C_TEXT.get(op)
