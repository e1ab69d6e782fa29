"""What to do about an operation whose value, or derivative, is not finite or zero: one sentence each.

In the sentences `{x}` is the operand, as the person wrote it. The first row that fits counts.
"""

from __future__ import annotations

from vizgrad.debugger.explain.wording import code_or_input
from vizgrad.debugger.watch.backwards import Visit
from vizgrad.debugger.watch.notes import Note

#: Operations that made a NaN or Inf of finite values -> advice.
FORWARD: tuple[tuple[str, str], ...] = (
    (
        "log log2 log10 xlogy logit",
        "keep {x} positive: add a small eps, or clamp(min=eps), before it",
    ),
    (
        "truediv rtruediv div divide true_divide reciprocal rsqrt itruediv",
        (
            "keep the divisor {x} away from zero: add a small eps or clamp(min=eps), or mask it with where "
            "before dividing"
        ),
    ),
    ("sqrt", "keep {x} from going negative: clamp(min=0), or add a small eps"),
    (
        "exp exp2 expm1 sinh cosh",
        "keep {x} small: subtract the maximum first, clamp it, or use logsumexp, softmax or log_softmax",
    ),
    (
        "pow rpow float_power square",
        "keep {x} in the domain of the power: clamp it to positive values, or scale it down",
    ),
    (
        "asin acos arcsin arccos atanh arctanh erfinv acosh arccosh",
        "clamp {x} into the domain, e.g. clamp(-1 + eps, 1 - eps)",
    ),
    (
        "softmax log_softmax scaled_dot_product_attention",
        (
            "leave at least one entry of each row unmasked, or mask with a large negative number in "
            "place of -inf"
        ),
    ),
    (
        "std var normalize norm mean batch_norm cosine_similarity",
        "do not reduce over nothing or one element: check the size, use correction=0, or add an eps",
    ),
    (
        "to half bfloat16 type",
        "{x} does not fit into the narrower type: scale it down, or stay in float32",
    ),
    (
        "sub add isub iadd",
        "infinite values meet here: clamp {x} before, or scale the values down",
    ),
    ("", "keep the values of {x} finite here: scale them down, clamp them, or add a small eps"),
)
#: The same of logarithms, by what their operand came from.
LOG_OF_SOFTMAX = "use log_softmax (or cross_entropy on the logits), which never takes the log of 0"
LOG_OF_SIGMOID = (
    "use logsigmoid (or binary_cross_entropy_with_logits), or clamp the argument above an eps"
)
LOG_OF_NEGATIVE = (
    "keep {x} positive: clamp it above a small eps, or use log1p where it is a change around 1"
)

#: Beginnings of names of nodes whose derivative was not finite -> advice.
BACKWARD: tuple[tuple[str, str], ...] = (
    (
        "Sqrt Pow Rsqrt Std Var",
        (
            "add a small eps (1e-12) to {x} before it, or mask where it is zero: the derivative at "
            "0 is infinite"
        ),
    ),
    (
        "LinalgVectorNorm Norm Cdist Dist",
        "add a small eps under the root: the norm has no derivative at 0",
    ),
    ("Log Div Reciprocal", "keep {x} away from zero: add a small eps, or clamp(min=eps)"),
    (
        "Acos Asin Atanh Erfinv Acosh",
        "clamp {x} strictly inside its domain (1 - 1e-6): the derivative at the border is infinite",
    ),
    ("Exp Sinh Cosh", "clamp {x}, or subtract its maximum first: the derivative overflows"),
    ("", "keep {x} away from where the derivative is infinite: add a small eps, or clamp it"),
)
MASKED = (
    "mask the input too, before the operation: give it where(mask, {raw}, 1), a safe value inside, so "
    "that the branch that is not taken has a finite derivative"
)
OVERFLOWN = (
    "clip the gradient, or use smaller (normalised, orthogonal) weights so that the gain per step "
    "is near 1"
)

#: Functions whose derivative is zero wherever it exists.
STEPS = ("Round", "Floor", "Ceil", "Trunc", "Sign", "Sgn", "Fix", "Heaviside")
#: Beginnings of names of nodes whose derivative was zero, of all elements -> advice.
ZERO: tuple[tuple[str, str], ...] = (
    (
        "Relu Threshold Elu Hardshrink Softshrink LeakyRelu Celu Selu",
        "raise the bias, or use leaky_relu or gelu, or another initialisation: all its inputs are negative",
    ),
    (
        "Sigmoid Tanh Softmax LogSoftmax Hardtanh Hardsigmoid Erf LogSigmoid",
        (
            "bring {x} to where it is not saturated: smaller weights, a normalisation, or scaled inputs"
        ),
    ),
    (
        "Clamp Maximum Minimum",
        "all of {x} lies outside the limits: widen the clamp, or scale the values into it",
    ),
    (
        " ".join(STEPS),
        (
            "a step function has derivative 0: pass the gradient straight through, {raw} + (rounded - "
            "{raw}).detach()"
        ),
    ),
    (
        "Mul",
        (
            "one factor is exactly zero: check the mask or coefficient, or, if it is a parameter, initialise "
            "it with small random values"
        ),
    ),
    (
        "Mm Addmm Matmul Bmm Linear Mv Dot Convolution Baddbmm",
        (
            "what it is multiplied with is all zero: initialise weights with small random values, and check "
            "inputs where the data comes from"
        ),
    ),
    ("Where MaskedFill", "the mask selects the other branch everywhere: check the condition"),
    ("NativeDropout Dropout", "everything was dropped: lower the probability of dropout"),
    ("", "the derivative is zero here: check the values of {x}"),
)


def filled(text: str, shown: str) -> str:
    """With the operand in its places; where it is not known, in words."""
    x = code_or_input(shown)
    return text.format(x=x, raw=shown if x.startswith("`") else "x")


def forward_fix(birth: Note, shown: str, given: float | None) -> str:
    op = birth.op.strip("_")
    text = next(text for ops, text in FORWARD if not ops or op in ops.split())
    if op.startswith("log") and op in FORWARD[0][0].split():
        made_by = {each.op for _, each in zip(range(8), birth.ancestors(), strict=False)}
        if "softmax" in made_by:
            text = LOG_OF_SOFTMAX
        elif "sigmoid" in made_by:
            text = LOG_OF_SIGMOID
        elif given is not None and given < 0:
            text = LOG_OF_NEGATIVE
    return filled(text, shown)


def backward_fix(visit: Visit, shown: str, kind: str) -> str:
    if kind == "nonfinite-masked":
        return filled(MASKED, shown)
    if kind == "ill-scaled":
        return OVERFLOWN
    return filled(_by_beginning(BACKWARD, visit.name), shown)


def zero_fix(name: str, shown: str) -> str:
    return filled(_by_beginning(ZERO, name), shown)


def _by_beginning(table: tuple[tuple[str, str], ...], name: str) -> str:
    return next(text for names, text in table if not names or name.startswith(tuple(names.split())))
