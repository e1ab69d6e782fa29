"""Two programs give their parameters the same gradients: asserted over what `vizgrad.compare` finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.debugger import model
from vizgrad.debugger.drawing.describe import place_text, plain
from vizgrad.debugger.engines.api import summarizer
from vizgrad.debugger.engines.api.openers import known_types
from vizgrad.debugger.engines.common.variable_names import Names, names_around
from vizgrad.debugger.engines.vizgrad import opener as opener  # registers vizgrad's own
from vizgrad.debugger.traces.difference import (
    TraceDiff,
    coarsest,
    side_by_side,
    sizes,
    tolerance_of,
    traced,
)
from vizgrad.debugger.traces.matching import Got, Gradients, apart
from vizgrad.testing.elements import mismatch, wide
from vizgrad.testing.leaf_pairs import leaf_pairs

#: Leaves that are written out, and nodes of one side alone.
_MOST = 10

Message = str | Callable[[str], str] | None


def assert_same_gradients(
    a: Any, b: Any, *, rtol: float | None = None, atol: float | None = None, msg: Message = None
) -> None:
    """Asserts that the backward of two losses gives the same gradient to each leaf.

    `a` and `b` are losses of the same program, of vizgrad or PyTorch, as in `vizgrad.compare`: a scalar
    tensor, several in a list, or what has a trace. One of them may be a mapping of the gradients of a port to
    another framework: from a leaf, or its name (a variable's, or a parameter's in its module), to an array of
    its shape.

    Without tolerances, gradients may differ by what their coarser number type explains, relative to their
    norm. With `rtol` and `atol`, which are given together, each element may differ by
    ``atol + rtol * |b|``. NaN equals NaN. Only leaves decide: inner nodes may be others. Both backwards are
    run, and taken back: `.grad` is as before.

    Raises AssertionError that names the first node that differs, with its line on both sides where lines are
    known, and the leaves; `msg` replaces the text, or is called with it. ValueError for one tolerance alone,
    TypeError for what is no loss, KeyError for a name of no leaf, and what the backwards raise.
    """
    if (rtol is None) != (atol is None):
        missing = "rtol" if rtol is None else "atol"
        raise ValueError(f"rtol and atol are given together, or not at all; {missing} is missing")
    limit = None if rtol is None or atol is None else (rtol, atol)
    names = names_around(kinds=known_types())
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        raise TypeError(
            "assert_same_gradients compares with a loss, but got two mappings of arrays"
        )
    if isinstance(a, Mapping) or isinstance(b, Mapping):
        told = _beside_arrays(a, b, names, limit)
    else:
        told = _beside_loss(side_by_side(a, b, None, names), limit)
    if told is not None:
        raise AssertionError(msg(told) if callable(msg) else msg or told)


# --- two losses ------------------------------------------------------------------------------------------


def _beside_loss(found: TraceDiff, limit: tuple[float, float] | None) -> str | None:
    """In words how gradients of leaves differ; None: they do not."""
    here, there = found.trace.graph.nodes, found.other.graph.nodes
    judged = _Judged(found, limit)
    matched = {pair.node: pair.other for pair in found.nodes}
    leaves = leaf_pairs(found.trace.graph, found.other.graph, matched)
    alone = [
        *_alone("a", here, leaves, Gradients(found.trace)),
        *_alone("b", there, leaves.values(), Gradients(found.other)),
    ]
    wrong = {node: how for node, other in leaves.items() if (how := judged.differs(node, other))}
    if not (wrong or alone):
        if any(judged.known(node, other) for node, other in leaves.items()):
            return None
        return "No gradient was compared: no leaf of both losses got one"
    lines = ["Gradients are not close!", ""]
    order = [n for n in found.nodes if here[n.node].kind != "leaf"]
    first = next((n for n in order if judged.differs(n.node, n.other)), None)
    if first is not None:
        lines += _first(found, first.node, matched, judged.differs(first.node, first.other))
    elif wrong:
        node = next(n for n in (*Gradients(found.trace).order, *wrong) if n in wrong)
        lines += _first(found, node, leaves, wrong[node])
    if found.forward is not None:
        saved = found.forward
        lines.append(
            f"The forward passes part before: `{plain(saved.name)}`, saved by {_called(here[saved.node])}"
        )
        lines += _both(here[saved.node], there[saved.other])
    lines += alone[:_MOST]
    if wrong:
        lines.append(_count(len(wrong), len(leaves)))
        lines += [f"  {_leaf(here[node])}: {how}" for node, how in list(wrong.items())[:_MOST]]
        lines += [f"  ... and {len(wrong) - _MOST:,} more"] * (len(wrong) > _MOST)
    return "\n".join(lines)


class _Judged:
    """How far the gradients of two nodes may be apart: by the elements, or as `compare` says."""

    def __init__(self, found: TraceDiff, limit: tuple[float, float] | None) -> None:
        self._tolerance, self._limit = found.tolerance, limit
        self._here, self._there = Gradients(found.trace), Gradients(found.other)
        self._relative = {(n.node, n.other): (n.relative, n.what) for n in found.nodes}
        self._sizes = sizes(found.trace)

    def differs(self, node: int, other: int) -> str:
        """In words; empty: they do not differ, or nothing is known of one of them."""
        if self._limit is None:
            relative, what = self._apart(node, other)
            if relative is None or relative <= self._tolerance:
                return ""
            return what or _by_norm(relative, self._tolerance)
        own, its = self._both(node, other)
        said = (_apart(own[slot], its[slot], self._limit) for slot in own if slot in its)
        return next(filter(None, said), "")

    def known(self, node: int, other: int) -> bool:
        """Was there something to compare?"""
        return self._apart(node, other)[0] is not None

    def _both(self, node: int, other: int) -> tuple[Mapping[str, Got], Mapping[str, Got]]:
        return (
            self._here.of(node, accumulated=False),
            self._there.of(other, accumulated=False),
        )

    def _apart(self, node: int, other: int) -> tuple[float | None, str]:
        if (node, other) not in self._relative:
            size = self._sizes.get(node, 0.0)
            self._relative[node, other] = apart(*self._both(node, other), size)
        return self._relative[node, other]


def _by_norm(relative: float, tolerance: float) -> str:
    return f"by {relative:.3g} of its norm ({tolerance:.2g} allowed)"


def _apart(here: Got, there: Got, limit: tuple[float, float]) -> str:
    (a, told), (b, its) = here, there
    if told is None or its is None:
        return "" if told is its else "undefined on one side"
    if told.shape != its.shape:
        return f"shape {list(told.shape)} here, {list(its.shape)} there"
    rtol, atol = limit
    if a is not None and b is not None:
        found = mismatch(a, b, rtol, atol, equal_nan=True)
        return "" if found is None else found.brief()
    if told.norm is None or its.norm is None or told.norm == its.norm:
        return ""
    both = isnan(told.norm) and isnan(its.norm)
    close = both or abs(told.norm - its.norm) <= atol + rtol * abs(its.norm)
    return "" if close else f"norm {told.norm:g} here, {its.norm:g} there (elements were not kept)"


def _first(found: TraceDiff, first: int, pairs: Mapping[int, int], how: str) -> Iterator[str]:
    """The node at which the backwards part, who made its gradient, and the lines of both."""
    here, there = found.trace.graph.nodes, found.other.graph.nodes
    yield f"First difference: the gradient of {_called(here[first])}: {how}"
    yield from _both(here[first], there[pairs[first]])
    yield from _makers("a", found.trace, first)
    yield from _makers("b", found.other, pairs[first])
    alone = len(found.only_here), len(found.only_there)
    if any(alone):
        yield f"{alone[0]:,} nodes only in a, {alone[1]:,} only in b"


def _makers(side: str, trace: model.Trace, node: int) -> Iterator[str]:
    senders = dict.fromkeys(
        visit.node for visit in trace.visits for r in visit.routed if r.edge.node == node
    )
    for sender in list(senders)[:3]:
        yield f"  made in {side} by {_called(trace.graph.nodes[sender])}{_line(trace.graph.nodes[sender])}"


def _line(node: model.Node) -> str:
    return f", {place_text(node.place)}: {plain(node.place.text)}" if node.place is not None else ""


def _both(here: model.Node, there: model.Node) -> Iterator[str]:
    for side, node in (("a", here), ("b", there)):
        if node.place is not None:
            yield f"  {side}: {place_text(node.place)}: {plain(node.place.text)}"
        elif node.kind != "leaf":
            yield f"  {side}: no line is known; make this loss within vizgrad.watch()"


def _alone(
    side: str, nodes: tuple[model.Node, ...], matched: Iterable[int], got: Gradients
) -> Iterator[str]:
    taken = set(matched)
    for node in nodes:
        if node.kind == "leaf" and node.id not in taken and got.norm(node.id) is not None:
            yield f"Only in {side} a gradient arrives at {_leaf(node)}"


# --- a loss and arrays -----------------------------------------------------------------------------------


def _beside_arrays(a: Any, b: Any, names: Names, limit: tuple[float, float] | None) -> str | None:
    loss, given = (b, a) if isinstance(a, Mapping) else (a, b)
    wanted = {_name_of(key, names): value for key, value in given.items()}
    if not wanted:
        raise ValueError("the mapping of gradients is empty; give an array for each leaf")
    trace = traced(loss, _named(given, names))
    tolerance = tolerance_of(coarsest(trace.graph))
    got = Gradients(trace)
    leaves = {node.id: node for node in trace.graph.nodes if node.kind == "leaf"}
    off: list[str] = []
    partners = {name: _leaf_called(name, leaves) for name in wanted}
    for node in dict.fromkeys((*got.order, *leaves)):
        name = next((name for name, leaf in partners.items() if leaf == node), None)
        if name is None:
            continue
        value = wanted[name]
        own = next(iter(got.of(node, accumulated=False).values()), (None, None))
        array = None if value is None else _array(value)
        its = (None, None) if array is None else (array, _summary(array))
        sides = (own, its) if loss is a else (its, own)
        if how := _of_arrays(*sides, limit, tolerance):
            off.append(f"  {plain(name)}: {how}")
    if not off:
        return None
    lines = ["Gradients are not close!", "", _count(len(off), len(wanted))]
    return "\n".join(
        [*lines, *off[:_MOST], *[f"  ... and {len(off) - _MOST:,} more"] * (len(off) > _MOST)]
    )


@dataclass(frozen=True, slots=True)
class _Summary:
    """The numbers that stand for an array whose partner's elements were not kept."""

    shape: tuple[int, ...]
    norm: float


def _named(keys: Iterable[Any], names: Names) -> Names:
    """The names that the mapping has for its leaves win over those of variables."""
    own = Names()
    for key in keys:
        if not isinstance(key, str):
            own.found(key, _name_of(key, names))
    for tensor in names.tensors():
        own.found(tensor, names.get(id(tensor)))
    return own


def _of_arrays(here: Any, there: Any, limit: tuple[float, float] | None, tolerance: float) -> str:
    if limit is not None or None in (here[1], there[1]) or here[1].shape != there[1].shape:
        return _apart(here, there, limit or (0.0, 0.0))
    relative, what = apart({"": here}, {"": there})
    assert relative is not None  # all norms are known
    return "" if relative <= tolerance else what or _by_norm(relative, tolerance)


def _name_of(key: Any, names: Names) -> str:
    if isinstance(key, str):
        return key
    if not isinstance(key, known_types()):
        raise TypeError(
            f"the keys of a mapping of gradients are leaves or their names, not {type(key).__name__}"
        )
    return names.get(id(key)) or f"leaf {id(key):#x}"


def _leaf_called(name: str, leaves: Mapping[int, model.Node]) -> int:
    """The leaf of this name; of a name within a module (`0.weight`) that which ends so."""
    exact = [number for number, node in leaves.items() if node.label == name]
    found = exact or [n for n, node in leaves.items() if node.label.endswith(f".{name}")]
    if len(found) != 1:
        known = ", ".join(sorted(f"`{plain(node.label)}`" for node in leaves.values()))
        several = "several leaves are" if found else "no leaf of the loss is"
        raise KeyError(f"{several} called {name!r}; its leaves are {known}")
    return found[0]


def _array(value: Any) -> Any:
    return summarizer.array_of(value) if summarizer.has_array(value) else xp.asarray(value)


def _summary(array: Any) -> _Summary:
    return _Summary(tuple(array.shape), float(xp.linalg.norm(wide(array).reshape(-1))))


def _count(wrong: int, all_: int) -> str:
    return f"{wrong} of {all_} {'leaf differs' if all_ == 1 else 'leaves differ'}:"


def _called(node: model.Node) -> str:
    return f"{plain(node.name)}{' ' if node.label else ''}{plain(node.label)}"


def _leaf(node: model.Node) -> str:
    return plain(node.label) or f"leaf {node.id}"
