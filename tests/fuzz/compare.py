"""Where two observations of a call differ; what is rounding and what is not."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tests.fuzz.calls import Call
from tests.fuzz.observe import observed
from tests.fuzz.values import Code, Given
from tests.oracle.compare import same_error

#: How far results may be apart, in parts of the largest element: sums are taken in other orders.
NEAR = {"float64": 1e-10, "float32": 2e-6, "float16": 4e-3, "bfloat16": 2e-2}
REAL = {"complex128": "float64", "complex64": "float32"}
WIDER = {
    "float32": "float64",
    "float16": "float64",
    "bfloat16": "float64",
    "complex64": "complex128",
}


@dataclass(frozen=True)
class Difference:
    """What differs, what PyTorch has there and what vizgrad has."""

    what: str
    theirs: Any
    ours: Any

    @property
    def kind(self) -> str:
        """What differs, without numbers: failures of one kind are one failure."""
        words = self.what.rstrip("0123456789 ")
        if "raises" in words and "operands" not in words:
            return f"{words}: {_class(self.theirs)}, {_class(self.ours)}"
        return words

    def __str__(self) -> str:
        return f"{self.what}\n    PyTorch {shown(self.theirs)}\n    vizgrad {shown(self.ours)}"


def _class(value: Any) -> str:
    return type(value).__name__ if isinstance(value, Exception) else "nothing"


def shown(value: Any) -> str:
    if isinstance(value, Exception):
        first = (str(value).splitlines() or [""])[0]
        return f"raises {type(value).__name__}: {first[:160]}"
    if isinstance(value, np.ndarray):
        return f"{value.dtype.name} {np.array2string(value, separator=', ', threshold=40)}".replace(
            "\n", "\n      "
        )
    return repr(value)


def differences(
    torch: Any, vizgrad: Any, call: Call, skip: frozenset[str] = frozenset()
) -> list[Difference]:
    """All that differs, what matters most first."""
    theirs, ours = observed(torch, call), observed(vizgrad, call)
    found = []
    unit = precision(call)
    for what in [*theirs, *(w for w in ours if w not in theirs)]:
        if what in skip or (what != "raises" and ("raises" in theirs or "raises" in ours)):
            continue
        there, here = theirs.get(what), ours.get(what)
        # derivatives are sums of terms of about 1, which may cancel; each loses digits
        lost = 100 if what.startswith("second") else 10 if "gradient" in what else 1
        if not agree(there, here, lost * unit, 1e-5 if what.startswith("value") else 1.0):
            found.append(Difference(what, there, here))
    if any("raises" in f.what or f.what == "operands" for f in found):
        found = [f for f in found if "raises" in f.what or f.what == "operands"]
    unequal = [f for f in found if _numbers(f)]
    if unequal:
        noise = rounding(torch, call, theirs, ours, unequal)
        unequal = [f for f in unequal if f not in noise]
        if unequal:
            noise += trembling(torch, vizgrad, call, theirs, ours, unequal)
        found = [f for f in found if f not in noise]
    return found


def _numbers(found: Difference) -> bool:
    return (
        all(isinstance(v, np.ndarray) and v.dtype.kind in "fc" for v in (found.theirs, found.ours))
        and found.theirs.shape == found.ours.shape
    )


def agree(there: Any, here: Any, unit: float = NEAR["float64"], least: float = 1e-5) -> bool:
    if isinstance(there, Exception) or isinstance(here, Exception):
        both = isinstance(there, Exception) and isinstance(here, Exception)
        return both and same_error(type(there), type(here))
    if isinstance(there, np.ndarray) and isinstance(here, np.ndarray):
        return (
            there.shape == here.shape
            and there.dtype == here.dtype
            and near(there, here, unit, least)
        )
    if isinstance(there, np.ndarray) or isinstance(here, np.ndarray):
        # no gradient, or that of nothing
        one = there if here is None else here if there is None else None
        return isinstance(one, np.ndarray) and one.size == 0
    if isinstance(there, float) and isinstance(here, float):
        return bool(np.isclose(there, here, rtol=1e-5, atol=1e-8, equal_nan=True))
    if isinstance(there, complex) and isinstance(here, complex):
        return bool(np.isclose(there, here, rtol=1e-5, atol=1e-8, equal_nan=True))
    if isinstance(there, (list, tuple)) and isinstance(here, (list, tuple)):
        return len(there) == len(here) and all(map(agree, there, here))
    return type(there) is type(here) and bool(there == here)


def precision(call: Call) -> float:
    """How near the results of the call's least exact element type are."""
    types = {REAL.get(g.dtype, g.dtype) for g in (*call.operands(), *call.outs)}
    types |= {v.text.removeprefix("torch.") for _, v in call.words if isinstance(v, Code)}
    types |= {v.text.removeprefix("torch.") for v in call.args if isinstance(v, Code)}
    if any(g.dtype not in (*NEAR, *REAL) for g in call.operands()) or not call.operands():
        types.add("float32")  # what integers are computed in
    return max((NEAR.get(REAL.get(t, t), 0.0) for t in types), default=0.0) or NEAR["float32"]


def near(there: np.ndarray, here: np.ndarray, unit: float, least: float) -> bool:
    if there.dtype.kind not in "fc":
        return bool(np.array_equal(there, here))
    if there.dtype.kind == "c":  # an element rounds as a whole
        size = np.abs(there[np.isfinite(there)].astype("D")).max(initial=least)
        return all(
            near(*(getattr(a, part).copy() for a in (there, here)), unit, size)
            for part in ("real", "imag")
        )
    with np.errstate(all="ignore"):
        alike = (there == here) | ((there != there) & (here != here))
        apart = np.abs(np.where(alike, 0, there.astype("d") - here.astype("d")))
        scale = np.abs(there[np.isfinite(there)].astype("d")).max(initial=0)
        return bool(np.all(apart <= unit * max(scale, least)))


def widened(call: Call) -> Call:
    """The call in double precision."""

    def wide(value: Any) -> Any:
        if isinstance(value, Given):
            return replace(value, dtype=WIDER.get(value.dtype, value.dtype))
        if isinstance(value, Code) and value.text.startswith("torch."):
            name = value.text.removeprefix("torch.")
            return Code(f"torch.{WIDER.get(name, name)}")
        if isinstance(value, (tuple, list)):
            return type(value)(wide(v) for v in value)
        return value

    return replace(
        call,
        args=tuple(map(wide, call.args)),
        words=tuple((k, wide(v)) for k, v in call.words),
        outs=tuple(map(wide, call.outs)),
    )


def rounding(
    torch: Any, call: Call, theirs: Any, ours: Any, found: list[Difference]
) -> list[Difference]:
    """Those where vizgrad is about as near to the result in double precision as PyTorch is."""
    truth = observed(torch, widened(call))
    noise = []
    for each in found:
        true = truth.get(each.what)
        if not isinstance(true, np.ndarray) or true.shape != each.theirs.shape:
            continue
        if each.theirs.dtype == true.dtype:
            continue  # it was double precision: there is nothing truer
        with np.errstate(all="ignore"):
            theirs_off, ours_off = (off(v, true) for v in (each.theirs, each.ours))
            scale = np.abs(true[np.isfinite(true)]).max(initial=0)
        if each.kind != "value":
            scale = max(scale, 1.0)  # of sums of terms of about 1 that cancel
        unit = np.finfo(each.theirs.dtype).eps
        if "bfloat16" in {g.dtype for g in call.operands()}:
            unit = 8e-3
        if ours_off <= 10 * theirs_off + 16 * unit * scale:
            noise.append(each)
    return noise


#: Relative changes of elements, by the least exact type among them.
_TREMOR = {"float64": 4e-16, "float32": 2e-7, "float16": 2e-3, "bfloat16": 1e-2}


def trembling(
    torch: Any, vizgrad: Any, call: Call, theirs: Any, ours: Any, found: list[Difference]
) -> list[Difference]:
    """Derivatives that differ by no more than they change when the last digits of the operands do.

    Equal elements stay equal, so that ties, and what two operands have in common, remain.
    """
    found = [f for f in found if f.kind.startswith(("gradient", "plain gradient", "second"))]
    least = [math.inf] * len(found)
    for seed in range(4):
        if not found:
            break
        shaken = shaken_by(call, seed)
        there, here = observed(torch, shaken), observed(vizgrad, shaken)
        for k, each in enumerate(found):
            moved = max(_moved(theirs, there, each.what), _moved(ours, here, each.what))
            least[k] = min(least[k], moved)
    return [
        f for f, moved in zip(found, least, strict=True) if _apart(f.theirs, f.ours) <= 100 * moved
    ]


def shaken_by(call: Call, seed: int) -> Call:
    """The call with other last digits: of each element, the same wherever it stands."""

    def other(value: Any, unit: float) -> Any:
        if isinstance(value, complex):
            return complex(other(value.real, unit), other(value.imag, unit))
        if not isinstance(value, float) or not math.isfinite(value):
            return value
        return value * (1 + unit * (1 if zlib.crc32(f"{seed} {value}".encode()) & 1 else -1))

    for k, given in enumerate(call.operands()):
        if given.differentiable:
            unit = _TREMOR[REAL.get(given.dtype, given.dtype)]
            values = tuple(other(v, unit) for v in given.values)
            call = call.with_operand(k, replace(given, values=values))
    return call


def _moved(before: Any, after: Any, what: str) -> float:
    now = after.get(what)
    alike = isinstance(now, np.ndarray) and now.shape == before[what].shape
    moved = _apart(before[what], now) if alike else 0.0
    return moved if math.isfinite(moved) else 0.0


def _apart(one: np.ndarray, other: np.ndarray) -> float:
    with np.errstate(all="ignore"):
        return off(one, other)


def off(found: np.ndarray, true: np.ndarray) -> float:
    """The largest distance from the truth; infinite where one is finite and the other is not."""
    same = (found == true) | ((found != found) & (true != true))
    apart = np.abs(np.where(same, 0, found - true))
    return float(np.nan_to_num(apart, nan=np.inf, posinf=np.inf).max(initial=0))
