"""What calls keep for their backward: where PyTorch and vizgrad differ, and why."""

from __future__ import annotations

import re

from tests.fuzz.compare import Difference
from tests.fuzz.conditions import gives, one_observation
from tests.fuzz.known_entry import Known
from tests.fuzz.saved import Saved
from tests.fuzz.saved_compare import FEW


def copied(call: Saved, found: Difference) -> bool:
    """PyTorch holds no fewer bytes, but for a few, though none are the operand's, or those of its elements alone."""
    theirs, ours = (int(re.findall(r"\d+", each)[0]) for each in (found.theirs, found.ours))
    return theirs + FEW >= ours or scattered(call, found)


def scattered(call: Saved, found: Difference) -> bool:
    """A constant operand is a part of a larger memory: PyTorch may keep a copy of the part."""
    return any(
        given.memory in ("stepped", "shifted") and not given.grad for given in call.operands()
    )


def narrow_in_another_type(call: Saved, found: Difference) -> bool:
    return call.operands()[0].dtype == "bfloat16" and any(word == "dtype" for word, _ in call.words)


def nothing(call: Saved, found: Difference) -> bool:
    return any(not given.count for given in call.operands())


SAVED: tuple[Known, ...] = (
    Known("*", "refused after a write to operand", "PyTorch keeps a copy: what it folds, repeats, casts or makes contiguous", copied),
    Known("*", "refused*|again refused|held|kept", "of nothing PyTorch computes nothing, and so keeps nothing", nothing),
    Known("kron", "refused after a write to operand", "PyTorch misses the write of some shapes, and its gradient is wrong then"),
    Known("F.interpolate F.upsample* F.adaptive_avg_pool?d F.affine_grid F.pad stft istft", "held|kept",
          "tables of places and weights: they depend on sizes alone, and the backward needs them again"),
    Known("*", "held", "of a part of a memory PyTorch keeps a copy", scattered),
    Known("scatter", "again refused|held|kept|refused*", "[D] `reduce` has a derivative: PyTorch, writing to a view, forgets that it has none, and keeps nothing",
          gives("reduce")),
    Known("L.vecdot vdot", "held", "a conjugate has memory of its own: of elements that repeat, PyTorch keeps each once",
          lambda call, found: any(g.memory == "expanded" and g.dtype.startswith("complex") for g in call.operands())),
    Known("cov corrcoef", "held", "a conjugate has memory of its own",
          lambda call, found: any(g.dtype.startswith("complex") for g in call.operands())),
    Known("L.lu_factor L.lu_factor_ex lu", "held", "L, U and P as they are multiplied, not LAPACK's one matrix and pivots"),
    Known("nansum nanmean norm L.norm L.vector_norm L.matrix_norm cumprod prod", "held", "of halves that numpy has not (bfloat16), `dtype` names the type in which vizgrad "
          "computes, and it keeps what it has computed with", narrow_in_another_type),
    Known("cov corrcoef", "refused after a write to operand|held", "of one observation PyTorch's gradient by the weights is a constant, 0 or NaN",
          one_observation),
)  # fmt: skip


def known_saved(call: Saved, difference: Difference) -> bool:
    return any(each.covers(call, difference) for each in SAVED)
