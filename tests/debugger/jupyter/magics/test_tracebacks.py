"""Tracebacks in a real kernel: without frames of vizgrad, ending in the user's line, five lines of text."""

from __future__ import annotations

import pytest

from tests.debugger.jupyter.magics.kernel import Cell, Kernel
from tests.fixtures.raising_backward import RAISING_BACKWARD

BROKEN = f"""\
{RAISING_BACKWARD}
def hook(grad):
    return grad + missing
x = {{0}}.ones(3, requires_grad=True)
"""


@pytest.fixture(params=["vg", "torch"])
def engine(kernel: Kernel, request: pytest.FixtureRequest) -> str:
    kernel.import_engine(request.param)
    assert not kernel.run(BROKEN.format(request.param)).error
    return request.param


def shown(cell: Cell) -> str:
    (traceback,) = cell.tracebacks
    return traceback


def arrows(text: str) -> list[str]:
    """The lines of code at which the frames stand."""
    return [
        line.split(" ", 2)[2] for line in text.splitlines() if line.startswith(("---->", "--->"))
    ]


def message(text: str, first: str) -> list[str]:
    """The lines from the name of the exception on."""
    return text[text.rindex(f"\n{first}: ") + 1 :].splitlines()


def test_the_line_of_a_custom_backward_is_the_last_frame(kernel: Kernel, engine: str) -> None:
    text = shown(kernel.run("Broken.apply(x).sum().backward()"))
    assert arrows(text) == ["Broken.apply(x).sum().backward()", '        raise ValueError("mine")']
    assert "skipping hidden" in text
    assert "site-packages" not in text


def test_the_line_of_a_hook_is_the_last_frame(kernel: Kernel, engine: str) -> None:
    text = shown(kernel.run("y = x * 2\ny.register_hook(hook)\ny.sum().backward()"))
    assert arrows(text) == ["y.sum().backward()", "    return grad + missing"]


def test_an_error_of_the_engine_ends_in_the_line_that_called_it(
    kernel: Kernel, engine: str
) -> None:
    text = shown(kernel.run("y = x.exp()\ny += 1\ny.sum().backward()"))
    assert arrows(text) == ["y.sum().backward()"]
    assert "/vizgrad/" not in text
    assert "/torch/" not in text


@pytest.mark.parametrize("magic", ["watch", "debug --at 9"])
def test_a_cell_that_a_magic_runs_shows_one_error_of_five_lines(
    kernel: Kernel, engine: str, magic: str
) -> None:
    text = shown(kernel.run(f"%%vizgrad {magic}\ny = x.exp()\ny += 1\ny.sum().backward()"))
    assert arrows(text) == ["y.sum().backward()"]
    first, story, where, fix, closer = message(text, "RuntimeError")
    assert "modified by an inplace operation" in first
    assert story.startswith("ExpBackward0, recorded ")
    assert where.endswith("line 3: y += 1")
    assert fix.startswith("  fix: write out of place")
    assert closer == "  look closer: %vizgrad versions y lists every write to y"
    assert not kernel.run("%vizgrad versions y").error


def test_what_the_user_raised_says_where_and_how_to_look_closer(
    kernel: Kernel, engine: str
) -> None:
    text = shown(kernel.run("%%vizgrad watch\nBroken.apply(x).sum().backward()"))
    first, story, where, closer = message(text, "ValueError")
    assert first == "ValueError: mine"
    assert story.startswith("while running BrokenBackward, recorded at In [")
    assert where.endswith('line 8: raise ValueError("mine")')
    assert "%vizgrad run_to BrokenBackward" in closer
    assert (
        "Stopped before" in kernel.run("%%vizgrad debug\nBroken.apply(x).sum().backward()").printed
    )
    assert "BrokenBackward" in kernel.run("%vizgrad run_to BrokenBackward").result


def test_all_frames_are_shown_when_they_are_wanted(kernel: Kernel) -> None:
    kernel.run("w = vg.ones(3, requires_grad=True)\ny = w.exp()\ny += 1")
    try:
        kernel.run("%config VizgradMagics.full_tracebacks = True")
        text = shown(kernel.run("y.sum().backward()"))
        assert "/vizgrad/core/engine/" in text
        assert "hidden" not in text
    finally:
        kernel.run("%config VizgradMagics.full_tracebacks = False")
    assert "/vizgrad/" not in shown(kernel.run("%tb"))


def test_the_exception_keeps_its_frames_and_other_errors_are_as_they_were(kernel: Kernel) -> None:
    kernel.run("w = vg.ones(3, requires_grad=True)")
    cell = kernel.run(
        "import traceback\ntry:\n    w += 1\nexcept RuntimeError as error:\n"
        "    print(len(traceback.extract_tb(error.__traceback__)))"
    )
    assert int(cell.printed) > 3
    assert arrows(shown(kernel.run("def f():\n    1 / 0\nf()"))) == ["f()", "    1 / 0"]


def test_without_the_extension_tracebacks_are_those_of_ipython(kernel: Kernel) -> None:
    try:
        kernel.run("%unload_ext vizgrad")
        kernel.run("w = vg.ones(3, requires_grad=True)")
        cell = kernel.run("w += 1")
        assert "/vizgrad/core/" in shown(cell)
    finally:
        kernel.run("%load_ext vizgrad")
