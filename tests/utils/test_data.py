"""Loaders: what is ours alone. tests/oracle/programs/batches.py compares the rest with PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

import vizgrad as vg
from vizgrad.utils.data import DataLoader, Dataset, Subset, TensorDataset, random_split


def test_a_loader_over_tensors() -> None:
    x = vg.arange(10.0).reshape(5, 2)
    loader = DataLoader(TensorDataset(x, vg.arange(5)), batch_size=2, shuffle=True)
    seen = vg.cat([number for _, number in loader])
    assert sorted(seen.tolist()) == [0, 1, 2, 3, 4]
    for inputs, number in loader:
        assert vg.equal(inputs, x[number])


def test_workers_are_not_there_and_it_is_said() -> None:
    with pytest.warns(UserWarning, match="reads everything in the process") as caught:
        loader = DataLoader([1, 2, 3], num_workers=2)
    assert caught[0].filename == __file__
    assert len(list(loader)) == 3


def test_items_are_read_when_their_batch_is_due() -> None:
    read = []

    class Lazy(Dataset):
        def __getitem__(self, index: int) -> int:
            read.append(index)
            return index

        def __len__(self) -> int:
            return 6

    batches = iter(DataLoader(Lazy(), batch_size=2))
    next(batches)
    assert read == [0, 1]
    assert [s[0] for s in random_split(Lazy(), [1, 5])] == read[2:]


def test_several_items_at_once() -> None:
    asked = []

    class Many(Dataset):
        def __getitems__(self, places: list[int]) -> list[Any]:
            asked.append(places)
            return places

        def __len__(self) -> int:
            return 5

    list(DataLoader(Subset(Many(), [4, 2, 0]), batch_size=2))
    assert asked == [[4, 2], [0]]
