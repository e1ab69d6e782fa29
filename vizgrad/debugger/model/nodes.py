"""A node of the backward graph: where its gradients go, its formulas, what it is called."""

from __future__ import annotations

from dataclasses import dataclass

from vizgrad.core.errors import Place
from vizgrad.debugger.model.memory import Saved

#: An engine may have words of its own where the type is `str`; a view shows a word it does not know as it is.
NodeKind = str  # "op", "function", "leaf", "copy_slices", "root"


@dataclass(frozen=True, slots=True)
class Edge:
    """Where the gradient of one input goes: slot `input_nr` of node `node`; None: nowhere."""

    node: int | None
    input_nr: int = 0
    #: Name of the forward input this edge stands for (``self``, ``other``, ``weight``).
    name: str = ""


@dataclass(frozen=True, slots=True)
class Formula:
    """The derivative for one input: its source text, and the same as a line of mathematics."""

    input: str
    source: str
    math: str = ""


@dataclass(frozen=True, slots=True)
class Mathematics:
    """The derivative for one input as mathematics: the text of a `math` element (MathML), the same as a line
    of text, and what the letters stand for.
    """

    input: str
    mathml: str
    text: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class Batch:
    """The examples of one `vmap`: `size` of them along dimension `dim`, in which each has so many `rows`."""

    dim: int
    size: int
    rows: int = 1


@dataclass(frozen=True, slots=True)
class OutputMeta:
    """Shape and dtype the gradient for one output slot must have, and where it must be ("unknown" for a
    node that leads nowhere). A dtype "unknown": the engine does not tell any of it. `batches` are those of
    each `vmap` that it was computed in, the outermost first.
    """

    shape: tuple[int, ...]
    dtype: str
    device: str
    batches: tuple[Batch, ...] = ()


@dataclass(frozen=True, slots=True)
class Node:
    """One node of the backward graph. `id` is its index in `Graph.nodes`.

    `label` is the variable's name for a leaf (empty if unknown), `scope` the path of module names and
    `vg.scope` blocks it was recorded in, outermost first.
    """

    id: int
    name: str
    kind: NodeKind
    sequence_nr: int
    topological_nr: int
    edges: tuple[Edge, ...]
    outputs: tuple[OutputMeta, ...]
    saved: tuple[Saved, ...] = ()
    formulas: tuple[Formula, ...] = ()
    scope: tuple[str, ...] = ()
    place: Place | None = None
    label: str = ""
    hooks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a node: its own, and for a leaf its variable's.

    `needed` gradients have to arrive at it in this run before it is run; 0 for one that is skipped.
    """

    node: int
    name: str
    label: str = ""
    needed: int = 0
