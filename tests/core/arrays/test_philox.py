"""Philox's words are those that its authors published; a stand-in for a device draws from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

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


def calls() -> Iterator[pytest.ParameterSet]:
    """The tests of a device, each with its parameters."""
    for name, program in vars(on_a_device).items():
        if not name.startswith("test_") or name in LEFT_OUT:
            continue
        marks = [m for m in getattr(program, "pytestmark", []) if m.name == "parametrize"]
        rows: list[Any] = [()]
        for names, values in (mark.args for mark in marks):
            rows = [(v,) if isinstance(names, str) else v for v in values]
        for number, row in enumerate(rows):
            yield pytest.param(program, row, id=f"{name}-{number}")


#: They put something in the place of the library's own.
LEFT_OUT = {"test_more_elements_than_threads", "test_more_elements_of_dropout_than_threads"}


@pytest.mark.usefixtures("cuda")
@pytest.mark.parametrize(("program", "given"), list(calls()))
def test_what_is_drawn_on_a_device(program: Callable[..., None], given: tuple[Any, ...]) -> None:
    program(*given)
