"""Random sequences of steps on vizgrad and PyTorch at once: after each step the two look the same.

Steps make leaves, results and views, write in place, detach, put hooks on, drop references, run backward
and grad with and without retain_graph and create_graph. Compared are values, versions, flags, gradients,
what hooks saw, and the class of whatever is raised. What tensors mean without PyTorch is said by
`tests/core/tensor/naive.py`, which has a machine of its own.
"""

from __future__ import annotations

import importlib.util
import math
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import vizgrad

if importlib.util.find_spec("torch") is None:
    pytest.fail("PyTorch is not installed: see test_parity.py", pytrace=False)

import torch

SHAPES = ((3,), (2, 3), (2, 1), ())
UNARY = ("tanh", "exp", "sin", "sigmoid", "neg")
BINARY = ("add", "sub", "mul")
VIEWS = ("first", "last", "tail", "turned", "flat", "widened", "alias", "half", "part")

number = st.integers(0, 12)
newest = st.sampled_from((0, 0, 0, 1, 1, 2, 3, 4, 6, 9))
quiet = st.sampled_from((False, False, False, True))


class Side:
    """The pool of one module, and what its hooks saw."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.pool: list[Any] = []
        self.handles: list[Any] = []
        self.journal: list[Any] = []

    def at(self, n: int) -> Any:
        return self.pool[-1 - n % len(self.pool)]

    def result(self, n: int) -> Any:
        """Among those that were computed and require grad; any, while there is none."""
        found = [t for t in self.pool if t.requires_grad and history(t) not in (None, "raises")]
        return found[-1 - n % len(found)] if found else self.at(n)

    def new(self, shape: tuple[int, ...], seed: int) -> Any:
        size = math.prod(shape)
        values = [((i * 7 + seed * 5) % 17 - 8) / 8 for i in range(size)]
        return self.module.tensor(values, dtype=self.module.float64).reshape(shape).clone()

    def note(self, what: str, *seen: Any) -> None:
        self.journal.append((what, *map(state, seen)))


def history(tensor: Any) -> Any:
    """Is there a `grad_fn`? Reading it can be refused (V-42 ... V-47)."""
    try:
        return True if tensor.grad_fn is not None else None
    except RuntimeError:
        return "raises"


def state(value: Any) -> Any:
    """Shape and elements of a tensor; anything else as it is."""
    if not hasattr(value, "requires_grad"):
        return value
    return tuple(value.shape), value.detach().tolist()


def visible(tensor: Any) -> dict[str, Any]:
    """All that a person can see of a tensor."""
    seen = {
        "value": state(tensor),
        "version": tensor._version,
        "requires_grad": tensor.requires_grad,
        "history": history(tensor),
        "is_view": tensor._is_view(),
        "retains_grad": tensor.retains_grad,
        "strides": tuple(tensor.stride()) if tensor.numel() > 1 else None,
        "offset": tensor.storage_offset() if tensor.numel() else None,
    }
    if seen["history"] != "raises":
        seen["is_leaf"] = tensor.is_leaf
        grad = tensor.grad
        seen["grad"] = state(grad)
        if grad is not None:
            seen["grad requires grad"] = grad.requires_grad
    return seen


def same(a: Any, b: Any) -> bool:
    """Equal, floats within what two libraries may round differently."""
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) or (a != a and b != b)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


class Machine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.ours, self.theirs = Side(vizgrad), Side(torch)

    def both(self, step: Callable[[Side], Any], *, no_grad: bool = False) -> None:
        """Does the step on both sides; what it returns goes to the pools, what it raises is compared."""
        outcomes: list[Any] = []
        for side in (self.ours, self.theirs):
            with warnings.catch_warnings(), side.module.no_grad() if no_grad else nullcontext():
                warnings.simplefilter("ignore")
                try:
                    outcomes.append(step(side))
                except Exception as error:  # noqa: BLE001  its class is what is compared
                    outcomes.append(error)
        ours, theirs = outcomes
        if isinstance(theirs, Exception) or isinstance(ours, Exception):
            assert isinstance(theirs, Exception), f"only vizgrad raises {ours!r}"
            assert isinstance(ours, type(theirs)), f"PyTorch raises {theirs!r}, vizgrad: {ours!r}"
            return
        made = [list(o) if isinstance(o, tuple) else [o] for o in outcomes]
        assert len(made[0]) == len(made[1])
        for side, tensors in zip((self.ours, self.theirs), made, strict=True):
            side.pool.extend(
                t for t in tensors if t is not None and all(t is not p for p in side.pool)
            )
        assert len(self.ours.pool) == len(self.theirs.pool)

    @initialize()
    def begin(self) -> None:
        self.leaf(0, 1, True)
        self.leaf(1, 2, True)

    # --- making tensors ------------------------------------------------------------------------------

    @rule(shape=st.integers(0, 3), seed=number, grad=st.booleans())
    def leaf(self, shape: int, seed: int, grad: bool) -> None:
        self.both(lambda side: side.new(SHAPES[shape], seed).requires_grad_(grad))

    @rule(name=st.sampled_from(UNARY), n=newest, no_grad=quiet)
    def unary(self, name: str, n: int, no_grad: bool) -> None:
        self.both(lambda side: getattr(side.at(n), name)(), no_grad=no_grad)

    @rule(name=st.sampled_from(BINARY), n=newest, m=newest, no_grad=quiet)
    def binary(self, name: str, n: int, m: int, no_grad: bool) -> None:
        self.both(lambda side: getattr(side.at(n), name)(side.at(m)), no_grad=no_grad)

    @rule(name=st.sampled_from(VIEWS), n=newest, no_grad=quiet)
    def view(self, name: str, n: int, no_grad: bool) -> None:
        def step(side: Side) -> Any:
            x = side.at(n)
            if name in ("first", "last", "tail", "half", "part") and x.dim() == 0:
                return None
            return {
                "first": lambda: x[0],
                "last": lambda: x[..., -1],
                "tail": lambda: x[..., 1:],
                "turned": lambda: x.transpose(0, -1) if x.dim() else x,
                "flat": lambda: x.view(-1),
                "widened": lambda: x.expand(2, *x.shape),
                "alias": lambda: x.view(x.shape),
                "half": lambda: tuple(x.unbind(0))[:2],
                "part": x.detach,
            }[name]()

        self.both(step, no_grad=no_grad)

    @rule(n=newest)
    def detach_in_place(self, n: int) -> None:
        self.both(lambda side: side.at(n).detach_())

    @rule(n=newest, grad=st.booleans())
    def require(self, n: int, grad: bool) -> None:
        def step(side: Side) -> Any:
            x = side.at(n)
            return None if x._is_view() else x.requires_grad_(grad)

        self.both(step)

    @rule(n=number)
    def drop(self, n: int) -> None:
        """The program releases a tensor."""
        if len(self.ours.pool) > 2:
            for side in (self.ours, self.theirs):
                del side.pool[-1 - n % len(side.pool)]

    # --- writing -------------------------------------------------------------------------------------

    @rule(name=st.sampled_from(("mul", *UNARY)), n=newest, no_grad=quiet)
    def write(self, name: str, n: int, no_grad: bool) -> None:
        def step(side: Side) -> Any:
            x = side.at(n)
            return x.mul_(0.5) if name == "mul" else getattr(x, name + "_")()

        self.both(step, no_grad=no_grad)

    @rule(name=st.sampled_from((*BINARY, "copy", "set")), n=newest, m=newest, no_grad=quiet)
    def write_two(self, name: str, n: int, m: int, no_grad: bool) -> None:
        if self.overlapping(n, m) or (
            name in ("copy", "set") and self.ours.at(n) is self.ours.at(m)
        ):
            return

        def step(side: Side) -> Any:
            x, y = side.at(n), side.at(m)
            if name == "set":
                x[...] = y
                return x
            return getattr(x, name + "_")(y)

        self.both(step, no_grad=no_grad)

    def overlapping(self, n: int, m: int) -> bool:
        """Two regions of one block: how far PyTorch looks for an overlap is its own affair."""
        x, y = self.theirs.at(n), self.theirs.at(m)
        return x is not y and x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr()

    @rule(n=newest)
    def write_unseen(self, n: int) -> None:
        """Through `.data`: no counter sees it (V-3)."""

        def step(side: Side) -> None:
            side.at(n).data.mul_(0.5)

        self.both(step)

    # --- hooks ---------------------------------------------------------------------------------------

    @rule(n=newest, kind=st.sampled_from(("look", "double", "nested")))
    def hook(self, n: int, kind: str) -> None:
        def step(side: Side) -> None:
            label = len(side.handles)

            def hook(grad: Any) -> Any:
                side.note("hook", label, grad)
                if grad is None or kind == "look":
                    return None
                if kind == "double":
                    return grad * 2
                with side.module.enable_grad():
                    inner = side.new((), 3).requires_grad_()
                    (inner * inner).backward()
                return grad * inner.grad

            side.handles.append(side.result(n).register_hook(hook))

        self.both(step)

    @rule(n=newest, kind=st.sampled_from(("pre", "post", "pre double", "post double")))
    def node_hook(self, n: int, kind: str) -> None:
        def step(side: Side) -> None:
            label, node = len(side.handles), side.result(n).grad_fn
            if node is None:
                return

            def seen(*grads: Any) -> Any:
                side.note(kind, label, *(g for part in grads for g in part))
                if "double" not in kind:
                    return None
                return tuple(None if g is None else g * 2 for g in grads[0])

            register = node.register_prehook if kind.startswith("pre") else node.register_hook
            side.handles.append(register(seen))

        self.both(step)

    @rule(n=newest, clear=st.booleans())
    def hook_after(self, n: int, clear: bool) -> None:
        def step(side: Side) -> None:
            label = len(side.handles)

            def hook(leaf: Any) -> None:
                side.note("after", label, leaf.grad)
                if clear:
                    leaf.grad = None

            side.handles.append(side.at(n).register_post_accumulate_grad_hook(hook))

        self.both(step)

    @rule(n=newest)
    def retain(self, n: int) -> None:
        self.both(lambda side: side.result(n).retain_grad())

    @rule(n=number)
    def remove(self, n: int) -> None:
        def step(side: Side) -> None:
            if side.handles:
                side.handles[-1 - n % len(side.handles)].remove()

        self.both(step)

    # --- running -------------------------------------------------------------------------------------

    @rule(n=newest, seed=number, retain=st.booleans(), create=quiet)
    def backward(self, n: int, seed: int, retain: bool, create: bool) -> None:
        def step(side: Side) -> None:
            root = side.result(n)
            given = side.new(tuple(root.shape), seed)
            root.backward(given, retain_graph=retain or create, create_graph=create)

        self.both(step)

    @rule(n=newest, m=newest, seed=number, retain=st.booleans(), create=quiet)
    def grad(self, n: int, m: int, seed: int, retain: bool, create: bool) -> None:
        asked = self.theirs.at(m)
        if asked._is_view() and history(asked) is None and asked.requires_grad:
            return  # made without grad: PyTorch runs all and calls it unused, vizgrad refuses at once

        def step(side: Side) -> Any:
            root = side.result(n)
            given = side.new(tuple(root.shape), seed)
            (found,) = side.module.autograd.grad(
                root, side.at(m), given, retain_graph=retain or create, create_graph=create
            )
            return found.clone()  # whether the engine made it as a view is its own affair

        self.both(step)

    @rule(n=newest)
    def clear(self, n: int) -> None:
        def step(side: Side) -> None:
            side.at(n).grad = None

        self.both(step)

    # --- looking -------------------------------------------------------------------------------------

    @invariant()
    def both_look_the_same(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for number, (x, y) in enumerate(zip(self.ours.pool, self.theirs.pool, strict=True)):
                ours, theirs = visible(x), visible(y)
                for what, value in theirs.items():
                    assert same(ours.get(what), value), (
                        f"{what} of tensor {number}: {ours.get(what)} here, {value} in PyTorch"
                    )
        assert same(self.ours.journal, self.theirs.journal), (
            self.ours.journal, self.theirs.journal,
        )  # fmt: skip

    def teardown(self) -> None:
        for side in (self.ours, self.theirs):  # create_graph makes cycles of leaf and gradient
            for tensor in side.pool:
                tensor.grad = None


Machine.TestCase.settings = settings(
    deadline=None, max_examples=150, stateful_step_count=25, derandomize=True, database=None
)
TestMachine = Machine.TestCase
