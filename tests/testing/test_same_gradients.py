"""`assert_same_gradients`: leaves decide, and the first node that differs is named with both lines."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

import vizgrad as vg
from vizgrad.testing import assert_same_gradients


def leaf(dtype: Any = None) -> Any:
    return vg.tensor([0.1, 0.2, 0.3], dtype=dtype, requires_grad=True)


def plainly(w: Any) -> Any:
    hidden = (w * 2).tanh()
    return (hidden * hidden).sum()


def reordered(w: Any) -> Any:
    """Other nodes, the same gradients."""
    return ((w + w).tanh() ** 2).sum()


def wrong(w: Any) -> Any:
    hidden = (w * 2).tanh()
    hidden = hidden * 1.5
    return (hidden * hidden).sum()


def refused(a: Any, b: Any, **options: Any) -> str:
    with pytest.raises(AssertionError) as caught:
        assert_same_gradients(a, b, **options)
    return str(caught.value)


@pytest.mark.parametrize("tolerances", [{}, {"rtol": 1e-4, "atol": 1e-6}], ids=["type", "given"])
@pytest.mark.parametrize("other", [plainly, reordered])
def test_the_same_gradients_pass_whatever_nodes_made_them(other: Any, tolerances: Any) -> None:
    w, v = leaf(), leaf(vg.float64)
    v.grad = before = vg.ones(3, dtype=vg.float64)
    a, b = plainly(w), other(v)
    assert_same_gradients(a, b, **tolerances)
    assert w.grad is None
    assert v.grad is before
    b.backward()  # the graph was kept
    assert v.grad is before
    assert v.grad.tolist() != [1, 1, 1]


def test_the_first_difference_is_named_with_its_line_on_both_sides() -> None:
    text = refused(plainly(w := leaf()), wrong(leaf()))
    first, *below = text[text.index("First difference") :].splitlines()
    assert first.endswith("of TanhBackward0: by 1.25 of its norm (2.4e-05 allowed)")
    said = [
        (line.partition(", test_")[0].partition(": ")[0].strip(), line.rpartition(": ")[2])
        for line in below[:5]
    ]
    square = "return (hidden * hidden).sum()"
    assert said == [
        ("a", "hidden = (w * 2).tanh()"),
        ("b", "hidden = (w * 2).tanh()"),
        ("made in a by MulBackward0", square),
        ("made in b by MulBackward0", "hidden = hidden * 1.5"),
        ("0 nodes only in a, 1 only in b", "0 nodes only in a, 1 only in b"),
    ]
    assert "1 of 1 leaf differs:\n  w: by 1.25 of its norm" in text
    assert w.grad is None


def test_tolerances_count_in_each_element() -> None:
    small = {"rtol": 1e-4, "atol": 1e-6}

    def loss(w: Any, factor: float) -> Any:
        return (w * vg.tensor([1.0, 1.0, factor])).sum()

    assert_same_gradients(loss(leaf(), 1e-3), loss(leaf(), 2e-3), rtol=0.0, atol=0.0011)
    text = refused(loss(leaf(), 1e-3), loss(leaf(), 2e-3), **small)
    assert "1 of 3 elements, by at most 0.001 at [2], 0.5 of it at [2]" in text
    # relative to the norm of all, 1e-9 of one element is nothing; in that element it is all
    assert_same_gradients(loss(leaf(), 1e-9), loss(leaf(), 2e-9))
    assert "0.5 of it" in refused(loss(leaf(), 1e-9), loss(leaf(), 2e-9), rtol=0.1, atol=0.0)


def test_leaves_are_known_by_their_names_wherever_they_stand() -> None:
    first, second = leaf(), vg.tensor([2.0, 3.0, 5.0], requires_grad=True)
    assert_same_gradients((first * second).sum(), (second * first).sum())
    text = refused((first * second).sum(), (second * second + first).sum())
    assert "2 of 2 leaves differ" in text
    here = vg.nn.Linear(3, 3, bias=False)
    there = vg.nn.Linear(3, 3, bias=False)
    there.load_state_dict(here.state_dict())
    x = vg.ones(3, 3)
    assert_same_gradients(here(x).sum(), (x @ there.weight.t()).exp().log().sum())


@pytest.mark.parametrize("name", ["_orig_mod", "module"])
def test_a_wrapper_around_a_module_is_no_difference(name: str) -> None:
    """As those of `torch.compile` and DistributedDataParallel, which add their own name to each leaf's."""
    plain = vg.nn.Sequential(vg.nn.Linear(3, 3, bias=False), vg.nn.Linear(3, 3, bias=False))
    wrapper, x = vg.nn.Module(), vg.ones(3, 3)
    setattr(wrapper, name, deepcopy(plain))
    first, second = wrapper.parameters()
    assert_same_gradients(plain(x).sum(), (second @ (first @ x.t())).sum())
    assert "2 of 2 leaves differ" in refused(plain(x).sum(), (first @ (second @ x.t())).sum())


def test_nan_is_nan_and_no_number() -> None:
    def loss(w: Any) -> Any:
        return (w - 0.1).sqrt().mul(w - 0.1).sum()

    assert_same_gradients(loss(leaf()), loss(leaf()))
    assert_same_gradients(loss(leaf()), loss(leaf()), rtol=1e-4, atol=1e-6)
    bad = vg.tensor([float("nan"), 1.0, 1.0])
    assert "not finite on one side" in refused((leaf() * bad).sum(), leaf().sum())
    assert "1 of 3 elements, by at most nan" in refused(
        (leaf() * bad).sum(), leaf().sum(), rtol=1.0, atol=1.0
    )


def test_a_leaf_of_one_side_alone_is_a_difference() -> None:
    bias = leaf()
    text = refused(plainly(leaf()), plainly(leaf()) + bias.sum())
    assert "Only in b a gradient arrives at bias" in text


def test_a_port_by_arrays() -> None:
    model = vg.nn.Sequential(vg.nn.Linear(3, 2), vg.nn.Tanh(), vg.nn.Linear(2, 1))

    def loss() -> Any:
        return model(vg.ones(4, 3)).mean()

    loss().backward()
    wanted = {name: p.grad.numpy().copy() for name, p in model.named_parameters()}
    model.zero_grad()
    assert_same_gradients(loss(), wanted)
    assert_same_gradients(wanted, loss(), rtol=1e-5, atol=1e-7)
    assert_same_gradients(loss(), {model[0].weight: wanted["0.weight"].tolist()})
    assert all(p.grad is None for p in model.parameters())
    wanted["0.bias"][1] *= 2
    assert "1 of 4 leaves differ:\n  0.bias: by " in refused(loss(), wanted)
    assert "  0.bias: 1 of 2 elements" in refused(loss(), wanted, rtol=1e-3, atol=0.0)
    assert "  0.bias: shape [2] here, [3] there" in refused(loss(), {"0.bias": [1.0, 2.0, 3.0]})
    frozen = vg.ones(3, requires_grad=True)
    assert "frozen: undefined on one side" in refused(loss() + 0 * frozen.sum(), {"frozen": None})


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(ValueError, match="given together, or not at all; atol is missing"):
        assert_same_gradients(plainly(leaf()), plainly(leaf()), rtol=1e-3)
    with pytest.raises(TypeError, match="the second is int"):
        assert_same_gradients(plainly(leaf()), 3)
    with pytest.raises(TypeError, match="two mappings"):
        assert_same_gradients({}, {})
    with pytest.raises(ValueError, match="is empty"):
        assert_same_gradients(plainly(leaf()), {})
    w = leaf()
    with pytest.raises(KeyError, match="no leaf of the loss is called 'v'; its leaves are `w`"):
        assert_same_gradients(plainly(w), {"v": [1.0, 1.0, 1.0]})
    with pytest.raises(TypeError, match="are leaves or their names, not int"):
        assert_same_gradients(plainly(w), {3: [1.0, 1.0, 1.0]})


def test_a_comparison_of_nothing_fails() -> None:
    session = vg.debug(plainly(leaf()), display=False)
    assert "No gradient was compared" in refused(session, session.trace)
    session.close()


def test_the_message_can_be_replaced() -> None:
    assert refused(plainly(leaf()), wrong(leaf()), msg="other") == "other"
    text = refused(plainly(leaf()), wrong(leaf()), msg=lambda told: f"port: {told}")
    assert text.startswith("port: Gradients are not close!")
