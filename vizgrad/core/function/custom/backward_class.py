"""FooBackward: the class of the contexts of Foo, which are the nodes people see (spec 01 A, J).

The allowed results of a backward, and the errors for others (F-61 ... F-63).

Shapes, dtypes and devices are checked by the engine when it delivers, as for any node (F-64 ... F-66).

CustomNode: the engine's side of a custom Function's node.

People hold the context, an instance of the Function's backward class, as the node (F-3), and store
what they like on it: `ctx.shape`, `ctx.edges`... The engine's own fields are kept apart from those here.
The node owns the context; the context knows its node weakly, so that neither keeps the other alive in
a cycle (E-96), and makes another when it is asked for one that has died (`FunctionBase.engine_node`).
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable
from typing import Any, ClassVar

from vizgrad.core.arrays.backend import CPU, Device, on
from vizgrad.core.errors import Place, explained, function_place, returning_place
from vizgrad.core.function.custom import signature
from vizgrad.core.function.custom.context import FunctionCtx, _HookMixin
from vizgrad.core.graph.node import Meta, Node, RemovableHandle, check_arguments, hooks_of
from vizgrad.core.graph.packing import SavedTensor
from vizgrad.core.graph.saved import Freed, freed_error, read_tensor
from vizgrad.core.tensor.source_location import Site
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.storage import tick
from vizgrad.core.tensor.tensor import Tensor, new_tensor

# The allowed results of a backward, and the errors for others (F-61 ... F-63).


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


# CustomNode: the engine's side of a custom Function's node.


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


class SavedForForward(tuple[Any, ...]):
    """The value of `ctx.saved_tensors` while `jvp` runs: the arguments of `save_for_forward`."""

    __slots__ = ()


class FunctionBase:
    """The node's side of a context. Names that start with `_fn_` are vizgrad's, all others are the user's.

    `_fn_saved` is None until `apply` has finished, then a tuple of saved values in the forms of
    `vizgrad.core.graph.saved`, then, after a backward without retain_graph, a `Freed`.
    """

    __slots__ = (
        "__dict__", "__weakref__", "_fn_devices", "_fn_edges", "_fn_held", "_fn_metadata",
        "_fn_metas", "_fn_node", "_fn_origins", "_fn_saved", "_fn_scope", "_fn_sequence_nr",
        "_fn_site", "_fn_takes", "dirty_tensors", "materialize_grads", "needs_input_grad",
        "non_differentiable", "saved_for_forward", "to_save",
    )  # fmt: skip

    _forward_cls: Any
    _autograd_function_id: ClassVar[int]
    _fn_devices: tuple[Device, ...] | None
    _fn_saved: Any
    _fn_held: Any
    _fn_node: Any
    _fn_metadata: dict[Any, Any] | None
    apply: Callable[..., Any]

    def __new__(cls) -> Any:
        ctx = super().__new__(cls)
        #: Where each tensor argument is; None when all are on the CPU.
        ctx._fn_devices = None
        ctx._fn_edges = ()
        ctx._fn_held = None
        ctx._fn_metadata = None
        ctx._fn_metas = ()
        ctx._fn_node = None
        #: Where each saved value came from: number of the argument, or None.
        ctx._fn_origins = ()
        ctx._fn_saved = None
        ctx._fn_scope = None
        ctx._fn_sequence_nr = 0
        ctx._fn_site = None
        #: For each argument of forward: is it a tensor?
        ctx._fn_takes = ()
        ctx.dirty_tensors = None
        ctx.materialize_grads = True
        ctx.needs_input_grad = None
        ctx.non_differentiable = None
        ctx.saved_for_forward = None
        ctx.to_save = None
        return ctx

    # --- as a node ----------------------------------------------------------------------------

    def name(self) -> str:
        return type(self).__name__

    def _sequence_nr(self) -> int:
        return self._fn_sequence_nr

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dict for the user's notes on this node."""
        if self._fn_metadata is None:
            self._fn_metadata = {}
        return self._fn_metadata

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """(node, input_nr) per tensor argument of forward; (None, 0) where no grad is needed."""
        return self.engine_node().next_functions

    @property
    def _input_metadata(self) -> tuple[Meta | None, ...]:
        return self._fn_metas

    def register_hook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """`fn(grad_inputs, grad_outputs) -> tuple | None`, called after the node has run (E-75)."""
        return self._keeping_hooks().register_hook(fn)

    def register_prehook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """`fn(grad_outputs) -> tuple | None`, called before the node runs (E-75)."""
        return self._keeping_hooks().register_prehook(fn)

    def engine_node(self) -> CustomNode:
        """The node that the engine runs; a new one if nothing but this context is left of it."""
        node = None if self._fn_node is None else self._fn_node()
        if node is None:
            if not self._fn_sequence_nr:
                self._fn_sequence_nr = tick()
            node = CustomNode(
                self, self._fn_edges, self._fn_metas, self._fn_sequence_nr, self._fn_site,
                self._fn_scope,
            )  # fmt: skip
            node.hooks = self._fn_held
            self._fn_node = weakref.ref(node)
        return node

    def _keeping_hooks(self) -> CustomNode:
        """The engine's node, with hooks that the context keeps: they outlive the tensor (E-75)."""
        node = self.engine_node()
        self._fn_held = hooks_of(node)
        return node

    # --- saved values -------------------------------------------------------------------------

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """The saved tensors, checked for in-place changes; () inside forward (F-36 ... F-39)."""
        saved = self._fn_saved
        if saved is None:
            return ()
        if isinstance(saved, SavedForForward):
            return saved
        node = self.engine_node()
        if isinstance(saved, Freed):
            raise freed_error(node, saved)
        values = tuple(
            form
            if form.__class__ is Tensor
            and (form._storage is None or form._storage.last_write <= self._fn_sequence_nr)
            else read_tensor(node, self._saved_names()[nr], form)
            for nr, form in enumerate(saved)
        )
        if getattr(self._forward_cls, "clear_saved_tensors_on_access", False):
            self._fn_saved = Freed(None)
        return values

    @property
    def saved_variables(self) -> tuple[Tensor | None, ...]:
        warnings.warn(
            "'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2
        )
        return self.saved_tensors

    @property
    def _raw_saved_tensors(self) -> tuple[SavedTensor, ...]:
        saved = self._fn_saved
        if isinstance(saved, Freed):
            raise freed_error(self.engine_node(), saved)
        return tuple(
            SavedTensor(self.engine_node(), name, _SavedItem(self, nr))
            for nr, name in enumerate(self._saved_names())
        )

    def maybe_clear_saved_tensors(self) -> None:
        """Releases what was saved, if the class flag `clear_saved_tensors_on_access` asks for it."""
        if getattr(self._forward_cls, "clear_saved_tensors_on_access", False):
            self._fn_saved = Freed(None)

    def _argument_names(self) -> tuple[str, ...]:
        """Names of the arguments, as forward calls them."""
        cls = self._forward_cls
        return signature.argument_names(signature.parameters_of, cls, len(self._fn_takes))

    def _tensor_names(self) -> tuple[str, ...]:
        """Names of the tensor arguments, one per edge."""
        names = self._argument_names()
        return tuple(n for n, is_tensor in zip(names, self._fn_takes, strict=True) if is_tensor)

    def _saved_names(self) -> tuple[str, ...]:
        """A name for each saved value, each once: its argument's, result, or its place."""
        arguments = self._argument_names()
        names: list[str] = []
        for place, origin in enumerate(self._fn_origins):
            if origin is None:
                name = f"saved[{place}]"
            elif origin < 0:
                name = "result" if len(self._fn_metas) == 1 else f"result[{-1 - origin}]"
            else:
                name = arguments[origin]
            names.append(f"{name} (saved[{place}])" if name in names else name)
        return tuple(names)

    def _backward_function(self) -> Any:
        """The user's backward or vjp, for messages."""
        cls = getattr(self, "_forward_cls", None)
        try:
            return None if cls is None else cls._own_backward()[0]
        except NotImplementedError:
            return None

    def __getstate__(self) -> Any:
        raise wrong_call(
            TypeError(f"cannot pickle {type(self).__name__}: it is a node of a graph"),
            "save tensors or a state_dict: a graph cannot be saved",
        )


class _SavedItem:
    """Access to saved value `nr` of a context, for `SavedTensor`."""

    __slots__ = ("_ctx", "_nr")

    def __init__(self, ctx: FunctionBase, nr: int) -> None:
        self._ctx = ctx
        self._nr = nr

    def get(self) -> Any:
        saved = self._ctx._fn_saved
        return saved if isinstance(saved, Freed) else saved[self._nr]

    def set(self, form: Any) -> None:
        saved: Any = self._ctx._fn_saved
        self._ctx._fn_saved = (*saved[: self._nr], form, *saved[self._nr + 1 :])


class BackwardCFunction(FunctionBase, FunctionCtx, _HookMixin):
    """Base of the generated backward classes; an instance is a context and a node at once (F-3)."""

    def apply(self, *args: Any) -> Any:
        """Calls the Function's backward (or vjp) with this context, without validation (F-100)."""
        cls = self._forward_cls
        function, both = cls._own_backward()
        if both:
            raise explained(
                RuntimeError(
                    "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. "
                    "You should only implement one of them."
                ),
                kind="function-return",
                culprit=function_place(cls.vjp),
                tensor=self.name(),
                fix=f"remove one of {cls.__name__}.backward and {cls.__name__}.vjp",
            )
        if cls.boxed_grads_call:
            return function(self, list(args))
        return function(self, *args)

    def apply_jvp(self, *args: Any) -> Any:
        """Calls the Function's jvp with this context (F-101)."""
        return self._forward_cls.jvp(self, *args)

    def __call__(self, *grads: Any, **keywords: Any) -> Any:
        """Runs the node by hand, as any node (F-100)."""
        check_arguments(self.name(), len(self._fn_metas), grads, keywords)
        return self.apply(*grads)


def record(
    ctx: FunctionBase,
    edges: tuple[Any, ...],
    metas: tuple[Meta | None, ...],
    site: Site | None,
    scope: Any,
) -> CustomNode:
    """Makes the context a node of the graph; returns the engine's side of it."""
    ctx._fn_edges = edges
    ctx._fn_metas = metas
    ctx._fn_site = site
    ctx._fn_scope = scope
    ctx._fn_sequence_nr = tick()
    return ctx.engine_node()
