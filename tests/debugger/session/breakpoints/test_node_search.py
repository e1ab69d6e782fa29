"""Finding nodes by what a person remembers of them."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from tests.debugger.drawing.examples import mlp
from vizgrad.debugger.model import Name, Node, Place
from vizgrad.debugger.session.breakpoints.node_selectors import found, matcher, texts_of

NODE = Node(
    0, "AddmmBackward0", "op", 0, 0, (), (),
    scope=("net", "fc1"), place=Place("some/train.py", 12), label="Weight",
)  # fmt: skip


@pytest.mark.parametrize(
    "query",
    [
        "addmm", "ADDMM", "  addmm ", "backward0", "weight", "net.fc1", "fc1", "train.py:12",
        "some/train.py", "a*b*0", "*mm*", "net*1", "e*t", "train*12",
    ],
)  # fmt: skip
def test_a_part_of_a_name_variable_scope_or_line_is_enough(query: str) -> None:
    assert matcher(query)(texts_of(NODE))


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   ",
        "*",
        "**",
        "mul",
        "addmm1",
        "0addmm",
        "b*a*d*d*m*m",
        "mm*addmm",
        "weight.net",
        "net fc1",
    ],
)
def test_what_is_not_in_one_of_them_or_says_nothing_finds_nothing(query: str) -> None:
    assert not matcher(query)(texts_of(NODE))


def test_parts_do_not_overlap() -> None:
    node = Node(0, "abab", "op", 0, 0, (), ())
    assert matcher("ab*ab")(texts_of(node))
    assert not matcher("aba*ab")(texts_of(node))
    assert not matcher("ab*ab*ab")(texts_of(node))


def test_a_cell_is_a_place_and_where_nothing_is_known_only_names_count() -> None:
    cell = Node(0, "Op", "op", 0, 0, (), (), place=Place("/tmp/x.py", 3, cell="In [7]"))
    assert matcher("in [7]:3")(texts_of(cell))
    assert not matcher("x.py")(texts_of(cell))
    assert not matcher(":")(texts_of(Node(0, "Op", "op", 0, 0, (), ())))


def test_all_are_counted_and_the_first_are_named() -> None:
    graph = mlp()

    def names(nodes: Iterable[int]) -> tuple[Name, ...]:
        return tuple(Name(n, graph.nodes[n].name) for n in nodes)

    def find(query: str, most: int) -> tuple[int, tuple[Name, ...]]:
        return found(query, most, len(graph.nodes), lambda n: texts_of(graph.nodes[n]), names)

    assert find("addmm", 9) == (2, (Name(3, "AddmmBackward0"), Name(6, "AddmmBackward0")))
    assert find("addmm", 1) == (2, (Name(3, "AddmmBackward0"),))
    assert find("fc1.", 0) == (2, ())
    assert find("nothing", 5) == (0, ())
