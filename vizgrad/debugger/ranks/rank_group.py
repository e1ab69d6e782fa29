"""`vizgrad.ranks(view)`: the ranks of a distributed program in a notebook, on the engines of ipyparallel."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from vizgrad.core.errors import Explanation
from vizgrad.debugger.ranks import on_rank
from vizgrad.debugger.ranks.comparison import RankComparison
from vizgrad.debugger.ranks.engines import Engines
from vizgrad.debugger.ranks.joint_session import JointSession
from vizgrad.debugger.ranks.merged import RankFindings, RankWhy
from vizgrad.debugger.ranks.rank_session import RankSession
from vizgrad.debugger.ranks.reading import unpacked
from vizgrad.debugger.ranks.wording import ranks_text


class Ranks:
    """The engines of a view, each of which is one rank. Names are those of variables on the engines."""

    def __init__(self, view: Any) -> None:
        self._engines = Engines(view)

    @property
    def ranks(self) -> tuple[int, ...]:
        return self._engines.ranks

    def debug(self, name: str | None = None) -> RankSession:
        """Opens the backward of the variable `name` on all engines, paused before its first node. Without a
        name: takes the sessions that `%%vizgrad debug` in a `%%px` cell has opened.

        Raises NameError where the variable is missing on an engine, RuntimeError where no session is open
        on one, and what `vizgrad.debug` raises; then this has opened no session on any.
        """
        self._engines.number()
        how = partial(on_rank.open_on_rank, name)
        undo = on_rank.leave if name is None else on_rank.close
        return RankSession(self._engines, how, undo, name or "", JointSession)

    def attach(self) -> RankSession:
        """Takes over the session that another notebook has opened on these engines, whose kernel has ended:
        what it has recorded is there, and a move that it has begun goes on.

        RuntimeError where no session is open on an engine.
        """
        self._engines.number()
        return RankSession(self._engines, on_rank.taken_on_rank, None, "", JointSession)

    def compare(self, name: str, *, tolerance: float | None = None) -> RankComparison:
        """`vizgrad.compare_ranks` of the variable `name`: where a rank leaves the others first."""
        self._engines.number()
        first, *others = self.ranks
        answers = self._engines.call(on_rank.read, ranks=[first], each={first: (first, name, None)})
        known = answers.values[first].outline if first in answers.values else None
        rest = self._engines.call(
            on_rank.read, ranks=others, each={rank: (rank, name, known) for rank in others}
        )
        values: Mapping[int, Any] = {**answers.values, **rest.values}
        errors = {**answers.errors, **rest.errors}
        if not values:
            answers.all()
        failed = {rank: f"{type(error).__name__}: {error}" for rank, error in errors.items()}
        return RankComparison(unpacked(list(values.values())), tolerance=tolerance, failed=failed)

    def why(self, name: str, rank: int | None = None) -> RankWhy:
        """`vizgrad.why` of the variable `name` on all ranks, that of `rank` first.

        A gradient that is NaN on all ranks after an all-reduce is explained by the rank that it came from.
        """
        if rank is not None and rank not in self.ranks:
            raise ValueError(f"there is no rank {rank}")
        self._engines.number()
        answers = self._engines.call(on_rank.why, name)
        told = answers.those_there() if rank is None or rank in answers.values else answers.all()
        return RankWhy(told, rank, grouped=self._engines.grouped)

    @property
    def findings(self) -> RankFindings:
        """The findings of the last `vizgrad.watch` of each rank, equal ones once."""
        self._engines.number()
        answers = self._engines.call(on_rank.findings)
        found: Mapping[int, list[Explanation]] = answers.those_there()
        return RankFindings(found)

    def __repr__(self) -> str:
        return f"<{ranks_text(self.ranks)}: .debug(name), .compare(name), .why(name), .findings>"
