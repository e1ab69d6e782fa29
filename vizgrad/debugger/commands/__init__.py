"""Every command of vizgrad, each declared once.

Made from here: the magics with their help and completion (`vizgrad.debugger.jupyter.magics`),
and, written by ``make types``, the browser's list (`extension/src/protocol/commands.ts`: labels, menus,
keys, palette, help), JupyterLab's setting page with the keys that can be given anew
(`extension/schema/panel.json`), and the page of the documentation (`notebooks/commands.md`). The
code of each is elsewhere; tests check that both agree.
"""

from __future__ import annotations

from vizgrad.debugger.commands.graph import GRAPH
from vizgrad.debugger.commands.kinds import SAID as SAID
from vizgrad.debugger.commands.kinds import VIEW
from vizgrad.debugger.commands.kinds import Argument as Argument
from vizgrad.debugger.commands.kinds import Command as Command
from vizgrad.debugger.commands.kinds import Enabled as Enabled
from vizgrad.debugger.commands.kinds import Gesture as Gesture
from vizgrad.debugger.commands.kinds import Magic as Magic
from vizgrad.debugger.commands.kinds import Menu as Menu
from vizgrad.debugger.commands.kinds import Reach as Reach
from vizgrad.debugger.commands.kinds import Section as Section
from vizgrad.debugger.commands.notebook import NOTEBOOK
from vizgrad.debugger.commands.run import RUN

COMMANDS: tuple[Command, ...] = (*RUN, *GRAPH, *VIEW, *NOTEBOOK)

GESTURES: tuple[Gesture, ...] = (
    Gesture(
        "Arrows", "Move through the graph: up and down along edges, sideways on the same level."
    ),
    Gesture("Home End", "Go to the first or the last box."),
    Gesture("PageDown PageUp", "In the Teach layout: step, and step back; a clicker sends these."),
    Gesture("Wheel", "Zoom, if the graph has the focus; with Ctrl, always."),
    Gesture("Drag, pinch", "Move the graph, and zoom with two fingers."),
    Gesture("Right click, long press", "Open the menu of a node or group."),
    Gesture("Escape", "Close help, search or a menu; from the toolbar, return to the graph."),
)


def magics() -> dict[str, Magic]:
    """By the word behind ``%vizgrad``; of cell magics with ``%%`` before it."""
    found = (c.magic for c in COMMANDS if c.magic is not None)
    return {f"{'%%' if magic.cell else ''}{magic.name}": magic for magic in found}
