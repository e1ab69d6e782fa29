"""Everything that a person can tell vizgrad to do, each declared once.

What is made from here: the magics with their help and completion (`vizgrad.magics`), and, written by
``make types``, the browser's list (`extension/src/protocol/commands.ts`: toolbar, menus, keys, palette,
help), JupyterLab's setting page with the keys that can be given anew (`extension/schema/panel.json`), and the
page of the documentation (`notebooks/commands.md`). What each does is said where it is done; tests hold both
together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: Where commands are listed together.
Section = Literal["Run", "Graph", "View", "Notebook"]
#: Where its keys work: anywhere in the view, or where the graph has the focus.
Reach = Literal["view", "graph"]
#: Whose menu it is in: a node's, a closed or open group's, or that of the graph beside them.
Menu = Literal["node", "group", "graph"]
#: What must hold for it to make sense. "shown": a session is shown, which may be closed. The others need one
#: that is open and a kernel that answers: "can_run" (not at its end), "running" (for long), "can_go_back",
#: "can_restart", "node" (one is selected), "other_node" (one that is not the next), "open".
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
]
#: What completion offers behind a magic.
Argument = Literal["", "tensor", "node", "number"]


@dataclass(frozen=True, slots=True)
class Magic:
    """``%vizgrad USAGE``; of a cell magic ``%%vizgrad USAGE``."""

    usage: str
    #: One sentence; what is done to the newest session, if it takes one.
    help: str
    argument: Argument = ""
    cell: bool = False

    @property
    def name(self) -> str:
        return self.usage.partition(" ")[0]

    @property
    def written(self) -> str:
        return f"{'%%' if self.cell else '%'}vizgrad {self.usage}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    #: What all know it by; in JupyterLab it is ``vizgrad:name``.
    name: str
    #: What is written on its button, in menus and in the palette.
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
    #: What a menu writes instead of the label when it is on already.
    label_on: str = ""
    #: A button, a menu or a key of the view does it; otherwise only code and magics do.
    in_view: bool = True
    #: Only where the view's host can do it: JupyterLab.
    by_host: bool = False
    #: The method of `Session` or the function of `vizgrad` that does the same: "Session.step", "debug".
    api: str = ""
    magic: Magic | None = None


@dataclass(frozen=True, slots=True)
class Gesture:
    """What moves about in the graph, and is no command that could be called."""

    keys: str
    help: str


_RUN = (
    Command(
        name="continue",
        label="Continue",
        help="Runs to the next breakpoint, to where a NaN is born, or to the end.",
        section="Run",
        icon="continue",
        keys=("F9",),
        enabled="can_run",
        api="Session.continue_",
        magic=Magic("continue", "Runs to the next breakpoint, or to the end."),
    ),
    Command(
        name="pause",
        label="Pause",
        help="Stops a run that takes long between two nodes, or within one that runs Python.",
        section="Run",
        icon="pause",
        keys=("F8",),
        enabled="running",
        api="Session.pause",
    ),
    Command(
        name="step",
        label="Step",
        help="Runs the next node.",
        section="Run",
        icon="step",
        keys=("F10",),
        enabled="can_run",
        api="Session.step",
        magic=Magic(
            "step [N]", "Runs the next N nodes (default 1) of the newest session.", "number"
        ),
    ),
    Command(
        name="step-back",
        label="Step back",
        help="Takes the last node back, with all it changed.",
        section="Run",
        icon="back",
        keys=("Shift F10",),
        enabled="can_go_back",
        api="Session.back",
        magic=Magic("back [N]", "Takes the last N nodes (default 1) back.", "number"),
    ),
    Command(
        name="run-to-here",
        label="Run to here",
        help="Runs, or steps back, until the selected node is the next.",
        section="Run",
        icon="runTo",
        keys=("r",),
        reach="graph",
        enabled="other_node",
        menus=("node",),
        api="Session.run_to",
        magic=Magic(
            "run_to NODE", "Goes to where a node (number, name or pattern) is the next.", "node"
        ),
    ),
    Command(
        name="toggle-breakpoint",
        label="Add breakpoint",
        label_on="Remove breakpoint",
        help="Makes Continue stop before the selected node, or not any more.",
        section="Run",
        icon="breakpoint",
        keys=("b",),
        reach="graph",
        enabled="node",
        menus=("node",),
        api="Session.break_at",
        magic=Magic(
            "break NODE",
            "Makes `continue` stop before nodes with this name, pattern or number, or recorded at a line"
            " (`:7` of the newest cell, `train.py:7`), or at `nonfinite`.",
            "node",
        ),
    ),
    Command(
        name="stop-at-nan",
        label="Stop at NaN",
        help="Makes Continue stop where a NaN or an infinity is born, or run on.",
        section="Run",
        icon="nan",
        enabled="open",
        api="Session.stop_at_nonfinite",
        magic=Magic(
            "nonfinite [on|off]",
            "Makes `continue` stop where a NaN or an infinity is born (it does), or run on.",
        ),
    ),
    Command(
        name="restart",
        label="Restart",
        help="Goes back to before the first node.",
        section="Run",
        icon="restart",
        enabled="can_restart",
        menus=("graph",),
        api="Session.restart",
        magic=Magic("restart", "Goes back to before the first node."),
    ),
    Command(
        name="seek",
        label="Go to a position",
        help="Goes to where so many nodes are done; in the view by the slider and the list of events.",
        section="Run",
        in_view=False,
        api="Session.seek",
        magic=Magic("seek N", "Goes to where N nodes are done.", "number"),
    ),
    Command(
        name="stop",
        label="Stop",
        help="Closes the session and lets go of what it holds.",
        section="Run",
        icon="stop",
        keys=("Shift F9",),
        enabled="open",
        api="Session.close",
        magic=Magic("close", "Abandons the newest session and lets go of what it holds."),
    ),
)

_GRAPH = (
    Command(
        name="open",
        label="Select or open",
        help="Selects the node; opens or closes the group.",
        section="Graph",
        keys=("Enter", "Space"),
        reach="graph",
        menus=("group",),
    ),
    Command(
        name="outwards",
        label="Out to the group around",
        help="Goes to the title of the group around.",
        section="Graph",
        keys=("Backspace",),
        reach="graph",
    ),
    Command(
        name="previous-cell",
        label="Cell before",
        help="Shows the one before, of equal groups.",
        section="Graph",
        keys=("[",),
        reach="graph",
        menus=("group",),
    ),
    Command(
        name="next-cell",
        label="Cell after",
        help="Shows the one after, of equal groups.",
        section="Graph",
        keys=("]",),
        reach="graph",
        menus=("group",),
    ),
    Command(
        name="next-problem",
        label="Next problem",
        help="Selects the next node that failed, or whose saved value is stale or gradient not finite.",
        section="Graph",
        icon="warning",
        keys=("n",),
        menus=("graph",),
    ),
    Command(
        name="search",
        label="Search nodes",
        help="Finds nodes by name, variable, scope or source line.",
        section="Graph",
        icon="search",
        keys=("/",),
        menus=("graph",),
    ),
    Command(
        name="zoom-to-fit",
        label="Zoom to fit",
        help="Shows the whole graph.",
        section="Graph",
        icon="fit",
        keys=("f",),
        reach="graph",
        menus=("graph",),
    ),
    Command(
        name="zoom-to-selection",
        label="Zoom to the selection",
        help="Comes close to the selected node.",
        section="Graph",
        keys=("z",),
        reach="graph",
        menus=("node",),
    ),
    Command(
        name="zoom-in",
        label="Zoom in",
        help="Comes nearer.",
        section="Graph",
        icon="plus",
        keys=("+", "="),
        reach="graph",
    ),
    Command(
        name="zoom-out",
        label="Zoom out",
        help="Goes further away.",
        section="Graph",
        icon="minus",
        keys=("-",),
        reach="graph",
    ),
    Command(
        name="fold-all",
        label="Fold all groups",
        help="Closes every group.",
        section="Graph",
        icon="fold",
        menus=("graph", "group"),
    ),
    Command(
        name="open-groups",
        label="Open groups, one level more",
        help="Opens every group that is drawn closed.",
        section="Graph",
        icon="unfold",
        menus=("graph", "group"),
    ),
    Command(
        name="colour-by-gradient",
        label="Colour by gradient",
        help="Lets colours say how large gradients are, or how far the run is.",
        section="Graph",
        icon="heat",
        menus=("graph",),
    ),
    Command(
        name="menu",
        label="Menu",
        help="Lists what can be done with what has the focus.",
        section="Graph",
        keys=("m", "ContextMenu"),
        reach="graph",
    ),
)

_VIEW = (
    Command(
        name="follow",
        label="Follow the run",
        help="Lets the selection go along with the run, or stay.",
        section="View",
        icon="follow",
        keys=("Escape",),
        reach="graph",
        menus=("node", "graph"),
    ),
    Command(
        name="next-part",
        label="Next part",
        help="Goes to the next part of the view: toolbar, graph, inspector and so on.",
        section="View",
        keys=("F6",),
    ),
    Command(
        name="previous-part",
        label="Previous part",
        help="Goes to the part of the view before.",
        section="View",
        keys=("Shift F6",),
    ),
    Command(
        name="presentation",
        label="Presentation size",
        help="Draws everything larger, for a projector, or as before.",
        section="View",
        icon="presentation",
        keys=("p",),
        enabled="always",
    ),
    Command(
        name="pop-out",
        label="Open in a tab",
        help="Shows the session in a tab of its own, which can be put anywhere.",
        section="View",
        icon="popOut",
        by_host=True,
    ),
    Command(
        name="open-window",
        label="Open in a window",
        help="Shows the session in a window of its own, for a second screen.",
        section="View",
        icon="window",
        by_host=True,
    ),
    Command(
        name="help",
        label="Help",
        help="Shows keys, signs, and how the same is written in code.",
        section="View",
        icon="help",
        keys=("?",),
        enabled="always",
    ),
)

_NOTEBOOK = (
    Command(
        name="open-panel",
        label="Show the backward graph panel",
        help="Draws and steps the newest session of the notebook in front, beside it.",
        section="Notebook",
        by_host=True,
        enabled="always",
    ),
    Command(
        name="debug",
        label="Debug",
        help="Opens the backward of a tensor, stopped before its first node, and shows the live view.",
        section="Notebook",
        in_view=False,
        api="debug",
        magic=Magic(
            "debug TENSOR",
            "Opens the backward of a tensor, stopped before its first node, and shows the live view.",
            "tensor",
        ),
    ),
    Command(
        name="graph",
        label="Graph",
        help="Draws the backward graph of a tensor; nothing is run.",
        section="Notebook",
        in_view=False,
        api="graph",
        magic=Magic(
            "graph TENSOR", "Shows the backward graph of a tensor; nothing is run.", "tensor"
        ),
    ),
    Command(
        name="saved",
        label="Saved tensors",
        help="Lists what nodes have saved, with versions: what is stale, and what was let go of.",
        section="Notebook",
        in_view=False,
        api="Session.saved",
        magic=Magic("saved", "Lists the saved tensors of the newest session, with their versions."),
    ),
    Command(
        name="versions",
        label="Versions",
        help="Shows who wrote a tensor in place, and which saved values rely on it.",
        section="Notebook",
        in_view=False,
        api="versions",
        magic=Magic(
            "versions [TENSOR]",
            "Shows who wrote a tensor in place, and which saved values rely on it; "
            "without one, the session's.",
            "tensor",
        ),
    ),
    Command(
        name="record",
        label="Record",
        help="Records what is computed in a block or a cell, forward and backward.",
        section="Notebook",
        in_view=False,
        api="record",
        magic=Magic("record [NAME]", "Records the cell; NAME gets the recording.", cell=True),
    ),
)

COMMANDS: tuple[Command, ...] = (*_RUN, *_GRAPH, *_VIEW, *_NOTEBOOK)

GESTURES: tuple[Gesture, ...] = (
    Gesture("Arrows", "Walk the graph: up and down along edges, to the sides at the same height."),
    Gesture("Home End", "To the first and the last box."),
    Gesture("Wheel", "Zooms once the graph has the focus; with Ctrl always."),
    Gesture("Drag, pinch", "Move the graph, and zoom with two fingers."),
    Gesture("Right click, long press", "The menu of a node or group."),
    Gesture("Escape", "Closes help, search or a menu; from the toolbar back to the graph."),
)


def magics() -> dict[str, Magic]:
    """By the word behind ``%vizgrad``."""
    return {c.magic.name: c.magic for c in COMMANDS if c.magic is not None}
