"""The commands and preferences as the browser and JupyterLab read them, and as a page of the course."""

from __future__ import annotations

import json
from typing import Any, get_args

from vizgrad.debugger import commands
from vizgrad.debugger.commands import COMMANDS, GESTURES, SAID, Command
from vizgrad.debugger.jupyter.widget.line_messages import PREFERENCES
from vizgrad.debugger.jupyter.widget.typescript_fields import comment, quoted

#: The plugin whose setting page it is, and what the keys are bound to: any view, wherever it is.
SELECTOR = ".vg-root"
#: Characters of a US keyboard, by which JupyterLab names keys, that are written with Shift.
SHIFTED = dict(zip('~!@#$%^&*()_+{}|:"<>?', "`1234567890-=[]\\;',./", strict=True))

IN_VIEW = tuple(command for command in COMMANDS if command.in_view)


def commands_ts() -> str:
    """`extension/src/protocol/commands.ts`."""
    icons = sorted({command.icon for command in IN_VIEW if command.icon})
    parts = [
        "// Made by `make types` from debugger/commands/ and jupyter/widget/preferences.py: do not edit.\n"
        + comment("Commands and preferences: declared once, in Python."),
        _union("CommandName", [command.name for command in IN_VIEW]),
        _union("CommandIcon", icons),
        _union("Section", get_args(commands.Section)),
        _union("Enabled", get_args(commands.Enabled)),
        _union("MenuOf", get_args(commands.Menu)),
        _INTERFACES,
        "// prettier-ignore\nexport const COMMANDS: readonly Command[] = [\n"
        + "".join(f"  {_row(command)},\n" for command in IN_VIEW)
        + "];\n",
        "// prettier-ignore\nexport const IN_CODE: readonly InCode[] = [\n"
        + "".join(f"  {_in_code(c)},\n" for c in COMMANDS if not c.in_view)
        + "];\n",
        "// prettier-ignore\nexport const GESTURES: readonly Gesture[] = [\n"
        + "".join(f"  {_object(keys=g.keys, help=g.help)},\n" for g in GESTURES)
        + "];\n",
        "// prettier-ignore\nexport const PREFERENCES = {\n"
        + "".join(f"  {p.name}: {_default(p.default, p.choices)},\n" for p in PREFERENCES)
        + "};\n",
        "export type Preferences = typeof PREFERENCES;\n",
    ]
    return "\n".join(parts)


_INTERFACES = """\
export interface Command {
  readonly name: CommandName;
  readonly label: string;
  /** Instead of the label in a menu, where it is on already. */
  readonly labelOn: string;
  readonly help: string;
  readonly section: Section;
  readonly icon: CommandIcon | null;
  /** As `strokeOf` writes what was pressed. */
  readonly keys: readonly string[];
  /** Where the keys work: anywhere in the view, or where the graph has the focus. */
  readonly reach: 'view' | 'graph';
  readonly enabled: Enabled;
  readonly menus: readonly MenuOf[];
  /** Only where the host of the view offers it. */
  readonly byHost: boolean;
  /** How the same is written in code, and as a magic; '' if it cannot be. */
  readonly code: string;
  readonly magic: string;
}

/** What only code and magics do. */
export interface InCode {
  readonly label: string;
  readonly help: string;
  readonly code: string;
  readonly magic: string;
}

export interface Gesture {
  readonly keys: string;
  readonly help: string;
}
"""


def _row(command: Command) -> str:
    return _object(
        name=command.name,
        label=command.label,
        labelOn=command.label_on or command.label,
        help=command.help,
        section=command.section,
        icon=command.icon or None,
        keys=command.keys,
        reach=command.reach,
        enabled=command.enabled,
        menus=command.menus,
        byHost=command.by_host,
        code=command.code,
        magic=command.magic.written if command.magic else "",
    )


def _in_code(command: Command) -> str:
    magic = command.magic.written if command.magic else ""
    return _object(label=command.label, help=command.help, code=command.code, magic=magic)


def _object(**fields: str | bool | tuple[str, ...] | None) -> str:
    return "{ " + ", ".join(f"{key}: {_value(value)}" for key, value in fields.items()) + " }"


def _value(value: str | bool | tuple[str, ...] | None) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    return quoted(value)


def _default(default: bool, choices: tuple[str, ...]) -> str:
    if choices:
        return f"{quoted(choices[0])} as {' | '.join(map(quoted, choices))}"
    return f"{str(default).lower()} as boolean"


def _union(name: str, words: Any) -> str:
    return f"// prettier-ignore\nexport type {name} = {' | '.join(map(quoted, words))};\n"


# --- JupyterLab ---------------------------------------------------------------------------------------


def lab_key(key: str) -> str:
    """A key as JupyterLab writes it: "b" is B, "?" is Shift /."""
    if len(key) > 1:
        return key
    return f"Shift {SHIFTED[key]}" if key in SHIFTED else key.upper()


def schema() -> str:
    """`extension/schema/panel.json`: the setting page, and the keys, which a person can change."""
    shortcuts = [
        {"command": f"vizgrad:{command.name}", "keys": [lab_key(key)], "selector": SELECTOR}
        for command in IN_VIEW
        for key in command.keys
    ]
    properties = {
        p.name: {
            "title": p.title,
            "description": p.help,
            **(
                {"type": "string", "enum": list(p.choices), "default": p.choices[0]}
                if p.choices
                else {"type": "boolean", "default": p.default}
            ),
        }
        for p in PREFERENCES
    }
    page = {
        "title": "vizgrad",
        "description": "Views of a backward. Their keys are under Keyboard Shortcuts.",
        "jupyter.lab.setting-icon": "vizgrad:graph",
        "jupyter.lab.setting-icon-label": "vizgrad",
        "jupyter.lab.shortcuts": shortcuts,
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }
    return json.dumps(page, indent=2) + "\n"


# --- documentation ------------------------------------------------------------------------------------


def page() -> str:
    """`notebooks/commands.md`."""
    lines = [
        "# Commands",
        "",
        "<!-- Made by `make types` from `vizgrad/debugger/commands/`: do not edit. -->",
        "",
        "These commands are on buttons, in the menu of a node (right click, `m`), in JupyterLab's",
        "palette under *vizgrad*, and,",
        "where there is one, a method and a magic (after `%load_ext vizgrad`). Keys can be changed in",
        "JupyterLab's *Settings > Keyboard Shortcuts*, the settings at the end under *Settings > vizgrad*.",
        "A magic is about the current session: the one that was opened, moved or chosen in a view last.",
        "",
        "In the code " + ", ".join(f"`{name}` is {what}" for name, what in SAID.items()) + ".",
    ]
    for section in get_args(commands.Section):
        lines += [
            "",
            f"## {section}",
            "",
            "| command | | key | code | magic |",
            "|---|---|---|---|---|",
        ]
        lines += [
            f"| {c.label} | {c.help} | {_keys(c)} | {_code(c.code)} | "
            f"{_code(c.magic.written if c.magic else '')} |"
            for c in COMMANDS
            if c.section == section
        ]
    lines += ["", "## Navigation", "", "| | |", "|---|---|"]
    lines += [f"| {g.keys} | {g.help} |" for g in GESTURES]
    lines += ["", "## Settings", "", "| | | |", "|---|---|---|"]
    lines += [
        f"| {p.title} | {' / '.join(p.choices) or 'on / off'} | {p.help} |" for p in PREFERENCES
    ]
    return "\n".join(lines) + "\n"


def _keys(command: Command) -> str:
    return " ".join(map(_code, command.keys))


def _code(text: str) -> str:
    """As code in a cell of a table, which a bar would end."""
    return "`{}`".format(text.replace("|", "\\|")) if text else ""
