"""Explanations of several ranks as one: equal ones are told once, with the ranks that they are of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from vizgrad.core.errors import Explanation, Findings
from vizgrad.debugger.ranks.wording import on_ranks


class RankWhy:
    """The answers of all ranks: `of[1]` is that of rank 1. Prints the one that knows the cause first."""

    def __init__(
        self, of: Mapping[int, Explanation], rank: int | None = None, *, grouped: bool
    ) -> None:
        """`rank`: whose answer is wanted; None: of all alike. `grouped`: the ranks are one process group, so
        that values of one can reach another.
        """
        self.of = dict(of)
        self.rank = rank
        self._grouped = grouped

    @property
    def origin(self) -> int | None:
        """The rank whose NaN or Inf the asked one has: it has a line for it, the asked one has none. None
        where there is no such rank, and where the ranks are no process group.
        """
        if self.rank is None or not self._grouped:
            return None
        asked = self.of[self.rank]
        if asked.culprit is not None or not _is_nonfinite(asked):
            return None
        for rank, told in self.of.items():
            if told.culprit is not None and _is_nonfinite(told):
                return rank
        return None

    def __bool__(self) -> bool:
        return any(self.of.values()) if self.rank is None else bool(self.of[self.rank])

    def to_text(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        origin = self.origin
        if self.rank is not None:
            if origin is not None:
                yield (
                    f"on rank {self.rank} it came with a collective (an all-reduce of gradients) from "
                    f"rank {origin}:"
                )
                yield f"on rank {origin}: {self.of[origin]}"
                return
            yield f"on rank {self.rank}: {_said(self.of[self.rank])}"
            return
        for told, ranks in _merged({rank: [each] for rank, each in self.of.items()}):
            yield f"{on_ranks(ranks, len(self.of))}: {_said(told)}"

    def __repr__(self) -> str:
        return self.to_text()


class RankFindings(Findings):
    """The findings of all ranks, worst first; `ranks[i]` are the ranks of the finding number i."""

    def __init__(self, found: Mapping[int, Sequence[Explanation]]) -> None:
        merged = list(_merged(found))
        count = len(found)
        super().__init__(
            # The magic that debugs the cell of an engine would run here.
            replace(told, story=f"{on_ranks(ranks, count)}: {told.story}", there="", cell="")
            for told, ranks in merged
        )
        self.ranks = tuple(tuple(ranks) for _, ranks in merged)


def _is_nonfinite(told: Explanation) -> bool:
    return told.kind.startswith("nonfinite")


def _said(told: Explanation) -> str:
    return str(told) if told else told.story or "There is nothing to explain."


def _merged(found: Mapping[int, Sequence[Explanation]]) -> Iterator[tuple[Explanation, list[int]]]:
    """Each explanation once, with its ranks. Two are equal that blame the same line for the same of the
    same tensor: numbers in them differ from rank to rank.
    """
    seen: dict[object, tuple[Explanation, list[int]]] = {}
    for rank, several in found.items():
        for told in several:
            where = told.culprit and (told.culprit.file, told.culprit.line, told.culprit.text)
            key = (told.kind, told.title, told.tensor, where, "" if where else told.story)
            seen.setdefault(key, (told, []))[1].append(rank)
    yield from seen.values()
