"""Trainings of models of other libraries leave the same behind: plainly, in a watch, and stepped.

`make pytorch-models` installs the libraries; a model whose library is not there is left out.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad as vg  # noqa: E402
from tests.benchmarks.memory import peak_of  # noqa: E402
from tests.integrations.left_behind import Backward, Left, process, trained  # noqa: E402
from tests.integrations.library_models import MODELS, Made  # noqa: E402

#: Bytes that a watch or a session of one of these models may take at most: copies of gradients (64 MB of them
#: by default), notes, and what is imported for them. The models have at most 24 million parameters, 96 MB.
MEMORY = 96e6
THERE = [make for library, made in MODELS.items() if find_spec(library) for make in made]
pytestmark = pytest.mark.filterwarnings("ignore")  # of libraries, about their own future


def plainly(loss: Any) -> None:
    loss.backward()


def stepped(loss: Any) -> None:
    """Forth and back, as a user would, and to the end."""
    rng = random.Random(0)
    with vg.debug(loss, display=False) as session:
        session.step(5)
        session.back(3)
        session.seek(rng.randrange(session.nodes))
        session.continue_()
        assert session.status == "finished"


def differing(found: Left, expected: Left) -> dict[str, Any]:
    """What is not the same: found, and expected."""
    names = [*expected, *(name for name in found if name not in expected)]
    return {
        name: (found.get(name), expected.get(name))
        for name in names
        if found.get(name) != expected.get(name)
    }


def is_unchanged(train: Callable[[Backward], Left]) -> None:
    """Runs a training plainly, in a watch and stepped, and compares what they leave behind."""
    torch.set_num_threads(1)
    train(stepped)  # what is imported at first, and caches of the libraries
    left: dict[str, Left] = {}

    def keep(kind: str, backward: Backward) -> None:
        left[kind] = train(backward)

    peaks = {"plain": peak_of(lambda: keep("plain", plainly))}
    with vg.watch() as watch:
        peaks["watched"] = peak_of(lambda: keep("watched", plainly))
    assert [str(each) for each in watch.findings] == []
    peaks["stepped"] = peak_of(lambda: keep("stepped", stepped))
    after = process()
    assert differing(left["stepped"], left["plain"]) == {}
    watched = differing(left["watched"], left["plain"])
    for own in ("global hooks", "modes", "finders"):  # the watch's own, while it is open
        watched.pop(own, None)
    assert watched == {}
    assert differing(after, {name: left["plain"][name] for name in after}) == {}
    for kind, peak in peaks.items():
        assert not peak > peaks["plain"] + MEMORY, (kind, peaks)


@pytest.mark.parametrize("make", THERE, ids=lambda make: make.__name__)
def test_a_training_is_the_same_watched_and_stepped(make: Callable[[], Made]) -> None:
    is_unchanged(lambda backward: trained(make, backward))


def test_there_are_enough() -> None:
    """Of all libraries together; trainers are in `test_trainers.py`."""
    assert sum(map(len, MODELS.values())) >= 25
