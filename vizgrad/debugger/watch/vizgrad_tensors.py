"""How vizgrad's own tensors are looked at."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays.blocks import span
from vizgrad.core.arrays.magnitude import finite, largest
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.arrays.statistics import sample
from vizgrad.core.function.transform_tensor import stands_for_others
from vizgrad.core.graph.node import Node
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger.watch.backwards import key_of
from vizgrad.debugger.watch.graph_weight import weigh
from vizgrad.debugger.watch.tensor_adapter import FLOATING, Made, register


class _Own:
    """See `Look`."""

    kinds: tuple[type, ...] = (Tensor,)

    def knows(self, value: Any) -> bool:
        return isinstance(value, Tensor) and not stands_for_others(value)

    def kind(self, tensor: Any) -> str:
        return str(tensor._array.dtype.kind)

    def array(self, tensor: Any) -> Any:
        return tensor._array

    def finite(self, tensor: Any) -> bool:
        array = tensor._array
        return array.dtype.kind not in FLOATING or finite(array)

    def largest(self, tensor: Any) -> float:
        return largest(tensor._array)

    def grad(self, tensor: Any) -> Any:
        return tensor._grad

    def made(self, tensor: Any) -> Made | None:
        edge = tensor._edge
        node = getattr(edge, "node", edge)
        return Made(key_of(node), node.name(), node.site) if isinstance(node, Node) else None

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
