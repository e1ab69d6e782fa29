"""What custom Functions did within a watch that shows without examples: `vizgrad.check` finds the rest."""

from __future__ import annotations

from collections.abc import Iterator

from vizgrad.core.tensor.source_location import written_name
from vizgrad.debugger.explain.cause import Cause, cause
from vizgrad.debugger.watch.ctx_attributes import kept_at
from vizgrad.debugger.watch.note_recorder import Noting


def find(noting: Noting) -> Iterator[Cause]:
    for kind, cls, name, site in noting.habits.functions:
        if kind == "reference-cycle":
            place, value = kept_at(cls, name)
            yield cause(
                kind, "ctx-holds-its-output", place, value or name,
                function=cls.__name__, attribute=name, name=value or name,
            )  # fmt: skip
        else:
            value = written_name(site)
            yield cause(kind, "dirty-input", site, value, function=cls.__name__, name=value)


def threads(noting: Noting) -> Iterator[Cause]:
    """Grad mode belongs to a thread."""
    for site in noting.habits.strays[:1]:
        yield cause("grad-mode", "other-thread", site, "")
