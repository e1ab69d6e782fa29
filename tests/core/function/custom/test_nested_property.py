"""NestedIOFunction on random structures, and where it is used: results and gradients of plain operations."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vizgrad as vg
from vizgrad.autograd import gradcheck, gradgradcheck
from vizgrad.autograd.function import NestedIOFunction, _iter_tensors, _unflatten


class Pair(NamedTuple):
    a: Any
    b: Any


SHAPES = st.sampled_from([(), (2,), (1, 3)])


def _structures(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.lists(inner, max_size=3).map(tuple),
            st.tuples(inner, inner).map(lambda both: Pair(*both)),
            st.dictionaries(st.sampled_from("kmz"), inner, max_size=3),
            st.dictionaries(st.sampled_from("kmz"), inner, max_size=2).map(OrderedDict),
        ),
        max_leaves=6,
    )


def _filled(structure: Any, make: Any) -> Any:
    """The structure with a tensor, made by `make(shape)`, for each shape."""
    if isinstance(structure, Shape):
        return make(structure.shape)
    if structure is None:
        return None
    if isinstance(structure, dict):
        return type(structure)((key, _filled(inner, make)) for key, inner in structure.items())
    parts = [_filled(inner, make) for inner in structure]
    return type(structure)(*parts) if hasattr(structure, "_fields") else type(structure)(parts)


@dataclass(frozen=True)
class Shape:
    """A place for a tensor."""

    shape: tuple[int, ...]


STRUCTURES = _structures(st.one_of(st.none(), SHAPES.map(Shape)))


class Weighted(NestedIOFunction):
    """Each tensor, squared, times its number (from 1); and the sum of all of them at the end."""

    def forward_extended(self, *parts: Any) -> Any:
        flat = list(_iter_tensors(parts))
        self.save_for_backward(*parts)
        total = vg.zeros((), dtype=vg.float64)
        for t in flat:
            total = total + t.sum()
        return _unflatten([t * t * (i + 1) for i, t in enumerate(flat)], parts), total

    def backward_extended(self, grads: Any, d_total: Any) -> Any:
        parts = list(_iter_tensors(self.saved_tensors))
        flat = list(_iter_tensors(grads))
        return _unflatten(
            [
                2 * (i + 1) * x * g + d_total
                for i, (x, g) in enumerate(zip(parts, flat, strict=True))
            ],
            grads,
        )


def _leaves() -> Any:
    count = iter(range(1000))

    def make(shape: tuple[int, ...]) -> vg.Tensor:
        start = next(count) + 1.0
        values = vg.arange(start, start + max(1, vg.zeros(shape).numel()), dtype=vg.float64)
        return values.reshape(shape).requires_grad_()

    return make


@pytest.mark.rule("F-121", "F-124", "F-125", "F-126", "F-129", "F-130")
@given(st.lists(STRUCTURES, min_size=1, max_size=3))
def test_structures_come_back_and_gradients_arrive(structures: list[Any]) -> None:
    inputs = tuple(_filled(s, _leaves()) for s in structures)
    outputs, total = Weighted.apply(*inputs)
    assert _types(outputs) == _types(inputs)
    flat, results = list(_iter_tensors(inputs)), list(_iter_tensors(outputs))
    assert [r.tolist() for r in results] == [(t * t * (i + 1)).tolist() for i, t in enumerate(flat)]
    if not flat:
        assert not total.requires_grad
        return
    assert len({id(r.grad_fn) for r in [*results, total]}) == 1
    assert [r.output_nr for r in [*results, total]] == list(range(len(results) + 1))
    loss = total * 3
    for r in results:
        loss = loss + r.sum()
    got = vg.autograd.grad(loss, flat, create_graph=True)
    assert [g.tolist() for g in got] == [(2 * (i + 1) * t + 3).tolist() for i, t in enumerate(flat)]
    seconds = vg.autograd.grad(sum(g.sum() for g in got), flat)
    assert [s.tolist() for s in seconds] == [
        vg.full(t.shape, 2.0 * (i + 1), dtype=vg.float64).tolist() for i, t in enumerate(flat)
    ]


def _types(thing: Any) -> Any:
    """The structure as plain data: containers by type and keys, tensors by shape."""
    if thing is None or isinstance(thing, vg.Tensor):
        return None if thing is None else tuple(thing.shape)
    if isinstance(thing, dict):
        return (type(thing).__name__, [(k, _types(v)) for k, v in thing.items()])
    return (type(thing).__name__, [_types(v) for v in thing])


class Cell(NestedIOFunction):
    """One step of a small recurrent cell: state {h, c} and input in, output and state out."""

    def forward_extended(self, x: Any, state: Any) -> Any:
        c = state["c"] * 0.5 + x
        h = c.tanh()
        self.save_for_backward(h)
        return h * 2, {"h": h + state["h"], "c": c}

    def backward_extended(self, d_out: Any, d_state: Any) -> Any:
        (h,) = self.saved_tensors
        d_h = d_out * 2 + d_state["h"]
        d_c = d_state["c"] + d_h * (1 - h * h)
        return d_c, {"h": d_state["h"], "c": d_c * 0.5}


def _run(step: Any, xs: tuple[Any, ...]) -> Any:
    *inputs, h, c = xs
    state, outs = {"h": h, "c": c}, []
    for x in inputs:
        out, state = step(x, state)
        outs.append(out)
    return sum(outs) + state["h"] * state["c"]


@pytest.mark.rule("F-120", "F-129")
def test_a_recurrent_cell_is_differentiated_once() -> None:
    xs = tuple(
        vg.tensor([0.1 * i, -0.3, 0.2 * i], dtype=vg.float64, requires_grad=True) for i in range(5)
    )

    def plain(x: Any, state: Any) -> Any:
        c = state["c"] * 0.5 + x
        h = c.tanh()
        return h * 2, {"h": h + state["h"], "c": c}

    own = vg.autograd.grad(_run(Cell.apply, xs).sum(), xs)
    expected = vg.autograd.grad(_run(plain, xs).sum(), xs)
    for a, b in zip(own, expected, strict=True):
        assert vg.allclose(a, b, rtol=1e-12)
    assert gradcheck(lambda *xs: _run(Cell(), xs), xs)


class Norms(NestedIOFunction):
    """The square norm of each named part, and the parts scaled by it; twice differentiable."""

    def forward_extended(self, parts: Any) -> Any:
        self.save_for_backward(parts)
        norms = {name: (p * p).sum() for name, p in parts.items()}
        return Pair(norms, [p * norms[name] for name, p in parts.items()])

    def backward_extended(self, d_norms: Any, d_scaled: Any) -> Any:
        (parts,) = self.saved_tensors
        grads = {}
        for (name, p), g in zip(parts.items(), d_scaled, strict=True):
            inner = (g * p).sum() + d_norms[name]
            grads[name] = 2 * p * inner + g * (p * p).sum()
        return (grads,)


@pytest.mark.rule("F-120", "F-126")
def test_a_second_derivative_by_finite_differences() -> None:
    a = vg.tensor([0.5, -1.0], dtype=vg.float64, requires_grad=True)
    b = vg.tensor([[2.0], [0.25]], dtype=vg.float64, requires_grad=True)

    def flat(a: Any, b: Any) -> Any:
        out = Norms.apply({"a": a, "b": b})
        assert type(out) is Pair
        return (*out.a.values(), *out.b)

    assert gradcheck(flat, (a, b))
    assert gradgradcheck(flat, (a, b))


@pytest.mark.rule("F-122", "F-125")
def test_an_output_that_is_no_structure_is_refused() -> None:
    class Wrong(NestedIOFunction):
        def forward_extended(self, x: Any) -> Any:
            return [x * 1, 3.5]

    with pytest.raises(ValueError, match=r"type float.*Accepted types: Tensors"):
        Wrong.apply(vg.ones(1, requires_grad=True))


@pytest.mark.rule("F-129", "F-44")
def test_undefined_gradients_are_none_when_asked_for() -> None:
    got: list[Any] = []

    class Two(NestedIOFunction):
        def forward_extended(self, x: Any) -> Any:
            self.set_materialize_grads(False)
            return {"used": x * 1, "left": [x * 2]}

        def backward_extended(self, grads: Any) -> Any:
            got.append(grads)
            return grads["used"]

    x = vg.ones(2, requires_grad=True)
    Two.apply(x)["used"].sum().backward()
    assert got[0]["left"] == [None]
    assert got[0]["used"].tolist() == [1, 1]
    assert x.grad.tolist() == [1, 1]


@pytest.mark.rule("F-131", "F-54")
def test_a_nested_dirty_view_writes_to_its_base() -> None:
    class Doubling(NestedIOFunction):
        def forward_extended(self, parts: Any) -> Any:
            parts["v"].mul_(2)
            self.mark_dirty(parts)
            return parts["v"]

        def backward_extended(self, grad: Any) -> Any:
            return ({"v": grad * 2},)

    x = vg.ones(4, requires_grad=True)
    base = x * 1
    view = base[:2]
    assert Doubling.apply({"v": view}) is view
    assert base.grad_fn.name() == "CopySlices"
    base.sum().backward()
    assert x.grad.tolist() == [2, 2, 1, 1]
