"""CONTRIBUTING.md says how to add an operation; it is done as it says, in the sources and in a notebook."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.core.ops.recipe import CHECKS, ROOT, blocks
from tests.debugger.jupyter.magics.kernel import Kernel
from tests.fixtures.limits import HANG

DECLARATION, COMMAND, ROW, NAMED = blocks()


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources, changed as the page says."""
    copy = tmp_path_factory.mktemp("sources")
    built = shutil.ignore_patterns("__pycache__", "labextension", "static", "notebooks", "ui")
    for name in ("vizgrad", "tests"):
        shutil.copytree(ROOT / name, copy / name, ignore=built)
    for name in ("pyproject.toml", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, copy)
    for path, block in (
        ("vizgrad/core/ops/pointwise.py", DECLARATION),
        ("tests/specs/elementwise.py", ROW),
    ):
        with (copy / path).open("a", encoding="utf-8") as file:
            file.write(f"\n\n{block}")
    program, *arguments = COMMAND.split()
    assert program == "python"
    run(copy, *arguments)
    return copy


def run(where: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=where, env=os.environ | {"PYTHONPATH": str(where)}, capture_output=True, text=True,
        check=False, timeout=HANG,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_in_the_sources(sources: Path) -> None:
    assert run(sources, "-c", "import vizgrad\n" + CHECKS).strip() == "as it should be"


def test_the_tests_find_it(sources: Path) -> None:
    """The row is taken up by the tests of all operations, and those of the names are content."""
    plugins = ("-p", "no:cacheprovider", "-q")
    found = run(
        sources, "-m", "pytest", *plugins, "tests/core/ops/test_specs.py", "-k", "softplus1"
    )
    assert "1 passed" in found
    run(
        sources,
        "-m",
        "pytest",
        *plugins,
        "tests/core/ops/test_forms.py",
        "tests/core/ops/test_registry.py",
    )


def test_typing_tools_and_the_registry_know_it(sources: Path) -> None:
    stub = (sources / "vizgrad" / "__init__.pyi").read_text("utf-8").splitlines()
    assert "def softplus1(input: Tensor, *, out: Tensor | None = None) -> Tensor: ..." in stub
    assert "one_softplus = softplus1" in stub
    shown = run(sources, "-m", "vizgrad.ops", "softplus1")
    assert "vizgrad.softplus1(input: Tensor, *, out: Tensor | None = None) -> Tensor" in shown
    assert "also: Tensor.softplus1, Tensor.softplus1_, out=" in shown
    assert "grad * sigmoid(self)" in shown
    assert "declared in: vizgrad/core/ops/pointwise.py:" in shown


def test_the_page_has_the_blocks_that_are_followed() -> None:
    assert [block.partition("\n")[0].partition("(")[0] for block in blocks()] == [
        "@primitive", "python -m vizgrad.core.ops.stub", "ROWS += [Row", "import vizgrad",
    ]  # fmt: skip


@pytest.fixture(scope="module")
def notebook() -> Iterator[Kernel]:
    running = Kernel()
    yield running
    running.shut_down()


def test_in_a_notebook(notebook: Kernel) -> None:
    for cell in (NAMED, DECLARATION, CHECKS):
        done = notebook.run(cell)
        assert not done.error, done.told
    assert done.printed.strip() == "as it should be"


def test_a_cell_may_run_again(notebook: Kernel) -> None:
    """A person corrects the formula and runs the cell once more; what is used from then on is the new one."""
    for cell in (NAMED, DECLARATION.replace("grad * sigmoid(self)", "grad * 7 * self")):
        assert not notebook.run(cell).error
    done = notebook.run(
        "x = vizgrad.tensor([2.0], requires_grad=True)\n"
        "for y in (vizgrad.softplus1(x), x.softplus1(), (x * 1).softplus1_(), x.one_softplus()):\n"
        "    print(vizgrad.autograd.grad(y.sum(), x)[0].item())"
    )
    assert done.printed.split() == ["14.0"] * 4, done.told
    for cell in (DECLARATION, CHECKS):
        done = notebook.run(cell)
    assert done.printed.strip() == "as it should be", done.told


def test_a_second_one_whose_formula_uses_a_later_helper(notebook: Kernel) -> None:
    notebook.run(NAMED)
    second = DECLARATION.replace("softplus1", "triple").replace("one_triple", "")
    second = second.replace(
        "xp.maximum(self, 0) + xp.log1p(xp.exp(-xp.absolute(self)))", "self * 3"
    )
    cells = (
        second.replace("grad * sigmoid(self)", "three(grad)"),
        "y = vizgrad.ones(2, requires_grad=True)\n(y.exp() * y).sum().backward()",  # formulas have run
        "def three(value):\n    return value * 3",
        "x = vizgrad.ones(2, requires_grad=True)\nx.triple().sum().backward()\nprint(x.grad.tolist())",
        "x.grad = None\n(x * 1).triple_().sum().backward()\nprint(x.grad.tolist())",
    )
    printed = [notebook.run(cell) for cell in cells]
    assert [cell.told.strip() for cell in printed] == ["", "", "", "[3.0, 3.0]", "[3.0, 3.0]"]
