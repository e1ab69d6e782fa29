"""The text that the engine adds to errors that happen while a node runs."""

from __future__ import annotations

from vizgrad.core.engine.anomaly import report_origin
from vizgrad.core.errors import explained, place_of, running
from vizgrad.core.graph.accumulate import AccumulateGrad
from vizgrad.core.graph.node import Node
from vizgrad.core.tensor.modes import MODES


def explain_node(error: Exception, node: Node) -> None:
    """Says which node was running and which line recorded it; once per error."""
    if node.__class__ is AccumulateGrad:
        running(error, f"hooks of a leaf of shape {list(node.variable.shape)}", None)  # pyright: ignore[reportAttributeAccessIssue]
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
