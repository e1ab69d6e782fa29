"""Which node runs next (E-40, E-42, E-43, E-46)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.engine.toys import Value, World

pytestmark = pytest.mark.rule("E-42")


def test_later_nodes_run_first() -> None:
    world = World()
    leaf = world.leaf("x")
    first = world.node("first", leaf)
    second = world.node("second", leaf)
    world.task(world.node("sum", first, second)).run()
    assert world.order == ["sum", "second", "first", "acc(x)"]


def test_the_order_of_the_edges_does_not_matter() -> None:
    world = World()
    leaf = world.leaf("x")
    first = world.node("first", leaf)
    second = world.node("second", leaf)
    world.task(world.node("sum", second, first)).run()
    assert world.order == ["sum", "second", "first", "acc(x)"]


@pytest.mark.rule("E-43")
def test_a_leaf_is_filled_as_soon_as_it_is_ready() -> None:
    world = World()
    l1, l2 = world.leaf("l1"), world.leaf("l2")
    p = world.node("p", l1)
    q = world.node("q", l2)
    r = world.node("r", q)
    world.task(world.node("sum", world.node("add", p, r))).run()
    assert world.order == ["sum", "add", "r", "q", "acc(l2)", "p", "acc(l1)"]


def test_leaves_that_become_ready_together_keep_the_order_of_their_edges() -> None:
    world = World()
    leaves = [world.leaf(f"l{i}") for i in range(5)]
    other = world.node("other", world.leaf("m"))
    world.task(world.node("many", *leaves, other)).run()
    assert world.order == ["many", *(f"acc(l{i})" for i in range(5)), "other", "acc(m)"]


def test_equal_numbers_run_in_the_order_in_which_they_became_ready() -> None:
    world = World()
    nodes = [world.node(f"n{i}", world.leaf(f"l{i}")) for i in range(4)]
    for node in nodes:
        node.sequence_nr = 1
    top = world.node("top", nodes[2], nodes[0], nodes[3], nodes[1])
    world.task(top).run()
    assert [name for name in world.order if name[0] == "n"] == ["n2", "n0", "n3", "n1"]


def test_a_node_waits_for_all_its_edges_even_if_its_number_is_the_largest() -> None:
    world = World()
    leaf = world.leaf("x")
    shared = world.node("shared", leaf)
    shared.sequence_nr = 1000
    below = world.node("below", shared)
    world.task(world.node("top", shared, below)).run()
    assert world.order == ["top", "below", "shared", "acc(x)"]


@pytest.mark.rule("E-44")
def test_several_roots_start_together_and_the_latest_runs_first() -> None:
    world = World()
    a = world.node("a", world.leaf("x"))
    b = world.node("b", world.leaf("y"))
    world.task(a, b).run()
    assert world.order == ["b", "acc(y)", "a", "acc(x)"]


@pytest.mark.rule("E-24")
def test_duplicate_roots_add_up() -> None:
    world = World()
    leaf = world.leaf("x")
    root = world.node("a", leaf)
    world.task((root, 0, Value(2.0)), (root, 0, Value(3.0))).run()
    assert world.journal[0] == ("a", 5.0)
    assert world.order == ["a", "acc(x)"]


@pytest.mark.rule("E-24")
def test_a_root_before_another_root_is_visited_once_with_both_gradients() -> None:
    world = World()
    leaf = world.leaf("x")
    inner = world.scale("inner", leaf, 2.0)
    outer = world.scale("outer", inner, 3.0)
    world.task((inner, 0, Value(1.0)), (outer, 0, Value(1.0))).run()
    assert world.journal == [
        ("outer", 1.0), ("outer released",), ("inner", 4.0), ("inner released",), ("acc(x)", 8.0),
    ]  # fmt: skip


@pytest.mark.rule("E-24")
def test_a_leaf_can_be_a_root() -> None:
    world = World()
    world.task(world.leaf("x")).run()
    assert world.journal == [("acc(x)", 1.0)]


@st.composite
def dags(draw: st.DrawFn) -> list[list[int]]:
    """For each node, the numbers of the earlier nodes its edges go to; 0 ... 2 are leaves."""
    size = draw(st.integers(1, 12))
    return [
        draw(st.lists(st.integers(0, 2 + number), min_size=1, max_size=3)) for number in range(size)
    ]


def build(world: World, dag: list[list[int]]) -> list[object]:
    made: list[object] = [world.leaf(f"l{i}") for i in range(3)]
    for number, edges in enumerate(dag):
        made.append(world.node(f"n{number}", *(made[e] for e in edges)))
    return made


def oracle(dag: list[list[int]]) -> tuple[list[str], dict[str, float]]:
    """Order and gradients by definition: again and again, the best of all that are ready."""
    edges = {n + 3: list(e) for n, e in enumerate(dag)} | {0: [], 1: [], 2: []}
    root = len(dag) + 2
    reachable, stack = set(), [root]
    while stack:
        n = stack.pop()
        if n not in reachable:
            reachable.add(n)
            stack += edges[n]
    waiting = {n: sum(edges[m].count(n) for m in reachable) for n in reachable}
    grads = dict.fromkeys(reachable, 0.0) | {root: 1.0}
    order: list[str] = []
    leaves: dict[str, float] = {}
    ready: list[int] = [root]
    while ready:
        leaf = next((n for n in ready if n < 3), None)
        n = max(ready) if leaf is None else leaf
        ready.remove(n)
        order.append(f"acc(l{n})" if n < 3 else f"n{n - 3}")
        if n < 3:
            leaves[f"l{n}"] = grads[n]
        for e in edges[n]:
            grads[e] += grads[n]
            waiting[e] -= 1
            if waiting[e] == 0:
                ready.append(e)
    return order, leaves


@given(dags())
def test_any_graph_runs_in_the_order_of_the_definition(dag: list[list[int]]) -> None:
    world = World()
    made = build(world, dag)
    world.task(made[-1]).run()
    order, leaves = oracle(dag)
    assert world.order == order
    found = {leaf.variable.name: leaf.variable.grad for leaf in made[:3]}
    assert {n: g for n, g in found.items() if g is not None} == leaves
