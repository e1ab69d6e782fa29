"""`out=` and the in-place form of functions, against PyTorch: values, versions, gradients, errors."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import vizgrad as vg
from tests.oracle.declared_calls import Call, arguments, in_place, tensors, with_out
from tests.oracle.signatures import ours as signature_of
from tests.oracle.signatures import takes_an_out

torch = pytest.importorskip("torch")

IN_PLACE = in_place()


def called(calls: list[Call]) -> list[str]:
    return [f"{name} {args} {options}" for name, args, options in calls]


def function_of(module: Any, name: str) -> Any:
    for part in name.split("."):
        module = getattr(module, part)
    return module


#: Calls of what takes an `out` in PyTorch, too.
OUT = [call for call in with_out() if takes_an_out(function_of(torch, call[0]))]


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
    "histc", "tensordot", "histogram", "nanquantile",
}  # fmt: skip
#: Functions that compute in the type of `out`, where the others refuse integers for fractions.
IN_TYPE_OF_OUT = {"cumsum", "cumprod"}


#: Functions whose schema in PyTorch has an `out` that its Python binding refuses.
OUT_BY_SCHEMA = {"diag_embed", "std_mean", "var_mean", "tril_indices", "triu_indices"}


def differs(name: str, how: str, expected: Any, found: Any) -> bool:
    """Is this a difference on purpose?"""
    if name in OUT_BY_SCHEMA:
        return expected is TypeError
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
@pytest.mark.parametrize(("name", "args", "options"), OUT, ids=called(OUT))
def test_out(name: str, args: Any, options: Any, how: str) -> None:
    signature = signature_of(function_of(vg, name))
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


#: Where PyTorch's history after the write is another, and why.
HISTORY = {
    "atanh_": "no derivative of the in-place form there",
    "nextafter_": "of a ZeroTensor",
    "logical_and_": "history of the operand stays, as if nothing was written",
    "logical_or_": "as logical_and_", "logical_xor_": "as logical_and_", "logical_not_": "as logical_and_",
    "acosh_": "as atanh_", "asinh_": "as atanh_", "arccosh_": "as atanh_", "arcsinh_": "as atanh_",
    "arctanh_": "as atanh_",
}  # fmt: skip


def after(module: Any, name: str, args: Any, options: Any) -> Any:
    """Value, number of writes and gradient after the in-place call; or the exception's class."""
    given = tensors(module)
    words = {k: given.get(v, v) if isinstance(v, str) else v for k, v in options.items()}
    if "dtype" in words:
        words["dtype"] = getattr(module, words["dtype"])
    first, *rest = arguments(given, args)
    leaf = first.requires_grad_() if first.is_floating_point() else first
    target = leaf * 1
    before = target._version
    try:
        back = getattr(target, name)(*rest, **words)
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
    gradient = None if leaf.grad is None else seen(leaf.grad)
    return seen(target), target._version - before, gradient


@pytest.mark.rule("V-1")
@pytest.mark.filterwarnings("ignore:index_reduce:UserWarning")  # in beta, forward and backward
@pytest.mark.parametrize(("name", "args", "options"), IN_PLACE, ids=called(IN_PLACE))
def test_in_place(name: str, args: Any, options: Any) -> None:
    expected, found = (after(m, name, args, options) for m in (torch, vg))
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
