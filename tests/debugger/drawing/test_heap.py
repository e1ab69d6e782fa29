"""A reading of the memory as text and as a page."""

from __future__ import annotations

import re
from dataclasses import replace

from vizgrad.core.errors import Place
from vizgrad.debugger.drawing import heap_picture as words
from vizgrad.debugger.drawing.heap_picture import HeapPicture, in_order, keeper_text, tree_lines
from vizgrad.debugger.model import (
    Heap,
    HeapAlias,
    HeapCycle,
    HeapHolder,
    HeapKeeper,
    HeapShare,
    HeapStorage,
)
from vizgrad.debugger.wire.wire import from_json, to_json

PLACE = Place("cell", 4, "", "In [7]", "loss = f(x)")
EVIL = "<img src=x onerror=alert(1)>\n`\u202e"


def example(name: str = "total") -> Heap:
    aliases = (
        HeapAlias("base", "base", None, (3, 4), "float32", 2),
        HeapAlias("row", "view", 0, (4,), "float32", 2, "select"),
        HeapAlias("array", "numpy", 0, (3, 4), "float32"),
    )
    holders = (
        HeapHolder("variable", "base"),
        HeapHolder("saved", "saved `self` of MulBackward0", PLACE, (name,)),
    )
    storage = HeapStorage(
        0, "base", "variable", 48, (3, 4), "float32", "cpu", 2, holders, 3, aliases, 5
    )
    return Heap(
        bytes=48_000_000,
        storages=21,
        nodes=312,
        shares=(HeapShare("variable", 21, 48_000_000),),
        held=(storage,),
        held_more=20,
        keepers=(HeapKeeper((name,), 312, 89_000, 48_000_000, through=name, since=PLACE),),
        cycles=(HeapCycle(("w", ".grad", "MulBackward0", "w"), 5, 800, ("w",), PLACE),),
        uncounted=("2 storages of PyTorch's tensors, 8 bytes, are not counted.",),
    )


TEXT = """\
48 MB in 21 storages; 312 nodes of graphs
  variables 48 MB
graphs that are kept alive, the largest parts first:
  `total` keeps 312 nodes (89 kB) and 48 MB of tensors, since In [7], line 4
reference cycles:
  w → .grad → MulBackward0 → w: 5 nodes and 800 B, recorded at In [7], line 4; only the \
garbage collector frees it, after `w` is deleted
largest storages:
      48 B  base  [3, 4] f32 v2
            held by base; saved `self` of MulBackward0, In [7], line 4 (graph of total); 3 more
            base: base [3, 4] f32 v2
              row: view [4] f32 v2 by select
              array: numpy [3, 4] f32
            and 5 more that share it
  and 20 more storages
2 storages of PyTorch's tensors, 8 bytes, are not counted."""


def test_text() -> None:
    assert repr(HeapPicture(example())) == TEXT


def test_holders_that_are_not_named_are_counted() -> None:
    holder = HeapHolder("leaf", "leaf of a graph", None, ("a", "b", "c"), graphs_more=2)
    assert words.holder_text(holder) == "leaf of a graph (graph of a, b, c and 2 more)"


def test_what_a_loop_has_saved_is_one_row() -> None:
    holder = HeapHolder("saved", "saved `mat1` of AddmmBackward0", PLACE, ("total",))
    turns = tuple(
        HeapStorage(
            n, holder.text, "saved", 4000, (10, 100), "float32", "cpu", int(n == 7), (holder,)
        )
        for n in range(40)
    )
    one = HeapStorage(40, "w", "parameter", 8000, (2000,), "float32", "cpu", 0)
    heap = replace(example(), held=(one, *turns), held_more=2, keepers=(), cycles=(), uncounted=())
    assert repr(HeapPicture(heap)).partition("largest storages:\n")[2] == (
        "    160 kB  saved `mat1` of AddmmBackward0 × 40  [10, 100] f32, 4.0 kB each\n"
        "            held by saved `mat1` of AddmmBackward0, In [7], line 4 (graph of total)\n"
        "    8.0 kB  w  [2000] f32 v0\n"
        "            held by \n"
        "  and 2 more storages"
    )
    page = HeapPicture(heap).to_html()
    assert "saved <code>mat1</code> of AddmmBackward0 × 40" in page
    assert "<summary>40 alike</summary><div>4.0 kB [10, 100] f32 v0</div>" in page
    assert page.count("<tr>") == 1 + 2


def test_rows_that_differ_in_what_is_told_stay_apart() -> None:
    (base,) = example().held
    other = replace(base, id=1, holders=base.holders[:1])
    assert words.alike((base, other)) == [(base,), (other,)]


def test_keepers_of_one_part() -> None:
    keeper = HeapKeeper(("losses",), 1, 200, 20, through="losses[1]")
    assert keeper_text(keeper) == (
        "`losses` (through `losses[1]`) keeps 1 node (200 B) and 20 B of tensors"
    )
    two = replace(keeper, names=("a", "b"), nodes=2, through="")
    assert keeper_text(two) == "`a` and `b` keep the same 2 nodes (200 B) and 20 B of tensors"
    many = replace(two, names_more=1200, sessions=("loss",))
    assert keeper_text(many) == (
        "`a`, `b` and 1,200 more keep the same 2 nodes (200 B) and 20 B of tensors; "
        "the open session of `loss` keeps them, too, until closed"
    )
    session = replace(many, names=(), names_more=0, sessions=("a", "b"))
    assert keeper_text(session) == (
        "the open sessions of `a`, `b` keep 2 nodes (200 B) and 20 B of tensors, until closed"
    )


def test_json() -> None:
    heap = example(EVIL)
    assert from_json(Heap, to_json(heap)) == heap
    assert HeapPicture(heap).to_json()["keepers"][0]["names"] == [EVIL]


def test_a_page_has_no_markup_of_strangers() -> None:
    shown = HeapPicture(example(EVIL))._repr_mimebundle_()
    page = shown["text/html"]
    assert set(re.findall(r"<(\w+)", page)) <= {
        "div", "p", "b", "br", "ul", "li", "table", "caption", "thead", "tbody", "tr", "th", "td",
        "code", "details", "summary",
    }  # fmt: skip
    assert "&lt;img" in page
    assert "\u202e" not in page
    assert "\u202e" not in shown["text/plain"]


def test_views_of_which_the_same_is_told_are_one_line() -> None:
    view = HeapAlias("saved `mat2`", "view", 0, (4, 3), "float32", 2, "t")
    aliases = (
        HeapAlias("w", "base", None, (3, 4), "float32", 2),
        view, view, replace(view, version=1), view,
        HeapAlias("row", "view", 4, (3,), "float32", 2, "select"),
    )  # fmt: skip
    assert tree_lines(aliases) == [
        (0, "w: base [3, 4] f32 v2"),
        (1, "saved `mat2`: view [4, 3] f32 v2 by t × 2"),
        (1, "saved `mat2`: view [4, 3] f32 v1 by t"),
        (1, "saved `mat2`: view [4, 3] f32 v2 by t"),
        (2, "row: view [3] f32 v2 by select"),
    ]


def test_order_of_a_tree() -> None:
    aliases = tuple(
        HeapAlias(n, "view", of, (), "f") for n, of in zip("abcd", (None, 0, None, 1), strict=True)
    )
    assert in_order(aliases) == [0, 1, 3, 2]
    bad = (HeapAlias("a", "view", 0, (), "f"), HeapAlias("b", "view", 7, (), "f"))
    assert in_order(bad) == [0, 1]


def storages_of(*sizes: int) -> tuple[HeapStorage, ...]:
    return tuple(
        HeapStorage(n, f"net.{n}.bias", "parameter", size, (size // 4,), "float32", "cpu", 0)
        for n, size in enumerate(sizes)
    )


def test_rows_of_less_than_a_hundredth_are_one_row() -> None:
    held = storages_of(*[40_000] * 6, *[396] * 30)
    heap = replace(
        example(), bytes=251_880, held=held, held_more=0, keepers=(), cycles=(), uncounted=()
    )
    lines = repr(HeapPicture(heap)).partition("largest storages:\n")[2].splitlines()
    assert len(lines) == 2 * 6 + 1  # with their holders
    assert lines[-1] == "  and 30 smaller: 12 kB"
    page = HeapPicture(heap).to_html()
    large, folded = page.split("<details><summary>30 smaller: 12 kB</summary>")
    assert (large.count("<tr>"), folded.count("<tr>")) == (1 + 6, 1 + 30)


def test_few_rows_and_one_small_one_are_rows_of_their_own() -> None:
    alone = storages_of(*[40_000] * 6, 4)
    assert words.parted(words.alike(alone), 240_004)[1] == []
    even = storages_of(*[4] * 200)
    shown, small = words.parted([(each,) for each in even], 800)
    assert (len(shown), len(small)) == (words.FEWEST_ROWS, 195)
