"""Elements of PyTorch's tensors, read where they lie, and the dense parts of those that are not dense.

`Tensor.numpy()` does more than show memory: from then on PyTorch refuses to resize it, which programs do that
free parameters and gather them again (FSDP2). So memory is read by its address, and knows nothing of it.

A sparse tensor consists of values and their places. Other kinds (on the meta device, quantized,
opaque, wrappers around others) give less, and missing parts are left out: parts never raise.
"""

from __future__ import annotations

from typing import Any

import torch

from vizgrad.core.arrays.blocks import EVERYWHERE, FIRST, borrow

_BY_ROWS = {torch.sparse_csr, torch.sparse_bsr}
_BY_COLUMNS = {torch.sparse_csc, torch.sparse_bsc}
#: Layouts of tensors that keep some of their elements only.
SPARSE = frozenset({torch.sparse_coo, *_BY_ROWS, *_BY_COLUMNS})
_REFUSED = (NotImplementedError, RuntimeError, TypeError, AttributeError)


def parts_of(tensor: Any) -> list[Any]:
    """The dense tensors that it consists of: first the values, then their places. A dense one gives
    itself, another none while a `TorchDispatchMode` is on, which would see the read.
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
    """The stored elements of a tensor, where they are: for a sparse one its values, of which two may
    have the same place.
    """
    found = parts_of(tensor)
    return found[0] if found else tensor


def bytes_of(tensor: Any) -> int:
    """That its elements take, and of a sparse one their places; 0 if that cannot be had."""
    try:
        if tensor.layout is torch.strided and not tensor.is_nested:
            return int(tensor.nbytes)
        return sum([int(part.nbytes) for part in parts_of(tensor)])
    except _REFUSED:
        return 0


def storage_of(tensor: Any) -> Any:
    """The memory that its elements lie in; None if it has none of its own."""
    try:
        dense = tensor.layout is torch.strided and not tensor.is_nested
        storage = (tensor if dense else stored(tensor)).untyped_storage()
    except _REFUSED:
        return None
    return storage if storage._cdata else None


def shape_of(like: Any) -> tuple[int, ...]:
    """The shape of a tensor, or of its description. -1 is a size that differs from row to row of a
    nested one.
    """
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


#: dtype -> the same as numpy spells it.
_SPELLED: dict[Any, str] = {
    torch.bool: "b1", torch.uint8: "u1", torch.int8: "i1", torch.int16: "i2", torch.int32: "i4",
    torch.int64: "i8", torch.float16: "f2", torch.float32: "f4", torch.float64: "f8",
    torch.complex64: "c8", torch.complex128: "c16",
    torch.uint16: "u2", torch.uint32: "u4", torch.uint64: "u8",
}  # fmt: skip
#: Types that numpy has not -> those that they are copied to.
_WIDER: dict[Any, Any] = {
    dtype: torch.float32 for name in (
        "bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz",
        "float8_e8m0fnu",
    ) if (dtype := getattr(torch, name, None)) is not None
}  # fmt: skip
#: Floating types that numpy has not.
NARROW = frozenset(_WIDER)
_WIDER[torch.complex32] = torch.complex64


def has_elements(tensor: Any) -> bool:
    """Has it elements that can be read? A tensor that is dense, of a type that numpy can show, and whose
    memory is there: FSDP2 frees that of parameters, and gathers them again when they are used.
    """
    if tensor.layout is not torch.strided or tensor.is_nested or tensor.device.type == "meta":
        return False
    if tensor.is_quantized or (tensor.dtype not in _SPELLED and tensor.dtype not in _WIDER):
        return False
    try:
        there = tensor.untyped_storage().nbytes()
        if not tensor.data_ptr() and tensor.numel():
            return False  # it only stands for another
    except (NotImplementedError, RuntimeError):  # a wrapper around others
        return False
    if there < tensor.nbytes or not tensor.is_contiguous():
        return _end(tensor) <= there
    return (tensor.storage_offset() + tensor.numel()) * tensor.element_size() <= there


def reach(tensor: Any) -> int:
    """How many bytes lie between the beginning of its first element and the end of its last."""
    if not tensor.numel():
        return 0
    last = sum((n - 1) * stride for n, stride in zip(tensor.shape, tensor.stride(), strict=True))
    return (last + 1) * tensor.element_size()


def _end(tensor: Any) -> int:
    """How many bytes of its storage must be there."""
    length = reach(tensor)
    return length and tensor.storage_offset() * tensor.element_size() + length


def elements_of(tensor: Any) -> Any:
    """An array of numpy's that shows them: where they lie if that is the CPU, else a copy. It is to be read
    only. TypeError for a tensor without elements that can be read.
    """
    if not has_elements(tensor):
        raise TypeError(f"the elements of a {kind_of(tensor)} cannot be shown one by one")
    return shown(tensor)


def shown(tensor: Any) -> Any:
    """`elements_of` a tensor that is known to have elements."""
    plain = tensor.detach()
    wider = _WIDER.get(plain.dtype)
    if wider is not None:
        plain = plain.to(wider)
    if not plain.is_cpu or plain.is_conj() or plain.is_neg():
        plain = plain.cpu().resolve_conj().resolve_neg()
    size = plain.element_size()
    return borrow(
        plain, plain.data_ptr(), _SPELLED[plain.dtype], tuple(plain.shape),
        tuple([stride * size for stride in plain.stride()]),
    )  # fmt: skip


#: dtype -> all memory, as an array of that type, and the size of an element.
BY_BLAS: dict[Any, tuple[Any, int]] = {
    torch.float32: (EVERYWHERE["f4"], 4), torch.float64: (EVERYWHERE["f8"], 8)
}  # fmt: skip
_may_overlap = torch._debug_has_internal_overlap


def lying(tensor: Any) -> Any:
    """The elements of a plain tensor as a flat array, in the order in which they lie, to be read at once: it
    keeps no memory. None where these are no numbers of single or double precision on the CPU that lie side by
    side.
    """
    known = BY_BLAS.get(tensor.dtype)
    if known is None or not tensor.is_cpu:
        return None
    everywhere, size = known
    try:
        if not tensor.is_contiguous() and _may_overlap(tensor):
            return None
        count, address = tensor.numel(), tensor.data_ptr()
        if (tensor.storage_offset() + count) * size > tensor.untyped_storage().nbytes():
            return None  # it was freed
    except (NotImplementedError, RuntimeError):  # it is sparse, or only stands for another
        return None
    first, rest = divmod(address - FIRST, size)
    return None if rest or first < 0 else everywhere[first : first + count]


def kind_of(tensor: Any) -> str:
    """The kind of tensor, in words."""
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter):
        return type(tensor).__name__
    if tensor.is_nested:
        return "nested tensor"
    if tensor.layout is not torch.strided:
        return f"tensor of layout {tensor.layout}"
    if tensor.device.type == "meta":
        return "tensor on the meta device"
    if tensor.is_quantized or (tensor.dtype not in _SPELLED and tensor.dtype not in _WIDER):
        return f"tensor of type {tensor.dtype}"
    return "tensor whose memory has been freed"
