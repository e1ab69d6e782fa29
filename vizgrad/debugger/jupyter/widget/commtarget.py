"""The kernel's end of the side panel: a comm target that is registered when vizgrad is imported.

The panel opens a comm to it and finds out so whether this kernel has vizgrad. Importing ipykernel is
left to the kernel: outside of one nothing is registered and nothing imported.

Views that went without a word: the page was reloaded, or the browser was ended.

The kernel is not told: their comms stay open, and would hold the sessions that they showed. So when a view
comes, the others are called (`RollCall`). Who says nothing, though the kernel had time to hear it, is told
nothing more and holds nothing. A view that only slept is attached again when it asks for something.
"""

from __future__ import annotations

import gc
import os
import sys
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from types import FrameType
from typing import Any

from vizgrad.debugger.jupyter.widget import line_messages, still_frames
from vizgrad.debugger.jupyter.widget.controller import (
    Controller,
    after_cell,
    controllers,
    moved_in_views,
)
from vizgrad.debugger.jupyter.widget.protocol import COMM_TARGET
from vizgrad.debugger.jupyter.widget.request_worker import (
    MAIN,
    listen_for_interrupts,
    listen_where_asked,
)
from vizgrad.debugger.session import registry
from vizgrad.debugger.session.opening import Cell, Opening, cell_by_shell
from vizgrad.debugger.session.session import Session

# --- views that went without a word ---

#: Seconds that a view has to answer.
PATIENCE = 60.0
#: Seconds without a cell, in which the kernel hears what was said while cells ran.
HEARS_ALL = 5.0


def call_others(come: Controller) -> None:
    """`come` is of a view that has just come."""
    called = [each for each in controllers() if each is not come and each.call()]
    if called and MAIN.call_later is not None:
        MAIN.call_later(PATIENCE, lambda: _end_silent(called, -1))


def _end_silent(called: Sequence[Controller], cells: int) -> None:
    """`cells`: how many had begun when this was called last."""
    if (MAIN.busy or MAIN.cells != cells) and MAIN.call_later is not None:
        now = MAIN.cells
        MAIN.call_later(HEARS_ALL, lambda: _end_silent(called, now))
        return
    for controller in called:
        controller.end_silent()


# --- sessions that only the notebook's history of outputs still holds end when their graph is of no use ---

# IPython keeps what a cell returned, in `Out[7]`, `_7` and for a while in `_`. Debug cells that run again
# and again would pile up sessions so, each with its graph.


_LATEST = ("_", "__", "___")


def end_idle(shell: Any, cell: Cell) -> None:
    """Ends sessions that no view shows, no variable holds, and whose tensors are gone. `cell` is the one that
    has just run: what it returned when it ran before is not coming back.
    """
    now = Opening(cell=cell)
    for name in [session.id for session in registry.sessions()]:
        session = registry.find(name)
        if session is not None and _is_idle(session, shell, again=session.opening.again(now)):
            session.close_if_idle(because="neither it nor its graph was in use")


def _is_idle(session: Session, shell: Any, *, again: bool) -> bool:
    opening = session.opening
    if not opening.tensors or opening.graph_held or session.watched:
        return False
    names = _names(session, shell.user_ns)
    if any(name[0] != "_" or (name in _LATEST and not again) for name in names):
        return False
    space = shell.user_ns
    history: Any = space, shell.user_ns_hidden, space.get("_oh"), vars(shell.displayhook)
    return not _others(session, set(map(id, history)))


def _names(session: Session, namespace: Mapping[str, Any]) -> list[str]:
    return [name for name, value in list(namespace.items()) if value is session]


def _others(session: Session, known: Iterable[int]) -> list[object]:
    """The other references to it, besides frames. Looks at all objects there are."""
    holders = gc.get_referrers(session)
    return [h for h in holders if id(h) not in known and not isinstance(h, FrameType)]


# --- the comm target --------------------------------------------------------------------------------


_registered: Any = None


def register() -> bool:
    """Registers the target in the running IPython kernel; False when there is none."""
    global _registered
    shell = _shell()
    kernel = getattr(shell, "kernel", None)
    manager = getattr(kernel, "comm_manager", None)
    if shell is None or manager is None:
        return False
    if _registered is not manager:
        manager.register_target(COMM_TARGET, _opened)
        request = getattr(shell, "get_parent", dict[str, Any])()
        code = request.get("content", {}).get("code")
        if isinstance(code, str):  # the cell that imports this is running already
            line_messages.remember(shell, code)
        shell.events.register("post_run_cell", _after_cell)
        shell.events.register("pre_run_cell", _before_cell)
        loop = getattr(kernel, "io_loop", None)
        if loop is not None:
            MAIN.call_soon = loop.add_callback
            MAIN.call_later = partial(loop.add_callback, loop.call_later)
            MAIN.busy = True  # with the cell that imports this
            loop.add_callback(listen_for_interrupts)
        _registered = manager
    return True


def _shell() -> Any:
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def cell_name(filename: str) -> str | None:
    """``In [3]`` for the file that IPython compiled cell 3 under; None for any other file."""
    number = line_messages.number_of(filename)
    if number is not None:
        return f"In [{number}]"
    return cell_by_shell(filename)


def running_cell(count: int | None = None) -> Cell:
    """The cell that is being run; none for code that a front end runs on its own account.

    `count`: its number, where that is known.
    """
    shell = _shell()
    request = getattr(shell, "get_parent", dict[str, Any])()
    header, content = request.get("header", {}), request.get("content", {})
    if header.get("msg_type") != "execute_request" or not content.get("store_history", True):
        return Cell()
    number = request.get("metadata", {}).get("cellId")
    if count is None:
        count = shell.displayhook.prompt_count
    return Cell(f"In [{count}]", number if isinstance(number, str) else "")


#: The connections of pages with the labextension, the latest last: each opens comms to our target.
_pages: OrderedDict[str, None] = OrderedDict()
#: Connections that are remembered: a page that is loaded anew makes others.
MOST_PAGES = 64


def run_in_labextension() -> bool:
    """Is the cell run by a page whose labextension shows what it displays? Not known of a page before
    its first cell that mentions vizgrad has run.
    """
    return _connection(getattr(_shell(), "get_parent", dict[str, Any])()) in _pages


def _connection(message: Mapping[str, Any]) -> str:
    """The connection that a message came over; empty if it does not say."""
    name = message.get("header", {}).get("session")
    return name if isinstance(name, str) else ""


def _remember_page(message: Mapping[str, Any]) -> None:
    if name := _connection(message):
        _pages[name] = None
        _pages.move_to_end(name)
        if len(_pages) > MOST_PAGES:
            _pages.popitem(last=False)


def run_by_program() -> bool:
    """Is the cell run where nobody can be asked anything? But Voila shows people what it runs."""
    request = getattr(_shell(), "get_parent", dict[str, Any])()
    asks = request.get("content", {}).get("allow_stdin", True)
    return not asks and not os.environ.get("SERVER_SOFTWARE", "").startswith("voila")


def _opened(comm: Any, message: Any) -> None:
    listen_where_asked(comm)
    _remember_page(message)
    controller = Controller(comm.send, at_desk=True)

    def received(message: Any) -> None:
        controller.receive(message["content"]["data"])

    def gone(_: Any) -> None:
        controller.close()

    comm.on_msg(received)
    comm.on_close(gone)
    controller.receive({"type": "list_sessions", "request": 0})
    call_others(controller)


def _before_cell(info: Any = None) -> None:
    MAIN.busy = True
    MAIN.cells += 1
    moved_in_views.clear()
    still_frames.before_cell(_update)
    listen_for_interrupts()
    compiled = getattr(info, "raw_cell", None)
    if isinstance(compiled, str):
        line_messages.remember(_shell(), compiled)


def _after_cell(result: Any = None) -> None:
    MAIN.busy = False
    shell = _shell()
    if shell is not None:
        cell = running_cell(getattr(result, "execution_count", None))
        end_idle(shell, cell)
        still_frames.after_cell(cell, moved_in_views, _update)
    after_cell()


def _update(data: dict[str, Any], display_id: str) -> None:
    """Replaces what was displayed under this id."""
    from IPython.display import update_display  # pyright: ignore[reportUnknownVariableType]  untyped

    update_display(data, display_id=display_id, raw=True)
