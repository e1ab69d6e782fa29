"""Where the view is seen, and how."""

from __future__ import annotations

from vizgrad.debugger.commands.kinds import Command

VIEW: tuple[Command, ...] = (
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
