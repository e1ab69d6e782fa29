"""Under transforms: where PyTorch and vizgrad differ, and why."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from tests.fuzz.compare import Difference
from tests.fuzz.conditions import halves, not_finite, ours_says, says, special
from tests.fuzz.known_entry import Known
from tests.fuzz.transforms import Transformed


def equal_elements(call: Transformed, found: Difference) -> bool:
    """Is an element of one operand one of another, or a bound?"""
    given = [set(operand.values) for operand in call.operands()]
    given += [{v} for v in (*call.args, *(v for _, v in call.words)) if isinstance(v, (int, float))]
    return any(one & other for one, other in combinations(given, 2))


UNDER: tuple[Known, ...] = (
    Known("T.set_", "vmap*raises: nothing, Unreadable", "a wrapper has no memory that could be another's"),
    Known("argwhere nonzero", "vmap*raises: nothing, *", "as many rows as elements that are not 0 (D-4)"),
    Known("stft", "vmap*raises: RuntimeError, nothing", "PyTorch writes the window into a tensor of its own",
          says("inplace arithmetic")),
    Known("scatter_reduce", "jvp raises: RuntimeError, nothing", "PyTorch's rule for products asks for the tangent of a constant",
          says("Expected a proper Tensor but got None")),
    Known("pairwise_distance F.pairwise_distance", "jvp tangent", "powers beyond the largest half", halves),
    Known("clamp clip fmax fmin", "jvp tangent", "where two are equal, PyTorch's tangent is not its gradient's", equal_elements),
    Known("T.new", "vmap* is no loop*", "a size alone: memory that nobody wrote", lambda call, found: isinstance(call.args[-1], int)),
    Known("L.eig*", "vmap grad raises: nothing, _LinAlgError", "equal eigenvalues have no derivative: PyTorch divides by 0",
          ours_says("singular")),
    Known("lobpcg", "jvp tangent", "in a direction that is not symmetric PyTorch's tangent is not its gradient's"),
    Known("atan2 arctan2", "jvp tangent", "PyTorch's tangent of a half has its precision, beside doubles, too", halves),
    Known("atan2 arctan2", "vmap* is no loop*", "squares of whole numbers near the limits of their type: 0 in it, as in PyTorch", special),
    Known("*", "jvp tangent", "of infinities and NaN, and beside them", special),
    Known("*", "vmap* is no loop*", "inf - inf and 0 * inf in another order", not_finite),
    Known("remainder fmod hypot xlogy pow addcdiv addcmul operator?% operator?**", "jvp tangent", "PyTorch's rule reads an operand that was written to",
          lambda call, found: call.writes and "Same" in repr(call.args + call.words)),
    Known("*", "vmap*raises: nothing, RuntimeError", "a batch of one example fits into what is the same for all, in PyTorch",
          lambda call, found: "inplace arithmetic" in str(found.ours) and any(size == 1 for size, _ in call.batches)),
    Known("operator?** pow", "jvp tangent", "by a real exponent, of a complex result, PyTorch drops the imaginary part",
          lambda call, found: found.theirs.dtype.kind == "c" and np.allclose(found.theirs.real, found.ours.real)),
    Known("F.triplet_margin_with_distance_loss", "vmap grad raises: nothing, Unreadable",
          "a margin that is differentiated: what a batch of gradients arrives at belongs to each example"),
    Known("triangular_solve L.solve_triangular", "jvp tangent", "with ones for a diagonal PyTorch's tangent counts what lies there",
          lambda call, found: True in (*call.args, *(v for _, v in call.words))),
    Known("detach", "vmap loop raises*", "the examples of a loop are views, which cannot be detached in place"),
    Known("as_strided*", "vmap* is no loop*", "strides are those of the memory, which is another for a loop"),
    Known("operator?x?i?*", "vmap*raises: IndexError, *", "a mask that differs between examples is refused (D-4)",
          ours_says("asks for the elements", "dynamic shape")),
    Known("operator?x?i?*", "vmap*raises: nothing, Unreadable", "PyTorch takes a mask of uint8 that differs for places",
          lambda call, found: any(g.dtype == "uint8" for g in call.operands())),
    Known("F.embedding_bag", "vmap*raises: RuntimeError, IndexError", "offsets of two examples with a fault each",
          says("offsets[0] has to be 0")),
    Known("operator?<< operator?>> bitwise*shift*", "vmap*raises: nothing, RuntimeError",
          "PyTorch writes an only example into what is no batch", ours_says("inplace arithmetic")),
    Known("as_strided*", "vmap*raises: nothing, *", "PyTorch reads the memory of other examples", ours_says("out of bounds")),
)  # fmt: skip


def known_under(call: Transformed, difference: Difference) -> bool:
    return any(each.covers(call, difference) for each in UNDER)
