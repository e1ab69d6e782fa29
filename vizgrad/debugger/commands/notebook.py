"""Commands that open a view, and commands that print in a cell."""

from __future__ import annotations

from vizgrad.debugger.commands.kinds import Command, Magic

NOTEBOOK: tuple[Command, ...] = (
    Command(
        name="toggle-line-breakpoint",
        label="Add breakpoint at line",
        help="Pause each time the run arrives at the line with the cursor, or remove that breakpoint.",
        section="Notebook",
        by_host=True,
    ),
    Command(
        name="choose-line-node",
        label="Choose a node of the line",
        help="Move to the list of nodes that the line with the cursor recorded, if there are several.",
        section="Notebook",
        by_host=True,
    ),
    Command(
        name="show-value",
        label="Show value at cursor",
        help="Show shape, statistics and a picture of the variable at the cursor, where the run stands.",
        section="Notebook",
        by_host=True,
    ),
    Command(
        name="open-panel",
        label="Show the backward graph panel",
        help="Open the newest session of the active notebook in the side panel.",
        section="Notebook",
        by_host=True,
        enabled="always",
    ),
    Command(
        name="debug",
        label="Debug",
        help="Open the backward pass of a tensor, paused before its first node, and show the live view.",
        section="Notebook",
        in_view=False,
        code="vizgrad.debug(loss)",
        magic=Magic(
            "debug TENSOR",
            "Open the backward pass of a tensor, paused before its first node, and show the live view.",
            "tensor",
        ),
    ),
    Command(
        name="graph",
        label="Graph",
        help="Draw the backward graph of a tensor without running it.",
        section="Notebook",
        in_view=False,
        code="vizgrad.graph(loss)",
        magic=Magic(
            "graph TENSOR", "Draw the backward graph of a tensor without running it.", "tensor"
        ),
    ),
    Command(
        name="saved",
        label="Saved tensors",
        help="List saved tensors with their versions, and mark stale and released ones.",
        section="Notebook",
        in_view=False,
        code="session.saved",
        magic=Magic("saved", "List the saved tensors of the current session, with their versions."),
    ),
    Command(
        name="versions",
        label="Versions",
        help="List the in-place writes to a tensor, and the saved values that depend on them.",
        section="Notebook",
        in_view=False,
        code="vizgrad.versions(w)",
        magic=Magic(
            "versions [TENSOR]",
            "List the in-place writes to a tensor, and the saved values that depend on them; "
            "without TENSOR, for the current session.",
            "tensor",
        ),
    ),
    Command(
        name="memory",
        label="Memory of the notebook",
        help="List all storages, what holds them, and which variables keep graphs alive.",
        section="Notebook",
        icon="memory",
        enabled="always",
        code="vizgrad.memory()",
        magic=Magic(
            "memory",
            "List all storages, what holds them, and which variables keep graphs alive.",
        ),
    ),
    Command(
        name="refresh-memory",
        label="Refresh memory",
        help="Read the memory of the notebook again.",
        section="Notebook",
        icon="refresh",
        enabled="always",
    ),
    Command(
        name="check",
        label="Check a Function",
        help="Test a custom Function on example inputs, and report each error with its line.",
        section="Notebook",
        in_view=False,
        code="vizgrad.check(Square, x)",
        magic=Magic(
            "check FUNCTION INPUTS",
            "Test a custom Function on example inputs, and report each error with its line.",
        ),
    ),
    Command(
        name="card",
        label="Capability card",
        help="Draw the abilities of a custom Function: passed on the example inputs, failed, or untested.",
        section="Notebook",
        in_view=False,
        code="vizgrad.card(Square, x)",
        magic=Magic(
            "card FUNCTION INPUTS",
            "Draw the abilities of a custom Function: passed on the example inputs, failed, or untested.",
        ),
    ),
    Command(
        name="record",
        label="Record",
        help="Record the forward and backward operations of a block or cell.",
        section="Notebook",
        in_view=False,
        code="with vizgrad.record() as recording: train()",
        magic=Magic("record [NAME]", "Record the cell; NAME refers to the recording.", cell=True),
    ),
    Command(
        name="watch",
        label="Watch",
        help="Watch a block or cell, and report its silent problems, worst first.",
        section="Notebook",
        in_view=False,
        code="with vizgrad.watch() as watched: train()",
        magic=Magic(
            "watch [NAME] [--keep N]",
            "Watch the cell, and report its silent problems; NAME refers to the watch. --keep keeps the "
            "last N backwards as traces, and the first N in which something was found.",
            cell=True,
        ),
    ),
    Command(
        name="watch-cells",
        label="Watch every cell",
        help="Note the lines and modules of PyTorch's nodes in every cell, as a watch does for a block.",
        section="Notebook",
        in_view=False,
        code="with vizgrad.watch(): loss = train()",
        magic=Magic(
            "watch on|off",
            "Note the lines and modules of PyTorch's nodes in every cell from here on, or stop doing so.",
        ),
    ),
    Command(
        name="debug-cell",
        label="Debug a cell",
        help="Run a cell up to its first backward() and debug it there, with the local variables at hand.",
        section="Notebook",
        in_view=False,
        code="vizgrad.debug(loss)",
        magic=Magic(
            "debug [NAME] [--at N] [--when CONDITION] [--each]",
            "Stop the cell before its first backward(), its N-th, or the first for which a condition holds "
            "(`loss > 10`), or pause at each in turn; NAME refers to the session.",
            cell=True,
        ),
    ),
    Command(
        name="load-trace",
        label="Load a trace",
        help="Load a trace from a file, to view and step like a session; nothing is computed.",
        section="Notebook",
        in_view=False,
        code='vizgrad.load_trace("run.vgtrace")',
        magic=Magic("load FILE", "Load a saved trace, and show it."),
    ),
    Command(
        name="attach",
        label="Attach to a program",
        help="Look at a program that runs under `python -m vizgrad`: losses, norms, findings, and its stop.",
        section="Notebook",
        in_view=False,
        code="vizgrad.attach(pid)",
        magic=Magic(
            "attach [PID [COMMAND]]",
            "Look at a program that runs under `python -m vizgrad`, or list those that run; "
            "a command is one of its debugger.",
        ),
    ),
    Command(
        name="save-trace",
        label="Save the trace",
        help="Save the steps so far as a file beside the notebook; it opens without a kernel.",
        section="Notebook",
        icon="save",
        enabled="open",
        menus=("graph",),
        code='session.save("run.vgtrace")',
        magic=Magic(
            "save [--full] FILE",
            "Save the trace of the session as a file (.vgtrace), or as a page (.html), of at most "
            "2 MB; `--full` keeps all gradients.",
        ),
    ),
)
