"""Writing in place: refuse what autograd cannot follow, write, count, and rewrite history (spec 03 B).

Every write records which line made it, always: that is what lets a version error name the line that
wrote and not only the line that used. A write through a view becomes a CopySlices in the base's history
(V-30, V-31); a view whose memory was written is given a history anew from that of its base.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from vizgrad.core import errors
from vizgrad.core.arrays import layout, xp
from vizgrad.core.arrays.backend import DEVICES, is_on_host, writeable
from vizgrad.core.arrays.dtypes import NARROW
from vizgrad.core.arrays.errstate import nameless
from vizgrad.core.function.bfloat16 import BY_NUMBER, widened
from vizgrad.core.function.compile_node import save_result
from vizgrad.core.function.declared import GROUPS, saved_by, users_of
from vizgrad.core.function.devices import away, gathered
from vizgrad.core.function.failing import kernel_error
from vizgrad.core.function.strided import (
    Geometry,
    as_strided,
    as_strided_node,
    fill_strided,
    geometry_of,
    replace,
    take,
)
from vizgrad.core.function.transform_tensor import Wrapped, innermost, written
from vizgrad.core.function.typing import (
    arrays_for,
    coerce,
    refuse_complex,
    refuse_integers,
    result_dtype,
)
from vizgrad.core.function.views import refuse, refuse_repeated, write_windows
from vizgrad.core.graph.edges import edge_of, retaining, set_history
from vizgrad.core.graph.node import Meta, Node, NodeHooks
from vizgrad.core.graph.saved import KeptSelf, Overwritten, SavedGroup, freed_error, in_graph
from vizgrad.core.tensor.duals import DUALS
from vizgrad.core.tensor.modes import GUARD, MODES, about_to_write, noted, tell_recorder
from vizgrad.core.tensor.source_location import Site, caller, written_name
from vizgrad.core.tensor.state import Creation, refuse_inference_write, wrong_call
from vizgrad.core.tensor.storage import InferenceStorage, Storage, tick
from vizgrad.core.tensor.tensor import RESULT, Tensor, address, storage_of
from vizgrad.core.upcalls import UPCALLS

if TYPE_CHECKING:
    from vizgrad.core.function.primitive import Primitive
    from vizgrad.core.graph.node import Edge
    from vizgrad.core.graph.saved import Freed


# --- a write through a view in the history of its base ------------------------------------------------


class CopySlices(Node):
    """Gives the view's region of the gradient to the operation `fn`, and puts its answer back there.

    Edges: those of `fn`, with the base's old history in place of the view's, at `position`. `fn` is run from
    here alone: of the output that it has saved, gradients come as those of the written view
    (`region_node`).
    """

    __slots__ = ("fn", "freed", "geometry", "position", "region", "view", "wants_tensors")

    fn: Node
    #: Which backward has released it: it runs once then, also where `fn` has saved nothing.
    freed: Freed | None
    geometry: Geometry
    position: int
    #: The view that was written, and the history that it got after the write (`regenerate`).
    view: weakref.ref[Tensor]
    region: weakref.ref[Node] | None

    def __init__(
        self,
        base: Tensor,
        view: Tensor,
        base_edge: Node | Edge | None,
        fn: Node,
        position: int = 0,
    ) -> None:
        edges = (*fn.edges[:position], base_edge, *fn.edges[position + 1 :])
        if fn.edges[position] is None:
            fn.edges = edges  # it answers for the view, even if the view had no history
        self.fn = fn
        self.freed = None
        self.position = position
        self.wants_tensors = fn.wants_tensors
        self.geometry = geometry_of(base, view)
        self.view = weakref.ref(view)
        self.region = None
        self.sequence_nr = tick()
        self.edges = edges
        self.hooks = None if fn.hooks is None else NodeHooks()  # for what `fn` has packed
        self.shape = base._array.shape
        self.dtype = base._array.dtype
        self.code = fn.code
        self.lasti = fn.lasti
        self.scope = fn.scope

    def region_node(self) -> Node:
        """The history for the output that `fn` has saved: that of the written view, so that the view's
        hooks act on gradients of the saved output, too; one like it where the view is gone.
        """
        view = self.view()
        if view is not None:
            edge_of(view)  # makes it, unless the view has asked for it before
        known = None if self.region is None else self.region()
        if known is not None:
            return known
        cls: Any = as_strided.node_class
        node = object.__new__(cls)
        fill_strided(node, self, self.fn.shape, self.fn.dtype, self.geometry)
        self.region = weakref.ref(node)
        return node

    @property
    # here it follows fn
    def input_names(self) -> tuple[str, ...]:  # pyright: ignore[reportIncompatibleVariableOverride]
        names, at = self.fn.input_names, self.position
        return (*names[:at], "base", *names[at + 1 :])

    def run(self, grad: Any) -> tuple[Any, ...]:
        self._check_not_freed()
        region = take(grad, self.geometry)
        answers = self.fn.run(region)
        return self._put_back(grad, region, answers)

    def run_tensors(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        (grad,) = grads
        self._check_not_freed()
        region = take(grad, self.geometry)
        return self._put_back(grad, region, self.fn.run_tensors((region,)))

    def _put_back(self, grad: Any, region: Any, answers: Any) -> tuple[Any, ...]:
        if answers.__class__ is not tuple:
            answers = (answers,)
        at = self.position
        if self.edges[at] is None:
            return (*answers[:at], None, *answers[at + 1 :])
        own = region * 0 if answers[at] is None else answers[at]
        base = replace(grad, own, self.geometry)
        return (*answers[:at], base, *answers[at + 1 :])

    def _check_not_freed(self) -> None:
        if self.freed is not None:
            raise freed_error(self, self.freed)

    def release(self, token: object) -> None:
        self.freed = token  # pyright: ignore[reportAttributeAccessIssue]  a `Freed`
        self.fn.release(token)

    def saved_values(self) -> dict[str, Any]:
        return self.fn.saved_values()

    def restore_saved(self, values: dict[str, Any]) -> None:
        self.freed = None
        self.fn.restore_saved(values)


def rebase(view: Tensor, fn: Node, position: int = 0) -> None:
    """Rewrites the history of the view's base after `fn` was recorded for a write to the view.

    `position` is the edge of `fn` that belongs to the view.
    """
    info = view._view
    assert info is not None
    base = info.base
    node = CopySlices(base, view, edge_of(base), fn, position)
    fn.copied_by = weakref.ref(node)  # pyright: ignore[reportAttributeAccessIssue]  of those alone
    with retaining(base):
        base._edge = node
        base._tracked = RESULT
    # a read of the view's history since the write gave that of the old base
    info.clock = min(info.clock, storage_of(view).last_write - 1)
    info.sequence_nr = tick()  # of the view's own new node, made when it is asked for


def written_view(node: Node) -> Tensor | None:
    """The view that the operation `node` has written, while both it and its base are used."""
    copied_by = getattr(node, "copied_by", None)
    whole = None if copied_by is None else copied_by()
    return None if whole is None else whole.view()


def regenerate(view: Tensor) -> None:
    """Gives a view a new history from its base's, after the memory was written (V-30 (4), (5))."""
    info, storage = view._view, view._storage
    assert info is not None
    assert storage is not None
    if info.creation is not Creation.DEFAULT:
        raise refuse(view, by_base=True)
    node = as_strided_node(info.base, view)
    if node is not None:
        if info.sequence_nr > storage.last_write:  # the last write went through this view
            node.sequence_nr = info.sequence_nr  # so that its turn is that of the write (E-42)
            write = edge_of(info.base)
            if isinstance(write, CopySlices):
                write.region = weakref.ref(node)
        with retaining(view):
            view._edge = node
    info.clock = storage.last_write


UPCALLS.regenerate_view = regenerate


# --- in-place writes ----------------------------------------------------------------------------------


#: They write one number everywhere, so that it does not matter whether elements share a place.
_ONE_NUMBER = frozenset({"fill_number", "zero"})


def check_write(target: Tensor, recorded: bool, one_number: bool = False) -> None:
    """Raises RuntimeError for a write that may not be done; `recorded`: it will be part of a graph."""
    about_to_write(target)
    array = target._array
    flags = array.flags if array.__class__ is xp.ndarray else None
    if flags is None or not (flags.c_contiguous and flags.writeable):
        _check_memory(target, one_number)
    if recorded or target._storage.__class__ is InferenceStorage:
        check_history(target, recorded)


def _check_memory(target: Tensor, one_number: bool) -> None:
    """No element is shown again and again, and the memory may be written to."""
    if GUARD.strict_hooks and not writeable(target._array):
        raise _read_only_error()
    if not one_number:
        refuse_repeated(target)
    if not writeable(target._array):
        raise _read_only_error()


def check_history(target: Tensor, recorded: bool) -> None:
    """The part of `check_write` that has to do with autograd, not with memory: a change of shape alone
    asks for no more.
    """
    if target.is_inference() and MODES.inference is None:
        refuse_inference_write(target)
    if not recorded or innermost((target,)) is not None:
        return  # what a wrapper stands for is checked when it is written
    view = target._view
    if view is not None:
        if view.creation is not Creation.DEFAULT:
            raise refuse(target, by_base=False)
        if target.requires_grad and view.base.is_leaf:
            raise _leaf_error("a view of a leaf Variable", target)
    if target.requires_grad and target.is_leaf:
        raise _leaf_error("a leaf Variable", target)


def refuse_partial_overlap(target: Tensor, operand: Tensor) -> None:
    """An operand may be the target itself, but not share some of its elements (V-7)."""
    a, b = target._array, operand._array
    if not one_block(target, operand):
        return
    if a.shape == b.shape and address(a) == address(b) and layout.same_steps(a, b):
        return
    if not (layout.is_dense(a) and layout.is_dense(b)):
        return
    if _meet(a, b):
        raise _overlap_error()


def check_placing(target: Tensor, *operands: Any) -> None:
    """For writes at places that an operand names: an operand may not even be the target itself (V-7)."""
    tensors = [t for t in operands if isinstance(t, Tensor)]
    if innermost((target, *tensors)) is not None:
        return  # what they stand for is checked when it is written
    check_write(target, MODES.grad and any(t.requires_grad for t in (target, *tensors)))
    for operand in tensors:
        if operand is target or (
            one_block(target, operand)
            and layout.is_dense(target._array)
            and layout.is_dense(operand._array)
            and _meet(target._array, operand._array)
        ):
            raise _overlap_error()


def one_block(target: Tensor, operand: Tensor) -> bool:
    """Do they show the same memory? `.data` does so with a storage of its own: the arrays have one base."""
    if operand._storage is not None and operand._storage is target._storage:
        return True
    if innermost((target, operand)) is not None:
        return False  # wrappers have no memory
    return layout.share_block(target._array, operand._array)


def _meet(a: Any, b: Any) -> bool:
    return address(a) < address(b) + b.nbytes and address(b) < address(a) + a.nbytes


def _overlap_error() -> RuntimeError:
    return errors.explained(
        RuntimeError(
            "unsupported operation: some elements of the input tensor and the written-to tensor "
            "refer to a single memory location. Please clone() the tensor before performing the "
            "operation."
        ),
        kind="forbidden-write",
        culprit=errors.place_of(caller()),
        tensor=written_name(caller()),
        fix="clone the operand: it would change while it is read",
    )


def _read_only_error() -> RuntimeError:
    site = caller()
    return errors.explained(
        RuntimeError(
            "unsupported operation: the written-to tensor's memory is read-only. Please clone() the "
            "tensor before performing the operation."
        ),
        kind="hook-effect" if GUARD.strict_hooks else "forbidden-write",
        culprit=errors.place_of(site),
        tensor=written_name(site),
        fix="write to a clone: it is the memory of a read-only array, or of a gradient given to a hook",
    )


def _leaf_error(what: str, target: Tensor) -> RuntimeError:
    site = caller()
    name = written_name(site)
    return errors.explained(
        RuntimeError(f"{what} that requires grad is being used in an in-place operation."),
        kind="forbidden-write",
        culprit=errors.place_of(site),
        tensor=name,
        fix="update it under `with vizgrad.no_grad():`, or write to a clone",
        story=f"`{name or 'the tensor'}` is a leaf: its value before the write would be lost to autograd.",
    )


# The order of the steps is the rule.
def write(  # noqa: C901
    op: Primitive, target: Tensor, *operands: Any, name: str = "", **attributes: Any
) -> Tensor:
    """`target = op(target, ...)`, in place, with history; returns `target`.

    Raises RuntimeError when the result has another shape, or a type of a higher category (V-6).
    """
    if DUALS.on and MODES.levels:
        return DUALS.write(op, target, operands, name, attributes)
    if DEVICES.several:
        place = away(op, (target, *operands))
        if place is not None:
            with place:
                return write(op, target, *operands, name=name, **attributes)
    tensors = (target, *operands)
    for each in tensors:
        kind = each.__class__
        if kind is not Tensor and (kind is Wrapped or not isinstance(each, Tensor)):
            if written(op, tensors, name, attributes):
                return target
            tensors = coerce(op, *tensors)
            break
    if op.typing not in ("keep", "moved") and not is_on_host(target._array):
        tensors = gathered(op, tensors) or tensors
    for operand in tensors[1:]:
        refuse_partial_overlap(target, operand)
    edges = _edges_before(op, tensors)
    if edges is None:
        check_write(target, False, op.name in _ONE_NUMBER)
    elif MODES.saved_hooks is not None:  # they are shown what is saved as it is before the write
        tensors = (target, *[_apart(t, target) for t in tensors[1:]])
    result = _compute(op, tensors, attributes)
    array = target._array
    if result.shape != array.shape:
        raise wrong_call(
            RuntimeError(
                f"output with shape {list(array.shape)} doesn't match the broadcast shape "
                f"{list(result.shape)}"
            ),
            "write out of place, or give an operand that broadcasts to the tensor's shape",
            "shape-broadcast",
        )
    site = caller()
    storage = storage_of(target)
    clock = storage.last_write
    kept = None
    if edges is not None and op.inputs[0] in saved_by(op)[0]:
        kept = KeptSelf(array.copy(), edges[0] if op.differentiable[0] == op.inputs[0] else None)
    several = target._view is not None or storage.__class__ is not Storage  # others share no places
    if several and layout.overlaps_itself(array):
        write_windows(array, result)
    elif result.dtype is array.dtype:
        array[...] = result
    else:
        _write_narrowed(array, result)
    storage.wrote(name or op.name + "_", site)
    if GUARD.scoped and MODES.recorder is not None:
        tell_recorder("wrote", name or op.name + "_", site)
    if edges is not None:
        node = _make_node(op, tensors, attributes, edges, site, clock, kept)
        _set_history(target, node)
    return target


def _apart(operand: Tensor, target: Tensor) -> Tensor:
    """An operand in memory that the write to `target` does not reach."""
    shared = operand._storage is not None and operand._storage is target._storage
    if not shared and operand is not target:
        return operand
    return in_graph(operand._array.copy(), None, edge_of(operand))


def _edges_before(op: Primitive, tensors: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Where gradients of the operands went before the write, which is checked; None if nothing is to be
    recorded.
    """
    for each in tensors:
        if each._tracked:
            break
    else:
        return None
    if not MODES.grad or not op.differentiable or tensors[0]._array.dtype.kind not in "fcV":
        return None
    by_name = dict(zip(op.inputs, tensors, strict=True))
    if not any(by_name[n].requires_grad for n in op.differentiable):
        return None
    check_write(tensors[0], True, op.name in _ONE_NUMBER)
    return tuple(edge_of(by_name[n]) for n in op.differentiable)


@nameless
def _run(kernel: Any, arrays: Any, attributes: Any) -> Any:
    return kernel(*arrays, **attributes)


@nameless
def _write_narrowed(target: Any, result: Any) -> None:
    target[...] = result


def _compute(op: Primitive, tensors: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    arrays = tuple([t._array for t in tensors])
    if not _as_they_are(op, arrays):
        arrays = _brought_together(op, tensors)
    if op.real_only and arrays[0].dtype.kind == "c":
        raise refuse_complex(op, arrays[0])
    if op.floats_only and arrays[0].dtype.kind in "iub":
        raise refuse_integers(op, arrays[0])
    try:
        return _run(op.kernel, arrays, attributes)
    except Exception as error:  # noqa: BLE001  whatever a kernel raises gets PyTorch's words
        gathered(op, tensors)  # raises where devices are mixed
        raise kernel_error(op, error, *arrays) from None


def _as_they_are(op: Primitive, arrays: tuple[Any, ...]) -> bool:
    """Have all operands one type, in which `op` computes?"""
    dtype = arrays[0].dtype
    for each in arrays:
        if each.dtype is not dtype:
            return False
    if op.typing == "moved":
        return True
    if (NARROW and dtype in NARROW) or (dtype.char == "e" and op.name in BY_NUMBER):
        return False
    if op.typing in ("promote", "float"):
        return dtype.kind in "fc"
    return True


def _brought_together(op: Primitive, tensors: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arrays in the types that `op` computes in; RuntimeError where the target cannot hold the result."""
    target = tensors[0]
    if op.typing in ("promote", "float"):
        dtype = result_dtype(tensors, op.typing == "float")
        if dtype.category > target.dtype.category:
            raise wrong_call(
                RuntimeError(
                    f"result type {dtype.name} can't be cast to the desired output type "
                    f"{target.dtype.name} of the in-place operation {op.name}_"
                ),
                f"write out of place, or convert the tensor to {dtype.name} first",
                "cut-dtype",
            )
    elif op.typing == "same" and len({t._array.dtype for t in tensors}) > 1:
        return arrays_for(op, tensors)
    return _arrays(op, tensors)


def _arrays(op: Primitive, tensors: tuple[Any, ...]) -> tuple[Any, ...]:
    if NARROW and op.typing != "moved" and any(t._array.dtype in NARROW for t in tensors):
        return widened(op, tensors)[1:]
    if op.name in BY_NUMBER and tensors[0]._array.dtype.char == "e":
        return widened(op, tensors)[1:]
    if op.typing in ("promote", "float"):
        return arrays_for(op, tensors)
    return tuple(t._array for t in tensors)


def _make_node(
    op: Primitive,
    tensors: tuple[Any, ...],
    attributes: dict[str, Any],
    edges: tuple[Any, ...],
    site: Site | None,
    clock: int,
    kept: KeptSelf | None,
) -> Node:
    target = tensors[0]
    cls: Any = op.node_class
    node = object.__new__(cls)
    node.sequence_nr = tick()
    node.edges = edges
    node.hooks = None
    node.shape = target._array.shape
    node.dtype = target._array.dtype
    node.code, node.lasti = (None, 0) if site is None else site
    node.scope = None
    by_name = dict(zip(op.inputs, tensors, strict=True))
    names, plain = saved_by(op)
    for name in names:
        if name in op.outputs:
            value: Any = save_result(target)
        elif name == op.inputs[0]:
            value = kept
        else:
            value = by_name[name]
            storage = value._storage
            if storage is not None and storage is target._storage:
                value = Overwritten(value, storage, clock)
        users = users_of(op, name)
        # what all formulas use is read without asking for edges: of operands cut off (V-50) there is none
        needed = len(users) == len(edges) or any(edges[i] is not None for i in users)
        setattr(node, "_" + name, value if needed else None)
    for name in plain:
        if name.endswith("_meta"):
            array = by_name[name.removesuffix("_meta")]._array
            setattr(node, "_" + name, Meta(array.shape, array.dtype))
        else:
            value = attributes[name]
            setattr(node, "_" + name, SavedGroup(value) if name in GROUPS else value)
    if GUARD.scoped:
        node.scope = noted(node)
    return node


def _set_history(target: Tensor, node: Node) -> None:
    """Makes the node the producer of `target`, through CopySlices if it is a view (V-12, V-30)."""
    if target._view is not None:
        rebase(target, node)
    else:
        follow_to_new_producer(target, node)


def follow_to_new_producer(target: Tensor, node: Node, input_nr: int = 0) -> None:
    """Makes `target` output `input_nr` of `node`; its `retain_grad` goes with it (E-73)."""
    with retaining(target):
        set_history(target, node, input_nr)
        target._tracked = RESULT
