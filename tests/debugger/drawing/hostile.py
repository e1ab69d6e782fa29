"""Names as an enemy would choose them, and a graph that has one everywhere a name can be."""

from __future__ import annotations

from vizgrad.debugger.model import (
    Edge,
    Event,
    Graph,
    Group,
    Node,
    NodeRun,
    OutputMeta,
    Place,
    Run,
    Saved,
    SaveMark,
    Storage,
    Write,
)

NAMES = (
    "<img src=x onerror=alert(1)>",
    "</text><script>alert(1)",
    "<b>bold</b>",
    '"; DROP TABLE nodes',
    "it's & it's &lt;b&gt; &#60;",
    "back\\slash \\N \\G \\l",
    "%s {0} ${x} `x`",
    "new\nline\r\ttab",
    "\x00\x07\x1b[31mred\x7f\x85",
    "\u202egnp.exe\u2066\u200b",
    "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "\ud800 half a pair",
    "\ufffe\uffff",
    "名前 😀 Ω_w",
    "]]> --> <!-- ",
    "",
)


def graph_of(name: str) -> Graph:
    """Two nodes and a leaf; every string in them is `name`."""
    place = Place(name, 12, name, None, name)
    write = Write(1, 2, name, place, name)
    saved = (
        Saved(name, "stale", (2,), name, 8, 1, 0, 1, write),
        Saved(name, "alive", value=name),
    )
    output = (OutputMeta((2,), name, "cpu"),)
    nodes = (
        Node(0, name, "op", 3, 3, (Edge(1, 0, name), Edge(2, 0, name)), output, (), (), ()),
        Node(1, name, "op", 2, 2, (Edge(2, 0, name),), output, saved, (), (name,), place),
        Node(2, name, "op", 1, 1, (Edge(3, 0, name), Edge(3, 0, name)), output, saved, (), (name,)),
        Node(3, name, "leaf", 9, 0, (), output, label=name),
    )
    groups = (Group(0, None, "scope", name, 1, 3, place, 2),)
    save = SaveMark(2, name, 0, 1, "stale")
    storage = Storage(1, name, (2,), name, 8, 1, (write,), 0, (save,))
    return Graph(nodes, ((0, 0),), (storage,), name, groups=groups)


def run_of(name: str) -> Run:
    """A run over `graph_of(name)` that failed."""
    nodes = (
        NodeRun("done", 1, 1, 0),
        NodeRun("error", 1, 1, 1, reason=name),
        NodeRun("waiting", 1, 2),
        NodeRun("skipped", 0, 2, reason=name),
    )
    return Run("failed", 1, 1, 4, None, nodes, error=name)


def events_of(name: str) -> tuple[Event, ...]:
    return (Event(0, name, name, 2, Place(name, 1, name, name, name)),)
