"""Under transforms: where PyTorch and vizgrad differ, and why."""

from __future__ import annotations

from tests.fuzz.compare import Difference
from tests.fuzz.conditions import halves, not_finite, ours_says, says, special
from tests.fuzz.known_entry import Known
from tests.fuzz.transforms import Transformed

UNDER: tuple[Known, ...] = (
    Known("T.set_", "vmap*raises: nothing, Unreadable", "a wrapper has no memory that could be another's"),
    Known("argwhere nonzero", "vmap*raises: nothing, *", "as many rows as elements that are not 0 (D-4)"),
    Known("stft", "vmap*raises: RuntimeError, nothing", "PyTorch writes the window into a tensor of its own",
          says("inplace arithmetic")),
    Known("pairwise_distance F.pairwise_distance", "jvp tangent", "powers beyond the largest half", halves),
    Known("*", "jvp tangent", "of infinities and NaN, and beside them", special),
    Known("*", "vmap* is no loop*", "inf - inf and 0 * inf in another order", not_finite),
    Known("remainder fmod", "jvp tangent", "PyTorch's rule reads an operand that was written to",
          lambda call, found: call.writes and "Same" in repr(call.args + call.words)),
    Known("detach", "vmap loop raises*", "the examples of a loop are views, which cannot be detached in place"),
    Known("as_strided*", "vmap* is no loop*", "strides are those of the memory, which is another for a loop"),
    Known("operator?x?i?*", "vmap*raises: IndexError, *", "a mask that differs between examples is refused (D-4)",
          ours_says("asks for the elements", "dynamic shape")),
    Known("as_strided*", "vmap*raises: nothing, *", "PyTorch reads the memory of other examples", ours_says("out of bounds")),
)  # fmt: skip


def known_under(call: Transformed, difference: Difference) -> bool:
    return any(each.covers(call, difference) for each in UNDER)
