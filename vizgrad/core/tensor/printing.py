"""How a tensor looks as text: PyTorch's layout, so that notebooks written for it read the same.

Numbers are padded to one width. Scientific notation is used when the sizes of the (finite, non-zero)
elements span more than a factor of 1000, or leave [1e-4, 1e8]; big tensors show only their edges.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from vizgrad.core.arrays import dtypes, xp
from vizgrad.core.arrays.backend import to_host
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.tensor.duals import active, tangent_of
from vizgrad.core.tensor.tensor import Tensor


@dataclass(frozen=True, slots=True)
class PrintOptions:
    """See `set_printoptions`."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=math.inf),
}
_options = PrintOptions()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Sets how tensors are printed; what is not given stays, and `sci_mode` becomes automatic.

    `precision`: digits after the point; `threshold`: tensors with more elements show `edgeitems` at
    each edge; `profile`: "default", "short" or "full".
    """
    global _options
    if profile is not None:
        if profile not in _PROFILES:
            raise ValueError(f"profile must be one of {sorted(_PROFILES)}, got {profile!r}")
        _options = _PROFILES[profile]
    given = {
        "precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth,
    }  # fmt: skip
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    _options = replace(_options, sci_mode=sci_mode, **changes)


class _Numbers:
    """One format for all elements of a tensor."""

    def __init__(self, array: Any, options: PrintOptions) -> None:
        self.precision = options.precision
        self.floating = array.dtype.kind in "fV"
        self.whole = self.scientific = False
        self.width = 1
        flat = array.reshape(-1)
        if not self.floating:
            self.width = max((len(str(v)) for v in flat.tolist()), default=1)
            return
        wide = flat.astype(xp.float64)
        counted = wide[xp.isfinite(wide) & (wide != 0)]
        sizes = xp.abs(counted)
        self.whole = bool((xp.floor(sizes) == sizes).all())
        if sizes.size:
            low, high = float(sizes.min()), float(sizes.max())
            spread = high / low > 1000 or high > 1e8 or (not self.whole and low < 1e-4)
            self.scientific = spread if options.sci_mode is None else options.sci_mode
        self.width = max((len(self._plain(v)) for v in counted.tolist()), default=1)

    def _plain(self, value: Any) -> str:
        if not self.floating:
            return str(value)
        if self.scientific:
            return f"{value:.{self.precision}e}"
        if self.whole:
            return f"{value:.0f}" + ("." if math.isfinite(value) else "")
        return f"{value:.{self.precision}f}"

    def __call__(self, value: Any) -> str:
        return self._plain(value).rjust(self.width)


class _ComplexNumbers:
    """Real and imaginary parts, each in a format of its own."""

    def __init__(self, array: Any, options: PrintOptions) -> None:
        self.real = _Numbers(array.real, options)
        self.imag = _Numbers(array.imag, options)
        self.width = self.real.width + self.imag.width + 1

    def __call__(self, value: Any) -> str:
        imag = self.imag(value.imag).lstrip()
        sign = "" if imag.startswith("-") else "+"
        return f"{self.real(value.real)}{sign}{imag}j"


def _edges(array: Any, count: int) -> Any:
    """Only the first and last `count` elements of each long dimension: what will be shown."""
    for dim, length in enumerate(array.shape):
        if length > 2 * count:
            before = (slice(None),) * dim
            parts = array[(*before, slice(0, count))], array[(*before, slice(length - count, None))]
            array = xp.concatenate(parts, dim)
    return array


def _text(
    array: Any,
    shape: tuple[int, ...],
    numbers: Any,
    indent: int,
    short: bool,
    options: PrintOptions,
) -> str:
    """`array` holds what is shown of a tensor of the given shape."""
    if not shape:
        return numbers(array.item())
    count = options.edgeitems
    cut = short and shape[0] > 2 * count
    if len(shape) == 1:
        words = [numbers(v) for v in array.tolist()]
        if cut:
            words.insert(count, " ...")
        per_line = max(1, (options.linewidth - indent) // (numbers.width + 2))
        lines = [", ".join(words[i : i + per_line]) for i in range(0, len(words), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
    rows = [_text(row, shape[1:], numbers, indent + 1, short, options) for row in array]
    if cut:
        rows.insert(count, "...")
    return "[" + ("," + "\n" * (len(shape) - 1) + " " * (indent + 1)).join(rows) + "]"


def to_text(tensor: Tensor, prefix: str = "tensor(") -> str:
    """The tensor's values, with type, device and history where they are not the usual ones."""
    array = tensor._array
    if is_sparse(array):
        return _sparse_text(tensor, prefix)
    notes = [*_notes(tensor), *_history(tensor)]
    if not array.size and array.ndim != 1:
        notes.insert(0, f"size={tuple(array.shape)}")
    return _with_notes(prefix + _elements(array, len(prefix)), notes, len(prefix))


def _elements(array: Any, indent: int) -> str:
    options = _options
    if not array.size:
        return "[]"
    short = array.size > options.threshold
    shown = to_host(_edges(array, options.edgeitems) if short else array)
    numbers = (_ComplexNumbers if shown.dtype.kind == "c" else _Numbers)(shown, options)
    return _text(shown, array.shape, numbers, indent, short, options)


def _with_notes(text: str, notes: list[str], indent: int) -> str:
    """The text and its notes, each on a new line where it would pass the line's end."""
    column = len(text) - text.rfind("\n") - 1
    for note in notes:
        if column + len(note) + 4 > _options.linewidth:
            text += ",\n" + " " * indent + note
            column = indent + len(note)
        else:
            text += ", " + note
            column += len(note) + 2
    return text + ")"


#: The names of the arrays that a sparse one consists of.
_PARTS = {
    "sparse_coo": ("indices", "values"),
    "sparse_csr": ("crow_indices", "col_indices", "values"),
    "sparse_csc": ("ccol_indices", "row_indices", "values"),
}


def _sparse_text(tensor: Tensor, prefix: str) -> str:
    """The parts of a sparse tensor, its size, and how many values it stores."""
    array, text, lead = tensor._array, "", prefix
    for name, part in zip(_PARTS[array.layout], array.parts(), strict=True):
        start = f"{lead}{name}=tensor("
        size = "" if part.size else f", size={tuple(part.shape)}"
        text += f"{start}{_elements(part, len(start))}{size}),\n"
        lead = " " * len(prefix)
    text = text.removesuffix(",\n")
    text += f",\n{lead}" if array.layout == "sparse_coo" else ", "
    text += f"size={tuple(array.shape)}, nnz={array.nnz}"
    notes = [*_notes(tensor), f"layout=vizgrad.{array.layout}", *_history(tensor)]
    return _with_notes(text, notes, len(prefix))


def _notes(tensor: Tensor) -> list[str]:
    notes: list[str] = []
    dtype = tensor.dtype
    usual = dtype in (dtypes.get_default_dtype(), dtypes.int64, dtypes.bool_) or (
        dtype.category == 3 and dtypes.to_real(dtype) is dtypes.get_default_dtype()
    )
    if tensor.device.type != "cpu":
        notes.append(f"device='{tensor.device}'")
    if not usual or (not tensor._array.size and dtype is not dtypes.get_default_dtype()):
        notes.append(f"dtype={dtype}")
    return notes


def _history(tensor: Tensor) -> list[str]:
    found = ["requires_grad=True"] if tensor.requires_grad else []
    try:
        node = tensor.grad_fn
    except RuntimeError:  # a view that may not be used any more (V-42 ...)
        node, found = None, ["grad_fn=<Invalid>"]
    if node is not None:
        found = [f"grad_fn=<{node.name()}>"]
    return found + _tangent(tensor) if active() else found


def _tangent(tensor: Tensor) -> list[str]:
    """The tangents that it carries in forward mode."""
    tangent = tangent_of(tensor, active()[-1])
    if tangent is None:
        return []
    return [f"tangent={tangent.item() if not tangent.ndim else tangent}"]


def _repr(self: Tensor) -> str:
    cls = type(self)
    return to_text(self, "tensor(" if cls.__module__.startswith("vizgrad.") else f"{cls.__name__}(")


def _format(self: Tensor, spec: str) -> str:
    """A number's own format for 0-dim tensors: ``f"{loss:.3f}"``."""
    if self._array.ndim == 0 and type(self) is Tensor:
        return format(self._array.item(), spec)
    if spec:
        raise TypeError(
            f"unsupported format string passed to Tensor.__format__: {spec!r} is for one "
            "number, and "
            f"the tensor has shape {list(self._array.shape)}"
        )
    return repr(self)


Tensor.__repr__ = _repr
Tensor.__format__ = _format
