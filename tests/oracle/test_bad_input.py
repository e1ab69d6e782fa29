"""Every row of the spec table with an operand spoiled: PyTorch's exception class, or the same value.

One operand at a time is of another shape, empty, of another type, out of range, or no tensor at all
(`bad_input.py`). `LISTED` has what differs on purpose.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.oracle.bad_input import mutations, outcome
from tests.oracle.compare import near, same_error
from tests.oracle.rows import NotThere, rows_of
from tests.oracle.signatures import ours as signature_of
from tests.oracle.test_signatures import pairs

torch = pytest.importorskip("torch")
ROWS = rows_of(torch)

#: What PyTorch says where it has compiled no kernel for a type: vizgrad may have one.
_NO_KERNEL = re.compile(
    "not implemented for '|on CPU does not support complex|does not support bool dtypes"
)
#: What it says where it asks for a dimension of a tensor that has none, before any check of its own.
_NO_DIMENSION = re.compile(
    r"Dimension (specified as|out of range)|tuple index out of range|index 2 is out of bounds"
)
#: Where a check of its own for empty tensors comes late or not at all, and memory is about to be overrun.
_EMPTY = re.compile(
    "setStorage|should be positive|Only zero batch or zero channel|optional 0 dim|possibly 0 batch size|"
    r"narrow\(\): length"
)

_LAX = "PyTorch reads memory of one type as another's, or promotes one operand only"
_ORDER = "both checks fail; PyTorch makes them in another order"
_CONJ = "PyTorch does not show lazily conjugated memory as real numbers"
_OPT = "PyTorch passes three operands to opt_einsum, whose messages these are"
_TYPES = "PyTorch writes into a temporary of the wrong type"
_SHAPES = "PyTorch does not check"
#: (row, mutation), as regular expressions: reason.
LISTED = {
    (r"complex conj|ihfft", r".*"): _CONJ,
    (r"einsum ij,jk,kl->il", r".*"): _OPT,
    (r"solve_triangular.*", r"..( bool| int| complex| half as wide)"): _LAX,
    (r"conv_transpose2d", r"2: (bool|int|half as wide)"): _LAX,
    (r"x\[number\] = v", r"1: bool"): "a numpy.bool is a number",
    (r"x\[apart\] = v", r"0: one dim more"): _ORDER,
    (r"index_select", r"0: one dim more"): "PyTorch's class depends on the number of elements",
    (r"index_add", r"0: a number"): _ORDER,
    (r"index_add", r"0: no rows"): "PyTorch writes nothing, whatever the index",
    (r"lstsq.*", r".: one dim more"): "PyTorch takes stacks of vectors for matrices, and the other way round",
    (r"lstsq.*", r"0: longer at the end"): "a column is there twice: its rank hangs on the last digit",
    (r"lstsq and residuals", r"0: nothing in it"): "without columns PyTorch has 0, not the squares of `b`",
    (r"soft_margin_loss|hinge_embedding_loss", r"0: int"): _TYPES,
    (r"(weighted )?cross_entropy.*", r"0: half as wide"): "weights are converted to the type of the input",
    (r"logits, weighted", r"1: complex"): _TYPES,
    (r"binary_cross_entropy_with_logits.*", r"1: complex"): "probabilities are real",
    (r"nll_loss of one sample", r"0: one dim more"): _ORDER,
    (r"linear", r"2: one dim more"): _SHAPES,
    (r"batch_norm", r"0: nothing in it"): _SHAPES,
    (r"scaled_dot_product_attention|causal attention|attention as one node.*", r"2: no rows"): _SHAPES,
    (r"logaddexp|logcumsumexp", r".: complex"): "T-79 is about real numbers",
    (r"hardtanh|relu6|threshold|avg_pool.*|local_response_norm", r"0: (int|bool)"): "integers are cut off",
    (r"everything = v", r"1: one dim less"): "a numpy array is no tensor",
}  # fmt: skip


def _allowed(row: str, mutation: str, theirs: Any, own: Any) -> bool:
    if isinstance(theirs, BaseException):
        said = str(theirs)
        if _NO_KERNEL.search(said):
            return not isinstance(own, BaseException) or isinstance(own, (RuntimeError, TypeError))
        if isinstance(theirs, AttributeError) and isinstance(own, TypeError):
            return True  # PyTorch's Python asked what is no tensor for an attribute
        late = _NO_DIMENSION.search(said) and "0-dim" not in said
        if late and (mutation.endswith(("a number", "one dim less"))):
            return not isinstance(own, BaseException) or isinstance(own, RuntimeError)
        if _EMPTY.search(said):
            return True
    return any(re.fullmatch(a, row) and re.fullmatch(b, mutation) for a, b in LISTED)


def _same(theirs: Any, own: Any) -> bool:
    raised = isinstance(theirs, BaseException), isinstance(own, BaseException)
    if any(raised):
        return all(raised) and same_error(type(theirs), type(own))
    return len(theirs) == len(own) and all(
        a.dtype == b.dtype and a.shape == b.shape and near(a, b, a.dtype.name)
        for a, b in zip(theirs, own, strict=True)
    )


def _short(seen: Any) -> str:
    if isinstance(seen, BaseException):
        return f"{type(seen).__name__}: {(str(seen) or ' ').splitlines()[0][:100]}"
    return " ".join(f"{a.dtype}{a.shape}" for a in seen)


@pytest.mark.parametrize("name", ROWS)
def test_a_spoiled_operand_is_refused_or_not_as_in_pytorch(name: str) -> None:
    ours, theirs = ROWS[name]
    wrong = []
    for mutation, operands in mutations(ours.samples[0].arrays):
        try:
            expected = outcome(torch, theirs.call, operands)
        except NotThere as absent:
            pytest.skip(f"PyTorch has no {absent}")
        found = outcome(vg, ours.call, operands)
        if not _same(expected, found) and not _allowed(ours.name, mutation, expected, found):
            wrong.append(f"{mutation}\n  PyTorch {_short(expected)}\n  vizgrad {_short(found)}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", ROWS)
def test_no_error_of_numpy_comes_through(name: str) -> None:
    ours, _ = ROWS[name]
    for mutation, operands in mutations(ours.samples[0].arrays):
        found = outcome(vg, ours.call, operands)
        if isinstance(found, Exception):
            bare = type(found).__module__.startswith(("numpy", "scipy"))
            assert not bare, f"{mutation}: {_short(found)}"
            assert not isinstance(found, AttributeError) or "_array" not in str(found), mutation


#: Functions that take what is no tensor, and say something else of it first.
OTHER_CHECKS_FIRST = {
    "alpha_dropout": "p = 0 returns it as it is", "dropout": "p = 0 returns it as it is",
    "feature_alpha_dropout": "p = 0 returns it as it is", "isin": "numbers are elements",
    "clamp": "neither bound", "clip": "neither bound", "clamp_": "neither bound", "clip_": "neither bound",
    "index_reduce": "the reduction", "scatter_reduce": "the reduction", "mvlgamma": "p",
    "multigammaln": "p", "multi_dot": "fewer than two", "fftfreq": "numpy's n", "rfftfreq": "numpy's n",
    "linspace": "a list of one", "logspace": "a list of one", "use_deterministic_algorithms": "any truth",
    "promote_types": "types", "can_cast": "types", "set_default_device": "a device",
}  # fmt: skip


@pytest.mark.parametrize("module", ["", "linalg", "fft", "special", "nn.functional"])
@pytest.mark.parametrize("thing", ["text", None, [1.0]], ids=repr)
@pytest.mark.filterwarnings("ignore")
def test_functions_want_tensors(module: str, thing: Any) -> None:
    wrong, tried = [], 0
    for name, own, other, method in pairs(module):
        signature = None if method else signature_of(own)
        if signature is None or name in OTHER_CHECKS_FIRST:
            continue
        needed = [p for p in signature.parameters.values() if p.default is p.empty]
        first = [0 for p in needed if p.kind is p.POSITIONAL_OR_KEYWORD][1:]
        named = {p.name: 0 for p in needed if p.kind is p.KEYWORD_ONLY}
        if not needed or needed[0].kind is not needed[0].POSITIONAL_OR_KEYWORD:
            continue
        if isinstance(_raised(other, thing, first, named), TypeError):
            tried += 1
            found = _raised(own, thing, first, named)
            if not isinstance(found, TypeError):
                wrong.append(f"{name}: {found!r}")
    assert not wrong, "\n".join(wrong)
    assert tried > 10


def _raised(function: Any, thing: Any, rest: list[int], named: dict[str, int]) -> Exception | None:
    try:
        function(thing, *rest, **named)
    except Exception as error:  # noqa: BLE001  whatever it is, it is compared
        return error
    return None


def test_spoiling_changes_what_it_says() -> None:
    first = np.ones((2, 3))
    names = dict(mutations((first,)))
    assert names["0: one dim less"][0].shape == (3,)
    assert names["0: longer at the end"][0].shape == (2, 4)
    assert names["0: int"][0].dtype == np.int64
    assert names["0: a string"][0] == "text"
