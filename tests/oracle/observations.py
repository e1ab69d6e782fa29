"""What a program saw, as plain data: nothing here keeps a tensor or a node of either module alive."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class TensorSeen:
    dtype: str
    shape: tuple[int, ...]
    values: np.ndarray
    requires_grad: bool
    is_leaf: bool

    def __str__(self) -> str:
        flags = "requires_grad" * self.requires_grad + " non-leaf" * (not self.is_leaf)
        return f"{self.dtype}{list(self.shape)} {self.values.tolist()} {flags}".rstrip()


@dataclass(frozen=True)
class NodeSeen:
    """One node of a graph: its edges are (number of the target or None, input_nr)."""

    name: str
    edges: tuple[tuple[int | None, int], ...]


@dataclass(frozen=True)
class GraphSeen:
    """Nodes numbered in the order a depth-first walk meets them: equal numbers mean the same node."""

    nodes: tuple[NodeSeen, ...]

    def __str__(self) -> str:
        return "; ".join(
            f"{i} {node.name}({', '.join(f'{to}.{nr}' for to, nr in node.edges)})"
            for i, node in enumerate(self.nodes)
        )


@dataclass(frozen=True)
class Raised:
    kind: type[BaseException]
    message: str

    def __str__(self) -> str:
        return f"{self.kind.__name__}: {' '.join(self.message.split())}"

    def says(self, phrase: str) -> bool:
        return _squash(phrase) in _squash(self.message)


def _squash(text: str) -> str:
    return " ".join(text.casefold().split())


def describe(module: Any, thing: Any) -> Any:
    """Plain data for a tensor, a node, a dtype, an exception, or a nest of such things."""
    if isinstance(thing, module.Tensor):
        return _tensor(module, thing)
    if isinstance(thing, (type(None), bool, int, float, complex, str)):
        return thing
    if isinstance(thing, BaseException):
        return Raised(type(thing), str(thing))
    if isinstance(thing, tuple):  # torch.Size and named results count as plain tuples
        return tuple(describe(module, item) for item in thing)
    if isinstance(thing, list):
        return [describe(module, item) for item in thing]
    if isinstance(thing, dict):
        return {key: describe(module, item) for key, item in thing.items()}
    if isinstance(thing, np.ndarray):
        return TensorSeen(str(thing.dtype), thing.shape, thing.copy(), False, True)
    if isinstance(thing, np.generic):
        return thing.item()
    if hasattr(thing, "next_functions"):
        return node_name(thing)
    if isinstance(thing, type) and issubclass(thing, BaseException):
        return thing.__name__
    if isinstance(thing, (module.dtype, module.device)):
        return str(thing).rpartition(".")[2]
    raise TypeError(f"a program cannot `see` a {type(thing).__name__}; name what matters about it")


def _tensor(module: Any, tensor: Any) -> Any:
    flags = bool(tensor.requires_grad), bool(tensor.is_leaf)
    if tensor.layout is not module.strided:
        entries = tensor.detach().to_sparse_coo().coalesce()
        return {
            "layout": str(tensor.layout).rpartition(".")[2], "size": tuple(tensor.shape), "flags": flags,
            "indices": _tensor(module, entries.indices()), "values": _tensor(module, entries.values()),
        }  # fmt: skip
    dtype = str(tensor.dtype).rpartition(".")[2]
    return TensorSeen(dtype, tuple(tensor.shape), values_of(tensor), *flags)


def values_of(tensor: Any) -> np.ndarray:
    """A copy of the elements; `detach` leaves the version counter and the history alone."""
    plain = tensor.detach()
    if plain.is_complex():
        plain = plain.resolve_conj()
    if getattr(plain, "_is_zerotensor", bool)():  # PyTorch's zeros without memory
        plain = plain.clone()
    if plain.dtype.itemsize < 4 and str(plain.dtype).rpartition(".")[2] in NARROW:
        plain = plain.float()
    return np.array(plain.numpy(), copy=True)


#: Types that numpy has not: their values are shown as float32, which holds each exactly.
NARROW = (
    "bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu",
)  # fmt: skip


def node_name(node: Any) -> str:
    """PyTorch gives some special nodes a C++ namespace, vizgrad does not (E-3)."""
    return node.name().rpartition("::")[2]


def walk(node: Any) -> Iterator[tuple[Any, tuple[tuple[int | None, int], ...]]]:
    """Nodes below `node` with their edges, depth first, each once.

    All nodes are kept until the end: PyTorch would make their wrappers anew, with another identity.
    """
    order: dict[int, int] = {}
    found: list[Any] = []
    stack = [node]
    while stack:
        current = stack.pop()
        if id(current) in order:
            continue
        order[id(current)] = len(found)
        found.append(current)
        stack.extend(target for target, _ in reversed(current.next_functions) if target is not None)
    for each in found:
        yield (
            each,
            tuple(
                (None if target is None else order[id(target)], int(nr))
                for target, nr in each.next_functions
            ),
        )


def graph_of(node: Any) -> GraphSeen:
    return GraphSeen(tuple(NodeSeen(node_name(each), edges) for each, edges in walk(node)))
