"""Anomaly mode: which line recorded the node that fails (spec 02 H).

While the mode is on, each recorded node notes the stack of its creation, and the node that was being run
when a backward recorded it. When a node fails, that story is told as a warning.
"""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Iterator
from typing import Any

from vizgrad.core.graph.node import Node
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.source_location import frame_outside


def remember_origin(node: Node, outputs: Any) -> None:
    """Listener of recording: keeps the stack, and the node that is being run (E-85)."""
    frame = frame_outside()
    node.metadata["traceback_"] = [] if frame is None else traceback.format_stack(frame)
    task = MODES.task
    if task is not None and task.current is not None:
        node.metadata["parent_"] = task.current.public


def report_origin(node: Node, error: BaseException) -> None:
    """Warns with the stack that recorded the failing node, then its parents' (E-86, E-88).

    Where warnings are errors, `error` stays the one that is raised, and is told the story as a note. One
    error of a node is reported once: a wrong gradient may be found within the visit or at its
    delivery.
    """
    told = error.__dict__.setdefault("_origins_told", set())
    if id(node) in told:
        return
    told.add(id(node))
    for part in _story(node):
        try:
            warnings.warn(part, UserWarning, stacklevel=3)
        except UserWarning:
            error.add_note(part)


def _story(node: Node) -> Iterator[str]:
    stack = node.metadata.get("traceback_")
    if stack is None:
        yield (
            f"Error detected in {node.name()}. No forward pass information available. Enable detect "
            "anomaly during forward pass for more information."
        )
        return
    yield (
        f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n"
        + "".join(stack)
    )
    child, parent = node.name(), node.metadata.get("parent_")
    while parent is not None:
        earlier = parent.metadata.get("traceback_")
        yield (
            f"Previous calculation was induced by {parent.name()}, whose backward recorded {child}. "
            + (
                "Traceback of forward call that induced the previous calculation:\n"
                + "".join(earlier)
                if earlier
                else "No forward pass information is available for it."
            )
        )
        child, parent = parent.name(), parent.metadata.get("parent_")
