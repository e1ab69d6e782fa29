"""Long rows, deep nesting, notebook cells, texts that are gone or changed, names by strangers."""

from __future__ import annotations

import ast
import linecache
import random
from typing import Any

import pytest

import vizgrad as vg
from tests.debugger.session.grouping.programs import groups, outline, run
from vizgrad.core.upcalls import UPCALLS


def cell(text: str, names: dict[str, Any]) -> None:
    """As IPython runs one: each statement is compiled by itself."""
    file = "<cell>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    for statement in ast.parse(text).body:
        module = ast.Module([statement], [])
        exec(compile(module, file, "exec"), names)


def test_a_notebook_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(UPCALLS, "cell_of", lambda file: "In [3]" if file == "<cell>" else None)
    names: dict[str, Any] = {"vg": vg, "w": vg.ones(3, requires_grad=True)}
    text = (
        "def f(x):\n    x = x * w\n    return x + 1\n\n"
        "x = w.exp()\nfor i in range(3):\n    x = f(x)\nx = x.tanh()\n"
    )
    cell(text, names)
    found = groups(names["x"])
    del linecache.cache["<cell>"]
    assert [(g.kind, g.title) for g in found] == [
        ("loop", "for i in range(3)"),
        ("turn", "3 of 3 / f"),
        ("turn", "2 of 3 / f"),
        ("turn", "1 of 3 / f"),
    ]
    place = found[0].place
    assert place is not None
    assert (place.cell, place.line, place.text) == ("In [3]", 6, "for i in range(3):")


def test_a_chain_is_one_loop_whose_cells_are_nodes() -> None:
    y = run("x = w\nfor i in range(5000):\n    x = x * 1.01\ny = x")
    assert outline(y) == "loop for i in range(5000) [0:5000] =5000"


def test_a_long_recurrence_is_one_loop() -> None:
    y = run("""
        cell = nn.LSTMCell(3, 4)
        h, c, x = vg.zeros(1, 4), vg.zeros(1, 4), vg.ones(1, 3)
        for _ in range(400):
            h, c = cell(x, (h, c))
        y = h
        """)
    loop, *turns = groups(y)
    assert (loop.kind, loop.cells, len(turns)) == ("loop", 400, 400)
    assert (turns[0].title, turns[-1].title) == ("400 of 400 / LSTMCell", "1 of 400 / LSTMCell")


def test_a_long_module_of_ours_is_equal_parts() -> None:
    y = run("out, _ = nn.LSTM(3, 4).double()(vg.ones(400, 1, 3).double())\ny = out")
    cells = [group for group in groups(y) if group.cells]
    assert [(group.kind, group.cells) for group in cells] == [("equal", 400)]


def test_what_has_no_structure_is_cut_into_parts() -> None:
    names = ("exp", "sin", "cos", "tanh", "sigmoid")
    chosen = random.Random(0).choices(names, k=2000)
    lines = "\n".join(f"x = x.{name}()" for name in chosen)
    found = groups(run(f"x = w\n{lines}\ny = x"))
    assert {group.kind for group in found} == {"part"}
    assert len(found) == 24
    assert found[0].title == "nodes 0 … 67"


def test_many_unequal_turns_are_cut_by_their_numbers() -> None:
    found = groups(
        run("""
        import random
        chosen = random.Random(0)
        x = w
        for i in range(1000):
            x = x * w
            for name in chosen.choices(("exp", "sin", "cos", "tanh"), k=2):
                x = getattr(x, name)()
        y = x
        """)
    )
    loop = found[0]
    assert (loop.kind, loop.cells) == ("loop", 0)
    inside = [g for g in found if g.parent == 0]
    assert {g.kind for g in inside} <= {"part", "equal", "turn"}
    assert len(inside) <= 300
    assert any(g.title.endswith("of 1,000") and "…" in g.title for g in inside)


def test_a_text_that_was_changed_says_nothing_of_loops() -> None:
    text = "def f(x):\n    for i in range(3):\n        x = x * w\n        x = x + 1\n    return x\n"
    y = run(text + "y = f(w).sum()")
    file = next(name for name in linecache.cache if name.startswith("<program "))
    assert outline(y).startswith("loop f / for i in range(3) [1:7] =3")
    linecache.cache[file] = 1, None, ["# other\n", "for t in it:\n", *text.splitlines(True)], file
    assert outline(y) == "function f [1:7]"


def test_a_text_that_is_no_program_says_nothing() -> None:
    y = run("x = w\nfor i in range(3):\n    x = x * w\n    x = x + 1\ny = x.sum()")
    file = next(name for name in linecache.cache if name.startswith("<program "))
    linecache.cache[file] = 1, None, ["for for for\n"], file
    assert outline(y) == ""


def test_scopes_without_end() -> None:
    y = run("""
        def deep(x, n):
            if n == 0:
                return x
            with vg.scope(f"level {n}"):
                x = x * w
                x = deep(x, n - 1)
                return x + 1
        y = deep(w, 200)
        """)
    depths: list[int] = []
    for group in groups(y):
        depths.append(0 if group.parent is None else depths[group.parent] + 1)
    assert max(depths) < 32


def test_names_of_strangers_are_data() -> None:
    name = "<script>\n%s {0} / of · \x1b[0m"
    y = run(
        """
        x = w
        for i in range(3):
            with vg.scope(name):
                x = x * w
                x = x + 1
        y = x.sum()
        """,
        name=name,
    )
    titles = [group.title for group in groups(y)]
    assert titles == ["for i in range(3)", *(f"{i} of 3 / {name}" for i in (3, 2, 1))]


def test_a_long_expression_does_not_end_in_recursion() -> None:
    terms = " + ".join(["x"] * 800)
    y = run(f"x = w * 2\nfor i in range(2):\n    x = x * 0.5\n    z = {terms}\ny = x.sum()")
    groups(y)
