"""Several processes, one view: sessions and traces of all ranks of a distributed backward."""

from __future__ import annotations

from typing import Any

from vizgrad.debugger.ranks.compare_ranks import compare_ranks as compare_ranks
from vizgrad.debugger.ranks.rank_group import Ranks as Ranks
from vizgrad.debugger.ranks.rank_traces import load_traces as load_traces


def ranks(view: Any) -> Ranks:
    """The engines of an `ipyparallel.DirectView` (``client[:]``) as the ranks of a distributed program.

        ranks = vizgrad.ranks(client[:])
        session = ranks.debug("loss")       # the backward of `loss` on every engine
        session.step()                      # one node on all ranks
        ranks.why("model.weight", rank=0)   # asks the other ranks, too
        ranks.findings                      # of `vizgrad.watch` on the engines

    Ranks are numbered as the process group of the engines numbers them, else as in the view. TypeError for
    what is no view, ValueError for one without engines.
    """
    return Ranks(view)
