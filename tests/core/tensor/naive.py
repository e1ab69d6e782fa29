"""What tensors, views and in-place writes mean, said as plainly as possible: an oracle to test against.

Memory is a list of numbers. Next to each number stands, for each tensor family (a base with its views),
how that number depends on every element of every leaf: forward differentiation, one element at a time,
with no graph at all. A write through a family changes numbers and that family's dependence; a write
under no_grad or through a detached tensor changes the numbers only, as PyTorch has it.

What a backward needs is the set of versions that values were saved at (`saves`), and it fails exactly
if one of them is no longer that of its block (V-20, V-21).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

#: How one number depends on leaves: (leaf, element) -> derivative.
Slope = dict[tuple[int, int], float]


class Block:
    """A piece of memory with its version counter."""

    def __init__(self, values: Sequence[float]) -> None:
        self.values = list(values)
        self.version = 0


@dataclass
class Family:
    """A base and its views: one history."""

    block: Block
    slopes: list[Slope]
    tracked: bool = False
    leaf: int | None = None
    #: Leaves that the history leads to, and (block, version) of what it saved.
    leaves: frozenset[int] = frozenset()
    saves: frozenset[tuple[Block, int]] = frozenset()


@dataclass
class Naive:
    """A tensor: a family, and which cells of its block it shows."""

    family: Family
    cells: np.ndarray
    is_base: bool = True
    values: np.ndarray = field(init=False, repr=False)

    def read(self) -> np.ndarray:
        block = self.family.block.values
        return np.array([block[c] for c in self.cells.ravel()]).reshape(self.cells.shape)

    @property
    def version(self) -> int:
        return self.family.block.version

    @property
    def tracked(self) -> bool:
        return self.family.tracked

    def slopes(self) -> list[Slope]:
        return [self.family.slopes[c] for c in self.cells.ravel()]

    def view(self, cells: np.ndarray) -> Naive:
        return Naive(self.family, cells, is_base=False)

    def detach(self) -> Naive:
        block = self.family.block
        alone = Family(block, [{} for _ in block.values])
        return Naive(alone, self.cells)


class Refused(Exception):
    """vizgrad must raise RuntimeError here."""


def new(array: np.ndarray, leaf: int | None = None) -> Naive:
    """A tensor with memory of its own; with `leaf` (its number) one that requires grad."""
    cells = np.arange(array.size).reshape(array.shape)
    block = Block(array.ravel().tolist())
    if leaf is None:
        return Naive(Family(block, [{} for _ in block.values]), cells)
    slopes: list[Slope] = [{(leaf, i): 1.0} for i in range(array.size)]
    family = Family(block, slopes, tracked=True, leaf=leaf, leaves=frozenset({leaf}))
    return Naive(family, cells)


# --- operations: value and slope of one element, and whether a value must be saved -------------------


@dataclass(frozen=True)
class Operation:
    """`slopes(a, b, r)`: derivative by each operand. `needs[i]`: what the derivative by i reads."""

    value: Callable[..., float]
    slopes: tuple[Callable[[float, float, float], float], ...]
    needs: tuple[str, ...]


OPERATIONS = {
    "add": Operation(lambda a, b: a + b, (lambda a, b, r: 1.0, lambda a, b, r: 1.0), ("", "")),
    "sub": Operation(lambda a, b: a - b, (lambda a, b, r: 1.0, lambda a, b, r: -1.0), ("", "")),
    "mul": Operation(lambda a, b: a * b, (lambda a, b, r: b, lambda a, b, r: a), ("b", "a")),
    "scale": Operation(lambda a: a * 1.5, (lambda a, b, r: 1.5,), ("",)),
    "neg": Operation(lambda a: -a, (lambda a, b, r: -1.0,), ("",)),
    "tanh": Operation(math.tanh, (lambda a, b, r: 1 - r * r,), ("r",)),
    "sin": Operation(math.sin, (lambda a, b, r: math.cos(a),), ("a",)),
}


def _combine(parts: list[tuple[float, Slope]]) -> Slope:
    total: Slope = {}
    for factor, slope in parts:
        for key, value in slope.items():
            total[key] = total.get(key, 0.0) + factor * value
    return total


def _compute(
    op: Operation, operands: list[Naive], shape: tuple[int, ...]
) -> tuple[list[float], list[Slope]]:
    wide = [np.broadcast_to(o.cells, shape).ravel() for o in operands]
    values: list[float] = []
    slopes: list[Slope] = []
    for at in range(int(np.prod(shape))):
        numbers = [o.family.block.values[c[at]] for o, c in zip(operands, wide, strict=True)]
        result = op.value(*numbers)
        a, b = numbers[0], numbers[-1]
        values.append(result)
        slopes.append(_combine([
            (slope(a, b, result), o.family.slopes[c[at]])
            for slope, o, c in zip(op.slopes, operands, wide, strict=True)
            if o.tracked
        ]))  # fmt: skip
    return values, slopes


def _saves(
    op: Operation, operands: list[Naive], result: Family, in_place: bool
) -> frozenset[tuple[Block, int]]:
    """Versions that the node's formulas rely on; the overwritten operand itself is saved as a copy."""
    found: set[tuple[Block, int]] = set()
    for operand, need in zip(operands, op.needs, strict=True):
        if not operand.tracked or not need:
            continue
        if need == "r":
            found.add((result.block, result.block.version))
        else:
            read = operands[0] if need == "a" else operands[-1]
            if not (in_place and need == "a"):
                found.add((read.family.block, read.version - (in_place and _same(read, result))))
    return frozenset(found)


def _same(operand: Naive, result: Family) -> bool:
    return operand.family.block is result.block


def out_of_place(name: str, *operands: Naive, grad: bool) -> Naive:
    op = OPERATIONS[name]
    shape = np.broadcast_shapes(*(o.cells.shape for o in operands))
    values, slopes = _compute(op, list(operands), shape)
    made = new(np.array(values).reshape(shape))
    if grad and any(o.tracked for o in operands):
        family = made.family
        family.tracked = True
        family.slopes = slopes
        family.leaves = frozenset().union(*(o.family.leaves for o in operands if o.tracked))
        family.saves = frozenset().union(*(o.family.saves for o in operands if o.tracked))
        family.saves |= _saves(op, list(operands), family, in_place=False)
    return made


def in_place(name: str, target: Naive, *others: Naive, grad: bool) -> None:
    """Writes the result into the target; raises Refused, and writes nothing, where that is an error."""
    op, operands = OPERATIONS[name], [target, *others]
    recorded = grad and any(o.tracked for o in operands)
    family = target.family
    if recorded and family.leaf is not None:
        raise Refused("a leaf that requires grad, or a view of one")
    if np.broadcast_shapes(*(o.cells.shape for o in operands)) != target.cells.shape:
        raise Refused("the result has another shape")
    values, slopes = _compute(op, operands, target.cells.shape)
    tracked = [o.family for o in operands if o.tracked]
    family.block.version += 1
    saves = _saves(op, operands, family, in_place=True) if recorded else frozenset()
    _store(target, values, slopes if recorded else None, tracked, saves)


def assign(target: Naive, source: Naive, *, grad: bool) -> None:
    """target[...] = source."""
    recorded = grad and (target.tracked or source.tracked)
    if recorded and target.family.leaf is not None:
        raise Refused("a leaf that requires grad, or a view of one")
    cells = source.cells
    while cells.ndim > target.cells.ndim and cells.shape[0] == 1:  # indexing forgives leading ones
        cells = cells[0]
    if np.broadcast_shapes(target.cells.shape, cells.shape) != target.cells.shape:
        raise Refused("the value has another shape")
    cells = np.broadcast_to(cells, target.cells.shape).ravel()
    values = [source.family.block.values[c] for c in cells]
    slopes = [dict(source.family.slopes[c]) if source.tracked else {} for c in cells]
    tracked = [f for f in (target.family, source.family) if f.tracked]
    target.family.block.version += 1
    _store(target, values, slopes if recorded else None, tracked, frozenset())


def _store(
    target: Naive,
    values: list[float],
    slopes: list[Slope] | None,
    histories: list[Family],
    saves: frozenset[tuple[Block, int]],
) -> None:
    family = target.family
    for at, cell in enumerate(target.cells.ravel()):
        family.block.values[cell] = values[at]
        if slopes is not None:
            family.slopes[cell] = slopes[at]
    if slopes is not None:
        family.tracked = True
        family.leaves = family.leaves.union(*(h.leaves for h in histories))
        family.saves = family.saves.union(saves, *(h.saves for h in histories))


# --- gradients ------------------------------------------------------------------------------------------


def is_stale(tensor: Naive) -> bool:
    """Does a backward from here meet a value that was written since it was saved?"""
    return any(block.version != version for block, version in tensor.family.saves)


def gradients(
    root: Naive, given: np.ndarray, leaves: dict[int, tuple[int, ...]]
) -> dict[int, np.ndarray]:
    """The gradient for each leaf (number -> shape) that the root's history leads to."""
    found = {n: np.zeros(int(np.prod(s))) for n, s in leaves.items() if n in root.family.leaves}
    for weight, slope in zip(given.ravel(), root.slopes(), strict=True):
        for (leaf, element), value in slope.items():
            found[leaf][element] += weight * value
    return {n: g.reshape(leaves[n]) for n, g in found.items()}
