"""Calls of all that is declared, made from the names of its parameters: for `out=` and in-place forms.

A call is a name, arguments, and keywords; a letter stands for a tensor of `TENSORS`.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from typing import Any

import vizgrad as vg
from vizgrad.core.ops.forms import FORMS

Call = tuple[str, tuple[Any, ...], dict[str, Any]]

TENSORS: dict[str, Any] = {
    "x": [[0.6, 0.25, 0.8], [0.3, 0.9, 0.45]],
    "y": [[0.2, 0.7, 0.5], [0.85, 0.15, 0.35]],
    "s": [[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]],
    "b": [[[4.0, 1.0], [1.0, 3.0]], [[2.0, 0.5], [0.5, 1.0]]],
    "v": [0.1, 0.4, 0.9],
    "n": [[6, 4, 9], [2, 5, 12]],
    "o": [[2, 1, 3], [3, 2, 4]],
    "i": [[2, 0], [1, 1]],
    "k": [2, 0],
    "j": [1, 0],
    "w": [0.5, 0.75],
    "z": [[1.0, 2.0], [3.0, 4.0]],
    "u": [[0.5, 0.75], [0.125, 0.375]],
    "m": [[True, False, True], [False, False, True]],
}
#: Parameter -> what it is given. Those that are not here are tensors of one kind, as many as there are.
WORDS: dict[str, Any] = {
    "dim": 1, "k": 1, "n": 2, "q": 0.3, "p": 1, "min": 0.5, "max": 0.5, "weight": 0.3, "row": 3, "col": 3,
    "size": (3,), "fill_value": 3.5, "value": 0.5, "tensors": ["x", "y"], "index": "i", "indices": "i",
    "boundaries": "v", "mask": "m", "batch1": "b", "batch2": "b", "vec": "v", "vec1": "v", "vec2": "v",
    "mat": "s", "sorted_sequence": "v", "maxnorm": 0.5,
}  # fmt: skip
#: The first and the further tensors, tried in this order.
KINDS = ("xy", "no", "ss", "vv", "bb", "zz")
_ALONG = (
    "sum", "mean", "prod", "max", "min", "amax", "amin", "median", "nanmedian", "mode", "var", "std",
    "argmax", "argmin", "argsort", "softmax", "log_softmax", "sort", "all", "any", "nansum", "nanmean",
)  # fmt: skip
_WITH_NUMBER = (
    "add_", "sub_", "mul_", "div_", "pow_", "remainder_", "fmod_", "floor_divide_", "eq_", "lt_",
)  # fmt: skip
#: Calls that their parameters do not say, or not alone.
OTHERS: list[Call] = [
    ("add", ("x", "y"), {"alpha": 2}), ("div", ("x", "y"), {"rounding_mode": "floor"}),
    ("clamp", ("x", 0.3, 0.7), {}), ("clip", ("x", 0.3, 0.7), {}), ("max", ("x", "y"), {}),
    ("min", ("x", "y"), {}), ("addcmul", ("x", "y", "y"), {"value": 2}),
    ("addmm", ("s", "s", "s"), {"beta": 2}), ("index_select", ("x", 1, "k"), {}),
    ("renorm", ("x", 2, 0, 0.5), {}), ("tensordot", ("s", "s"), {"dims": 1}),
    ("searchsorted", ("v", "x"), {}), ("where", ("m", "x", "y"), {}), ("lerp", ("x", "y", "y"), {}),
    ("arange", (3,), {}), ("zeros", (3,), {}), ("ones", (3,), {}),
    ("linspace", (0, 1, 4), {}), ("logspace", (0, 1, 4), {}), ("cross", ("x", "y", 1), {}),
    ("polygamma", (1, "x"), {}), ("pow", (2, "x"), {}), ("kthvalue", ("x", 2, 0), {}),
    *((name, ("x", 1), {}) for name in _ALONG),
    ("as_strided_copy", ("x", (2, 2), (1, 2), 1), {}), ("slice_copy", ("x", 1, 1, None, 2), {}),
    ("expand_copy", ("v", (2, 3)), {}), ("narrow_copy", ("x", 1, 0, 2), {}),
    ("permute_copy", ("x", (1, 0)), {}), ("select_copy", ("x", 1, 2), {}),
    ("transpose_copy", ("x", 0, 1), {}), ("unfold_copy", ("x", 1, 2, 1), {}),
    ("view_copy", ("x", (3, 2)), {}), ("geqrf", ("s",), {}), ("orgqr", ("s", "v"), {}),
    ("ormqr", ("s", "v", "s"), {}),
    ("linalg.inv", ("s",), {}), ("linalg.det", ("s",), {}), ("linalg.solve", ("s", "s"), {}),
    ("linalg.cholesky", ("s",), {}), ("linalg.qr", ("s",), {}), ("linalg.norm", ("s",), {}),
    ("linalg.vector_norm", ("s",), {}), ("linalg.matrix_power", ("s", 2), {}),
    ("linalg.eigvalsh", ("s",), {}), ("linalg.slogdet", ("s",), {}), ("fft.fft", ("v",), {}),
    ("fft.rfft", ("v",), {}), ("special.ndtr", ("x",), {}), ("special.xlog1py", ("x", "y"), {}),
]  # fmt: skip
#: As `OTHERS`, in place: names with the underscore, the tensor that is written first.
OTHERS_IN_PLACE: list[Call] = [
    *((name, ("x", 2), {}) for name in _WITH_NUMBER),
    ("add_", ("x", "y"), {"alpha": 3}), ("div_", ("x", "y"), {"rounding_mode": "trunc"}),
    ("addcmul_", ("x", "y", "y"), {"value": 2}), ("clamp_", ("x", 0.3, 0.7), {}),
    ("clip_", ("x", 0.3, 0.7), {}), ("cumsum_", ("x", 0), {"dtype": "float64"}),
    ("index_fill_", ("x", 1, "k", 2.0), {}), ("renorm_", ("x", 2, 0, 0.5), {}),
    ("transpose_", ("x", 0, 1), {}), ("swapaxes_", ("x", 0, 1), {}), ("swapdims_", ("x", 0, 1), {}),
    ("unsqueeze_", ("x", 1), {}), ("mvlgamma_", ("x", 1), {}), ("polygamma_", ("x", 1), {}),
    ("ldexp_", ("x", "y"), {}), ("hypot_", ("x",), {"other": "y"}), ("addbmm_", ("z", "b", "b"), {}),
    ("addr_", ("s", "v", "v"), {}), ("as_strided_", ("x", (2, 2), (3, 1)), {}),
    ("index_add_", ("x", 1, "k", "u"), {}), ("index_copy_", ("x", 1, "k", "u"), {}),
    ("index_reduce_", ("x", 1, "k", "u", "prod"), {}), ("put_", ("x", "k", "w"), {}),
    ("index_put_", ("x", ["j"], "v"), {}), ("masked_scatter_", ("x", "m", "y"), {}),
    ("scatter_", ("x", 1, "i", "u"), {}), ("scatter_", ("x", 1, "i", 0.5), {}),
    ("scatter_add_", ("x", 1, "i", "u"), {}), ("scatter_reduce_", ("x", 1, "i", "u", "amax"), {}),
    ("fill_diagonal_", ("x", 2.5), {}), ("masked_fill_", ("x", "m", 0.5), {}),
    ("lerp_", ("x", "y", "y"), {}), ("copy_", ("x", "y"), {}),
    ("resize_", ("n", 2, 3), {}),
]  # fmt: skip

_RANDOM = "its values are drawn"
#: What is not called, and why.
NOT_CALLED = {
    "bernoulli": _RANDOM, "multinomial": _RANDOM, "normal": _RANDOM, "randint": _RANDOM, "rand": _RANDOM,
    "randn": _RANDOM, "randperm": _RANDOM, "rand_like": _RANDOM, "randn_like": _RANDOM,
    "randint_like": _RANDOM, "poisson": _RANDOM, "binomial": _RANDOM,
    "bernoulli_": _RANDOM, "cauchy_": _RANDOM, "exponential_": _RANDOM, "geometric_": _RANDOM,
    "log_normal_": _RANDOM, "normal_": _RANDOM, "random_": _RANDOM, "uniform_": _RANDOM,
    "empty": "its values are what was there", "range": "warns that it goes away",
    "apply_": "calls a Python function", "map_": "calls a Python function",
    "set_": "shows other memory, and writes nothing",
    "lu_solve": "its operands are factors", "lu_unpack": "its operands are factors",
    "split_copy": "takes a list of results", "split_with_sizes_copy": "takes a list of results",
    "unbind_copy": "takes a list of results", "view_as_real_copy": "takes complex numbers",
    **dict.fromkeys(
        ("indices_copy", "values_copy", "crow_indices_copy", "col_indices_copy", "ccol_indices_copy",
         "row_indices_copy"), "take sparse tensors"),
    "detach_": "writes nothing", "svd": "the signs of its vectors are free",
}  # fmt: skip


def tensors(module: Any, requires_grad: bool = False) -> dict[str, Any]:
    """The tensors of the letters, of one library."""
    made = {}
    for name, values in TENSORS.items():
        tensor = module.tensor(values)
        if tensor.is_floating_point():
            tensor = module.tensor(values, dtype=module.float64, requires_grad=requires_grad)
        made[name] = tensor
    return made


def arguments(given: dict[str, Any], args: Any) -> list[Any]:
    """The arguments with tensors for their letters."""
    return [
        [given[e] for e in a]
        if isinstance(a, list)
        else given.get(a, a)
        if isinstance(a, str)
        else a
        for a in args
    ]


def with_out() -> list[Call]:
    """Calls of all functions that take `out`."""
    named = {name for name, _, _ in OTHERS} | NOT_CALLED.keys()
    derived = [
        (name, args, {})
        for name, forms in sorted(FORMS.items())
        if forms.function is not None and "out" in inspect.signature(forms.function).parameters
        for args in _tried(name, forms.function, named)
    ]
    return [*derived, *OTHERS]


def in_place() -> list[Call]:
    """Calls of all methods whose name ends in one underscore."""
    named = {name for name, _, _ in OTHERS_IN_PLACE} | NOT_CALLED.keys()
    derived = [
        (name, args, {})
        for name, forms in sorted(FORMS.items())
        if forms.method is not None and name.endswith("_") and not name.endswith("__")
        for args in _tried(name, forms.method, named)
    ]
    return [*derived, *OTHERS_IN_PLACE]


#: Their parameters do not say what they need; they are called as above.
_ALONE = {"zeros", "ones", "arange", "where", "resize_"}


def _tried(name: str, function: Any, named: set[str]) -> Iterator[tuple[Any, ...]]:
    """The first kind of operands that the function takes. Nothing else, if it is called in `named`."""
    if name in NOT_CALLED or name in _ALONE:
        return
    for kind in KINDS:
        args = _arguments(function, kind)
        try:
            with warnings.catch_warnings(), vg.no_grad():
                warnings.simplefilter("ignore")
                function(*arguments(tensors(vg), args))
        except (RuntimeError, TypeError, IndexError, ValueError, NotImplementedError):
            continue
        yield args
        return
    if name not in named:
        raise LookupError(
            f"{name}: no operands are known; add a call to OTHERS, or a word to WORDS"
        )


def _arguments(function: Any, kind: str) -> tuple[Any, ...]:
    free = iter(kind + kind[-1] * 3)
    needed = (
        p.name
        for p in inspect.signature(function).parameters.values()
        if p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.POSITIONAL_ONLY)
    )
    return tuple(WORDS[name] if name in WORDS else next(free) for name in needed)
