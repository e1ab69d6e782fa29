"""The text of a file whose lines recorded nodes, and whether it is what was compiled."""

from __future__ import annotations

import linecache
from collections.abc import Iterable
from pathlib import Path
from stat import S_ISREG
from types import CodeType

from vizgrad.debugger.session.lines.compiled_lines import Compiled

#: A larger file is not shown.
MOST_BYTES = 2_000_000


def read_source(compiled: Compiled) -> tuple[str, bool, str]:
    """(text, whether something else was compiled, why there is no text)."""
    file = compiled.shown.file
    if compiled.shown.text:
        return compiled.shown.text, False, ""
    try:
        found = Path(file).stat()
    except (OSError, ValueError):
        size = 0  # only linecache may know it
    else:
        if not S_ISREG(found.st_mode):  # to read a pipe or a terminal may never end
            return "", False, f"{file} is not a file that can be shown"
        size = found.st_size
    if size > MOST_BYTES:
        return "", False, f"{file} is too large to be shown ({size:,} bytes)"
    linecache.checkcache(file)
    text = "".join(linecache.getlines(file))
    if not text:
        return "", False, f"The text of {file} is not to be had: it is gone, or cannot be read"
    return text, not _holds(text, file, compiled.codes.values()), ""


def _holds(text: str, file: str, codes: Iterable[CodeType]) -> bool:
    """Are these codes, or the same, in what the text is compiled to?"""
    wanted = list(codes)
    try:
        left = [compile(text, file, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    while left and wanted:
        one = left.pop()
        wanted = [code for code in wanted if not _same(one, code)]
        left += [const for const in one.co_consts if isinstance(const, CodeType)]
    return not wanted


def _same(one: CodeType, other: CodeType) -> bool:
    return (
        one.co_firstlineno == other.co_firstlineno
        and one.co_qualname == other.co_qualname
        and one.co_code == other.co_code
        and list(one.co_lines()) == list(other.co_lines())
    )
