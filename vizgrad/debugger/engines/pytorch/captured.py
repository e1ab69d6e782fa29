"""The gradients of a step as they were: copied, read where they still are, or as statistics alone.

To copy a large gradient costs more than the backward that made it: its memory must be fetched from the
system. So beyond a budget a run keeps statistics of large gradients, and reads their elements where these
still are: where they wait for a node, and in `.grad` as long as nobody writes there (notebooks/design/0053).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import inf, isfinite
from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from vizgrad.core.arrays.magnitude import vdot
from vizgrad.debugger import model
from vizgrad.debugger.engines.common.new_values import CapturedValue
from vizgrad.debugger.engines.pytorch.effects import copy_of
from vizgrad.debugger.engines.pytorch.elements import (
    bytes_of,
    has_elements,
    lying,
    parts_of,
    shape_of,
    stored,
)
from vizgrad.debugger.engines.pytorch.summary import (
    sum_of_pieces,
    summarize,
    summarize_at_once,
    summarize_closely,
)

#: Bytes of a gradient that is always copied, which costs no more than to put it into numbers.
SMALL = 1 << 16
#: The budget of copies: this part of the bytes of a graph's leaves and saved values, and `LEAST` bytes.
PART, LEAST = 8, 16 << 20
#: Places of memory that are noted before those of released memory are looked for.
_PLACES = 256


def budget_of(nbytes: int) -> int:
    """Bytes of copies for a graph whose leaves and saved values have `nbytes`."""
    return max(LEAST, nbytes // PART)


class CapturedTensor(CapturedValue):
    """A gradient of which there is a copy."""

    __slots__ = ("_finite",)

    def __init__(self, array: torch.Tensor) -> None:
        super().__init__(array)
        self._finite: bool | None = None

    @property
    def finite(self) -> bool:
        """All elements? Asked of one on a device, it waits for that."""
        if self._finite is None:
            self._finite = self._are_finite()
        return self._finite

    def _are_finite(self) -> bool:
        if self.array is None:
            return not (self.summary.nans or self.summary.infs)
        values = stored(self.array)
        flat = lying(values)
        if flat is not None and vdot(flat, flat) < inf:
            return True
        floating = values.is_floating_point() or values.is_complex()
        return not floating or not has_elements(values) or bool(values.isfinite().all())

    def _summarize(self, *, closely: bool) -> model.TensorSummary:
        found = summarize_closely(self.array) if closely else summarize(self.array)
        assert found is not None  # of a tensor there is one
        return found

    @property
    def copied(self) -> torch.Tensor | None:
        """The copy, as long as it is kept."""
        return self.array

    @property
    def held(self) -> tuple[int, int]:
        """The identity of its copy, and the bytes of it."""
        return id(self.array), 0 if self.array is None else bytes_of(self.array)

    def reduce(self) -> int:
        """Releases the copy, and keeps statistics. Returns how many bytes that were."""
        nbytes = self.held[1]
        self.forget()
        return nbytes


class Elements:
    """The elements of a large gradient as they lie in memory. Gradients of several nodes may view them."""

    __slots__ = (
        "_dtype", "_memory", "_offset", "_size", "_sum", "_summary", "_version", "copy",
        "temporary",
    )  # fmt: skip

    def __init__(
        self, flat: torch.Tensor, copy: torch.Tensor | None, summand: torch.Tensor | None = None
    ) -> None:
        """`copy` of `flat`; None: statistics are made of it now, or of its sum with `summand`."""
        self.copy = copy
        #: Is the copy only there until a sum is complete?
        self.temporary = False
        self._size, self._dtype = flat.numel(), flat.dtype
        self._summary, self._sum = (
            (None, sum_of_pieces(flat)) if copy is not None else summarize_at_once(flat, summand)
        )
        self.lie_in(flat)

    def lie_in(self, flat: torch.Tensor) -> None:
        """They are there, too, while the engine or `.grad` holds this memory, and nobody writes to it."""
        self._memory = StorageWeakRef(flat.untyped_storage())
        self._offset, self._version = flat.storage_offset(), flat._version

    @property
    def nbytes(self) -> int:
        """The bytes of a copy that stays."""
        return 0 if self.copy is None or self.temporary else self.copy.nbytes

    @property
    def summary(self) -> model.TensorSummary:
        if self._summary is None:
            assert self.copy is not None  # there are statistics of what has none
            self._summary, _ = summarize_at_once(self.copy)
        return self._summary

    @property
    def released(self) -> bool:
        """Have all holders released the memory?"""
        return self._memory.expired()

    def read(self) -> torch.Tensor | None:
        """None where nobody has them any more."""
        if self.copy is not None:
            return self.copy
        flat = self.memory()
        return flat if flat is not None and self.equal(flat) else None

    def memory(self) -> torch.Tensor | None:
        """The memory as it is now; None where it was released."""
        storage = torch.UntypedStorage._new_with_weak_ptr(self._memory.cdata)
        if storage is None:
            return None
        there = torch.empty(0, dtype=self._dtype, device=storage.device)
        if (self._offset + self._size) * there.element_size() > storage.nbytes():
            return None  # it was made smaller
        return there.set_(storage, self._offset, (self._size,), (1,))

    def are_in(self, flat: torch.Tensor, *, hooked: bool) -> bool:
        """Are they in this memory yet? A hook may have written to it, which counters may not tell."""
        if self.released or flat._version != self._version or flat.numel() != self._size:
            return False
        return flat.dtype == self._dtype and (not hooked or self.equal(flat))

    def equal(self, flat: torch.Tensor) -> bool:
        """Are the elements of `flat` these, as far as their sum tells?"""
        return flat.numel() == self._size and _same_sum(sum_of_pieces(flat), self._sum)

    def alike(self, other: Elements) -> bool:
        return self is other or (self._size == other._size and _same_sum(self._sum, other._sum))

    @property
    def finite(self) -> bool:
        """All of them? If their sum is, they are; not the other way round."""
        return isfinite(abs(self._sum)) or not (self.summary.nans or self.summary.infs)

    def reduce(self) -> int:
        nbytes = self.nbytes
        _ = self.summary
        self.copy, self.temporary = None, False
        return nbytes


class LargeTensor(CapturedTensor):
    """A large gradient: elements, and how they lie in memory."""

    __slots__ = ("_shape", "elements", "strides")

    def __init__(self, elements: Elements, like: torch.Tensor) -> None:
        self.elements = elements
        self._shape, self.strides = tuple(like.shape), like.stride()
        self._summary = self._finite = None

    def _are_finite(self) -> bool:
        return self.elements.finite

    def _view(self, flat: torch.Tensor | None) -> torch.Tensor | None:
        return None if flat is None else flat.as_strided(self._shape, self.strides)

    @property
    def array(self) -> Any:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self._view(self.elements.read())

    @property
    def copied(self) -> torch.Tensor | None:
        return self._view(self.elements.copy)

    @property
    def there(self) -> torch.Tensor | None:
        """The engine's own, as it is now."""
        return self._view(self.elements.memory())

    def _summarize(self, *, closely: bool) -> model.TensorSummary:
        if closely:
            return super()._summarize(closely=True)
        return replace(self.elements.summary, shape=self._shape)

    @property
    def held(self) -> tuple[int, int]:
        return id(self.elements), self.elements.nbytes

    def reduce(self) -> int:
        return self.elements.reduce()

    def forget(self) -> None:
        _ = self.summary
        self.elements.reduce()


class Capturing:
    """Captures the gradients of one run, on its thread while the session's waits, or the other way round."""

    def __init__(self, budget: int | None) -> None:
        """`budget`: the bytes of copies; None: all is copied."""
        self.budget = budget
        #: Bytes of copies that it has made and not released.
        self.kept = 0
        #: One node is stepped over, to look at it: all is copied.
        self.closely = True
        self._places: dict[int, Elements] = {}
        self._odd = False

    def take(self, grad: torch.Tensor | None, *, hooked: bool = False) -> CapturedTensor | None:
        """A gradient as it is now. `hooked`: hooks may have run since it was captured elsewhere."""
        if grad is None:
            return None
        if not self.is_large(grad):
            return self._counted(CapturedTensor(copy_of(grad)))
        flat, place = flat_of(grad), grad.data_ptr()
        found = self._places.get(place)
        if found is None or not found.are_in(flat, hooked=hooked):
            found = self._places[place] = self._made(flat)
        return LargeTensor(found, grad)

    def is_large(self, grad: torch.Tensor) -> bool:
        """Is it one of those that beyond the budget are not copied?"""
        if self.budget is None or grad.layout is not torch.strided:
            return False
        return grad.nbytes > SMALL and has_elements(grad) and _is_dense(grad)

    def added(
        self, waiting: torch.Tensor | None, before: CapturedTensor, grad: torch.Tensor, last: bool
    ) -> tuple[torch.Tensor | None, CapturedTensor]:
        """The sum of `grad` and of `before`, which waits, as the engine will have it. `waiting` is a copy of
        `before` (None: the engine has it). `last`: nothing more is to come. Returns the same two of the sum.
        """
        large = self.is_large(grad) and isinstance(before, LargeTensor)
        if waiting is None and isinstance(before, LargeTensor):
            waiting = before.there
        assert waiting is not None  # it waits, so the engine holds it
        with torch.no_grad():
            grad = grad.detach()
            fits = large and waiting.dtype == grad.dtype and waiting.shape == grad.shape
            if fits and last and before.strides == grad.stride() and not self._affords(grad.nbytes):
                both = flat_of(waiting), flat_of(grad)
                return None, LargeTensor(Elements(both[1], None, summand=both[0]), grad)
            total = sum_of(waiting, grad)
        if not self.is_large(total):
            return total, self._counted(CapturedTensor(total))
        flat = flat_of(total)
        made = Elements(flat, flat)
        made.temporary = not self._affords(flat.nbytes)
        return total, self._counted(LargeTensor(made, total))

    def received(self, total: CapturedTensor, grad: torch.Tensor | None) -> CapturedTensor | None:
        """The gradient that a node receives: `total`, which was added up for it, unless a hook changed it."""
        if grad is None or not isinstance(total, LargeTensor) or not self.is_large(grad):
            return self.take(grad, hooked=True)
        elements, flat = total.elements, flat_of(grad)
        if total.strides != grad.stride() or not elements.equal(flat):
            return self.take(grad, hooked=True)
        if elements.temporary:
            elements.reduce()
        elements.lie_in(flat)
        self._places[grad.data_ptr()] = elements
        return LargeTensor(elements, grad)

    def keep(self, captured: CapturedTensor | None) -> None:
        """Copies what is there yet."""
        if isinstance(captured, LargeTensor):
            elements = captured.elements
            flat = elements.read()
            if flat is not None and (elements.copy is None or elements.temporary):
                elements.copy, elements.temporary = flat.clone(), False
                self.kept += elements.nbytes

    def reduce(self, captured: CapturedTensor) -> int:
        nbytes = captured.reduce()
        self.kept -= nbytes
        return nbytes

    def _affords(self, nbytes: int) -> bool:
        return self.budget is None or self.closely or self.kept + nbytes <= self.budget

    def _made(self, flat: torch.Tensor) -> Elements:
        if len(self._places) > _PLACES:
            self._places = {at: one for at, one in self._places.items() if not one.released}
        made = Elements(flat, flat.clone() if self._affords(flat.nbytes) else None)
        if made.copy is None and not self._odd and (made.summary.nans or made.summary.infs):
            self._odd = True  # a run stops there by default, and its elements are looked at
            made.copy = flat.clone()
        self.kept += made.nbytes
        return made

    def _counted(self, captured: CapturedTensor) -> CapturedTensor:
        self.kept += captured.held[1]
        return captured


def flat_of(dense: torch.Tensor) -> torch.Tensor:
    """The memory of a dense tensor, as it lies."""
    with torch.no_grad():
        plain = dense.detach()
        return plain.as_strided((plain.numel(),), (1,), plain.storage_offset())


def _is_dense(tensor: torch.Tensor) -> bool:
    """Has each element between its first and its last a place of its own?"""
    expected = 1
    for stride, size in sorted(zip(tensor.stride(), tensor.shape, strict=True)):
        if size == 1:
            continue
        if stride != expected:
            return False
        expected *= size
    return not tensor.is_conj() and not tensor.is_neg()


def _same_sum(a: Any, b: Any) -> bool:
    return a == b or (a != a and b != b)


def sum_of(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Sparse ones are added to others, not the other way round."""
    return a + b if a.layout == torch.strided else b + a


def same_values(a: CapturedTensor | None, b: CapturedTensor | None) -> bool:
    """Have they the same values, NaN included? Without elements their statistics are compared."""
    if a is None or b is None or a is b:
        return a is b
    if isinstance(a, LargeTensor) and isinstance(b, LargeTensor):
        return a.summary.shape == b.summary.shape and a.elements.alike(b.elements)
    one, other = a.array, b.array
    if one is None or other is None:
        return (a.summary.shape, a.summary.dtype) == (b.summary.shape, b.summary.dtype) and (
            repr(a.summary) == repr(b.summary)
        )
    return equal(one, other)


def equal(a: torch.Tensor | None, b: torch.Tensor | None) -> bool:
    """Have they the same values, NaN included?"""
    if a is None or b is None:
        return a is b
    if a.layout != b.layout or shape_of(a) != shape_of(b) or a.dtype != b.dtype:
        return False
    if a.layout == torch.sparse_coo:
        a, b = a.detach().coalesce(), b.detach().coalesce()
    return all(map(_same, parts_of(a), parts_of(b)))


def _same(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Unreadable values count as equal."""
    if a.shape != b.shape:
        return False
    if not has_elements(a) or torch.equal(a, b):
        return True
    return a.allclose(b, 0, 0, equal_nan=True)


def are_finite(captured: Iterable[CapturedTensor | None]) -> bool:
    """All elements of all that are defined?"""
    told: dict[torch.device, list[torch.Tensor]] = {}
    kept: list[torch.Tensor] = []
    with torch.no_grad():
        for each in {id(one): one for one in captured if one is not None}.values():
            if isinstance(each, LargeTensor) or each.array is None or each.array.is_cpu:
                if not each.finite:
                    return False
                continue
            values = stored(each.array)
            if has_elements(values) and (values.is_floating_point() or values.is_complex()):
                kept.append(values)
                told.setdefault(values.device, []).append(torch.linalg.vector_norm(values))
        for norms in told.values():
            if not bool(torch.stack([norm.isfinite() for norm in norms]).all()):
                # a norm may have overflowed
                return all(bool(values.isfinite().all()) for values in kept)
    return True
