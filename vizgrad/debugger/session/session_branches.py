"""What if: changes at a pause, and the branches on which a run goes on with them."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from vizgrad.debugger import model
from vizgrad.debugger.engines.api import abilities
from vizgrad.debugger.engines.api.abilities import Change, OneWay
from vizgrad.debugger.model.trace_files import filing
from vizgrad.debugger.session.breakpoints.node_selectors import choose, leaf_called
from vizgrad.debugger.session.history.branch_comparison import Comparison, comparison, name_beside
from vizgrad.debugger.session.history.branches import Branches, Line
from vizgrad.debugger.session.open_session import Live
from vizgrad.debugger.session.session_view import Seen


class Branching(Seen):
    """The part of a `Session` that changes values, and goes on in more than one way.

    A change is made on a branch: the current one, if it stands where that has come to, else a new one. The
    original stays as it is, bit for bit, and can be gone back to. Code of a person's runs again on a
    branch: a hook that was called in the original is called there too, as its gradients are others; what it
    writes to tensors is taken back with the branch, what else it does is not.
    """

    _branches: Branches

    def _publish(
        self,
        live: Live,
        before: int,
        changes: tuple[model.StorageChange, ...] = (),
        *,
        jumped: bool = False,
    ) -> None:
        raise NotImplementedError

    def _refuse_within(self) -> None:
        raise NotImplementedError

    def _enter_line(self) -> None:
        raise NotImplementedError

    @property
    def branches(self) -> tuple[model.Branch, ...]:
        """The original, and those that left it."""
        with self._owned():
            return self._live().branches

    def branch(self, name: str = "") -> model.Branch:
        """Begins a branch where the run stands, and goes on with it. Without a name it is "branch 1" and so
        on. ValueError where the backward has finished, or if there is one of this name.
        """
        with self._changing_branches():
            return self._branches.begin(name.strip()).told(self._branches.current)

    def switch(self, name: str) -> model.Branch:
        """Goes to where a branch, or the "original", was left.

        WorldChanged where somebody else has changed what would be put back, IndexError where steps that lie
        between are not kept any more.
        """
        with self._changing_branches():
            line = self._branches.of(name)
            self._branches.switch(line)
            return line.told(line)

    def drop_branch(self, name: str) -> None:
        """Throws a branch away with those that left it; on one of them, it goes back to where the parent was
        left. Raises as `switch`. Another run that was laid beside this one is put away.
        """
        with self._owned():
            live = self._live()
            if self._branches.traces.pop(name, None) is not None:
                self._publish(live, live.position, live.source.written(), jumped=True)
                return
        with self._changing_branches():
            self._branches.drop(self._branches.of(name))

    def compare(
        self, name: Any, other: str = "", *, tolerance: float | None = 0.0
    ) -> tuple[model.Difference, ...]:
        """What arrived at each node on the branch `name`, beside `other` (the line that it left), of nodes
        that one of them has run since they parted, if those steps are undone now.

        `name` may be another run: a trace, a recording or a session. It is laid beside this one, and `other`
        is what it is called; views show in the graph how it differs. Nodes are matched as in `Trace.diff`,
        which takes the same `tolerance`.
        """
        if not isinstance(name, str):
            name, other = self._lay_beside(name, other), ""
            self._branches.tolerances[name] = tolerance
        return self.comparison(name, other).differences

    def comparison(self, name: str, other: str = "") -> Comparison:
        """The same of what has a name, and which node differs first."""
        with self._owned():
            live = self._live()
            return comparison(self._branches, name, other, live.trace)

    def _lay_beside(self, run: Any, name: str) -> str:
        trace = filing().trace_of(run)
        with self._owned():
            live = self._live()
            before = len(self._branches.traces)
            given = self._branches.lay_beside(trace, name.strip() or name_beside(self.title, trace))
            if len(self._branches.traces) > before:
                self._publish(live, live.position, live.source.written(), jumped=True)
            return given

    def set_grad(self, node: Any, value: Any, slot: int = 0) -> model.Edit:
        """Changes the gradient that waits at a node, and goes on on a branch.

        `node` is a number, a node, a tensor or a name; `value` a number, values of its shape, a tensor, or a
        text over the gradient `g`: ``"g * 0.5"``, ``"g.clip(-1, 1)"``, ``"zero"``, ``"clip to 1"`` (see
        `vizgrad.debugger.expressions.parse_value`). ValueError where nothing waits, or it does
        not fit.

        Of PyTorch's backward there are no branches: the gradient of the node that comes next is changed for
        good, and ValueError is raised where another run of that node would be needed.
        """
        run = self._live().history.run
        if isinstance(run, OneWay) and not isinstance(run, abilities.Branching):
            return self._change_for_good(node, lambda number: run.put_grad(number, slot, value))
        return self._change(node, lambda line, number: line.run.put_grad(number, slot, value))

    def set_saved(self, node: Any, name: str, value: Any) -> model.Edit:
        """Changes the saved value `name` of a node that has not run yet; as `set_grad`, with `g` as what is
        there. Another node that has saved the same tensor keeps it as it was.
        """
        return self._change(node, lambda line, number: line.run.put_saved(number, name, value))

    def set_leaf(self, leaf: Any, value: Any) -> model.Edit:
        """Writes to the memory of a leaf (a tensor, a node, or what it is called); as `set_grad`.

        Nodes that saved it and have not run yet compute with that; the forward pass is not run again.
        """
        return self._change(leaf, lambda line, number: line.run.put_leaf(number, value))

    def _change_for_good(self, node: Any, put: Callable[[int], Change]) -> model.Edit:
        with self._changing_branches() as live:
            number, history = self._number(live, node), live.history
            if history.position < history.recorded:
                raise ValueError(
                    "this backward cannot be run twice: what comes next has been run already; go to where it "
                    f"has come to (seek({history.recorded})), and change what waits there"
                )
            history.edited(put(number))
            return history.edits.told()[-1]

    def _change(self, node: Any, put: Callable[[Line, int], Change]) -> model.Edit:
        with self._changing_branches() as live:
            number = self._number(live, node)
            order = live.history.fold.order(number)
            if order is not None:
                raise ValueError(
                    f"{live.source.name(number)} (node {number}) has been run: go back to before it "
                    f"(seek({order})), and change it there"
                )
            before, line = self._branches.current, self._branches.current
            made = line.parent is None or line.history.position < line.history.recorded
            if made:
                line = self._branches.begin()
            try:
                change = put(line, number)
            except BaseException:
                if made:
                    self._branches.switch(before)
                    self._branches.drop(line)
                raise
            line.history.edited(change)
            return line.history.edits.told()[-1]

    def _number(self, live: Live, node: Any) -> int:
        source = live.source
        if isinstance(node, str):
            if node in {source.label(n) for n in range(source.inner, len(source))}:
                return leaf_called(source, node)
            fold = live.history.fold
            found = sorted(choose(source, op=node)[0].nodes)
            left = [n for n in found if fold.order(n) is None]
            current = live.history.current
            return current if current in left else (left or found)[0]
        return min(choose(source, node=node)[0].nodes)

    @contextmanager
    def _changing_branches(self) -> Generator[Live]:
        with self._owned():
            live = self._live()
            self._refuse_within()
            before, position = live.branches, live.position
            try:
                yield live
            finally:
                self._enter_line()
                if live.branches != before:
                    live.stopped_by = None
                    self._publish(live, position, live.source.written(), jumped=True)
