"""Why one node of a session is as it is: what a person asks who looks at its picture."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from vizgrad.core.errors import Explanation, Link
from vizgrad.debugger import model
from vizgrad.debugger.engines.common.graph_base import GraphBase
from vizgrad.debugger.engines.common.nonfinite_origin import made_by
from vizgrad.debugger.explain import from_records, from_session
from vizgrad.debugger.explain.cause import Cause, Phrase, cause, given
from vizgrad.debugger.explain.from_session import Stepped
from vizgrad.debugger.explain.watch_block import known
from vizgrad.debugger.explain.wording import explain
from vizgrad.debugger.session.open_session import Live
from vizgrad.debugger.session.session_reader import Look, SessionClosed


class Told(NamedTuple):
    """`nodes` are the numbers of what is in the chain, None where no node stands for it; `position` is how
    many steps are done behind the one where it happened.
    """

    explanation: Explanation
    nodes: tuple[int | None, ...] = ()
    position: int | None = None
    check: str = ""


def why_node(look: Look, number: int) -> Told:
    """IndexError for what is no number of a node, SessionClosed where nothing is left to be read."""
    if not isinstance(look, Live):
        raise SessionClosed(
            "this session is closed, and what its steps did was let go of: debug the loss again"
        )
    if not 0 <= number < len(look.source):
        raise IndexError(f"there is no node {number}: the graph has {len(look.source)}")
    source: Any = look.source
    if not isinstance(source, GraphBase):
        return _by_records(look, number)
    return _Asked(look, source, number).told()


class _Asked:
    def __init__(self, look: Live, source: GraphBase[Any], number: int) -> None:
        self.look, self.source, self.number = look, source, number
        self.reader = source.reader
        self.node = source.nodes[number]
        self.name = source.label(number) or self.reader.name(self.node)
        leaves = source.nodes[look.source.inner :]
        noted = known(self.reader.variable(leaves[0])) if leaves else None
        self.run = Stepped(source, look.history, noted)
        self.key = self.run.key_at(number)

    def told(self) -> Told:
        found, position = self._found()
        nodes = self._nodes(found)
        if nodes and (seen := nodes[0]) is not None and seen < self.look.source.inner:
            found = replace(found, path=(from_session.link(self.source, seen), *found.path[1:]))
        return Told(explain(found), nodes, position, _check(self.source.describe(self.number)))

    def _found(self) -> tuple[Cause, int | None]:
        visit = self.run.visits.get(self.key)
        step = self.run.steps.get(self.key)
        if step is not None and step.error:
            return self._raised(), self.run.position(self.key)
        if visit is None:
            return self._not_run(), None
        if visit.incoming < _INF:
            made = sorted(visit.out, key=lambda each: each.size < _INF)
            for delivered in made:  # what it made itself: first what is not finite, also of 0
                if not delivered.size < _INF or (delivered.size == 0.0 < visit.incoming):
                    name = self._name(delivered.target)
                    found = from_session.of_gradient(
                        self.run, delivered.target, name, size=delivered.size, at=self.key
                    )
                    if found is not None:
                        return found, self.run.position(self.key)
        found = from_session.of_gradient(self.run, self.key, self.name)
        if found is not None:
            return found, self._position(found)
        size = visit.incoming
        came = Phrase("is-of-size", size=float(size)) if size else Phrase("is-zero")
        return self._healthy(came), None

    def _position(self, found: Cause) -> int | None:
        """Where the run first made what is explained."""
        born = from_session.birth_key(self.run, self.key)
        if born is not None:
            return self.run.position(born)
        last = found.path[-1].node if found.path else None
        return None if last is None else self.run.position(last)

    def _name(self, key: int) -> str:
        number = self.run.numbers[key]
        return self.source.label(number) or self.look.source.name(number)

    def _raised(self) -> Cause:
        error = self.look.history.error
        told = getattr(error, "explanation", None)
        if isinstance(told, Explanation):
            return replace(given(told), path=(self._itself(),))
        text = str(error).splitlines()[0] if str(error) else type(error).__name__
        return cause(
            "internal", "raised", None, self.name,
            node=self.reader.name(self.node), error=type(error).__name__, message=text,
        )  # fmt: skip

    def _itself(self) -> Link:
        return from_session.link(self.source, self.number)

    def _not_run(self) -> Cause:
        stale = next((s for s in self.source.saved(self.number) if s.state == "stale"), None)
        if stale is not None:
            return replace(_stale(self.reader.name(self.node), stale), path=(self._itself(),))
        if from_session.has_odd(self.reader.saved(self.node).values()):
            origin = made_by(self.node, self.reader)
            if origin is not None:
                return from_session.from_forward(self.source, self.number, origin, self.name)
        if self.number in self.look.history.start.skipped:
            return self._healthy(Phrase("skipped"))
        if from_records.is_due(self.look, self.number):
            return from_records.still_to_come(self.look, self.number, self.name)
        return self._healthy(Phrase("not-run"))

    def _healthy(self, what: Phrase) -> Cause:
        return cause("healthy", "node-healthy", None, self.name, what=what)

    def _nodes(self, found: Cause) -> tuple[int | None, ...]:
        source, reader, inner = self.source, self.reader, self.look.source.inner
        numbers = {reader.key(node): nr for nr, node in enumerate(source.nodes[:inner])}
        leaves = {source.label(nr): nr for nr in range(inner, len(source.nodes))}
        return tuple(
            leaves.get(link.text.removesuffix(".grad"))
            if link.node is None
            else numbers.get(link.node)
            for link in found.path
        )


_INF = float("inf")


def _stale(node: str, saved: model.Saved) -> Cause:
    """It will raise: said before it does."""
    write = saved.culprit
    name = saved.name if write is None or not write.alias else write.alias
    return cause(
        "saved-overwritten", "saved-overwritten", None if write is None else write.place, name,
        node=node, saved=saved.name, before=saved.version_saved, now=saved.version_now,
        by=None if write is None else Phrase("write", op=write.op, at=write.place),
    )  # fmt: skip


def _check(node: model.Node) -> str:
    """A session keeps no example that a Function could be run on again: how a person does it."""
    if node.kind != "function":
        return ""
    name = node.name.removesuffix("Backward")
    return (
        f"%vizgrad check {name} ..., with inputs of yours, examines the Function: a run keeps none."
    )


def _by_records(look: Live, number: int) -> Told:
    """The explanation for another engine, from the records of its steps."""
    name = look.source.label(number) or look.source.name(number)
    told = from_records.of_node(look, number, name)
    if told is not None:
        found, node, position = told
        return Told(explain(found), (node,) if found.path else (), position)
    if from_records.is_due(look, number):
        return Told(explain(from_records.still_to_come(look, number, look.source.label(number))))
    found = cause("healthy", "node-healthy", None, name, what=Phrase("all-finite"))
    return Told(explain(found))
