"""Python's garbage collector while it is paused, and after an import of many objects."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest

from vizgrad.core.collector import collector_paused, long_lived


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    collects = gc.isenabled()
    yield
    gc.unfreeze()
    (gc.enable if collects else gc.disable)()


@pytest.mark.parametrize("pause", [collector_paused, long_lived])
@pytest.mark.parametrize("collects", [True, False])
def test_the_collector_is_as_it_was_also_after_an_error(
    pause: Callable[[], AbstractContextManager[None]], collects: bool
) -> None:
    (gc.enable if collects else gc.disable)()
    with pytest.raises(AssertionError, match="paused"), pause():
        assert gc.isenabled(), "paused"
    assert gc.isenabled() is collects


def test_long_lived_objects_are_in_the_oldest_generation() -> None:
    with long_lived():
        made = [[number] for number in range(10_000)]
    young = {id(thing) for generation in (0, 1) for thing in gc.get_objects(generation)}
    assert not young & {id(thing) for thing in made}
    assert id(made) in {id(thing) for thing in gc.get_objects(2)}


def test_what_is_frozen_stays_frozen() -> None:
    gc.freeze()
    frozen = gc.get_freeze_count()
    with long_lived():
        pass
    # objects of the frozen ones may have been freed meanwhile, by their counts
    assert gc.get_freeze_count() > frozen // 2
