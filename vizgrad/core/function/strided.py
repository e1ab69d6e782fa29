"""Regions of a memory block, as differentiable operations.

In-place writes through views are followed by geometry alone: which elements of the base's memory the
view covers (V-31). The three copying operations here are each other's derivatives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from vizgrad.core.arrays import layout, xp
from vizgrad.core.arrays.backend import beside
from vizgrad.core.arrays.kernels import elementwise as kernel
from vizgrad.core.arrays.kernels.places import write_at
from vizgrad.core.arrays.layout import shaped
from vizgrad.core.function.primitive import primitive
from vizgrad.core.graph.edges import edge_of
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.storage import tick
from vizgrad.core.tensor.tensor import Tensor, new_tensor

if TYPE_CHECKING:
    from vizgrad.core.graph.node import Node
    from vizgrad.core.tensor.tensor import Tensor


# The same memory as complex numbers and as pairs of real ones.

# A primitive is declared as a class body of functions over arrays and tensors alike, without `self`.
# pyright: reportSelfClsParameterName=false, reportAttributeAccessIssue=false


@primitive(view=True, linear=True, holomorphic=False)
class view_as_real:
    """Complex numbers as pairs (real part, imaginary part) along a new last dimension."""

    forward = kernel.as_real

    def grad_self(grad):
        return view_as_complex(dense(grad))


@primitive(view=True, linear=True, holomorphic=False)
class view_as_complex:
    """Pairs (real part, imaginary part) along the last dimension as complex numbers."""

    forward = kernel.as_complex

    def grad_self(grad):
        return view_as_real(grad)


@primitive(linear=True, node="CloneBackward0")
class dense:
    """A copy in C order: what can be read as complex numbers."""

    def forward(self):
        return self.copy()

    def grad_self(grad):
        return grad


# A primitive is declared as a class body of functions over arrays and tensors alike, without `self`.
# pyright: reportSelfClsParameterName=false, reportAttributeAccessIssue=false


class Geometry(NamedTuple):
    """A region of a base: all in elements, `offset` counted from the base's first element.

    Where one of the two is complex and the other real, it is the geometry of both as real numbers, and
    `region` says of what kind the region is.
    """

    base_shape: tuple[int, ...]
    base_strides: tuple[int, ...]
    size: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    region: Literal["as base", "real", "complex"] = "as base"


def geometry_of(base: Tensor, view: Tensor) -> Geometry:
    a, v = base._array, view._array
    region = "as base"
    if a.dtype.kind != v.dtype.kind:
        region = "real" if a.dtype.kind == "c" else "complex"
        a, v = (view_as_real(x) if x.dtype.kind == "c" else x for x in (a, v))
    if view._storage is base._storage:
        offset = (layout.address(v) - layout.address(a)) // a.itemsize
    else:  # one of them shows other memory since (`x.data = ...`): both are where they would be in one
        start, origin = (t.storage_offset() * t._array.itemsize for t in (view, base))
        offset = (start - origin) // a.itemsize
    return Geometry(a.shape, layout.strides_of(a), v.shape, layout.strides_of(v), offset, region)


def take(value: Any, geometry: Geometry) -> Any:
    """The region of a base-shaped value, as a new array or Tensor."""
    if geometry.region == "as base":
        return strided_take(value, geometry=geometry)
    if geometry.region == "real":
        return strided_take(view_as_real(value), geometry=geometry)
    return view_as_complex(strided_take(value, geometry=geometry))


def put(value: Any, geometry: Geometry) -> Any:
    """A base-shaped value, zero except in the region."""
    if geometry.region == "as base":
        return strided_put(value, geometry=geometry)
    if geometry.region == "real":
        return view_as_complex(dense(strided_put(value, geometry=geometry)))
    return strided_put(view_as_real(value), geometry=geometry)


def replace(value: Any, source: Any, geometry: Geometry) -> Any:
    """A base-shaped value whose region is replaced by `source`."""
    if geometry.region == "as base":
        return strided_replace(value, source, geometry=geometry)
    if geometry.region == "real":
        whole = strided_replace(view_as_real(value), source, geometry=geometry)
        return view_as_complex(dense(whole))
    return strided_replace(value, view_as_real(source), geometry=geometry)


def _span(shape: tuple[int, ...], strides: tuple[int, ...], start: int) -> tuple[int, int]:
    """First and one-past-last element that a strided region touches."""
    if 0 in shape:
        return start, start
    low = start + sum((n - 1) * s for n, s in zip(shape, strides, strict=True) if s < 0)
    high = start + sum((n - 1) * s for n, s in zip(shape, strides, strict=True) if s > 0)
    return low, high + 1


def _regions(like: Any, g: Geometry, zero: Literal["all", "holes", "none"]) -> tuple[Any, Any]:
    """(base-shaped view, region view) of one new block of memory with the base's geometry.

    All of it is zero, or where the base, once written, may leave holes that the region reads, or nothing.
    """
    base = _span(g.base_shape, g.base_strides, 0)
    region = _span(g.size, g.stride, g.offset)
    low, high = min(base[0], region[0]), max(base[1], region[1])
    make = xp.zeros_like if zero == "all" else xp.empty_like
    block = make(like, shape=(high - low,), order="C")
    item = block.itemsize
    strided = layout.restrided
    whole = strided(block[-low:], g.base_shape, tuple(s * item for s in g.base_strides))
    if zero == "holes" and (whole.size < block.size or layout.overlaps_itself(whole)):
        block.fill(0)
    part = strided(block[g.offset - low :], g.size, tuple(s * item for s in g.stride))
    return whole, part


@primitive(linear=True, holomorphic=False)
class strided_take:
    """The region of a base-shaped value, as a new array; the mean of elements that are one place.

    Cells of the region that no element of the base lies in are zero.
    """

    def forward(self, *, geometry):
        whole, part = _regions(self, geometry, zero="holes")
        if layout.overlaps_itself(whole):
            cells, sharing = _cells_of_base(self, geometry)
            total = _added(self, cells, sharing.size)
            whole[...] = total[cells] / sharing[cells].astype(self.dtype)
        else:
            whole[...] = self
        return part.copy()

    def grad_self(grad, geometry):
        return strided_put(grad, geometry=geometry)


@primitive(linear=True, holomorphic=False)
class strided_put:
    """A base-shaped value, zero except in the region; elements that overlap add up.

    Elements of the base that are one place of memory (of an expanded tensor) have equal parts of its value.
    """

    def forward(self, *, geometry):
        whole, part = _regions(self, geometry, zero="all")
        if layout.overlaps_itself(part):
            cells = beside(self, _cells(geometry.size, geometry.stride))
            part[...] = _added(self, cells, int(cells.max()) + 1)[cells]
        else:
            part[...] = self
        if layout.overlaps_itself(whole):
            cells, sharing = _cells_of_base(self, geometry)
            return whole / sharing[cells].astype(self.dtype)
        return whole.copy()

    def grad_self(grad, geometry):
        return strided_take(grad, geometry=geometry)


def _cells(size: tuple[int, ...], stride: tuple[int, ...]) -> Any:
    """For each element of a region, the number of the memory cell it lies in (from 0)."""
    index = xp.zeros((), dtype=xp.int64)
    for axis, (n, s) in enumerate(zip(size, stride, strict=True)):
        shape = [1] * len(size)
        shape[axis] = n
        index = index + (xp.arange(n) * abs(s)).reshape(shape)
    return xp.broadcast_to(index, size)


def _cells_of_base(like: Any, g: Geometry) -> tuple[Any, Any]:
    """The cells of the base's elements, and how many of these share each cell."""
    cells = _cells(g.base_shape, g.base_strides)
    return beside(like, cells), beside(like, xp.bincount(cells.reshape(-1)))


def _added(values: Any, cells: Any, count: int) -> Any:
    """The sum of the values of each cell."""
    flat = xp.zeros_like(values, shape=(count,), order="C")
    write_at(xp.add, flat, cells.reshape(-1), values.reshape(-1))
    return flat


@primitive(node="AsStridedScatterBackward0", linear=True, holomorphic=False)
class strided_replace:
    """A base-shaped value whose region is replaced by `source`."""

    def forward(self, source, *, geometry):
        whole, part = _regions(self, geometry, zero="none")
        whole[...] = self
        part[...] = source
        return whole.copy()

    def grad_self(grad, geometry, source_meta):
        return strided_replace(grad, _zeros_beside(grad, source_meta), geometry=geometry)

    def grad_source(grad, geometry):
        return strided_take(grad, geometry=geometry)


def _zeros_beside(grad: Any, meta: Any) -> Any:
    """Zeros of the meta's shape, of the same kind (array or Tensor) as `grad`."""
    if isinstance(grad, Tensor):
        return new_tensor(shaped(xp.zeros_like, grad._array, shape=meta.shape, order="C"))
    return (
        xp.zeros(meta.shape, meta.dtype)
        if grad.ndim == 0
        else shaped(xp.zeros_like, grad, shape=meta.shape, order="C")
    )


@primitive(node="AsStridedBackward0", view=True, linear=True, holomorphic=False)
class as_strided:
    """A view with any strides (elements), as torch.as_strided."""

    def forward(self, *, geometry):
        return layout.as_strided(self, geometry.size, geometry.stride, geometry.offset)

    def grad_self(grad, geometry):
        return put(grad, geometry)


def as_strided_node(base: Tensor, view: Tensor) -> Node | None:
    """The node that a view's new history begins with (V-30 (4)); None if the base has no history."""
    edge = edge_of(base)
    if edge is None:
        return None
    cls: Any = as_strided.node_class
    node = object.__new__(cls)
    array = view._array
    fill_strided(node, edge, array.shape, array.dtype, geometry_of(base, view))
    return node


def fill_strided(node: Any, edge: Any, shape: Any, dtype: Any, geometry: Geometry) -> None:
    """Fills the slots of a new node of `as_strided`."""
    node.sequence_nr = tick()
    node.edges = (edge,)
    node.hooks = None
    node.shape = shape
    node.dtype = dtype
    node.code = None
    node.lasti = 0
    node.scope = MODES.scope
    node._geometry = geometry
