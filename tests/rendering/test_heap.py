"""A reading of the memory as text and as a page."""

from __future__ import annotations

import re

from vizgrad.errors import Place
from vizgrad.inspection.model import (
    Heap,
    HeapAlias,
    HeapCycle,
    HeapHolder,
    HeapKeeper,
    HeapShare,
    HeapStorage,
)
from vizgrad.inspection.wire import from_json, to_json
from vizgrad.rendering.heap_picture import HeapPicture
from vizgrad.rendering.heap_words import in_order, keeper_text

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
        keepers=(HeapKeeper(name, 312, 48_000_000, 3, 500, ("loss",), name, PLACE),),
        cycles=(HeapCycle(("w", ".grad", "MulBackward0", "w"), 5, 800, ("w",), PLACE),),
        uncounted=("2 storages of PyTorch's tensors, 8 bytes, are not counted.",),
    )


TEXT = """\
48 MB in 21 storages; 312 nodes of graphs
  variables 48 MB
graphs that are kept alive:
  `total` keeps 312 nodes and 48 MB alive, since In [7], line 4; 3 nodes and 500 B more \
together with `loss`
what leads back to itself:
  w → .grad → MulBackward0 → w: 5 nodes and 800 B, recorded at In [7], line 4; only the \
collector frees it, once `w` is gone
largest storages:
      48 B  base  [3, 4] f32 v2
            held by base; saved `self` of MulBackward0, In [7], line 4 (graph of total); 3 more
            base: base [3, 4] f32 v2
              row: view [4] f32 v2 by select
              array: numpy [3, 4] f32
            and 5 more that show it
  and 20 more storages
2 storages of PyTorch's tensors, 8 bytes, are not counted."""


def test_text() -> None:
    assert repr(HeapPicture(example())) == TEXT


def test_a_keeper_that_shares_all() -> None:
    keeper = HeapKeeper("losses", 0, 8, 1, 20, ("total",), "losses[1]")
    assert keeper_text(keeper) == (
        "`losses` (through `losses[1]`) keeps 1 node and 20 B alive together with `total`"
    )


def test_json() -> None:
    heap = example(EVIL)
    assert from_json(Heap, to_json(heap)) == heap
    assert HeapPicture(heap).to_json()["keepers"][0]["name"] == EVIL


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


def test_order_of_a_tree() -> None:
    aliases = tuple(
        HeapAlias(n, "view", of, (), "f") for n, of in zip("abcd", (None, 0, None, 1), strict=True)
    )
    assert in_order(aliases) == [0, 1, 3, 2]
    bad = (HeapAlias("a", "view", 0, (), "f"), HeapAlias("b", "view", 7, (), "f"))
    assert in_order(bad) == [0, 1]
