"""CustomNode: the engine's side of a custom Function's node.

People hold the context, an instance of the Function's backward class, as the node (F-3), and store
what they like on it: `ctx.shape`, `ctx.edges`... The engine's own fields are kept apart from those here.
The node owns the context; the context knows its node weakly, so that neither keeps the other alive in
a cycle (E-96), and makes another when it is asked for one that has died (`FunctionBase.engine_node`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vizgrad.core.arrays.backend import CPU, Device
from vizgrad.core.arrays.current_device import on
from vizgrad.core.errors import Place, returning_place
from vizgrad.core.function.custom.returned import per_edge
from vizgrad.core.graph.node import Meta, Node
from vizgrad.core.graph.saved import Freed
from vizgrad.core.tensor.source_location import Site
from vizgrad.core.tensor.tensor import Tensor, new_tensor

if TYPE_CHECKING:
    from vizgrad.core.function.custom.backward_class import FunctionBase


class CustomNode(Node):
    """Runs the backward of a Function on Tensors, in any mode."""

    __slots__ = ("ctx", "metas", "outputs")

    wants_tensors = True
    runs_on_undefined = True

    ctx: FunctionBase
    #: Shape and dtype of each output slot; None for an output that is no tensor (F-21).
    metas: tuple[Meta | None, ...]
    outputs: int

    def __init__(
        self,
        ctx: FunctionBase,
        edges: tuple[Any, ...],
        metas: tuple[Meta | None, ...],
        sequence_nr: int,
        site: Site | None,
        scope: Any,
    ) -> None:
        self.ctx = ctx
        self.edges = edges
        self.hooks = None
        self.metas = metas
        self.outputs = len(metas)
        first = metas[0] if metas else None
        self.shape = () if first is None else first.shape
        self.dtype = None if first is None else first.dtype
        self.sequence_nr = sequence_nr
        self.code, self.lasti = (None, 0) if site is None else site
        self.scope = scope

    def name(self) -> str:
        return self.ctx.name()

    @property
    def public(self) -> Any:
        return self.ctx

    @property
    def metadata(self) -> dict[Any, Any]:
        return self.ctx.metadata

    def meta(self, nr: int) -> Meta:
        return self.metas[nr] or Meta((), None)

    @property
    # asks the context
    def input_names(self) -> tuple[str, ...]:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.ctx._tensor_names()

    def formula_place(self) -> Place | None:
        return returning_place(self.ctx._backward_function())

    # --- running ------------------------------------------------------------------------------

    def input_device(self, index: int) -> Device:
        devices = self.ctx._fn_devices
        return CPU if devices is None else devices[index]

    def run_tensors(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        ctx = self.ctx
        if ctx.materialize_grads:
            for grad in grads:
                if grad is None:
                    grads = self._materialized(grads)
                    break
        return per_edge(self, ctx.apply(*grads))

    def _materialized(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        """With zeros for what is undefined (F-44)."""
        return tuple(
            zeros(meta) if g is None and meta is not None else g
            for g, meta in zip(grads, self.metas, strict=True)
        )

    # --- saved values -------------------------------------------------------------------------

    @property
    # asks the context
    def saved_names(self) -> tuple[str, ...]:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.ctx._saved_names()

    def release(self, token: Any) -> None:
        self.ctx._fn_saved = token

    def saved_values(self) -> dict[str, Any]:
        saved = self.ctx._fn_saved
        names = self.ctx._saved_names()
        if isinstance(saved, Freed):
            return dict.fromkeys(names, saved)
        return dict(zip(names, saved or (), strict=False))

    def restore_saved(self, values: dict[str, Any]) -> None:
        # one of several may be given: what a person puts there to see what would come of it
        there = self.saved_values() | values
        self.ctx._fn_saved = tuple(there.get(name) for name in self.ctx._saved_names())


def zeros(meta: Meta) -> Tensor:
    """A zero gradient for an output slot that nothing came to (F-44)."""
    with on(meta.device or CPU) as namespace:
        return new_tensor(namespace.zeros(meta.shape, meta.dtype))
