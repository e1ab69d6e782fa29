"""`vizgrad.compare_ranks`: the processes of a distributed run compare the backward of their losses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vizgrad.debugger.engines.api.openers import known_types
from vizgrad.debugger.engines.api.process_groups import ProcessGroup, open_process_group
from vizgrad.debugger.engines.common.variable_names import names_around
from vizgrad.debugger.model.ranks import RankReading
from vizgrad.debugger.ranks import tree
from vizgrad.debugger.ranks.comparison import RankComparison
from vizgrad.debugger.ranks.outlines import outline
from vizgrad.debugger.ranks.rank_summary import RankSummary, RankSums, together
from vizgrad.debugger.ranks.reading import Packed, of_loss, packed, unpacked

#: Ranks that are compared one by one, on rank 0.
MOST_ONE_BY_ONE = 64


def compare_ranks(
    loss: Any, *, tolerance: float | None = None, timeout: float = 60.0
) -> RankComparison | RankSummary:
    """Compares the backward of `loss` over the ranks of a distributed run, before any all-reduce.

    All ranks call it, each with its own loss. Each runs its backward to the gradients of its leaves: `.grad`
    does not change, and the all-reduce of `DistributedDataParallel` is not called. The graph is kept, so
    that `loss.backward()` can follow.

    The result is the same on all ranks. `first` is the first node where a rank leaves the others: its
    gradient is NaN, infinite, undefined or zero, or more than 100 times as large or small as theirs. Ranks
    see different batches; where all have the same batch, pass a relative `tolerance`.

    More than 64 ranks are compared by summaries of what arrived at each node, which are reduced in a tree: no
    process has the readings of all. Then the result is a `RankSummary`, which names a few ranks of each kind
    and counts the rest, and `tolerance` is refused (ValueError).

    Raises RuntimeError in a process that is alone (in a notebook: `vizgrad.ranks(view).compare("loss")`), and
    where a rank has not called it for `timeout` seconds; TypeError for what is no loss; what nodes raise.
    """
    names = names_around(kinds=known_types())
    found: RankComparison | RankSummary | None
    group = open_process_group(timeout)
    if group is None:
        raise RuntimeError(
            "Default process group has not been initialized, please make sure to call init_process_group: "
            "compare_ranks is called by all ranks of a distributed run (in a notebook, on the engines of "
            'ipyparallel: vizgrad.ranks(client[:]).compare("loss"))'
        )
    try:
        if tolerance is not None and group.count > MOST_ONE_BY_ONE:
            raise ValueError(f"tolerance: expected None with {group.count:,} ranks")
        reading: RankReading | None = None
        failed: Exception | None = None
        try:
            reading = of_loss(group.rank, loss, names)
        except Exception as error:  # noqa: BLE001  raised below: the other ranks wait for this one
            failed = error
        error = f"{type(failed).__name__}: {failed}"
        if group.count > MOST_ONE_BY_ONE:
            found = _summed(group, reading, error)
        else:
            found = _gathered(group, reading, error, tolerance)
        if failed is not None:
            raise failed
        assert found is not None  # it has the reading of this rank
        return found
    finally:
        group.close()


def _summed(group: ProcessGroup, reading: RankReading | None, error: str) -> RankSummary | None:
    """The comparison by summaries, in all ranks; None where rank 0 has failed."""
    first = tree.spread(group, None if reading is None else reading.graph)
    known = reading is not None and first is not None and outline(reading.graph) == outline(first)
    sums = tree.reduced(group, RankSums.of(group.rank, reading, error, known=known), together)
    found = RankSummary(first, sums) if first is not None and sums is not None else None
    return tree.spread(group, found)


@dataclass(frozen=True, slots=True)
class _Sent:
    """The message of a rank: it holds the graph only where rank 0 has another, no reading after an error."""

    reading: Packed | None
    error: str


def _gathered(
    group: ProcessGroup, reading: RankReading | None, error: str, tolerance: float | None
) -> RankComparison | None:
    """The comparison, in all ranks; None where all have failed."""
    first = group.from_first(None if reading is None else outline(reading.graph))
    sent = _Sent(None if reading is None else packed(reading, first if group.rank else None), error)
    every = group.to_first(sent)
    found = None
    if every is not None:
        failed = {rank: each.error for rank, each in enumerate(every) if each.reading is None}
        readings = unpacked([each.reading for each in every if each.reading is not None])
        found = RankComparison(readings, tolerance=tolerance, failed=failed) if readings else None
    return group.from_first(found)
