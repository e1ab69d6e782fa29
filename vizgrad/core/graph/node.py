"""Node: one step of a backward graph, and Edge: where its gradients go.

An edge to slot 0 of a node is the node itself; only edges to other slots need an `Edge` object. That
saves an allocation for nearly every recorded operation; `next_functions` shows both forms alike.

Hooks: functions of the user's that see, and may replace, gradients (spec 02 G).

A hook on a tensor lives where its gradient will be seen: on the producing node for a result (so that an
in-place write, which gives the tensor a new producer, leaves it with the old value, E-73), on the
tensor itself for a leaf.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, Self, final

from vizgrad.core.errors import Place, place_of
from vizgrad.core.tensor.first_use import FIRST_USE
from vizgrad.core.tensor.source_location import Site
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.upcalls import UPCALLS

# Hooks: functions of the user's that see, and may replace, gradients (spec 02 G).

Hook = Callable[..., Any]
Hooks = OrderedDict[int, Hook]


class RemovableHandle:
    """Removes a hook; also a context manager that does so at its end. `remove` is idempotent."""

    _next_id = 0

    def __init__(self, hooks: Hooks) -> None:
        self._hooks = weakref.ref(hooks)  # a handle keeps no graph alive
        self.id = RemovableHandle._next_id
        RemovableHandle._next_id += 1

    def remove(self) -> None:
        hooks = self._hooks()
        if hooks is not None:
            hooks.pop(self.id, None)

    def __getstate__(self) -> tuple[Hooks | None, int]:
        return self._hooks(), self.id

    def __setstate__(self, state: tuple[Hooks | None, int]) -> None:
        """Copied together with the hooks it belongs to, a handle removes the copy's."""
        hooks, self.id = state
        self._hooks = weakref.ref(OrderedDict() if hooks is None else hooks)
        RemovableHandle._next_id = max(RemovableHandle._next_id, self.id + 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


def new_hooks() -> Hooks:
    return OrderedDict()


def add_hook(hooks: Hooks, fn: Hook) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = fn
    return handle


class NodeHooks:
    """All hooks of one node.

    `tensor[nr]` are the tensor hooks of output slot `nr`, `retain[nr]` the tensor (weakly) whose `.grad`
    is to be filled with that slot's gradient.
    """

    __slots__ = ("post", "pre", "retain", "tensor")

    def __init__(self) -> None:
        self.tensor: dict[int, Hooks] = {}
        self.retain: dict[int, weakref.ref[Any]] = {}
        self.pre: Hooks = new_hooks()
        self.post: Hooks = new_hooks()


#: Larger than any tick (E-6, E-42).
LAST = 2**64 - 1


class Meta(NamedTuple):
    """The shape and dtype that the gradient for one output slot must have. `dtype` is the array's
    (numpy) dtype.
    """

    shape: tuple[int, ...]
    dtype: Any
    device: Any = None


@final
class Edge:
    """Slot `input_nr` of `node`: what a tensor that is not its producer's first output refers to."""

    __slots__ = ("input_nr", "node")

    def __init__(self, node: Node, input_nr: int) -> None:
        self.node = node
        self.input_nr = input_nr


class Node:
    """A step of the backward graph.

    A subclass gives `run(grad)` (one output slot) or `run_all(grads)` (several), on plain arrays, and
    `run_tensors(grads)` on Tensors for ``create_graph=True``. All return one gradient per edge (a
    tuple; a single-edge `run` may return the gradient alone).

    Invariant: `sequence_nr` rises along every path towards the roots.
    """

    __slots__ = (
        "__dict__", "__weakref__", "code", "dtype", "edges", "hooks", "lasti", "scope",
        "sequence_nr", "shape",
    )  # fmt: skip

    #: Number of output slots (gradients that arrive).
    outputs: int = 1
    #: Names of saved values that are tensors; each is held in the slot ``_<name>``.
    saved_names: ClassVar[tuple[str, ...]] = ()
    #: Names of plain saved values (dims, shapes), held in the slot ``_<name>``.
    plain_names: ClassVar[tuple[str, ...]] = ()
    #: Names of saved values that are several tensors, each a `SavedGroup` in the slot ``_<name>``.
    group_names: ClassVar[tuple[str, ...]] = ()
    #: Names of the forward inputs, one per edge.
    input_names: ClassVar[tuple[str, ...]] = ()
    #: Saved results that have no derivative, and so no history.
    plain_results: ClassVar[tuple[str, ...]] = ()
    #: True when incoming gradients have to be Tensors whatever the mode (custom Functions).
    wants_tensors: bool = False
    #: True when the node is to be run although nothing arrived (custom Functions, F-44).
    runs_on_undefined: ClassVar[bool] = False
    #: True when the node runs as soon as it is ready, before all others: a leaf, or what has no derivative
    #: and raises (Y-15).
    runs_first: ClassVar[bool] = False

    sequence_nr: int
    edges: tuple[Node | Edge | None, ...]
    hooks: NodeHooks | None
    #: Shape and dtype of output slot 0. Multi-output nodes keep all in `metas`.
    shape: tuple[int, ...]
    dtype: Any
    scope: Any

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        names = cls.__dict__.get("saved_names")
        for name in names if isinstance(names, tuple) else ():
            setattr(cls, "_raw_saved_" + name, property(_raw_reader(name)))
        for name in cls.__dict__.get("group_names", ()):
            setattr(cls, "_raw_saved_" + name, property(_raw_group_reader(name)))

    def name(self) -> str:
        return type(self).__name__

    def _sequence_nr(self) -> int:
        """Ready nodes run from the largest number down; `sequence_nr` is when it was recorded."""
        return LAST if self.runs_first else self.sequence_nr

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dict for the user's notes on this node."""
        return self.__dict__.setdefault("_metadata", {})

    @property
    def next_edges(self) -> tuple[tuple[Node | None, int], ...]:
        """(node, input_nr) for each differentiable input; (None, 0) where no grad is needed."""
        return tuple(
            (edge.node, edge.input_nr) if isinstance(edge, Edge) else (edge, 0)
            for edge in self.edges
        )

    @property
    def public(self) -> Any:
        """The public object of this node: itself, or the context of a custom Function (F-3)."""
        return self

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """`next_edges` as people see them."""
        return tuple((None if n is None else n.public, nr) for n, nr in self.next_edges)

    def meta(self, nr: int) -> Meta:
        """The shape and dtype that the gradient for output slot `nr` must have."""
        return Meta(self.shape, self.dtype)

    def input_device(self, index: int) -> Any:
        """Where the gradient for input `index` must be; None where the formula sees to it (F-66)."""
        return None

    @property
    def _input_metadata(self) -> tuple[Meta, ...]:
        return tuple(self.meta(nr) for nr in range(self.outputs))

    @property
    def site(self) -> Site | None:
        """The instruction of the person's code that recorded this node."""
        code = self.code
        return None if code is None else Site(code, self.lasti)

    def formula_place(self) -> Place | None:
        """The line to blame for what the node computes: the operation's, or in a custom Function
        the `return` of its backward.
        """
        return place_of(self.site)

    # --- running ------------------------------------------------------------------------------

    def run(self, grad: Any) -> Any:
        raise NotImplementedError(f"{self.name()} has no formula over arrays")

    def run_all(self, grads: list[Any]) -> Any:
        return self.run(grads[0])

    def run_tensors(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        raise NotImplementedError(f"{self.name()} has no formula over tensors")

    def release(self, token: object) -> None:
        """Drops saved values; `token` (a `Freed`) takes their place and tells which run did it."""

    def saved_values(self) -> dict[str, Any]:
        """Saved tensors by name, in the forms of `vizgrad.core.graph.saved`: to look at, not to unpack."""
        values = {name: getattr(self, "_" + name) for name in self.saved_names}
        for name in self.group_names:
            for number, form in enumerate(getattr(self, "_" + name).forms):
                values[f"{name}[{number}]"] = form
        return values

    def restore_saved(self, values: dict[str, Any]) -> None:
        """Puts back what `saved_values` gave before a release (stepping back)."""
        for key, value in values.items():
            name, _, number = key.partition("[")
            if number:
                getattr(self, "_" + name).forms[int(number[:-1])] = value
            else:
                setattr(self, "_" + name, value)

    def __call__(self, *grads: Any, **keywords: Any) -> Any:
        """Runs the node on Tensors, one for each output (None: nothing arrived); shapes are not checked
        (F-100). TypeError for anything else.
        """
        check_arguments(self.name(), self.outputs, grads, keywords)
        if not self.runs_on_undefined and all(grad is None for grad in grads):
            return None if len(self.edges) == 1 else (None,) * len(self.edges)
        out = self.run_tensors(grads)
        return out[0] if len(out) == 1 else out

    # --- hooks --------------------------------------------------------------------------------

    def register_hook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """`fn(grad_inputs, grad_outputs) -> tuple | None`, called after the node has run (E-75)."""
        return add_hook(hooks_of(self).post, fn)

    def register_prehook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """`fn(grad_outputs) -> tuple | None`, called before the node runs (E-75)."""
        return add_hook(hooks_of(self).pre, fn)

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"


def hooks_of(node: Node) -> NodeHooks:
    hooks = node.hooks
    if hooks is None:
        with FIRST_USE:
            hooks = node.hooks
            if hooks is None:
                hooks = node.hooks = NodeHooks()
    return hooks


def _raw_reader(name: str) -> Callable[[Node], Any]:
    return lambda node: UPCALLS.show_saved(node, name)


def _raw_group_reader(name: str) -> Callable[[Node], Any]:
    return lambda node: UPCALLS.show_saved_group(node, name)


def check_arguments(
    name: str, count: int, grads: tuple[Any, ...], keywords: dict[str, Any]
) -> None:
    """TypeError unless `grads` are `count` tensors or None, by position."""
    what = ""
    if keywords:
        what = f"keyword arguments are not supported (got {next(iter(keywords))!r})"
    elif len(grads) != count:
        what = f"expected {count} arguments, got {len(grads)} instead"
    else:
        for number, grad in enumerate(grads):
            if grad is not None and not hasattr(grad, "requires_grad"):
                what = f"argument {number} is not a Variable but a {type(grad).__name__}"
                break
    if what:
        plural = "s" * (count != 1)
        raise wrong_call(
            TypeError(f"{name}: {what}"),
            f"give it {count} gradient tensor{plural}, or None, by position",
        )
