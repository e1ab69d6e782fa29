"""`out=` and the in-place form of functions, against PyTorch: values, versions, gradients, errors."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import vizgrad as vg
from tests.oracle.signatures import ours as signature_of
from tests.oracle.signatures import takes_an_out

torch = pytest.importorskip("torch")

_X = [[0.6, 0.25, 0.8], [0.3, 0.9, 0.45]]
_Y = [[0.2, 0.7, 0.5], [0.85, 0.15, 0.35]]
_SQUARE = [[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]]

_ONE = (
    "abs absolute acos angle arccos arcsin arctan asin asinh atan atanh ceil cos cosh deg2rad digamma erf "
    "erfc erfinv exp exp2 expm1 fix floor frac lgamma log log10 log1p log2 logit neg negative rad2deg "
    "reciprocal round rsqrt sgn sigmoid sign sin sinc sinh sqrt square tan tanh trunc i0 nan_to_num "
    "isposinf isneginf signbit logical_not sum mean prod nansum nanmean amax amin all any msort nonzero "
    "conj_physical tril triu diag sort"
)
_TWO = (
    "add sub subtract mul multiply div divide true_divide floor_divide remainder fmod pow float_power atan2 "
    "arctan2 hypot logaddexp logaddexp2 xlogy copysign nextafter heaviside maximum minimum fmax fmin eq ne "
    "lt le gt ge greater less not_equal logical_and logical_or logical_xor inner kron max min"
)
_ALONG = (
    "sum mean prod cumsum cumprod logcumsumexp cummax cummin max min amax logsumexp median nanmedian mode "
    "kthvalue var std argsort topk softmax sort all any"
)
#: Names, and arguments: a letter is a tensor, the rest as it is. Keywords follow in a dict.
CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    *((name, ("x",), {}) for name in _ONE.split()),
    *((name, ("x", "y"), {}) for name in _TWO.split()),
    *((name, ("x", 1), {}) for name in _ALONG.split()),
    ("add", ("x", "y"), {"alpha": 2}), ("div", ("x", "y"), {"rounding_mode": "floor"}),
    ("clamp", ("x", 0.3, 0.7), {}), ("clamp_min", ("x", 0.5), {}), ("clamp_max", ("x", 0.5), {}),
    ("clip", ("x", 0.3, 0.7), {}), ("lerp", ("x", "y", 0.3), {}), ("addcmul", ("x", "y", "y"), {"value": 2}),
    ("addcdiv", ("x", "y", "y"), {}), ("matmul", ("s", "s"), {}), ("mm", ("s", "s"), {}),
    ("addmm", ("s", "s", "s"), {"beta": 2}), ("bmm", ("b", "b"), {}), ("baddbmm", ("b", "b", "b"), {}),
    ("mv", ("s", "v"), {}), ("dot", ("v", "v"), {}), ("outer", ("v", "v"), {}), ("ger", ("v", "v"), {}),
    ("addmv", ("v", "s", "v"), {}), ("addr", ("s", "v", "v"), {}), ("cross", ("x", "y", 1), {}),
    ("cat", (["x", "y"],), {}), ("stack", (["x", "y"],), {}), ("hstack", (["x", "y"],), {}),
    ("vstack", (["x", "y"],), {}), ("gather", ("x", 1, "i"), {}), ("take_along_dim", ("x", "i", 1), {}),
    ("index_select", ("x", 1, "k"), {}), ("quantile", ("x", 0.3), {}), ("renorm", ("x", 2, 0, 0.5), {}),
    ("linalg.inv", ("s",), {}), ("linalg.det", ("s",), {}), ("linalg.solve", ("s", "s"), {}),
    ("linalg.cholesky", ("s",), {}), ("linalg.qr", ("s",), {}), ("linalg.norm", ("s",), {}),
    ("linalg.vector_norm", ("s",), {}), ("linalg.matrix_power", ("s", 2), {}),
    ("linalg.eigvalsh", ("s",), {}),
    ("linalg.slogdet", ("s",), {}), ("fft.fft", ("v",), {}), ("fft.rfft", ("v",), {}),
    ("special.ndtr", ("x",), {}),
    ("special.xlog1py", ("x", "y"), {}), ("histc", ("x",), {}), ("diff", ("x",), {}),
    ("tensordot", ("s", "s"), {"dims": 1}), ("aminmax", ("x",), {}), ("bucketize", ("x", "v"), {}),
    ("arange", (3,), {}), ("eye", (3,), {}), ("linspace", (0, 1, 4), {}), ("logspace", (0, 1, 4), {}),
    ("zeros", (3,), {}), ("full", ((2,), 3.5), {}),
]  # fmt: skip
IDS = [f"{name} {args} {options}" for name, args, options in CALLS]


def tensors(module: Any, requires_grad: bool) -> dict[str, Any]:
    floats = {"x": _X, "y": _Y, "s": _SQUARE, "b": [_SQUARE, _SQUARE], "v": [0.1, 0.4, 0.9]}
    made = {
        name: module.tensor(values, dtype=module.float64, requires_grad=requires_grad)
        for name, values in floats.items()
    }
    made["i"], made["k"] = module.tensor([[2, 0], [1, 1]]), module.tensor([2, 0])
    return made


def arguments(given: Any, args: Any) -> list[Any]:
    return [
        [given[e] for e in a] if isinstance(a, list) else given[a] if isinstance(a, str) else a
        for a in args
    ]


def function_of(module: Any, name: str) -> Any:
    for part in name.split("."):
        module = getattr(module, part)
    return module


def seen(tensor: Any) -> tuple[Any, ...]:
    return str(tensor.dtype).split(".")[-1], tuple(tensor.shape), tensor.detach().clone().tolist()


def agree(a: Any, b: Any) -> bool:
    return a[:2] == b[:2] and a[2] == _approx(b[2])


def _approx(values: Any) -> Any:
    return (
        [_approx(v) for v in values]
        if isinstance(values, list)
        else pytest.approx(values, nan_ok=True)
    )


def written(module: Any, name: str, args: Any, options: Any, how: str) -> Any:
    """What lies in `out` after the call, with how often it was written; or the exception's class."""
    given = tensors(module, requires_grad=how == "operand requires grad")
    function = function_of(module, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with module.no_grad():
            result = function(*arguments(given, args), **options)
        several = isinstance(result, tuple)
        outs = []
        for each in result if several else (result,):
            shape = (5,) if how == "another shape" else tuple(each.shape)
            dtype = module.int32 if how == "integers" else each.dtype
            dtype = module.float32 if how == "narrower" and each.dtype is module.float64 else dtype
            outs.append(module.zeros(shape, dtype=dtype))
        if how == "out requires grad" and outs[0].is_floating_point():
            outs[0].requires_grad_()
        try:
            back = function(
                *arguments(given, args), **options, out=tuple(outs) if several else outs[0]
            )
        except Exception as error:  # noqa: BLE001  whatever it is, it is compared
            return type(error)
    assert all(a is b for a, b in zip(back if several else (back,), outs, strict=True))
    return [seen(out) for out in outs]


#: Functions put together of others in C++, which forget to refuse what autograd would lose. vizgrad refuses.
FORGETFUL = {
    "conj_physical", "diag", "floor_divide", "heaviside", "inner", "quantile", "linalg.norm", "special.ndtr",
    "histc", "tensordot",
}  # fmt: skip
#: Functions that compute in the type of `out`, where the others refuse integers for fractions.
IN_TYPE_OF_OUT = {"cumsum", "cumprod"}


def differs(name: str, how: str, expected: Any, found: Any) -> bool:
    """Is this a difference on purpose?"""
    if how in ("operand requires grad", "out requires grad"):
        return name in FORGETFUL and found is RuntimeError
    if how == "narrower" and expected is RuntimeError:
        return (
            found is not RuntimeError
        )  # each kernel has its own rule; vizgrad's is T-5 for all of them
    if how == "integers":
        whole = isinstance(found, list) and all("." not in str(v[2]) for v in found)
        refused = isinstance(expected, type) and isinstance(found, type)
        return refused or (expected is RuntimeError and whole) or name in IN_TYPE_OF_OUT
    return False


HOW = [
    "plain",
    "another shape",
    "integers",
    "narrower",
    "operand requires grad",
    "out requires grad",
]


@pytest.mark.rule("V-8")
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize(("name", "args", "options"), CALLS, ids=IDS)
def test_out(name: str, args: Any, options: Any, how: str) -> None:
    own, other = function_of(vg, name), function_of(torch, name)
    signature = signature_of(own)
    if not takes_an_out(other):
        pytest.skip("PyTorch's takes none")
    assert signature is not None
    assert "out" in signature.parameters
    expected, found = (written(m, name, args, options, how) for m in (torch, vg))
    if differs(name, how, expected, found):
        return
    if isinstance(expected, type) or isinstance(found, type):
        assert isinstance(expected, type), (expected, found)
        assert isinstance(found, type), (expected, found)
        assert issubclass(found, expected), (expected, found)
    else:
        assert len(expected) == len(found)
        assert all(agree(a, b) for a, b in zip(found, expected, strict=True)), (expected, found)


_UNARY = (
    "abs absolute acos asin atan ceil cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 fix floor frac "
    "lgamma log log10 log1p log2 logit neg negative rad2deg reciprocal round rsqrt sgn sigmoid sign sin sinc "
    "sinh sqrt square tan tanh trunc i0 nan_to_num relu tril triu zero conj_physical atanh t"
)
_BINARY = (
    "add sub subtract mul multiply div divide true_divide floor_divide remainder fmod pow float_power atan2 "
    "arctan2 hypot xlogy copysign nextafter heaviside eq ne lt le gt ge greater less not_equal igamma "
    "igammac logical_and logical_or logical_xor"
)
_WITH_NUMBER = "add sub mul div pow remainder fmod floor_divide eq lt"
#: Names without the underscore, arguments after the tensor, keywords.
IN_PLACE: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    *((name, (), {}) for name in _UNARY.split()),
    *((name, ("y",), {}) for name in _BINARY.split()),
    *((name, (2,), {}) for name in _WITH_NUMBER.split()),
    ("add", ("y",), {"alpha": 3}), ("div", ("y",), {"rounding_mode": "trunc"}), ("lerp", ("y", 0.3), {}),
    ("addcmul", ("y", "y"), {"value": 2}), ("addcdiv", ("y", "y"), {}), ("clamp", (0.3, 0.7), {}),
    ("clamp_min", (0.5,), {}), ("clamp_max", (0.5,), {}), ("clip", (0.3, 0.7), {}), ("cumsum", (1,), {}),
    ("cumprod", (1,), {}), ("cumsum", (0,), {"dtype": "float64"}), ("fill", (0.5,), {}),
    ("index_fill", (1, "k", 2.0), {}), ("masked_fill", ("m", 0.5), {}), ("renorm", (2, 0, 0.5), {}),
    ("transpose", (0, 1), {}), ("squeeze", (), {}), ("unsqueeze", (1,), {}), ("mvlgamma", (1,), {}),
    ("polygamma", (1,), {}), ("ldexp", ("y",), {}), ("hypot", (), {"other": "y"}),
]  # fmt: skip


#: Where PyTorch's history after the write is another, and why.
HISTORY = {
    "atanh": "no derivative of the in-place form there",
    "nextafter": "of a ZeroTensor", "logical_and": "history of the operand stays, as if nothing was written",
    "logical_or": "as logical_and", "logical_xor": "as logical_and",
}  # fmt: skip


def in_place(module: Any, name: str, args: Any, options: Any) -> Any:
    """Value, number of writes and gradient after the in-place call; or the exception's class."""
    given = tensors(module, requires_grad=False) | {"m": module.tensor([[True, False, True]])}
    words = {k: given.get(v, v) if isinstance(v, str) else v for k, v in options.items()}
    if "dtype" in words:
        words["dtype"] = getattr(module, words["dtype"])
    x = given["x"].requires_grad_()
    target = x * 1
    before = target._version
    try:
        back = getattr(target, name + "_")(*arguments(given, args), **words)
        assert back is target
        if target.requires_grad:
            weight = module.arange(1.0, target.numel() + 1, dtype=module.float64).reshape(
                target.shape
            )
            (target * weight).sum().backward()
    except AssertionError:
        raise
    except Exception as error:  # noqa: BLE001  whatever it is, it is compared
        return type(error)
    gradient = None if x.grad is None else seen(x.grad)
    return seen(target), target._version - before, gradient


@pytest.mark.rule("V-1")
@pytest.mark.parametrize(("name", "args", "options"), IN_PLACE)
def test_in_place(name: str, args: Any, options: Any) -> None:
    expected, found = (in_place(m, name, args, options) for m in (torch, vg))
    if name in HISTORY:
        assert not isinstance(found, type)
        assert isinstance(expected, type) or found[:2] == expected[:2]
        return
    if isinstance(expected, type):
        assert isinstance(found, type), (expected, found)
        assert issubclass(found, expected)
        return
    assert not isinstance(found, type), (expected, found)
    assert agree(found[0], expected[0])
    assert found[1] == expected[1]
    assert (found[2] is None) == (expected[2] is None), (expected, found)
    assert found[2] is None or agree(found[2], expected[2]), (expected, found)
