"""What the engine needs to know about gradients, so that it knows nothing of ops.

There are two domains: plain arrays (the usual backward) and Tensors (``create_graph=True``, so that the
backward is itself recorded). The tests add a third: Python floats.
"""

from __future__ import annotations

from typing import Any, Protocol

from vizgrad.core.graph.node import Meta, Node


class Domain(Protocol):
    """Arithmetic on gradients of one kind."""

    #: True for plain arrays: nodes run with `Node.run`, else with `Node.run_tensors`.
    raw: bool
    #: Is the backward recorded itself?
    records: bool

    def add(self, a: Any, b: Any) -> Any:
        """a + b, out of place."""
        ...

    def can_add_in_place(self, total: Any, grad: Any) -> bool:
        """May ``total += grad`` be done, given that nobody but the engine holds `total`?"""
        ...

    def share_memory(self, view: Any, other: Any) -> bool:
        """Are two gradients in one block of memory? Asked only where `raw`, of a `view` that has a base."""
        ...

    def fit(self, grad: Any, meta: Meta, node: Node, index: int) -> Any:
        """`grad`, output `index` of `node`, made to match `meta` (F-64 ... F-66), or RuntimeError."""
        ...

    def fit_device(self, grad: Any, device: Any, node: Node, index: int) -> Any:
        """`grad`, output `index` of a custom `node`, on `device`, or RuntimeError (F-66)."""
        ...

    def to_tensor(self, grad: Any) -> Any:
        """As hooks and custom Functions see it."""
        ...

    def from_tensor(self, tensor: Any) -> Any: ...

    def zeros(self, meta: Meta) -> Any: ...

    def accumulate(self, variable: Any, grad: Any, borrowed: bool) -> tuple[str, str]:
        """Puts `grad` into `variable.grad`; returns the decision and its reason (E-60, E-61)."""
        ...

    def retain(self, tensor: Any, grad: Any) -> None:
        """Stores `grad` in `tensor.grad` (E-71)."""
        ...

    def has_nan(self, grad: Any) -> bool: ...

    def explain(self, error: Exception, node: Node) -> None:
        """Adds to `error` which node was being run and who recorded it."""
        ...
