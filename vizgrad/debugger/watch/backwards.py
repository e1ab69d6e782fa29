"""The gradients of a backward: how large they were, node by node, and where they became odd."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

from vizgrad.core.arrays.backend import is_on_device, library_of_devices
from vizgrad.core.arrays.blocks import span
from vizgrad.core.arrays.magnitude import (
    PLAIN,
    born,
    inspected,
    zero_share,
    zero_where_odd,
    zeros_in,
)
from vizgrad.core.arrays.magnitude import size as magnitude
from vizgrad.core.engine.observer import Trail, Watch
from vizgrad.core.function.transform_tensor import stands_for_others
from vizgrad.core.graph.edges import AccumulateGrad
from vizgrad.core.graph.node import Edge, Node
from vizgrad.core.graph.saved import bare
from vizgrad.core.tensor.source_location import Site
from vizgrad.core.tensor.storage import tick
from vizgrad.debugger.engines.vizgrad.engine_reader import key_of
from vizgrad.debugger.engines.vizgrad.step import Savers, by_name
from vizgrad.debugger.watch.device_looks import Largest, Looks, Sight, number, see

if TYPE_CHECKING:
    from vizgrad.debugger.watch.grad_history import Gradients
    from vizgrad.debugger.watch.notes import Near, Note
    from vizgrad.debugger.watch.untracked_memory import HiddenWrite, Memory


class Delivered(NamedTuple):
    """The gradient that one edge delivered: to which node, and how large it was."""

    target: int
    edge: int
    size: float


class Odd(NamedTuple):
    """Gradients went in one way and came out another: not finite, or all zero."""

    visit: Visit
    edge: int
    #: Is what came in zero wherever what went out is not finite?
    masked: bool
    #: Saved arrays: name -> (elements that are zero or less, all of them, is one exactly zero?).
    saved: dict[str, tuple[int, int, bool]]
    #: Places, values, and what the operand was there.
    places: Any
    #: At the first of the places: the gradient that arrived ("grad"), and each saved value, where an element
    #: of theirs belongs to it.
    there: dict[str, float]


class Changed(NamedTuple):
    """Hooks of a tensor were given a gradient of one size, and returned one of another."""

    #: None where several gradients met, and their sum was not seen.
    before: float | None
    after: float


class Visit:
    """One node of one backward."""

    __slots__ = ("_code", "_first", "_lasti", "_log", "incoming", "key", "last", "name")

    def __init__(
        self,
        key: int,
        name: str,
        code: Any,
        lasti: int,
        incoming: float,
        log: Any = (),
    ) -> None:
        """`log`: empty, or a list that visits share each of which delivers before the next one begins."""
        self.key = key
        self.name = name
        self._code, self._lasti = code, lasti
        #: How large what came was.
        self.incoming = incoming
        #: Target, edge and size of what each edge delivered, one after the other, from place `_first` up to
        #: `last`. They are numbers, in one list for a whole run, or in a tuple, which the garbage collector
        #: passes over: it has little to do.
        self._log: Any = log
        self._first = self.last = len(self._log)

    def delivered(self, first: int, last: int) -> Visit:
        """It, with these places of its list as its deliveries."""
        self._first, self.last = first, last
        return self

    @property
    def out(self) -> list[Delivered]:
        """The gradient that each edge delivered, in the order of edges."""
        log = self._log
        found = [Delivered(*log[i : i + 3]) for i in range(self._first, self.last, 3)]
        return sorted(found, key=lambda each: each.edge)

    def deliver(self, target: int, edge: int, size: float) -> None:
        self._log += target, edge, size
        self.last = len(self._log)

    def settle(self) -> None:
        """Sizes of what lies on a device become numbers."""
        self.incoming, log = number(self.incoming), self._log
        if log.__class__ is tuple:
            return  # of PyTorch: sizes are numbers from the first
        for place in range(self._first + 2, self.last, 3):
            log[place] = number(log[place])

    @property
    def site(self) -> Site | None:
        """The instruction that recorded the node."""
        return None if self._code is None else Site(self._code, self._lasti)


class Run:
    """One call of backward or grad."""

    def __init__(
        self,
        memory: Memory,
        gradients: Gradients,
        *,
        creates: bool = False,
        keeps: bool = False,
        site: Site | None = None,
        looks: Looks | None = None,
    ) -> None:
        self.memory = memory
        #: Judgements of what lies on a device, if there is one: then sizes of this run may wait, too.
        self.looks = looks or Looks()
        self._waits = library_of_devices() is not None
        self.gradients = gradients
        self.clock = tick()
        #: The tick at which it ended; 0 while it runs.
        self.ended = 0
        #: Steps of optimizers before it.
        self.steps = 0
        self.kind = "backward"
        self.creates = creates
        self.keeps = keeps
        self.site = site
        #: Key of a node of a library that made what is not finite -> where the library was called.
        self.near: dict[int, Near] = {}
        #: Has a step used one of the gradients that it brought?
        self.used = False
        self.roots: tuple[Note, ...] = ()
        #: The loss that it began at, as a number, where it was one.
        self.loss: float | None = None
        self.visits: dict[int, Visit] = {}
        self.births: list[Odd] = []
        self.kills: list[Odd] = []
        #: Key of a node -> what hooks made of the gradient that had come to it.
        self.changed: dict[int, Changed] = {}
        #: Leaves whose gradient it stored.
        self.leaves: set[int] = set()
        #: (visit, what was written past the counter) of values that were read afterwards.
        self.hidden: list[tuple[Visit, str, HiddenWrite]] = []
        #: (line, variable) of writes to a gradient while a hook had it.
        self.edited: list[tuple[Site | None, str]] = []
        #: A weak reference to the array that the node under way was given.
        self.given: Callable[[], Any] | None = None

    def settle(self) -> None:
        """All that is said of it is known from here on: a device is waited for."""
        self.looks.settle()
        if self._waits and self.visits:
            self._waits = not self.ended
            for visit in self.visits.values():
                visit.settle()
            for key, (before, after) in self.changed.items():
                old = None if before is None else number(before)
                self.changed[key] = Changed(old, number(after))

    def __repr__(self) -> str:
        return f"<Run of {len(self.visits)} nodes>"


def odd(visit: Visit, index: int, incoming: Any, array: Any, values: dict[str, Any]) -> Odd:
    """The note on an edge that delivered `array`, of a node that was given `incoming` (None: several)
    and had saved `values`.
    """
    saved: dict[str, tuple[int, int, bool]] = {}
    operand = None
    for name, found in values.items():
        if found.dtype.kind in "fiubV":
            saved[name] = (*zero_share(found), zeros_in(found))
            operand = found if operand is None or name != "result" else operand
    masked = incoming is not None and zero_where_odd(incoming, array)
    places = [] if not array.size else born(array, operand)
    there: dict[str, float] = {}
    if places:
        beside = values if incoming is None else {"grad": incoming, **values}
        for name, found in beside.items():
            value = born(array, found)[0][2]
            if value is not None:
                there[name] = value
    return Odd(visit, index, masked, saved, places, there)


#: The class of a node -> what gives its saved values, by one call.
_SAVED = Savers()


class _Names(dict[type[Node], str]):
    """The class of a node -> the name of the node; "" where each node has its own."""

    def __missing__(self, kind: type[Node]) -> str:
        found = self[kind] = kind.__name__ if kind.name is Node.name else ""
        return found


_NAMES = _Names()
#: In place of saved values: nobody has asked for them yet.
_UNREAD = object()


class Watching(Watch, Trail):
    """Told of each node of a run by the engine. Values are looked at, and none is kept.

    It is told of nodes without hooks as a trail, once each: a run of the engine has many, and they are what
    a watch of a backward costs. Where gradients are captured, or have a history, it is told of all by stages.
    """

    def __init__(self, run: Run, *, stages: bool) -> None:
        """`stages`: it is told of each stage of each node."""
        self._run = run
        self._stages = stages
        #: The deliveries of all nodes; see `Visit`.
        self._log: list[Any] = []
        #: How large what waits for a node is, as long as only one has come.
        self._waiting: dict[int, float | None] = {}
        self._visit: Visit | None = None
        #: The values that the current node has saved: they are released before all its results are known.
        #: Those of a node without hooks are read where they are asked for.
        self._saved: Any = ()
        #: A weak reference: the engine lets go of a gradient that a hook has replaced.
        self._given: Callable[[], Any] | None = None
        #: Did the leaf under way hold a gradient before? A call of grad stores none there. If it lies on a
        #: device, a look at it.
        self._before: Any = False

    @property
    def trail(self) -> Trail | None:  # pyright: ignore[reportIncompatibleVariableOverride]  only read
        return None if self._stages else self

    # --- of a node without hooks: as a trail ------------------------------------------------------------

    def ran(
        self,
        node: Node,
        incoming: Any,
        computed: tuple[Any, ...] | None,
        began: float,
        error: str = "",
    ) -> None:
        if computed is None and node.__class__ is AccumulateGrad:
            return  # it was to store
        key = node.sequence_nr
        known = self._waiting.pop(key, None)
        if known is None:
            known = _size(incoming) if node.outputs == 1 else _largest(incoming)
        run, kind = self._run, node.__class__
        visit = run.visits[key] = Visit(
            key, _NAMES[kind] or node.name(), node.code, node.lasti, known, self._log
        )
        self._visit, self._saved = visit, _UNREAD
        if run.memory.hidden:
            self._look_for_hidden(node, visit)
        if node.outputs != 1:
            incoming = None  # none that could be handed on as it is
        if computed is not None and self._measure(node, visit, incoming, computed):
            self._given = _weakly(incoming)
            if self._saved is _UNREAD:
                self._saved = _SAVED[kind](node)

    def storing(self, node: AccumulateGrad, grad: Any) -> None:
        variable = node.variable
        key = -id(variable)
        known = self._waiting.pop(key, None)
        run = self._run
        run.visits[key] = Visit(
            key,
            _NAMES[AccumulateGrad],
            node.code,
            node.lasti,
            _size(grad) if known is None else known,
        )
        self._before = run.gradients.holds(variable)

    def stored(
        self, node: AccumulateGrad, grad: Any, began: float, decision: str, reason: str
    ) -> None:
        self.accumulated(node, decision, reason)

    def delivering(self, node: Node, computed: tuple[Any, ...]) -> None:
        if (
            self._visit is not None
        ):  # what begins with several roots delivers first, and is no visit
            self._measure(node, self._visit, self._incoming(), computed)

    def fitted(self, node: Node, index: int, grad: Any) -> None:
        self.routed(node, index, None, grad)

    def _measure(self, node: Node, visit: Visit, incoming: Any, computed: tuple[Any, ...]) -> bool:
        """Notes what edges deliver. Is there one of which `fitted` has to tell?"""
        waiting, index, left, log = self._waiting, -1, False, self._log
        for edge in node.edges:
            index += 1
            grad = computed[index]
            if edge is None or grad is None:
                continue
            to: Node = edge.node if edge.__class__ is Edge else edge  # pyright: ignore[reportAttributeAccessIssue, reportAssignmentType]  asked sooner so
            if to.outputs != 1 or grad.shape != to.shape or grad.dtype is not to.dtype:
                left = True
                continue
            target = to.sequence_nr if to.__class__ is not AccumulateGrad else key_of(to)
            if grad is incoming:
                size = visit.incoming
            elif grad.__class__ is PLAIN:
                size = magnitude(grad)
            else:
                size = self._seen(node, visit, index, incoming, grad)
            log += target, index, size
            waiting[target] = None if target in waiting else size
            if size.__class__ is float and (size == 0.0 or not size < _INF):
                self._judge(node, visit, index, incoming, grad, size)
        visit.last = len(log)
        return left

    # --- of a node with hooks, or of all: stage by stage ------------------------------------------------

    def enter(self, node: Node, grads: tuple[Any, ...], full: bool) -> None:
        leaf = node.__class__ is AccumulateGrad
        key = key_of(node) if leaf else node.sequence_nr
        known = self._waiting.pop(key, None)
        if known is None:
            known = _size(grads[0]) if len(grads) == 1 else _largest(grads)
        run = self._run
        visit = Visit(key, node.name(), node.code, node.lasti, known, self._log)
        self._visit = run.visits[key] = visit
        self._given = run.given = _weakly(grads[0]) if len(grads) == 1 else None
        if leaf:
            self._saved = ()
            variable = node.variable  # pyright: ignore[reportAttributeAccessIssue]  a leaf's
            self._before = run.gradients.holds(variable)
            return
        self._saved = _SAVED[node.__class__](node)
        if run.memory.hidden:
            self._look_for_hidden(node, visit)

    def _look_for_hidden(self, node: Node, visit: Visit) -> None:
        """Does it read a saved value that was written past its counter since?"""
        run = self._run
        for name, form in node.saved_values().items():
            array = getattr(bare(form), "_array", None)
            if array is not None:
                written = run.memory.hidden_write(*span(array), node.sequence_nr)
                if written is not None:
                    run.hidden.append((visit, name, written))

    def stage(self, stage: str, detail: str, before: Any, after: Any) -> None:
        visit = self._visit
        if stage != "tensor_hooks" or visit is None or after is before:
            return
        was = visit.incoming
        visit.incoming = _size(after)
        known = self._run.changed.get(visit.key)
        self._run.changed[visit.key] = Changed(
            was if known is None else known.before, visit.incoming
        )
        if self._incoming() is before:
            self._given = _weakly(after)

    def accumulated(self, node: Node, decision: str, reason: str) -> None:
        assert isinstance(node, AccumulateGrad)
        run, variable = self._run, node.variable
        run.given = None
        run.leaves.add(id(variable))
        held = self._before
        if held.__class__ is bool:
            run.gradients.arrived(variable, run, held)
        else:
            run.looks.later(lambda: run.gradients.arrived(variable, run, held.size != 0.0))

    def routed(self, node: Node, index: int, computed: Any, routed: Any) -> None:
        visit, edge = self._visit, node.edges[index]
        if visit is None or routed is None or edge is None:
            return
        to: Node = edge.node if edge.__class__ is Edge else edge  # pyright: ignore[reportAttributeAccessIssue, reportAssignmentType]  asked sooner so
        target = key_of(to) if to.__class__ is AccumulateGrad else to.sequence_nr
        incoming = self._incoming()
        size: Any = visit.incoming
        if routed is not incoming:
            size = self._seen(node, visit, index, incoming, routed)
        visit.deliver(target, index, size)
        waiting = self._waiting
        waiting[target] = None if target in waiting else size
        if size.__class__ is float and (size == 0.0 or not size < _INF):
            self._judge(node, visit, index, incoming, routed, size)

    def _seen(self, node: Node, visit: Visit, index: int, incoming: Any, grad: Any) -> Any:
        """How large it is; of what lies on a device a look, which is judged later."""
        array = getattr(grad, "_array", grad)
        if (
            array.__class__ is PLAIN
            or grad is None
            or stands_for_others(grad)
            or not is_on_device(array)
        ):
            return _size(grad)
        saved, came = self._arrays(node), visit.incoming
        beside = {} if incoming is None else {"grad": getattr(incoming, "_array", incoming)}
        sight = see(array, {**beside, **saved}, [came], zeros=True)
        if sight is None:
            return _size(grad)
        run = self._run
        real = [name for name, found in saved.items() if found.dtype.kind in "fiubV"]
        judge = partial(_judge_later, run, visit, index, came, sight, real)
        run.looks.later(judge, sight.inspection)
        return sight.inspection

    def _arrays(self, node: Node) -> dict[str, Any]:
        """The arrays that it has saved, by name."""
        if self._saved is _UNREAD:
            self._saved = _SAVED[node.__class__](node)
        return {
            name: found
            for name, form in by_name(node, self._saved).items()
            if (found := getattr(bare(form), "_array", None)) is not None
        }

    def _judge(
        self, node: Node, visit: Visit, index: int, incoming: Any, routed: Any, size: float
    ) -> None:
        """An edge delivers what is all zero, or not finite: did it come so?"""
        came = number(visit.incoming)
        if size == 0.0:
            if came > 0.0:
                _insert(self._run.kills, self._odd(node, visit, index, incoming, routed))
        elif came < _INF:
            _insert(self._run.births, self._odd(node, visit, index, incoming, routed))

    def _odd(self, node: Node, visit: Visit, index: int, incoming: Any, routed: Any) -> Odd:
        array = getattr(routed, "_array", routed)
        incoming = getattr(incoming, "_array", incoming)
        return odd(visit, index, incoming, array, self._arrays(node))

    def failed(self, node: Node, error: BaseException) -> None:
        self._saved, self._given = (), None

    def _incoming(self) -> Any:
        return None if self._given is None else self._given()


def _judge_later(
    run: Run, visit: Visit, index: int, came: Any, sight: Sight, real: list[str]
) -> None:
    """As `Watching._judge`, of what lay on a device. `real`: the saved values that are real numbers."""
    size, before = sight.inspection.size, number(came)
    odds = run.kills if size == 0.0 and before > 0.0 else None
    if not size < _INF and before < _INF:
        odds = run.births
    if odds is not None:
        operand = next((name for name in reversed(real) if name != "result"), "result")
        masked, saved, places, there = sight.odd(operand)
        told = {name: found for name, found in saved.items() if name in real}
        _insert(odds, Odd(visit, index, masked, told, places, there))


def _insert(odds: list[Odd], one: Odd) -> None:
    """In the order of edges: of those of one node that are fitted it is told after the others."""
    place = len(odds)
    while place and odds[place - 1].visit is one.visit and odds[place - 1].edge > one.edge:
        place -= 1
    odds.insert(place, one)


def _weakly(value: Any) -> Callable[[], Any] | None:
    """A weak reference; of a number of numpy's, which has none, the number."""
    if value is None:
        return None
    try:
        return ref(value)
    except TypeError:
        return lambda: value


_INF = float("inf")


def _size(grad: Any) -> Any:
    """How large it is; 1 for what stands for others, whose elements nobody may see. If it lies on a device, a
    look that is read later: see `device_looks.number`.
    """
    if grad.__class__ is PLAIN:
        return magnitude(grad)
    if grad is None:
        return 0.0
    if stands_for_others(grad):
        return 1.0
    array = getattr(grad, "_array", grad)
    later = inspected(array)
    return magnitude(array) if later is None else later


def _largest(grads: tuple[Any, ...]) -> Any:
    sizes = [_size(grad) for grad in grads if grad is not None]
    if any(size.__class__ is not float for size in sizes):
        return Largest(sizes)
    odd = [size for size in sizes if size != size]
    return odd[0] if odd else max(sizes, default=0.0)
