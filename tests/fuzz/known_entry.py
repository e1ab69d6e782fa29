"""One reason why a difference between PyTorch and vizgrad stays."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from tests.fuzz.calls import Call
from tests.fuzz.compare import Difference
from tests.fuzz.conditions import When
from tests.fuzz.operations import Operation, operations


@dataclass(frozen=True)
class Known:
    """Operations and kinds of difference (with `*`), and a reason; `when` narrows it to some calls."""

    operations: str
    kinds: str
    why: str
    when: When | None = None

    def covers(self, call: Call, difference: Difference) -> bool:
        kind = difference.kind.removeprefix("plain ")
        # what is written into an operand, or into `out`, is the value
        kinds = (kind, "value") if kind.endswith(" after") else (kind,)
        return (
            any(
                fnmatchcase(n, o)
                for n in names_of(call.operation)
                for o in self.operations.split(" ")
            )
            and any(fnmatchcase(word, k) for k in self.kinds.split("|") for word in kinds)
            and (self.when is None or self.when(call, difference))
        )


@cache
def names_of(name: str) -> tuple[str, ...]:
    """The names of the function that is called `name`."""
    named = _functions()
    return (name, *(n for n, f in named.items() if f is named.get(name)))


@cache
def _functions() -> dict[str, object]:
    return {n: f for n, o in operations().items() if (f := _function(o)) is not None}


def _function(operation: Operation) -> object:
    import vizgrad

    found: Any = vizgrad
    for part in operation.path.split("."):
        found = getattr(found, part, None)
    return None if operation.method_only else found
