"""A batch of products with sparse matrices is a loop over them, also under a second transform."""

from __future__ import annotations

from typing import Any

import pytest

import vizgrad as vg
from vizgrad.core.batching.rules import LOOPED
from vizgrad.func import grad, jacfwd, jacrev, jvp, vmap


def _dense() -> Any:
    return vg.tensor([[[1.0, 0, 2], [0, 3, 0]], [[0.0, 5, 0], [0, 0, 0]], [[0, 0, 0.5], [4, 1, 0]]])


def _others() -> Any:
    return vg.arange(18.0).reshape(3, 3, 2).sin()


def _same(found: Any, wanted: Any) -> None:
    assert vg.allclose(found.to_dense(), wanted.to_dense())


@pytest.mark.rule("D-5", "S-5")
@pytest.mark.parametrize("mapped", [(0, None), (None, 0), (0, 0)])
def test_products(mapped: Any) -> None:
    before = dict(LOOPED)
    many, others, bias = _dense(), _others(), vg.ones(2, 2)
    parts = [
        [whole[at] if dim == 0 else whole[0] for at in range(3)]
        for whole, dim in zip((many, others), mapped, strict=True)
    ]
    first = (many if mapped[0] == 0 else many[0]).to_sparse().requires_grad_()
    second = (others if mapped[1] == 0 else others[0]).clone().requires_grad_()

    def call(s: Any, d: Any) -> Any:
        return vg.sparse.addmm(bias, s, vg.sparse.mm(s, d).new_ones(3, 2) * d, beta=2, alpha=0.5)

    found = vmap(call, mapped)(first, second)
    loops = [[p.clone().requires_grad_() for p in row] for row in parts]
    wanted = [call(s.to_sparse(), d) for s, d in zip(*loops, strict=True)]
    _same(found, vg.stack(wanted))
    found.sin().sum().backward()
    sum(each.sin().sum() for each in wanted).backward()
    for given, row, dim in zip((first, second), loops, mapped, strict=True):
        each = [p.grad for p in row]
        _same(given.grad, vg.stack(each) if dim == 0 else sum(each))
    assert before == LOOPED  # by a rule


@pytest.mark.rule("C-5", "S-5")
def test_derivatives_of_a_product_with_a_constant_sparse_matrix() -> None:
    s, others = _dense()[0].to_sparse(), _others()

    def f(d: Any) -> Any:
        return vg.sparse.mm(s, d.sin())

    wanted = jacrev(lambda d: s.to_dense() @ d.sin())(others[0])
    _same(jacrev(f)(others[0]), wanted)
    _same(jacfwd(f)(others[0]), wanted)
    each = vmap(grad(lambda d: f(d).exp().sum()))(others)
    _same(each, vg.stack([grad(lambda d: f(d).exp().sum())(d) for d in others]))
    twice = vmap(lambda k: vmap(lambda d: f(d * k))(others))(vg.tensor([1.0, 2.0]))
    _same(twice, vg.stack([vg.stack([f(d * k) for d in others]) for k in (1.0, 2.0)]))


@pytest.mark.rule("D-5", "S-5")
def test_the_values_at_places_are_found_for_a_batch_of_gradients() -> None:
    values, others = vg.tensor([1.0, 2.0, 3.0]).requires_grad_(), _others()[0]
    made = vg.sparse_coo_tensor([[0, 0, 1], [0, 2, 1]], values, (2, 3))
    arriving = vg.arange(16.0).reshape(4, 2, 2)
    (found,) = vg.autograd.grad(
        made @ others, values, arriving, is_grads_batched=True, retain_graph=True
    )
    each = [vg.autograd.grad(made @ others, values, one, retain_graph=True)[0] for one in arriving]
    _same(found, vg.stack(each))


@pytest.mark.rule("D-3")
def test_gamma_numbers_are_drawn_as_others_are() -> None:
    sample = vmap(
        lambda a: vg.distributions.Gamma(a, 1.0, validate_args=False).rsample(),
        randomness="different",
    )
    rates = vg.full((4, 3), 2.0)
    assert len(set(sample(rates).reshape(-1).tolist())) == 12
    with pytest.raises(RuntimeError, match="random operation while in randomness error mode"):
        vmap(lambda a: vg.distributions.Gamma(a, 1.0, validate_args=False).rsample())(rates)
    alike = vmap(lambda _: vg.distributions.Gamma(2.0, 1.0).sample((3,)), randomness="different")
    assert len(set(alike(rates).reshape(-1).tolist())) == 12


@pytest.mark.rule("D-3")
def test_numbers_of_several_operands_are_drawn_at_once() -> None:
    before = dict(LOOPED)
    vg.manual_seed(0)
    means, spread = vg.arange(4.0) * 100, vg.ones(4, 3)
    found = vmap(vg.normal, randomness="different")(means, spread)  # one mean for three
    assert found.shape == (4, 3)
    assert ((found - means[:, None]).abs() < 10).all()
    assert len(set(found.reshape(-1).tolist())) == 12
    rows = vg.tensor([[[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]])
    places = vmap(lambda p: vg.multinomial(p, 1), randomness="different")(rows)
    assert places.tolist() == [[[1], [0]], [[0], [1]]]
    count, chance = vg.full((2, 3), 7.0), vg.tensor([0.0, 1.0])
    trials = vmap(vg.binomial, randomness="different")(count, chance)
    assert trials.tolist() == [[0.0] * 3, [7.0] * 3]
    assert before == LOOPED


@pytest.mark.rule("A-6", "S-5")
@pytest.mark.parametrize("layout", ["coo", "csr"])
def test_tangents_go_through_products_with_a_constant_sparse_matrix(layout: str) -> None:
    """PyTorch has no formula there; that of the dense product says what is right."""
    dense, x = _dense()[0], _others()[0]
    s = dense.to_sparse() if layout == "coo" else dense.to_sparse_csr()
    for sparse, plain in [
        (lambda d: vg.sparse.mm(s, d), lambda d: dense @ d),
        (
            lambda d: vg.sparse.addmm(d[:2], s, d, beta=2, alpha=3),
            lambda d: d[:2] * 2 + dense @ d * 3,
        ),
        (lambda d: s @ d, lambda d: dense @ d),
        (lambda d: s.mv(d[:, 0]), lambda d: dense.mv(d[:, 0])),
    ]:
        found, wanted = (jvp(f, (x.exp(),), (x,)) for f in (sparse, plain))
        _same(found[0], wanted[0])
        _same(found[1], wanted[1])
