"""How an operation lost the history of its operands."""

from __future__ import annotations

from vizgrad.debugger.watch.notes import Note


def how_cut(note: Note, kind: str, mode: str) -> str:
    """As `Note.cut` says it. `mode` is the one that keeps from recording: "no_grad", "inference" or ""."""
    if kind == "data":
        return "data"
    if note.op in ("detach", "detach_"):
        return "detach"
    if mode:
        return mode
    if note.dtype.kind in "iub":
        return "dtype"
    return "copied" if kind == "make" else "step"
