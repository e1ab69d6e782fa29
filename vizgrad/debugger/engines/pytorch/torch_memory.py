"""How memory of PyTorch's tensors is asked for by `vizgrad.memory`
(`vizgrad.debugger.memory.framework_memory`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from vizgrad.core.arrays.blocks import Extent
from vizgrad.core.errors import place_of
from vizgrad.debugger.engines.pytorch.elements import storage_of
from vizgrad.debugger.engines.pytorch.saved import raw_values
from vizgrad.debugger.engines.pytorch.torch_nodes import dtype_of, name_of, recorded_at, site_of
from vizgrad.debugger.engines.pytorch.torch_tensors import LOOK, graph_below, node_of
from vizgrad.debugger.memory.framework_memory import Kept, Seen


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
