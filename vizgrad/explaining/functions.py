"""What custom Functions did within a watch that shows without examples: `vizgrad.check` finds the rest."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from vizgrad.errors import Explanation, Place, place_at
from vizgrad.explaining.said import line, said
from vizgrad.provenance.noting import Noting
from vizgrad.provenance.written import tree_of
from vizgrad.tensor.source import written_name


def find(noting: Noting) -> Iterator[Explanation]:
    for kind, cls, name, site in noting.habits.functions:
        if kind == "reference-cycle":
            place, value = _kept_at(cls, name)
            yield said(
                kind, place, value or name,
                f"{cls.__name__} keeps its output on ctx, as `{name}`: output, node and ctx hold "
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


def _kept_at(cls: Any, name: str) -> tuple[Place | None, str]:
    """The line of forward, or setup_context, that assigns `ctx.NAME`, and what it assigns."""
    for method in (cls.__dict__.get("forward"), cls.__dict__.get("setup_context")):
        code = getattr(getattr(method, "__func__", method), "__code__", None)
        tree = None if code is None else tree_of(code.co_filename)
        if code is None or tree is None:
            continue
        last = max((each for _, _, each in code.co_lines() if each), default=code.co_firstlineno)
        for node in ast.walk(tree):
            if not isinstance(node, ast.Assign) or not code.co_firstlineno <= node.lineno <= last:
                continue
            for target in node.targets:
                if isinstance(target, ast.Attribute) and target.attr == name:
                    return place_at(code, node.lineno), ast.unparse(node.value)
    return None, ""
