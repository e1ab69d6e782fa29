"""The collectives that a backward calls: what each carried, between which ranks, how long it took."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from vizgrad.debugger.model.arrays import bytes_text, few
from vizgrad.debugger.model.figures import ranks_text, seconds_text

#: Seconds below which nobody has waited: a message takes as long on its way.
WAITED = 1e-3
#: Ranks in a row that are listed; of more their number is given.
MOST_SPANS = 4


@dataclass(frozen=True, slots=True)
class Collective:
    """One call of a collective, as one rank saw it while a step ran.

    `group` names the process group, and `number` is that of the call in it: all its ranks have the same two.
    `ranks` are those of the group, as the run numbers them. `bytes` are those of the tensors that this rank
    gave or received, whichever are more. `nodes` are the leaves whose gradients it carries, as far as that is
    known; empty for one that the node of the step calls itself.

    `began`: when this rank called it, in seconds since 1970 by the clock of its machine. `seconds`: from the
    call to its end; None: it has not ended. `waited`: so many of them passed before the others were there, of
    which those in `late` came last; None: the backend does not tell. `error` is what it raised.
    """

    group: str
    number: int
    kind: str
    ranks: tuple[int, ...]
    bytes: int
    nodes: tuple[int, ...] = ()
    began: float = 0.0
    seconds: float | None = None
    waited: float | None = None
    late: tuple[int, ...] = ()
    error: str = ""

    @property
    def key(self) -> CollectiveKey:
        return self.group, self.number

    @property
    def ended(self) -> bool:
        return self.seconds is not None

    @property
    def size(self) -> str:
        """``1.2 MB, ranks 0-3``."""
        return f"{bytes_text(self.bytes)}, {ranks_text(self.ranks, MOST_SPANS)}"

    @property
    def waiting(self) -> str:
        """``waited 12 ms for rank 1``, ``took 3 ms``, ``has not ended``."""
        if self.error:
            return f"failed: {self.error}"
        if self.seconds is None:
            return "has not ended"
        if self.waited is None:
            return f"took {seconds_text(self.seconds)}"
        if self.late:
            return f"waited {seconds_text(self.waited)} for {ranks_text(self.late, MOST_SPANS)}"
        return f"took {seconds_text(self.seconds)}, waited for no rank"

    def __str__(self) -> str:
        """``all_reduce, 1.2 MB, ranks 0-3, waited 12 ms for rank 1``."""
        return f"{self.kind}, {self.size}, {self.waiting}"


#: The same on all ranks that call it.
CollectiveKey = tuple[str, int]


@dataclass(frozen=True, slots=True)
class CalledCollective:
    """A collective in a run: step `step` called it, by node `node`, and it had ended when step `end` was over
    (None: it has not, as far as was recorded). `call` says all that is known by then.
    """

    call: Collective
    node: int
    step: int
    end: int | None = None

    def at(self, position: int) -> Collective | None:
        """As it is known when `position` steps are done; None: it has not been called."""
        if self.step >= position:
            return None
        if self.end is None or self.end < position:
            return self.call
        return replace(self.call, seconds=None, waited=None, late=(), error="")


def gradients_text(names: Iterable[str]) -> str:
    """``gradients of weight, bias and 3 more``; empty for none."""
    known = tuple(names)
    return f"gradients of {few(known, 4)}" if known else ""


def called(told: Sequence[tuple[int, int, Collective]]) -> tuple[CalledCollective, ...]:
    """`told`: (step, its node, a collective that it called, or that had ended when it was over), in order:
    one that is told again has ended.
    """
    found: dict[CollectiveKey, CalledCollective] = {}
    for step, node, call in told:
        first = found.get(call.key)
        end = step if call.ended else None
        found[call.key] = (
            CalledCollective(call, node, step, end)
            if first is None
            else CalledCollective(call, first.node, first.step, end)
        )
    return tuple(found.values())
