"""The differences in another run of a program: on another dtype, device or commit, or with other weights.

Nodes of both are matched by what they are called and where in the model they were recorded, in the order of
recording: what was put in or left out shifts the others, as lines do in a diff of texts. Then the gradients
that arrived at each are compared, element by element where both are known, else by their norms.

Two losses side by side: the backward of each is run, and what arrived at their nodes compared.

Nothing of it stays: `.grad` is taken back, and both graphs can be run as before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from math import inf, isfinite, prod
from typing import Any

from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays.dtypes import finfo
from vizgrad.debugger import model
from vizgrad.debugger.drawing.describe import place_text, plain
from vizgrad.debugger.drawing.static import Beside, graph_svg
from vizgrad.debugger.engines.api import summarizer
from vizgrad.debugger.engines.api.openers import known_types, open_backward
from vizgrad.debugger.engines.api.protocols import Backward, GraphSource
from vizgrad.debugger.jupyter.widget.commtarget import run_by_program
from vizgrad.debugger.jupyter.widget.query_answers import most_differing
from vizgrad.debugger.jupyter.widget.showing import show
from vizgrad.debugger.jupyter.widget.trace_contents import FiledBeside
from vizgrad.debugger.model.arrays import count_of
from vizgrad.debugger.model.trace import File
from vizgrad.debugger.session.breakpoints.breakpoints import Breakpoints
from vizgrad.debugger.session.history.branches import Branches, Comparison, name_beside
from vizgrad.debugger.session.history.history import History, quarter_of_free
from vizgrad.debugger.session.open_session import Live, Traced
from vizgrad.debugger.session.opening import Cell, Opening
from vizgrad.debugger.session.registry import succeeding
from vizgrad.debugger.traces.files import FromFile, export, save, shown_beside
from vizgrad.debugger.traces.matching import Gradients, apart, matched

# --- rounding bounds -------------------------------------------------------------------------------------
# How far apart two runs may be by their number types alone.
#
# Every operation rounds, and errors add up on the way. Not only the type counts: where gradients
# cancel (the bias before a normalisation gets a sum that is zero but for rounding) the error is as large
# as that of what was summed. So a difference is measured against what the gradient was made of, if that
# is larger.


#: The part of a type's digits that must agree. The allowance for rounding, and for other
#: orders of sums, was enough for models of a hundred operations on both engines
#: (`tests/traces/test_rounding.py`).
DIGITS = 2 / 3
#: Parts of names of nodes that take an average off: what they send on may be what is left of a difference.
_CANCELLING = ("Norm", "Softmax", "Std", "Var")


def coarsest(*graphs: model.Graph) -> str:
    """The floating type with the fewest digits of those that gradients have; empty if there is none."""
    names = {out.dtype for graph in graphs for node in graph.nodes for out in node.outputs}
    known = {name: found for name in names if (found := _eps(name))}
    return max(known, key=known.__getitem__, default="")


def tolerance_of(dtype: str) -> float:
    """The relative difference that numbers of a type explain."""
    return _eps(dtype) ** DIGITS


def _eps(name: str) -> float:
    found = getattr(dtypes, name, None)
    if not isinstance(found, dtypes.DType) or found.category < 2:
        return 0.0
    return finfo(found).eps


def sizes(trace: model.Trace) -> dict[int, float]:
    """By node: the norm of what the gradient that arrived there was made of."""
    found: dict[int, float] = {}
    for visit in trace.visits:
        came, made_of = _norm(visit.incoming), found.get(visit.node, 0.0)
        cancelling = any(part in trace.graph.nodes[visit.node].name for part in _CANCELLING)
        for routed in visit.routed:
            sent, target = routed.routed, routed.edge.node
            if sent is None or target is None:
                continue
            size = _norm((sent,))
            if cancelling or prod(sent.shape) < _elements(visit.incoming):
                size = max(size, came)
            size = size * max(made_of / came, 1.0) if came else made_of
            if isfinite(size):
                found[target] = max(found.get(target, 0.0), size)
    return found


def _norm(summaries: tuple[model.TensorSummary | None, ...]) -> float:
    return max((s.norm for s in summaries if s is not None and s.norm is not None), default=0.0)


def _elements(summaries: tuple[model.TensorSummary | None, ...]) -> int:
    return max((prod(s.shape) for s in summaries if s is not None), default=0)


# --- forward difference ----------------------------------------------------------------------------------
# Where two forward passes part: at the first value that nodes of both have saved and that differs.


#: By node: what it has saved, by name: an array with numbers about it, or what is no tensor, as text.
Saves = Mapping[int, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class SavedDiff:
    """The value that node `node` here has saved as `name` differs by `relative` from that of its
    partner `other`.
    """

    node: int
    other: int
    name: str
    relative: float
    what: str = ""


def saves_of(source: GraphSource) -> Saves:
    """All that can be read. Nothing is unpacked, copied or run."""
    found: dict[int, dict[str, Any]] = {}
    for node in range(source.inner):
        known: dict[str, Any] = {}
        for saved in source.saved(node):
            if saved.value:
                known[saved.name] = saved.value
            elif saved.state == "alive" and (value := source.value(node, saved.name)) is not None:
                try:
                    known[saved.name] = summarizer.array_of(value), summarizer.summarize(value)
                except TypeError:  # what has no elements to go through
                    continue
        found[node] = known
    return found


def first_apart(
    here: Saves, there: Saves, pairs: Mapping[int, int], tolerance: float
) -> SavedDiff | None:
    """The first that differs by more. A value that only one engine saves is not compared."""
    for node in sorted(here.keys() & pairs.keys(), reverse=True):
        its = there.get(pairs[node], {})
        for name, value in here[node].items():
            if name in its and type(its[name]) is type(value):
                relative, what = _apart(value, its[name])
                if relative is not None and relative > tolerance:
                    return SavedDiff(node, pairs[node], name, relative, what)
    return None


def _apart(value: Any, other: Any) -> tuple[float | None, str]:
    if not isinstance(value, str):
        return apart({"": value}, {"": other})
    try:
        a, b = _number(value), _number(other)
    except ValueError:  # words of each engine's own
        return None, ""
    return abs(a - b) / (abs(a) or 1.0), f"{value} here, {other} there"


def _number(text: str) -> float:
    """ValueError for other words. PyTorch says some of its whole numbers as if they had no sign."""
    if not text.isdecimal():
        return float(text)
    number = int(text)
    return float(number - 2**64 if number >= 2**63 else number)


# --- difference ------------------------------------------------------------------------------------------


#: Lines of the text and rows of the table, of what differs and of what is on one side only.
MOST_LINES = 20


@dataclass(frozen=True, slots=True)
class NodeDiff:
    """Node `node` here and `other` there. `relative` is the largest difference of what arrived at it (and
    of a leaf's `.grad`), relative to its norm here: 0: none; None: nothing to compare; inf: one is not
    defined, not finite where the other is, or of another shape. `what` says so. `norms` are of what arrived
    here and there (None: nothing did).
    """

    node: int
    other: int
    name: str
    label: str
    relative: float | None
    what: str = ""
    norms: tuple[float | None, float | None] = (None, None)


class TraceDiff:
    """`nodes` are matched pairs in the order in which they ran, `first` the first of them that differs (None:
    none); `only_here` and `only_there` have no partner. Prints itself; a notebook shows the view of the trace
    with the other beside it, and a table.
    """

    def __init__(
        self,
        traces: tuple[model.Trace, model.Trace],
        nodes: tuple[NodeDiff, ...],
        only_here: tuple[model.Node, ...],
        only_there: tuple[model.Node, ...],
        tolerance: float,
        dtype: str = "",
    ) -> None:
        """`dtype`: the type that `tolerance` is what it explains."""
        self.trace, self.other = traces
        self.titles = traces[0].title, traces[1].title
        #: By side and node: the index of its step.
        self._order = {
            side: {visit.node: visit.index for visit in trace.visits}
            for side, trace in zip(("here", "there"), traces, strict=True)
        }
        self.nodes = nodes
        self.only_here, self.only_there = only_here, only_there
        self.tolerance = tolerance
        self._dtype = dtype
        self.asked = None if dtype else tolerance
        self.differing = tuple(
            n for n in nodes if n.relative is not None and n.relative > tolerance
        )
        self.first = self.differing[0] if self.differing else None
        #: The first saved value that differs, in the order of the forward pass. `vizgrad.compare` looks for
        #: it where gradients differ.
        self.forward: SavedDiff | None = None

    @property
    def same(self) -> bool:
        """Are both of equal structure, and all gradients equal?"""
        return not (self.differing or self.only_here or self.only_there)

    def comparison(self, name: str) -> Comparison:
        """As a view shows it in the graph of the trace, where the other is called `name`: of nodes that were
        run here.
        """
        own = Gradients(self.trace)
        run = frozenset(own.order)
        found = [
            model.Difference(n.node, n.relative, *n.norms, n.what)
            for n in self.nodes
            if n.node in run
        ]
        found += [
            model.Difference(node.id, None, norm, None)
            for node in self.only_here
            if (norm := own.norm(node.id)) is not None
        ]
        parts = [
            f"{len(alone):,} node{'' if len(alone) == 1 else 's'} {where}"
            for alone, where in (
                (self.only_here, "only here"),
                (self.only_there, f"only in {name}"),
            )
            if alone
        ]
        if self._dtype:
            parts.append(f"{plain(self._dtype)} explains differences up to {self.tolerance:.2g}")
        return Comparison(
            tuple(found), None if self.first is None else self.first.node, ", ".join(parts)
        )

    def save(self, path: File, *, full: bool = False, arrays: int | None = None) -> Any:
        """Writes the trace with this comparison in it, as `Trace.save`: opened without a kernel, its graph
        shows how the other differs.
        """
        return save(self.trace, path, full=full, arrays=arrays, beside=self._beside())

    def export(self, path: File, *, full: bool = False) -> Any:
        """Writes it as one page, as `Trace.export`."""
        return export(self.trace, path, full=full, beside=self._beside())

    def _beside(self) -> tuple[FiledBeside, ...]:
        name = name_beside(self.trace.title, self.other)
        told = self.comparison(name)
        most, total = most_differing(told), len(told.differences)
        recorded = len(self.other.records)
        return (FiledBeside(name, recorded, total, most, told.first, told.text),)

    def to_text(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield from self._heads()
        for side, alone in (("here", self.only_here), ("there", self.only_there)):
            for node in alone[:MOST_LINES]:
                number = self._number(node.id, side)
                yield f"  only {side}: {_name(node)}{f' ({number})' if number else ''}"
            if len(alone) > MOST_LINES:
                yield f"  ... and {len(alone) - MOST_LINES:,} more only {side}"
        for node in self.differing[:MOST_LINES]:
            yield f"  {_amount(node):>10}  {_name(node)}{self._ran(node)}{_what(node)}"
        if len(self.differing) > MOST_LINES:
            yield f"  ... and {len(self.differing) - MOST_LINES:,} more that differ"

    def _heads(self) -> Iterator[str]:
        yield self._head()
        if self.forward is not None:
            yield self._forward(self.forward)

    def _head(self) -> str:
        compared = sum(node.relative is not None for node in self.nodes)
        left = len(self.nodes) - compared
        beyond, unrun = self._beyond(), f" ({left:,} not run on both sides)" if left else ""
        if self.same and not compared:
            return "same graph; no gradient of both is known, none was compared"
        if self.same:
            return f"no difference{beyond}: {compared:,} nodes compared{unrun}"
        parts: list[str] = []
        alone = len(self.only_here), len(self.only_there)
        apart = f"{count_of(alone[0], 'node')} only here, {alone[1]:,} only there"
        if self.first is not None:
            parts += self._leaves()
            parts.append(
                f"first difference at {_name(self.first)}{self._ran(self.first)}: "
                f"{_amount(self.first)}{_what(self.first)}{self._before()}; {len(self.differing):,} of "
                f"{compared:,} nodes differ{beyond}{unrun}"
            )
            parts += [apart] * any(alone)
        else:
            parts.append(f"the graphs differ: {apart}")
            parts.append(f"no difference{beyond} at the {compared:,} nodes of both{unrun}")
        return "; ".join(parts)

    def _leaves(self) -> Iterator[str]:
        """That all leaves have equal gradients, if they have: then an optimizer sees no difference."""
        nodes = self.trace.graph.nodes
        leaves = [
            each
            for each in self.nodes
            if nodes[each.node].kind == "leaf" and each.relative is not None
        ]
        alone = any(node.kind == "leaf" for node in (*self.only_here, *self.only_there))
        if leaves and not alone and not any(leaf in self.differing for leaf in leaves):
            yield f"no gradient of a leaf differs ({len(leaves):,} compared)"

    def _beyond(self) -> str:
        if self._dtype:
            return f" by more than {self.tolerance:.2g}, which {plain(self._dtype)} explains"
        return f" by more than {self.tolerance:g}" if self.tolerance else ""

    def _numbers(self, node: NodeDiff | SavedDiff) -> str:
        here, there = self._number(node.node, "here"), self._number(node.other, "there")
        return here if there in ("", here) else f"{here}, {there} there".removeprefix(", ")

    def _number(self, node: int, side: str) -> str:
        """The number of its step, from 1, as in a view; empty where it has not run."""
        index = self._order[side].get(node)
        return "" if index is None else f"#{index + 1:,}"

    def _ran(self, node: NodeDiff | SavedDiff) -> str:
        numbers = self._numbers(node)
        return f" ({numbers})" if numbers else ""

    def _forward(self, found: SavedDiff) -> str:
        node = self.trace.graph.nodes[found.node]
        amount = f", by {found.relative:.2g}" if found.relative != inf else ""
        return (
            f"forward: the first value that differs is `{plain(found.name)}`, saved by "
            f"{_name(node)}{self._ran(found)}{_where(node)}{amount}{_what(found)}"
        )

    @property
    def made_by(self) -> tuple[NodeDiff, ...]:
        """The nodes that sent what differs first, with what had arrived at each; empty where the backward
        begins with it, and of nodes without a partner.
        """
        if self.first is None:
            return ()
        known = {node.node: node for node in self.nodes}
        return tuple(known[n] for n in self._senders(self.first.node) if n in known)

    def _senders(self, node: int) -> tuple[int, ...]:
        return tuple(dict.fromkeys(
            visit.node for visit in self.trace.visits for r in visit.routed if r.edge.node == node
        ))  # fmt: skip

    def _before(self) -> str:
        """Who made what differs first."""
        assert self.first is not None
        senders = self._senders(self.first.node)
        if not senders:
            return ", with which the backward begins"
        known, nodes = self.made_by, self.trace.graph.nodes
        names = ", ".join(f"{_name(nodes[n])}{_where(nodes[n])}" for n in senders[:3])
        more = f" and {len(senders) - 3:,} more" if len(senders) > 3 else ""
        if len(known) < len(senders):
            return f", made by {names}{more}, of which not all have a partner there"
        worst = max(node.relative or 0.0 for node in known)
        given = "the same gradient" if worst == 0 else f"gradients that are {worst:.2g} apart"
        grown = worst > self.tolerance / 10 and worst > 0
        return f", made by {names}{more} from {given}" + (
            ": the difference grew little by little" if grown else ""
        )

    def __repr__(self) -> str:
        return self.to_text()

    def _ipython_display_(self) -> None:
        from IPython.display import display

        told = {"text/plain": self.to_text(), "text/html": self._repr_html_()}
        if not run_by_program() and (shown := shown_beside(self)) is not None:
            show(shown)
        elif self.trace.records:  # nobody is there who could step it
            told["text/html"] = f"{self.to_svg()}{told['text/html']}"
        display(told, raw=True)

    def to_svg(self, *, depth: int | None = None) -> str:
        """A standalone SVG file as text: the graph of the trace, coloured by how far the other is from it.

        `depth` is how many levels of groups are opened (`vizgrad.graph`).
        """
        told = self.comparison(name_beside(self.trace.title, self.other))
        found = {each.node: each for each in told.differences}
        lines = (part for head in self._heads() for part in head.split("; "))
        beside = Beside(found, tuple(plain(line, 160) for line in lines))
        return graph_svg(self.trace.graph, depth=depth, beside=beside)

    def _repr_html_(self) -> str:
        rows = [
            f"<tr><td>{_safe(_name(n))}</td><td>{self._numbers(n)}</td><td>{escape(_amount(n))}</td>"
            f'<td><meter min="0" max="1" value="{_share(n):.3f}"></meter></td><td>{_safe(n.what)}</td></tr>'
            for n in self.differing[:MOST_LINES]
        ]
        for side, alone in (("here", self.only_here), ("there", self.only_there)):
            rows += [
                f"<tr><td>{_safe(_name(node))}</td><td>{self._number(node.id, side)}</td>"
                f"<td></td><td></td><td>only {side}</td></tr>"
                for node in alone[:MOST_LINES]
            ]
        head = "<tr><th>node</th><th>here, there</th><th>relative difference</th><th></th><th></th></tr>"
        left = len(self.differing) + len(self.only_here) + len(self.only_there) - len(rows)
        table = f"<table>{head}{''.join(rows)}</table>" if rows else ""
        more = f"<p>... and {left:,} more</p>" if left > 0 else ""
        heads = "".join(f"<p>{_safe(head)}</p>" for head in self._heads())
        return f"{heads}{table}{more}"


def _safe(text: str) -> str:
    return escape(plain(text))


def _name(node: NodeDiff | model.Node) -> str:
    return f"{plain(node.name)}{' ' if node.label else ''}{plain(node.label)}"


def _where(node: model.Node) -> str:
    """The line that recorded it, if that is known."""
    return f" ({place_text(node.place)})" if node.place is not None else ""


def _amount(node: NodeDiff) -> str:
    assert node.relative is not None
    return "wholly" if node.relative == inf else f"{node.relative:.3g}"


def _what(node: NodeDiff | SavedDiff) -> str:
    return f", {node.what}" if node.what else ""


def _share(node: NodeDiff) -> float:
    return min(node.relative or 0.0, 1.0)


def diff(trace: model.Trace, other: Any, tolerance: float | None = 0.0) -> TraceDiff:
    """See `model.Trace.diff`. TypeError for what has no trace."""
    there = trace_of(other)
    dtype = coarsest(trace.graph, there.graph) if tolerance is None else ""
    measures = sizes(trace) if tolerance is None else {}
    allowed = tolerance_of(dtype) if tolerance is None else tolerance
    pairs = matched(trace.graph, there.graph)
    partners = set(pairs.values())
    own, its = Gradients(trace), Gradients(there)
    order = [n for n in dict.fromkeys((*own.order, *range(len(trace.graph.nodes)))) if n in pairs]
    nodes: list[NodeDiff] = []
    for number in order:
        node, beside = trace.graph.nodes[number], pairs[number]
        every = tolerance is not None  # what was in `.grad` before is not of this program
        got = own.of(number, accumulated=every), its.of(beside, accumulated=every)
        relative, what = apart(*got)
        if relative is not None and relative > allowed and number in measures:
            measured = apart(*got, measures[number])
            if measured[0] is not None and measured[0] <= allowed:
                relative, what = measured
        norms = own.norm(number), its.norm(beside)
        nodes.append(NodeDiff(number, beside, node.name, node.label, relative, what, norms))
    return TraceDiff(
        (trace, there),
        tuple(nodes),
        tuple(n for n in trace.graph.nodes if n.id not in pairs),
        tuple(n for n in there.graph.nodes if n.id not in partners),
        allowed,
        dtype,
    )


def trace_of(other: Any) -> model.Trace:
    """The trace of a trace, a recording or a session; TypeError for anything else."""
    there = other if isinstance(other, model.Trace) else getattr(other, "trace", None)
    if not isinstance(there, model.Trace):
        raise TypeError(
            f"diff compares with a trace, a recording or a session, not with {type(other).__name__}"
        )
    return there


# Two losses side by side: the backward of each is run, and what arrived at their nodes compared.


def side_by_side(a: Any, b: Any, tolerance: float | None, names: Mapping[int, str]) -> TraceDiff:
    """See `vizgrad.compare`. `names`: id of a tensor -> what the person calls it."""
    here, saved = _trace(a, names, "the first")
    there, its = _trace(b, names, "the second")
    found = diff(here, there, tolerance)
    if found.first is not None:
        pairs = {node.node: node.other for node in found.nodes}
        found.forward = first_apart(saved, its, pairs, found.tolerance)
    return found


def _trace(loss: Any, names: Mapping[int, str], which: str) -> tuple[model.Trace, Saves]:
    """For a loss also the values that its nodes have saved."""
    if isinstance(loss, model.Trace) or isinstance(getattr(loss, "trace", None), model.Trace):
        return trace_of(loss), {}
    several = loss if isinstance(loss, list | tuple) else (loss,)
    if not all(isinstance(each, known_types()) for each in several) or not several:
        raise TypeError(
            f"compare takes a loss, several in a list, or what has a trace (a session, a recording); {which} "
            f"is {type(loss).__name__}"
        )
    try:
        saved: dict[int, Any] = {}
        return traced(loss, names, saved=saved), saved
    except BaseException as error:
        error.add_note(f"while {which} of two losses was run, to compare them")
        raise


def traced(
    loss: Any,
    names: Mapping[int, str],
    *,
    gradient: Any = None,
    saved: dict[int, Any] | None = None,
) -> FromFile:
    """The trace of one backward, which is run and taken back. `saved` gets what its nodes have saved,
    as `saves_of`.

    Raises what the backward raises.
    """
    with succeeding(Opening.of(loss, Cell(), retains=True)):
        options = {
            "gradient": gradient,
            "retain_graph": True,
            "names": names,
            "title": names.get(id(loss), ""),
            "keep": quarter_of_free(),
        }
        backward = open_backward(loss, options)
        try:
            if saved is not None:
                saved.update(saves_of(backward.source))
            return _run(backward)
        finally:
            backward.source.close()


def _run(backward: Backward) -> FromFile:
    """All of it, with its gradients; then it is taken back."""
    history = History(backward.run, quarter_of_free())
    try:
        with history.moving():
            while not history.at_end:
                history.forward()
        live = Live(backward, Branches(history), Breakpoints(backward.source))
        trace: Traced = live.trace()
        # Whole before the steps let go of what it reads from.
        return FromFile(trace, dict(trace.arrays()), tuple(trace.births()))
    finally:
        try:
            history.seek(history.earliest, _on)
        finally:
            history.close()


def _on(steps: int = 1) -> None:
    """Nothing is to be done between two steps."""
