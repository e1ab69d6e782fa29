"""Where a GPU gives something other than the CPU, and why that is so."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Exceptions:
    """Reasons by the beginning of a row's name and the names of element types; "" stands for each type."""

    reasons: dict[str, tuple[tuple[str, ...], str]]

    def reason(self, row: str, kind: str) -> str | None:
        """Why the row differs in this type, if it may."""
        for name, (kinds, why) in self.reasons.items():
            if row.startswith(name) and ("" in kinds or kind in kinds):
                return why
        return None


TYPES = Exceptions({})
SPECIAL = Exceptions({})
