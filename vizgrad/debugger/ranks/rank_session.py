"""One session over the backward of all ranks: moved together, or one of them alone."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Self

from vizgrad.debugger.model import Graph
from vizgrad.debugger.model.ranks import RankReading, RankStrip
from vizgrad.debugger.ranks import on_rank
from vizgrad.debugger.ranks.comparison import RankComparison, ranks_svg, shown
from vizgrad.debugger.ranks.engines import Answers, Engines, RankBusy
from vizgrad.debugger.ranks.joint_run import joint_run
from vizgrad.debugger.ranks.on_rank import Standing, Verb
from vizgrad.debugger.ranks.reading import unpacked
from vizgrad.debugger.ranks.wording import all_text, on_ranks, ranks_text
from vizgrad.debugger.traces.files import LoadedTrace, load_trace

if TYPE_CHECKING:
    from vizgrad.debugger.ranks.rank_view import RankView

#: Seconds for which one request lets an engine go on with a move before that reports.
SLICE = 0.5
#: Seconds that an engine has to end a session.
ENDING = 30.0
#: Seconds without progress after which ranks that wait for others are not waited for any more.
PATIENCE = 2.0


class RankPositions(str):
    """Where all ranks stand, a line for each group of equals. Printed as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class RankSession:
    """Made by `vizgrad.ranks(view).debug("loss")`, or by `%%vizgrad debug` in a `%%px` cell.

    `step`, `back`, `seek`, `continue_` and `restart` move all ranks, or the one of `rank=`; each returns
    `where`. A rank that comes to a collective which others have not reached waits there, and the text says
    for whom: it continues when they come.
    """

    def __init__(self, engines: Engines, name: str | None) -> None:
        """`name`: of the loss, a variable on all engines; None: the session that the last cell of
        `%%vizgrad debug` was stopped for on each. Raises what `vizgrad.debug` raises there; then this has
        opened no session on any.
        """
        self._engines = engines
        opened = _opened(engines, name)
        self.name = name or opened[engines.ranks[0]].title
        self._keys = {rank: each.key for rank, each in opened.items()}
        graphs = unpacked([opened[rank].graph for rank in engines.ranks])
        self._graphs: dict[int, Graph] = {
            rank: reading.graph for rank, reading in zip(engines.ranks, graphs, strict=True)
        }
        self._readings: dict[int, dict[int, tuple[float | None, float]]] = {
            rank: {} for rank in engines.ranks
        }
        self._standings: dict[int, Standing] = {}
        #: Ranks that will not answer any more, and those that did not the last time: why.
        self._lost: dict[int, str] = {}
        self._views: list[RankView] = []
        self._busy: dict[int, str] = {}
        self._ask()

    # --- moving -----------------------------------------------------------------------------------

    def step(self, n: int = 1, *, rank: int | None = None) -> RankPositions:
        """Runs `n` more nodes on all ranks, or on one."""
        return self._move("step", (n,), rank)

    def back(self, n: int = 1, *, rank: int | None = None) -> RankPositions:
        """Takes the last `n` steps back."""
        return self._move("back", (n,), rank)

    def seek(self, position: int, *, rank: int | None = None) -> RankPositions:
        """Goes to where so many steps are done."""
        return self._move("seek", (position,), rank)

    def continue_(self, *, rank: int | None = None) -> RankPositions:
        """Runs each rank to its next breakpoint, to its first NaN or infinity, or to the end."""
        return self._move("continue_", (), rank)

    def restart(self, *, rank: int | None = None) -> RankPositions:
        """Goes back to before the first node."""
        return self._move("restart", (), rank)

    def _move(self, verb: Verb, arguments: tuple[int, ...], rank: int | None) -> RankPositions:
        """Raises ValueError for a rank that there is not; RuntimeError where no session is open any more.

        A rank that still waits within an earlier move ends that move first. Then it continues, too, if the
        others do.
        """
        chosen = self._open(rank)
        waiting = self._moving(chosen)
        try:
            self._begin(verb, arguments, chosen)
            self._wait(chosen)
            late = [one for one in waiting if one not in self._moving(waiting)]
            if late and verb == "continue_":
                self._begin(verb, arguments, late)
                self._wait(chosen)
        except KeyboardInterrupt:
            self._call(on_rank.pause, chosen)
            self._ask()
            raise
        finally:
            self._show()
        return self.where

    def _begin(self, verb: Verb, arguments: tuple[int, ...], ranks: Sequence[int]) -> None:
        each = {one: (self._keys[one], verb, arguments, SLICE) for one in ranks}
        self._hear(self._engines.call(on_rank.move, ranks=list(ranks), each=each))

    def _show(self) -> None:
        for view in self._views:
            view.update()

    def _wait(self, ranks: Sequence[int]) -> None:
        """Until no rank moves any more, or those that do have made no progress while others stand still."""
        since, before = monotonic(), self._progress()
        while moving := self._moving(ranks):
            self._hear(self._call(on_rank.standing, moving, SLICE))
            now = self._progress()
            if now != before:
                since, before = monotonic(), now
            blocked = len(moving) < len(self._keys)
            if blocked and monotonic() - since > PATIENCE:
                return

    def _moving(self, ranks: Sequence[int]) -> list[int]:
        return [
            rank
            for rank in ranks
            if not {rank} & (self._lost.keys() | self._busy.keys()) and self._standings[rank].moving
        ]

    def _progress(self) -> list[tuple[int, int | None]]:
        return [(each.position, each.node) for each in self._standings.values()]

    def _open(self, rank: int | None) -> list[int]:
        if rank is not None and rank not in self._engines.ranks:
            raise ValueError(f"there is no rank {rank}: they are {ranks_text(self._engines.ranks)}")
        if not self._keys:
            raise RuntimeError(
                "this session of ranks is closed; open a new one with ranks.debug(...)"
            )
        chosen = list(self._keys) if rank is None else [rank]
        alive = [one for one in chosen if one not in self._lost]
        if not alive:
            raise RuntimeError(f"{ranks_text(chosen)}: {self._lost[chosen[0]]}")
        return alive

    def _call(
        self,
        function: Callable[..., Any],
        ranks: Iterable[int],
        *arguments: Any,
        limit: float | None = None,
    ) -> Answers:
        each = {rank: (self._keys[rank], *arguments) for rank in ranks if rank in self._keys}
        return self._engines.call(function, ranks=list(each), each=each, limit=limit)

    def _ask(self) -> None:
        """Asks the ranks where they stand; one that was busy the last time has a moment to answer."""
        alive = [rank for rank in self._keys if rank not in self._lost]
        self._hear(self._call(on_rank.standing, alive, limit=PATIENCE if self._busy else None))

    def _hear(self, answers: Answers) -> None:
        for rank, error in answers.errors.items():
            (self._busy if isinstance(error, RankBusy) else self._lost)[rank] = str(error)
        for rank, told in answers.values.items():
            self._busy.pop(rank, None)
            self._standings[rank] = told
            known = self._readings[rank]
            if told.whole:
                known.clear()
            for node, news in told.news.items():
                if news is None:
                    known.pop(node, None)
                else:
                    known[node] = news

    # --- looking ----------------------------------------------------------------------------------

    @property
    def ranks(self) -> tuple[int, ...]:
        return self._engines.ranks

    @property
    def where(self) -> RankPositions:
        """Where each rank stands: how far it is, what comes next, and for whom it waits."""
        if not self._keys:
            return RankPositions("closed")
        if self._busy or self._moving(self.ranks):
            self._ask()
        told: dict[str, list[int]] = {}
        for rank in self.ranks:
            told.setdefault(self._told(rank), []).append(rank)
        return RankPositions(
            "\n".join(f"{_who(ranks, self.ranks)}: {text}" for text, ranks in told.items())
        )

    def _told(self, rank: int) -> str:
        if rank in self._lost:
            return f"lost: {self._lost[rank]}; its earlier values are kept"
        if rank in self._busy:
            return f"busy: {self._busy[rank]}"
        standing = self._standings[rank]
        if not standing.moving:
            text = f"{standing.text}; {standing.error}" if _unsaid(standing) else standing.text
            return text.replace("\n", " ")
        behind = [
            other for other in self.ranks if other != rank and other not in self._moving(self.ranks)
        ]
        done = f"{standing.position:,} of {standing.total:,} nodes done"
        name = (
            "" if standing.node is None else f" in {self._graphs[rank].nodes[standing.node].name}"
        )
        if not behind:
            return f"{done}; running{name}"
        what = f" in {standing.waits_in}" if standing.waits_in else name or " after the last node"
        return f"{done}; waits{what} for {ranks_text(behind)}"

    @property
    def graph(self) -> Graph:
        """That of the lowest rank."""
        return self._graphs[self.ranks[0]]

    @property
    def strips(self) -> tuple[RankStrip, ...]:
        """The gradients of all ranks at each node."""
        return self.compare().strips

    def compare(self, *, tolerance: float | None = None) -> RankComparison:
        """Compares what has arrived so far, as `vizgrad.compare_ranks`."""
        return RankComparison([self._reading(rank) for rank in self.ranks], tolerance=tolerance)

    def _reading(self, rank: int) -> RankReading:
        known = self._readings[rank]
        arrived: Mapping[int, float | None] = {node: norm for node, (norm, _) in known.items()}
        seconds = {node: seconds for node, (_, seconds) in known.items()}
        return RankReading(rank, self._graphs[rank], arrived, seconds)

    def trace(self, rank: int) -> LoadedTrace:
        """The steps of one rank so far, as a trace: in a notebook the view of that rank."""
        (chosen,) = self._open(rank)
        data = self._call(on_rank.trace, [chosen]).all()[chosen]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{self.name}.rank{rank}.vgtrace"
            path.write_bytes(data)
            return load_trace(path)

    # --- its end ----------------------------------------------------------------------------------

    def close(self) -> None:
        """Abandons the backward on all ranks. RuntimeError where one is still in a collective."""
        keys, self._keys = self._keys, {}
        alive = {rank: key for rank, key in keys.items() if rank not in self._lost}
        answers = _ended(self._engines, alive, on_rank.close)
        self._show()
        answers.all()

    @property
    def closed(self) -> bool:
        return not self._keys

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"backward of {self.name} {on_ranks(self.ranks)}\n{self.where}"

    def picture(self, compared: RankComparison | None = None) -> str:
        """A standalone SVG file as text: the graph with a strip of ranks at each node, the norms of the
        lowest rank, and a ring around the nodes that ranks run next. `compared`: what `compare()` has given,
        if the caller has it.
        """
        compared = self.compare() if compared is None else compared
        nexts = {
            rank: each.node if each.moving else each.current
            for rank, each in self._standings.items()
        }
        readings = [self._reading(rank) for rank in self.ranks]
        run = joint_run(compared.graph, readings, nexts)
        return ranks_svg(compared.graph, compared.strips, (), run=run)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return shown(repr(self), self.picture())

    def _ipython_display_(self) -> None:
        """A view that follows the session; where a program runs the notebook, a picture."""
        from IPython.display import display

        from vizgrad.debugger.api import can_be_asked

        if not can_be_asked():
            display(self._repr_mimebundle_(), raw=True)
            return
        from vizgrad.debugger.ranks.rank_view import RankView

        view = RankView(self)
        self._views.append(view)
        display(view.widget)


def _opened(engines: Engines, name: str | None) -> dict[int, on_rank.Opened]:
    """A session on each engine, or on none: of the variable `name`, or that of the last debug cell
    there. The graph of the first is known to the others.
    """
    first, *others = engines.ranks
    opened: dict[int, on_rank.Opened] = {}
    try:
        answers = engines.call(on_rank.open_on_rank, name, None, ranks=[first])
        opened.update(answers.values)
        known = answers.all()[first].graph.outline
        answers = engines.call(on_rank.open_on_rank, name, known, ranks=others)
        opened.update(answers.values)
        answers.all()
    except BaseException:  # an interrupt, too, leaves no session open
        keys = {rank: each.key for rank, each in opened.items()}
        _ended(engines, keys, on_rank.leave if name is None else on_rank.close)
        raise
    return opened


def _ended(engines: Engines, keys: Mapping[int, str], end: Callable[[str], None]) -> Answers:
    each = {rank: (key,) for rank, key in keys.items()}
    return engines.call(end, ranks=list(each), each=each, limit=ENDING)


def _who(ranks: Sequence[int], every: Sequence[int]) -> str:
    return all_text(len(every)) if len(ranks) == len(every) > 1 else ranks_text(ranks)


def _unsaid(standing: Standing) -> bool:
    """Was there an error that the text of the position does not tell?"""
    return bool(standing.error) and standing.error.partition(": ")[2] not in standing.text
