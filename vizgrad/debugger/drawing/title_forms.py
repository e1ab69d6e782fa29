"""Titles of groups where they have too little room: what says least is left out first.

The live view does the same (`extension/src/view/graph/titleForms.ts`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from vizgrad.debugger.drawing.describe import plain
from vizgrad.debugger.drawing.geometry import fitted, text_width

#: A title is cut to so many characters.
TITLE_LIMIT = 44

_COUNT = re.compile(r"( × [\d,]+| · [^·]*)$")
_LOOP = re.compile(r"for (.+?) in (.+)")
_MODULE = re.compile(r"([\w.]+): (\w+)")
_PATH = re.compile(r"[\w.]+")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z\d_]+")
_JOINT = " / "


def short_forms(title: str) -> Iterator[str]:
    """Ever shorter forms of a title: of a loop what it goes over and how often stay, of a module its name, of
    groups in each other the innermost, of a path its end.
    """
    found = _COUNT.search(title)
    count = "" if found is None else found[0]
    for form in _forms(title[: len(title) - len(count)]):
        yield form + count


def _forms(title: str) -> Iterator[str]:
    first, *others = title.split(_JOINT)
    if others:
        if len(others) > 1:
            yield _JOINT.join((first, "…", others[-1]))
        for form in (others[-1], *_forms(others[-1])):
            yield f"…{_JOINT}{form}"
        return
    loop, module = _LOOP.fullmatch(title), _MODULE.fullmatch(title)
    if loop is not None:
        yield f"for … in {loop[2]}"
        yield f"… in {loop[2]}"
        for end in _ends_of(loop[2]):
            yield f"… in {end}"
    elif module is not None:
        words = _WORD.findall(module[2])
        for kept in range(len(words) - 1, 0, -1):
            yield f"{module[1]}: {''.join(words[:kept])}…"
        yield module[1]
    elif ends := list(_ends_of(title)):
        yield from (*ends, title[title.rindex(".") + 1 :])


def _ends_of(path: str) -> Iterator[str]:
    """Without its first names: ``…gru.weight_hh_l0``."""
    parts = path.split(".") if _PATH.fullmatch(path) else []
    for left in range(1, len(parts)):
        yield f"…{'.'.join(parts[left:])}"


def shortened(title: str) -> str:
    """A title that fits a box. One without a form that is short enough loses its middle."""
    title = shortest = plain(title)
    if len(title) <= TITLE_LIMIT:
        return title
    for form in short_forms(title):
        if len(form) <= TITLE_LIMIT:
            return form
        shortest = form
    half = (TITLE_LIMIT - 1) // 2
    return f"{shortest[:half]}…{shortest[-half:]}"


def fitted_title(title: str, room: float, size: float) -> str:
    """As much of a title as fits into `room`, bold in font size `size`."""
    shortest = title
    for form in (title, *short_forms(title)):
        if text_width(form, size, bold=True) <= room:
            return form
        shortest = form
    return fitted(shortest, room, size, bold=True)
