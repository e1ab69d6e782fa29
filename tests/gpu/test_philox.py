"""Random numbers of a device are those of the algorithm, and of PyTorch on GPUs. `make gpu-test`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.fixtures.philox import drawn, of_rows, shuffle_equal

pytestmark = pytest.mark.gpu

#: Printed by PyTorch on NVIDIA GPUs after `torch.manual_seed(seed)`, as public logs show; four digits each.
PRINTED: dict[str, tuple[int, Callable[[], Any], list[float]]] = {
    "rand": (0, lambda: vg.rand(35, device="cuda"), [
        0.3990, 0.5167, 0.0249, 0.9401, 0.9459, 0.7967, 0.4150, 0.8203, 0.2290, 0.9096, 0.1183, 0.0752,
        0.4092, 0.9601, 0.2093, 0.1940, 0.8909, 0.4387, 0.3570, 0.5454, 0.8299, 0.2099, 0.7684, 0.4290,
        0.2117, 0.6606, 0.1654, 0.4250, 0.9927, 0.6964, 0.2472, 0.7028, 0.7494, 0.9303, 0.0494,
    ]),
    "randn": (0, lambda: vg.randn(8, 8, device="cuda")[:4], [
        -0.9247, -0.4253, -2.6438, 0.1452, -0.1209, -0.5797, -0.6229, -0.3284,
        -1.0745, -0.3631, -1.6711, 2.2655, 0.3117, -0.1842, 1.2866, 1.1820,
        -0.1271, 1.2169, 1.4353, 1.0605, -0.4941, -1.4244, -0.7244, -1.2973,
        0.0697, -0.0074, 1.8969, 0.6878, -0.0779, -0.8373, 1.3506, -0.2879,
    ]),
    "randn, another seed": (42, lambda: vg.randn(2, 5, device="cuda"), [
        0.1940, 2.1614, -0.1721, 0.8491, -1.9244, 0.6530, -0.6494, -0.8175, 0.5280, -1.2753,
    ]),
    "randn, a third seed": (10, lambda: vg.randn(3, device="cuda"), [-0.1029, 1.6810, -0.2708]),
}  # fmt: skip


@pytest.mark.parametrize("name", PRINTED)
def test_numbers_are_those_that_pytorch_printed(name: str) -> None:
    seed, draw, printed = PRINTED[name]
    vg.cuda.manual_seed(seed)
    np.testing.assert_allclose(draw().cpu().numpy().ravel(), printed, atol=6e-5)


def threads_for(n: int) -> int:
    """How many threads draw n numbers: 256 a block, and as many blocks as run at once."""
    from vizgrad.core.arrays import philox
    from vizgrad.core.arrays.backend import namespace_of

    most = philox._most_blocks(namespace_of(vg.ones(1, device="cuda")._array), 0)
    return 256 * min(-(-n // 256), most)


def offset_of_default() -> int:
    return int.from_bytes(bytes(vg.cuda.get_rng_state().tolist()[8:]), "little")


def filled(dtype: Any, name: str, *given: Any) -> Callable[[int], Any]:
    return lambda n: getattr(vg.empty(n, device="cuda", dtype=dtype), name)(*given)


#: By kind of kernel: what is drawn, its parameters, and by how much a device's functions may differ.
CALLS: dict[str, tuple[Callable[[int], Any], tuple[Any, ...], float]] = {
    "uniform_f": (lambda n: vg.rand(n, device="cuda"), (1, 0, 1), 1e-7),
    "uniform_d": (lambda n: vg.rand(n, device="cuda", dtype=vg.float64), (1, 0, 1), 1e-15),
    "normal_f": (lambda n: vg.randn(n, device="cuda"), (0, 1), 3e-6),
    "normal_d": (lambda n: vg.randn(n, device="cuda", dtype=vg.float64), (0, 1), 1e-13),
    "exponential_f": (filled(vg.float32, "exponential_"), (1,), 3e-6),
    "exponential_d": (filled(vg.float64, "exponential_"), (1,), 1e-13),
    "log_normal_f": (filled(vg.float32, "log_normal_", 0.5, 0.25), (0.5, 0.25), 1e-5),
    "log_normal_d": (filled(vg.float64, "log_normal_", 0.5, 0.25), (0.5, 0.25), 1e-13),
    "cauchy_f": (filled(vg.float32, "cauchy_", 1, 2), (1, 2), 1e-3),
    "cauchy_d": (filled(vg.float64, "cauchy_", 1, 2), (1, 2), 1e-10),
    "geometric_f": (filled(vg.float32, "geometric_", 0.25), (np.float32(0.25),), 0),
    "geometric_d": (filled(vg.float64, "geometric_", 0.25), (0.25,), 0),
    "bernoulli_f": (filled(vg.float32, "bernoulli_", 0.3), (np.float32(0.3),), 0),
    "bernoulli_d": (filled(vg.float64, "bernoulli_", 0.3), (0.3,), 0),
    "whole": (lambda n: vg.randint(-3, 7, (n,), device="cuda"), (-3, 10), 0),
    "wide": (lambda n: vg.randint(-5, 2**40, (n,), device="cuda"), (-5, 2**40 + 5), 0),
    "all": (filled(vg.int64, "random_", -(2**63), None), (), 0),
}  # fmt: skip


@pytest.mark.parametrize("kind", CALLS)
def test_numbers_are_those_of_the_reference(kind: str) -> None:
    """Few elements, and more than one for each thread; the second call goes on where the first ended."""
    draw, given, tolerance = CALLS[kind]
    each = 4 if kind == "whole" or kind.endswith("_f") else 2
    vg.cuda.manual_seed(-5)
    offset = 0
    for n in (5, 256 * 3 + 1):
        made = draw(n).cpu().numpy()
        want = drawn(kind, 2**64 - 5, offset, n, threads_for(n), *given)
        offset += 4 * -(-n // (threads_for(n) * each))
        np.testing.assert_allclose(made, want, rtol=tolerance, atol=tolerance)
    assert offset_of_default() == offset


#: Of other types, or with other limits: numbers of single precision, which are rounded when all is computed.
ROUNDED: dict[str, tuple[Callable[[int], Any], str, tuple[Any, ...]]] = {
    "uniform of halves": (filled(vg.float16, "uniform_", 1, 3), "uniform_f", (2, 1, np.nan)),
    "normal of halves": (filled(vg.float16, "normal_", 1, 3), "normal_f", (1, 3)),
    "exponential of bfloat16": (filled(vg.bfloat16, "exponential_", 4), "exponential_f", (0.25,)),
    "geometric of integers": (filled(vg.int64, "geometric_", 0.5), "geometric_f", (0.5,)),
    "bernoulli of integers": (filled(vg.int64, "bernoulli_", 0.5), "bernoulli_f", (0.5,)),
    "bernoulli of bool": (filled(vg.bool, "bernoulli_", 0.5), "bernoulli_f", (0.5,)),
    "random integers of 32 bits": (filled(vg.int32, "random_"), "whole", (0, 2**31)),
    "random integers of 32 bits to a limit": (
        filled(vg.int32, "random_", 0, 2**30), "wide", (0, 2**30),
    ),
    "random integers in doubles": (filled(vg.float64, "random_"), "wide", (0, 2**53 + 1)),
}  # fmt: skip


@pytest.mark.parametrize("name", ROUNDED)
def test_numbers_of_other_types(name: str) -> None:
    draw, kind, given = ROUNDED[name]
    vg.cuda.manual_seed(11)
    made = draw(300)
    want = drawn(kind, 11, 0, 300, threads_for(300), *given)
    rounded = vg.from_numpy(want).to(made.dtype)
    width = {"float16": 2e-3, "bfloat16": 1e-2}.get(made.dtype.name, 0)  # a last bit
    np.testing.assert_allclose(
        made.cpu().double().numpy(), rounded.double().numpy(), rtol=width, atol=width * 1e-3
    )


def test_numbers_lie_in_the_order_of_memory() -> None:
    draws = (
        vg.rand_like,
        lambda x: vg.empty_like(x).normal_(),
        lambda x: vg.empty_like(x).bernoulli_(0.5),
        lambda x: vg.randint_like(x, 0, 100),
        lambda x: vg.bernoulli(vg.zeros_like(x) + 0.5),
        lambda x: vg.nn.functional.dropout(vg.ones_like(x)),
    )
    for draw in draws:
        found = []
        for shape, order in (((4, 3, 2), (2, 0, 1)), ((4, 3, 2), (0, 1, 2))):
            vg.cuda.manual_seed(4)
            made = draw(vg.empty(*shape, device="cuda").permute(order))
            assert made.stride() == vg.empty(*shape).permute(order).stride()
            found.append(made.permute([order.index(d) for d in range(3)]).tolist())
        assert found[0] == found[1]


@pytest.mark.parametrize(
    ("n", "first", "dtype", "side"),
    [
        (24, 0, vg.float32, 4),
        (22, 0, vg.float32, 2),
        (21, 0, vg.float32, 1),
        (24, 2, vg.float32, 2),
        (24, 1, vg.float32, 1),
        (24, 0, vg.float64, 2),
        (24, 0, vg.float16, 8),
        (24, 4, vg.bfloat16, 4),
        (3000, 0, vg.float32, 4),
    ],
)
def test_dropout_draws_for_elements_side_by_side(n: int, first: int, dtype: Any, side: int) -> None:
    """As many as 16 bytes hold, where the memory is aligned to that and nothing is left."""
    x = vg.ones(n + first, device="cuda", dtype=dtype)[first:].requires_grad_()
    vg.cuda.manual_seed(5)
    made = vg.nn.functional.dropout(x, 0.3)
    assert offset_of_default() == 4 * -(-n // (4 * threads_for(n)))
    wide = np.float64 if dtype is vg.float64 else np.float32
    chance = wide(1 - 0.3)
    kind = f"kept{side}_{'d' if wide is np.float64 else 'f'}"
    want = drawn(kind, 5, 0, n, threads_for(n), chance, wide(1 / float(chance)))
    rounded = vg.from_numpy(want).to(dtype).tolist()
    assert made.tolist() == rounded
    made.sum().backward()
    assert x.grad.tolist() == rounded
    assert 0 < (want != 0).sum() < n


def test_more_elements_of_dropout_than_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    from vizgrad.core.arrays import philox

    monkeypatch.setattr(philox, "_most_blocks", lambda *_: 2)
    for dtype, side in ((vg.float32, 4), (vg.float64, 2), (vg.float16, 8)):
        vg.cuda.manual_seed(5)
        made = vg.nn.functional.dropout(vg.ones(9600, device="cuda", dtype=dtype), 0.5)
        kind = f"kept{side}_{'d' if dtype is vg.float64 else 'f'}"
        assert made.tolist() == drawn(kind, 5, 0, 9600, 512, 0.5, 2.0).tolist()
        assert offset_of_default() == 4 * 5


def test_dropout_in_place_and_of_channels_is_a_bernoulli() -> None:
    functions = vg.nn.functional
    for drop, shape, count in (
        (lambda x: functions.dropout(x, 0.25, inplace=True), (2, 10), 20),
        (lambda x: functions.dropout2d(x, 0.25), (2, 3, 2, 2), 6),
        (lambda x: functions.feature_alpha_dropout(x, 0.25, training=True), (2, 3, 2, 2), 6),
    ):
        vg.cuda.manual_seed(1)
        made = drop(vg.ones(*shape, device="cuda")).reshape(count, -1)[:, 0]
        want = drawn("bernoulli_f", 1, 0, count, 256, np.float32(0.75))
        assert (made > 0.9).tolist() == (want == 1).tolist()


@pytest.mark.parametrize("dtype", [vg.float32, vg.float64, vg.bfloat16])
def test_bernoulli_of_a_tensor(dtype: Any) -> None:
    chances = vg.linspace(0, 1, 3000, device="cuda").to(dtype)
    given = chances.cpu().to(vg.float64 if dtype is vg.float64 else vg.float32).numpy()
    kind = f"chosen_{'d' if dtype is vg.float64 else 'f'}"
    vg.cuda.manual_seed(9)
    for offset in (0, 12):
        want = drawn(kind, 9, offset, 3000, 3072, given).tolist()
        assert vg.bernoulli(chances).tolist() == want
    vg.cuda.manual_seed(9)
    assert (
        vg.empty_like(chances).bernoulli_(chances).tolist()
        == drawn(kind, 9, 0, 3000, 3072, given).tolist()
    )


def permuted(seed: int, n: int, bits: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """The sorted keys, and the numbers in their order."""
    keys = drawn("wide", seed, 0, n, threads_for(n), -(2 ** (width - 1)), 2**width - 1)
    if bits < width:
        keys &= 2**bits - 1
    order = np.argsort(keys, kind="stable")
    return keys[order], order


@pytest.mark.parametrize(("n", "bits"), [(1, 3), (10, 9), (1000, 23), (20000, 31), (30000, 32)])
def test_a_permutation_is_in_the_order_of_keys(n: int, bits: int) -> None:
    """And where keys are equal, which happens in one call of ten, shuffled by further numbers."""
    seed = 0
    keys, order = permuted(seed, n, bits, 32)
    while n == 1000 and len(np.unique(keys)) == n:
        seed += 1
        keys, order = permuted(seed, n, bits, 32)
    moved = 4 * -(-n // (threads_for(n) * 2))
    shuffle_equal(seed, moved, keys, order)
    vg.cuda.manual_seed(seed)
    assert vg.randperm(n, device="cuda").tolist() == order.tolist()
    assert offset_of_default() == moved + 4 * -(-n // 4)


def test_a_permutation_of_many() -> None:
    n = 30100  # keys of 33 bits
    keys, order = permuted(3, n, 33, 64)
    shuffle_equal(3, 4 * -(-n // (threads_for(n) * 2)), keys, order)
    vg.cuda.manual_seed(3)
    made = vg.randperm(n, device="cuda", dtype=vg.int32)
    assert made.dtype is vg.int32
    assert made.tolist() == order.tolist()


def test_numbers_of_equal_keys_are_shuffled() -> None:
    from vizgrad.core.arrays.backend import namespace_of
    from vizgrad.core.arrays.philox import Philox

    keys = np.repeat(np.arange(5), (1, 2, 9, 1, 7))
    library = namespace_of(vg.ones(1, device="cuda")._array)
    numbers, want = library.asarray(np.arange(20)), np.arange(20)
    Philox(8, 24)._launch(
        library, "equal", 1, 512, 20, (library.asarray(keys), np.int64(20), numbers)
    )
    shuffle_equal(8, 24, keys, want)
    assert numbers.tolist() == want.tolist()
    assert sorted(want[3:12]) == list(range(3, 12)) != want[3:12].tolist()


WEIGHTS = [[0.0, 1.0, 2.0, 0.0, 3.0, 0.0], [4.0, 0.0, 0.0, 1.0, 1.0, 2.0]]


@pytest.mark.parametrize("dtype", [vg.float32, vg.float64, vg.float16])
def test_samples_without_replacement(dtype: Any) -> None:
    """Those of the largest quotients by exponential numbers; so is one sample with replacement."""
    weights = vg.tensor(WEIGHTS, device="cuda", dtype=dtype)
    letter = "d" if dtype is vg.float64 else "f"
    waits = drawn(f"exponential_{letter}", 2, 0, 12, 256, 1).reshape(2, 6)
    order = np.argsort(-np.array(WEIGHTS) / waits, axis=1, kind="stable")
    for samples, replacement in ((3, False), (1, False), (1, True)):
        vg.cuda.manual_seed(2)
        found = vg.multinomial(weights, samples, replacement)
        assert found.tolist() == order[:, :samples].tolist()
        assert found.dtype is vg.int64


@pytest.mark.parametrize("dtype", [vg.float32, vg.float64])
def test_samples_with_replacement(dtype: Any) -> None:
    weights = np.array(WEIGHTS, "f8" if dtype is vg.float64 else "f4")
    weights /= weights.sum(1, keepdims=True)
    vg.cuda.manual_seed(2)
    for offset in (0, 4):
        found = vg.multinomial(vg.tensor(WEIGHTS, device="cuda", dtype=dtype), 200, True)
        want = of_rows(2, offset, weights.cumsum(1), weights, 200, 256)
        assert found.tolist() == want.tolist()
        assert {*found[0].tolist()} == {1, 2, 4}


def test_more_elements_than_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    from vizgrad.core.arrays import philox

    monkeypatch.setattr(philox, "_most_blocks", lambda *_: 2)
    vg.cuda.manual_seed(7)
    made = vg.rand(5000, device="cuda").cpu().numpy()
    np.testing.assert_allclose(made, drawn("uniform_f", 7, 0, 5000, 512, 1, 0, 1), atol=1e-7)
    assert vg.cuda.get_rng_state().tolist()[8:] == [4 * 3, *[0] * 7]


def test_the_state_is_a_seed_and_an_offset() -> None:
    vg.cuda.manual_seed(2**63 + 1)
    vg.rand(3, device="cuda")
    state = vg.cuda.get_rng_state()
    assert state.dtype is vg.uint8
    assert state.device.type == "cpu"
    assert state.tolist() == [1, 0, 0, 0, 0, 0, 0, 128, 4, 0, 0, 0, 0, 0, 0, 0]
    first = vg.randn(4, device="cuda", dtype=vg.bfloat16).tolist()
    all_ = vg.cuda.get_rng_state_all()
    vg.cuda.manual_seed(0)
    vg.cuda.set_rng_state(state, "cuda:0")
    assert vg.randn(4, device="cuda", dtype=vg.bfloat16).tolist() == first
    vg.cuda.manual_seed(0)
    vg.cuda.set_rng_state_all(all_)
    assert vg.cuda.get_rng_state().tolist() == all_[0].tolist()
    assert vg.cuda.initial_seed() == 2**63 + 1
    with pytest.raises(RuntimeError, match="of size 16 but found the input RNG state size to be 8"):
        vg.cuda.set_rng_state(state[:8])


def test_a_generator_of_a_device() -> None:
    own = vg.Generator("cuda").manual_seed(3)
    first = vg.rand(3, device="cuda", generator=own).tolist()
    assert own.get_offset() == 4
    state = own.get_state()
    poisson = vg.poisson(vg.full((4,), 3.0, device="cuda"), generator=own).tolist()
    assert (
        vg.poisson(vg.full((4,), 3.0, device="cuda"), generator=own.set_state(state)).tolist()
        == poisson
    )
    own.set_offset(0)
    assert vg.rand(3, device="cuda", generator=own).tolist() == first
    with pytest.raises(RuntimeError, match="multiple of 4"):
        own.set_offset(3)
    with pytest.raises(
        RuntimeError, match="Expected a 'cuda' device type for generator but found 'cpu'"
    ):
        vg.rand(3, device="cuda", generator=vg.Generator())
    with pytest.raises(
        RuntimeError, match="Expected a 'cpu' device type for generator but found 'cuda'"
    ):
        vg.rand(3, generator=own)
    with pytest.raises(RuntimeError, match="no offset"):
        vg.Generator().get_offset()
    with pytest.raises(RuntimeError, match="state is of another device"):
        vg.Generator().set_state(state)


def test_words_are_the_known_answer() -> None:
    """Of counter 0 and key 0: the first thread's two pairs of words, as whole numbers."""
    vg.cuda.manual_seed(0)
    n = threads_for(10**9) + 1
    made = vg.randint(0, 2**62, (n,), device="cuda")
    assert made[0].item() == 0x6627E8D5E169C58D % 2**62
    assert made[-1].item() == 0xBC57AC4C9B00DBD8 % 2**62
