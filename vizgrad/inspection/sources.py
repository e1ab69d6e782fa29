"""The text of a file whose lines recorded nodes, and whether it is what was compiled."""

from __future__ import annotations

import linecache
from pathlib import Path
from types import CodeType

from vizgrad.inspection.compiled import Compiled

#: A larger file is not shown.
MOST_BYTES = 2_000_000


def read_source(compiled: Compiled) -> tuple[str, bool, str]:
    """(text, whether something else was compiled, why there is no text)."""
    file = compiled.shown.file
    if compiled.shown.text:
        return compiled.shown.text, False, ""
    try:
        size = Path(file).stat().st_size
    except OSError:
        size = 0  # only linecache may know it
    if size > MOST_BYTES:
        return "", False, f"{file} is too large to be shown ({size:,} bytes)"
    linecache.checkcache(file)
    text = "".join(linecache.getlines(file))
    if not text:
        return "", False, f"the text of {file} is not to be had"
    return text, not _holds(text, file, compiled.code), ""


def _holds(text: str, file: str, code: CodeType) -> bool:
    """Is that code, or the same, in what the text is compiled to?"""
    try:
        left = [compile(text, file, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    while left:
        one = left.pop()
        if _same(one, code):
            return True
        left += [const for const in one.co_consts if isinstance(const, CodeType)]
    return False


def _same(one: CodeType, other: CodeType) -> bool:
    return (
        one.co_qualname == other.co_qualname
        and one.co_firstlineno == other.co_firstlineno
        and one.co_code == other.co_code
        and list(one.co_lines()) == list(other.co_lines())
    )
