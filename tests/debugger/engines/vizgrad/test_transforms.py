"""Transforms in pictures: frames of `vmap`, `grad` and `jvp`, and which dimensions are batches."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import vizgrad as vg
from vizgrad import func
from vizgrad.autograd import Function
from vizgrad.core.tensor.modes import GUARD, MODES


def batches(tensor: vg.Tensor) -> dict[str, tuple[int, ...]]:
    """Of each node how many examples there are in the first dimensions of its output."""
    found: dict[str, tuple[int, ...]] = {}
    for node in vg.graph(tensor).data.nodes:
        for output in node.outputs:
            assert [(b.dim, b.rows) for b in output.batches] == [
                (dim, 1) for dim in range(len(output.batches))
            ]
            found[node.name] = tuple(b.size for b in output.batches)
    return found


def types(tensor: vg.Tensor) -> list[str]:
    """Names and types of nodes, as they are written."""
    lines = vg.graph(tensor).to_text().splitlines()[1:]
    own = [line.split("  saved:")[0].split("  in vmap")[0] for line in lines if "vmap" in line]
    return [" ".join(line.split()[1:]) for line in own]


def test_a_batch_is_marked_on_what_was_computed_of_it() -> None:
    w = vg.ones(3, requires_grad=True)
    y = func.vmap(lambda x: (x * w.exp()).sin().sum())(vg.ones(5, 3))
    found = batches(y.sum())
    assert found["MulBackward0"] == found["SinBackward0"] == found["SumBackward1"] == (5,)
    assert found["ExpBackward0"] == ()  # is the same for all
    assert found["SumBackward0"] == ()  # outside


def test_a_shape_that_looks_like_a_batch_is_none() -> None:
    w = vg.ones(5, 3, requires_grad=True)
    found = batches(func.vmap(lambda x: x * w.exp())(vg.ones(5)).sum())
    assert found["ExpBackward0"] == ()
    assert found["MulBackward0"] == (5,)


def test_batches_within_batches() -> None:
    w = vg.ones(4, requires_grad=True)
    y = func.vmap(func.vmap(lambda x: (x * w).sin()))(vg.ones(2, 3, 4)).sum()
    assert batches(y)["SinBackward0"] == (2, 3)
    text = vg.graph(y).to_text()
    assert "[B: 2] × [B: 3] × [4] f32" in text
    assert "in vmap [2]/vmap [3]" in text


def test_one_after_the_other_are_not_confused() -> None:
    w = vg.ones(4, requires_grad=True)
    first = func.vmap(lambda x: (x * w).sin())(vg.ones(2, 4))
    second = func.vmap(lambda x: x.cos(), in_dims=1)(first)
    assert batches(second.sum())["CosBackward0"] == (4,)
    assert batches(second.sum())["SinBackward0"] == (2,)


def test_what_a_rule_computes_on_its_way_is_marked_where_the_batch_lies() -> None:
    w = vg.ones(3, 2, requires_grad=True)
    rows = func.vmap(lambda x: (x @ w).tanh())(vg.ones(5, 4, 3))
    assert types(rows.sum()) == [
        "TanhBackward0 [B: 5] × [4, 2] f32",
        "ViewBackward0 [B: 5] × [4, 2] f32",
        "MmBackward0 [B: 5 · 4] × [2] f32",
    ]
    columns = func.vmap(lambda x: vg.ones(4, 3) @ (x * w))(vg.ones(5))
    assert types(columns.sum()) == [
        "PermuteBackward0 [B: 5] × [4, 2] f32",
        "ViewBackward0 [4] × [B: 5] × [2] f32",
        "MmBackward0 [4] × [B: 5 · 2] f32",
        "ViewBackward0 [3] × [B: 5 · 2] f32",
        "CloneBackward0 [3] × [B: 5] × [2] f32",
        "PermuteBackward0 [3] × [B: 5] × [2] f32",
        "MulBackward0 [B: 5] × [3, 2] f32",
    ]


def test_a_filter_for_each_example_lies_in_the_channels() -> None:
    filters = vg.ones(5, 4, 3, 3, 3, requires_grad=True)
    y = func.vmap(vg.nn.functional.conv2d)(vg.ones(5, 2, 3, 8, 8), filters)
    assert types(y.sum()) == [
        "PermuteBackward0 [B: 5] × [2, 4, 6, 6] f32",
        "ViewBackward0 [2] × [B: 5] × [4, 6, 6] f32",
        "ConvolutionBackward0 [2] × [B: 5 · 4] × [6, 6] f32",
        "ViewBackward0 [B: 5 · 4] × [3, 3, 3] f32",
    ]


def test_rules_within_rules() -> None:
    w = vg.ones(3, 2, requires_grad=True)
    y = func.vmap(func.vmap(lambda x: x @ w))(vg.ones(5, 6, 4, 3))
    assert types(y.sum()) == [
        "ViewBackward0 [B: 5] × [B: 6] × [4, 2] f32",
        "ViewBackward0 [B: 5] × [B: 6 · 4] × [2] f32",
        "MmBackward0 [B: 5 · B: 6 · 4] × [2] f32",
    ]


def test_what_is_the_same_for_all_is_none_though_a_rule_goes_on_with_it() -> None:
    w = vg.ones(5, 3, requires_grad=True)
    y = func.vmap(lambda i: w.exp()[i])(vg.arange(5))
    assert types(y.sum()) == [
        "PermuteBackward0 [B: 5] × [3] f32",
        "IndexBackward0 [B: 5] × [3] f32",
        "PermuteBackward0 [5, 3] f32",
        "ExpBackward0 [5, 3] f32",
    ]
    tables = vg.ones(5, 4, 2, requires_grad=True)
    look = vg.nn.functional.embedding
    places = vg.tensor([0, 1, 2, 3, 0])
    own = func.vmap(look)(places, tables)
    assert types(own.sum())[-1] == "ViewBackward0 [B: 5 · 4] × [2] f32"
    one = func.vmap(lambda i: look(i, w.exp()))(places)
    assert types(one.sum())[-1] == "ExpBackward0 [5, 3] f32"


def test_arguments_and_results_that_are_moved_are_marked() -> None:
    w = vg.ones(4, 5, requires_grad=True)
    y = func.vmap(lambda x: x.sin(), in_dims=1, out_dims=1)(w)
    assert types(y.sum()) == [
        "PermuteBackward0 [4] × [B: 5] f32",
        "SinBackward0 [B: 5] × [4] f32",
        "PermuteBackward0 [B: 5] × [4] f32",
    ]
    both = func.vmap(func.vmap(lambda x: x.sin(), out_dims=1), out_dims=2)(
        vg.ones(2, 3, 4) * w[0, :4]
    )
    assert types(both.sum())[:2] == [
        "PermuteBackward0 [4, 3] × [B: 2] f32",  # the inner one is over
        "PermuteBackward0 [B: 2] × [4] × [B: 3] f32",
    ]


def test_what_is_written_to_is_marked() -> None:
    def put(x: Any, v: Any) -> Any:
        x = x * 1
        x[0] = v
        return x.mul_(2)

    y = func.vmap(put)(vg.ones(5, 3, 2, requires_grad=True), vg.ones(5, 2, requires_grad=True))
    assert types(y.sum()) == [
        "MulBackward0 [B: 5] × [3, 2] f32",
        "CopySlices [B: 5] × [3, 2] f32",
        "base: MulBackward0 [B: 5] × [3, 2] f32",
    ]


def test_a_rule_of_ones_own_is_not_gone_into() -> None:
    class Sum(Function):
        @staticmethod
        def forward(x):
            return x.sum()

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def vmap(info, in_dims, *args):
            (x,) = args
            return x.T.exp().sum(0), 0

    y = func.vmap(Sum.apply)(vg.ones(3, 3, requires_grad=True))
    assert types(y.sum()) == [
        "SumBackward1 [B: 3] × [] f32",
        "ExpBackward0 [3, 3] f32",
        "PermuteBackward0 [3, 3] f32",
    ]


def test_frames_of_transforms_nest() -> None:
    w = vg.ones(3, requires_grad=True)

    def loss(x: Any) -> Any:
        a = (x * w).sin()
        return (a * a).sum()

    y = (func.vmap(loss)(vg.ones(5, 3)) * 2).sum()
    titles = [group.title for group in vg.graph(y).data.groups]
    assert any(title.startswith("vmap [5]") for title in titles)
    x = vg.ones(3, requires_grad=True)
    of_grad = func.grad(loss)(x).sum()
    scopes = {node.scope for node in vg.graph(of_grad).data.nodes}
    assert ("grad",) in scopes


def test_a_custom_function_is_marked() -> None:
    class Twice(Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, g):
            return g * 2

    w = vg.ones(3, requires_grad=True)
    y = func.vmap(lambda x: Twice.apply(x * w))(vg.ones(5, 3)).sum()
    assert next(b for n, b in batches(y).items() if "Twice" in n) == (5,)


def test_nothing_of_it_stays() -> None:
    scoped, scope = GUARD.scoped, MODES.scope
    with suppress(RuntimeError):
        func.vmap(lambda x: x.item())(vg.ones(3))
    func.hessian(lambda x: (x**3).sum())(vg.ones(2))
    assert MODES.scope == scope
    assert GUARD.scoped <= scoped  # less, where a thread of a test before has ended
