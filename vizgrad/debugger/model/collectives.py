"""The collectives that a backward calls: what one of them carried, between which ranks, and how long it took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

#: Seconds below which nobody has waited: a message takes as long on its way.
WAITED = 1e-3


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


def called(told: Sequence[tuple[int, int, Collective]]) -> tuple[CalledCollective, ...]:
    """`told`: (step, its node, a collective that it called, or that had ended when it was over), in order: one
    that is told again has ended.
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
