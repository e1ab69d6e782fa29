"""Nests of containers."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vizgrad.utils import _pytree as pytree

Pair = namedtuple("Pair", "a b")  # noqa: PYI024  the older way makes the same


class Point(NamedTuple):
    x: Any
    y: Any


class Box:
    def __init__(self, inside: Any, label: str) -> None:
        self.inside, self.label = inside, label


pytree.register_pytree_node(
    Box, lambda box: ([box.inside], box.label), lambda children, label: Box(*children, label)
)

NEST: Any = {
    "b": [1, (2, None)],
    "a": Pair(3, OrderedDict(z=4, y=5)),
    "d": defaultdict(list, {"q": 6}),
    "e": deque([7, 8], maxlen=3),
    "p": Point([], 9),
}


def nests() -> Any:
    return st.recursive(
        st.none() | st.integers(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.lists(inner, max_size=3).map(tuple)
            | st.dictionaries(st.text(max_size=2), inner, max_size=3)
            | st.builds(Point, inner, inner)
            | st.lists(inner, max_size=2).map(deque)
        ),
        max_leaves=12,
    )


def test_leaves_come_in_the_order_of_the_containers() -> None:
    leaves, spec = pytree.tree_flatten(NEST)
    assert leaves == [1, 2, None, 3, 4, 5, 6, 7, 8, 9]
    assert (spec.num_leaves, spec.num_children, spec.type) == (10, 5, dict)
    back = spec.unflatten(leaves)
    assert back == NEST
    assert isinstance(back["a"], Pair)
    assert back["d"].default_factory is list
    assert back["e"].maxlen == 3


@given(nests())
def test_what_is_taken_apart_can_be_put_together(nest: Any) -> None:
    leaves, spec = pytree.tree_flatten(nest)
    assert pytree.tree_unflatten(leaves, spec) == nest
    assert spec == pytree.tree_structure(nest)
    assert hash(spec) == hash(pytree.tree_structure(nest))
    assert len(leaves) == spec.num_leaves
    paths = pytree.tree_leaves_with_path(nest)
    assert [pytree.key_get(nest, path) for path, _ in paths] == leaves


@given(nests())
def test_mapping_keeps_the_containers(nest: Any) -> None:
    pairs: list[Any] = []
    pytree.tree_map_(lambda a, b: pairs.append((a, b)), nest, nest)
    assert pairs == [(leaf, leaf) for leaf in pytree.tree_leaves(nest)]
    same = pytree.tree_map(lambda leaf: leaf, nest)
    assert same == nest
    assert pytree.tree_structure(same) == pytree.tree_structure(nest)


def test_a_class_of_ones_own() -> None:
    made = pytree.tree_map(lambda x: x * 2, Box([1, 2], "numbers"))
    assert (made.inside, made.label) == ([2, 4], "numbers")
    with pytest.raises(ValueError, match="already registered"):
        pytree.register_pytree_node(Box, lambda b: ([], None), lambda c, x: Box(1, ""))


def test_keys_of_dicts_meet_whatever_their_order() -> None:
    assert pytree.tree_map(lambda a, b: a - b, {"a": 5, "b": 7}, {"b": 1, "a": 2}) == {
        "a": 3,
        "b": 6,
    }
    assert pytree.tree_structure({"a": 1, "b": 2}) != pytree.tree_structure({"b": 1, "a": 2})


@pytest.mark.parametrize(
    ("first", "second", "phrase"),
    [
        ([1, 2], [3], "arity mismatch"),
        ([1, 2], (3, 4), "type mismatch"),
        ({"a": 1}, {"b": 1}, "keys mismatch"),
        (Pair(1, 2), (1, 2), "type mismatch"),
        (Pair(1, 2), Point(1, 2), "context mismatch"),
        (deque([1], 1), deque([1], 2), "context mismatch"),
    ],
)
def test_other_containers_are_refused(first: Any, second: Any, phrase: str) -> None:
    with pytest.raises(ValueError, match=phrase):
        pytree.tree_map(lambda a, b: None, first, second)


def test_paths_are_written_as_one_writes_them() -> None:
    assert [pytree.keystr(path) for path, _ in pytree.tree_leaves_with_path(NEST)][:5] == [
        "['b'][0]",
        "['b'][1][0]",
        "['b'][1][1]",
        "['a'].a",
        "['a'].b['z']",
    ]
    assert pytree.tree_map_with_path(lambda path, x: (len(path), x), [[1]]) == [[(2, 1)]]


def test_some_leaves_alone() -> None:
    assert pytree.tree_map_only(int, lambda x: -x, [1, 2.0, "a"]) == [-1, 2.0, "a"]
    assert pytree.tree_map_only(lambda x: x == 1, lambda x: -x, [1, 2.0]) == [-1, 2.0]
    with pytest.raises(TypeError, match="Argument must be a type"):
        pytree.tree_map_only(3, lambda x: x, [1])
    assert pytree.tree_all_only(int, bool, [1, ""])
    assert not pytree.tree_any_only(str, bool, [1, ""])
    assert not pytree.tree_all(bool, [1, 0])
    assert pytree.tree_any(bool, [1, 0])
    assert pytree.tree_leaves([[1], [2, 3]], is_leaf=lambda x: x == [1]) == [[1], 2, 3]


def test_a_beginning_stands_for_all_below_it() -> None:
    broadcast = pytree._broadcast_to_and_flatten
    spec = pytree.tree_structure([1, [2, {"a": 3}]])
    assert broadcast([0, None], spec) == [0, None, None]
    assert broadcast(5, spec) == [5, 5, 5]
    assert broadcast([0, [1, 2]], spec) == [0, 1, 2]
    assert broadcast((0, 1), spec) is None
    assert broadcast([0], spec) is None
    assert broadcast([[0], 1], spec) is None


def test_wrong_leaves() -> None:
    with pytest.raises(ValueError, match="has length 1"):
        pytree.tree_unflatten([1], pytree.tree_structure([1, 2]))
    with pytest.raises(TypeError, match="instance of PyTreeSpec"):
        pytree.tree_unflatten([1], 3)


def test_a_description_is_printed_as_a_tree() -> None:
    assert (
        repr(pytree.tree_structure([1, {"a": 2}]))
        == "TreeSpec(list, None, [*,\n  TreeSpec(dict, ['a'], [*])])"
    )
    assert isinstance(pytree.tree_structure(3), pytree.LeafSpec)
    assert pytree.tree_structure([1, [2]]).children()[0].is_leaf()
