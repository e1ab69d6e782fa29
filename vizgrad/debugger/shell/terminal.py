"""The debugger in a terminal: the commands of the notebook's magics, and those that only a terminal needs."""

from __future__ import annotations

import cmd
import linecache
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from dataclasses import replace
from typing import IO, Any, Literal

from vizgrad.core.errors import Place
from vizgrad.debugger.commands import Magic, magics
from vizgrad.debugger.drawing.describe import summary_text
from vizgrad.debugger.drawing.text import graph_text, visit_line, visit_text
from vizgrad.debugger.jupyter.magics.line_commands import (
    RUN,
    NoSession,
    UsageError,
    watched_lines,
)
from vizgrad.debugger.session import registry
from vizgrad.debugger.session.session import Session
from vizgrad.debugger.shell.frames import nearest, tensor_kinds
from vizgrad.debugger.shell.report import Report
from vizgrad.debugger.shell.scene import Scene

Answer = Literal["stop", "go on", "done", "rerun"]

#: Lines of source before and after the current one.
_AROUND = 5
#: Steps through a larger graph print no numbers by themselves.
_MOST_NODES = 20_000
#: How commands are written in a cell.
_MAGIC = "%vizgrad "
#: Magics of a notebook alone: one changes how cells are run, one looks at another process.
_OF_CELLS = frozenset({"watch", "attach"})
#: Words of the help of magics, and those in their place: a terminal has one session, no cells, no live view.
_HERE = {
    " of the current session": "",
    "End the current session": "End this session",
    "that the current session has": "that this backward has",
    "for the current session": "of this backward",
    " of the newest cell": " of the program",
    ", and show the live view": "",
}

#: Commands of a terminal alone; the rest is in `vizgrad.debugger.commands`.
OWN: dict[str, Magic] = {
    magic.name: magic
    for magic in (
        Magic("node [N]", "Print what arrived at a node and what it sent on (default: the last that ran)."),
        Magic("list", "Show the source around the line that recorded the next node."),
        Magic("print EXPRESSION", "Print the value of an expression; the word may be left out."),
        Magic("where", "List the calls that led here, the innermost first."),
        Magic("up", "Select the calling frame: its variables are those of expressions."),
        Magic("down", "Select the frame that was called."),
        Magic("resume", "Close the debugger and continue the program."),
        Magic("rerun", "Start the program again, with graphs kept, so that each node can be stepped."),
        Magic("help [COMMAND]", "List the commands, or describe one."),
        Magic("quit", "End the program."),
    )
}  # fmt: skip

ALIASES = {
    "b": "break",
    "c": "continue",
    "cont": "continue",
    "bt": "where",
    "d": "down",
    "exit": "quit",
    "g": "graph",
    "h": "help",
    "l": "list",
    "n": "step",
    "next": "step",
    "p": "print",
    "q": "quit",
    "s": "step",
    "u": "up",
    "w": "where",
    "?": "help",
}


#: They may stand alone here, for the backward at which the program was stopped.
_WITHOUT = {
    "graph": Magic("graph [TENSOR]", "Print the graph of this backward, or of a tensor.", "tensor"),
    "why": Magic("why [TENSOR]", "Explain this stop, or a tensor: why it is NaN, missing or zero.", "tensor"),
}  # fmt: skip


def commands() -> dict[str, Magic]:
    """All commands of the terminal, by name; those for cells are none."""
    lines = {
        name: magic for name, magic in magics().items() if not magic.cell and name not in _OF_CELLS
    }
    here = {name: replace(magic, help=_told_here(magic.help)) for name, magic in lines.items()}
    return here | _WITHOUT | OWN


def _told_here(text: str) -> str:
    """The help of a magic, as it is true in a terminal."""
    for elsewhere, here in _HERE.items():
        text = text.replace(elsewhere, here)
    return text


class Namespace:
    """Stands in for IPython's shell, of which a magic asks the variables and the value of an expression."""

    def __init__(self) -> None:
        self.user_ns: dict[str, Any] = {}

    def ev(self, text: str) -> Any:
        """Raises what the expression raises."""
        return eval(text.strip(), self.user_ns)  # noqa: S307  the user's own, as in any debugger


class Terminal(cmd.Cmd):
    """`streams`: read from and written to in place of the terminal. `ended`: the program cannot go on.
    `moving` is entered while a command runs.
    """

    prompt = "(vizgrad) "

    def __init__(
        self,
        scene: Scene,
        report: Report,
        *,
        streams: tuple[IO[str], IO[str]] | None = None,
        ended: bool = False,
        can_rerun: bool = False,
        moving: AbstractContextManager[Any] | None = None,
    ) -> None:
        super().__init__(stdin=(streams or (None, None))[0], stdout=(streams or (None, None))[1])
        self.use_rawinput = streams is None
        self._scene = scene
        self._report = report
        self._ended = ended
        self._can_rerun = can_rerun
        self._moving = nullcontext() if moving is None else moving
        self._frames = scene.stop.frames
        self._selected = nearest(self._frames)
        self._namespace = Namespace()
        self._select(self._selected)
        #: `list` shows the line of the frame, not that of the next node.
        self._at_frame = False
        self._leaving = False
        self.answer: Answer = "stop"

    # --- the loop -----------------------------------------------------------------------------------

    def run(self) -> Answer:
        """Reads commands until the user leaves; what the program is to do then."""
        try:
            with self._moving:
                self._open()
        except Exception as error:  # noqa: BLE001  the graph may be one that cannot run
            self._say(f"This backward cannot be stepped: {error}")
        with redirect_stdout(self.stdout if not self.use_rawinput else sys.__stdout__):
            while not self._leaving:
                try:
                    self.cmdloop()
                except KeyboardInterrupt:
                    self._say("")
        return self.answer

    def _open(self) -> None:
        session = self._scene.open()
        if session is not None:
            self._say(f"The backward of `{self._scene.title}`: {session.where}")
            self._say_line(self._place())
        elif self._scene.stop.backward is not None:
            self._say(
                "This backward has run and released its values: `graph` prints it, but it cannot be "
                f"stepped{self._again()}."
            )
        self._say("`help` lists the commands.")

    def onecmd(self, line: str) -> bool:
        """Runs one line; True ends the loop."""
        with self._moving:
            return self._one(line)

    def _one(self, line: str) -> bool:
        if line == "EOF":
            self._say("")
            line = "quit"
        line = line.strip()
        if not line:
            return self.emptyline()
        self.lastcmd = line
        if line[0] in "?!" and len(line) > 1:
            line = f"{'help' if line[0] == '?' else 'print'} {line[1:]}"
        word, _, rest = line.partition(" ")
        name = self._command(word)
        if name is None and rest and not _is_expression(line):
            name = ALIASES.get(word)  # `p loss` prints it, though a variable is called p
        try:
            if name is None:
                self._evaluate(line)
            else:
                self._run(name, rest.strip())
        except NoSession:
            self._say(
                f"no backward is open to be stepped; open one with `debug loss`{self._again()}"
            )
        except UsageError as error:
            self._say(str(error).replace(f"%{_MAGIC}", "").replace(_MAGIC, ""))
        except Exception as error:  # noqa: BLE001  it is shown, and the debugger stays
            notes = getattr(error, "__notes__", ())
            text = "\n".join([f"{type(error).__name__}: {error}", *notes])
            self._say(self._report.short(text))
        return self._leaving

    def _again(self) -> str:
        return (
            "; `rerun` starts the program again and keeps what stepping needs"
            if self._can_rerun
            else ""
        )

    def emptyline(self) -> bool:
        """Repeats the last command."""
        return self.onecmd(self.lastcmd) if self.lastcmd else False

    def _command(self, word: str, *, variables: bool = True) -> str | None:
        """The command that a word means: whole, its alias, or the beginning of one command alone. A variable
        comes before the latter two.
        """
        known = commands()
        if word in known:
            return word
        if variables and word in self._namespace.user_ns:
            return None
        if word in ALIASES:
            return ALIASES[word]
        begun = [name for name in known if name.startswith(word)]
        return begun[0] if len(begun) == 1 else None

    def _run(self, name: str, rest: str) -> None:
        own: Callable[[str], None] | None = getattr(self, f"_do_{name}", None)
        if own is not None and (name in OWN or not rest):
            own(rest)
            return
        before, session = self._standing(), self._session
        result = RUN[name](self._namespace, rest)
        if result is not None:
            self._show(result)
        if self._standing() != before:
            self._at_frame = False
            if name in ("step", "continue", "stage") and session is self._session:
                self._say_visit()
            self._say_line(self._place())
            if session is not None and session is self._session and session.watches:
                self._say(watched_lines(session))

    def _last(self) -> int | None:
        """The node that ran last, where the run stands now."""
        session = self._session
        if session is None or not session.position:
            return None
        return session.trace.records[session.position - 1].visit.node

    def _say_visit(self) -> None:
        """The norms of what came to the node that ran last, and of what it sent on."""
        session, node = self._session, self._last()
        if session is None or node is None or session.nodes > _MOST_NODES:
            return
        visit = session.inspect(node)[1]
        if visit is not None:
            self._say(visit_line(visit, session.graph).strip())

    def _standing(self) -> Any:
        session = self._session
        return None if session is None else (session.id, session.position, session.within)

    @property
    def _session(self) -> Session | None:
        return registry.find(None)

    # --- commands of a terminal alone ---------------------------------------------------------------

    def _do_help(self, rest: str) -> None:
        known = commands()
        if rest:
            name = self._command(rest, variables=False) or ""
            if name not in known:
                self._say(f"there is no command {rest!r}")
                return
            short = sorted(alias for alias, of in ALIASES.items() if of == name)
            also = f" (also: {', '.join(short)})" if short else ""
            self._say(f"{known[name].usage}{also}\n  {known[name].help}")
            return
        width = max(len(magic.usage) for magic in known.values() if len(magic.usage) <= 30)
        first = [name for name in _FIRST if name in known]
        for name in (*first, *sorted(known.keys() - set(first))):
            magic = known[name]
            usage = magic.usage if len(magic.usage) <= width else f"{magic.usage}\n  {'':{width}}"
            self._say(f"  {usage:{width}}  {magic.help}")
        self._say(
            "Anything else is an expression to print. An empty line repeats the last command."
        )

    def _do_quit(self, rest: str) -> None:
        self._leaving = True

    def _do_resume(self, rest: str) -> None:
        if self._ended:
            self._say("the program has ended: it cannot go on")
            return
        session, backward = self._scene.session, self._scene.stop.backward
        self.answer = "go on"
        if session is not None and not session.closed:
            if backward is not None and backward.ran:
                session.restart()  # its gradients are in `.grad` already
            elif session.position:
                session.stop_at_nonfinite = False
                session.clear_breakpoints()
                session.continue_()
                self.answer = "done"
            session.close()
        self._leaving = True

    def _do_rerun(self, rest: str) -> None:
        if not self._can_rerun:
            self._say("this program cannot be started again from here")
            return
        self.answer = "rerun"
        self._leaving = True

    def _do_print(self, rest: str) -> None:
        if not rest:
            self._say(f"usage: {OWN['print'].usage}")
            return
        self._evaluate(rest)

    def _do_where(self, rest: str) -> None:
        for number, frame in enumerate(self._frames):
            mark = ">" if number == self._selected else " "
            self._say(f"{mark} {self._report.frame(frame)}")

    def _do_up(self, rest: str) -> None:
        self._move(1, "this is the outermost frame")

    def _do_down(self, rest: str) -> None:
        self._move(-1, "this is the innermost frame")

    def _move(self, by: int, otherwise: str) -> None:
        if not 0 <= self._selected + by < len(self._frames):
            self._say(otherwise)
            return
        self._select(self._selected + by)
        self._at_frame = True
        self._say(self._report.frame(self._frames[self._selected]))

    def _do_list(self, rest: str) -> None:
        place = self._place()
        if place is None:
            self._say("no line of a source file is known here")
            return
        self._say(self._report.place(place))
        lines = linecache.getlines(place.file)
        first, last = max(1, place.line - _AROUND), min(len(lines), place.line + _AROUND)
        for number in range(first, last + 1):
            mark = "->" if number == place.line else "  "
            self._say(f"{number:>5} {mark} {lines[number - 1]}".rstrip())

    def _do_node(self, rest: str) -> None:
        session = self._session
        if session is None:
            self._say("no backward is being stepped here")
            return
        if rest and not rest.isdecimal():
            self._say(f"usage: {OWN['node'].usage}")
            return
        number = int(rest) if rest else self._last()
        if number is None:
            self._say("no node has run yet")
            return
        node, visit, arrived, grad = session.inspect(number)
        if visit is not None:
            called = [e.call for e in session.run.collectives if visit.index in (e.step, e.end)]
            self._say(visit_text(visit, session.graph, called))
            return
        self._say(f"{node.name} {node.label}".strip() + ": it has not run yet")
        for slot, value in enumerate(arrived):
            if value is not None:
                self._say(f"  has arrived at {slot}: {summary_text(value)}")
        if grad is not None:
            self._say(f"  .grad: {summary_text(grad)}")

    # --- those that say more without an argument ------------------------------------------------------

    def _do_graph(self, rest: str) -> None:
        """The graph of the session, with the state of each node; else that of the backward that ran."""
        session = self._session
        if session is not None:
            self._say(graph_text(session.graph, session.run))
            return
        graph = self._scene.graph()
        self._say("no graph is known here" if graph is None else graph_text(graph))

    def _do_why(self, rest: str) -> None:
        told = self._scene.stop.explanation
        self._say(
            self._report.short(str(told)) if told is not None else "nothing was explained here"
        )

    # --- output -------------------------------------------------------------------------------------

    def _evaluate(self, text: str) -> None:
        try:
            value = self._namespace.ev(text)
        except SyntaxError:
            self._say(f"{text!r} is no command and no expression; `help` lists the commands")
            return
        except NameError as error:
            word = text.partition(" ")[0]
            if text.isidentifier() or word.isalpha():
                self._say(
                    f"there is no command and no variable {word!r}; `help` lists the commands"
                )
                return
            self._say(f"NameError: {error}")
            return
        self._show(value)

    def _show(self, value: Any) -> None:
        bundle = getattr(type(value), "_repr_mimebundle_", None)
        text = value if isinstance(value, str) else ""
        if bundle is not None:
            text = bundle(value).get("text/plain", "")
        self._say(self._report.short(text or repr(value)))

    def _say(self, text: str) -> None:
        self.stdout.write(f"{text}\n")
        self.stdout.flush()

    def _say_line(self, place: Place | None) -> None:
        if place is not None:
            self._say(f"-> {self._report.place(place)}: {place.text}")

    def _place(self) -> Place | None:
        """The line of the next node, or of the code in it; else that of the selected frame."""
        session = self._session
        if session is not None and not self._at_frame:
            within = session.within
            following = None if within is None else within.following
            if following is not None:
                return following.place
            node = session.node
            return None if node is None else node.place
        return self._frames[self._selected].place if self._frames else None

    def _select(self, number: int) -> None:
        self._selected = number
        backward = self._scene.stop.backward
        known = {} if backward is None else {"loss": backward.tensors}
        if self._frames:
            known |= self._frames[number].globals | self._frames[number].locals
        self._namespace.user_ns = known

    # --- completion -----------------------------------------------------------------------------------

    def completenames(self, text: str, *ignored: Any) -> list[str]:
        """Commands and variables."""
        names = [name for name in self._namespace.user_ns if text and name.startswith(text)]
        return sorted([name for name in commands() if name.startswith(text)] + names)

    def completedefault(self, *ignored: Any) -> list[str]:
        """After a command: nodes or tensors, as its declaration says; after others variables."""
        text, line = ignored[0], ignored[1]
        magic = commands().get(self._command(line.split()[0]) or "")
        session = self._session
        known: Any = self._namespace.user_ns
        if magic is not None and magic.argument == "node":
            known = [] if session is None else {node.name for node in session.graph.nodes}
        elif magic is not None and magic.argument == "tensor":
            known = [n for n, v in known.items() if isinstance(v, tensor_kinds())]
        return sorted(name for name in known if name.startswith(text))


def _is_expression(text: str) -> bool:
    try:
        compile(text, "", "eval")
    except (SyntaxError, ValueError):
        return False
    return True


#: The commands that a user needs first.
_FIRST = (
    "step", "back", "continue", "why", "graph", "node", "list", "print", "break", "run_to", "restart",
    "where", "up", "down", "resume", "rerun", "quit", "help",
)  # fmt: skip
