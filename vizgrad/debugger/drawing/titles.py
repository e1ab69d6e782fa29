"""The heads of frames: a title, which of many equal children is shown, and a curve of all of them."""

from __future__ import annotations

from vizgrad.debugger.drawing.cards import cell_norms, curve_with_words, shortened
from vizgrad.debugger.drawing.geometry import Box, Head, HeadNeed, fitted, text_width
from vizgrad.debugger.drawing.scene import Shape, Text
from vizgrad.debugger.drawing.visible import Frame
from vizgrad.debugger.model import Group, Run

_SIZE = 11.5
#: A frame is not made wider for more of its title than this.
_LEAST_TITLE = 190.0
_LEAST_CURVE, _MOST_CURVE = 132.0, 240.0


def frame_title(group: Group, frame: Frame) -> str:
    """The title of an open group; if it shows one of many equal children also which."""
    return shortened(group.title) + _which(group, frame)


def _which(group: Group, frame: Frame) -> str:
    return "" if frame.cell < 0 else f" · {group.cells - frame.cell:,} of {group.cells:,}"


def head_need(group: Group, frame: Frame, buttons: float = 0.0, enlarged: float = 1.0) -> HeadNeed:
    """The room that a frame needs for its title, `buttons` beside it, and a curve if there is one at
    any time. Which of equal children it shows is never cut. `enlarged`: how much larger it may be
    written than in a file.
    """
    title = text_width(shortened(group.title), _SIZE, bold=True)
    others = text_width(_which(group, frame), _SIZE, bold=True) * enlarged + buttons
    curve = _LEAST_CURVE if group.cells > 1 else 0.0
    return HeadNeed(title * enlarged + others, min(title, _LEAST_TITLE) + others, curve)


def head_shapes(
    group: Group, frame: Frame, box: Box, head: Head, nested: str, run: Run | None
) -> tuple[Shape, ...]:
    """The head of a frame in `box`; `nested` is the role of a frame in a frame."""
    which = _which(group, frame)
    room = head.title_room - text_width(which, _SIZE, bold=True)
    words = fitted(shortened(group.title), room, _SIZE, bold=True) + which
    title = Text(box.x + head.title, box.y + 17, words, f"scope halo{nested}")
    if run is None or group.cells < 2 or not head.curve_room:
        return (title,)
    width = min(head.curve_room, _MOST_CURVE)
    norms = cell_norms(run, group.first, group.last, group.cells)
    right = box.x + head.curve + head.curve_room
    return title, *curve_with_words(norms, Box(right - width, box.y + 4, width, 17))
