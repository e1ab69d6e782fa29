"""The entry points: `debug`, `graph`, `record`, `scope`.

Everything heavy (widgets, drawing) is imported when it is first used: `import vizgrad` stays light.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, overload

from vizgrad.core.arrays.graph_capture import NOTHING_DONE, check_not_captured
from vizgrad.core.tensor.modes import pop_scope, push_scope
from vizgrad.core.tensor.source_location import caller, frame_outside
from vizgrad.core.upcalls import UPCALLS
from vizgrad.debugger.engines.api.frameworks import when_imported

if TYPE_CHECKING:
    from vizgrad.core.errors import Explanation, Findings
    from vizgrad.core.tensor.source_location import Site
    from vizgrad.debugger.drawing.capability_card import CardPicture
    from vizgrad.debugger.drawing.heap_picture import HeapPicture
    from vizgrad.debugger.drawing.static import GraphPicture, VersionsPicture
    from vizgrad.debugger.engines.vizgrad.recorder import Recording
    from vizgrad.debugger.explain.training_course import TrainingCourse
    from vizgrad.debugger.explain.watch_block import Watch
    from vizgrad.debugger.model import Course
    from vizgrad.debugger.model.trace import Filing
    from vizgrad.debugger.session.lines.source_files import Ran
    from vizgrad.debugger.session.opening import Cell
    from vizgrad.debugger.session.session import Session
    from vizgrad.debugger.tiers.tiered_watch import TieredWatch
    from vizgrad.debugger.traces.difference import TraceDiff


def debug(
    tensors: Any,
    gradient: Any = None,
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
    display: bool | None = None,
    keep: int | None = None,
) -> Session:
    """Opens the backward of `tensors` without running it, and shows the live view in a notebook.

    Arguments are those of `vizgrad.autograd.backward`. Returns a `Session`: `s.step()`, `s.back()`,
    `s.run_to("TanhBackward0")`, `s.continue_()`, `s.restart()`, `s.close()`. `display=False` shows
    nothing. `keep` is how many bytes of values the steps may hold, for going back and looking closely
    (default: a quarter of the memory that is free); beyond that the oldest steps release theirs. By default
    a run over large gradients of PyTorch's copies a part of them, and keeps statistics of the others.

    Debugging the same tensor again starts over: an earlier session that is in the middle of its graph, or
    has used it up, is taken back to its start (`.grad` too) and closed. One that ran to its end and kept the
    graph (`retain_graph=True`) stays as it is, unless its own cell is run again.

    Tensors of PyTorch are opened the same way (the page *PyTorch's graphs in the debugger* of the
    documentation says what cannot be done with these), and those of any other engine that has
    registered itself (`vizgrad.debugger.engines.api.openers`). The user's names for them are
    looked up where `debug` is called.

    Raises RuntimeError for a tensor without history and for a graph that an earlier backward has released,
    as backward does, TypeError for what no engine knows.
    """
    from vizgrad.debugger.engines.api.openers import known_types
    from vizgrad.debugger.engines.common.variable_names import names_around
    from vizgrad.debugger.engines.vizgrad.opener import open_session
    from vizgrad.debugger.explain.watch_block import known
    from vizgrad.debugger.session.opening import Opening
    from vizgrad.debugger.session.registry import succeeding

    check_not_captured("vizgrad.debug() cannot be used", NOTHING_DONE)
    retains = create_graph if retain_graph is None else retain_graph
    opening = Opening.of(tensors, _cell(), retains=retains)
    names, site = names_around(kinds=known_types()), caller()
    with succeeding(opening):
        session = open_session(
            tensors,
            gradient,
            keep=keep,
            opening=opening,
            retain_graph=retain_graph,
            create_graph=create_graph,
            inputs=inputs,
            names=names,
            noted=known,
            site=site,
            title=names.get(id(tensors), "") or _as_written(site),
        )
    if display if display is not None else in_notebook() or _in_marimo():
        show(session)
    return session


def _as_written(site: Site | None) -> str:
    """The argument of `debug`, as written, if that is short: for an expression without a name."""
    from vizgrad.debugger.watch import source_expressions

    if source_expressions.called(site) != "debug":
        return ""
    text = next(iter(source_expressions.arguments(site)), "")
    return text if len(text) <= source_expressions.SHORT else ""


def show(session: Session) -> None:
    """Displays a (further) live view of a session below the current cell.

    Where a program runs the notebook (nbconvert, papermill), and nobody could step it, a picture.
    """
    from vizgrad.debugger.jupyter.widget.showing import show

    show(session)


def graph(tensors: Any, *, title: str = "", depth: int | None = None) -> GraphPicture:
    """Draws the backward graph of `tensors` without running it.

    Nodes are framed by what recorded them (calls of modules, `vizgrad.scope` blocks, functions, loops and
    their turns), and folded into one box each where the picture would be too large. `depth` says how many
    levels of these are opened: 0 draws a model as one box, 1 what is directly in it, and so on. Raises
    ValueError for a negative one.

    The result draws itself in a notebook, and has `.to_dot()`, `.to_svg()`, `.to_text()` and `.data`
    (plain data, `vizgrad.debugger.model.Graph`).
    """
    from vizgrad.debugger.drawing.static import GraphPicture
    from vizgrad.debugger.engines.api.openers import known_types, open_picture
    from vizgrad.debugger.engines.common.variable_names import names_around
    from vizgrad.debugger.engines.vizgrad import opener as opener  # registers vizgrad's own
    from vizgrad.debugger.engines.vizgrad.graph_source import NODE_LIMIT

    names = names_around(kinds=known_types())
    if not title and not isinstance(tensors, (list, tuple)):
        title = names.get(id(tensors), "")
    source = open_picture(tensors, names, NODE_LIMIT)
    return GraphPicture(source.graph(title or "graph"), depth=depth)


def compare(a: Any, b: Any, *, tolerance: float | None = None) -> TraceDiff:
    """Compares the backward of two losses, node by node, and reports where the gradients begin to differ.

    `a` and `b` are losses of the same program: on vizgrad and on PyTorch, in float32 and in float64, before
    and after a change. Each may be several tensors in a list, or what has a trace already (a session, a
    recording, a trace). Nodes are matched by name, shape and place in the graph; those of one side alone are
    said. `tolerance` is the relative difference that does not count; None: what the coarser number type
    explains, and what is left of larger numbers that cancel.

    Both backwards are run, and taken back: `.grad` is as before, and both graphs can be run again. Hooks and
    custom Functions are called as in any backward; what these change elsewhere stays changed. An earlier
    session that is in the middle of one of the graphs is taken back to its start and closed.

    The result prints itself; a notebook shows the graph of `a`, coloured by relative difference, and a table.
    `.first` is the first node that differs in the order of the run, `.differing` all of them, `.forward` the
    first saved value that differs in the order of the forward pass, `.only_here` and `.only_there` are nodes
    without a partner; `.save(path)` and `.export(path)` write it.

    Raises TypeError for what is no loss and has no trace, and what the backwards raise.
    """
    from vizgrad.debugger.engines.api.openers import known_types
    from vizgrad.debugger.engines.common.variable_names import names_around
    from vizgrad.debugger.engines.vizgrad import opener as opener  # registers vizgrad's own
    from vizgrad.debugger.traces import side_by_side

    return side_by_side(a, b, tolerance, names_around(kinds=known_types()))


def versions(tensor: Any, *, name: str = "") -> VersionsPicture:
    """Lists the in-place writes to the memory of `tensor`, with their lines, from its version counter.

    The result draws itself in a notebook; `.storages` is the plain data.
    """
    from vizgrad.debugger.drawing.static import VersionsPicture
    from vizgrad.debugger.engines.api.openers import known_types, open_picture
    from vizgrad.debugger.engines.common.variable_names import names_around
    from vizgrad.debugger.engines.vizgrad import opener as opener  # registers vizgrad's own

    names = names_around(kinds=known_types())
    if name:
        names = {**names, id(tensor): name}
    source = open_picture(tensor, names, bare=True)
    return VersionsPicture((source.timeline(tensor),), source.graph(""))


def memory() -> HeapPicture:
    """Lists all storages of this process, what holds them, and which variables keep graphs alive.

    Each byte is counted once, however many views show it. Storages are named by variables of the calling
    frames and of the notebook, modules, optimizers, `.grad`, saved slots of nodes; what only a cycle holds is
    said. PyTorch's tensors are counted where Python holds them, their `.grad`, or a graph that they lead to;
    on a GPU under its name. It takes about a second per million objects, runs nothing of yours, and changes
    and keeps nothing.

    The result shows itself as a table in a notebook; `.data` is plain data (`vizgrad.debugger.model.Heap`),
    `.bytes` the sum, `.to_json()` the same for a file.
    """
    from vizgrad.debugger.drawing.heap_picture import HeapPicture
    from vizgrad.debugger.memory.reading import current, read

    return HeapPicture(read(frame_outside(1), current()))


def _held_on(device: str) -> list[str]:
    """Lines for an error that memory of the device is not enough."""
    from vizgrad.core.error_lines import magics_loaded
    from vizgrad.debugger.drawing.held_on_device import lines_of_device
    from vizgrad.debugger.memory.reading import current, read

    own = "%vizgrad memory" if magics_loaded() else "vizgrad.memory()"
    advice = f"{own} lists all storages, who holds them, and which variables keep graphs alive"
    try:
        heap = read(frame_outside(1), current())
    except Exception as error:  # noqa: BLE001  the error that is being raised matters more
        return [f"  held: unknown, since reading the memory raised {type(error).__name__}: {error}"]
    return lines_of_device(heap, device, advice)


def check(function: Any, *inputs: Any) -> Findings:
    """Tests a custom Function on example inputs, which are what its `apply` takes.

    Returns a list of explanations, the worst first, each with the line to edit; it is empty where nothing is
    wrong. `inputs` that require grad are differentiated, all floating ones if none does. It checks:
    number, shape, type and values of gradients; inputs changed in place without `mark_dirty`; what is
    not repeatable; the second derivative; writes that would go unnoticed; memory that stays; `jvp`, `vmap`;
    and, as the last, expensive gradients that are not needed.

    It works on copies, in double precision where forward takes that, and leaves no gradient, random state or
    mode behind. A gradient that is meant to be another than the derivative (a straight-through estimator, a
    gradient that is reversed) is told by values that pass unchanged or are flat, and is no finding.

    Raises TypeError for what is no Function, and what forward raises on the example.
    """
    from vizgrad.core.errors import Findings
    from vizgrad.debugger.check import card, told_of
    from vizgrad.debugger.engines.api.frameworks import examiner_of

    function = _examined(function)
    return Findings(told_of((examiner_of(function) or card)(function, *inputs)))


def card(function: Any, *inputs: Any) -> CardPicture:
    """Tests the abilities of a custom Function: forward, backward, double backward, jvp, vmap, version
    safety, freeing.

    Each is proven on the example inputs, failed, with the failing case, or untested. See `check` for what is
    done. The result draws itself in a notebook; `card["jvp"].state` is one line of it, `.data` plain data.
    """
    from vizgrad.debugger.check import card
    from vizgrad.debugger.drawing.capability_card import CardPicture
    from vizgrad.debugger.engines.api.frameworks import examiner_of

    function = _examined(function)
    return CardPicture((examiner_of(function) or card)(function, *inputs))


def _examined(function: Any) -> Any:
    """The class whose `apply` it is, else what was given. TypeError for a Function without a forward."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, type) and getattr(function, "__name__", "") == "apply":
        function = owner
    ancestors = function.__mro__ if isinstance(function, type) else ()
    base = next((each for each in ancestors if each.__name__ == "Function"), None)
    if base is not None:
        defines = next((each for each in ancestors if "forward" in vars(each)), base)
        if defines in base.__mro__:
            raise TypeError(
                f"{function.__name__} has no forward of its own: give a class derived from "
                f"{base.__module__}.{base.__name__} that defines forward and backward"
            )
    return function


@contextmanager
def record(title: str = "") -> Iterator[Recording]:
    """Records the forward operations and backward visits of this thread in the block.

        with vizgrad.record() as trace:
            loss = model(x).sum()
            loss.backward()
        trace.events, trace.visits, trace.graph

    A recording is plain data: no tensor is kept alive, and values, versions and lifetimes are those
    of an unrecorded run.
    """
    from vizgrad.debugger.engines.vizgrad.recorder import recording

    check_not_captured("vizgrad.record() cannot be used", NOTHING_DONE)
    with recording(title) as made:
        yield made


@overload
def watch(
    level: Literal["full"] = "full",
    every: Literal[1] | None = None,
    display: bool | None = None,
    keep: int = 0,
) -> Watch: ...
@overload
def watch(level: Literal["full", "alarms"], every: int | None = None) -> TieredWatch: ...
@overload
def watch(*, every: int) -> TieredWatch: ...
def watch(
    level: str = "full", every: int | None = None, display: bool | None = None, keep: int = 0
) -> Any:
    """Watches a block: lines, names, writes and cuts of history; `findings` are its silent problems.

        with vizgrad.watch() as w:
            train()
        for finding in w.findings:
            print(finding)

    `w.history` has the norms of each layer over the steps of the optimizers, with the findings as marks. In a
    notebook these curves are shown below the cell while the loop runs, from the second step of an optimizer
    on; `display=False` shows nothing.

    `keep=N` keeps the last N backwards, and the first N in which something was found, as traces of
    statistics, some 1.2 kB a node: `w.kept[37]` shows backward 37, and so does a click on its point of the
    curves. It adds 60 µs to a node of vizgrad's engine; 0 adds nothing. The last ones have at most 100,000
    nodes together, so have those with findings, and a backward of more than 50,000 is not kept.

    Inside it (and afterwards, until the next one) `why` knows most, and errors explain more. Nothing is
    changed: values, versions, lifetimes and the order of hooks are those of an unwatched block.

    ``level="alarms"`` looks at losses and gradients alone, and costs a pass over the gradients of each step.
    A step that is called by `w.run` is run again under the full watch when one of these is not finite, and
    explained; nothing of the second run stays.

        with vizgrad.watch(level="alarms") as w:
            for batch in data:
                loss = w.run(step, batch)

    Without `w.run` an alarm is explained as far as the graph tells, and the next rounds are watched in full.
    `every=100` has the full watch in each hundredth round (a call of `w.run`, or of backward) and, unless the
    level is "alarms", none between. Raises ValueError for other levels, for an `every` that is no positive
    integer, for a `keep` that is a negative or no integer, and for one other than 0 with `level` or `every`.
    """
    check_not_captured("vizgrad.watch() cannot be used", NOTHING_DONE)
    if level not in ("full", "alarms"):
        raise ValueError(f'level must be "full" or "alarms", but got {level!r}')
    if every is not None and (not isinstance(every, int) or every < 1):
        raise ValueError(f"every must be a positive integer, but got {every!r}")
    if not isinstance(keep, int) or isinstance(keep, bool) or keep < 0:
        raise ValueError(f"keep must be a non-negative integer, but got {keep!r}")
    if level == "full" and every in (None, 1):
        from vizgrad.debugger.explain.watch_block import Watch

        if not in_notebook():
            return Watch(keep=keep)
        made = Watch(_cell().id, keep=keep)
        if display is not False:
            from vizgrad.debugger.jupyter.widget.showing import show_course

            show_course(made, _cell().id)
        return made
    if keep:
        raise ValueError(
            f'keep={keep} needs the full watch of each round, but got level="{level}" and every={every}'
        )
    from vizgrad.debugger.tiers.tiered_watch import TieredWatch

    return TieredWatch(alarms=level == "alarms", every=every)


def why(tensor: Any, *, name: str = "") -> Explanation:
    """Why the value or the gradient of a tensor is as it is: NaN or Inf, None, all zero, or badly scaled.

    The answer says what happened, on which line, to which tensor, and what to do; it is false if there is
    nothing to explain. Inside `watch` it knows lines and names; without, only what the graph holds.
    `name` names the tensor in the answer, where no variable does. A finding of `watch` is answered by itself.
    Raises TypeError for what is not a tensor: ask for `w`, not for `w.grad`, where that is None.
    """
    from vizgrad.core.errors import Explanation
    from vizgrad.core.tensor.tensor import Tensor
    from vizgrad.debugger.engines.api.openers import known_types
    from vizgrad.debugger.engines.common.variable_names import names_around
    from vizgrad.debugger.explain.watch_block import known
    from vizgrad.debugger.explain.why import answer

    if isinstance(tensor, Explanation):
        return tensor
    kinds = (Tensor, *known_types())
    if not isinstance(tensor, kinds):
        raise TypeError(
            f"why() explains a tensor, but got {type(tensor).__name__}; for a gradient that is None "
            "ask for its leaf"
        )
    return answer(known(tensor), tensor, name or names_around(kinds=kinds).get(id(tensor), ""))


@contextmanager
def scope(name: str) -> Iterator[None]:
    """Groups what is recorded in the block under `name`, in pictures and explanations."""
    before = push_scope(str(name), caller(3))
    try:
        yield
    finally:
        pop_scope(before)


def in_notebook() -> bool:
    """True in a Jupyter kernel whose displays can be live. Those of an engine of ipyparallel cannot: its
    comms end in the client.
    """
    kernel = _kernel()
    return kernel is not None and not type(kernel).__module__.startswith("ipyparallel.")


def _kernel() -> object | None:
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None)


def _in_marimo() -> bool:
    if "marimo" not in sys.modules:
        return False
    from vizgrad.debugger.jupyter.widget.showing import in_marimo

    return in_marimo()


def can_be_asked() -> bool:
    """Is there a user who sees the output, and presses buttons?"""
    if not in_notebook():
        return False
    from vizgrad.debugger.jupyter.widget.commtarget import run_by_program

    return not run_by_program()


def _cell() -> Cell:
    """The cell that is running."""
    from vizgrad.debugger.session.opening import Cell

    if _kernel() is None:
        return Cell()
    from vizgrad.debugger.jupyter.widget.commtarget import running_cell

    return running_cell()


def _traces() -> Filing:
    from vizgrad.debugger import traces

    return traces


def _drawn(shown: Sequence[Explanation]) -> str:
    from vizgrad.debugger.drawing.overlay import explanations_html

    return explanations_html(shown)


def _course_drawn(course: Course) -> tuple[str, str]:
    from vizgrad.debugger.drawing.training_curves import course_svg, course_text

    return course_text(course), course_svg(course)


def _course_shown(course: TrainingCourse) -> dict[str, Any]:
    if _kernel() is not None:
        from vizgrad.debugger.jupyter.widget.live_course import still_bundle

        return still_bundle(course)
    text, svg = _course_drawn(course.data)
    return {"text/plain": text, "image/svg+xml": svg}


def _no_cells(file: str) -> Sequence[Ran]:
    return ()


def _cell_in_terminal(file: str) -> str | None:
    if "IPython" not in sys.modules:
        return None
    from vizgrad.debugger.session.opening import cell_by_shell

    return cell_by_shell(file)


def on_import() -> None:
    """Traces can be filed, explanations draw themselves, PyTorch's tensors are known where there are some,
    and in a Jupyter kernel the side panel finds this kernel.
    """
    UPCALLS.filing = _traces
    UPCALLS.explanations_html = _drawn
    UPCALLS.course_drawn = _course_drawn
    UPCALLS.course_shown = _course_shown
    UPCALLS.cells_run = _no_cells
    UPCALLS.cell_of = _cell_in_terminal
    UPCALLS.memory_held = _held_on
    when_imported("torch", "vizgrad.debugger.engines.pytorch.opener")
    if _kernel() is not None:
        from vizgrad.debugger.jupyter.widget.commtarget import cell_name, register
        from vizgrad.debugger.jupyter.widget.line_messages import cells_run, line_shown

        UPCALLS.cell_of = cell_name
        UPCALLS.line_shown = line_shown
        UPCALLS.cells_run = cells_run
        register()
