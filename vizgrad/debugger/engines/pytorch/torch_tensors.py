"""How tensors of PyTorch are looked at (`vizgrad.debugger.watch.tensor_adapter`): values are read,
nothing is recorded.

To be called while no mode of PyTorch's functions is on (`torch._C.DisableTorchFunction`). Values of what is
not a plain tensor (a subclass, a wrapper of `torch.func`, one without memory) are not read, nor are any while
a `TorchDispatchMode` is on, which would hear of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import inf, sqrt
from typing import Any

import torch

from vizgrad.core.arrays import magnitude, statistics
from vizgrad.core.arrays.blocks import Extent
from vizgrad.core.arrays.magnitude import vdot
from vizgrad.core.errors import place_of
from vizgrad.debugger.engines.pytorch.elements import (
    BY_BLAS,
    FIRST,
    NARROW,
    SPARSE,
    bytes_of,
    elements_of,
    has_elements,
    lying,
    reach,
    shown,
    storage_of,
    stored,
)
from vizgrad.debugger.engines.pytorch.gathered import Gathered
from vizgrad.debugger.engines.pytorch.saved import raw_values
from vizgrad.debugger.engines.pytorch.torch_nodes import (
    dtype_of,
    edges_of,
    name_of,
    recorded_at,
    site_of,
)
from vizgrad.debugger.engines.pytorch.torch_reader import TorchReader
from vizgrad.debugger.engines.pytorch.write_lines import last_write
from vizgrad.debugger.memory.framework_memory import Kept, Seen
from vizgrad.debugger.watch.tensor_adapter import FLOATING, UNREADABLE, Kind, Made, register

_PLAIN = (torch.Tensor, torch.nn.Parameter)
#: So few are read one by one.
_FEW = 8
#: How many `TorchDispatchMode`s are on.
_heard = torch._C._len_torch_dispatch_stack


def _kind(dtype: Any) -> Kind:
    if dtype in NARROW:
        return Kind("V")
    letter = "f" if dtype.is_floating_point else "c" if dtype.is_complex else "i"
    return Kind("b" if dtype is torch.bool else letter)


#: dtype -> its kind.
KINDS: dict[Any, Kind] = {
    value: _kind(value) for value in vars(torch).values() if isinstance(value, torch.dtype)
}


#: Types all of whose values are finite.
_WHOLE = frozenset(dtype for dtype, kind in KINDS.items() if kind.kind not in FLOATING)


def readable(tensor: Any) -> bool:
    """Can its values be read without a callback?"""
    return (
        type(tensor) in _PLAIN
        and not torch._C._len_torch_dispatch_stack()
        and not torch._C._functorch.is_functorch_wrapped_tensor(tensor)
        and not torch._C._functorch.is_legacy_batchedtensor(tensor)
        and has_elements(tensor)
    )


def node_of(tensor: Any) -> Any:
    """The node that made it. None of a leaf, and of a view that must not be used any more."""
    try:
        node = tensor.grad_fn
    except RuntimeError:
        return None
    if node is not None:
        edges_of(node)
    return node


def graph_below(roots: list[Any]) -> list[Any]:
    """All nodes that a backward from these may run, each once."""
    seen = {id(node) for node in roots}
    found = list(roots)
    for node in found:
        for below, _ in edges_of(node):
            if below is not None and id(below) not in seen:
                seen.add(id(below))
                found.append(below)
    return found


def counted_below(roots: list[Any]) -> tuple[list[Any], dict[int, int]]:
    """The same, and by the id of each how many edges lead to it; two more for a root."""
    arrivals = {id(node): 2 for node in roots}
    found = list(roots)
    for node in found:
        for below, _ in edges_of(node):
            if below is not None:
                key = id(below)
                if key in arrivals:
                    arrivals[key] += 1
                else:
                    arrivals[key] = 1
                    found.append(below)
    return found, arrivals


def _kept(tensor: Any) -> Any:
    """For a sparse tensor its values."""
    if tensor.layout is torch.strided:
        return tensor
    return stored(tensor) if tensor.layout in SPARSE and type(tensor) in _PLAIN else tensor


_READER = TorchReader()


class _Look:
    """See `Look`."""

    kinds: tuple[type, ...] = (torch.Tensor,)

    def __init__(self) -> None:
        self._gathered = Gathered()

    def knows(self, value: Any) -> bool:
        return isinstance(value, torch.Tensor)

    def kind(self, tensor: Any) -> str:
        if tensor.__class__ in _PLAIN and not _heard() and lying(tensor) is not None:
            return "f"
        return KINDS[tensor.dtype].kind if readable(tensor) else UNREADABLE

    def array(self, tensor: Any) -> Any:
        return elements_of(_kept(tensor))

    def may_wait(self, tensor: Any) -> bool:
        return False

    def finite(self, tensor: Any) -> bool:
        if tensor.__class__ in _PLAIN and not _heard():
            flat = lying(tensor)
            if flat is not None and vdot(flat, flat) < inf:
                return True
        tensor = _kept(tensor)
        if KINDS[tensor.dtype].kind not in FLOATING or not readable(tensor):
            return True
        if tensor.is_cpu:
            return magnitude.finite(shown(tensor))
        with torch.no_grad():
            return bool(torch.isfinite(tensor).all())

    def largest(self, tensor: Any) -> float:
        return self._measured(tensor, magnitude.largest)

    def size(self, tensor: Any) -> float:
        """As `magnitude.size`; 1 of what cannot be read."""
        if tensor.__class__ in _PLAIN and not _heard():
            flat = lying(tensor)
            if flat is not None and 0.0 < (found := float(vdot(flat, flat))) < inf:
                return sqrt(found)
        return self._measured(tensor, magnitude.size)

    def _measured(self, tensor: Any, measure: Any) -> float:
        tensor = _kept(tensor)
        if not readable(tensor):
            return 1.0
        if tensor.is_cpu:
            return float(measure(shown(tensor)))
        with torch.no_grad():
            if not tensor.numel():
                return 0.0
            values = tensor if KINDS[tensor.dtype].kind in FLOATING else tensor.float()
            return float(values.abs().max())

    def norm_later(self, tensor: Any) -> Callable[[], float | None]:
        found = self._norm(tensor)
        return lambda: found

    def _norm(self, tensor: Any) -> float | None:
        """Where it lies: no element leaves a device."""
        if tensor.__class__ in _PLAIN and not _heard():
            flat = lying(tensor)
            if flat is not None and 0.0 < (found := float(vdot(flat, flat))) < inf:
                return sqrt(found)
        tensor = _kept(tensor)
        if not readable(tensor) or KINDS[tensor.dtype].kind not in FLOATING:
            return None
        if tensor.is_cpu:
            return magnitude.norm(shown(tensor))
        with torch.no_grad():
            found = tensor.abs()
            wide = found.dtype if found.dtype == torch.float64 else torch.float32
            norm = float(torch.linalg.vector_norm(found, dtype=wide))
            largest = float(found.max()) if norm == inf else inf
            if largest == inf:
                return norm
            return largest * float(torch.linalg.vector_norm(found / largest, dtype=wide))

    def norms(self, tensors: Sequence[Any]) -> list[float | None]:
        """`norm_later` of several, read now: those of one type that lie on one device by one call."""
        found: list[float | None] = [None] * len(tensors)
        alike: dict[Any, list[int]] = {}
        for number, tensor in enumerate(tensors):
            apart = tensor.is_cpu or tensor.__class__ not in _PLAIN or tensor.dtype not in BY_BLAS
            if apart or not has_elements(tensor):
                found[number] = self._norm(tensor)
            else:
                alike.setdefault((tensor.dtype, tensor.device), []).append(number)
        for numbers in alike.values():
            if _heard() or len(numbers) < _FEW:
                several: list[float | None] = [self._norm(tensors[number]) for number in numbers]
            else:
                with torch.no_grad():
                    norms = torch._foreach_norm([tensors[number].detach() for number in numbers])
                    several = torch.stack(norms).tolist()
            for number, norm in zip(numbers, several, strict=True):
                exact = norm is not None and 0.0 < norm < inf
                found[number] = norm if exact else self._norm(tensors[number])
        return found

    def samples(self, tensors: Sequence[Any], most: int) -> list[Any]:
        """Those that lie here are read together, as vectors."""

        def one(tensor: Any) -> Any:
            return self.sample(tensor, most) if self.kind(tensor) == "f" else None

        return self._gathered.samples(tensors, most, one)

    def grad(self, tensor: Any) -> Any:
        return tensor.grad if tensor.is_leaf or tensor.retains_grad else None

    def made(self, tensor: Any) -> Made | None:
        node = node_of(tensor)
        if node is None:
            return None
        return Made(node._sequence_nr(), name_of(node), site_of(recorded_at(node)))

    def node(self, tensor: Any) -> Any:
        return node_of(tensor)

    @property
    def nodes(self) -> TorchReader:
        return _READER

    def shares(self, one: Any, other: Any) -> bool:
        low, high = self.span(one)
        start, stop = self.span(other)
        return one is other or (low < stop and start < high)

    def rewritten(self, tensor: Any, clock: int) -> bool:
        return last_write(tensor) > clock

    def sample(self, tensor: Any, most: int) -> Any:
        if tensor.__class__ in _PLAIN and not _heard():
            flat = lying(tensor)
            if flat is not None and len(flat) and tensor.is_contiguous():
                return statistics.sample(flat.reshape(tensor.shape), most)
        if not readable(tensor) or not tensor.numel():
            return None
        if tensor.device.type != "cpu":
            flat = tensor.detach().reshape(-1)
            tensor = flat[:: max(1, flat.numel() // most)]
        return statistics.sample(self.array(tensor), most)

    def weigh(self, tensor: Any) -> tuple[int, int] | None:
        node = node_of(tensor)
        if node is None:
            return None
        nodes = graph_below([node])
        memory: dict[int, int] = {}
        for each in nodes:
            for _, slot in raw_values(each):
                if isinstance(slot.data, torch.Tensor):
                    storage = storage_of(slot.data)
                    if storage is not None:
                        dense = slot.data.layout == torch.strided
                        memory[storage._cdata] = storage.nbytes() if dense else bytes_of(slot.data)
        leaves = [each.variable for each in nodes if hasattr(each, "variable")]
        for leaf in leaves:
            storage = storage_of(leaf)
            if storage is not None:
                memory.pop(storage._cdata, None)
        return len(nodes) - len(leaves), sum(memory.values())

    def span(self, tensor: Any) -> tuple[int, int]:
        if type(tensor) not in _PLAIN or tensor.layout is not torch.strided or not tensor.numel():
            return 0, 0
        try:
            low = tensor.data_ptr()
        except RuntimeError:  # it has no memory
            return 0, 0
        if not low:
            return 0, 0
        return low, low + reach(tensor)


LOOK = _Look()
register(LOOK)


def _lying_anew(tensor: Any, known: tuple[Any, int]) -> Any:
    """`lying` of what was just made: its memory is there. A plain tensor whose elements lie side by side in
    the order of its dimensions; None of others. `known`: the memory as an array of its type.
    """
    if not tensor.is_cpu or _heard():
        return None
    everywhere, size = known
    try:
        if not tensor.is_contiguous():
            return None
        first, rest = divmod(tensor.data_ptr() - FIRST, size)
    except (NotImplementedError, RuntimeError):  # it is sparse, or only stands for another
        return None
    return None if rest or first < 0 else everywhere[first : first + tensor.numel()]


def finite_anew(tensor: Any) -> bool:
    """`LOOK.finite` of what an operation has just made, a plain tensor."""
    known = BY_BLAS.get(tensor.dtype)
    if known is None:
        return tensor.dtype in _WHOLE or LOOK.finite(tensor)
    flat = _lying_anew(tensor, known)
    if flat is not None and vdot(flat, flat) < inf:
        return True
    return LOOK.finite(tensor)


def size_anew(tensor: Any) -> float:
    """`LOOK.size` of a gradient that a node has just made."""
    if tensor.__class__ is torch.Tensor and (known := BY_BLAS.get(tensor.dtype)) is not None:
        flat = _lying_anew(tensor, known)
        if flat is not None and 0.0 < (found := float(vdot(flat, flat))) < inf:
            return sqrt(found)
    return LOOK.size(tensor)


# How memory of PyTorch's tensors is asked for by `vizgrad.memory`
# (`vizgrad.debugger.memory.framework_memory`).


class TorchMemory:
    """See `vizgrad.debugger.memory.framework_memory.Memory`."""

    kinds: tuple[type, ...] = (torch.Tensor, torch.nn.Parameter)
    name = "PyTorch"

    def __init__(self) -> None:
        #: Nodes that were told of; held, so that no other has the id of one.
        self._told: dict[int, Any] = {}

    def seen(self, tensor: Any) -> Seen | None:
        storage = storage_of(tensor) if tensor.layout == torch.strided else None
        low = 0 if storage is None else storage.data_ptr()
        if storage is None or not low:
            return None
        return Seen(
            Extent(str(tensor.device), low, low + storage.nbytes()), tuple(tensor.shape),
            dtype_of(tensor), None if tensor.is_inference() else tensor._version,
            tensor.requires_grad and tensor.is_leaf, tensor._is_view(), LOOK.grad(tensor),
        )  # fmt: skip

    @property
    def nodes(self) -> int:
        return len(self._told)

    def saved(self, tensor: Any) -> Iterator[Kept]:
        if tensor.is_leaf or (tensor._is_view() and tensor._version):
            return  # to ask a view that was written to for its node would make one
        first = node_of(tensor)
        if first is None or id(first) in self._told:
            return
        for node in graph_below([first]):
            if id(node) in self._told:
                continue
            self._told[id(node)] = node
            place = place_of(site_of(recorded_at(node)))
            for slot, held in raw_values(node):
                if isinstance(held.data, torch.Tensor):
                    yield Kept(slot, name_of(node), place, held.data)
