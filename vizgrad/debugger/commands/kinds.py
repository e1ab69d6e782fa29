"""The types of a command, a magic and a gesture."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

#: Where commands are listed together.
Section = Literal["Run", "Graph", "View", "Notebook"]
#: Where its keys work: anywhere in the view, or where the graph has the focus.
Reach = Literal["view", "graph"]
#: Whose menu it is in: a node's, a closed or open group's, that of the graph beside them, or the one beside
#: the button for a step.
Menu = Literal["node", "group", "graph", "step"]
#: The condition under which it is enabled. "shown": a session is shown, which may be closed. The others
#: need one that is open and a kernel that answers: "can_run" (not at its end), "running" (for long),
#: "can_go_back", "can_restart", "node" (one is selected), "other_node" (one that is not the next),
#: "inside" (the run stands within a node), "can_step_in" (the next node runs code of a person's, or the
#: run is in it), "open".
Enabled = Literal[
    "always",
    "shown",
    "open",
    "can_run",
    "running",
    "can_go_back",
    "can_restart",
    "node",
    "other_node",
    "inside",
    "can_step_in",
]
#: The completions after a magic.
Argument = Literal["", "tensor", "node", "number"]


@dataclass(frozen=True, slots=True)
class Magic:
    """``%vizgrad USAGE``; of a cell magic ``%%vizgrad USAGE``."""

    usage: str
    #: One sentence; what is done to the current session, if it takes one.
    help: str
    argument: Argument = ""
    cell: bool = False

    @property
    def name(self) -> str:
        return self.usage.partition(" ")[0]

    @property
    def written(self) -> str:
        return f"{'%%' if self.cell else '%'}vizgrad {self.usage}"


#: Names in the lines of code of commands -> what is called so.
SAID = {
    "session": "the result of `vizgrad.debug(loss)`",
    "loss": "a tensor with a history",
    "w": "a parameter",
    "x": "an input",
    "Square": "a custom Function",
    "train": "any code of yours",
    "pid": "the number of a process of `python -m vizgrad`",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    #: The id of the command; in JupyterLab it is ``vizgrad:name``.
    name: str
    #: The label on its button, in menus and in the palette.
    label: str
    #: One sentence.
    help: str
    section: Section
    #: The picture on its button; it has none, or none is needed, if empty.
    icon: str = ""
    #: As a keyboard event names them, with "Shift " before those of more than one character.
    keys: tuple[str, ...] = ()
    reach: Reach = "view"
    enabled: Enabled = "shown"
    menus: tuple[Menu, ...] = ()
    #: The label in menus when it is on already.
    label_on: str = ""
    #: A button, a menu or a key of the view does it; otherwise only code and magics do.
    in_view: bool = True
    #: Only where the view's host can do it: JupyterLab.
    by_host: bool = False
    #: How the same is written: a line of Python, in which `SAID` says what is called how. "" if it cannot be.
    code: str = ""
    magic: Magic | None = None

    @property
    def api(self) -> str:
        """The method of `Session` or the function of `vizgrad` in the line: "Session.step", "debug"."""
        found = re.search(r"\b(session|vizgrad)\.(\w+)", self.code)
        if found is None:
            return ""
        owner, name = found.groups()
        return f"Session.{name}" if owner == "session" else name


@dataclass(frozen=True, slots=True)
class Gesture:
    """A movement in the graph that is no command."""

    keys: str
    help: str


# Where the view is seen, and how.

VIEW: tuple[Command, ...] = (
    Command(
        name="follow",
        label="Return to current node",
        help="Select the node that the run is paused at; steps then select the next one.",
        section="View",
        icon="follow",
        keys=("Escape",),
        reach="graph",
        menus=("node", "graph"),
    ),
    Command(
        name="last-node",
        label="Show last node",
        help="Select the node that ran last; again: return to the current node.",
        section="View",
        icon="back",
        keys=("d",),
    ),
    Command(
        name="next-part",
        label="Focus next part",
        help="Move the focus to the next part of the view: toolbar, graph, inspector and so on.",
        section="View",
        keys=("F6",),
    ),
    Command(
        name="previous-part",
        label="Focus previous part",
        help="Move the focus to the previous part of the view.",
        section="View",
        keys=("Shift F6",),
    ),
    Command(
        name="presentation",
        label="Teach layout",
        help="Show Engine and Saved tensors beside the graph, all larger; PageDown and PageUp step.",
        section="View",
        icon="presentation",
        keys=("p",),
        enabled="always",
    ),
    Command(
        name="pop-out",
        label="Open in a tab",
        help="Show the session in a separate tab.",
        section="View",
        icon="popOut",
        by_host=True,
    ),
    Command(
        name="open-window",
        label="Open in a window",
        help="Show the session in a separate window, for a second screen.",
        section="View",
        icon="window",
        by_host=True,
    ),
    Command(
        name="help",
        label="Help",
        help="Show the keys, the signs, and the Python code for each command.",
        section="View",
        icon="help",
        keys=("?",),
        enabled="always",
    ),
)
