"""The changes of a run that the browser may request: its stops, values and branches."""

from __future__ import annotations

from dataclasses import dataclass

from vizgrad.debugger.model import BreakpointKind


@dataclass(frozen=True, slots=True)
class SetBreakpoint:
    request: int
    session: str
    node: int
    enabled: bool


@dataclass(frozen=True, slots=True)
class SetLineBreakpoint:
    """Continue is to stop before nodes that were recorded at `line` of `file`, or not any more. `condition`
    is read as `vizgrad.debugger.session.breakpoints.conditions` says, and never run; empty: always.
    """

    request: int
    session: str
    file: str
    line: int
    enabled: bool
    condition: str = ""
    hits: int = 0


@dataclass(frozen=True, slots=True)
class AddBreakpoint:
    """`text` is, for each kind, as a person writes it: "op", a name or pattern (``Mul*``); "node", a number;
    "line", ``In [3]:7`` or ``train.py:7``; "when", a condition behind each visit, and `condition` is empty
    then. "tensor" and "data" name a leaf by its label: before it takes its gradient, or when its memory is
    written.
    """

    request: int
    session: str
    kind: BreakpointKind
    text: str
    condition: str = ""
    hits: int = 0


@dataclass(frozen=True, slots=True)
class EnableBreakpoint:
    """Switches a breakpoint of the list, by its `id`."""

    request: int
    session: str
    breakpoint: int
    enabled: bool


@dataclass(frozen=True, slots=True)
class RemoveBreakpoint:
    request: int
    session: str
    breakpoint: int


@dataclass(frozen=True, slots=True)
class SetGrad:
    """Change what waits at a slot of a node, and go on on a branch. `value` is read as
    `vizgrad.debugger.expressions` says (``g * 0.5``, ``clip to 1``), and never run.
    """

    request: int
    session: str
    node: int
    value: str
    slot: int = 0


@dataclass(frozen=True, slots=True)
class SetSaved:
    """The same of a saved value of a node that has not run."""

    request: int
    session: str
    node: int
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class SetLeaf:
    """The same of the memory of a leaf."""

    request: int
    session: str
    node: int
    value: str


@dataclass(frozen=True, slots=True)
class BeginBranch:
    """Go on on a branch from here. Without a name it is given one."""

    request: int
    session: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class SwitchBranch:
    """Go to where the branch `name`, or the "original", was left."""

    request: int
    session: str
    name: str


@dataclass(frozen=True, slots=True)
class DropBranch:
    """Throw it away, with those that left it."""

    request: int
    session: str
    name: str


@dataclass(frozen=True, slots=True)
class GetDifferences:
    """What arrived at each node on the branch, or in the trace, `name`, beside the line `other` (empty: the
    one that it left; for a trace the one that the run is on)?
    """

    request: int
    session: str
    name: str
    other: str = ""


@dataclass(frozen=True, slots=True)
class SetNonfinite:
    """Continue is to stop where a NaN or an infinity is born, or not."""

    request: int
    session: str
    enabled: bool
