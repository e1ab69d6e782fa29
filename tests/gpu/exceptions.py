"""Where a GPU gives something other than the CPU, and why that is so."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

#: How often each reason was given.
GIVEN: Counter[str] = Counter()


@dataclass(frozen=True)
class Exceptions:
    """Reasons by the beginning of a row's name and the names of element types; "" stands for each type."""

    reasons: dict[str, tuple[tuple[str, ...], str]]

    def reason(self, row: str, kind: str) -> str | None:
        """Why the row differs in this type, if it may."""
        for name, (kinds, why) in self.reasons.items():
            if row.startswith(name) and ("" in kinds or kind in kinds):
                GIVEN[why] += 1
                return why
        return None


_INFINITE = "products and quotients of complex infinities are NaN in CUDA's formulas"
_REFUSED = (
    "values outside [0, 1] are refused on the CPU alone: on a device nobody waits to see them"
)

_STEPS = "on the CPU attention is one node, and gives gradients as its operands lie; on a device its steps"
_NODE_OF_CTC = (
    "on the CPU ctc_loss is one node, in which -inf is log(0); on a device steps make NaN of it"
)
_FORTRAN = "LAPACK gives columns, and cupy copies what cuSOLVER gives into rows"

TYPES = Exceptions({})
LAYOUTS = Exceptions(
    {
        "attention as one node": (("",), _STEPS),
        "slogdet": (("",), _FORTRAN),
        "qr": (("",), _FORTRAN),
        "lu_solve from the right": (("complex64", "complex128"), _FORTRAN),
    }
)
SPECIAL = Exceptions(
    {
        "complex": (("",), _INFINITE),
        "special i0": (("",), "i0 of infinity is infinite in CUDA, and NaN in scipy"),
        "special i1": (("",), "i1 of infinity is infinite in CUDA, and NaN in scipy"),
        "solve_triangular": (("",), "of a 0 on the diagonal cuSOLVER makes what it likes"),
        "lu_solve": (("",), "of infinities in a factor the triangular systems of cuBLAS make NaN"),
        "ctc_loss": (("",), _NODE_OF_CTC),
        "nextafter": (("float16",), "cupy's number after the largest half is NaN"),
        "binary_cross_entropy": (("",), _REFUSED),
    }
)
