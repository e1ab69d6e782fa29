"""What moves a session."""

from __future__ import annotations

from vizgrad.commands.kinds import Command, Magic

RUN: tuple[Command, ...] = (
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
            "break NODE [if CONDITION] [hits N]",
            "Makes `continue` stop before nodes with this name, pattern or number, or recorded at a line"
            " (`:7` of the newest cell, `train.py:7`); or behind a visit: `when CONDITION`,"
            " `written TENSOR`.",
            "node",
        ),
    ),
    Command(
        name="breakpoints",
        label="Breakpoints",
        help="Lists all breakpoints, with what they ask and how often they came about.",
        section="Run",
        in_view=False,
        api="Session.breakpoints",
        magic=Magic(
            "breakpoints [on|off|remove N, clear]",
            "Lists the breakpoints of the newest session; switches one on or off, or takes it away.",
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
