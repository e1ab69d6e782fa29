"""The text that the engine adds to errors that happen while a node runs.

In anomaly mode each recorded node notes the stack of its creation, and the node that was being run when a
backward recorded it. When a node fails, that story is told as a warning.
"""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Iterator
from typing import Any

from vizgrad.core.errors import explained, place_of, running
from vizgrad.core.graph.edges import AccumulateGrad
from vizgrad.core.graph.node import Node
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.source_location import frame_outside

# --- anomaly mode: which line recorded the node that fails (spec 02 H) --------------------------------


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


# --- errors of a run ----------------------------------------------------------------------------------


def explain_node(error: Exception, node: Node) -> None:
    """Says which node was running and which line recorded it; once per error."""
    if node.__class__ is AccumulateGrad:
        running(error, f"hooks of a leaf of shape {list(node.variable.shape)}", None)  # pyright: ignore[reportAttributeAccessIssue]  a leaf
    else:
        running(error, node.name(), place_of(node.site))


def validation_error(
    node: Node, index: int, got: tuple[int, ...], expected: tuple[int, ...]
) -> RuntimeError:
    """A gradient of a shape that cannot be that of its input (F-64)."""
    name = node.input_names[index] if index < len(node.input_names) else f"argument {index}"
    error = explained(
        RuntimeError(
            f"Function {node.name()} returned an invalid gradient at index {index} - got "
            f"{list(got)} but expected shape compatible with {list(expected)}"
        ),
        kind="function-return",
        culprit=node.formula_place(),
        tensor=node.name(),
        fix=f"return a gradient of shape {list(expected)} for `{name}`",
    )
    explain_node(error, node)
    if MODES.anomaly:
        report_origin(node, error)
    return error


def device_error(node: Node, index: int, got: object, expected: object) -> RuntimeError:
    """A gradient that is not where its input is (F-66)."""
    name = node.input_names[index] if index < len(node.input_names) else f"argument {index}"
    error = explained(
        RuntimeError(
            f"Function {node.name()} returned an invalid gradient at index {index} - expected device "
            f"{expected} but got {got}"
        ),
        kind="function-return",
        culprit=node.formula_place(),
        tensor=node.name(),
        fix=f"return a gradient on {expected} for `{name}`, e.g. with .to({str(expected)!r})",
    )
    explain_node(error, node)
    return error


def complex_error(node: Node, index: int) -> RuntimeError:
    """A complex gradient for a real input (F-65)."""
    error = explained(
        RuntimeError(
            f"Function {node.name()} returned a complex gradient at index {index}, but the input is "
            "real: expected isFloatingType(grad.scalar_type())"
        ),
        kind="function-return",
        culprit=node.formula_place(),
        tensor=node.name(),
        fix="return its real part: `grad.real`",
    )
    explain_node(error, node)
    return error


def unfinished_error(waiting: list[Node]) -> RuntimeError:
    """Nodes were left waiting for gradients at the end of a run (E-45): a defect, not a person's."""
    first = waiting[0]
    return explained(
        RuntimeError(
            "could not compute gradients for some functions: "
            + ", ".join(node.name() for node in waiting)
        ),
        kind="internal",
        culprit=place_of(first.site),
        tensor=first.name(),
        fix="this is a defect of vizgrad: please report it with the program that shows it",
    )
