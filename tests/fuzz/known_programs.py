"""Programs that PyTorch promises nothing of: where the comparison ends without a failure, and why."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.fuzz.compare import Difference

if TYPE_CHECKING:
    from tests.fuzz.programs import Side

#: Of (the line, PyTorch's side, ours, what differs).
When = Callable[[str, "Side", "Side", Difference], bool]


@dataclass(frozen=True)
class KnownProgram:
    why: str
    when: When


def _names(line: str) -> list[str]:
    """The tensors of a line, the one written to first."""
    return re.findall(r"\bx\d+\b", line)


def _written(line: str) -> str | None:
    """Which tensor a line writes to in place."""
    bare = re.sub(r"^with .*?: (?=\w)", "", line)
    if re.match(r"x\d+ = ", bare):
        return None
    out = re.search(r"out=(x\d+)", bare)
    return out.group(1) if out else next(iter(_names(bare)), None)


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


def _refused_or_unequal(found: Difference, phrase: str) -> bool:
    told = f"{found.theirs} {found.ours}"
    return found.what.startswith("value of") or ("raises" in found.what and phrase in told)


def writes_shared_elements(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    name = _written(line)
    return _refused_or_unequal(found, "single memory location") and (
        _overlaps_itself(theirs, name) or _overlaps_itself(ours, name)
    )


def reads_what_it_writes(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    products = re.search(r"\.(masked_scatter|baddbmm|add(mm|mv|bmm))_\(", line)
    if not products or not _refused_or_unequal(found, "single memory location"):
        return False
    written, *read = (theirs.names[n].detach() for n in _names(line) if n in theirs.names)
    return any({*_places(written)} & {*_places(each)} for each in read)


def saved_for_its_shape(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    """PyTorch's index_add keeps what it adds, of which its derivative reads nothing but the shape."""
    return "modified by an inplace operation" in str(found.theirs) and any(
        isinstance(t, theirs.module.Tensor) and "IndexAdd" in type(t.grad_fn).__name__
        for t in theirs.names.values()
    )


def another_type_unpacked(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    return "the unpack hook returned" in str(found.ours)


def nothing_to_derive(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    """A flag of a gradient that is 0, where one of the tensors has no elements."""
    flag = found.what.startswith("gradient requires_grad") and found.theirs is False
    return flag and any(
        isinstance(t, theirs.module.Tensor) and not t.numel() for t in theirs.names.values()
    )


def mask_in_inference(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    return "inference_mode" in line and "source and destination dtypes match" in str(found.ours)


def written_before_refusal(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    refused = theirs.outcomes[-1] is not None and ours.outcomes[-1] is not None
    return refused and found.what.startswith(("value of", "version of"))


def says(*phrases: str) -> When:
    """PyTorch refuses, with one of the phrases."""
    return lambda line, theirs, ours, found: (
        isinstance(found.theirs, RuntimeError) and any(p in str(found.theirs) for p in phrases)
    )


def leaf_that_is_a_view(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    what, _, name = found.what.partition(" of ")
    tensor = theirs.names.get(name)
    lost = what.startswith("gradient") and tensor is not None and found.theirs in (None, False)
    return lost and tensor._is_view() and tensor.is_leaf


def gradient_that_is_a_view(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    there, here = (side.names.get(_written(line) or "") for side in (theirs, ours))
    if there is None or here is None or "A view was created in no_grad" not in str(found.theirs):
        return False
    return there._is_view() and not here._is_view()


def beyond_its_elements(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    """The memory of an operand is larger on one side, or it has no elements, which begin nowhere."""
    if (
        "as_strided" not in line
        or "out of bounds for storage" not in f"{found.theirs} {found.ours}"
    ):
        return False
    there, here = (side.names[_names(line)[1]].detach() for side in (theirs, ours))
    sizes = {t.untyped_storage().nbytes() for t in (there, here)}
    return len(sizes) > 1 or not there.numel()


def inference_memory_of_a_parameter(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    """After `p.data = inference tensor`: PyTorch's parameter is one itself, and its views are."""
    return "Inference tensors do not track" in str(found.theirs) and any(
        isinstance(t, theirs.module.Tensor) and t.is_inference() and t.requires_grad
        for t in theirs.names.values()
    )


def order_of_one_complex_number(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    operand = theirs.names.get(_names(line)[-1]) if _names(line) else None
    return (
        isinstance(found.ours, NotImplementedError)
        and ".cummax(" in line
        and operand is not None
        and operand.dim() == 0
        and operand.is_complex()
    )


KNOWN_PROGRAMS = (
    KnownProgram("elements that share a place are written in no order (expanded tensors, and PyTorch's "
                 "gradients of sums, which are expanded, too): vizgrad refuses", writes_shared_elements),
    KnownProgram("masked_scatter_ and products of their own memory: PyTorch reads what it has just written",
                 reads_what_it_writes),
    KnownProgram("an unpack hook that gives another type: PyTorch's gradient is wrong without a word", another_type_unpacked),
    KnownProgram("a view without elements that was made anew after a write", nothing_to_derive),
    KnownProgram("values of another type where a mask holds: refused everywhere, by PyTorch not in inference mode",
                 mask_in_inference),
    KnownProgram("vizgrad saves no operand for its shape", saved_for_its_shape),
    KnownProgram("what was written before a refusal", written_before_refusal),
    KnownProgram("set_ of a view: PyTorch keeps its base's history, of memory nobody shows any more",
                 says("derivative for set_")),
    KnownProgram("an internal error of PyTorch", says("INTERNAL ASSERT")),
    KnownProgram("vizgrad saves fewer operands", says("Inference tensors cannot be saved")),
    KnownProgram("a leaf that is itself a view loses its gradient there when another view is written",
                 leaf_that_is_a_view),
    KnownProgram("a parameter with an inference tensor as its data is half of one",
                 inference_memory_of_a_parameter),
    KnownProgram("of one complex number PyTorch says which is the largest", order_of_one_complex_number),
    KnownProgram("PyTorch's gradients of sums are views", gradient_that_is_a_view),
    KnownProgram("how large the memory of a result is, and where no elements begin", beyond_its_elements),
)  # fmt: skip


def known_program(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    return any(each.when(line, theirs, ours, found) for each in KNOWN_PROGRAMS)
