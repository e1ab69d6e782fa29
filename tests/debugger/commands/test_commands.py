"""The one list of commands agrees with everything that is made from it, and with what does the work."""

from __future__ import annotations

import inspect
import json
import re

import pytest

import vizgrad
from vizgrad.debugger.commands import COMMANDS, Command, magics
from vizgrad.debugger.jupyter.magics.extension import usage
from vizgrad.debugger.jupyter.magics.line_commands import RUN
from vizgrad.debugger.jupyter.widget import typescript
from vizgrad.debugger.jupyter.widget.line_messages import PREFERENCES
from vizgrad.debugger.jupyter.widget.typescript_commands import lab_key
from vizgrad.debugger.session.session import Session

#: What moves a session, sets where it stops, or ends it; the rest of `Session` looks.
MOVING = {
    "step",
    "back",
    "continue_",
    "run_to",
    "seek",
    "restart",
    "close",
    "break_at",
    "stop_at_nonfinite",
    "pause",
    "stage",
    "step_in",
    "step_out",
    "run_to_leaf",
    "set_grad",
    "branch",
    "switch",
    "drop_branch",
}
IN_VIEW = [command for command in COMMANDS if command.in_view]


def made(name: str) -> str:
    (path,) = (path for path in typescript.files() if path.name == name)
    return path.read_text("utf-8")


def test_names_labels_and_keys_are_each_given_once() -> None:
    names = [command.name for command in COMMANDS]
    labels = [command.label for command in COMMANDS]
    keys = [key for command in COMMANDS for key in command.keys]
    assert len(set(names)) == len(names) > 25
    assert len(set(labels)) == len(labels)
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_a_command_is_told_in_a_sentence_and_can_be_reached(command: Command) -> None:
    assert re.fullmatch(r"[A-Z][^.]*[^. ]\.", command.help)
    # "Run the next node", not "Runs the next node": a tooltip and a line of help are imperatives
    for text in (command.help, command.magic.help if command.magic else command.help):
        assert not re.match(r"\w+(?<!s)s\b", text), text
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", command.name)
    if not command.in_view:
        assert command.api
        assert command.magic
        assert (command.keys, command.menus, command.icon) == ((), (), "")


@pytest.mark.parametrize(
    "command", [c for c in COMMANDS if c.api], ids=lambda command: command.name
)
def test_what_code_calls_exists(command: Command) -> None:
    owner, _, method = command.api.rpartition(".")
    found = getattr({"Session": Session, "": vizgrad}[owner], method)
    assert inspect.getdoc(found)
    # A property is shown as one: `session.saved`, not `session.saved()`.
    assert (f"{method}(" in command.code) is not isinstance(found, property)


def test_every_method_that_moves_a_session_is_a_command() -> None:
    methods = {c.api.removeprefix("Session.") for c in COMMANDS if c.api.startswith("Session.")}
    looking = {"saved", "breakpoints", "branches", "compare", "save", "second", "watches"}
    assert methods - looking == MOVING
    # A new public method that runs something is to be added here, and there.
    source = "".join(inspect.getsource(part) for part in Session.__mro__[:-1])
    moved = set(re.findall(r"    def ([a-z]\w*)\([^)]*\) -> Where:", source))
    assert moved - {"where"} <= MOVING


def test_magics_are_what_is_declared() -> None:
    lines = {name for name, magic in magics().items() if not magic.cell}
    assert set(RUN) == lines
    for magic in magics().values():
        assert re.search(
            rf"^  {re.escape(magic.written)} +{re.escape(magic.help)}$", usage(), re.MULTILINE
        )


def test_jupyterlab_offers_every_key_to_be_changed() -> None:
    page = json.loads(made("panel.json"))
    bound = {(row["command"], *row["keys"]) for row in page["jupyter.lab.shortcuts"]}
    assert bound == {(f"vizgrad:{c.name}", lab_key(key)) for c in IN_VIEW for key in c.keys}
    assert {row["selector"] for row in page["jupyter.lab.shortcuts"]} == {".vg-root"}
    assert set(page["properties"]) == {p.name for p in PREFERENCES}


def test_keys_are_written_as_jupyterlab_does() -> None:
    assert [lab_key(key) for key in ("b", "?", "+", "-", "[", "Shift F10", "Enter")] == (
        ["B", "Shift /", "Shift =", "-", "[", "Shift F10", "Enter"]
    )


def test_the_browser_knows_the_same_commands() -> None:
    text = made("commands.ts")
    rows = re.findall(r"^  \{ name: '([\w-]+)', label: '([^']+)'", text, re.MULTILINE)
    assert rows == [(c.name, c.label) for c in IN_VIEW]


def test_the_documentation_lists_all() -> None:
    text = made("commands.md").partition("## Navigation")[0]
    for command in COMMANDS:
        (row,) = (line for line in text.splitlines() if line.startswith(f"| {command.label} |"))
        assert command.help in row
        assert all(f"`{key}`" in row for key in command.keys)
        # a bar would end the cell
        assert command.magic is None or f"`{command.magic.written}`" in row.replace("\\|", "|")
        assert row.replace("\\|", "").count("|") == 6
