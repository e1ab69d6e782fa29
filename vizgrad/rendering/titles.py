"""The heads of frames: a title, which of many equal children is shown, and a curve of all of them."""

from __future__ import annotations

from vizgrad.inspection.model import Group, Run
from vizgrad.rendering.geometry import Box
from vizgrad.rendering.group_cards import shortened
from vizgrad.rendering.metrics import text_width
from vizgrad.rendering.norm_curve import cell_norms, curve_with_words
from vizgrad.rendering.scene import Shape, Text
from vizgrad.rendering.visible import Frame

#: Least and most of a head that a curve takes.
_LEAST_CURVE, _MOST_CURVE = 128.0, 240.0
_SIDE, _GAP = 12.0, 28.0


def frame_title(group: Group, frame: Frame) -> str:
    """Of an open group; of one that shows one of many equal children also which."""
    if frame.cell < 0:
        return shortened(group.title)
    return f"{shortened(group.title)} · {group.cells - frame.cell:,} of {group.cells:,}"


def head_width(group: Group, frame: Frame) -> float:
    """What a frame needs for its title, and a curve if there is one in the course of a run."""
    curve = _GAP + _LEAST_CURVE if group.cells > 1 else 0.0
    return _title_width(group, frame) + 2 * _SIDE + curve


def head_shapes(
    group: Group, frame: Frame, box: Box, nested: str, run: Run | None
) -> tuple[Shape, ...]:
    """The head of a frame in `box`; `nested` is the role of a frame in a frame."""
    title = Text(box.x + _SIDE, box.y + 18, frame_title(group, frame), f"scope halo{nested}")
    if run is None or group.cells < 2:
        return (title,)
    width = min(box.width - 2 * _SIDE - _title_width(group, frame) - _GAP, _MOST_CURVE)
    norms = cell_norms(run, group.first, group.last, group.cells)
    return title, *curve_with_words(norms, Box(box.right - _SIDE - width, box.y + 5, width, 17))


def _title_width(group: Group, frame: Frame) -> float:
    return text_width(frame_title(group, frame), 11.5, bold=True)
