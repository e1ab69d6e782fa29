"""What a backward may return, and what it is told when it returned something else (F-61 ... F-63).

Shapes, dtypes and devices are checked by the engine when it delivers, as for any node (F-64 ... F-66).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vizgrad.core.errors import explained
from vizgrad.core.tensor.tensor import Tensor

if TYPE_CHECKING:
    from vizgrad.core.function.custom.node import CustomNode


def per_edge(node: CustomNode, returned: Any) -> tuple[Any, ...]:
    """One gradient per tensor argument, from what backward returned; RuntimeError if it cannot be."""
    if not isinstance(returned, tuple):
        returned = (returned,)
    takes = node.ctx._fn_takes
    count = len(takes)
    if len(returned) > count and all(extra is None for extra in returned[count:]):
        returned = returned[:count]
    if len(returned) != count:
        raise _wrong(
            node,
            f"function {node.name()} returned an incorrect number of gradients (expected {count}, "
            f"got {len(returned)})",
            f"return {count} value{'s' * (count != 1)}, one per argument of forward, None for those "
            "without a gradient",
        )
    gradients: list[Any] = []
    edge = 0
    for position, (is_tensor, value) in enumerate(zip(takes, returned, strict=True)):
        if not is_tensor:
            if value is not None:
                raise _wrong(
                    node,
                    f"function {node.name()} returned a gradient different than None at position "
                    f"{position + 1}, but the corresponding forward input was not a Variable",
                    f"return None at position {position + 1}",
                )
            continue
        if value is not None and not isinstance(value, Tensor):
            raise _wrong(
                node,
                f"expected Variable or None (got {type(value).__name__}) at position "
                f"{position + 1} of what {node.name()} returned",
                "return a Tensor or None there"
                + (
                    ": a list counts as one gradient, use a tuple"
                    if isinstance(value, list)
                    else ""
                ),
            )
        gradients.append(None if node.edges[edge] is None else value)
        edge += 1
    return tuple(gradients)


def _wrong(node: CustomNode, message: str, fix: str) -> RuntimeError:
    return explained(
        RuntimeError(message),
        kind="function-return",
        culprit=node.formula_place(),
        tensor=node.name(),
        fix=fix,
    )
