"""Nodes of two graphs of one program find each other."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import hypothesis.strategies as st
from hypothesis import given

import vizgrad as vg
from vizgrad.debugger.model import Graph
from vizgrad.debugger.traces.matching import MOST_EDITS, common, matched

KEYS = st.lists(st.integers(0, 3), max_size=12)


def longest(a: list[int], b: list[int]) -> int:
    """By the recursion that defines it."""
    rows = [[0] * (len(b) + 1)]
    for one in a:
        row = [0]
        for j, other in enumerate(b):
            row.append(rows[-1][j] + 1 if one == other else max(rows[-1][j + 1], row[-1]))
        rows.append(row)
    return rows[-1][-1]


@given(KEYS, KEYS)
def test_a_longest_row_that_both_have(a: list[int], b: list[int]) -> None:
    found = common(a, b)
    assert all(a[i] == b[j] for i, j in found)
    assert all(x[0] < y[0] and x[1] < y[1] for x, y in pairwise(found))
    assert len(found) == longest(a, b)


def test_rows_that_have_little_in_common_end_soon() -> None:
    a, b = list(range(MOST_EDITS)), list(range(MOST_EDITS, 3 * MOST_EDITS))
    assert common([7, *a, 8], [7, *b, 8]) == [(0, 0), (len(a) + 1, len(b) + 1)]


def graph(function: Any, *shapes: tuple[int, ...], names: bool = True) -> Graph:
    leaves = [vg.ones(shape, requires_grad=True) for shape in shapes]
    made = vg.graph(function(*leaves)).data
    assert len(made.nodes) > len(leaves)
    return made


def pairs_of(a: Graph, b: Graph) -> list[tuple[str, str]]:
    return [(a.nodes[i].name, b.nodes[j].name) for i, j in sorted(matched(a, b).items())]


def test_a_part_that_is_there_more_often_shifts_the_others() -> None:
    def model(x: vg.Tensor, w: vg.Tensor, times: int = 3) -> vg.Tensor:
        for _ in range(times):
            x = (x @ w).tanh()
        return x.sum()

    a = graph(model, (2, 3), (3, 3))
    b = graph(lambda x, w: model((x * 2).exp(), w), (2, 3), (3, 3))
    found = matched(a, b)
    assert len(found) == len(a.nodes)
    assert all(a.nodes[i].name == b.nodes[j].name for i, j in found.items())
    leaves = {a.nodes[i].outputs[0].shape: b.nodes[j].outputs[0].shape
              for i, j in found.items() if a.nodes[i].kind == "leaf"}  # fmt: skip
    assert leaves == {(2, 3): (2, 3), (3, 3): (3, 3)}


def test_leaves_find_each_other_over_edges_whatever_they_are_called() -> None:
    a = graph(lambda x, y: (x * y).sum(), (2,), (2,))
    b = graph(lambda x, y: (y * x).sum(), (2,), (2,))
    leaves = [n.id for n in a.nodes if n.kind == "leaf"]
    found = matched(a, b)
    assert [found[n] for n in leaves] == [n.id for n in b.nodes if n.kind == "leaf"]


def test_another_width_is_the_same_program() -> None:
    a = graph(lambda x, w: (x @ w).relu().sum(), (2, 3), (3, 4))
    b = graph(lambda x, w: (x @ w).relu().sum(), (2, 3), (3, 5))
    assert len(matched(a, b)) == len(a.nodes)


def test_what_was_replaced_has_no_partner() -> None:
    a = graph(lambda x: x.tanh().exp().sum(), (2,))
    b = graph(lambda x: x.sigmoid().exp().sum(), (2,))
    assert ("TanhBackward0", "SigmoidBackward0") not in pairs_of(a, b)
    assert len(pairs_of(a, b)) == 3


def test_large_graphs_are_matched_in_little_time() -> None:
    def chain(n: int, skip: int) -> list[str]:
        return [f"op{i % 3}" for i in range(n) if i % skip]

    a, b = chain(30_000, 60_000), chain(30_000, 40)
    assert len(common(a, b)) == len(b)
