"""The culprit lies in an installed package: the nearest line of the user's, and the modules, are said."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import vizgrad as vg
from vizgrad.core.errors import Link, Place, chain_text

LIBRARY = """\
import ENGINE as T

class Norm(T.nn.Module):
    def forward(self, x):
        return (x - x.mean()).log()

class Root(T.nn.Module):
    def forward(self, x):
        return x.clamp(min=0).sqrt() * 0.5

class Block(T.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.first = T.nn.Linear(2, 2)
        self.norm = inner

    def forward(self, x):
        return self.norm(self.first(x))
"""


@pytest.fixture(params=["vizgrad", "torch"])
def library(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[ModuleType, Any]]:
    engine = request.param
    pytest.importorskip(engine)
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "normlib.py").write_text(LIBRARY.replace("ENGINE", engine))
    sys.path.insert(0, str(folder))
    try:
        yield importlib.import_module("normlib"), importlib.import_module(engine)
    finally:
        sys.path.remove(str(folder))
        del sys.modules["normlib"]


def test_a_value_that_a_library_made(library: tuple[ModuleType, Any]) -> None:
    made, engine = library
    engine.manual_seed(0)
    net = engine.nn.Sequential(made.Block(made.Norm()))
    with vg.watch():
        loss = net(engine.ones(1, 2)).sum()  # here
        why = vg.why(loss, name="loss")
    assert why.culprit is not None
    assert why.culprit.text == "return (x - x.mean()).log()"
    assert "normlib.py:5" in why.story
    assert why.nearest is not None
    assert why.nearest.text.endswith("# here")
    assert f"called from: {why.nearest}" in str(why)
    assert "test_libraries.py:" in str(why).partition("chain: ")[2]
    if engine is not vg:
        assert why.within == "Sequential/0/norm"


def test_a_derivative_in_a_library_of_torch(library: tuple[ModuleType, Any]) -> None:
    made, engine = library
    if engine is vg:
        pytest.skip("vizgrad's nodes do not keep the calls around them for a watch")
    block = made.Block(made.Root())
    block.first.weight.data.zero_()
    block.first.bias.data.zero_()
    with vg.watch() as watch:
        block(engine.ones(1, 2)).sum().backward()  # here
    (found,) = watch.findings
    assert "normlib.py:9" in found.story
    assert found.nearest is not None
    assert found.nearest.text.endswith("# here")
    assert found.within == "Block/norm"


def test_code_of_the_user_is_told_as_before() -> None:
    x = vg.zeros(2, requires_grad=True)
    with vg.watch():
        why = vg.why(x.log().sum(), name="loss")
    assert why.nearest is None
    assert "called from" not in str(why)


def test_links_have_their_file_and_equal_ones_are_folded() -> None:
    model, train = Place("/lib/site-packages/bert.py", 176), Place("/home/train.py", 8)
    chain = [
        Link("w.grad"),
        Link("AddmmBackward0", model, 4),
        Link("ViewBackward0", model, 5),
        Link("ViewBackward0", model, 6),
        Link("MulBackward0", train, 7),
        Link("loss", Place("x", 2, cell="In [3]"), 8),
    ]
    assert chain_text(chain) == (
        "w.grad <- AddmmBackward0 <- ViewBackward0 (bert.py:176) <- MulBackward0 (train.py:8) "
        "<- loss (In [3], line 2)"
    )
