"""What custom Functions did within a watch that shows without examples: `vizgrad.check` finds the rest."""

from __future__ import annotations

from collections.abc import Iterator

from vizgrad.core.errors import Explanation
from vizgrad.core.tensor.source_names import written_name
from vizgrad.debugger.explain.wording import code, line, said
from vizgrad.debugger.watch.ctx_attributes import kept_at
from vizgrad.debugger.watch.note_recorder import Noting


def find(noting: Noting) -> Iterator[Explanation]:
    for kind, cls, name, site in noting.habits.functions:
        if kind == "reference-cycle":
            place, value = kept_at(cls, name)
            yield said(
                kind, place, value or name,
                f"{cls.__name__} keeps its output on ctx, as {code(name)}: output, node and ctx hold "
                "each other, and only "
                "the garbage collector can free them.",
                f"keep it with ctx.save_for_backward({value or name})",
            )  # fmt: skip
        else:
            value = written_name(site)
            yield said(
                kind, site, value,
                f"{cls.__name__} changed its input `{value}` in place on {line(site)} without "
                "saying so: autograd "
                "goes on with a history that is not that of the new value.",
                f"call ctx.mark_dirty({value}) and return it, or write to a clone",
            )  # fmt: skip


def threads(noting: Noting) -> Iterator[Explanation]:
    """Grad mode belongs to a thread."""
    for site in noting.habits.strays[:1]:
        yield said(
            "grad-mode", site, "",
            f"{line(site)} ran on another thread and was recorded, although gradients were off on "
            "the thread that "
            "started it: grad mode belongs to each thread.",
            "enter no_grad (or inference_mode) within the function that the thread runs",
        )  # fmt: skip
