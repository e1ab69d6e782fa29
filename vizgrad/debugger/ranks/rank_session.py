"""One session over the backward of all ranks: moved together, or one of them alone."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from threading import RLock
from time import monotonic
from typing import Any, Self

from vizgrad.core.observing import Observer, Observers
from vizgrad.debugger.jupyter.widget.joints import Joint
from vizgrad.debugger.jupyter.widget.showing import show_joint
from vizgrad.debugger.model import CalledCollective, Graph
from vizgrad.debugger.model.arrays import bytes_text
from vizgrad.debugger.model.collectives import CollectiveKey
from vizgrad.debugger.model.rank_files import rank_path
from vizgrad.debugger.model.ranks import RankReading, RankStrip
from vizgrad.debugger.model.trace import File
from vizgrad.debugger.ranks import on_rank
from vizgrad.debugger.ranks.comparison import RankComparison, ranks_svg, shown
from vizgrad.debugger.ranks.engines import Answers, Engines, RankBusy
from vizgrad.debugger.ranks.joint_run import joint_run
from vizgrad.debugger.ranks.on_rank import Standing, Verb
from vizgrad.debugger.ranks.page import export_ranks
from vizgrad.debugger.ranks.rank_calls import RankCalls, calls_of
from vizgrad.debugger.ranks.reading import unpacked
from vizgrad.debugger.ranks.wording import all_text, on_ranks, ranks_text
from vizgrad.debugger.traces import archive
from vizgrad.debugger.traces.files import LoadedTrace, load_trace, read_trace

#: Seconds for which one request lets an engine go on with a move before that reports.
SLICE = 0.5
#: Seconds that an engine has to end a session.
ENDING = 30.0
#: Seconds in which a rank has to answer a view.
ANSWERED = 12.0
#: Seconds without progress after which ranks that wait for others are not waited for any more; and those
#: after which none is, where all of them move.
PATIENCE, HUNG = 2.0, 10.0


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

    def __init__(
        self,
        engines: Engines,
        how: Callable[[bytes | None], on_rank.Opened],
        undo: Callable[[str], object] | None,
        name: str,
        make_joint: Callable[[RankSession], Joint],
    ) -> None:
        """`how`: opens or takes the session of an engine, called there with the outline of the graph that is
        known; `undo`: called with its id where another engine has none. `name`: of the loss, empty where
        the sessions know it. `make_joint`: for the views of this. Raises what `how` raises there.
        """
        self._engines = engines
        opened = _opened(engines, how, undo)
        self.name = name or opened[engines.ranks[0]].title
        self._keys = {rank: each.key for rank, each in opened.items()}
        graphs = unpacked([opened[rank].graph for rank in engines.ranks])
        self._graphs: dict[int, Graph] = {
            rank: reading.graph for rank, reading in zip(engines.ranks, graphs, strict=True)
        }
        #: Norms that have arrived on each rank so far, and how long nodes took.
        self._arrived: dict[int, dict[int, float | None]] = {rank: {} for rank in engines.ranks}
        self._seconds: dict[int, dict[int, float]] = {rank: {} for rank in engines.ranks}
        self._called: dict[int, dict[CollectiveKey, CalledCollective]] = {
            r: {} for r in engines.ranks
        }
        self.readings = tuple(
            RankReading(
                rank,
                self._graphs[rank],
                self._arrived[rank],
                self._seconds[rank],
                called=self._called[rank],
            )
            for rank in engines.ranks
        )
        self._standings: dict[int, Standing] = {}
        #: Ranks that will not answer any more, and those that did not the last time: why.
        self._lost: dict[int, str] = {}
        self._busy: dict[int, str] = {}
        #: Views and cells move the session from several threads.
        self._lock = RLock()
        self._observers: Observers[[Mapping[int, Collection[int] | None]]] = Observers()
        #: The updates of sessions are carried next.
        self.followed = False
        #: Its views share this, once there is one.
        self.joint: Joint | None = None
        self._make_joint = make_joint
        #: How messages for a view, which engines have sent along, get to it.
        self._carriers: dict[str, Callable[[dict[str, Any]], None]] = {}
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
        with self._lock:
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
            return self.where

    def _begin(self, verb: Verb, arguments: tuple[int, ...], ranks: Sequence[int]) -> None:
        each = {one: (self._keys[one], verb, arguments, SLICE) for one in ranks}
        self._hear(self._engines.call(on_rank.move, ranks=list(ranks), each=each))

    def _wait(self, ranks: Sequence[int]) -> None:
        """Until no rank moves any more, or those that do have made no progress while others stand still, or
        for so long that one of them may hang.
        """
        since, before = monotonic(), self._progress()
        while moving := self._moving(ranks):
            self._hear(self._call(on_rank.standing, moving, SLICE))
            now = self._progress()
            if now != before:
                since, before = monotonic(), now
            blocked = len(moving) < len(self._keys)
            if monotonic() - since > (PATIENCE if blocked else HUNG):
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
        changed: dict[int, Collection[int] | None] = dict.fromkeys(answers.errors, ())
        messages: list[tuple[str, dict[str, Any]]] = []
        for rank, told in answers.values.items():
            self._busy.pop(rank, None)
            self._standings[rank] = told
            changed[rank] = None if told.whole else told.news.keys()
            arrived, seconds = self._arrived[rank], self._seconds[rank]
            if told.whole:
                arrived.clear()
            for node, news in told.news.items():
                arrived.pop(node, None)  # what runs again runs last
                if news is not None:
                    arrived[node], seconds[node] = news
            self._called[rank].update((each.call.key, each) for each in told.calling)
            if told.called is not None:
                self._called[rank].clear()
                self._called[rank].update((each.call.key, each) for each in told.called)
            messages += told.messages
        # Views are told of ranks first, and draw both at once.
        self.followed = any(message.get("type") == "updated" for _, message in messages)
        try:
            self._observers.tell(changed)
        finally:
            self.followed = False
        self._carry(messages)

    def _carry(self, messages: Iterable[tuple[str, dict[str, Any]]]) -> None:
        for view, message in messages:
            carry = self._carriers.get(view)
            if carry is not None:
                carry(message)

    # --- for views --------------------------------------------------------------------------------

    def listen(
        self, owner: str, listener: Callable[[Mapping[int, Collection[int] | None]], None]
    ) -> Observer:
        """`listener(changed)` is called when ranks have moved or were lost: by rank the nodes that have
        changed, None for all.
        """
        return self._observers.add(owner, listener)

    def key(self, rank: int) -> str:
        """The id of the session of a rank; empty where this is closed."""
        return self._keys.get(rank, "")

    def standing(self, rank: int) -> Standing | None:
        """The last answer of a rank; None: it will not answer again."""
        return None if rank in self._lost or not self._keys else self._standings.get(rank)

    def pause(self, rank: int | None = None) -> None:
        """Asks the move of all ranks, or of one, to stop between two nodes; from any thread."""
        chosen = self._keys if rank is None else (rank,)
        self._call(on_rank.pause, [one for one in chosen if one not in self._lost])

    def waits(self, rank: int) -> bool:
        """Is a rank within a node while others stand still?"""
        moving = self._moving(self.ranks)
        return rank in moving and len(moving) < len(self.ranks)

    def _is_stuck(self, rank: int) -> bool:
        """Is it in a collective that the others do not come to? Then it cannot answer a view."""
        stands = self._standings[rank]
        return self.waits(rank) and bool(stands.waits_in or stands.calling)

    def is_busy(self, rank: int) -> bool:
        return rank in self._busy

    def graph_of(self, rank: int) -> Graph:
        return self._graphs[rank]

    def carry(self, view: str, send: Callable[[dict[str, Any]], None] | None) -> None:
        """From now on messages for this view go to `send`; None: there is no such view any more."""
        if send is not None:
            self._carriers[view] = send
        elif self._carriers.pop(view, None) is not None:
            alive = [rank for rank in self._keys if rank not in self._lost]
            self._call(on_rank.forget, alive, view)

    def relay(self, rank: int, view: str, content: dict[str, Any]) -> None:
        """Passes the request of a view on to a rank, and waits for the answer, which goes to the view by
        `carry`. RuntimeError where the rank does not answer, or waits for others.
        """
        self._open(rank)
        number = content.get("request")
        heard: list[object] = []
        send = self._carriers[view]

        def carry(message: dict[str, Any]) -> None:
            if message.get("request") == number:
                heard.append(message)
            send(message)

        with self._lock:
            self._carriers[view] = carry
            try:
                self._hear(self._call(on_rank.relay, [rank], view, content, SLICE))
                since = monotonic()
                while not heard and rank not in self._lost and rank not in self._busy:
                    self._hear(self._call(on_rank.standing, [rank], SLICE))
                    if monotonic() - since > (PATIENCE if self._is_stuck(rank) else ANSWERED):
                        break
            finally:
                if view in self._carriers:
                    self._carriers[view] = send
        if not heard:
            raise RuntimeError(f"rank {rank}: {self.stands(rank)}")

    # --- looking ----------------------------------------------------------------------------------

    @property
    def ranks(self) -> tuple[int, ...]:
        return self._engines.ranks

    @property
    def where(self) -> RankPositions:
        """Where each rank stands: how far it is, what comes next, and for whom it waits."""
        if not self._keys:
            return RankPositions("closed")
        with self._lock:
            if self._busy or self._moving(self.ranks):
                self._ask()
        told: dict[str, list[int]] = {}
        for rank in self.ranks:
            told.setdefault(self.stands(rank), []).append(rank)
        return RankPositions(
            "\n".join(f"{_who(ranks, self.ranks)}: {text}" for text, ranks in told.items())
        )

    def stands(self, rank: int) -> str:
        """Where one rank stands, as far as it was heard of."""
        if rank in self._lost:
            return f"lost: {self._lost[rank]}; its earlier values are kept"
        if rank in self._busy:
            return f"busy: {self._busy[rank]}"
        standing = self._standings[rank]
        if not standing.moving:
            text = f"{standing.text}; {standing.error}" if _unsaid(standing) else standing.text
            return text.replace("\n", " ")
        moving = self._moving(self.ranks)
        behind = [other for other in self.ranks if other != rank and other not in moving]
        if (
            not behind and standing.waits_in
        ):  # all move, and this one waits for those that do not wait
            behind = [other for other in moving if not self._standings[other].waits_in]
        done = f"{standing.position:,} of {standing.total:,} nodes done"
        name = (
            "" if standing.node is None else f" in {self._graphs[rank].nodes[standing.node].name}"
        )
        if not behind:
            long = f" for {standing.seconds:.0f} s" if standing.seconds > PATIENCE else ""
            return f"{done}; running{name}{long}"
        what = f" in {standing.waits_in}" if standing.waits_in else name or " after the last node"
        if standing.calling:
            call = standing.calling[-1].call
            kind = "" if standing.waits_in else f"{call.kind}, "
            what += f" ({kind}{bytes_text(call.bytes)})"
        return f"{done}; waits{what} for {ranks_text(behind)}"

    @property
    def graph(self) -> Graph:
        """That of the lowest rank."""
        return self._graphs[self.ranks[0]]

    @property
    def strips(self) -> tuple[RankStrip, ...]:
        """The gradients of all ranks at each node."""
        return self.compare().strips

    @property
    def calls(self) -> RankCalls:
        """The collectives that ranks have called: who came last to each, and how long the others waited."""
        return RankCalls(calls_of(self.readings))

    def compare(self, *, tolerance: float | None = None) -> RankComparison:
        """Compares what has arrived so far, as `vizgrad.compare_ranks`."""
        # those of now: what is compared stays as it is
        readings = [
            replace(
                each,
                arrived=dict(each.arrived),
                seconds=dict(each.seconds),
                called=dict(each.called),
            )
            for each in self.readings
        ]
        return RankComparison(readings, tolerance=tolerance)

    def trace(self, rank: int) -> LoadedTrace:
        """The steps of one rank so far, as a trace: in a notebook the view of that rank."""
        (chosen,) = self._open(rank)
        data = self._call(on_rank.trace, [chosen]).all()[chosen]
        with tempfile.TemporaryDirectory() as folder:
            path = rank_path(Path(folder) / f"{self.name}.vgtrace", rank)
            path.write_bytes(data)
            return load_trace(path)

    def save(self, path: File) -> list[Path]:
        """Writes the steps so far of each rank as a trace of at most 2 MB, ``run.rank1.vgtrace`` for
        ``run.vgtrace``; `vizgrad.load_traces` reads them. A warning names the ranks that are lost.
        RuntimeError where one is busy.
        """
        files = {rank_path(Path(path), rank): data for rank, data in self._traces().items()}
        for each, data in files.items():
            with archive.replacing(each) as made:
                made.write_bytes(data)
        return list(files)

    def export(self, path: File) -> Path:
        """Writes one page for any browser: the strips of all ranks, and the steps so far of the one that is
        chosen, of at most 16 ranks. A lost rank has its strips alone, and a warning names it. RuntimeError
        where one is busy, FileNotFoundError where the front end was not built.
        """
        traces = {rank: read_trace(BytesIO(data)) for rank, data in self._traces().items()}
        compared = self.compare()
        return export_ranks(traces, compared, repr(self), self.picture(compared), path)

    def _traces(self) -> Mapping[int, bytes]:
        """The file of each rank that is there."""
        self._open(None)
        return self._call(on_rank.trace, self._keys).those_there()

    # --- its end ----------------------------------------------------------------------------------

    def close(self) -> None:
        """Abandons the backward on all ranks. RuntimeError where one is still in a collective."""
        with self._lock:
            keys, self._keys = self._keys, {}
            alive = {rank: key for rank, key in keys.items() if rank not in self._lost}
            answers = _ended(self._engines, alive, on_rank.close)
            for messages in answers.values.values():
                self._carry(messages)
            self._observers.tell({})
        answers.all()

    @property
    def closed(self) -> bool:
        return not self._keys

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        lines = (f"backward of {self.name} {on_ranks(self.ranks)}", self.where)
        return "\n".join((*lines, *self.calls.lines()))

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
        run = joint_run(compared.graph, self.readings, nexts)
        return ranks_svg(compared.graph, compared.strips, (), run=run, calls=compared.calls)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return shown(repr(self), self.picture())

    def _ipython_display_(self) -> None:
        """A view of all ranks; a picture where a program runs the notebook."""
        from IPython.display import display

        from vizgrad.debugger.api import can_be_asked

        if not can_be_asked():
            display(self._repr_mimebundle_(), raw=True)
            return
        if self.joint is None:
            self.joint = self._make_joint(self)
        show_joint(self.joint)


def _opened(
    engines: Engines,
    how: Callable[[bytes | None], on_rank.Opened],
    undo: Callable[[str], object] | None,
) -> dict[int, on_rank.Opened]:
    """A session on each engine, or on none. The graph of the first is known to the others."""
    first, *others = engines.ranks
    opened: dict[int, on_rank.Opened] = {}
    try:
        answers = engines.call(how, None, ranks=[first])
        opened.update(answers.values)
        known = answers.all()[first].graph.outline
        answers = engines.call(how, known, ranks=others)
        opened.update(answers.values)
        answers.all()
    except BaseException:  # an interrupt, too, leaves no session open
        if undo is not None:
            _ended(engines, {rank: each.key for rank, each in opened.items()}, undo)
        raise
    return opened


def _ended(engines: Engines, keys: Mapping[int, str], end: Callable[[str], object]) -> Answers:
    each = {rank: (key,) for rank, key in keys.items()}
    return engines.call(end, ranks=list(each), each=each, limit=ENDING)


def _who(ranks: Sequence[int], every: Sequence[int]) -> str:
    return all_text(len(every)) if len(ranks) == len(every) > 1 else ranks_text(ranks)


def _unsaid(standing: Standing) -> bool:
    """Was there an error that the text of the position does not tell?"""
    return bool(standing.error) and standing.error.partition(": ")[2] not in standing.text
