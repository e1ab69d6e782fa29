"""Saved values: what a node keeps for its backward, and the check that nobody changed it (spec 03 C).

A saved value sits in the node's slot ``_<name>`` in one of these forms:

- a Tensor: a forward input, the same object (F-37);
- `SavedResult`: the node's own output, without the tensor, which would be a reference cycle;
- `KeptSelf`: a copy of what an in-place operation overwrote;
- `Overwritten`: another input that shares the memory which the operation has overwritten;
- `Packed`: whatever a saved-tensors hook made of it;
- `Checked`: one of the first three, with a checksum (`set_paranoid`);
- `Freed`: released; tells which run did it;
- None: not needed, because the gradient that uses it is not.

Forms that can be read at once have `_array` and `_storage`, so the generated code of a node reads both
without asking which form it is, and comes here only when that fails or the clock says "written".
"""

from __future__ import annotations

import warnings
import weakref
from typing import TYPE_CHECKING, Any, Protocol

from vizgrad.core.arrays.chunks import checksum
from vizgrad.core.arrays.dtypes import type_name
from vizgrad.core.errors import Place, explained, function_place, place_of
from vizgrad.core.graph.edges import AccumulateGrad
from vizgrad.core.graph.node import Edge
from vizgrad.core.tensor.modes import set_grad_mode
from vizgrad.core.tensor.source_location import Site, written_name
from vizgrad.core.tensor.tensor import LEAF, RESULT, Tensor, new_tensor, rare_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vizgrad.core.graph.node import Node
    from vizgrad.core.tensor.storage import Storage, Written


class SavedResult:
    """The node's own output, as memory."""

    __slots__ = ("_array", "_storage", "output_nr")

    def __init__(self, array: Any, storage: Storage, output_nr: int = 0) -> None:
        self._array = array
        self._storage = storage
        self.output_nr = output_nr


class SavedDual(SavedResult):
    """The same in forward mode: with its tangents (`vizgrad.core.tensor.duals.Tangents`)."""

    __slots__ = ("tangents",)

    def __init__(self, saved: SavedResult, tangents: Any) -> None:
        super().__init__(saved._array, saved._storage, saved.output_nr)
        self.tangents = tangents


class KeptSelf:
    """The old value of what an in-place operation overwrote: a copy, with the old history.

    As in PyTorch, `y.mul_(w)` can be differentiated: its formula for `w` reads this copy.
    """

    __slots__ = ("_array", "_storage", "edge", "tangents")

    def __init__(self, array: Any, edge: Any) -> None:
        self._array = array
        self._storage = None
        self.edge = edge
        #: In forward mode those of the old value.
        self.tangents: Any = None


class Overwritten:
    """An input saved by the in-place operation that overwrote it: reading it is always an error."""

    __slots__ = ("clock", "dtype", "shape", "storage")

    def __init__(self, tensor: Tensor, storage: Storage, clock: int) -> None:
        self.shape = tensor._array.shape
        self.dtype = tensor._array.dtype
        self.storage = storage
        #: The tick just before the write.
        self.clock = clock


class Freed:
    """Stands in for values that a finished backward released; `site` is where that was called."""

    __slots__ = ("site",)

    def __init__(self, site: Site | None) -> None:
        self.site = site


class Packed:
    """The result of a saved-tensors hook for a value, and how to make a tensor of it again (V-60).

    `edge` is where the gradient of the value goes: the unpacked tensor gets it back (V-66). For the
    node's own output it is None, and `output_nr` says which output it is.
    """

    __slots__ = ("dtype", "edge", "output_nr", "packed", "shape", "tangents", "unpack")

    def __init__(
        self,
        packed: Any,
        unpack: Callable[[Any], Tensor],
        like: Any,
        edge: Any,
        output_nr: int | None,
    ) -> None:
        self.packed = packed
        self.unpack = unpack
        self.shape = like.shape
        self.dtype = like.dtype
        self.edge = edge
        self.output_nr = output_nr
        #: In forward mode those of the value, which what is unpacked gets back, too.
        self.tangents: Any = None


class Checked:
    """A saved value with the checksum that it had when it was saved (V-25)."""

    __slots__ = ("checksum", "form")

    def __init__(self, form: Any, checksum: int) -> None:
        self.form = form
        self.checksum = checksum


def bare(saved: Any) -> Any:
    """A saved value without its checksum."""
    return saved.form if isinstance(saved, Checked) else saved


def is_absent(saved: Any) -> bool:
    """Does it stand for an operand that was not given?"""
    return getattr(bare(saved), "_is_absent", False)


def unpack_array(node: Node, name: str) -> Any:
    """The array of saved value `name`; raises the error that explains why it cannot be had."""
    return read_array(node, name, getattr(node, "_" + name))


def read_array(node: Node, name: str, saved: Any) -> Any:
    """The array of a saved value in any form; see `unpack_array`."""
    if isinstance(saved, Freed):
        raise freed_error(node, saved) from None
    if isinstance(saved, Checked):
        array = read_array(node, name, saved.form)
        _warn_if_changed(node, name, array, saved.checksum)
        return array
    if isinstance(saved, Packed):
        before = set_grad_mode(False)  # who reads arrays does not record
        try:
            return _call_unpack(saved)._array
        finally:
            set_grad_mode(before)
    if isinstance(saved, Overwritten):
        raise _stale_error(
            node, name, saved.storage, saved.clock, saved.shape, saved.dtype, None
        ) from None
    storage = saved._storage
    clock = node.sequence_nr
    if storage is not None and storage.last_write > clock:
        if isinstance(saved, Tensor) and saved._rare is not None and saved._rare.detached > clock:
            raise _detached_error(node, name, saved._rare.detached_at) from None
        if storage.first_write_after(clock) is None:
            return saved._array
        array = saved._array
        raise _stale_error(
            node, name, storage, node.sequence_nr, array.shape, array.dtype, saved
        ) from None
    return saved._array


def unpack_tensor(node: Node, name: str) -> Tensor | None:
    """Saved value `name` as a Tensor: the same object for an input; for an output a new one that
    belongs to this node (V-23).
    """
    return read_tensor(node, name, getattr(node, "_" + name))


def read_tensor(node: Node, name: str, saved: Any) -> Tensor | None:
    """A saved value in any form as a Tensor; see `unpack_tensor`."""
    if saved is None:
        return None
    if isinstance(saved, Packed):
        return _restored(node, saved)
    array = read_array(node, name, saved)
    saved = bare(saved)
    if isinstance(saved, Tensor):
        return saved
    if isinstance(saved, KeptSelf):
        old = in_graph(array, None, saved.edge)
        if saved.tangents is not None:
            rare_of(old).tangents = saved.tangents
        return old
    is_plain = name in node.plain_results
    out = _own_output(node, array, saved._storage, saved.output_nr, is_plain=is_plain)
    if isinstance(saved, SavedDual):
        rare_of(out).tangents = saved.tangents
    return out


def _own_output(
    node: Node, array: Any, storage: Storage | None, output_nr: int, *, is_plain: bool = False
) -> Tensor:
    out = new_tensor(array)
    out._storage = storage
    if is_plain:
        return out
    out._tracked = RESULT
    copied_by = getattr(node, "copied_by", None)
    whole = None if copied_by is None else copied_by()
    if whole is not None:  # it wrote to a view: its output is a region of what the base has become
        out._edge = whole.region_node()
    else:
        out._edge = Edge(node, output_nr) if output_nr else node
    return out


def _call_unpack(saved: Packed) -> Tensor:
    tensor = saved.unpack(saved.packed)
    if not isinstance(tensor, Tensor):
        raise explained(
            TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                f"{type(tensor).__name__}"
            ),
            kind="hook-effect",
            culprit=function_place(saved.unpack),
            fix="let the unpack hook return a Tensor equal to the one that was packed",
        )
    array = tensor._array
    if array.shape != saved.shape or array.dtype != saved.dtype:
        raise explained(
            RuntimeError(
                f"the unpack hook returned a {array.dtype} tensor of shape {list(array.shape)}, but "
                f"the saved one was {saved.dtype} of shape {list(saved.shape)}"
            ),
            kind="hook-effect",
            culprit=function_place(saved.unpack),
            fix="let the unpack hook return a tensor of the shape and dtype that was packed",
        )
    return tensor


def _restored(node: Node, saved: Packed) -> Tensor:
    """The result of the unpack hook, as the tensor it stands for: with its place in the graph (V-66)."""
    tensor = _call_unpack(saved)
    constant = saved.edge is None and saved.output_nr is None and saved.tangents is None
    if constant and not tensor.requires_grad:
        return tensor
    if saved.output_nr is not None:
        out = _own_output(node, tensor._array, tensor._storage, saved.output_nr)
    else:
        out = in_graph(tensor._array, tensor._storage, saved.edge)
    if saved.tangents is not None:
        rare_of(out).tangents = saved.tangents
    return out


def in_graph(array: Any, storage: Storage | None, edge: Any) -> Tensor:
    """A tensor whose gradient goes over `edge`."""
    out = new_tensor(array)
    out._storage = storage
    if isinstance(edge, AccumulateGrad):
        out._tracked = LEAF
        out._edge = weakref.ref(edge)
    elif edge is not None:
        out._tracked = RESULT
        out._edge = edge
    return out


def is_stale(node: Node, saved: Any) -> bool:
    """Would reading this saved value raise the version error?"""
    saved = bare(saved)
    if isinstance(saved, Overwritten):
        return True
    storage = getattr(saved, "_storage", None)
    return storage is not None and storage.first_write_after(node.sequence_nr) is not None


def _warn_if_changed(node: Node, name: str, array: Any, before: int) -> None:
    """Warns of a write that no version counter has seen (V-25)."""
    if checksum(array) == before:
        return
    recorded = place_of(node.site)
    warning = explained(
        UserWarning(
            f"`{name}`, saved by {node.name()}, was changed past its version counter before backward "
            "read it: through numpy(), .data or a foreign buffer. The gradient is that of the new "
            "value." + (f" The operation was recorded at {recorded}." if recorded else "")
        ),
        kind="hidden-write",
        tensor=node.name(),
        fix="write to it with operations of vizgrad, or call increment_version after the write",
    )
    warnings.warn(warning, stacklevel=2)


def _detached_error(node: Node, name: str, site: Site | None) -> RuntimeError:
    return explained(
        RuntimeError(
            "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_(). "
            "This is not supported, please use out-of-place `.detach()` instead"
        ),
        kind="cut-detach",
        culprit=place_of(site),
        tensor=node.name(),
        fix="use `x = x.detach()` in place of `x.detach_()`",
        title="Saved tensor cut by detach_()",
        story=f"{node.name()} saved `{name}`, whose history was taken away before backward read it.",
    )


def freed_error(node: Node, freed: Freed) -> RuntimeError:
    """The second backward over released values (E-41)."""
    earlier = place_of(freed.site)
    recorded = place_of(node.site)
    story = f"{node.name()}"
    if recorded is not None:
        story += f", recorded at {recorded},"
    story += " has no saved values any more"
    story += f": the backward at {earlier} released them." if earlier else ": they were released."
    return explained(
        RuntimeError(
            "Trying to backward through the graph a second time (or directly access saved tensors "
            "after they have already been freed). Saved intermediate values of the graph are freed "
            "when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to "
            "backward through the graph a second time or if you need to access saved tensors after "
            "calling backward."
        ),
        kind="graph-freed",
        culprit=earlier,
        tensor=node.name(),
        fix="pass retain_graph=True to the earlier backward, or run the forward again",
        story=story,
    )


def _stale_error(
    node: Node,
    name: str,
    storage: Storage,
    clock: int,
    shape: tuple[int, ...],
    dtype: Any,
    saved: Tensor | SavedResult | None,
) -> RuntimeError:
    """The version error of V-20: names the line that wrote, not only the node that reads."""
    written = storage.first_write_after(clock)
    producer = ""
    if name == "result" or isinstance(saved, SavedResult):
        producer = f", which is output {getattr(saved, 'output_nr', 0)} of {node.name()}"
    elif isinstance(saved, Tensor) and saved._edge is not None and saved._tracked == RESULT:
        producer = f", which is output {saved.output_nr} of {saved.grad_fn.name()}"
    what = f"vizgrad.{type_name(dtype.name)} {list(shape)}"
    error = RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: [{what}]{producer}, is at version {storage.version}; expected "
        f"{storage.expected_at(clock)} instead. Hint: the note below names the line that wrote; anomaly mode "
        "(`with vizgrad.autograd.detect_anomaly():`) also shows the forward call of the node that failed."
    )
    return explained_stale(error, node, name, written)


FIX_OF_STEP = (
    "call every backward that needs the old values before step() (or add the losses), or run the "
    "forward again after it"
)


def fix_of_write(culprit: Place | None) -> str:
    """The advice on a write to a saved value: the step of an optimizer cannot be written out of place."""
    if culprit is not None and ".step(" in culprit.text:
        return FIX_OF_STEP
    return "write out of place there (e.g. `x = x + y` for `x += y`), or clone before the write"


def explained_stale(
    error: RuntimeError, node: Node, name: str, written: Written | None
) -> RuntimeError:
    site = None if written is None else written.site
    culprit = place_of(site)
    variable = written_name(site) or name
    recorded = place_of(node.site)
    story = f"{node.name()}"
    if recorded is not None:
        story += f", recorded at {recorded},"
    story += f" saved `{name}` for its backward; "
    if written is None or not written.op:
        story += "it was changed in place since"
        story += ", by one of several lines: it is too long ago to say which." if written else "."
    else:
        story += f"{written.op} changed it in place"
        story += f" through `{variable}`." if variable != name else "."
    return explained(
        error,
        kind="saved-overwritten",
        culprit=culprit,
        tensor=variable,
        fix=fix_of_write(culprit),
        story=story,
    )


# --- several tensors saved as one value: the index tensors of `x[i, j]` -----------------------------------
#
# To a formula they are one object (`vizgrad.core.ops.indices.Indices`); a node keeps each of them by itself,
# in the forms above, so that hooks pack them, versions are checked, and a backward frees them.


class Group(Protocol):
    """The values that a formula works with: made of tensors, None where there is none."""

    tensors: tuple[Tensor | None, ...]

    def __init__(self, tensors: Sequence[Tensor | None]) -> None: ...


class SavedGroup:
    """The part of a Group that a node keeps."""

    __slots__ = ("forms", "kind")

    def __init__(self, group: Group) -> None:
        self.kind = type(group)
        self.forms: list[Any] = list(group.tensors)

    def read(self, node: Node, name: str) -> Any:
        """The Group again; raises the error that explains why it cannot be had."""
        clock = node.sequence_nr
        found: list[Tensor | None] = []
        for number, form in enumerate(self.forms):
            if isinstance(form, Tensor):
                storage = form._storage
                if storage is not None and storage.last_write > clock:
                    read_array(node, f"{name}[{number}]", form)  # raises if it was written since
                found.append(form)
            elif form is None:
                found.append(None)
            else:
                found.append(new_tensor(read_array(node, f"{name}[{number}]", form)))
        return self.kind(found)

    def tensors(self, node: Node, name: str) -> tuple[Tensor | None, ...]:
        """As `node._saved_<name>` shows it."""
        for form in self.forms:
            if isinstance(form, Freed):
                raise freed_error(node, form)
        return tuple(read_tensor(node, f"{name}[{n}]", f) for n, f in enumerate(self.forms))

    def release(self, token: object) -> None:
        self.forms = [None if form is None else token for form in self.forms]


class GroupSlot:
    """Where one of the tensors sits (see `packing.Slot`)."""

    __slots__ = ("_group", "_number")

    def __init__(self, group: SavedGroup, number: int) -> None:
        self._group = group
        self._number = number

    def get(self) -> Any:
        return self._group.forms[self._number]

    def set(self, form: Any) -> None:
        self._group.forms[self._number] = form
