"""Output of a notebook without the live view: text and SVG of graphs, sessions and timelines.

Untrusted SVG is shown as an image by notebooks, so these pictures read well without interaction.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from vizgrad.debugger.drawing.cards import (
    Card,
    group_card,
    head_need,
    head_shapes,
    node_card,
    pin_card,
    result_card,
)
from vizgrad.debugger.drawing.chips import (
    footnotes,
    graph_summary,
    graph_title,
    node_text,
    run_summary,
)
from vizgrad.debugger.drawing.collectives import collective_card
from vizgrad.debugger.drawing.describe import number_text, saved_text, sizes_text
from vizgrad.debugger.drawing.dot import graphviz_layout, to_dot
from vizgrad.debugger.drawing.geometry import Bezier, Layout, text_width
from vizgrad.debugger.drawing.layered import layered_layout
from vizgrad.debugger.drawing.overlay import Differences, RunView, weight
from vizgrad.debugger.drawing.rank_strips import Strips, with_call_cells, with_strip
from vizgrad.debugger.drawing.scene import Curve, Poly, Rect, Scene, Shape, Text, to_svg
from vizgrad.debugger.drawing.scene import Group as Shapes
from vizgrad.debugger.drawing.text import graph_text, run_text, versions_text
from vizgrad.debugger.drawing.timeline import versions_svg
from vizgrad.debugger.drawing.visible import Item, Link, Visible, edges_of, opening, visible_graph
from vizgrad.debugger.model import CalledCollective, Graph, Node, Run, Saved, Storage
from vizgrad.debugger.session.grouping.outline import Outline

if TYPE_CHECKING:
    import graphviz  # pyright: ignore[reportMissingTypeStubs]  graphviz has none


# --- picture ---------------------------------------------------------------------------------------------
# From a graph, and perhaps a run over it, to a scene: the static picture of both.


Engine = Literal["layered", "dot"]

MARGIN = 20.0
#: Higher lines have room for a label near one of their ends.
_SHORT = 26.0
#: Lines in a picture above which the norms of gradients are no longer written beside them.
NORM_LIMIT = 120


def graph_svg(
    graph: Graph,
    run: Run | None = None,
    *,
    depth: int | None = None,
    limit: int | None = None,
    engine: Engine = "layered",
    beside: Beside | None = None,
) -> str:
    """The picture as the text of an SVG file. Arguments and errors as of `graph_scene`."""
    return to_svg(graph_scene(graph, run, depth=depth, limit=limit, engine=engine, beside=beside))


def graph_scene(
    graph: Graph,
    run: Run | None = None,
    *,
    depth: int | None = None,
    limit: int | None = None,
    engine: Engine = "layered",
    beside: Beside | None = None,
    ranks: Ranks | None = None,
) -> Scene:
    """The picture of a graph; with a run also the state of each node and the gradients that went.

    `depth` is how many levels of groups are opened at most; more are closed above `limit` things. With engine
    "dot" Graphviz chooses the places, if it is there and answers in time. With `beside` the picture says how
    another run differs, with `ranks` how the ranks of a distributed run do. Raises ValueError for a
    malformed graph, or a run of another graph.
    """
    outline = Outline.of_graph(graph)
    opened = opening(outline, depth=depth, limit=limit)
    seen = () if run is None else run.collectives
    done = [each for each in seen if run is not None and each.at(run.position) is not None]
    if ranks is not None:
        done = [each for each, _, _ in ranks.calls]
    visible = visible_graph(outline, graph.nodes.__getitem__, opened, done)
    view = RunView(graph, run, None if beside is None else beside.differences)
    said = beside or ranks
    lines = () if said is None else said.lines
    strips = None if ranks is None else ranks.strips
    told = () if ranks is None else ranks.calls
    return _Picture(graph, view, outline, visible, lines, strips, done, told).scene(engine)


@dataclass(frozen=True, slots=True)
class Beside:
    """How another run differs, by node, and in some lines."""

    differences: Differences
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranks:
    """The gradients of the ranks of a distributed run at each node, and some lines of text."""

    strips: Strips
    lines: tuple[str, ...] = ()
    #: Collectives with a letter for each rank, and in words who was waited for.
    calls: tuple[tuple[CalledCollective, str, str], ...] = ()


class _Picture:
    def __init__(
        self,
        graph: Graph,
        view: RunView,
        outline: Outline,
        visible: Visible,
        said: Sequence[str] = (),
        strips: Strips | None = None,
        collectives: Sequence[CalledCollective] = (),
        told: Sequence[tuple[CalledCollective, str, str]] = (),
    ) -> None:
        self.said, self.strips, self.collectives = said, strips, collectives
        self.told = told
        self.graph, self.view, self.outline, self.visible = graph, view, outline, visible
        names: list[list[str]] = [[] for _ in visible.items]
        for link in visible.links:
            names[link.source].append(link.name)
        self.cards: list[Card] = [
            self.card(item, tuple(ports)) for item, ports in zip(visible.items, names, strict=True)
        ]

    def card(self, item: Item, ports: tuple[str, ...]) -> Card:
        card = self.plain_card(item, ports)
        return card if self.strips is None else with_strip(card, _nodes_of(item), self.strips)

    def plain_card(self, item: Item, ports: tuple[str, ...]) -> Card:
        if item.kind == "collective":
            called = self.collectives[item.collective]
            if self.told:
                _, cells, text = self.told[item.collective]
                return with_call_cells(collective_card(self.graph, called, None, text), cells)
            position = None if self.view.run is None else self.view.run.position
            return collective_card(self.graph, called, position)
        if item.node is None:
            return group_card(self.graph, self.view, item)
        if item.kind == "result":
            return result_card(item, len(self.graph.roots))
        node = self.graph.nodes[item.node]
        return (
            pin_card(self.view, node, item)
            if item.kind == "pin"
            else node_card(self.view, node, ports)
        )

    def scene(self, engine: Engine) -> Scene:
        heads = [head_need(self.graph.groups[f.group], f) for f in self.visible.frames]
        sizes = [card.size for card in self.cards]
        layout = graphviz_layout(self.visible, sizes) if engine == "dot" else None
        layout = layout or layered_layout(self.visible, sizes, heads)
        heading, top = self.heading()
        notes = footnotes(self.graph, self.view)
        texts = [*heading, *(Text(0, 0, note, "note") for note in notes)]
        needed = max(text_width(text.text, 15 if text.role == "heading" else 12) for text in texts)
        width = max(layout.width, needed) + 2 * MARGIN
        bottom = top + layout.height + (20 if notes else 0)
        drawn = Shapes(tuple(self.drawn(layout)), x=(width - layout.width) / 2, y=top)
        under = [Text(MARGIN, bottom + 12 + 18 * i, note, "note") for i, note in enumerate(notes)]
        height = bottom + 18 * len(notes) + MARGIN
        description = ". ".join(text.text for text in texts[1:])
        shapes = (*heading, drawn, *under)
        differing = self.view.beside is not None
        ranks = self.strips is not None
        calls = bool(self.collectives)
        return Scene(width, height, heading[0].text, description, shapes, differing, ranks, calls)

    def heading(self) -> tuple[list[Text], float]:
        lines = [Text(MARGIN, 32, graph_title(self.graph), "heading")]
        lines.append(Text(MARGIN, 51, graph_summary(self.graph, self.view), "summary"))
        if self.view.run:
            lines.append(Text(MARGIN, 68, run_summary(self.graph, self.view.run), "summary"))
        for said in self.said:
            lines.append(Text(MARGIN, lines[-1].y + 17, said, "summary"))
        return lines, lines[-1].y + 22

    def drawn(self, layout: Layout) -> list[Shape]:
        """Frames, lines on them, cards on those, and the heads of frames on top."""
        shapes: list[Shape] = []
        heads: list[Shape] = []
        depths: list[int] = []
        for frame, box, head in zip(self.visible.frames, layout.frames, layout.heads, strict=True):
            group = self.graph.groups[frame.group]
            depths.append(depths[frame.parent] + 1 if frame.parent >= 0 else 0)
            nested = " nested" if depths[-1] % 2 else ""
            wrong = " odd" if self.view.odd(range(group.first, group.last)) else ""
            shapes.append(Rect(box.x, box.y, box.width, box.height, 9, f"frame{nested}{wrong}"))
            heads += head_shapes(group, frame, box, head, nested, self.view.run)
        tips: list[Shape] = []
        odd: set[int] = set()
        for link, route in zip(self.visible.links, layout.routes, strict=True):
            role = self.flow(link)
            odd.update((link.source, link.target) if role.endswith("odd") else ())
            shapes.append(Curve(_shortened(route), f"edge {role}".rstrip()))
            tips.append(_tip(route, f"tip {role}".rstrip()))
        shapes += tips
        for index, (card, box) in enumerate(zip(self.cards, layout.boxes, strict=True)):
            group = card.group
            role = group.role
            if index in odd and not role.endswith(" odd"):
                role += " odd"
            shapes.append(Shapes(group.children, role, group.title, box.x, box.y))
        shapes += heads
        shapes += self.line_texts(layout)
        return shapes

    def flow(self, link: Link) -> str:
        """The role of a line: whether a gradient went over it, and how large it was."""
        if not link.edges:
            return "call" if self.visible.items[link.target].kind == "collective" else "mark"
        gone = self.gone(link)
        norms = [norm for norm in gone if norm is not None]
        if not gone:
            return ""
        if not norms:
            return "undefined"
        if not all(map(math.isfinite, norms)):
            return "flowed odd"
        if max(norms) >= 10:
            return "flowed strong"
        return "flowed weak" if max(norms) < 1e-3 else "flowed"

    def gone(self, link: Link) -> list[float | None]:
        """The gradients that the run has sent over the edges of a line."""
        gone = filter(self.view.flowed, edges_of(self.outline, self.visible, link))
        return [self.view.norm(edge) for edge in gone]

    def line_texts(self, layout: Layout) -> list[Shape]:
        """Names of inputs inside the lower edge of cards; norms and output numbers beside lines."""
        texts: list[Shape] = []
        leaving: Counter[int] = Counter()
        arriving = Counter(link.target for link in self.visible.links)
        slots = Counter((link.target, link.slot) for link in self.visible.links if link.edges)
        for link, route in zip(self.visible.links, layout.routes, strict=True):
            (x, y), (end_x, end_y) = route[0], route[-1]
            odd = " odd" if self.flow(link).endswith("odd") else ""
            ports = self.cards[link.source].ports
            if leaving[link.source] < len(ports):
                name = ports[leaving[link.source]]
                low = layout.boxes[link.source].bottom - self.cards[link.source].footer - 5
                texts.append(Text(x, low, name, f"port{odd}", "middle"))
            leaving[link.source] += 1
            if self.cards[link.target].size.slots > 1:
                texts.append(Text(end_x - 6, end_y - 5, str(link.slot), f"port{odd} halo", "end"))
            if words := self.beside(link):
                if slots[link.target, link.slot] == 1:
                    words += self.changed(link)
                # At its end if that is its own, else where it starts.
                at, low = (end_x, end_y - 9) if arriving[link.target] == 1 else (x, y + 13)
                if end_y - y < _SHORT:  # in the middle: it would lie on one of both boxes
                    low = (y + end_y) / 2 + 3.5
                right = x <= end_x  # on the side from which the line does not come
                side, anchor = (6, "start") if right else (-6, "end")
                texts.append(Text(at + side, low, words, f"norm{odd} halo", anchor))
        return texts

    def beside(self, link: Link) -> str:
        """The label beside a line: how many it stands for, and the norm of the largest gradient."""
        several = link.edges > 1
        words = [f"×{link.edges:,}"] if several else []
        if len(self.visible.links) <= NORM_LIMIT and (gone := self.gone(link)):
            most = max(gone, key=weight)
            words.append(f"{'max ' if several and most is not None else ''}{number_text(most, 3)}")
            if not several:
                (edge,) = edges_of(self.outline, self.visible, link)
                words[-1] += sizes_text(self.view.tangents(edge))
        return " · ".join(words)

    def changed(self, link: Link) -> str:
        """``→ 173``: what the user has put in the place of the one gradient that came over this line, as in
        the live view (`changedOn.ts`).
        """
        item = self.visible.items[link.target]
        node = item.node
        if node is None or node not in self.view.edited or link.edges != 1 or item.uses != 1:
            return ""
        now = self.view.arrived(node, link.slot)
        came, is_now = (
            [number_text(norm, 3) for norm in each or ()] for each in (self.gone(link), now)
        )
        return f" → {is_now[0]}" if came and is_now and came != is_now else ""


def _nodes_of(item: Item) -> Iterable[int]:
    """Those that a card stands for; none for the pin of a result."""
    if item.kind in ("result", "collective"):
        return ()
    return item.nodes if item.node is None else (item.node,)


def _shortened(route: Bezier) -> Bezier:
    """The line without the piece that the arrowhead covers."""
    *before, (x1, y1), (x2, y2), (x3, y3) = route
    return (*before, (x1, y1 - 3), (x2, y2 - 3), (x3, y3 - 6))


def _tip(route: Bezier, role: str) -> Poly:
    x, y = route[-1]
    return Poly(((x - 3.5, y - 7.5), (x + 3.5, y - 7.5), (x, y - 0.5)), role)


# --- static ----------------------------------------------------------------------------------------------


class SessionLike(Protocol):
    """The part of `vizgrad.debugger.session.session.Session` that pictures need."""

    @property
    def graph(self) -> Graph: ...

    @property
    def run(self) -> Run: ...

    @property
    def saved(self) -> tuple[tuple[Node, Saved], ...]: ...


class GraphPicture:
    """A graph that draws itself: as SVG in a notebook, as text elsewhere. `data` is what it shows.

    `depth` is how many levels of modules and scopes its pictures open; the text lists every node.
    Raises ValueError for a negative one.
    """

    def __init__(self, data: Graph, run: Run | None = None, depth: int | None = None) -> None:
        if depth is not None and depth < 0:
            raise ValueError(
                f"depth is how many levels of modules are opened: 0 or more, not {depth}"
            )
        self.data = data
        self.run = run
        self.depth = depth

    def to_dot(self) -> graphviz.Digraph:
        """The graph for the graphviz package: `.source`, `.render(...)` (which needs `dot`)."""
        return to_dot(self.data, self.run, depth=self.depth)

    def to_svg(self) -> str:
        """A standalone SVG file as text, for light and dark."""
        return graph_svg(self.data, self.run, depth=self.depth)

    def to_text(self) -> str:
        return graph_text(self.data, self.run)

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": self.to_text(), "image/svg+xml": self.to_svg()}


class VersionsPicture:
    """The life of some storages: who wrote them, and which saved values rely on them."""

    def __init__(self, storages: tuple[Storage, ...], graph: Graph | None = None) -> None:
        self.storages = storages
        self._graph = graph

    def to_svg(self) -> str:
        """A standalone SVG file as text: a timeline for each storage."""
        return versions_svg(self.storages, self._graph)

    def __repr__(self) -> str:
        return versions_text(self.storages, self._graph)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "image/svg+xml": self.to_svg()}


def text_of_session(session: SessionLike) -> str:
    graph, run = session.graph, session.run
    return f"{run_text(graph, run)}\n{graph_text(graph, run)}"


def svg_of_session(session: SessionLike) -> str:
    return graph_svg(session.graph, session.run)


def saved_lines(session: SessionLike) -> str:
    """Every saved tensor of a session with the node that keeps it, a line each."""
    lines = [f"{node_text(node)}: {saved_text(saved)}" for node, saved in session.saved]
    return "\n".join(lines) or "this graph saves no tensors"
