"""The debugger in a terminal: the commands of the magics, and its own."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.debugger.shell.conftest import VIZGRAD, Run
from tests.debugger.shell.test_stops import FAILS, NAN_GRADIENT, NAN_LOSS
from vizgrad.debugger.commands import magics
from vizgrad.debugger.jupyter.magics.line_commands import RUN
from vizgrad.debugger.shell.main import _command_again
from vizgrad.debugger.shell.terminal import ALIASES, OWN, commands

Typed = Callable[[str], io.StringIO]


def said(written: io.StringIO) -> list[str]:
    """The lines after each prompt."""
    return written.getvalue().split("(vizgrad) ")


def test_commands_are_those_of_the_magics() -> None:
    lines = {name for name, magic in magics().items() if not magic.cell}
    assert set(RUN) | {"watch"} == lines  # that one is of cells
    assert set(commands()) == lines - {"attach", "watch"} | set(OWN)
    assert not lines & set(OWN)
    assert set(ALIASES.values()) <= set(commands())
    texts = {name: magic.help for name, magic in commands().items()}
    for word in ("newest", "live view", "cell"):
        assert not [name for name, text in texts.items() if word in text]
    assert texts["debug"] == "Open the backward pass of a tensor, paused before its first node."
    assert texts["close"] == "End this session and release its memory."


def test_a_backward_is_stepped_there_and_back(run: Run, typed: Typed) -> None:
    written = typed(
        "step\nnode\nnode 3\nstep\nback 2\ncontinue\nloss\nw.grad\nwhere\nlist\nwhy\ngraph\nquit"
    )
    ran = run(NAN_LOSS)
    assert ran.status == 3
    assert ran.out == "did 0\n"
    intro, step, node, other, again, back, end, loss, grad, where, source, why, graph, *_ = said(
        written
    )
    assert "The backward of `loss`: 0 of 4 nodes done; next is SumBackward0 (node 0)" in intro
    assert "-> train.py:4: loss = (w - step).log().sum()" in intro
    assert step.startswith("1 of 4 nodes done; next is LogBackward0")
    assert "#1 SumBackward0 (node 0)  in 1  out 1.414\n" in step
    assert node.startswith("#1 SumBackward0 (node 0)")
    assert "→ LogBackward0 (node 1)" in node
    assert other == "AccumulateGrad w: it has not run yet\n"
    assert again.startswith("2 of 4 nodes done; next is SubBackward0")
    assert back.startswith("0 of 4 nodes done")
    assert end.startswith("2 of 4 nodes done; stopped: LogBackward0 made 1 inf")
    assert loss.startswith("tensor(-inf")
    assert grad == "None\n"
    assert where == "> train.py:5 in the program: loss.backward()\n"
    assert "    4 ->     loss = (w - step).log().sum()\n    5        loss.backward()\n" in source
    assert why.startswith("`(w - step).log()` made an infinite value on line 4")
    assert "LogBackward0" in graph
    assert "made" in graph


def test_displayed_expressions_are_printed_at_each_stop(run: Run, typed: Typed) -> None:
    written = typed("display w.grad\ndisplay nope\nstep\nstop 2\nundisplay\nstep\nquit")
    run(NAN_LOSS)
    _, first, wrong, step, _, _, last, *_ = said(written)
    assert first == "1: w.grad = None\n"
    assert wrong.startswith("2: nope = (there is no 'nope' here")
    assert step.splitlines()[-2] == "1: w.grad = None"
    assert "w.grad" not in last


def test_the_program_goes_on(run: Run, typed: Typed) -> None:
    """Its backward runs to the end where the user stands within it, and by the engine where not."""
    for moves in ("", "step 2\n"):
        written = typed(f"{moves}resume\nresume\nresume\nquit")
        ran = run(
            NAN_LOSS.replace("w.grad = None", "print(w.grad.isfinite().tolist()); w.grad = None")
        )
        assert ran.status == 3
        assert ran.out.splitlines() == [
            "[True, True]", "did 0", "[False, True]", "did 1", "[True, False]", "did 2", "[True, True]",
            "did 3",
        ]  # fmt: skip
        assert written.getvalue().count("0 of 4 nodes done") == 4


def test_going_on_after_a_backward_that_ran_changes_no_gradient(run: Run, typed: Typed) -> None:
    typed("step 3\nresume")
    ran = run(NAN_GRADIENT.replace('print("finally")', "print(w.grad.tolist())"), "--keep-graphs")
    assert ran.out == "[nan, 3.0]\n"
    assert ran.status == 0


def test_a_graph_that_was_released_is_shown(run: Run, typed: Typed) -> None:
    written = typed("graph\nstep\nup\nw\nup\ndown\nquit")
    run(NAN_GRADIENT)
    intro, graph, step, up, value, top, down, *_ = said(written)
    assert "has run and released its values" in intro
    assert graph.startswith("loss: 4 nodes · 1 leaf")
    assert step.startswith("no backward is open to be stepped; open one with `debug loss`")
    assert up == "train.py:7 in the program: step(w)\n"
    assert value.startswith("tensor([0., 4.]")
    assert top == "this is the outermost frame\n"
    assert down == "train.py:5 in step: loss.backward()\n"


def test_a_failed_backward_is_stepped_to_where_it_fails(run: Run, typed: Typed) -> None:
    written = typed("continue\nresume\nquit")
    ran = run(FAILS, "--keep-graphs")
    _, failed, *_ = said(written)
    assert failed.startswith("RuntimeError: one of the variables")
    assert "  where: train.py:6: h *= 2" in failed
    assert ran.out == "caught\n"  # it went on with the error, to the second
    assert ran.status == 3


def test_at_a_backward_where_nothing_is_wrong(run: Run, typed: Typed) -> None:
    written = typed("break AccumulateGrad\nc\nresume")
    ran = run(
        VIZGRAD + "w = torch.ones(2, requires_grad=True)\n"
        "for _ in range(3):\n    (w * w).sum().backward()\nprint(w.grad.tolist())",
        "--at", "2",
    )  # fmt: skip
    assert ran.err.startswith("vizgrad: stopped before backward 2 (train.py:4)\n")
    _, added, stopped, *_ = said(written)
    assert added.startswith("breakpoint 1: AccumulateGrad")
    assert "stopped: breakpoint before AccumulateGrad w" in stopped
    assert (ran.status, ran.out) == (0, "[6.0, 6.0]\n")


def test_a_breakpoint_at_a_line_is_one_stop_for_each_arrival(run: Run, typed: Typed) -> None:
    written = typed("break :5\nc\nc\nc\nbreakpoints\nresume")
    ran = run(
        VIZGRAD + "w = torch.ones(2, requires_grad=True)\ny = w\n"
        "for _ in range(2):\n    y = (y * 2).tanh().sin()\ny.sum().backward()",
        "--at", "1",
    )  # fmt: skip
    assert ran.status == 0
    _, added, first, second, end, listed, *_ = said(written)
    assert added.startswith("breakpoint 1: line 5 of train.py, 6 nodes")
    assert first.startswith("1 of 8 nodes done; stopped: breakpoint before SinBackward0 (line 5")
    assert second.startswith("4 of 8 nodes done; stopped: breakpoint before SinBackward0 (line 5")
    assert end.startswith("8 of 8 nodes done")
    assert "2 so far" in listed


def test_words_that_are_no_commands_are_expressions(run: Run, typed: Typed) -> None:
    written = typed(
        "w + 1\np step\n!step * 2\nnothing\nfoo bar\n1 +\n1 / 0\nhelp step\n?w\nst\nsteps 2\nquit"
    )
    run(NAN_LOSS)
    parts = [part.strip() for part in said(written)[1:]]
    assert parts[0].startswith("tensor([2., 3.]")
    assert parts[1:3] == ["1", "2"]
    assert parts[3] == "there is no command and no variable 'nothing'; `help` lists the commands"
    assert parts[4].endswith("is no command and no expression; `help` lists the commands")
    assert parts[5].endswith("is no command and no expression; `help` lists the commands")
    assert parts[6] == "ZeroDivisionError: division by zero"
    assert parts[7].splitlines()[0] == "step [N] (also: n, next, s)"
    assert parts[8].splitlines()[0].startswith("where")
    assert "no command" in parts[9]  # several commands begin so
    assert "no command" in parts[10]


def test_an_alias_works_where_a_variable_has_its_name(run: Run, typed: Typed) -> None:
    written = typed("p loss\np\np + 1\nquit")
    run(NAN_LOSS.replace("loss.backward()", "p = 5; loss.backward()"))
    assert [part.strip()[:7] for part in said(written)[1:4]] == ["tensor(", "5", "6"]


def test_help_lists_all_commands(run: Run, typed: Typed) -> None:
    written = typed("help\nquit")
    run(NAN_LOSS)
    listed = said(written)[1]
    for magic in commands().values():
        assert f"\n  {magic.usage}" in f"\n{listed}"
    assert "%vizgrad" not in listed


def test_the_end_of_input_quits(run: Run, typed: Typed) -> None:
    typed("step")
    assert run(NAN_LOSS).status == 3


def test_an_exception_is_looked_at_afterwards(run: Run, typed: Typed) -> None:
    program = VIZGRAD + "def f(n):\n    w = torch.ones(n)\n    return w @ torch.ones(n + 1)\nf(3)\n"
    written = typed("w.shape\nn\nup\nwhere\nresume\nstep\nquit")
    ran = run(program, "--pm")
    assert ran.status == 1
    _, shape, n, up, where, resume, step, *_ = said(written)
    assert shape == "Size([3])\n" or "3" in shape
    assert n == "3\n"
    assert up == "train.py:5 in the program: f(3)\n"
    assert where.splitlines()[1].startswith("> train.py:5")
    assert resume == "the program has ended: it cannot go on\n"
    assert "no backward is open to be stepped" in step
    written = typed("quit")
    run(program)
    assert written.getvalue() == ""  # without --pm


def test_names_are_completed(run: Run, typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    from vizgrad.debugger.shell import terminal

    found: list[list[str]] = []

    def look(self: terminal.Terminal, rest: str) -> None:
        found.append(self.completenames("st"))
        found.append(self.completenames("lo"))
        found.append(self.completedefault("Lo", "run_to Lo", 7, 9))
        found.append(self.completedefault("", "why ", 4, 4))

    monkeypatch.setattr(terminal.Terminal, "_do_where", look)
    typed("where\nquit")
    run(NAN_LOSS)
    assert found[0] == ["stage", "step", "step", "step_in", "step_out"]  # one is a variable
    assert found[1] == ["load", "loss"]
    assert found[2] == ["LogBackward0"]
    assert found[3] == ["loss", "w"]


def test_the_command_that_starts_again(monkeypatch: pytest.MonkeyPatch) -> None:
    for words, again in (
        (["-X", "dev", "-m", "vizgrad", "--pm", "a.py", "1"],
         ["-X", "dev", "-m", "vizgrad", "--keep-graphs", "--pm", "a.py", "1"]),
        (["/bin/vizgrad", "a.py"], ["/bin/vizgrad", "--keep-graphs", "a.py"]),
        (["-c", "pass"], None),
    ):  # fmt: skip
        monkeypatch.setattr(sys, "orig_argv", ["python", *words])
        found = _command_again()
        assert found == (None if again is None else [sys.executable, *again])


def test_a_source_that_is_gone_is_said(run: Run, typed: Typed, tmp_path: Path) -> None:
    written = typed("list\nquit")
    ran = run(
        VIZGRAD + "import os\nw = torch.zeros(1, requires_grad=True)\n"
        "exec(compile('(w.log() * w).sum().backward()', '<made>', 'exec'))"
    )
    assert ran.status == 3
    assert "Traceback" not in written.getvalue()
