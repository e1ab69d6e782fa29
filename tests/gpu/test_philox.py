"""Random numbers of a device are those of the algorithm, and of PyTorch on GPUs. `make gpu-test`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.fixtures.philox import drawn

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
}  # fmt: skip


@pytest.mark.parametrize("name", PRINTED)
def test_numbers_are_those_that_pytorch_printed(name: str) -> None:
    seed, draw, printed = PRINTED[name]
    vg.cuda.manual_seed(seed)
    np.testing.assert_allclose(draw().cpu().numpy().ravel(), printed, atol=6e-5)


#: What is drawn, the kind of kernel, and by how much a device's functions may differ from numpy's.
CALLS: dict[str, tuple[Callable[..., Any], tuple[int, int], float]] = {
    "uniform_f": (lambda n: vg.rand(n, device="cuda"), (0, 1), 1e-7),
    "uniform_d": (lambda n: vg.rand(n, device="cuda", dtype=vg.float64), (0, 1), 1e-15),
    "normal_f": (lambda n: vg.randn(n, device="cuda"), (0, 1), 3e-6),
    "normal_d": (lambda n: vg.randn(n, device="cuda", dtype=vg.float64), (0, 1), 1e-13),
    "exponential_f": (lambda n: vg.empty(n, device="cuda").exponential_(), (0, 1), 3e-6),
    "exponential_d": (
        lambda n: vg.empty(n, device="cuda", dtype=vg.float64).exponential_(), (0, 1), 1e-13,
    ),
    "whole": (lambda n: vg.randint(-3, 7, (n,), device="cuda"), (-3, 10), 0),
    "wide": (lambda n: vg.randint(-5, 2**40, (n,), device="cuda"), (-5, 2**40 + 5), 0),
}  # fmt: skip


@pytest.mark.parametrize("kind", CALLS)
def test_numbers_are_those_of_the_reference(kind: str) -> None:
    """Few elements, and more than one for each thread; the second call goes on where the first ended."""
    draw, bounds, tolerance = CALLS[kind]
    most = threads_of(vg.ones(1, device="cuda")._array) // 256
    each = 4 if kind == "whole" or kind.endswith("_f") else 2
    vg.cuda.manual_seed(-5)
    offset = 0
    for n in (5, 256 * 3 + 1):
        made = draw(n).cpu().numpy()
        blocks = min(-(-n // 256), most)
        want = drawn(kind, 2**64 - 5, offset, *bounds, n, 256 * blocks)
        offset += 4 * -(-n // (256 * blocks * each))
        np.testing.assert_allclose(made, want, rtol=0, atol=tolerance * max(1, np.abs(want).max()))


def threads_of(array: Any) -> int:
    from vizgrad.core.arrays import philox
    from vizgrad.core.arrays.backend import namespace_of

    return 256 * philox._most_blocks(namespace_of(array), 0)


def test_more_elements_than_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    from vizgrad.core.arrays import philox

    monkeypatch.setattr(philox, "_most_blocks", lambda *_: 2)
    vg.cuda.manual_seed(7)
    made = vg.rand(5000, device="cuda").cpu().numpy()
    np.testing.assert_allclose(made, drawn("uniform_f", 7, 0, 0, 1, 5000, 512), atol=1e-7)
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
    n = threads_of(vg.ones(1, device="cuda")._array) + 1
    made = vg.randint(0, 2**62, (n,), device="cuda")
    assert made[0].item() == 0x6627E8D5E169C58D % 2**62
    assert made[-1].item() == 0xBC57AC4C9B00DBD8 % 2**62
