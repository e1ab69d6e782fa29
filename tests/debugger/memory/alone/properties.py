"""Any tensors over any memory: the sum of storages is what they occupy, each byte once."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import vizgrad as vg
from vizgrad.debugger.memory.reading import read

STEPS = ("new", "numpy", "view", "row", "detach", "data", "t", "clone", "mul", "drop", "lend")


def step(kept: list[Any], word: str, which: int, size: int) -> None:
    source = kept[which % len(kept)] if kept else None
    if word == "new" or not isinstance(source, vg.Tensor):
        kept.append(vg.zeros(size, 3))
    elif word == "numpy":
        array = np.zeros((size + 2, 3), np.float32)
        kept.append(vg.from_numpy(array[1:-1]))
        kept.append(array)
    elif word == "view":
        kept.append(source.view(-1) if source.is_contiguous() else source[..., :1])
    elif word == "row":
        kept.append(source[:1])
    elif word == "detach":
        kept.append(source.detach())
    elif word == "data":
        kept.append(source.data)
    elif word == "t":
        kept.append(source.t() if source.dim() == 2 else source)
    elif word == "clone":
        kept.append(source.clone())
    elif word == "mul":
        kept.append(source * 2)
    elif word == "lend":
        kept.append(source.numpy())
    else:
        kept.pop(which % len(kept))


def occupied(kept: list[Any]) -> int:
    """Bytes of the memory that the tensors live in, found by marking each byte."""
    blocks: dict[int, int] = {}
    for each in kept:
        if isinstance(each, vg.Tensor):
            array = each._array
            while isinstance(array.base, np.ndarray):
                array = array.base
            blocks[array.__array_interface__["data"][0]] = array.nbytes
    return sum(blocks.values())


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 20), st.integers(1, 9)), max_size=14)
)
def test_sum_of_storages_is_what_is_occupied(program: list[tuple[str, int, int]]) -> None:
    kept: list[Any] = []
    for word, which, size in program:
        step(kept, word, which, size)
    heap = read(sys._getframe())
    ours = [s for s in heap.held if any("kept" in a.name for a in s.aliases)]
    assert sum(s.bytes for s in ours) == occupied(kept)
    assert (
        sum(s.bytes for s in heap.held) == heap.bytes == sum(share.bytes for share in heap.shares)
    )
    for storage in ours:
        assert all(a.of is None or a.of < at for at, a in enumerate(storage.aliases))
        assert [a.of for a in storage.aliases].count(None) == 1
