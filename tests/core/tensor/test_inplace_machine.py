"""Views, writes and gradients against an oracle that knows neither nodes nor strides (spec 03)."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import vizgrad
from tests.core.tensor import naive
from tests.fixtures.programs import values
from vizgrad.core.tensor.tensor import Tensor, new_tensor

SHAPES = ((3,), (2, 3), (2, 1), ())
UNARY = ("scale", "neg", "tanh", "sin")
BINARY = ("add", "sub", "mul")
VIEWS = ("first", "last", "tail", "turned", "flat", "backwards", "alias")

number = st.integers(0, 20)
quiet = st.sampled_from((False, False, True))
pick = st.sampled_from(("all", "views", "views", "results"))


class Machine(RuleBasedStateMachine):
    """A pool of pairs: the tensor, and what it should be."""

    def __init__(self) -> None:
        super().__init__()
        self.pool: list[tuple[Tensor, naive.Naive]] = []
        self.leaves: dict[int, Tensor] = {}

    def at(self, n: int, among: str = "all") -> tuple[Tensor, naive.Naive]:
        """The n-th newest; `among` views that may be written, or results, if there are any."""
        chosen = {
            "all": lambda o: True,
            "views": lambda o: not o.is_base and o.family.leaf is None,
            "results": lambda o: o.tracked and o.family.leaf is None,
            "written": lambda o: o.tracked and o.family.leaf is None and o.version > 0,
        }[among]
        found = [pair for pair in self.pool if chosen(pair[1])] or self.pool
        return found[-1 - n % len(found)]

    @initialize()
    def begin(self) -> None:
        self.add_leaf(0, 1)
        self.add_leaf(1, 2)

    def add_leaf(self, shape: int, seed: int) -> None:
        array = values(SHAPES[shape], seed) / 2
        leaf = new_tensor(array.copy()).requires_grad_()
        key = len(self.leaves)
        self.leaves[key] = leaf
        self.pool.append((leaf, naive.new(array, key)))

    # --- making tensors ----------------------------------------------------------------------------

    @precondition(lambda self: len(self.leaves) < 4)
    @rule(shape=st.integers(0, 3), seed=number)
    def leaf(self, shape: int, seed: int) -> None:
        self.add_leaf(shape, seed)

    @rule(shape=st.integers(0, 3), seed=number)
    def constant(self, shape: int, seed: int) -> None:
        array = values(SHAPES[shape], seed) / 2
        self.pool.append((new_tensor(array.copy()), naive.new(array)))

    @rule(name=st.sampled_from(UNARY), n=number, no_grad=quiet)
    def unary(self, name: str, n: int, no_grad: bool) -> None:
        x, o = self.at(n)
        with vizgrad.set_grad_enabled(not no_grad):
            made = -x if name == "neg" else x * 1.5 if name == "scale" else getattr(x, name)()
        self.pool.append((made, naive.out_of_place(name, o, grad=not no_grad)))

    @rule(name=st.sampled_from(BINARY), n=number, m=number, no_grad=quiet)
    def binary(self, name: str, n: int, m: int, no_grad: bool) -> None:
        (x, o), (y, q) = self.at(n), self.at(m)
        if not broadcast(o, q):
            return
        with vizgrad.set_grad_enabled(not no_grad):
            made = getattr(x, name)(y)
        self.pool.append((made, naive.out_of_place(name, o, q, grad=not no_grad)))

    @rule(name=st.sampled_from(VIEWS), n=number, among=pick)
    def view(self, name: str, n: int, among: str) -> None:
        x, o = self.at(n, among)
        cells = o.cells
        if name in ("first", "last", "tail") and (cells.ndim == 0 or cells.shape[-1] < 2):
            return
        pairs: dict[str, Any] = {
            "first": lambda: (x[0], cells[0]),
            "last": lambda: (x[..., -1], cells[..., -1]),
            "tail": lambda: (x[..., 1:], cells[..., 1:]),
            "turned": lambda: (
                (x.transpose(0, -1), cells.swapaxes(0, -1)) if cells.ndim else (x, cells)
            ),
            "flat": lambda: (x.flatten(), cells.reshape(-1)),
            "backwards": lambda: (x.unsqueeze(0), cells[None]),
            "alias": lambda: (x[...], cells),
        }
        made, shown = pairs[name]()
        if made is x:
            return
        if made._is_view():
            self.pool.append((made, o.view(shown)))
        # flatten of what is not contiguous is a copy, recorded as one: left out of the pool

    @rule(n=number)
    def detach(self, n: int) -> None:
        x, o = self.at(n)
        self.pool.append((x.detach(), o.detach()))

    # --- writing --------------------------------------------------------------------------------------

    @rule(name=st.sampled_from(UNARY), n=number, no_grad=quiet, among=pick)
    def write(self, name: str, n: int, no_grad: bool, among: str) -> None:
        x, o = self.at(n, among)

        def act() -> Any:
            return x.mul_(1.5) if name == "scale" else getattr(x, name + "_")()

        self._both(act, lambda: naive.in_place(name, o, grad=not no_grad), no_grad)

    @rule(name=st.sampled_from(BINARY), n=number, m=number, no_grad=quiet, among=pick)
    def write_two(self, name: str, n: int, m: int, no_grad: bool, among: str) -> None:
        (x, o), (y, q) = self.at(n, among), self.at(m)
        if not broadcast(o, q) or overlap((x, o), (y, q)):
            return
        self._both(
            lambda: getattr(x, name + "_")(y),
            lambda: naive.in_place(name, o, q, grad=not no_grad),
            no_grad,
        )

    @rule(n=number, m=number, no_grad=quiet, among=pick)
    def assign(self, n: int, m: int, no_grad: bool, among: str) -> None:
        (x, o), (y, q) = self.at(n, among), self.at(m)
        if not broadcast(o, q) or overlap((x, o), (y, q)) or o.cells.shape == ():
            return

        def act() -> None:
            x[...] = y

        self._both(act, lambda: naive.assign(o, q, grad=not no_grad), no_grad)

    def _both(self, act: Any, say: Any, no_grad: bool) -> None:
        """Does the write on both sides; both refuse it, or neither."""
        try:
            say()
        except naive.Refused:
            refused = True
        else:
            refused = False
        with vizgrad.set_grad_enabled(not no_grad):
            try:
                act()
            except RuntimeError as error:
                assert refused, error  # noqa: PT017  which of both is due is known only here
            else:
                assert not refused

    @rule(
        kind=st.sampled_from(VIEWS), name=st.sampled_from((*UNARY, *BINARY, "assign")), n=number,
        m=number,
    )  # fmt: skip
    def write_through_a_view_of_a_result(self, kind: str, name: str, n: int, m: int) -> None:
        """What the single rules reach only by luck."""
        if self.at(0, "results")[1].family.leaf is not None:
            self.unary("scale", n, no_grad=False)
        before = len(self.pool)
        self.view(kind, n, "results")
        if len(self.pool) == before:
            return
        if name in UNARY:
            self.write(name, 0, False, "all")
        elif name == "assign":
            self.assign(0, m, False, "all")
        else:
            self.write_two(name, 0, m, False, "all")
        self.differentiate(0, n, m)

    # --- looking --------------------------------------------------------------------------------------

    @invariant()
    def everything_visible_agrees(self) -> None:
        for x, o in self.pool:
            # sums of what cancels differ by the last bit of what was added
            np.testing.assert_allclose(x._array, o.read(), rtol=1e-12, atol=1e-13)
            assert x._version == o.version
            assert x.requires_grad is o.tracked
            if o.is_base:
                assert x.is_leaf is (o.family.leaf is not None or not o.tracked)

    @rule(n=number, m=number, seed=number)
    def differentiate(self, n: int, m: int, seed: int) -> None:
        roots = [pair for pair in (self.at(n, "written"), self.at(m)) if pair[1].tracked]
        if not roots:
            return
        given = [values(o.cells.shape, seed) for _, o in roots]
        error: RuntimeError | None = None
        found: Any = ()
        try:
            found = vizgrad.autograd.grad(
                [x for x, _ in roots],
                list(self.leaves.values()),
                [new_tensor(g) for g in given],
                retain_graph=True,
                allow_unused=True,
            )
        except RuntimeError as raised:
            error = raised
        assert (error is not None) == any(naive.is_stale(o) for _, o in roots), error
        if error is not None:
            assert "modified by an inplace operation" in str(error)
            return
        shapes = {k: leaf._array.shape for k, leaf in self.leaves.items()}
        expected: dict[int, np.ndarray] = {}
        for (_, o), g in zip(roots, given, strict=True):
            for key, part in naive.gradients(o, g, shapes).items():
                expected[key] = expected.get(key, 0) + part
        for key, gradient in zip(self.leaves, found, strict=True):
            assert (gradient is None) == (key not in expected)
            if gradient is not None:
                np.testing.assert_allclose(gradient.numpy(), expected[key], rtol=1e-9, atol=1e-9)


def broadcast(a: naive.Naive, b: naive.Naive) -> bool:
    try:
        np.broadcast_shapes(a.cells.shape, b.cells.shape)
    except ValueError:
        return False
    return True


def overlap(one: tuple[Tensor, naive.Naive], other: tuple[Tensor, naive.Naive]) -> bool:
    """Different regions of one block: what PyTorch does then depends on what it can find out."""
    (x, a), (y, b) = one, other
    if a.family.block is not b.family.block:
        return False
    return (
        x.stride() != y.stride()
        or a.cells.shape != b.cells.shape
        or bool((a.cells != b.cells).any())
    )


Machine.TestCase.settings = settings(deadline=None, max_examples=40, stateful_step_count=30)
TestMachine = Machine.TestCase
