"""The notes on PyTorch's tensors in a watched block: the same as on vizgrad's own.

Told of by `torch_watch.py` (calls of PyTorch's functions) and `torch_hooks.py` (backwards, custom
Functions, steps).
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from vizgrad.core.interpreter import locals_of
from vizgrad.core.observing import Observer
from vizgrad.core.tensor.source_location import Site
from vizgrad.core.tensor.storage import tick
from vizgrad.debugger.engines.pytorch.call_places import (
    called_without_grad,
    modules_called,
    near_here,
)
from vizgrad.debugger.engines.pytorch.torch_tensors import (
    KINDS,
    LOOK,
    finite_anew,
    node_of,
    readable,
)
from vizgrad.debugger.watch.grad_history import how_cut
from vizgrad.debugger.watch.nonfinite_values import KEEPING
from vizgrad.debugger.watch.note_recorder import Noting, near_of
from vizgrad.debugger.watch.notes import Event, Note, holds
from vizgrad.debugger.watch.source_expressions import variable
from vizgrad.debugger.watch.tensor_adapter import tensors_in
from vizgrad.debugger.watch.training import Replicated

#: Kinds of calls whose result may share memory with others unseen.
_LENDING = frozenset({"data", "make"})
_PLAIN = (torch.Tensor, torch.nn.Parameter)
_INF = float("inf")
#: Codes of hooks that are remembered.
_HOOKS_KEPT = 256


class TorchNoting(Noting):
    """All that is known of one block of one thread, of PyTorch's tensors."""

    def __init__(self) -> None:
        super().__init__(LOOK, torch._C._autograd._get_sequence_nr)
        #: Code in hooks of tensors: a gradient that is written there was shown to others, too.
        self.hook_codes: set[Any] = set()
        #: The function of a checkpoint that ran again last.
        self.recomputed: Any = None
        #: Optimizers that step -> what their parameters were.
        self._stepping: dict[int, Any] = {}

    def start(self) -> None:
        self._observer = Observer("a watch")

    def stop(self) -> None:
        self.memory.end()

    def guarded(self, what: Callable[..., Any], *args: Any) -> Any:
        with torch._C.DisableTorchFunction():  # nobody hears of what is looked at
            return super().guarded(what, *args)

    # --- told of calls ---------------------------------------------------------------------------

    def called(
        self, kind: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], made: Any,
        wrote: list[Any], site: Site | None, node: Any = None,
    ) -> None:  # fmt: skip
        """A person's code called a function of PyTorch's. `wrote`: whose counter went on; `node`: of a single
        new tensor, if it has one.
        """
        if torch._C._functorch.peek_interpreter_stack() is not None:
            return  # within a transform
        if kind == "leak":
            self._leaked(name, args[0], made, site)
        elif kind == "assign":
            self.memory.assigned(*LOOK.span(args[0]), site)
            self.gradients.assigned(args[0], site)
        elif kind == "freeze":
            near = near_of(site, str)  # a library freezes what it was asked to
            self.gradients.switched(args[0], site if near is None else near.site)
        elif kind == "hook":
            self._hooked(name, site, *args, **kwargs)
        else:
            self._made(kind, name, args, kwargs, made, wrote, site, node)

    def made_plainly(  # noqa: C901  in one piece, as each call of a function costs
        self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], operands: list[Any],
        constant: bool, made: Any, site: Site | None, node: Any, key: int,
    ) -> None:  # fmt: skip
        """An operation made one tensor, and wrote to none. `node`: of it, if it has one, and its number."""
        known, last_end = self.notes.known, self.last_end
        parents: list[Note] = []
        itself = turned = False
        late = finite = True
        for each in operands:
            parent = known.get(id(each))
            if parent is None or parent.tensor() is not each:
                parent = self.note_of(each)
            else:
                parent.requires = each.requires_grad
            parents.append(parent)
            if parent.known is not True:
                finite = False
            if each is made:
                itself = True
            elif not parent.requires:
                continue
            elif parent.node is not None:
                if parent.clock < last_end or parent.turns:
                    turned = True
                else:
                    late = False
            elif site is not None and parent.used_on is not site:
                parent.used_on = site
                self.gradients.use(each, parent, site)
        if itself:
            return  # nothing was done
        note = Note(name, site, tuple(parents), KINDS[made.dtype], tick())
        note.constant = constant
        if node is None or made._version:
            self.place(note, made)
        else:
            note.requires, note.node = True, key
        if not note.requires:
            self._note_cut(note, "op")
        elif turned:
            self._count_turns(note)
        elif last_end:
            note.late = late
        if parents and not (
            (finite and name in KEEPING and not self.memory.lends) or finite_anew(made)
        ):
            self.judge_odd(note, made)
        if name in self.looked_at:
            for look in self.lookers:
                look(name, note, args, kwargs)
        self.notes.put(made, note)
        if self.repeats.running:
            self._lent(note, made, "op", args)

    def taken(self, name: str, array: Any, made: Any, site: Site | None) -> None:
        """A tensor was made over memory of another owner."""
        note = Note(name, site, (), KINDS[made.dtype], tick())
        note.constant = True
        self._new(note, made, "make", (name, (array,), {}))
        self._exposed(made, site, array)

    def applied(
        self, cls: Any, args: tuple[Any, ...], made: Any, before: Any, began: int, site: Any
    ) -> None:
        """A custom Function was applied. `before`: tensors among `args` and what their counters were;
        `began`: the tick then.
        """
        outputs = list(tensors_in((made,), LOOK))
        self._made("apply", "apply", args, {}, made, [], site)
        for each in outputs:
            self.note_of(each).began = began
        node = node_of(outputs[0]) if outputs else None
        if node is None:
            return
        kept = any(isinstance(value, torch.Tensor) for value in vars(node).values())
        if site is not None and (kept or node._raw_saved_tensors):
            self.habits.keeping[site] = cls
        for name, value in list(vars(node).items()):
            if any(value is out for out in outputs):
                self.habits.functions.append(("reference-cycle", cls, name, None))
        for operand, version in before:
            if operand._version > version and not any(operand is out for out in outputs):
                last = self.notes.get(operand)
                at = None if last is None else last.site
                self.habits.functions.append(("function-dirty", cls, "", at))

    def replicates(self, module: Any, site: Site | None) -> None:
        """A DistributedDataParallel that waits for a gradient of each parameter is called."""
        waits = not (module.find_unused_parameters or module.static_graph)
        if waits and id(module) not in self.replicated:
            wanted = (each for each in module.parameters() if each.requires_grad)
            leaves = tuple(self.gradients.of(each) for each in wanted)
            self.replicated[id(module)] = Replicated(leaves, site)

    def tended(self, name: str, args: tuple[Any, ...], made: Any) -> None:
        """A method of a GradScaler, or a function that clips, has ended."""
        tensors = tensors_in((made,), LOOK) if name == "scale" else ()
        self.scaling.ended(name, args, [self.note_of(each) for each in tensors])

    def plain_gradients(self, given: Any) -> list[tuple[Any, int]]:
        """The gradients that a clipping of these parameters writes, with their counters; none where a note on
        it may be asked for: the last backward made something that is not finite, a hook or other code holds
        memory, or a function runs again.
        """
        run = self.runs[-1] if self.runs else None
        if run is None or run.births or not all(root.finite for root in run.roots):
            return []
        if self.hooks or self.memory.lends or self.repeats.running or not run.ended:
            return []
        found: list[tuple[Any, int]] = []
        for each in given if isinstance(given, (list, tuple)) else [given]:
            grad = each.grad if each.__class__ in _PLAIN and each.is_leaf else None
            if grad is None:
                continue
            if grad.__class__ is not torch.Tensor or self.gradients.leaf_of(grad) is None:
                return []
            found.append((grad, grad._version))
        return found

    def finite(self, tensors: Sequence[Any]) -> list[bool]:
        """By the norms, which are not finite if one element is not."""
        norms = LOOK.norms(tensors)
        return [
            LOOK.finite(each) if norm is None else norm < _INF
            for each, norm in zip(tensors, norms, strict=True)
        ]

    def steps_begin(self, optimizer: Any, site: Site | None) -> None:
        """A step of an optimizer begins. One that failed before is forgotten."""
        self.scaling.steps(optimizer, site)
        if id(optimizer) in self._stepping or not self._stepping:
            self.training.ended()
            self._stepping.clear()
        self._stepping[id(optimizer)] = self.training.before(optimizer, self.gradients)

    def stepped(self, optimizer: Any, site: Site | None) -> None:
        self.steps += 1
        self.gradients.stepped(optimizer, site)
        before = self._stepping.pop(id(optimizer), None)
        self.training.after(before or [], site)
        if not self._stepping:
            self.training.ended()
        self.look_at_parameters(optimizer, site)

    def ran_layer(self, whole: Any, site: Site | None, layer: Any, args: Any, made: Any) -> None:
        """A layer ran that does something else in training, within the module `whole`."""
        given, result = (
            self.note_of(each) if isinstance(each, torch.Tensor) else None
            for each in (args[0] if args else None, made)
        )
        grad = torch.is_grad_enabled()
        self.layers.called_within(whole, site, layer, given, result, self.steps, grad)

    # --- notes -----------------------------------------------------------------------------------

    def _made(
        self, kind: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], made: Any,
        wrote: list[Any], site: Site | None, node: Any = None,
    ) -> None:  # fmt: skip
        if made.__class__ is torch.Tensor and not wrote:
            self._made_anew(kind, name, args, kwargs, made, site, node)
        elif name.startswith("_foreach") and args and isinstance(args[0], (list, tuple)):
            for call in _each_of(args, kwargs, made, wrote):
                self._made_one(kind, name, *call, site)
        else:
            self._made_one(kind, name, args, kwargs, made, wrote, site)

    def _made_anew(
        self, kind: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], made: Any,
        site: Site | None, node: Any,
    ) -> None:  # fmt: skip
        """The call made one tensor, and wrote to none."""
        operands, constant = _operands(args, kwargs)
        parents = self._parents(operands, made, site)
        for each in operands:
            if each is made:
                return  # nothing was done
        note = Note(name, site, parents if kind != "like" else (), KINDS[made.dtype], tick())
        if constant or kind == "make":
            note.constant = True
        if node is None or made._version:
            self.place(note, made)
        else:
            note.requires, note.node = True, node._sequence_nr()
        self._known_from_now(note, made, kind, (name, args, kwargs))
        if self.repeats.running or kind in _LENDING:
            self._lent(note, made, kind, args)

    def _parents(self, operands: list[Any], made: Any, site: Site | None) -> tuple[Note, ...]:
        """The notes of operands. Leaves among them are used by this line."""
        note_of = self.note_of
        parents = tuple([note_of(each) for each in operands])
        if site is not None:
            for each, parent in zip(operands, parents, strict=True):
                if parent.requires and parent.node is None and each is not made:
                    self.gradients.use(each, parent, site)
        return parents

    def _made_one(
        self, kind: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], made: Any,
        wrote: list[Any], site: Site | None,
    ) -> None:  # fmt: skip
        if isinstance(made, torch.Tensor) and name != "__setitem__":
            outputs: list[Any] = [made]
        else:
            outputs = wrote or list(tensors_in((made,), LOOK))
        if not outputs:
            return
        operands, constant = _operands(args, kwargs)
        parents = self._parents(operands, made, site)
        values = parents if kind != "like" else ()
        constant = constant or kind == "make"
        targets, given = set(map(id, wrote)), set(map(id, operands))
        for out in outputs:
            written = id(out) in targets
            if not written and id(out) in given:
                continue  # nothing was done
            note = Note(name, site, values, KINDS[out.dtype], tick())
            note.constant = constant
            self._new(note, out, kind, (name, args, kwargs))
            if not self._lent(note, out, kind, args) and written:
                self._wrote(out, note)

    def _lent(self, note: Note, out: Any, kind: str, args: tuple[Any, ...]) -> bool:
        """Remembers a result of a function that will run again, and memory that others have. Have they?"""
        if self.repeats.running and readable(out):
            self.repeats.made(note, LOOK.array(out))
        if kind == "data":
            self.memory.lent(out, note.site)
        elif kind == "make" and args and hasattr(args[0], "__array_interface__"):
            self._exposed(out, note.site, args[0])
        else:
            return False
        return True

    def _new(self, note: Note, out: Any, kind: str, call: Any) -> None:
        self.place(note, out)
        self._known_from_now(note, out, kind, call)

    def _known_from_now(self, note: Note, out: Any, kind: str, call: Any) -> None:
        self.judge(note, out, kind)
        if note.op in self.looked_at:
            for look in self.lookers:
                look(call[0], note, call[1], call[2])
        self.notes.put(out, note)

    def _wrote(self, out: Any, note: Note) -> None:
        """A tensor was written in place."""
        base = out._base if out._is_view() else None
        for event in self.hooks:
            if event.tensor() is out and event.rewritten is None:
                event.rewritten = note.site
        code = None if note.site is None else note.site.code
        inside = self.runs and not self.runs[-1].ended
        if inside and code in self.hook_codes and _was_given(code, out):
            self.runs[-1].edited.append((note.site, variable(note.site)))
        self.memory.wrote(out, base, LOOK.span(out), note.site)
        self.gradients.wrote(out, note.parents, note.site)
        if base is not None:
            self.written_through(base, note)

    def place(self, note: Note, tensor: Any) -> None:
        if tensor.requires_grad:
            note.requires = True
            # For a view that was written, to ask for its own node would make one.
            base = tensor._base if tensor._is_view() and tensor._version else None
            node = node_of(tensor if base is None else base)
            if node is not None:
                note.node = node._sequence_nr()

    def modules(self) -> str:
        return modules_called()

    def how_cut(self, note: Note, kind: str) -> str:
        mode = "" if torch.is_grad_enabled() else "no_grad"
        cut = how_cut(note, kind, "inference" if torch.is_inference_mode_enabled() else mode)
        if mode and cut in ("no_grad", "inference"):
            note.called_off = called_without_grad()
            note.near = near_here(note.called_off or note.site)
        return cut

    def _hooked(self, name: str, site: Site | None, tensor: Any, hook: Any = None) -> None:
        self.hooks.append(Event(name, site, self.note_of(tensor), held=holds(hook, tensor)))
        code = getattr(getattr(hook, "__func__", hook), "__code__", None)
        if code is not None and len(self.hook_codes) < _HOOKS_KEPT:
            self.hook_codes.add(code)

    # --- memory ----------------------------------------------------------------------------------

    def _leaked(self, name: str, tensor: Any, made: Any, site: Site | None) -> None:
        self.leaks.append(Event(name, site, self.note_of(tensor)))
        if name in ("numpy", "__array__") and tensor.device.type == "cpu":
            self._exposed(tensor, site, made)

    def _exposed(self, tensor: Any, site: Site | None, array: Any) -> None:
        """Other code shares its memory, as `array`, if that is no copy."""
        if readable(tensor) and tensor.device.type == "cpu" and _lies_in(array, LOOK.span(tensor)):
            self.memory.exposed(array, site, _counter(tensor))


def _was_given(code: Any, tensor: Any) -> bool:
    """Is it, or does it share the memory of, an argument of the call of that code that is running?"""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code is not code:
        frame = frame.f_back
    if frame is None:
        return False
    names = code.co_varnames[: code.co_argcount]
    variables = locals_of(frame)
    values = [variables.get(name) for name in names]
    return any(LOOK.knows(each) and LOOK.shares(each, tensor) for each in values)


def _counter(tensor: Any) -> Any:
    """Tells how often a tensor was written, weakly."""
    known = weakref.ref(tensor)
    last = 0

    def count() -> int:
        nonlocal last
        there = known()
        last = last if there is None or there.is_inference() else there._version
        return last

    return count


def _lies_in(array: Any, between: tuple[int, int]) -> bool:
    return between[0] <= int(array.__array_interface__["data"][0]) < between[1]


def _each_of(
    args: tuple[Any, ...], kwargs: dict[str, Any], made: Any, wrote: list[Any]
) -> Iterator[tuple[tuple[Any, ...], dict[str, Any], Any, list[Any]]]:
    """A call of a `_foreach` function as one call per tensor: (arguments, keywords, result, written).

    A result depends on the operands at its own index. To note it as made of all operands is untrue, and
    quadratic in the number of parameters.
    """
    count = len(args[0])

    def at(value: Any, index: int) -> Any:
        many = isinstance(value, (list, tuple)) and len(value) == count
        return value[index] if many else value

    for index in range(count):
        mine = tuple([at(each, index) for each in args])
        named = {key: at(each, index) for key, each in kwargs.items()}
        yield mine, named, at(made, index), [mine[0]] if wrote else []


def _operands(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], bool]:
    """The tensors among arguments; and is a number among them?"""
    operands: list[Any] = []
    constant = False
    for each in args:
        if isinstance(each, torch.Tensor):
            operands.append(each)
        elif each.__class__ in (float, int):
            constant = True
        elif isinstance(each, (tuple, list)):
            operands += tensors_in(each, LOOK)
    if kwargs:
        operands += tensors_in(kwargs.values(), LOOK)
    return operands, constant
