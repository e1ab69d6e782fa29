"""Reads PyTorch's nodes for a diagnosis (`engines/common/node_reader.py`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch

from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger.engines.pytorch.elements import elements_of, has_elements, stored
from vizgrad.debugger.engines.pytorch.saved import raw_values, version_saved
from vizgrad.debugger.engines.pytorch.torch_nodes import (
    LEAF,
    clock_of,
    edges_of,
    name_of,
    recorded_at,
    site_of,
)
from vizgrad.debugger.engines.pytorch.versions import UNKNOWN, outputs_of
from vizgrad.debugger.engines.pytorch.write_lines import clock_of_write, writer

#: Names under which operations save their operands, in the order of their edges, where these are not "self"
#: and "other".
_OPERANDS: dict[str, tuple[str, ...]] = {
    "Addbmm": ("self", "batch1", "batch2"), "Addmm": ("self", "mat1", "mat2"),
    "Addmv": ("self", "mat", "vec"), "Baddbmm": ("self", "batch1", "batch2"), "Bmm": ("self", "mat2"),
    "Convolution": ("input", "weight", "bias"), "Dot": ("self", "tensor"), "Mm": ("self", "mat2"),
    "Mv": ("self", "vec"), "Pow": ("self", "exponent"),
}  # fmt: skip
_USUAL = "self", "other"


def saved_tensors(node: Any) -> Iterable[tuple[str, torch.Tensor | None]]:
    """The names of what a node has saved, and the tensors; None for one that is not there as it was."""
    for name, slot in raw_values(node):
        value = slot.data
        there = isinstance(value, torch.Tensor) and slot.unpack_hook is None
        if there and not value.is_inference():
            there = version_saved(node, name, value._version) == value._version
        yield name, value if there else None


def keys_of(nodes: Sequence[Any]) -> dict[int, int]:
    """The key of each node, by its id: its number; where two threads recorded, another for the second."""
    found = [
        -id(node.variable) if node.__class__ is LEAF else node._sequence_nr() for node in nodes
    ]
    if len(set(found)) == len(found):
        return dict(zip(map(id, nodes), found, strict=True))
    keys: dict[int, int] = {}
    taken: set[int] = set()
    for node, number in zip(nodes, found, strict=True):
        key = number
        while key in taken:
            key += 1 << 48
        taken.add(key)
        keys[id(node)] = key
    return keys


def _key(node: Any) -> int:
    return -id(node.variable) if node.__class__ is LEAF else clock_of(node)


class TorchReader:
    """See `NodeReader`. `saved` gives the tensors that a node has saved: without, what it has not released;
    `keys` those of the nodes of one graph; `unwritten` says of a leaf that nobody has written to it since the
    graph was recorded, as far as is known.
    """

    def __init__(
        self,
        saved: Callable[[Any], Iterable[tuple[str, torch.Tensor | None]]] = saved_tensors,
        keys: Mapping[int, int] | None = None,
        unwritten: Callable[[torch.Tensor], bool] = lambda variable: False,
    ) -> None:
        self._saved, self._unwritten = saved, unwritten
        self._keys = keys

    def key(self, node: Any) -> int:
        known = None if self._keys is None else self._keys.get(id(node))
        return _key(node) if known is None else known

    def name(self, node: Any) -> str:
        return name_of(node)

    def site(self, node: Any) -> Site | None:
        return None if hasattr(node, "variable") else site_of(recorded_at(node))

    def variable(self, node: Any) -> Any:
        return getattr(node, "variable", None)

    def producers(self, node: Any) -> Sequence[Any]:
        return [producer for producer, _ in edges_of(node)]

    def operands(self, node: Any) -> Sequence[str]:
        return _OPERANDS.get(name_of(node).partition("Backward")[0], _USUAL)

    def saved(self, node: Any) -> Mapping[str, Any]:
        return {name: self.array(tensor) for name, tensor in self._saved(node)}

    def array(self, value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        kept = stored(value)
        return elements_of(kept) if has_elements(kept) else None

    def is_current(self, node: Any, leaf: Any) -> bool:
        """PyTorch counts writes, and tells of none when it was: one that nobody watched leaves it open."""
        variable = leaf.variable
        if variable.is_inference() or not variable._version:
            return not variable.is_inference()
        if self._unwritten(variable):
            return True
        written = clock_of_write(variable)
        return written is not None and written <= clock_of(node)

    def last_write(self, leaf: Any) -> tuple[str, Site | None] | None:
        variable = leaf.variable
        return None if variable.is_inference() else writer(variable, variable._version)

    def output(self, node: Any) -> tuple[tuple[int, ...], str] | None:
        outputs = outputs_of(node, 1)
        if len(outputs) != 1 or outputs[0] == UNKNOWN:
            return None
        return outputs[0].shape, outputs[0].dtype

    def operation(self, node: Any) -> str:
        return name_of(node).partition("Backward")[0].lower()

    def factor(self, node: Any, name: str) -> float:
        value = getattr(node, "_saved_" + name, float("inf"))
        return abs(complex(value)) if isinstance(value, int | float | complex) else float("inf")
