"""Saved values: what a node keeps for its backward, and the check that nobody changed it (spec 03 C).

A saved value sits in the node's slot ``_<name>`` in one of these forms:

- a Tensor: a forward input, the same object (F-37);
- `SavedResult`: the node's own output, without the tensor, which would be a reference cycle;
- `Overwritten`: an input that the very in-place operation which saved it has overwritten;
- `Packed`: whatever a saved-tensors hook made of it;
- `Freed`: released; tells which run did it;
- None: not needed, because the gradient that uses it is not.

Forms that can be read at once have `_array` and `_storage`, so the generated code of a node reads both
without asking which form it is, and comes here only when that fails or the clock says "written".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from vizgrad.errors import explained, place_of
from vizgrad.tensor.place import Site
from vizgrad.tensor.source import written_name
from vizgrad.tensor.tensor import RESULT, Tensor, new_tensor

if TYPE_CHECKING:
    from vizgrad.graph.node import Node
    from vizgrad.tensor.storage import Storage, Written


class SavedResult:
    """The node's own output, as memory."""

    __slots__ = ("_array", "_storage", "output_nr")

    def __init__(self, array: Any, storage: Storage, output_nr: int = 0) -> None:
        self._array = array
        self._storage = storage
        self.output_nr = output_nr


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


def unpack_array(node: Node, name: str) -> Any:
    """The array of saved value `name`; raises the error that explains why it cannot be had."""
    saved = getattr(node, "_" + name)
    if isinstance(saved, Freed):
        raise freed_error(node, saved) from None
    if isinstance(saved, Overwritten):
        _raise_stale(node, name, saved.storage, saved.clock, saved.shape, saved.dtype, None)
    storage = saved._storage
    if storage is not None and storage.last_write > node.sequence_nr:
        tensor = saved if isinstance(saved, Tensor) else None
        array = saved._array
        _raise_stale(node, name, storage, node.sequence_nr, array.shape, array.dtype, tensor)
    return saved._array


def unpack_tensor(node: Node, name: str) -> Tensor | None:
    """Saved value `name` as a Tensor: the same object for an input; for an output a new one that
    belongs to this node (V-23)."""
    saved = getattr(node, "_" + name)
    if saved is None:
        return None
    array = unpack_array(node, name)
    if isinstance(saved, Tensor):
        return saved
    out = new_tensor(array)
    out._storage = saved._storage
    out._edge = node
    if saved.output_nr:
        from vizgrad.graph.node import Edge

        out._edge = Edge(node, saved.output_nr)
    out._tracked = RESULT
    return out


def is_stale(node: Node, saved: Any) -> bool:
    """Would reading this saved value raise the version error?"""
    if isinstance(saved, Overwritten):
        return True
    storage = getattr(saved, "_storage", None)
    return storage is not None and storage.last_write > node.sequence_nr


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


_TYPE_NAMES = {
    "float16": "HalfTensor", "float32": "FloatTensor", "float64": "DoubleTensor",
    "int64": "LongTensor", "int32": "IntTensor", "bool": "BoolTensor", "complex64":
    "ComplexFloatTensor", "complex128": "ComplexDoubleTensor", "uint8": "ByteTensor",
}  # fmt: skip


def _raise_stale(
    node: Node,
    name: str,
    storage: Storage,
    clock: int,
    shape: tuple[int, ...],
    dtype: Any,
    tensor: Tensor | None,
) -> NoReturn:
    """The version error of V-20: names the line that wrote, not only the node that reads."""
    expected = storage.version_at(clock)
    written = storage.first_write_after(clock)
    producer = ""
    if name == "result":
        producer = f", which is output 0 of {node.name()}"
    elif tensor is not None and tensor._edge is not None and tensor._tracked == RESULT:
        producer = f", which is output {tensor.output_nr} of {tensor.grad_fn.name()}"  # pyright: ignore[reportAttributeAccessIssue]
    what = f"vizgrad.{_TYPE_NAMES.get(dtype.name, dtype.name)} {list(shape)}"
    error = RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: [{what}]{producer}, is at version {storage.version}; expected version "
        f"{expected} instead. Hint: the note below names the line that wrote."
    )
    raise explained_stale(error, node, name, written) from None


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
    if written is None:
        story += "it was changed in place since."
    else:
        story += f"{written.op} changed it in place"
        story += f" through `{variable}`." if variable != name else "."
    return explained(
        error,
        kind="saved-overwritten",
        culprit=culprit,
        tensor=variable,
        fix="write out of place there (e.g. `x = x + y` for `x += y`), or clone before the write",
        story=story,
    )
