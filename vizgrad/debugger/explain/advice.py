"""Which advice fits an operation whose value, or derivative, is not finite or zero.

An advice is a row of `phrases.FIXES`. The first row that fits counts.
"""

from __future__ import annotations

from vizgrad.debugger.watch.backwards import Visit
from vizgrad.debugger.watch.notes import Note

_LOGS = "log log2 log10 xlogy logit"
#: Operations that made a NaN or Inf of finite values -> advice.
FORWARD: tuple[tuple[str, str], ...] = (
    (_LOGS, "log"),
    ("truediv rtruediv div divide true_divide reciprocal rsqrt itruediv", "quotient"),
    ("sqrt", "sqrt"),
    ("exp exp2 expm1 sinh cosh", "exp"),
    ("pow rpow float_power square", "pow"),
    ("asin acos arcsin arccos atanh arctanh erfinv acosh arccosh", "arc"),
    ("softmax log_softmax scaled_dot_product_attention", "softmax"),
    ("std var normalize norm mean batch_norm cosine_similarity", "reduction"),
    ("to half bfloat16 type", "narrower"),
    ("sub add isub iadd", "sum"),
    ("", "any"),
)
#: Beginnings of names of nodes whose derivative was not finite -> advice.
BACKWARD: tuple[tuple[str, str], ...] = (
    ("Sqrt Pow Rsqrt Std Var", "derivative-of-root"),
    ("LinalgVectorNorm Norm Cdist Dist", "derivative-of-norm"),
    ("Log Div Reciprocal", "derivative-of-log"),
    ("Acos Asin Atanh Erfinv Acosh", "derivative-of-arc"),
    ("Exp Sinh Cosh", "derivative-of-exp"),
    ("", "derivative-of-any"),
)
#: Functions whose derivative is zero wherever it exists.
STEPS = ("Round", "Floor", "Ceil", "Trunc", "Sign", "Sgn", "Fix", "Heaviside")
#: Beginnings of names of nodes whose derivative was zero, of all elements -> advice.
ZERO: tuple[tuple[str, str], ...] = (
    ("Relu Threshold Elu Hardshrink Softshrink LeakyRelu Celu Selu", "zero-relu"),
    ("Sigmoid Tanh Softmax LogSoftmax Hardtanh Hardsigmoid Erf LogSigmoid", "zero-saturated"),
    ("Clamp Maximum Minimum", "zero-clamp"),
    (" ".join(STEPS), "zero-step"),
    ("Mul", "zero-product"),
    ("Mm Addmm Matmul Bmm Linear Mv Dot Convolution Baddbmm", "zero-matrix"),
    ("Where MaskedFill", "zero-mask"),
    ("NativeDropout Dropout", "zero-dropout"),
    ("", "zero-any"),
)


def forward_fix(birth: Note, given: float | None) -> str:
    op = birth.op.strip("_")
    fix = next(fix for ops, fix in FORWARD if not ops or op in ops.split())
    if fix == "log":
        made_by = {each.op for _, each in zip(range(8), birth.ancestors(), strict=False)}
        if "softmax" in made_by:
            return "log-of-softmax"
        if "sigmoid" in made_by:
            return "log-of-sigmoid"
        if given is not None and given < 0:
            return "log-of-negative"
    return fix


def backward_fix(visit: Visit, kind: str) -> str:
    if kind == "nonfinite-masked":
        return "masked"
    if kind == "ill-scaled":
        return "overflown"
    return _by_beginning(BACKWARD, visit.name)


def zero_fix(name: str) -> str:
    return _by_beginning(ZERO, name)


def _by_beginning(table: tuple[tuple[str, str], ...], name: str) -> str:
    return next(fix for names, fix in table if not names or name.startswith(tuple(names.split())))
