"""Derivatives of a row: by vizgrad, and by central differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import vizgrad as vg
from tests.specs.row import Row, Sample, wave


def leaves_of(sample: Sample) -> list[Any]:
    """Tensors over copies of the arrays, with the same strides; floats require grad."""
    leaves = []
    for array in sample.arrays:
        leaf = vg.from_numpy(same_memory(array))
        leaves.append(leaf.requires_grad_() if array.dtype.kind == "f" else leaf)
    return leaves


def same_memory(array: np.ndarray) -> np.ndarray:
    """A copy of the elements at the same strides."""
    if not array.size:
        return array.copy()
    reach = (
        sum((n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)) // array.itemsize
    )
    made = np.lib.stride_tricks.as_strided(
        np.zeros(reach + 1, array.dtype), array.shape, array.strides
    )
    made[...] = array
    return made


def results_of(row: Row, leaves: list[Any]) -> list[Any]:
    found = row.call(*leaves)
    return list(found) if isinstance(found, tuple) else [found]


def weights_for(results: list[Any]) -> list[np.ndarray]:
    """Uneven numbers of each result's shape: a sum of ones would hide transposed gradients."""
    return [
        wave(*r.shape, low=0.5, high=1.5, seed=3 + i).reshape(r.shape)
        for i, r in enumerate(results)
    ]


def gradients(
    row: Row, sample: Sample, *, create_graph: bool
) -> tuple[list[Any], list[Any], list[Any]]:
    """(leaves, incoming gradients, gradients of the leaves)."""
    leaves = leaves_of(sample)
    results = [r for r in results_of(row, leaves) if r.requires_grad]
    incoming = [vg.tensor(w).requires_grad_(create_graph) for w in weights_for(results)]
    wanted = [leaf for leaf in leaves if leaf.requires_grad]
    found = vg.autograd.grad(
        results,
        wanted,
        incoming,
        create_graph=create_graph,
        allow_unused=True,
        materialize_grads=True,
    )
    return wanted, incoming, list(found)


def weighted(row: Row, sample: Sample) -> Callable[..., float]:
    """The results, weighted and added up, as a function of numpy arrays."""

    def total(*arrays: np.ndarray) -> float:
        with vg.no_grad():
            results = results_of(row, [vg.from_numpy(a) for a in arrays])
        results = [r for r in results if r.is_floating_point()]
        return sum(
            float((r.numpy() * w).sum()) for r, w in zip(results, weights_for(results), strict=True)
        )

    return total


def slopes(
    function: Callable[..., float], arrays: list[np.ndarray], step: float = 1e-5
) -> list[np.ndarray]:
    """Central differences of a number by every element of every float array."""
    found = []
    for position, array in enumerate(arrays):
        if array.dtype.kind != "f":
            continue
        slope = np.zeros(array.shape)
        for place in np.ndindex(array.shape):
            moved = [np.array(a) for a in arrays]
            moved[position][place] += step
            high = function(*moved)
            moved[position][place] -= 2 * step
            slope[place] = (high - function(*moved)) / (2 * step)
        found.append(slope)
    return found
