"""Every loss with every element type of input, target and weight: values and types, or PyTorch's refusal.

Losses of two operands meet all pairs of types; of three, those where one operand has another type than the
loss is made for. Where PyTorch refuses, the class is the same, and so is the phrase that people search for.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.oracle.compare import TOLERANCE, same_error

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.rule("X-33")

TYPES = (
    "bool", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
)  # fmt: skip
_X = [[0.2, 0.7, 0.4], [0.6, 0.1, 0.9]]
_ONES = [[1, 1, 0], [0, 1, 1]]
_LOG = [[-1.0, -0.5, -2.0], [-0.3, -1.2, -0.7]]
_MAPS, _PLACES = [[[[1.0, 2.0]], [[2.0, 1.0]]]], [[[0, 1]]]
_STEPS = [[_LOG[0]], [_LOG[1]]]

#: name: the call (F, *operands, reduction=...), the operands.
LOSSES: dict[str, tuple[Any, ...]] = {
    "mse_loss": (lambda F, *a, **r: F.mse_loss(*a, **r), _X, _ONES),
    "mse_loss, weight": (lambda F, x, t, w, **r: F.mse_loss(x, t, weight=w, **r), _X, _ONES, _ONES),
    "l1_loss": (lambda F, *a, **r: F.l1_loss(*a, **r), _X, _ONES),
    "l1_loss, weight": (lambda F, x, t, w, **r: F.l1_loss(x, t, weight=w, **r), _X, _ONES, _ONES),
    "smooth_l1_loss": (lambda F, *a, **r: F.smooth_l1_loss(*a, **r), _X, _ONES),
    "smooth_l1_loss, beta 0": (lambda F, *a, **r: F.smooth_l1_loss(*a, beta=0, **r), _X, _ONES),
    "huber_loss": (lambda F, *a, **r: F.huber_loss(*a, **r), _X, _ONES),
    "huber_loss, weight": (
        lambda F, x, t, w, **r: F.huber_loss(x, t, weight=w, **r), _X, _ONES, _ONES,
    ),
    "binary_cross_entropy": (lambda F, *a, **r: F.binary_cross_entropy(*a, **r), _X, _ONES),
    "binary_cross_entropy, weight": (
        lambda F, *a, **r: F.binary_cross_entropy(*a, **r), _X, _ONES, _ONES,
    ),
    "logits": (lambda F, *a, **r: F.binary_cross_entropy_with_logits(*a, **r), _X, _ONES),
    "logits, weight": (
        lambda F, *a, **r: F.binary_cross_entropy_with_logits(*a, **r), _X, _ONES, _ONES,
    ),
    "logits, pos_weight": (
        lambda F, x, t, w, **r: F.binary_cross_entropy_with_logits(x, t, pos_weight=w, **r),
        _X, _ONES, [1, 2, 1],
    ),
    "nll_loss": (lambda F, *a, **r: F.nll_loss(*a, **r), _X, [0, 1]),
    "nll_loss, weight": (lambda F, *a, **r: F.nll_loss(*a, **r), _X, [0, 1], [1, 2, 1]),
    "nll_loss of maps": (lambda F, *a, **r: F.nll_loss(*a, **r), _MAPS, _PLACES),
    "nll_loss of maps, weight": (lambda F, *a, **r: F.nll_loss(*a, **r), _MAPS, _PLACES, [1, 2]),
    "cross_entropy": (lambda F, *a, **r: F.cross_entropy(*a, **r), _X, [0, 1]),
    "cross_entropy, weight": (lambda F, *a, **r: F.cross_entropy(*a, **r), _X, [0, 1], [1, 2, 1]),
    "cross_entropy, smoothed": (
        lambda F, *a, **r: F.cross_entropy(*a, label_smoothing=0.1, **r), _X, [0, 1],
    ),
    "cross_entropy, weight, smoothed": (
        lambda F, *a, **r: F.cross_entropy(*a, label_smoothing=0.1, **r), _X, [0, 1], [1, 2, 1],
    ),
    "cross_entropy, soft": (lambda F, *a, **r: F.cross_entropy(*a, **r), _X, _ONES),
    "cross_entropy, soft, smoothed": (
        lambda F, *a, **r: F.cross_entropy(*a, label_smoothing=0.1, **r), _X, _ONES,
    ),
    "cross_entropy, soft, weight": (
        lambda F, *a, **r: F.cross_entropy(*a, **r), _X, _ONES, [1, 2, 1],
    ),
    "linear_cross_entropy": (
        lambda F, x, t, w, **r: F.linear_cross_entropy(x, w, t, **r),
        _X, [0, 1], [[1, 2, 1], [2, 1, 1]],
    ),
    "kl_div": (lambda F, *a, **r: F.kl_div(*a, **r), _LOG, _ONES),
    "kl_div, log_target": (lambda F, *a, **r: F.kl_div(*a, log_target=True, **r), _LOG, _ONES),
    "poisson_nll_loss": (lambda F, *a, **r: F.poisson_nll_loss(*a, **r), _X, _ONES),
    "poisson_nll_loss, full": (
        lambda F, *a, **r: F.poisson_nll_loss(*a, full=True, log_input=False, **r),
        _X, [[1, 3, 2], [2, 1, 3]],
    ),
    "gaussian_nll_loss": (
        lambda F, *a, **r: F.gaussian_nll_loss(*a, **r), _X, _ONES, [[1, 1, 2], [1, 2, 1]],
    ),
    "soft_margin_loss": (lambda F, *a, **r: F.soft_margin_loss(*a, **r), _X, _ONES),
    "hinge_embedding_loss": (lambda F, *a, **r: F.hinge_embedding_loss(*a, **r), _X, _ONES),
    "hinge_embedding_loss, margin": (
        lambda F, *a, **r: F.hinge_embedding_loss(*a, margin=0.5, **r), [[3, 0]], [[-1, 1]],
    ),
    "margin_ranking_loss": (
        lambda F, x, t, y, **r: F.margin_ranking_loss(x, y, t, **r), _X, _ONES, _LOG,
    ),
    "cosine_embedding_loss": (
        lambda F, x, t, y, **r: F.cosine_embedding_loss(x, y, t, **r), _X, [1, 1], _LOG,
    ),
    "multi_margin_loss": (lambda F, *a, **r: F.multi_margin_loss(*a, **r), _X, [0, 1]),
    "multi_margin_loss, weight": (
        lambda F, x, t, w, **r: F.multi_margin_loss(x, t, weight=w, **r), _X, [0, 1], [1, 2, 1],
    ),
    "multilabel_margin_loss": (lambda F, *a, **r: F.multilabel_margin_loss(*a, **r), _X, _ONES),
    "multilabel_soft_margin_loss": (
        lambda F, *a, **r: F.multilabel_soft_margin_loss(*a, **r), _X, _ONES,
    ),
    "multilabel_soft_margin_loss, weight": (
        lambda F, *a, **r: F.multilabel_soft_margin_loss(*a, **r), _X, _ONES, [1, 2, 1],
    ),
    "triplet_margin_loss": (lambda F, *a, **r: F.triplet_margin_loss(*a, **r), _X, _ONES, _LOG),
    "triplet_margin_with_distance_loss": (
        lambda F, *a, **r: F.triplet_margin_with_distance_loss(*a, **r), _X, _ONES, _LOG,
    ),
    "ctc_loss": (lambda F, x, t, **r: F.ctc_loss(x, t, (2,), (2,), **r), _STEPS, [[1, 2]]),
    "ctc_loss, lengths": (
        lambda F, x, t, n, **r: F.ctc_loss(x, t, n, n, **r), _STEPS, [[1, 2]], [2],
    ),
}  # fmt: skip

#: Where PyTorch has compiled no kernel for a type; vizgrad may have one, or refuses as it sees fit.
_NO_KERNEL = re.compile("not implemented for '|does not support complex|does not support bool")
#: What is the same in both messages, where it is in PyTorch's.
_PHRASES = (
    "Found dtype", "expected scalar type", "can't be cast to the desired output type", "could not infer",
    "Subtraction, the `-` operator", "Integral and complex inputs not supported", "must be integral",
    "does not support automatic differentiation for outputs with complex dtype",
    "Expected (dtype int32/int64 for index|floating point type)", "Negation, the `-` operator",
)  # fmt: skip
#: (loss, types): reason. Regular expressions.
LISTED = {
    ("soft_margin_loss", r"\w+ uint8"): "PyTorch negates the target without a sign: 255 for -1",
    ("soft_margin_loss", r"bool \w+"): "both types are wrong: PyTorch looks at the other one first",
    ("logits.*", r".*complex64.*"): "probabilities are real, whether a derivative is wanted or not",
    (
        "soft_margin_loss",
        r"\w+ bool",
    ): "refused with the loss where a derivative is wanted, not after",
}


def _combinations(operands: int, made_for: list[str]) -> Iterator[tuple[str, ...]]:
    """All types of two operands; of three those that differ from the natural ones in one place."""
    if operands == 2:
        yield from product(TYPES, TYPES)
        return
    for place, name in product(range(operands), TYPES):
        yield (*made_for[:place], name, *made_for[place + 1 :])


def _made_for(values: tuple[Any, ...]) -> list[list[str]]:
    """Natural types: floats, and what is written in integers also as int64."""
    floats = ["float32"] * len(values)
    if len(values) < 3:
        return [floats]
    return [floats, ["float32", "int64", *floats[2:]], ["int64", "int64", *floats[2:]]]


def _tensor(module: Any, values: Any, name: str, leaf: bool) -> Any:
    made = module.tensor(values, dtype=module.float64).to(getattr(module, name))
    return made.requires_grad_() if leaf and name.startswith(("f", "bf", "c")) else made


def _outcome(module: Any, call: Any, values: Any, types: tuple[str, ...], reduction: str) -> list:
    """[value, gradient by the first operand], exceptions in their places."""
    seen: list[Any] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            given = [
                _tensor(module, v, t, not i)
                for i, (v, t) in enumerate(zip(values, types, strict=True))
            ]
            out = call(module.nn.functional, *given, reduction=reduction)
            seen.append(out.detach())
            if out.requires_grad:
                (out.abs() if out.is_complex() else out).sum().backward()
                seen.append(given[0].grad)
        except Exception as error:  # noqa: BLE001  whatever it is, it is compared
            seen.append(error)
    return seen


def _numpy(module: Any, tensor: Any) -> np.ndarray:
    return tensor.to(module.complex128).numpy()


def _same(theirs: list, ours: list, narrowest: str) -> bool:
    if len(theirs) != len(ours):
        return False
    for their, own in zip(theirs, ours, strict=True):
        if isinstance(their, Exception) or isinstance(own, Exception):
            return same_error(type(their), type(own)) and _says_so(str(their), str(own))
        if str(their.dtype).split(".")[-1] != own.dtype.name or their.shape != own.shape:
            return False
        relative, absolute = TOLERANCE[narrowest]
        a, b = _numpy(torch, their), _numpy(vg, own)
        if not np.allclose(b, a, rtol=relative * 2, atol=absolute * 4, equal_nan=True):
            return False
    return True


def _says_so(theirs: str, own: str) -> bool:
    return all(re.search(p, own) for p in _PHRASES if re.search(p, theirs))


def _allowed(loss: str, types: tuple[str, ...], theirs: list, ours: list) -> bool:
    last = theirs[-1]
    if isinstance(last, Exception) and _NO_KERNEL.search(str(last)):
        return not isinstance(ours[-1], Exception) or isinstance(
            ours[-1], (RuntimeError, TypeError)
        )
    return any(re.fullmatch(a, loss) and re.fullmatch(b, " ".join(types)) for a, b in LISTED)


def _short(seen: list) -> str:
    return ", ".join(
        f"{type(s).__name__}: {str(s)[:90]!r}"
        if isinstance(s, Exception)
        else f"{s.dtype} {s.tolist()}"
        for s in seen
    )


@pytest.mark.parametrize("reduction", ["mean", "none"])
@pytest.mark.parametrize("loss", LOSSES)
def test_types_are_taken_and_refused_as_in_pytorch(loss: str, reduction: str) -> None:
    call, *values = LOSSES[loss]
    wrong = []
    for made_for in _made_for(tuple(values)):
        for types in _combinations(len(values), made_for):
            theirs = _outcome(torch, call, values, types, reduction)
            ours = _outcome(vg, call, values, types, reduction)
            narrowest = next((t for t in ("bfloat16", "float16") if t in types), "float32")
            if not _same(theirs, ours, narrowest) and not _allowed(loss, types, theirs, ours):
                wrong.append(
                    f"{' '.join(types)}\n  PyTorch {_short(theirs)}\n  vizgrad {_short(ours)}"
                )
    assert not wrong, "\n".join(wrong)
