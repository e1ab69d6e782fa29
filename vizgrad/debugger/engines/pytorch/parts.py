"""What tensors of PyTorch's consist of that are not dense: a sparse one of values and their places.

Of other kinds (on the meta device, quantized, opaque, wrappers around others) less can be had, and what
cannot be had is left out: nothing here raises.
"""

from __future__ import annotations

from typing import Any

import torch

_BY_ROWS = {torch.sparse_csr, torch.sparse_bsr}
_BY_COLUMNS = {torch.sparse_csc, torch.sparse_bsc}
#: Layouts of tensors that keep some of their elements only.
SPARSE = frozenset({torch.sparse_coo, *_BY_ROWS, *_BY_COLUMNS})
_REFUSED = (NotImplementedError, RuntimeError, TypeError, AttributeError)


def parts_of(tensor: Any) -> list[Any]:
    """The dense tensors that it consists of: first the values, then their places. Of a dense one itself, of
    another none while a `TorchDispatchMode` is on, which would hear of it.
    """
    layout = tensor.layout
    if layout == torch.strided and not tensor.is_nested:
        return [tensor]
    if torch._C._len_torch_dispatch_stack():
        return []
    plain = tensor.detach()
    try:
        if layout == torch.sparse_coo:
            return [plain._values(), plain._indices()]
        if layout in _BY_ROWS:
            return [plain.values(), plain.crow_indices(), plain.col_indices()]
        if layout in _BY_COLUMNS:
            return [plain.values(), plain.ccol_indices(), plain.row_indices()]
        if plain.is_nested:
            return [plain.values(), *([plain.offsets()] if layout != torch.strided else [])]
    except _REFUSED:
        return []
    return [plain]


def stored(tensor: Any) -> Any:
    """What a tensor keeps, where it is: of a sparse one its values, of which two may be of the same place."""
    found = parts_of(tensor)
    return found[0] if found else tensor


def bytes_of(tensor: Any) -> int:
    """That its elements take, and of a sparse one their places; 0 if that cannot be had."""
    try:
        return sum([int(part.nbytes) for part in parts_of(tensor)])
    except _REFUSED:
        return 0


def storage_of(tensor: Any) -> Any:
    """The memory that its elements lie in; None if it has none of its own."""
    try:
        storage = stored(tensor).untyped_storage()
    except _REFUSED:
        return None
    return storage if storage._cdata else None


def shape_of(like: Any) -> tuple[int, ...]:
    """Of a tensor, or of what describes one. -1 is what differs from row to row of a nested one."""
    try:
        return tuple([n if type(n) is int else _length(n) for n in like.shape])
    except _REFUSED:
        pass
    try:
        return tuple(-1 if n is None else n for n in _sizes(like))
    except _REFUSED:
        return ()


def _length(n: Any) -> int:
    return -1 if n.node.is_nested_int() else int(n)


def _sizes(nested: Any) -> list[int | None]:
    found: list[int | None] = []
    for dimension in range(nested.dim()):
        try:
            found.append(nested.size(dimension))
        except RuntimeError:
            found.append(None)
    return found
