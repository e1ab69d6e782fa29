"""``%vizgrad`` in a real kernel: commands, completion, help, and what it says when written wrongly."""

from __future__ import annotations

import re

import pytest

from tests.debugger.jupyter.magics.kernel import Kernel
from vizgrad.debugger.commands import magics

FORWARD = """\
x = vg.tensor([1.0, 2.0], requires_grad=True)
hidden = x.tanh()
loss = (hidden * 2).sum()
"""


@pytest.fixture
def session(kernel: Kernel) -> Kernel:
    """A kernel with a fresh session over sum <- mul <- tanh <- x."""
    cell = kernel.run(FORWARD + "%vizgrad debug loss")
    assert not cell.error
    return kernel


def test_debug_shows_the_view_and_says_where_it_stands(session: Kernel) -> None:
    cell = session.run(FORWARD + "%vizgrad debug loss")
    live = [shown for shown in cell.shown if "application/vnd.jupyter.widget-view+json" in shown]
    assert len(live) == 1
    assert "SumBackward0" in live[0]["text/plain"]  # for readers without a kernel
    assert live[0]["image/svg+xml"].startswith("<svg")
    assert cell.result == ""  # the view says where it stands
    assert session.run("s = %vizgrad debug loss\nprint(s)").printed.endswith("(node 0)\n")


def test_step_and_back(session: Kernel) -> None:
    assert session.run("%vizgrad step").result.startswith("1 of 4")
    assert session.run("%vizgrad step 2").result.startswith("3 of 4")
    assert session.run("x.grad is None").result == "True"
    assert session.run("%vizgrad back").result.startswith("2 of 4")
    assert session.run("%vizgrad continue").result == "4 of 4 nodes done; the backward is finished"
    assert session.run("x.grad is None").result == "False"
    assert session.run("%vizgrad restart").result.startswith("0 of 4")
    assert session.run("x.grad is None").result == "True"


def test_run_to_and_break(session: Kernel) -> None:
    assert "next is TanhBackward0" in session.run("%vizgrad run_to Tanh*").result
    session.run("%vizgrad restart")
    assert "1 node" in session.run("%vizgrad break MulBackward0").result
    assert "next is MulBackward0" in session.run("%vizgrad continue").result


def test_expressions_are_displayed(session: Kernel) -> None:
    assert session.run("%vizgrad display").result.startswith("nothing is watched; usage: ")
    assert session.run("%vizgrad display x.grad").result == "1: x.grad = None"
    session.run("%vizgrad display position * 10\n%vizgrad continue")
    lines = session.run("%vizgrad display").result.splitlines()
    assert lines[0].startswith("1: x.grad = [2] f32  = [0.8399, ")
    assert lines[1:] == ["2: position * 10 = 40"]
    session.run("%vizgrad undisplay 1")
    assert session.run("%vizgrad display").result == "2: position * 10 = 40"
    session.run("%vizgrad undisplay")
    assert session.run("%vizgrad display").result.startswith("nothing is watched")
    assert "expected a number" in session.run("%vizgrad undisplay x").printed
    assert "not understood" in session.run("%vizgrad display x +").error


def test_a_breakpoint_that_logs_prints_in_the_cell(session: Kernel) -> None:
    said = session.run("%vizgrad break Tanh* if grad.norm > 1 log norm {grad.norm:.2f}").result
    assert said.endswith("logs norm {grad.norm:.2f}'")
    cell = session.run("%vizgrad continue")
    assert cell.printed == "#3 TanhBackward0: norm 2.83\n"
    assert cell.result.startswith("4 of 4 nodes done")


def test_break_at_a_line_of_a_cell(session: Kernel) -> None:
    said = session.run("%vizgrad break :2").result
    assert ": line 2 of In [" in said
    assert "next is TanhBackward0" in session.run("%vizgrad continue").result
    assert "lines that recorded nodes: 2, 3" in session.run("%vizgrad break :1").error


def test_lines_are_counted_as_the_editor_of_the_cell_does(kernel: Kernel) -> None:
    kernel.run("\n\n# third\na = vg.ones(2, requires_grad=True)\nb = a.exp()\nc = b.sum()", "lines")
    told = kernel.run("s = vg.debug(c, display=False); print(s.graph.nodes[1].place.line)")
    assert told.printed == "5\n"
    said = kernel.run("%vizgrad break :5").result
    assert ": line 5 of In [" in said
    assert "lines that recorded nodes: 5, 6" in kernel.run("%vizgrad break :3").error
    kernel.run("%vizgrad continue")
    assert "(line 5 of In [" in kernel.run("print(s.stopped)").printed
    failed = kernel.run("\n\nb = a.exp()\nb.detach().mul_(2.0)\nb.sum().backward()", "written")
    notes = kernel.run("import sys; print(sys.last_value.explanation)").printed
    assert failed.error.startswith("RuntimeError")
    assert "line 3" in notes
    assert "line 4" in notes


def test_a_function_is_checked_and_its_card_drawn(kernel: Kernel) -> None:
    kernel.run(
        "class Sine(vg.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, x):\n"
        "        ctx.save_for_backward(x)\n"
        "        return x.sin()\n"
        "    @staticmethod\n"
        "    def backward(ctx, g):\n"
        "        (x,) = ctx.saved_tensors\n"
        "        return g * x.sin()\n"
        "a = vg.tensor([0.5, 2.0], requires_grad=True)"
    )
    said = kernel.run("%vizgrad check Sine a").result
    assert "Error in a custom Function" in said
    assert "line 9: return g * x.sin()" in said
    card = kernel.run("%vizgrad card Sine(a)")
    assert "✗ backward" in card.result
    assert card.shown[0]["image/svg+xml"].startswith("<svg")
    assert "no class derived from" in kernel.run("%vizgrad check a").told


def test_graph_draws_and_runs_nothing(session: Kernel) -> None:
    cell = session.run("%vizgrad graph loss")
    assert "TanhBackward0" in cell.result
    assert cell.shown[0]["image/svg+xml"].startswith("<svg")
    assert session.run("x.grad is None").result == "True"


def test_versions_name_the_cell_and_line_that_wrote(session: Kernel) -> None:
    session.run("a = 1\nhidden.add_(a)")
    text = session.run("%vizgrad versions hidden").result
    assert "STALE" in text
    assert "add_" in text
    assert "hidden.add_(a)" in text
    assert "In [" in text
    assert "STALE" in session.run("%vizgrad saved").result


def test_a_recorded_cell(kernel: Kernel) -> None:
    cell = kernel.run("%%vizgrad record trace\n" + FORWARD + "loss.backward()")
    assert not cell.error
    assert kernel.run("[e.kind for e in trace.events].count('visit')").result == "4"


@pytest.mark.parametrize(
    ("line", "phrase"),
    [
        ("%vizgrad jump", "no command 'jump'"),
        ("%vizgrad step many", "number of steps"),
        ("%vizgrad debug", "usage: %vizgrad debug TENSOR"),
        ("%vizgrad graph 3", "not a vizgrad Tensor"),
        ("%vizgrad graph nowhere", "nowhere"),
    ],
)
def test_what_is_written_wrongly_is_told(session: Kernel, line: str, phrase: str) -> None:
    assert phrase in session.run(line).told


def test_without_a_session(kernel: Kernel) -> None:
    kernel.run(
        "import vizgrad.debugger.session.registry as r\nfor s in r.sessions():\n    s.close()"
    )
    assert "open one with" in kernel.run("%vizgrad step").told


def test_completion(session: Kernel) -> None:
    assert {"%vizgrad step", "%vizgrad debug"} <= set(session.complete("%vizgrad "))
    assert session.complete("%vizgrad rest") == ["%vizgrad restart"]
    assert "%vizgrad debug loss" in session.complete("%vizgrad debug lo")
    assert "%vizgrad run_to TanhBackward0" in session.complete("%vizgrad run_to Ta")


def test_help(kernel: Kernel) -> None:
    text = kernel.help("%vizgrad")
    assert "%vizgrad step [N]" in text
    assert "Run the next N nodes" in text
    assert "%vizgrad step [N]" in kernel.run("%vizgrad").printed


def test_breakpoints_are_listed_switched_and_taken_away(session: Kernel) -> None:
    assert "no breakpoints are set" in session.run("%vizgrad breakpoints").result
    session.run("%vizgrad break *Backward0 if grad.norm > 1e9 hits 2")
    session.run("%vizgrad break when nonfinite")
    listed = session.run("%vizgrad breakpoints").result
    assert "*Backward0, if grad.norm > 1e9, " in listed
    assert "at hit 2, 0 so far" in listed
    number = listed.strip().split()[0]
    assert listed.splitlines()[0].endswith("so far")
    switched = session.run(f"%vizgrad breakpoints off {number}").result
    assert switched.splitlines()[0].endswith("so far, off")
    assert len(session.run(f"%vizgrad breakpoints remove {number}").result.splitlines()) == 1
    assert "no breakpoints are set" in session.run("%vizgrad breakpoints clear").result
    assert "usage" in session.run("%vizgrad breakpoints all").printed


FOLLOWED = """\
from vizgrad.debugger.session import registry
from vizgrad.debugger.jupyter.widget.line_messages import LinesFollower
told = LinesFollower(lambda message: None).whole(1)
lines = [(told.files[line.file].cell, line.line) for line in told.lines]
assert all(told.files[line.file].text for line in told.lines)
print(*sorted(lines))
"""


def test_lines_know_the_cells_that_ran_them(kernel: Kernel) -> None:
    text = "\n\nimport vizgrad as vg\nw = vg.ones(2, requires_grad=True)\ny = w.tanh()"
    assert not kernel.run(text, "first").error
    assert not kernel.run("y = y.sin()", "second").error
    assert not kernel.run("y = y.sin()", "third").error  # the same text
    assert not kernel.run("%load_ext vizgrad").error
    assert not kernel.run("%%vizgrad record made\n\nloss = y.sum()", "fourth").error
    assert not kernel.run("s = vg.debug(loss, display=False)", "fifth").error
    shown = kernel.run(FOLLOWED)
    assert not shown.error
    assert shown.printed.strip() == "('first', 5) ('fourth', 3) ('second', 1) ('third', 1)"


def test_two_losses_side_by_side(session: Kernel) -> None:
    losses = "w = vg.ones(2, requires_grad=True); one = w.exp().sum(); other = w.exp().mul(2).sum()"
    session.run(f"import vizgrad as vg; {losses}")
    told = session.run("%vizgrad compare one other").shown[-1]["text/plain"]
    assert "first difference at ExpBackward0" in told
    assert "only there: MulBackward0" in told


def test_what_if(session: Kernel) -> None:
    session.run("%vizgrad run_to TanhBackward0")
    said = session.run("%vizgrad set TanhBackward0 g * 0").result
    assert "gradient of TanhBackward0 = g * 0; on branch 1 now" in said
    assert "finished" in session.run("%vizgrad continue").result
    listed = session.run("%vizgrad branches").result.splitlines()
    assert listed[0].startswith("  original: ")
    assert "* branch 1: " in listed[1]
    assert listed[1].endswith("; gradient of TanhBackward0 = g * 0")
    assert "next is TanhBackward0" in session.run("%vizgrad switch original").result
    left = session.run("%vizgrad compare branch 1").result
    assert left == "no difference to branch 1 in the nodes that both have run"
    session.run("%vizgrad switch branch 1")
    assert session.run("%vizgrad compare original").result.startswith("original was left after ")
    session.run("%vizgrad switch original")
    session.run("%vizgrad continue")
    compared = session.run("%vizgrad compare branch 1").result
    assert "TanhBackward0  " in compared
    assert " -> 0" in compared
    assert session.run("%vizgrad compare original with branch 1").result.count("\n") > 0
    assert "usage: %vizgrad compare NAME" in session.run("%vizgrad compare").printed
    session.run("%vizgrad drop branch 1")
    session.run("%vizgrad back")
    assert "branch other" not in session.run("%vizgrad branches").result
    assert "* other: " in session.run("%vizgrad branch other").result
    assert "no branch 'nowhere'" in session.run("%vizgrad switch nowhere").error
    session.run("%vizgrad drop other")


def test_the_second_order_is_opened_and_debugged(kernel: Kernel) -> None:
    kernel.run("side = vg.tensor([2.0], requires_grad=True); cubed = (side ** 3).sum()")
    kernel.run("first = vg.debug(cubed, create_graph=True); first.continue_()")
    opened = kernel.run("%vizgrad second")
    assert not opened.error
    assert "paused, 0 of 5 nodes" in opened.shown[0]["text/plain"]
    assert any("application/vnd.jupyter.widget-view+json" in shown for shown in opened.shown)
    assert "finished" in kernel.run("%vizgrad continue").result
    # 3 x^2 of the first, 6 x of the second: both in `.grad`
    assert kernel.run("side.grad.tolist()").result == "[24.0]"
    kernel.run("first.close()")
    kernel.run("plain = vg.debug((side * 2).sum())")
    assert "debug with create_graph=True" in kernel.run("%vizgrad second").error
    kernel.run("plain.close()")


def test_stages_and_leaves(session: Kernel) -> None:
    session.run("%vizgrad restart")
    assert "1 of 3 stages done, after formula" in session.run("%vizgrad stage").result
    assert "stages done" not in session.run("%vizgrad stage -1").result
    assert "stages done" in session.run("%vizgrad step_in").result
    assert "1 of " in session.run("%vizgrad step_out").result
    assert "next is AccumulateGrad" in session.run("%vizgrad run_to_leaf").result
    assert "usage" in session.run("%vizgrad stage many").printed


def test_why_and_watch(kernel: Kernel) -> None:
    cell = kernel.run(
        "%%vizgrad watch seen\n"
        "w = vg.tensor([0.0, 1.0], requires_grad=True)\n"
        "loss = -w.log().sum()\n"
        "for _ in range(3):\n"
        "    (w * w).sum().backward()\n"
        "    with vg.no_grad():\n"
        "        w -= 0.1 * w.grad\n"
    )
    assert "zero_grad" in cell.result
    assert kernel.run("seen.findings[0].kind").result == "'grad-accumulated'"
    told = kernel.run("print(vg.why(loss))").printed
    assert "`w.log()` made an infinite value" in told
    assert "NaN or Inf in the forward pass" in kernel.run("%vizgrad why loss").result
    assert "nothing to explain" in kernel.run("%vizgrad why w.grad").result


FORGETFUL = """
net = vg.nn.Linear(2, 1)
optimizer = vg.optim.SGD(net.parameters(), lr=0.1)
def by_hand():
    with vg.no_grad():
        net.weight -= 0.1 * net.weight.grad
def train(step):
    for _ in range(3):
        net(vg.ones(3, 2)).sum().backward()
        step()
"""


@pytest.mark.parametrize(
    "step", ["optimizer.step", "by_hand"]
)  # with curves, above which findings stand, and without
@pytest.mark.parametrize(
    "cell",
    [
        "%%vizgrad watch seen\ntrain({})\nseen.findings",
        "%%vizgrad watch seen\ntrain({})\nseen",
        "with vg.watch() as seen:\n    train({})\nseen.findings",
    ],
)
def test_findings_as_the_last_expression_are_shown_once(
    kernel: Kernel, cell: str, step: str
) -> None:
    kernel.run(FORGETFUL)
    ran = kernel.run(cell.format(step))
    assert ran.error == ""
    cards = [
        data for data in (*ran.shown, *ran.replaced) if "not zeroed" in str(data.get("text/html"))
    ]
    assert len(cards) == 1
    again = kernel.run("seen.findings")  # in a cell of their own they are shown
    assert "not zeroed" in again.result


def test_memory_names_what_keeps_a_graph(kernel: Kernel) -> None:
    kernel.run("kept = vg.ones(500, requires_grad=True)\nkept_total = (kept * vg.ones(500)).sum()")
    cell = kernel.run("%vizgrad memory")
    told = re.search(
        r"`kept_total` keeps 3 nodes \(\d+ B\) and 2.0 kB of tensors, since In \[", cell.result
    )
    assert told
    assert "kept  [500] f32 v0" in cell.result
    kernel.run("kept * 2")  # a result of a cell
    shown = kernel.run("%vizgrad memory").result
    assert "`Out`" in shown
    # What the shell has of its results is no other place. Of other tests' tensors the kernel may know one.
    ours = [line for line in shown.splitlines() if "kept" in line or "Out" in line]
    assert ours
    assert not any("elsewhere" in line for line in ours)
    assert "%vizgrad memory" in kernel.run("%vizgrad memory of what").printed
    kernel.run("del kept, kept_total")


def test_lines_of_what_a_magic_runs_are_of_its_own_cell(kernel: Kernel) -> None:
    cell = kernel.run(
        "%%vizgrad watch seen\n"
        "h = vg.tensor([0.0], requires_grad=True).log()\n"
        "print(vg.why(h).culprit)"
    )
    following = kernel.run("print(get_ipython().displayhook.prompt_count)").printed
    assert cell.printed.startswith(f"In [{int(following) - 1}], line 2: ")


def test_a_watched_cell_keeps_backwards_that_are_asked_for(kernel: Kernel) -> None:
    loop = "for _ in range(4):\n    vg.ones(2, requires_grad=True).sum().backward()\n"
    kernel.run(f"%%vizgrad watch seen --keep 2\n{loop}")
    assert kernel.run("seen.kept").result == "<kept backwards: 3, 4>"
    assert "0 of 2 nodes done" in kernel.run("print(seen.kept[4])").printed
    kernel.run(f"%%vizgrad watch --keep 1 other\n{loop}")
    assert kernel.run("list(other.kept)").result == "[4]"
    for wrong in ("--keep", "--keep few", "--keep -1"):
        assert (
            "--keep takes a number of backwards"
            in kernel.run(f"%%vizgrad watch {wrong}\n1").printed
        )


def test_alone_it_lists_the_first_commands_and_the_others_by_section(session: Kernel) -> None:
    printed = session.run("%vizgrad").printed
    parts = [part.splitlines() for part in printed.strip().split("\n\n")]
    titles = [part[0] for part in parts]
    assert titles == ["First commands:", "Run:", "Graph:", "Notebook:"]
    assert [line.split()[1] for line in parts[0][1:4]] == ["debug", "debug", "step"]
    assert sum(len(part) - 1 for part in parts) == len(magics())


def test_a_cell_that_shows_a_session_shows_it_once(kernel: Kernel) -> None:
    kernel.run("once = vg.tensor([2.0], requires_grad=True)")
    cell = kernel.run("vg.debug((once * 2).sum())", "once")
    assert not cell.error
    assert len(cell.shown) == 1
    assert not cell.result
    kernel.run("again = vg.debug((once * 2).sum())", "again")
    assert (
        "0 of 3 nodes done" in kernel.run("again", "another").result
    )  # no view is below this cell
    assert "0 of 2 nodes done" in kernel.run("vg.debug(once * 2, display=False)", "none").result
