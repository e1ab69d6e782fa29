"""A block as a training loop: modes of layers, steps of optimizers, patterns of use."""

from __future__ import annotations

import sys
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sized
from math import nan
from types import FrameType
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from vizgrad.core.arrays.magnitude import changes_of, size
from vizgrad.core.arrays.statistics import Statistics, quick_later
from vizgrad.core.function.transform_tensor import stands_for_others
from vizgrad.core.interpreter import locals_of
from vizgrad.core.tensor.modes import GUARD, MODES, share_of_thread
from vizgrad.core.tensor.source_location import Site
from vizgrad.core.tensor.storage import tick
from vizgrad.core.tensor.tensor import RESULT, Tensor
from vizgrad.debugger.engines.common.variable_names import names_around
from vizgrad.debugger.watch.backwards import Run
from vizgrad.debugger.watch.grad_history import Gradients, Leaf
from vizgrad.debugger.watch.norm_history import NormHistory
from vizgrad.debugger.watch.notes import Note
from vizgrad.debugger.watch.stepped_parameter import Long, Parameter
from vizgrad.debugger.watch.tensor_adapter import Look
from vizgrad.debugger.watch.wild_steps import Moved, WildSteps, is_far

# --- layer modes -----------------------------------------------------------------------------------------
# In which mode layers ran that behave differently in training: dropout and batch norm.


#: Calls that are kept, the latest.
_KEPT = 256


class Call(NamedTuple):
    """One run of one layer."""

    layer: int
    name: str
    #: The module that the user called: the outermost.
    whole: int
    title: str
    training: bool
    #: Is the whole in the same mode as the layer?
    alike: bool
    grad: bool
    given: Note | None
    made: Note | None
    #: The line that called the whole.
    site: Site | None
    #: Steps of optimizers before it.
    steps: int


class Layers:
    def __init__(self) -> None:
        self.calls: deque[Call] = deque(maxlen=_KEPT)
        #: (number of the module, its mode from then on, line) of calls of train and eval.
        self.switches: deque[tuple[int, bool, Site | None]] = deque(maxlen=_KEPT)
        self._numbers: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()

    def called(self, layer: Any, given: Note | None, made: Note | None, steps: int) -> None:
        """A layer of vizgrad's own ran."""
        whole, frame = _outermost(layer, sys._getframe(1))
        site = None if frame is None else Site(frame.f_code, frame.f_lasti)
        grad = MODES.grad and MODES.inference is None
        self.called_within(whole, site, layer, given, made, steps, grad)

    def called_within(
        self, whole: Any, site: Site | None, layer: Any, given: Note | None, made: Note | None,
        steps: int, grad: bool,
    ) -> None:  # fmt: skip
        """`site`: the line that called the module `whole`, within which a layer ran."""
        if not getattr(layer, "p", 1.0):
            return  # a dropout that drops nothing
        self.calls.append(
            Call(
                self._number(layer), type(layer).__name__, self._number(whole),
                type(whole).__name__, layer.training, whole.training == layer.training, grad,
                given, made, site, steps,
            )
        )  # fmt: skip

    def switched(self, module: Any, mode: bool, site: Site | None) -> None:
        self.switches.append((self._number(module), mode, site))

    def _number(self, module: Any) -> int:
        return self._numbers.setdefault(module, len(self._numbers) + tick())


def _outermost(layer: Any, frame: FrameType | None) -> tuple[Any, FrameType | None]:
    """The module that a person called, within which a layer runs, and the frame that called it."""
    from vizgrad.nn.modules.module import Module

    # a tapped function keeps its name of code in what it did before
    name, found, outside = Module.__call__.__name__, layer, None
    while frame is not None:
        if frame.f_code.co_name == name and isinstance(own := locals_of(frame).get("self"), Module):
            found, outside = own, frame.f_back
        frame = frame.f_back
    return found, outside


# --- optimizer steps -------------------------------------------------------------------------------------
# The effect of optimizer steps on parameters, and the course of the loss: in a few numbers each.


#: Optimizers, of which the first are kept; steps of each that found no gradient.
_OPTIMIZERS_KEPT, _VAIN_KEPT = 256, 4096
#: Elements of a parameter that are compared before and after a step.
_LOOKED_AT = 64
#: The step of an optimizer at which its parameters are asked for their names.
_NAMED_AT = 2


class Steps:
    """The steps of one optimizer."""

    __slots__ = (
        "at",
        "gap",
        "in_vain",
        "leaves",
        "longest_gap",
        "site",
        "still",
        "title",
        "useful",
        "useful_at",
        "vain_at",
    )

    def __init__(self, title: str, leaves: list[Leaf]) -> None:
        self.title = title
        self.leaves = leaves
        #: Steps that found a gradient of some parameter, and those that found none.
        self.useful = self.in_vain = 0
        #: Steps that found one, and for which every group had a learning rate of 0.
        self.still = 0
        #: The steps without any gradient since the last that found one; the most between two that did.
        self.gap = self.longest_gap = 0
        #: Where the last step was.
        self.at: Site | None = None
        #: When the last step was that found one.
        self.useful_at = 0
        #: Where the last step without a gradient was, and when they all were.
        self.site: Site | None = None
        self.vain_at: list[int] = []

    def stepped(self, found: bool, still: bool, site: Site | None) -> None:
        self.at = site
        if found:
            self.still += still
            if self.useful:
                self.longest_gap = max(self.longest_gap, self.gap)
            self.useful, self.gap, self.useful_at = self.useful + 1, 0, tick()
            return
        self.in_vain, self.gap, self.site = self.in_vain + 1, self.gap + 1, site
        if len(self.vain_at) < _VAIN_KEPT:
            self.vain_at.append(tick())


class Clears:
    """The calls of zero_grad of one optimizer."""

    __slots__ = ("count", "latest", "leaves", "site", "stepped", "title")

    def __init__(self, title: str) -> None:
        self.title = title
        #: Those that cleared gradients of a backward, and where the last was.
        self.count = 0
        self.site: Site | None = None
        #: When the last of these backwards was.
        self.latest = 0
        #: Parameters whose gradients were cleared.
        self.leaves: list[Leaf] = []
        #: Has the optimizer stepped?
        self.stepped = False


class Replicated(NamedTuple):
    """Parameters of which each must get a gradient in each backward, as other processes wait for it."""

    leaves: tuple[Leaf, ...]
    site: Site | None


class Sampled(NamedTuple):
    """Some elements of a parameter before a step, and the number of its group."""

    known: Parameter
    tensor: Any
    sample: Any
    group: int


class Training:
    def __init__(self, look: Look) -> None:
        #: The steps of each optimizer, also of those that are gone.
        self.steps: list[Steps] = []
        self._optimizers: weakref.WeakKeyDictionary[Any, Steps] = weakref.WeakKeyDictionary()
        self._steps: Steps | None = None
        self._look = look
        self.parameters: dict[int, Parameter] = {}
        #: Line of a loss -> the first value that was run backward, the last, and how many.
        self.losses: dict[tuple[int, int], tuple[float, float, int]] = {}
        self._stepping = False
        #: Has the step that runs a learning rate of 0 for all parameters?
        self._still = False
        self.clears: list[Clears] = []
        self._clears: weakref.WeakKeyDictionary[Any, Clears] = weakref.WeakKeyDictionary()
        self._optimizer: weakref.ref[Any] | None = None
        #: The norms of each layer, and the calls of backward so far, with the number that the last began at.
        self.norms = NormHistory(look)
        self.rounds: Sized = ()
        self._loss: float | None = None
        self.wild = WildSteps()
        #: Memory of parameters -> the first that was found there.
        self._memory: dict[tuple[int, int], weakref.ref[Any]] = {}

    def before(self, optimizer: Any, gradients: Gradients) -> list[Sampled] | None:
        """A step begins: samples of its parameters. None within another step."""
        if self._stepping:
            return None
        self._stepping = True
        held: list[tuple[Parameter, Any, int]] = []
        named = not self.parameters
        for number, group in enumerate(optimizer.param_groups):
            for tensor in group["params"]:
                known = self.parameters.get(id(tensor))
                if known is None or known.tensor() is not tensor:
                    leaf, title = gradients.of(tensor), type(optimizer).__name__
                    known = self.parameters[id(tensor)] = Parameter(tensor, leaf, title)
                known.steps += 1
                known.wanted = tensor.requires_grad
                if not known.wanted:
                    known.frozen_at = gradients.frozen_at(tensor)
                named = named or known.steps != _NAMED_AT
                if self._look.grad(tensor) is None:
                    known.without += 1
                else:
                    held.append((known, tensor, number))
        samples = self._look.samples([tensor for _, tensor, _ in held], _LOOKED_AT)
        found = [
            Sampled(known, tensor, sample, number)
            for (known, tensor, number), sample in zip(held, samples, strict=True)
        ]
        self.norms.before(optimizer, len(self.rounds), self._loss)
        self._optimizer = weakref.ref(optimizer)
        self._still = all(_is_zero(group.get("lr")) for group in optimizer.param_groups)
        if (clears := self._clears.get(optimizer)) is not None:
            clears.stepped = True
        self._steps = self._steps_of(optimizer, gradients)
        if not named:
            names = names_around(kinds=self._look.kinds)
            for leaf in gradients.all():
                leaf.name = names.get(leaf.key, "") or leaf.name
        return found

    def cleared(self, optimizer: Any, gradients: Gradients, site: Site | None) -> None:
        """zero_grad of an optimizer was called."""
        tensors = [tensor for group in optimizer.param_groups for tensor in group["params"]]
        leaves = [leaf for tensor in tensors if (leaf := gradients.known(tensor)) is not None]
        latest = max((leaf.run.clock for leaf in leaves if leaf.run is not None), default=0)
        known = self._clears.get(optimizer)
        if known is None:
            known = self._clears[optimizer] = Clears(type(optimizer).__name__)
            known.stepped = optimizer in self._optimizers
            if len(self.clears) < _OPTIMIZERS_KEPT:
                self.clears.append(known)
        if latest > known.latest:
            known.count, known.latest, known.site = known.count + 1, latest, site
            known.leaves = [leaf for leaf in leaves if leaf.run is not None]

    def _steps_of(self, optimizer: Any, gradients: Gradients) -> Steps:
        known = self._optimizers.get(optimizer)
        if known is None:
            tensors = [tensor for group in optimizer.param_groups for tensor in group["params"]]
            leaves = [self.parameters[id(tensor)].leaf for tensor in tensors]
            self._look_for_shared(tensors, gradients)
            known = self._optimizers[optimizer] = Steps(type(optimizer).__name__, leaves)
            if len(self.steps) < _OPTIMIZERS_KEPT:
                self.steps.append(known)
        return known

    def _look_for_shared(self, tensors: list[Any], gradients: Gradients) -> None:
        """Do two parameters lie in the same memory?"""
        for tensor in tensors:
            span = self._look.span(tensor)
            if span[0] >= span[1]:
                continue
            other = self._memory.setdefault(span, weakref.ref(tensor))()
            if other is None:
                self._memory[span] = weakref.ref(tensor)
            elif other is not tensor and self._look.span(other) == span:
                gradients.shares(other, tensor)

    def ended(self) -> None:
        self._stepping = False

    def after(self, before: list[Sampled], site: Site | None) -> None:
        if self._steps is not None:
            some = bool(before) or self._filled(self._steps)  # by a closure, within the step
            self._steps.stepped(some, self._still, site)
        samples = self._look.samples([tensor for _, tensor, *_ in before], _LOOKED_AT)
        both = [
            (known, tensor, number, was, now)
            for (known, tensor, was, number), now in zip(before, samples, strict=True)
            if was is not None and now is not None and now.shape == was.shape
        ]
        lengths = changes_of([(was, now) for *_, was, now in both])
        pairs = zip(both, lengths, strict=True)
        self.norms.after(
            (tensor, now.size, length) for (_, tensor, _, _, now), (length, _) in pairs
        )
        moved: list[Moved] = []
        if any(is_far(known, *each) for (known, *_), each in zip(both, lengths, strict=True)):
            moved = [
                Moved(known, length, old, self._long(known, number, old, size(now)))
                for (known, _, number, _, now), (length, old) in zip(both, lengths, strict=True)
            ]
        self.wild.stepped(moved, tick(), site)
        pairs = zip(both, lengths, strict=True)
        for (known, _, number, _, now), (length, old) in pairs:
            if length < float("inf"):
                known.finite += 1
            if length and not known.wanted:
                known.frozen, known.site = known.frozen + 1, site
            # what begins at zero moves by more than its size once
            if 0.0 < old < 2.0 * length < float("inf") and known.steps > 1:
                known.long += 1
                known.long_at = known.long_at or tick()
                if length / old > known.worst:
                    known.worst, known.site = length / old, site
                    known.longest = self._long(known, number, old, size(now))

    def _long(self, known: Parameter, number: int, before: float, after: float) -> Long | None:
        optimizer = None if self._optimizer is None else self._optimizer()
        if optimizer is None:
            return None
        groups = optimizer.param_groups
        rate = groups[number].get("lr") if number < len(groups) else None
        told = float(rate) if isinstance(rate, (int, float)) else None
        return Long(known.steps, told, number + 1, len(groups), float(before), float(after))

    def _filled(self, steps: Steps) -> bool:
        tensors = [leaf.tensor() for leaf in steps.leaves]
        return any(each is not None and self._look.grad(each) is not None for each in tensors)

    def ask(self, run: Run) -> list[tuple[tuple[int, int], Callable[[], Statistics]]]:
        """The values of the roots of a backward: a device is asked for them, and not waited for."""
        found: list[tuple[tuple[int, int], Callable[[], Statistics]]] = []
        for root in run.roots:
            tensor = root.tensor()
            if tensor is None or root.site is None or self._look.kind(tensor) != "f":
                continue
            values = self._look.array(tensor)
            if values.size == 1:
                found.append(((id(root.site[0]), root.site[1]), quick_later(values)))
        return found

    def ran(self, run: Run, values: list[tuple[tuple[int, int], Callable[[], Statistics]]]) -> None:
        """A backward began from roots of these values."""
        for key, told in values:
            (value,) = told().values or (nan,)
            self._loss = run.loss = value
            self.wild.lost(key, value)
            first, _, count = self.losses.get(key, (value, value, 0))
            self.losses[key] = first, value, count + 1


def _is_zero(rate: Any) -> bool:
    """Is it a number of Python's, which is 0? A device would have to be asked for others."""
    return isinstance(rate, (int, float)) and rate == 0


# --- usage patterns --------------------------------------------------------------------------------------
# Facts about the user's code that do not belong to one tensor: in custom Functions, on other threads, " "with
# losses.


#: Lines of other threads that are kept.
_STRAYS_KEPT = 16


class Habits:
    def __init__(self) -> None:
        #: (kind, Function, attribute of ctx, line) of what custom Functions did wrong.
        self.functions: list[tuple[str, Any, str, Site | None]] = []
        #: Lines of losses that are kept after their backward, and those of these backwards.
        self.kept: dict[tuple[int, int], tuple[Site, Site | None]] = {}
        #: Lines of other threads that record while this one does not.
        self.strays: list[Site | None] = []
        #: Line of a call -> the custom Function applied there last, if it keeps what forward computed.
        self.keeping: WeakValueDictionary[Site, Any] = WeakValueDictionary()
        self._thread = share_of_thread().thread

    def applied(
        self,
        cls: Any,
        site: Site | None,
        operands: list[Tensor],
        outputs: list[Tensor],
        began: int,
    ) -> None:
        """Did a custom Function keep its output on ctx, or write to an input unmarked?"""
        node: Any = outputs[0].grad_fn if outputs else None
        if node is None:
            return
        kept = [value for value in vars(node).values() if isinstance(value, Tensor)]
        inner = any(not any(value is given for given in operands) for value in kept)
        if site is not None and (inner or None in (node._fn_origins or ())):
            self.keeping[site] = cls
        for name, value in list(vars(node).items()):
            if any(value is out for out in outputs):
                self.functions.append(("reference-cycle", cls, name, None))
        for operand in operands:
            storage = operand._storage
            if storage is None or storage.last_write <= began:
                continue
            last = storage.first_write_after(began)
            if not any(operand is out for out in outputs):
                site = None if last is None else last.site
                self.functions.append(("function-dirty", cls, "", site))

    def count(self, run: Run, recent: list[Run]) -> None:
        """How many losses of the same line are still there, each with its graph?"""
        for root in run.roots:
            site = root.site
            if site is None or not root.requires:
                continue
            others = [
                other
                for earlier in recent
                for other in earlier.roots
                if other is not root and other.site == site and other.tensor() is not None
            ]
            if len(others) > 1:
                self.kept[id(site[0]), site[1]] = site, run.site

    def stray(self, result: Any, site: Site | None) -> None:
        """Another thread made a result: with history, although none is wanted here?"""
        made = isinstance(result, Tensor) and result._tracked == RESULT
        if made and self._thread in GUARD.no_grad and len(self.strays) < _STRAYS_KEPT:
            self.strays.append(site)


def tensors_in(values: Any, depth: int = 3) -> Iterator[Tensor]:
    """Tensors, also in tuples and lists, but those that stand for others."""
    for value in values:
        if isinstance(value, Tensor):
            if not stands_for_others(value):
                yield value
        elif depth and isinstance(value, (tuple, list)):
            yield from tensors_in(value, depth - 1)
