"""How vizgrad's own tensors are looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from vizgrad.core.arrays.backend import is_on_device
from vizgrad.core.arrays.blocks import owner, span
from vizgrad.core.arrays.magnitude import PLAIN, finite, largest, norm_later
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.arrays.statistics import sample
from vizgrad.core.function.transform_tensor import stands_for_others
from vizgrad.core.graph.edges import AccumulateGrad
from vizgrad.core.graph.node import Edge, Node
from vizgrad.core.graph.saved import bare
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger.engines.vizgrad.engine_reader import READER, EngineReader, key_of
from vizgrad.debugger.watch.notes import MOST
from vizgrad.debugger.watch.tensor_adapter import FLOATING, Made, register

# --- graph weight ----------------------------------------------------------------------------------------
# How much a graph keeps alive: its nodes, and the bytes they have saved.


def weigh(tensor: Any) -> tuple[int, int] | None:
    """Nodes and bytes. Memory that several nodes have saved counts once, that of leaves does not."""
    edge = tensor._edge
    first = edge.node if isinstance(edge, Edge) else edge
    if not isinstance(first, Node):
        return None
    seen, todo, memory = {id(first)}, [first], {}
    own: set[int] = set()
    for node in todo:
        if isinstance(node, AccumulateGrad):
            own.add(id(_block(node.variable)))
            continue
        for form in node.saved_values().values():
            block = _block(bare(form))
            if block is not None:
                memory[id(block)] = int(block.nbytes)
        for following in node.edges:
            to = following.node if isinstance(following, Edge) else following
            if to is not None and id(to) not in seen and len(seen) < MOST:
                seen.add(id(to))
                todo.append(to)
    nodes = sum(not isinstance(node, AccumulateGrad) for node in todo)
    return nodes, sum(n for key, n in memory.items() if key not in own)


def _block(value: Any) -> Any:
    array = getattr(value, "_array", None)
    return None if array is None or not hasattr(array, "base") else owner(array)


# --- vizgrad tensors -------------------------------------------------------------------------------------


class _Own:
    """See `Look`."""

    kinds: tuple[type, ...] = (Tensor,)

    def knows(self, value: Any) -> bool:
        return isinstance(value, Tensor) and not stands_for_others(value)

    def kind(self, tensor: Any) -> str:
        return str(tensor._array.dtype.kind)

    def array(self, tensor: Any) -> Any:
        return tensor._array

    def may_wait(self, tensor: Any) -> bool:
        return tensor._array.__class__ is not PLAIN and is_on_device(tensor._array)

    def finite(self, tensor: Any) -> bool:
        array = tensor._array
        return array.dtype.kind not in FLOATING or finite(array)

    def largest(self, tensor: Any) -> float:
        return largest(tensor._array)

    def norm_later(self, tensor: Any) -> Callable[[], float | None]:
        return norm_later(tensor._array)

    def norms(self, tensors: Sequence[Any]) -> list[float | None]:
        laters = [norm_later(tensor._array) for tensor in tensors]
        return [later() for later in laters]  # a device is waited for once

    def samples(self, tensors: Sequence[Any], most: int) -> list[Any]:
        return [self.sample(each, most) if self.kind(each) == "f" else None for each in tensors]

    def grad(self, tensor: Any) -> Any:
        return tensor._grad

    def made(self, tensor: Any) -> Made | None:
        node = self.node(tensor)
        return None if node is None else Made(key_of(node), node.name(), node.site)

    def node(self, tensor: Any) -> Node | None:
        edge = tensor._edge
        node = getattr(edge, "node", edge)
        return node if isinstance(node, Node) else None

    @property
    def nodes(self) -> EngineReader:
        return READER

    def shares(self, one: Any, other: Any) -> bool:
        return one is other or one._array is other._array or (
            one._array.base is other._array.base is not None
        )  # fmt: skip

    def rewritten(self, tensor: Any, clock: int) -> bool:
        storage = tensor._storage
        return storage is not None and storage.last_write > clock

    def sample(self, tensor: Any, most: int) -> Any:
        array = tensor._array
        return sample(array, most) if array.size and not is_sparse(array) else None

    def weigh(self, tensor: Any) -> tuple[int, int] | None:
        return weigh(tensor)

    def span(self, tensor: Any) -> tuple[int, int]:
        return span(tensor._array)


OWN = _Own()
register(OWN)
