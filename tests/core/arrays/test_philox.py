"""Philox's words are those that its authors published; a stand-in for a device draws from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.fixtures import strict_module
from tests.fixtures.philox import words
from tests.gpu import test_philox as on_a_device

#: (counter, key, words): from the file of known answers that comes with the paper's library, Random123.
ANSWERS = (
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
)


@pytest.fixture
def cuda() -> Iterator[None]:
    with strict_module.as_cuda():
        yield


@pytest.mark.parametrize(("counter", "key", "answer"), ANSWERS)
def test_known_answers(
    counter: tuple[int, ...], key: tuple[int, ...], answer: tuple[int, ...]
) -> None:
    assert tuple(words([[part] for part in counter], key)[:, 0].tolist()) == answer


@pytest.mark.usefixtures("cuda")
@pytest.mark.parametrize("name", on_a_device.PRINTED)
def test_numbers_that_pytorch_printed_on_a_gpu(name: str) -> None:
    on_a_device.test_numbers_are_those_that_pytorch_printed(name)


@pytest.mark.usefixtures("cuda")
@pytest.mark.parametrize(
    "program",
    [
        on_a_device.test_the_state_is_a_seed_and_an_offset,
        on_a_device.test_a_generator_of_a_device,
        on_a_device.test_words_are_the_known_answer,
    ],
)
def test_states_and_generators(program: Callable[[], None]) -> None:
    program()
