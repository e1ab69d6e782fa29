"""Upcalls: functions of upper layers that lower layers call (see README.md).

Imports only point down. A function of an upper layer that a lower one needs stands here with its type;
the module that defines the function sets it when it is imported: with vizgrad, but that of tangents
when forward mode is first used. Those of the debugger are set by `vizgrad.debugger.api.on_import`; where
only a notebook knows an answer, a plain one is set before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vizgrad.core.errors import Explanation
    from vizgrad.core.function.declared import Declared
    from vizgrad.core.graph.node import Node
    from vizgrad.core.tensor.tensor import Tensor
    from vizgrad.debugger.explain.training_course import TrainingCourse
    from vizgrad.debugger.model.trace import Filing
    from vizgrad.debugger.model.training import Course
    from vizgrad.debugger.session.lines.source_files import Ran


class Upcalls:
    """One attribute a function. AttributeError, which names it, where it is called before it is set."""

    __slots__ = (
        "accumulate_tensor", "cell_of", "cells_run", "course_drawn", "course_shown", "device_to_enter",
        "explanations_html", "filing", "gather_operands", "line_shown", "memory_held",
        "regenerate_view", "region_of_tangent", "show_saved", "show_saved_group",
    )  # fmt: skip

    #: (root, view, tangent of the root) -> the view's part of the tangent; `ops.tangents.layouts`.
    region_of_tangent: Callable[[Tensor, Tensor, Tensor], Tensor]
    #: (node, name) -> a saved value as an object that hooks can be put on (E-8, V-65); `graph.packing`.
    show_saved: Callable[[Node, str], Any]
    #: The same for a value of several tensors.
    show_saved_group: Callable[[Node, str], Any]
    #: Brings a view's history up to date with its base; `function.inplace`.
    regenerate_view: Callable[[Tensor], None]
    #: Adds a gradient to a leaf's `.grad`, with history; `engine.leaf`.
    accumulate_tensor: Callable[[Tensor, Tensor], object]
    #: (operation, operands) -> the operands on one device, None if they are; `function.devices`.
    gather_operands: Callable[[Declared, tuple[Any, ...]], tuple[Any, ...] | None]
    #: (operation, operands) -> their device as a context, None if it is the current one; `function.devices`.
    device_to_enter: Callable[[Declared, tuple[Any, ...]], Any]
    #: The HTML of explanations for a notebook, "" for none; `debugger.drawing.overlay`.
    explanations_html: Callable[[Sequence[Explanation]], str]
    #: The course of a training as text and as SVG; `debugger.drawing.training_curves`.
    course_drawn: Callable[[Course], tuple[str, str]]
    #: The same by mime types, and in a Jupyter kernel as data, too, in which steps are chosen;
    #: `debugger.jupyter.widget.live_course`.
    course_shown: Callable[[TrainingCourse], dict[str, Any]]
    #: (name of a device) -> lines for an error that its memory is not enough: who holds how much;
    #: `debugger.api`.
    memory_held: Callable[[str], Sequence[str]]
    #: The module that saves, exports and compares traces, imported at the first call; `debugger.traces`.
    filing: Callable[[], Filing]
    #: Filename -> the notebook cell it stands for, e.g. ``In [3]``; `debugger.jupyter.widget.commtarget`.
    cell_of: Callable[[str], str | None]
    #: Filename, line as it was compiled -> the same line as an editor counts: IPython compiles neither empty
    #: lines at the beginning of a cell nor a magic; `debugger.jupyter.widget.line_messages`.
    line_shown: Callable[[str, int], int]
    #: Filename -> the cells that it stands for, in the order in which they ran: cells of one text share a
    #: name; `debugger.jupyter.widget.line_messages`.
    cells_run: Callable[[str], Sequence[Ran]]


UPCALLS = Upcalls()
