"""What a notebook shows without the live view: text and SVG of graphs, sessions and timelines.

Untrusted SVG is shown as an image by notebooks, so these pictures read well without interaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from vizgrad.debugger.drawing.describe import saved_text
from vizgrad.debugger.drawing.dot import to_dot
from vizgrad.debugger.drawing.headings import node_text
from vizgrad.debugger.drawing.picture import graph_svg
from vizgrad.debugger.drawing.text import graph_text
from vizgrad.debugger.drawing.text_run import run_text
from vizgrad.debugger.drawing.text_versions import versions_text
from vizgrad.debugger.drawing.timeline import versions_svg
from vizgrad.debugger.model import Graph, Node, Run, Saved, Storage

if TYPE_CHECKING:
    import graphviz  # pyright: ignore[reportMissingTypeStubs]  graphviz has none


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
