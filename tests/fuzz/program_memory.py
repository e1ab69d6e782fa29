"""When a difference of programs is one of memory: which elements share a place, and how they lie."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.fuzz.compare import Difference

if TYPE_CHECKING:
    from tests.fuzz.programs import Side


#: Of (the line, PyTorch's side, ours, what differs).
When = Callable[[str, "Side", "Side", Difference], bool]


def _names(line: str) -> list[str]:
    """The tensors of a line, the one written to first."""
    return re.findall(r"\bx\d+b?\b", line)


def _written(line: str) -> str | None:
    """Which tensor a line writes to in place."""
    for bare in re.sub(r"^with .*?: (?=\w)", "", line).split("; ")[::-1]:
        if re.match(r"x\d+(, x\d+b)? = ", bare):
            continue
        out = re.search(r"out=(x\d+b?)", bare)
        return out.group(1) if out else next(iter(_names(bare)), None)
    return None


def _places(tensor: Any) -> np.ndarray:
    """Where in memory each element lies."""
    places = np.full(tuple(tensor.shape), tensor.data_ptr(), np.int64)
    for dim, (n, step) in enumerate(zip(tensor.shape, tensor.stride(), strict=True)):
        shape = [1] * tensor.dim()
        shape[dim] = n
        places = places + (np.arange(n) * step * tensor.element_size()).reshape(shape)
    return places.ravel()


def _overlaps_itself(side: Side, name: str | None) -> bool:
    tensor = side.names.get(name or "")
    if not isinstance(tensor, side.module.Tensor):
        return False
    places = _places(tensor.detach())
    return len(set(places)) < len(places)


def _of_one_form(found: Difference, kinds: str = "fc") -> bool:
    """Are both arrays of one shape, of inexact numbers (or of these kinds)?"""
    a, b = found.theirs, found.ours
    both = isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
    return both and a.dtype.kind in kinds and a.shape == b.shape


def _refused_or_unequal(found: Difference, phrase: str) -> bool:
    told = f"{found.theirs} {found.ours}"
    return found.what.startswith("value of") or ("raises" in found.what and phrase in told)


#: What makes a line one that writes in place.
_WRITES = re.compile(r"_\(|\] [-+*]?= |x\d+b? [-+*]= |out=|inplace=True|_\.apply\(|\.step\(")


def writes_shared_elements(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    if not _refused_or_unequal(found, "single memory location"):
        return False
    if (
        "single memory location" in f"{found.theirs} {found.ours}"
    ):  # a hook, or a step, may have written
        every = (t for side in (theirs, ours) for t in side.tensors())
        if any(_overlaps_itself(side, name) for name in every for side in (theirs, ours)):
            return True
    if ".step(" not in line and not _WRITES.search(line):
        return False
    stepped = theirs.tensors() if ".step(" in line else _names(line)
    return any(_overlaps_itself(side, name) for name in stepped for side in (theirs, ours))


def reads_what_it_writes(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    if not _WRITES.search(line) or not _refused_or_unequal(found, "single memory location"):
        return False
    tensors = [theirs.names[n].detach() for n in _names(line) if n in theirs.tensors()]
    products = re.search(r"\.(masked_scatter|baddbmm|add(mm|mv|bmm))_\(", line)
    for k, written in enumerate(tensors):
        for read in tensors[:k]:
            a, b = _places(written), _places(read)
            if {*a} & {*b} and (products or not np.array_equal(a, b)):
                return True
    return False


_OF_STRIDES = ("view size is not compatible", "must have a last dimension with stride 1")


def other_order_in_memory(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    """A view that one side has to copy, or that shows other elements."""
    told = f"{found.theirs} {found.ours}"
    asked = "as_strided" in line or any(each in told for each in _OF_STRIDES)
    refused = "is a view and is being modified inplace" in told
    if not (asked or refused) and not found.what.startswith(("version", "value", "requires_grad")):
        return False
    if re.match(r"(x\d+b?) = \1\.as_strided", line):
        return True  # what it was made of is gone
    both = [n for n in theirs.tensors() if n in ours.tensors()]
    lain = [(theirs.names[n].detach(), ours.names[n].detach()) for n in both]
    if not any(_steps(a) != _steps(b) for a, b in lain if a.shape == b.shape and a.numel() > 1):
        return False
    name = (_written(line) or "") if refused else found.what.split(" of ")[-1]
    return asked or _sharers(theirs, name, both) != _sharers(ours, name, both)


def _sharers(side: Side, name: str, names: list[str]) -> list[tuple[str, int, int]]:
    """Which elements of this tensor are elements of others."""
    if name not in names:
        return []
    own = {place: k for k, place in enumerate(_places(side.names[name].detach()))}
    return [
        (n, k, own[place])
        for n in names
        for k, place in enumerate(_places(side.names[n].detach()))
        if place in own
    ]


def _steps(tensor: Any) -> tuple[int, ...]:
    sizes = zip(tensor.shape, tensor.stride(), strict=True)
    return tuple(step for n, step in sizes if n != 1)


def one_element_of_its_own(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    tensors = [t.detach() for n, t in theirs.tensors().items() if n in _names(line)]
    if "single memory" in str(found.theirs) and all(t.numel() == 1 for t in tensors):
        return True
    return (
        "] = " in line
        and "single memory" in str(found.theirs)
        and all(_steps(t) == _steps(tensors[0]) and 1 in t.shape for t in tensors)
        and len({tuple(_places(t)) for t in tensors}) == 1
    )


def gradient_that_is_a_view(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    if found.what.startswith("requires_grad of "):
        # of a view of it that was made without gradients, by whether the memory's first tensor asks for one
        view = theirs.names.get(found.what.rsplit(" ", 1)[-1])
        return (
            view is not None
            and view._base is not None
            and not any(view._base is each for each in theirs.tensors().values())
        )
    there, here = (side.names.get(_written(line) or "") for side in (theirs, ours))
    told = ("A view was created in no_grad", "Can't detach views in-place", "setStorage")
    if there is not None and "setStorage" in str(found.theirs) and not there.numel():
        return True  # it has no elements to be written
    if there is None or here is None or not any(t in str(found.theirs) for t in told):
        return False
    return there._is_view() and not here._is_view()


def beyond_its_elements(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    """The memory of an operand is larger on one side, or it has no elements, which begin nowhere."""
    told = "out of bounds for storage" in f"{found.theirs} {found.ours}"
    if "as_strided" not in line or not (told or found.what.startswith("value")):
        return False
    both = [n for n in _names(line) if n in theirs.tensors() and n in ours.tensors()]
    pairs = [[side.names[n].detach() for side in (theirs, ours)] for n in both]
    sizes = [{t.untyped_storage().nbytes() for t in pair} for pair in pairs]
    empty = not all(there.numel() for there, _ in pairs)
    return empty or (told and any(len(each) > 1 for each in sizes))
