"""The requests of the browser about a session, and which."""

from __future__ import annotations

from dataclasses import dataclass

from vizgrad.debugger.jupyter.widget.drawing import AUTOMATIC, Folding
from vizgrad.debugger.model import ArrayName, BreakpointKind


@dataclass(frozen=True, slots=True)
class ListSessions:
    """Which sessions exist? Answered by `Sessions`."""

    request: int


@dataclass(frozen=True, slots=True)
class Attach:
    """Send me the events of `session` (None: the newest), and what is to be seen of it.

    `view`: the widget in whose place this shows it (`SavedView.view`).
    """

    request: int
    session: str | None = None
    folding: Folding = AUTOMATIC
    view: str = ""


@dataclass(frozen=True, slots=True)
class Detach:
    """I show no session any more: one that nobody holds may go."""

    request: int


@dataclass(frozen=True, slots=True)
class IsKept:
    """Is this backward of a watched block kept still? Failed, with what to do instead, where it is not."""

    request: int
    session: str


@dataclass(frozen=True, slots=True)
class Look:
    """What is to be seen of it, so folded? The drawing `digest` is there already."""

    request: int
    session: str
    folding: Folding = AUTOMATIC
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Since:
    """What was told after `revision`?"""

    request: int
    session: str
    revision: int


@dataclass(frozen=True, slots=True)
class Find:
    """Nodes whose name, variable, scope or source place has `query` in it (``*`` stands for anything)."""

    request: int
    session: str
    query: str


@dataclass(frozen=True, slots=True)
class GetNames:
    """What are these nodes called?"""

    request: int
    session: str
    nodes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GetVisits:
    """Which nodes were run at positions `first` ... `first + count - 1`?"""

    request: int
    session: str
    first: int
    count: int


@dataclass(frozen=True, slots=True)
class GetMemory:
    """What do saved values hold, now and step by step?"""

    request: int
    session: str


@dataclass(frozen=True, slots=True)
class GetStorages:
    """The timelines of all storages of the graph, at most `most`."""

    request: int
    session: str
    most: int


@dataclass(frozen=True, slots=True)
class FollowLines:
    """Tell me the lines of whichever session is moved, from now on; `session`: of this one first, which a
    person looks at.
    """

    request: int
    session: str | None = None


@dataclass(frozen=True, slots=True)
class LinesSeen:
    """The message with this number has arrived: more may be sent at once."""

    request: int
    number: int


@dataclass(frozen=True, slots=True)
class GetLineNodes:
    """Which nodes has this line (its number in `Lines.lines`) recorded?"""

    request: int
    session: str
    line: int


@dataclass(frozen=True, slots=True)
class GetNodeLine:
    """Which line has recorded this node?"""

    request: int
    session: str
    node: int


@dataclass(frozen=True, slots=True)
class GetSource:
    """What stands in this file (`CodeFile.file`)? Only files that recorded nodes of the session are
    allowed, or that of the line which comes next within a node.
    """

    request: int
    session: str
    file: str


@dataclass(frozen=True, slots=True)
class GetPicture:
    """What is a notebook to show that is read without a kernel? `first`: it has no picture yet."""

    request: int
    session: str
    first: bool = False


@dataclass(frozen=True, slots=True)
class Inspect:
    """All about one node."""

    request: int
    session: str
    node: int


@dataclass(frozen=True, slots=True)
class GetPart:
    """A part of an array: `at` these indices of its leading dimensions (see `Part`), and of the matrix that
    this is these rows and columns (first, and behind the last; None: all).
    """

    request: int
    session: str
    of: ArrayName
    at: tuple[int | None, ...] = ()
    rows: tuple[int, int] | None = None
    columns: tuple[int, int] | None = None


# Where the browser may send a run.


@dataclass(frozen=True, slots=True)
class Step:
    """Run `count` more nodes."""

    request: int
    session: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class StepBack:
    request: int
    session: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Stage:
    """Go `count` stages of the visit of a node on (negative: back)."""

    request: int
    session: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class StepIn:
    """Into the code of a person's that the next node runs, and on in it by a line."""

    request: int
    session: str


@dataclass(frozen=True, slots=True)
class StepOut:
    """Out of that code, else to behind the node."""

    request: int
    session: str


@dataclass(frozen=True, slots=True)
class RunToLeaf:
    """Run until a leaf is the next to take its gradient."""

    request: int
    session: str


@dataclass(frozen=True, slots=True)
class RunToLine:
    """Run until a node comes next that was recorded at `line` of `file` (the cursor)."""

    request: int
    session: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Continue:
    """Run to the next breakpoint, or to the end."""

    request: int
    session: str


@dataclass(frozen=True, slots=True)
class RunTo:
    """Run (or step back) until `node` is the next to be run."""

    request: int
    session: str
    node: int


@dataclass(frozen=True, slots=True)
class Seek:
    """Go to `position` (the scrubber), forwards or backwards."""

    request: int
    session: str
    position: int


@dataclass(frozen=True, slots=True)
class Restart:
    request: int
    session: str


@dataclass(frozen=True, slots=True)
class Stop:
    """Close the session: abandon the rest of the backward and release what it holds."""

    request: int
    session: str


@dataclass(frozen=True, slots=True)
class Pause:
    """Stop between two nodes, and within one that runs Python of a person's and takes long. Answered at once,
    before what was asked earlier.
    """

    request: int
    session: str


# The changes of a run that the browser may request: its stops, values and branches.


@dataclass(frozen=True, slots=True)
class SetBreakpoint:
    request: int
    session: str
    node: int
    enabled: bool


@dataclass(frozen=True, slots=True)
class SetLineBreakpoint:
    """Continue is to stop before nodes that were recorded at `line` of `file`, or not any more. `condition`
    is read as `vizgrad.debugger.session.breakpoints.conditions` says, and never run; empty: always. With a
    `log` it does not stop, and writes that message. `disabled`: it is set, and passed by.

    It may be one that was kept from an earlier session: where a condition or a message is not understood, it
    is set with it all the same, and `LineStop.refused` says why.
    """

    request: int
    session: str
    file: str
    line: int
    enabled: bool
    condition: str = ""
    hits: int = 0
    log: str = ""
    disabled: bool = False


@dataclass(frozen=True, slots=True)
class AddBreakpoint:
    """`text` is, for each kind, as a person writes it: "op", a name or pattern (``Mul*``); "node", a number;
    "line", ``In [3]:7`` or ``train.py:7``; "when", a condition behind each visit, and `condition` is empty
    then. "tensor" and "data" name a leaf by its label: before it takes its gradient, or when its memory is
    written. With a `log` it does not stop, and writes that message.
    """

    request: int
    session: str
    kind: BreakpointKind
    text: str
    condition: str = ""
    hits: int = 0
    log: str = ""


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
class ClearLog:
    """Forget the messages that breakpoints have written."""

    request: int
    session: str


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
class UndoChange:
    """Take back the last change that was made where the run stands. Refused once the run has gone on."""

    request: int
    session: str


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
class FinishBranch:
    """Run the branch `name`, or the "original", to its end, and go back to where the run stands."""

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


# The watch list.


@dataclass(frozen=True, slots=True)
class GetWatches:
    """Which expressions are watched, and what are their values where the run stands?"""

    request: int
    session: str


@dataclass(frozen=True, slots=True)
class GetValue:
    """The value of one expression where the run stands? It is read as `vizgrad.debugger.expressions` says,
    and never run.
    """

    request: int
    session: str
    expression: str


@dataclass(frozen=True, slots=True)
class AddWatch:
    """Watch an expression. It is read as `vizgrad.debugger.expressions` says, and never run."""

    request: int
    session: str
    expression: str


@dataclass(frozen=True, slots=True)
class EditWatch:
    """Put another expression in the place of one of the list, by its `id`."""

    request: int
    session: str
    watch: int
    expression: str


@dataclass(frozen=True, slots=True)
class RemoveWatch:
    request: int
    session: str
    watch: int


@dataclass(frozen=True, slots=True)
class GetLog:
    """What have breakpoints that log written last?"""

    request: int
    session: str


@dataclass(frozen=True, slots=True)
class GetWriter:
    """Who wrote this array last?"""

    request: int
    session: str
    of: ArrayName
