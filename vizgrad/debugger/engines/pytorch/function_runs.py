"""Runs of a custom Function of PyTorch's on an example, for `vizgrad.card` and `vizgrad.check`; each
is of fresh copies.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from inspect import getattr_static
from typing import Any, NamedTuple

import torch
from torch.overrides import TorchFunctionMode

from vizgrad.core.errors import Explanation, Place, place_at, place_of, returning_place
from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger.check.backwards import Needless, needless, recorded, told
from vizgrad.debugger.check.examination import agreeing
from vizgrad.debugger.engines.api.abilities import Capability
from vizgrad.debugger.engines.pytorch.elements import elements_of
from vizgrad.debugger.engines.pytorch.torch_tensors import LOOK
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.functions import kept_at
from vizgrad.debugger.watch.source_expressions import tree_of

#: Random numbers of each run begin here.
SEED = 7
_METHODS = ("forward", "setup_context", "backward", "vjp")


class Done(NamedTuple):
    """One operation within a method of the Function: the method's line, and what came of it."""

    site: Site
    op: str
    operands: tuple[Any, ...]
    made: Any
    #: A copy of the values, as plain numbers.
    values: Any
    wrote: bool


class Trace(TorchFunctionMode):
    """The operations of methods, in order, and those of functions that they call."""

    def __init__(self, cls: Any) -> None:
        super().__init__()
        self.done: list[Done] = []
        self._codes = {code_of(cls, name) for name in _METHODS} - {None}

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        first = args[0] if args and isinstance(args[0], torch.Tensor) else None
        before = None if first is None else first._version
        made = func(*args, **(kwargs or {}))
        frame = sys._getframe(1)
        while frame is not None and frame.f_code not in self._codes:
            frame = frame.f_back  # pyright: ignore[reportAssignmentType]
        if frame is not None and isinstance(made, torch.Tensor):
            with torch._C.DisableTorchFunction():
                wrote = first is not None and first._version != before
                operands = tuple(each for each in args if isinstance(each, torch.Tensor))
                name = str(getattr(func, "__name__", ""))
                if name == "__get__":
                    name = str(getattr(func.__self__, "__name__", ""))
                copy = LOOK.array(made).copy()
                site = Site(frame.f_code, frame.f_lasti)
                self.done.append(Done(site, name, operands, made, copy, wrote))
        return made


def code_of(cls: Any, name: str) -> Any:
    """The code of a method as the person wrote it."""
    method = getattr_static(cls, name, None)
    if method is getattr_static(torch.autograd.Function, name, None):
        return None  # it has none
    function = getattr(method, "__func__", method)
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return getattr(function, "__code__", None)


def argument(cls: Any, n: int, inputs: tuple[Any, ...]) -> str:
    """The name in forward of the tensor number `n` of its arguments."""
    numbers = [i for i, each in enumerate(inputs) if isinstance(each, torch.Tensor)]
    code = code_of(cls, "forward")
    skipped = 0 if code_of(cls, "setup_context") is not None else 1
    names = () if code is None else code.co_varnames[skipped : code.co_argcount]
    return names[numbers[n]] if numbers[n] < len(names) else f"argument {numbers[n]}"


class Call:
    """Leaves, arguments (each a copy of its leaf, so it may be written to) and what came of it."""

    def __init__(
        self, cls: Any, inputs: tuple[Any, ...], values: list[Any], wants: list[bool]
    ) -> None:
        self.cls = cls
        self.leaves = [
            value.clone().requires_grad_(wanted)
            for value, wanted in zip(values, wants, strict=True)
        ]
        self.arguments = [leaf.clone() for leaf in self.leaves]
        self.versions = [each._version for each in self.arguments]
        self.args = arguments_of(inputs, self.arguments)
        torch.manual_seed(SEED)
        self.trace = Trace(cls)
        #: The operation of backward that wrote to the gradient it was given; the first, if one did.
        self.wrote: Done | None = None
        with self.trace:
            made = cls.apply(*self.args)
        several = made if isinstance(made, tuple) else (made,)
        self.results = [each for each in several if isinstance(each, torch.Tensor)]
        self.outputs = [each for each in self.results if each.requires_grad]
        self.wanted = [leaf for leaf in self.leaves if leaf.requires_grad]

    @property
    def node(self) -> Any:
        return self.outputs[0].grad_fn if self.outputs else None

    def gradients(
        self, weights: list[Any], *, create_graph: bool = False
    ) -> tuple[list[Any], list[Done]]:
        """One for each leaf that wants one, and the operations of backward."""
        trace = Trace(self.cls)
        given = [weight.clone() for weight in weights]
        with trace:  # `torch.autograd.grad` would take the mode away
            found = torch.autograd.graph._engine_run_backward(
                tuple(self.outputs), tuple(given), True, create_graph, tuple(self.wanted),
                allow_unreachable=True, accumulate_grad=False,
            )  # fmt: skip
        if any(each._version for each in given):
            self.wrote = next((done for done in trace.done if done.wrote), None)
        return list(found), trace.done


def arguments_of(inputs: tuple[Any, ...], tensors: list[Any]) -> list[Any]:
    """`inputs` with these in place of their tensors."""
    given = iter(tensors)
    return [next(given) if isinstance(each, torch.Tensor) else each for each in inputs]


def wide(tensor: torch.Tensor) -> torch.Tensor:
    """Its values, in double precision."""
    plain = tensor.detach()
    if plain.is_complex():
        return plain.to(torch.complex128)
    return plain.double() if plain.is_floating_point() else plain


def needless_gradients(
    cls: Any, inputs: tuple[Any, ...], values: list[Any], wants: list[bool]
) -> Iterator[Explanation]:
    """Those that cost more than a pass over elements, each with the line that computes it."""
    positions = [n for n, each in enumerate(inputs) if isinstance(each, torch.Tensor)]
    known: set[int] = set()
    for chosen in [n for n, wanted in enumerate(wants) if wanted] if len(positions) > 1 else ():
        alone = [n == chosen for n in range(len(wants))]
        for each, place in _where_it_is_needed_alone(
            Call(cls, inputs, values, alone), positions, chosen
        ):
            if each.product is not None and each.input not in known:
                known.add(each.input)
                name = argument(cls, each.input, inputs)
                yield told(cls.__name__, name, positions[each.input], place)


def _where_it_is_needed_alone(
    call: Call, positions: list[int], chosen: int
) -> list[tuple[Needless, Place | None]]:
    name = "vjp" if code_of(call.cls, "backward") is None else "backward"
    backward = inspect.unwrap(getattr(call.cls, name))
    if call.node is None:
        return []
    given = [
        torch.randn_like(each).requires_grad_() if each.requires_grad else torch.zeros_like(each)
        for each in call.results
    ]
    since = torch.ones(1, requires_grad=True).clone().grad_fn._sequence_nr()  # pyright: ignore[reportOptionalMemberAccess]
    trace = Trace(call.cls)
    try:
        with trace:
            made = backward(call.node, *given)
    except Exception:  # noqa: BLE001  a person's code, which may not be differentiable itself
        return []
    made = made if isinstance(made, tuple) else (made,)
    if len(made) <= positions[-1]:
        return []
    told_of: list[tuple[Needless, Place | None]] = []
    for each in needless([made[at] for at in positions], chosen, since):
        number = None if each.product is None else each.product._sequence_nr()
        sites = [done.site for done in trace.done if number in recorded(done.made, since)]
        place = place_of(sites[0]) if sites else returning_place(backward)
        told_of.append((each, place))
    return told_of


#: Elements of each input that are moved, by how much, and how far results may be apart.
_MOST, _STEP, _TOLERANCE = 24, 1e-6, 1e-4
#: So often backward is run again: few random numbers may be the same by chance.
_AGAIN = 6
_IMPRECISE = "it computes in less than double precision"
_MEANT = "differs from the derivative on purpose: the output is a copy of the input, or flat"
#: They give values without a history.
_CUTS = frozenset({"detach", "data", "detach_", "tensor", "as_tensor"})


class _RefusedError(Exception):
    """`once_differentiable` says that there is no second derivative."""


class Examined:
    """A Function, the example in double precision if forward takes that, and what is known so far."""

    def __init__(self, cls: Any, inputs: tuple[Any, ...]) -> None:
        self.cls, self.inputs = cls, inputs
        #: The gradients of the inputs; None until backward has given them, the same each time.
        self.gradients: list[Any] | None = None
        #: Are they the derivatives, or meant to be others?
        self.agrees = self.surrogate = False
        tensors = [each for each in inputs if isinstance(each, torch.Tensor)]
        asked = [each.requires_grad for each in tensors]
        floating = [each.is_floating_point() or each.is_complex() for each in tensors]
        self.wants = asked if any(asked) else floating
        self.values = [wide(each) for each in tensors]
        self.precise = True
        try:
            self.call = self.run(self.values)
        except Exception:  # noqa: BLE001  it may take its own type alone
            self.precise = False
            self.values = [each.detach() for each in tensors]
            self.call = self.run(self.values)
        self.weights = [torch.randn_like(each) + 2 for each in self.call.outputs]

    def run(self, values: list[Any]) -> Call:
        return Call(self.cls, self.inputs, values, self.wants)

    # --- forward ---------------------------------------------------------------------------------

    def forward(self) -> Capability:
        failures = tuple(self._written()) if self.call.outputs else ()
        return Capability("forward", "failed" if failures else "proven", "", failures)

    def _written(self) -> Iterator[Explanation]:
        for given, version, wanted in zip(
            self.call.arguments, self.call.versions, self.wants, strict=True
        ):
            if given._version == version or not wanted or _among(given, self.call.results):
                continue
            made = (done for done in self.call.trace.done if done.wrote)
            last = next((d for d in made if d.operands and d.operands[0] is given), None)
            name = (
                source_expressions.variable(last.site) if last is not None else ""
            ) or "the input"
            yield Explanation(
                "function-dirty", place_of(None if last is None else last.site), name,
                f"Call ctx.mark_dirty({name}) and return {name}, or change a clone: `{name}.clone()`.",
                f"{self.cls.__name__}.forward changes its input `{name}` in place without calling "
                "ctx.mark_dirty: the graph does not know of the write, and gradients may be wrong.",
            )  # fmt: skip

    # --- backward --------------------------------------------------------------------------------

    def backward(self) -> Capability:
        name = "backward"
        if not self.call.outputs:
            return Capability(name, "untested", "no output of it requires grad")
        try:
            found, first = self.call.gradients(self.weights)
            if self.call.wrote is not None:
                return Capability(name, "failed", "", (self._spoiled(self.call.wrote),))
            for _ in range(_AGAIN):
                again, second = self.call.gradients(self.weights)
                if not _alike(found, again):
                    return Capability(name, "failed", "", (self._other(first, second),))
        except Exception as error:  # noqa: BLE001  a person's code
            return Capability(name, "failed", "", (self._refused(error),))
        self.gradients = found
        if not self.precise:
            return Capability(name, "untested", f"no finite differences: {_IMPRECISE}")
        wrong = self._compared(found, self.value)
        self.agrees = wrong is None
        self.surrogate = wrong is not None and self._meant(found)
        if wrong is not None and not self.surrogate:
            return Capability(name, "failed", "", (self._wrong(*wrong),))
        detail = _MEANT if self.surrogate else agreeing(self._count())
        remarks = tuple(needless_gradients(self.cls, self.inputs, self.values, self.wants))
        return Capability(name, "proven", detail, remarks=remarks)

    def _count(self) -> int:
        """The number of derivatives that are compared."""
        real = [v for v, w in zip(self.values, self.wants, strict=True) if w and not v.is_complex()]
        return sum(min(each.numel(), _MOST) for each in real)

    def _refused(self, error: Exception) -> Explanation:
        return Explanation(
            "function-return", returning_place(self.cls.backward), f"{self.cls.__name__}Backward",
            "Return one gradient per argument of forward, each of the argument's shape, and None for what "
            "has no gradient.",
            f"{self.cls.__name__}.backward raised {type(error).__name__}: {error}",
        )  # fmt: skip

    def _other(self, first: list[Done], second: list[Done]) -> Explanation:
        for one, two in zip(first, second, strict=False):
            if one.op != two.op or not _same(one.values, two.values):
                site = one.site
                break
        else:
            site = None
        name = source_expressions.assigned(site)
        title = self.cls.__name__
        return Explanation(
            "not-repeatable", place_of(site) or returning_place(self.cls.backward),
            name or f"{title}Backward",
            "Save what forward drew or computed with ctx.save_for_backward, and use the same in backward.",
            f"{title}.backward ran twice for one call and gave two results"
            + (f", which differ in `{name}`." if name else "."),
        )  # fmt: skip

    def _spoiled(self, wrote: Done) -> Explanation:
        title = self.cls.__name__
        return Explanation(
            "hook-effect", place_of(wrote.site) or returning_place(self.cls.backward), f"{title}Backward",
            "Write out of place there: the gradient that comes in belongs to others, too.",
            f"{title}.backward changes the gradient that it is given in place. Others are given the same "
            "memory, and get a wrong gradient.",
        )  # fmt: skip

    def value(self, values: list[Any]) -> Any:
        """The outputs as one number, weighted."""
        call = self.run(values)
        pairs = zip(call.outputs, self.weights, strict=True)
        return sum((weight * out.detach()).real.sum().item() for out, weight in pairs)

    def _compared(self, found: list[Any], value: Any) -> tuple[int, float, float] | None:
        """The first element whose derivative is another by differences: input, given and found."""
        which = [n for n, wanted in enumerate(self.wants) if wanted]
        for n, gradient in zip(which, found, strict=True):
            flat = self.values[n].reshape(-1)
            if flat.is_complex():
                continue
            given = torch.zeros_like(flat) if gradient is None else gradient.detach().reshape(-1)
            for i in range(min(flat.numel(), _MOST)):
                sides = []
                for step in (_STEP, -_STEP):
                    moved = [each.clone() for each in self.values]
                    moved[n].view(-1)[i] += step
                    sides.append(value(moved))
                by_differences = (sides[0] - sides[1]) / (2 * _STEP)
                mine = float(given[i])
                if not abs(mine - by_differences) <= _TOLERANCE * max(
                    1.0, abs(mine), abs(by_differences)
                ):
                    return n, mine, by_differences
        return None

    def _meant(self, found: list[Any]) -> bool:
        """Is it an estimator, or a gradient that is changed on purpose? Values pass unchanged or are flat."""
        if any(
            _same(a, b)
            for a in map(elements_of, self.call.results)
            for b in map(elements_of, self.values)
        ):
            return True
        return self._compared([None] * len(found), self.value) is None

    def _wrong(self, n: int, given: float, found: float) -> Explanation:
        name = argument(self.cls, n, self.inputs)
        return Explanation(
            "function-return", returning_place(self.cls.backward), name,
            f"Correct what backward returns for `{name}`.",
            f"{self.cls.__name__}.backward returns a wrong gradient for `{name}`: it gives {given:.3g}, and "
            f"by differences of forward it is {found:.3g}.",
        )  # fmt: skip

    # --- the second derivative -------------------------------------------------------------------

    def double_backward(self) -> Capability:
        name, found = "double backward", self.gradients
        if found is None or all(each is None for each in found):
            return Capability(name, "untested", "backward gives no gradient that can be trusted")
        if not self.precise:
            return Capability(name, "untested", _IMPRECISE)
        if self._compared(found, self.value) is not None:
            return Capability(
                name, "untested", "backward gives another gradient than the derivative"
            )
        try:
            failures = tuple(self._second(found))
        except _RefusedError:
            return Capability(name, "untested", "raises an error: @once_differentiable")
        except Exception as error:  # noqa: BLE001  a person's code
            told = Explanation(
                "second-order-cut", returning_place(self.cls.backward), f"{self.cls.__name__}Backward",
                "Use differentiable operations of PyTorch there, or put @once_differentiable above backward.",
                f"With create_graph=True {self.cls.__name__}.backward raised {type(error).__name__}: {error}",
            )  # fmt: skip
            return Capability(name, "failed", "raises an error", (told,), aloud=True)
        if failures:
            return Capability(name, "failed", "", failures)
        return Capability(name, "proven", agreeing(self._count()))

    def _second(self, found: list[Any]) -> Iterator[Explanation]:
        directions = [None if each is None else torch.randn_like(each) + 2 for each in found]

        def first(values: list[Any]) -> float:
            gradients, _ = self.run(values).gradients(self.weights)
            return sum(
                (d * g).real.sum().item()
                for g, d in zip(gradients, directions, strict=True)
                if g is not None and d is not None
            )

        call = self.run(self.values)
        # they require grad: only then does `once_differentiable` say that there is no second derivative
        weights = [weight.clone().requires_grad_() for weight in self.weights]
        gradients, done = call.gradients(weights, create_graph=True)
        pairs = [
            (g, d)
            for g, d in zip(gradients, directions, strict=True)
            if g is not None and g.requires_grad
        ]
        if any(g is not None and _refuses(g.grad_fn) for g in gradients):
            raise _RefusedError
        second: list[Any] = [None] * len(found)
        if pairs:
            second = list(
                torch.autograd.grad(
                    [g for g, _ in pairs], call.wanted, [d for _, d in pairs], allow_unused=True
                )
            )
        wrong = self._compared(second, first)
        if wrong is not None:
            yield self._cut(call, done, *wrong)

    def _cut(self, call: Call, done: list[Done], n: int, given: float, found: float) -> Explanation:
        title = self.cls.__name__
        story = (
            f"The second derivative of {title} is incomplete: by `{argument(self.cls, n, self.inputs)}` "
            f"it is {given:.3g}, and by differences of backward {found:.3g}. "
        )
        saved = self._intermediate(call)
        if saved is not None:
            site, name = saved
            return Explanation(
                "second-order-cut", site, name,
                f"Save the inputs only and compute `{name}` again in backward, or return it as an output.",
                f"{story}backward takes `{name}`, which forward computed without a history, for a constant.",
            )  # fmt: skip
        cut = next((each for each in done if _cuts(each)), None)
        where = returning_place(self.cls.backward) if cut is None else place_of(cut.site)
        name = (
            ""
            if cut is None
            else source_expressions.assigned(cut.site) or source_expressions.variable(cut.site)
        )
        return Explanation(
            "second-order-cut", where, name or f"{title}Backward",
            "Compute the gradients in backward with differentiable operations on ctx.saved_tensors (no "
            "detach, item, numpy, no_grad), or put @once_differentiable above backward.",
            story + "backward computes with values that have no history.",
        )  # fmt: skip

    def _intermediate(self, call: Call) -> tuple[Any, str] | None:
        """A value that forward computed and kept, neither an input nor an output: where, and its name."""
        outside = {each.data_ptr() for each in (*call.arguments, *call.results)}
        depends = {each.made.data_ptr() for each in call.trace.done}
        for n, tensor in enumerate(call.node.saved_tensors):
            inside = (
                tensor is not None
                and tensor.is_floating_point()
                and tensor.data_ptr() not in outside
            )
            if (
                inside
                and tensor.data_ptr() in depends
                and (named := _saved_as(self.cls, n)) is not None
            ):
                return named
        for attribute, value in vars(call.node).items():
            if isinstance(value, torch.Tensor) and value.data_ptr() in depends - outside:
                place, name = kept_at(self.cls, attribute)
                return place, name or attribute
        return None


def _saved_as(cls: Any, n: int) -> tuple[Any, str] | None:
    """The line of `ctx.save_for_backward(...)`, and what its argument number `n` is called."""
    for method in ("forward", "setup_context"):
        code = code_of(cls, method)
        tree = None if code is None else tree_of(code.co_filename)
        if code is None or tree is None:
            continue
        lines = {line for _, _, line in code.co_lines() if line}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and node.lineno in lines:
                called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
                if called == "save_for_backward" and n < len(node.args):
                    return place_at(code, node.lineno), ast.unparse(node.args[n])
    return None


def _refuses(node: Any) -> bool:
    """Does it raise when it is run?"""
    return node is not None and node.name() == "torch::autograd::Error"


def _cuts(done: Done) -> bool:
    """Had an operand a history, and the result none?"""
    if done.op in _CUTS:
        return True
    return not done.made.requires_grad and any(each.requires_grad for each in done.operands)


def _among(value: Any, others: list[Any]) -> bool:
    return any(value is each for each in others)


def _same(one: Any, two: Any) -> bool:
    return one.shape == two.shape and bool((one == two).all())


def _alike(one: list[Any], two: list[Any]) -> bool:
    return all(
        (a is None and b is None) or (a is not None and b is not None and torch.equal(a, b))
        for a, b in zip(one, two, strict=True)
    )
