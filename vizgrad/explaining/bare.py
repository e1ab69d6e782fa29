"""What the graph alone tells, where nobody listened."""

from __future__ import annotations

from vizgrad.errors import Explanation
from vizgrad.explaining.said import line, said
from vizgrad.graph.accumulate import AccumulateGrad
from vizgrad.graph.node import Node
from vizgrad.provenance import written
from vizgrad.stepping.origin_of_nan import made_by
from vizgrad.tensor.tensor import Tensor


def of_bare_value(tensor: Tensor, name: str) -> Explanation | None:
    """A value is not finite, and only what nodes saved is left to tell why."""
    edge = tensor._edge
    node = getattr(edge, "node", edge)
    if not isinstance(node, Node):
        return said(
            "nonfinite-forward", None, name,
            f"`{name}` holds values that are not finite, and no operation is known that made them.",
            "look at the data; inside vizgrad.watch() the operation is found",
        )  # fmt: skip
    origin = made_by(node, node.saved_values())
    if origin is None:
        return said(
            "nonfinite-forward", None, name,
            f"`{name}` is not finite; what was saved does not tell which operation began it.",
            "run the block inside vizgrad.watch(), and ask again",
        )  # fmt: skip
    if isinstance(origin, AccumulateGrad):
        return said(
            "nonfinite-forward", None, name, f"`{name}` was computed from a leaf that is not finite.",
            "look at the leaf: what wrote to it, and with which gradient",
        )  # fmt: skip
    shown = written.variable(origin.site) or origin.name()
    return said(
        "nonfinite-forward", origin.site, shown,
        f"`{written.text_of(origin.site) or origin.name()}` on {line(origin.site)} made it from "
        "finite values.",
        f"keep `{shown}` in the domain of the operation: clamp it, or add a small eps",
    )  # fmt: skip
