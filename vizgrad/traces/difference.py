"""What is different in another run of a program: on another dtype, device or commit, or with other weights.

Nodes of both are matched by what they are called and where in the model they were recorded, in the order of
recording: what was put in or left out shifts the others, as lines do in a diff of texts. Then the gradients
that arrived at each are compared, element by element where both are known, else by their norms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from html import escape
from math import hypot, inf, isfinite, isnan, nan
from typing import Any

from vizgrad.arrays import xp
from vizgrad.arrays.backend import to_host
from vizgrad.inspection import model
from vizgrad.inspection.comparing import Comparison, name_beside
from vizgrad.inspection.filing import File
from vizgrad.inspection.traced import Traced
from vizgrad.rendering.describe import plain
from vizgrad.traces.loading import shown_beside
from vizgrad.traces.page import export
from vizgrad.traces.saving import FromFile, save
from vizgrad.widgets.answers import most_differing
from vizgrad.widgets.filed import FiledBeside
from vizgrad.widgets.showing import show

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
    ) -> None:
        self.trace, self.other = traces
        self.titles = traces[0].title, traces[1].title
        self.nodes = nodes
        self.only_here, self.only_there = only_here, only_there
        self.tolerance = tolerance
        self.differing = tuple(
            n for n in nodes if n.relative is not None and n.relative > tolerance
        )
        self.first = self.differing[0] if self.differing else None

    @property
    def same(self) -> bool:
        """Are both of equal structure, and all gradients equal?"""
        return not (self.differing or self.only_here or self.only_there)

    def comparison(self, name: str) -> Comparison:
        """As a view shows it in the graph of the trace, where the other is called `name`: of nodes that were
        run here.
        """
        own = _Told(self.trace)
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
        return Comparison(
            tuple(found), None if self.first is None else self.first.node, ", ".join(parts)
        )

    def save(self, path: File, *, arrays: int = model.ARRAYS_FILED) -> Any:
        """Writes the trace with this comparison in it, as `Trace.save`: opened without a kernel, its graph
        shows how the other differs.
        """
        return save(self.trace, path, arrays=arrays, beside=self._beside())

    def export(self, path: File) -> Any:
        """Writes it as one page, as `Trace.export`."""
        return export(self.trace, path, beside=self._beside())

    def _beside(self) -> tuple[FiledBeside, ...]:
        name = name_beside(self.trace.title, self.other)
        told = self.comparison(name)
        most, total = most_differing(told), len(told.differences)
        recorded = len(self.other.records)
        return (FiledBeside(name, recorded, total, most, told.first, told.text),)

    def to_text(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield self._head()
        for side, alone in (("here", self.only_here), ("there", self.only_there)):
            for node in alone[:MOST_LINES]:
                yield f"  only {side}: {_called(node)}"
            if len(alone) > MOST_LINES:
                yield f"  ... and {len(alone) - MOST_LINES:,} more only {side}"
        for node in self.differing[:MOST_LINES]:
            yield f"  {_amount(node):>10}  {_name(node)} (node {_numbers(node)}){_what(node)}"
        if len(self.differing) > MOST_LINES:
            yield f"  ... and {len(self.differing) - MOST_LINES:,} more that differ"

    def _head(self) -> str:
        compared = sum(node.relative is not None for node in self.nodes)
        left = len(self.nodes) - compared
        beyond = self._beyond() + (f" ({left:,} not run on both sides)" if left else "")
        if self.same and not compared:
            return "same graph; no gradient of both is known, none was compared"
        if self.same:
            return f"no difference: {compared:,} nodes compared{beyond}"
        parts: list[str] = []
        if self.first is not None:
            parts.append(
                f"first difference at {_name(self.first)} (node {_numbers(self.first)}): "
                f"{_amount(self.first)}{_what(self.first)}; {len(self.differing):,} of {compared:,} "
                f"nodes differ{beyond}"
            )
        else:
            parts.append(f"gradients are equal at {compared:,} nodes{beyond}")
        alone = len(self.only_here), len(self.only_there)
        if any(alone):
            parts.append(f"{alone[0]:,} nodes only here, {alone[1]:,} only there")
        return "; ".join(parts)

    def _beyond(self) -> str:
        return f" by more than {self.tolerance:g}" if self.tolerance else ""

    def __repr__(self) -> str:
        return self.to_text()

    def _ipython_display_(self) -> None:
        from IPython.display import display

        if (shown := shown_beside(self)) is not None:
            show(shown)
        display({"text/plain": self.to_text(), "text/html": self._repr_html_()}, raw=True)

    def _repr_html_(self) -> str:
        rows = [
            f"<tr><td>{_safe(_name(n))}</td><td>{_numbers(n)}</td><td>{escape(_amount(n))}</td>"
            f'<td><meter min="0" max="1" value="{_share(n):.3f}"></meter></td><td>{_safe(n.what)}</td></tr>'
            for n in self.differing[:MOST_LINES]
        ]
        for side, alone in (("here", self.only_here), ("there", self.only_there)):
            rows += [
                f"<tr><td>{_safe(_called(node))}</td><td></td><td></td><td></td><td>only {side}</td></tr>"
                for node in alone[:MOST_LINES]
            ]
        head = "<tr><th>node</th><th>here, there</th><th>relative difference</th><th></th><th></th></tr>"
        left = len(self.differing) + len(self.only_here) + len(self.only_there) - len(rows)
        table = f"<table>{head}{''.join(rows)}</table>" if rows else ""
        more = f"<p>... and {left:,} more</p>" if left > 0 else ""
        return f"<p>{_safe(self._head())}</p>{table}{more}"


def _safe(text: str) -> str:
    return escape(plain(text))


def _called(node: model.Node) -> str:
    return f"{plain(node.name)}{' ' if node.label else ''}{plain(node.label)} (node {node.id})"


def _name(node: NodeDiff) -> str:
    return f"{plain(node.name)}{' ' if node.label else ''}{plain(node.label)}"


def _numbers(node: NodeDiff) -> str:
    return str(node.node) if node.node == node.other else f"{node.node}, {node.other} there"


def _amount(node: NodeDiff) -> str:
    assert node.relative is not None
    return "wholly" if node.relative == inf else f"{node.relative:.3g}"


def _what(node: NodeDiff) -> str:
    return f", {node.what}" if node.what else ""


def _share(node: NodeDiff) -> float:
    return min(node.relative or 0.0, 1.0)


def diff(trace: model.Trace, other: Any, tolerance: float = 0.0) -> TraceDiff:
    """See `model.Trace.diff`. TypeError for what has no trace."""
    there = trace_of(other)
    pairs = dict(_matched(trace.graph, there.graph))
    partners = set(pairs.values())
    own, its = _Told(trace), _Told(there)
    order = [n for n in dict.fromkeys((*own.order, *range(len(trace.graph.nodes)))) if n in pairs]
    nodes: list[NodeDiff] = []
    for number in order:
        node = trace.graph.nodes[number]
        relative, what = _compared(own.grads(number), its.grads(pairs[number]))
        norms = own.norm(number), its.norm(pairs[number])
        nodes.append(NodeDiff(number, pairs[number], node.name, node.label, relative, what, norms))
    return TraceDiff(
        (trace, there),
        tuple(nodes),
        tuple(n for n in trace.graph.nodes if n.id not in pairs),
        tuple(n for n in there.graph.nodes if n.id not in partners),
        tolerance,
    )


def trace_of(other: Any) -> model.Trace:
    """Of a trace, a recording or a session; TypeError for anything else."""
    there = other if isinstance(other, model.Trace) else getattr(other, "trace", None)
    if not isinstance(there, model.Trace):
        raise TypeError(
            f"diff compares with a trace, a recording or a session, not with {type(other).__name__}"
        )
    return there


def _matched(here: model.Graph, there: model.Graph) -> Iterator[tuple[int, int]]:
    """Operations and leaves by themselves: leaves have their own order."""
    for leaves in (False, True):
        a = [n for n in here.nodes if (n.kind == "leaf") is leaves]
        b = [n for n in there.nodes if (n.kind == "leaf") is leaves]
        matcher = SequenceMatcher(None, list(map(_key, a)), list(map(_key, b)), autojunk=False)
        for first, other, size in matcher.get_matching_blocks():
            for i in range(size):
                yield a[first + i].id, b[other + i].id


def _key(node: model.Node) -> tuple[Any, ...]:
    return node.name, node.label, node.scope, len(node.edges)


class _Told:
    """What a trace says of gradients."""

    def __init__(self, trace: model.Trace) -> None:
        self._visits = {visit.node: visit for visit in trace.visits}
        self.order = tuple(self._visits)
        self._arrays: Mapping[model.ArrayName, Any] = {}
        if isinstance(trace, FromFile):
            self._arrays = trace.values
        elif isinstance(trace, Traced):
            self._arrays = dict(trace.arrays())

    def norm(self, node: int) -> float | None:
        """Of all that arrived; None if nothing did."""
        visit = self._visits.get(node)
        told = () if visit is None else visit.incoming
        norms = [summary.norm for summary in told if summary is not None]
        known = [norm for norm in norms if norm is not None]
        if not known:
            return None
        return nan if any(map(isnan, known)) else hypot(*known)

    def grads(self, node: int) -> Mapping[str, tuple[Any, model.TensorSummary | None]]:
        """What arrived, and a leaf's `.grad` after it, by name: array or None, and numbers about it."""
        visit = self._visits.get(node)
        if visit is None:
            return {}
        found = {
            f"gradient {nr}" if len(visit.incoming) > 1 else "": (
                self._arrays.get(model.ArrayName(node, "incoming", nr)),
                summary,
            )
            for nr, summary in enumerate(visit.incoming)
        }
        if visit.accumulate is not None:
            after = self._arrays.get(model.ArrayName(node, "grad_after"))
            found[".grad"] = after, visit.accumulate.after
        return found


def _compared(
    here: Mapping[str, tuple[Any, model.TensorSummary | None]],
    there: Mapping[str, tuple[Any, model.TensorSummary | None]],
) -> tuple[float | None, str]:
    worst: tuple[float | None, str] = None, ""
    for slot, (array, summary) in here.items():
        if slot not in there:
            continue
        relative, what = _of_one(array, summary, *there[slot])
        if relative is not None and (worst[0] is None or relative > worst[0]):
            worst = relative, ", ".join(filter(None, (slot, what)))
    return worst


def _of_one(
    a: Any, told: model.TensorSummary | None, b: Any, its: model.TensorSummary | None
) -> tuple[float | None, str]:
    if told is None or its is None:
        return (0.0, "") if told is its else (inf, "undefined on one side")
    if told.shape != its.shape:
        return inf, f"shape {list(told.shape)} here, {list(its.shape)} there"
    if a is not None and b is not None:
        return _of_arrays(to_host(a), to_host(b))
    if told.norm is None or its.norm is None:
        return None, ""
    if not (isfinite(told.norm) and isfinite(its.norm)):
        same = told.norm == its.norm or (isnan(told.norm) and isnan(its.norm))
        return (0.0, "") if same else (inf, f"norm {told.norm:g} here, {its.norm:g} there")
    return _relative(abs(told.norm - its.norm), told.norm), "by norms"


def _of_arrays(a: Any, b: Any) -> tuple[float, str]:
    kind = xp.complex128 if "c" in (a.dtype.kind, b.dtype.kind) else xp.float64
    a, b = a.astype(kind), b.astype(kind)
    odd = ~(xp.isfinite(a) & xp.isfinite(b))
    same = (a == b) | (xp.isnan(a) & xp.isnan(b))
    if bool(xp.any(odd & ~same)):
        count = int(xp.count_nonzero(odd & ~same))
        return inf, f"{count} of {a.size} not finite on one side"
    off = xp.where(same, 0, a - b)
    here = float(xp.linalg.norm(xp.where(odd, 0, a).reshape(-1)))
    return _relative(float(xp.linalg.norm(off.reshape(-1))), here), ""


def _relative(off: float, here: float) -> float:
    if off == 0:
        return 0.0
    return off / here if here else inf
