"""What opens a view, and what is told in a cell."""

from __future__ import annotations

from vizgrad.commands.kinds import Command, Magic

NOTEBOOK: tuple[Command, ...] = (
    Command(
        name="toggle-line-breakpoint",
        label="Add breakpoint at line",
        help="Makes Continue stop before what the line with the cursor recorded, or not any more.",
        section="Notebook",
        by_host=True,
    ),
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
