"""Registers the magics, their completion and their help with IPython."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from IPython.core.error import UsageError as IPythonUsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class
from traitlets import Bool

from vizgrad.core.error_lines import set_magics
from vizgrad.debugger import api
from vizgrad.debugger.commands import COMMANDS, magics
from vizgrad.debugger.jupyter.magics import every_cell
from vizgrad.debugger.jupyter.magics.debug_cell import debug_cell
from vizgrad.debugger.jupyter.magics.line_commands import RUN, UsageError, tensor_types
from vizgrad.debugger.jupyter.magics.px_cell import PxCells
from vizgrad.debugger.jupyter.magics.tracebacks import Tracebacks, shown_once
from vizgrad.debugger.session import registry

if TYPE_CHECKING:
    from vizgrad.debugger.explain.watch_block import Watch


#: The first commands of a new user. All others follow by section.
_FIRST = ("debug", "%%debug", "step", "back", "continue", "%%watch", "why")


def usage() -> str:
    """All commands, a line each: the first ones, then by section."""
    declared = magics()
    sections = {c.magic: c.section for c in COMMANDS if c.magic is not None}
    width = max(len(magic.written) for magic in declared.values())
    parts = [("First commands:", [declared[name] for name in _FIRST])]
    for section in dict.fromkeys(sections.values()):
        others = [
            magic
            for name, magic in declared.items()
            if name not in _FIRST and sections[magic] == section
        ]
        if others:
            parts.append((f"{section}:", others))
    return "\n\n".join(
        "\n".join([title, *(f"  {each.written:<{width}}  {each.help}" for each in these)])
        for title, these in parts
    )


def watch_arguments(text: str) -> tuple[str, int]:
    """The name and the number of backwards in ``%%vizgrad watch NAME --keep N``; UsageError for others."""
    words, keep = text.split(), 0
    if "--keep" in words:
        place = words.index("--keep")
        number = words[place + 1 : place + 2]
        if not number or not number[0].isdecimal():
            raise UsageError(
                "--keep takes a number of backwards, from 0; usage: %%vizgrad watch [NAME] [--keep N]"
            )
        keep = int(number[0])
        del words[place : place + 2]
    return " ".join(words), keep


#: Shell -> its magics, its tracebacks, and what follows a cell that runs on engines.
_LOADED: dict[Any, tuple[VizgradMagics, Tracebacks, PxCells]] = {}


@magics_class
class VizgradMagics(Magics):
    """``%vizgrad`` and ``%%vizgrad``."""

    #: ``%config VizgradMagics.full_tracebacks = True``
    full_tracebacks = Bool(
        False, help="Show the frames of vizgrad and of PyTorch's backward in tracebacks."
    ).tag(config=True)

    @line_cell_magic
    def vizgrad(self, line: str, cell: str | None = None) -> Any:
        """Look at, and step, the backward pass of a tensor. See ``%vizgrad`` alone for the commands."""
        name, _, rest = line.strip().partition(" ")
        if cell is not None:
            return self._cell(name, rest.strip(), cell)
        if not name or name == "help":
            print(usage())  # noqa: T201  the answer to a question typed in a cell
            return None
        run = RUN.get(name)
        if run is None:
            raise IPythonUsageError(f"%vizgrad has no command {name!r}.\n{usage()}")
        try:
            return run(self.shell, rest)
        except UsageError as error:
            raise IPythonUsageError(str(error)) from None

    def _cell(self, name: str, rest: str, cell: str) -> Any:
        if name == "debug":
            try:
                return debug_cell(self.shell, rest, cell)
            except UsageError as error:
                raise IPythonUsageError(str(error)) from None
        if name not in ("record", "watch"):
            raise IPythonUsageError(f"%%vizgrad has no command {name!r}.\n{usage()}")
        keep = 0
        if name == "watch":
            try:
                rest, keep = watch_arguments(rest)
            except UsageError as error:
                raise IPythonUsageError(str(error)) from None
        if rest and not rest.isidentifier():
            raise IPythonUsageError(f"{rest!r} is not a name for the recording")
        shell: Any = self.shell
        listening = api.watch(keep=keep) if name == "watch" else api.record(rest or "cell")
        with listening as made, shown_once(shell):
            if name == "watch":  # its cell can speak of it
                cast("Watch", made).is_value = True
                shell.push({rest: made} if rest else {})
            result = shell.run_cell(cell)
        if rest:
            shell.push({rest: made})
        result.raise_error()
        return made


# what `%vizgrad?` shows
VizgradMagics.vizgrad.__doc__ = f"{VizgradMagics.vizgrad.__doc__}\n\n{usage()}\n"


def complete(shell: Any, event: Any) -> list[str]:
    """Completion of ``%vizgrad COMMAND ARGUMENT``: commands, tensors of the namespace, node names."""
    words = event.line.split()
    if event.line.endswith(" "):
        words.append("")
    if len(words) <= 2:
        cell = words[0].startswith("%%")
        return sorted(magic.name for magic in magics().values() if magic.cell == cell)
    magic = magics().get(words[1])
    if magic is None or len(words) > 3:
        return []
    if magic.argument == "tensor":
        kinds = tensor_types()
        return sorted(
            name
            for name, value in list(shell.user_ns.items())
            if isinstance(value, kinds) and not name.startswith("_")
        )
    if magic.argument == "node":
        session = registry.find(None)
        return [] if session is None else sorted({n.name for n in session.graph.nodes})
    return []


def load(shell: Any) -> None:
    """Registers the magics and their completion."""
    unload(shell)
    own = VizgradMagics(shell)
    shell.register_magics(own)
    shell.set_hook("complete_command", complete, re_key=r"%?%?vizgrad\b")
    hiding = Tracebacks(shell, lambda: own.full_tracebacks)
    hiding.begin()
    following = PxCells(shell)
    following.begin()
    _LOADED[shell] = own, hiding, following
    set_magics(loaded=True)
    api.on_import()


def unload(shell: Any) -> None:
    """Takes the magics away."""
    set_magics(loaded=False)
    every_cell.end(shell)
    if (loaded := _LOADED.pop(shell, None)) is not None:
        own, hiding, following = loaded
        shell.configurables.remove(own)
        hiding.end()
        following.end()
    shell.magics_manager.magics["line"].pop("vizgrad", None)
    shell.magics_manager.magics["cell"].pop("vizgrad", None)
