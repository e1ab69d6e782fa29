"""Commands that open a view, and commands that print in a cell."""

from __future__ import annotations

from vizgrad.debugger.commands.kinds import Command, Magic

NOTEBOOK: tuple[Command, ...] = (
    Command(
        name="toggle-line-breakpoint",
        label="Add breakpoint at line",
        help="Makes Continue stop before what the line with the cursor recorded, or not any more.",
        section="Notebook",
        by_host=True,
    ),
    Command(
        name="choose-line-node",
        label="Choose a node of the line",
        help="Goes to the list of the nodes that the line with the cursor recorded, if these are several.",
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
        code="vizgrad.debug(loss)",
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
        code="vizgrad.graph(loss)",
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
        code="session.saved",
        magic=Magic("saved", "Lists the saved tensors of the newest session, with their versions."),
    ),
    Command(
        name="versions",
        label="Versions",
        help="Shows who wrote a tensor in place, and which saved values rely on it.",
        section="Notebook",
        in_view=False,
        code="vizgrad.versions(w)",
        magic=Magic(
            "versions [TENSOR]",
            "Shows who wrote a tensor in place, and which saved values rely on it; "
            "without one, the session's.",
            "tensor",
        ),
    ),
    Command(
        name="memory",
        label="Memory of the notebook",
        help="Lists all storages, who holds them, and which variables keep graphs alive.",
        section="Notebook",
        icon="memory",
        enabled="always",
        code="vizgrad.memory()",
        magic=Magic(
            "memory",
            "Lists all storages, who holds them, and which variables keep graphs alive.",
        ),
    ),
    Command(
        name="refresh-memory",
        label="Read the memory again",
        help="Reads again what lives in the memory of the notebook, and who holds it.",
        section="Notebook",
        icon="refresh",
        enabled="always",
    ),
    Command(
        name="check",
        label="Check a Function",
        help="Examines a custom Function on example inputs, and says what is wrong with it, line by line.",
        section="Notebook",
        in_view=False,
        code="vizgrad.check(Square, x)",
        magic=Magic(
            "check FUNCTION INPUTS",
            "Examines a custom Function on example inputs, and says what is wrong with it.",
        ),
    ),
    Command(
        name="card",
        label="Capability card",
        help="Draws what a custom Function can do: each proven on example inputs, failed, or untested.",
        section="Notebook",
        in_view=False,
        code="vizgrad.card(Square, x)",
        magic=Magic(
            "card FUNCTION INPUTS",
            "Draws what a custom Function can do: each proven on example inputs, failed, or untested.",
        ),
    ),
    Command(
        name="record",
        label="Record",
        help="Records what is computed in a block or a cell, forward and backward.",
        section="Notebook",
        in_view=False,
        code="with vizgrad.record() as recording: train()",
        magic=Magic("record [NAME]", "Records the cell; NAME gets the recording.", cell=True),
    ),
    Command(
        name="watch",
        label="Watch",
        help="Listens to a block or a cell, and tells its silent problems, worst first.",
        section="Notebook",
        in_view=False,
        code="with vizgrad.watch() as watched: train()",
        magic=Magic(
            "watch [NAME]",
            "Listens to the cell and tells its silent problems; NAME gets the watch.",
            cell=True,
        ),
    ),
    Command(
        name="debug-cell",
        label="Debug a cell",
        help="Stops a cell before its first backward, and opens that; what the calling frames know is left.",
        section="Notebook",
        in_view=False,
        code="vizgrad.debug(loss)",
        magic=Magic(
            "debug [NAME] [--at N] [--when CONDITION] [--each]",
            "Stops the cell before its first backward, its N-th, or the first for which a condition holds "
            "(`loss > 10`), or goes on behind each; NAME gets the session.",
            cell=True,
        ),
    ),
    Command(
        name="load-trace",
        label="Load a trace",
        help="Reads a trace from a file; it is shown and stepped like a session, and nothing is run.",
        section="Notebook",
        in_view=False,
        code='vizgrad.load_trace("run.vgtrace")',
        magic=Magic("load FILE", "Reads a trace that was saved, and shows it."),
    ),
    Command(
        name="save-trace",
        label="Save the trace",
        help="Writes what was stepped so far to a file, or as one page for any browser.",
        section="Notebook",
        in_view=False,
        code='session.trace.save("run.vgtrace")',
        magic=Magic(
            "save FILE",
            "Writes the trace of the newest session to a file (.vgtrace), or a page (.html).",
        ),
    ),
)
