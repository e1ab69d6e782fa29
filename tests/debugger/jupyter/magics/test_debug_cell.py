"""``%%vizgrad debug`` in a real kernel: where it stops, what it leaves, and that it harms nothing."""

from __future__ import annotations

import re

import pytest

from tests.debugger.jupyter.magics.kernel import Kernel

MODEL = """\
w = vg.tensor([1.0, 2.0], requires_grad=True)
seen = []
def train(steps):
    for step in range(steps):
        out = (w * (step + 1)).sum()
        seen.append(step)
        (out * 2).backward()
    return "done"
"""


@pytest.fixture
def fresh(kernel: Kernel) -> Kernel:
    for name in ("loss", "out", "step", "steps", "s", "session"):
        kernel.run(f"globals().pop({name!r}, None)")
    assert not kernel.run(MODEL).error
    return kernel


def test_stops_before_the_first_backward_and_opens_it(fresh: Kernel) -> None:
    cell = fresh.run("%%vizgrad debug s\nafter = 0\ntrain(3)\nafter = 1")
    assert not cell.error
    assert (
        "Stopped before backward 1 of this cell; the rest of the cell was not run" in cell.printed
    )
    live = [each for each in cell.shown if "application/vnd.jupyter.widget-view+json" in each]
    assert len(live) == 1
    assert fresh.run("after, seen, w.grad is None").result == "(0, [0], True)"
    assert fresh.run("s").result.endswith("next is MulBackward0 (node 0)>")
    assert "finished" in fresh.run("%vizgrad continue").result
    assert fresh.run("w.grad.tolist()").result == "[2.0, 2.0]"


def test_what_the_calling_frames_know_is_left(fresh: Kernel) -> None:
    cell = fresh.run("%%vizgrad debug s\ntrain(3)")
    assert "[0] train, In [" in cell.printed
    assert "line 7" in cell.printed
    assert "[1] the cell" in cell.printed
    assert fresh.run("step, steps, float(out), float(loss)").result == "(0, 3, 3.0, 6.0)"
    assert fresh.run("[f.function for f in s.frames]").result == "['train', 'the cell']"
    assert fresh.run("s.frames[0]['step'], s.frames[0].place.line").result == "(0, 7)"


def test_the_line_of_the_cell_is_that_of_the_notebook(fresh: Kernel) -> None:
    cell = fresh.run("%%vizgrad debug s\n\nfirst = 1\ntrain(3)", "stopped-cell")
    shown = next(line for line in cell.printed.splitlines() if "the cell" in line and "[1]" in line)
    assert "line 4: train(3)" in shown
    assert fresh.run("s.name.endswith(s.frames[1].place.cell)").result == "True"


def test_names_of_the_notebook_stay_as_they_are(fresh: Kernel) -> None:
    fresh.run("out = 'mine'")
    cell = fresh.run("%%vizgrad debug s\ntrain(3)")
    assert "Your notebook has its own out" in cell.printed
    assert fresh.run("out, float(s.frames[0]['out'])").result == "('mine', 3.0)"
    # what was left by an earlier stop is exchanged
    fresh.run("%%vizgrad debug s --at 2\ntrain(3)")
    assert fresh.run("out, step, float(loss)").result == "('mine', 1, 12.0)"


def test_at_a_number_those_before_it_run(fresh: Kernel) -> None:
    cell = fresh.run("%%vizgrad debug s --at 3\ntrain(5)")
    assert "before backward 3" in cell.printed
    assert fresh.run("step, w.grad.tolist()").result == "(2, [6.0, 6.0])"


@pytest.mark.parametrize(
    ("condition", "step"),
    [
        ("loss > 15", 2),
        ("step == 3", 3),
        ("backward >= 2 and finite", 1),
        ("loss.item() > 15", 2),
        ("grad.norm() == 1 and not isnan(loss)", 0),
        ("w.grad.norm() > 8", 2),
    ],
)
def test_when_a_condition_holds(fresh: Kernel, condition: str, step: int) -> None:
    cell = fresh.run(f'%%vizgrad debug s --when "{condition}"\ntrain(5)')
    assert not cell.error
    assert fresh.run("step").result == str(step)


def test_a_loss_that_is_not_finite(fresh: Kernel) -> None:
    cell = fresh.run(
        "%%vizgrad debug s --when 'not finite'\n"
        "for step in range(4):\n    ((w * 0).sum() / (2 - step)).backward()"
    )
    assert "before backward 3" in cell.printed
    assert fresh.run("step, bool(loss.isnan())").result == "(2, True)"


def test_a_cell_that_is_stopped_nowhere_runs_to_its_end(fresh: Kernel) -> None:
    cell = fresh.run("%%vizgrad debug --when 'loss > 1000'\ntrain(2)")
    assert "ran to its end, with 2 backwards" in cell.printed
    assert fresh.run("w.grad.tolist()").result == "[6.0, 6.0]"
    assert "with 0 backwards" in fresh.run("%%vizgrad debug\n1 + 1").printed


def test_no_handler_of_the_cell_takes_it_for_an_error(fresh: Kernel) -> None:
    cell = fresh.run(
        "%%vizgrad debug s\ncaught = closed = False\ntry:\n    try:\n        train(2)\n"
        "    except Exception:\n        caught = True\nfinally:\n    closed = True"
    )
    assert "Stopped before backward 1" in cell.printed
    assert fresh.run("caught, closed").result == "(False, True)"


def test_an_error_of_the_cell_is_an_error(fresh: Kernel) -> None:
    assert "ZeroDivisionError" in fresh.run("%%vizgrad debug\n1 / 0").error
    assert "RuntimeError" in fresh.run("%%vizgrad debug\nw.backward()").error
    # and later cells run as ever
    assert fresh.run("train(1)").result == "'done'"


def test_a_backward_of_several_and_one_that_is_called_by_a_library(fresh: Kernel) -> None:
    fresh.run("%%vizgrad debug s\nvg.autograd.backward([w.sum(), (w * 3).sum()])")
    assert fresh.run("s.continue_()").result.endswith("finished")
    assert fresh.run("w.grad.tolist()").result == "[4.0, 4.0]"
    fresh.run(
        "%%vizgrad debug s\nopt = vg.optim.SGD([w], lr=0.1)\ndef closure():\n"
        "    loss = w.sum()\n    loss.backward()\n    return loss\nopt.step(closure)"
    )
    assert fresh.run("[f.function for f in s.frames]").result == "['closure', 'the cell']"


def test_a_session_that_is_closed_lets_go_of_the_frames(fresh: Kernel) -> None:
    fresh.run("%%vizgrad debug s\ntrain(3)")
    fresh.run("s.close()")
    assert fresh.run("s.frames").result == "()"


@pytest.mark.parametrize(
    ("line", "phrase"),
    [
        ("%%vizgrad debug --at 0", "from 1"),
        ("%%vizgrad debug --at", "from 1"),
        ("%%vizgrad debug --when", "takes a condition"),
        ("%%vizgrad debug --when 'loss >'", "not understood"),
        (
            "%%vizgrad debug --when \"__import__('os').system('x')\"",
            "no method 'system'",
        ),
        ("%%vizgrad debug a b", "'b' is not understood"),
    ],
)
def test_what_is_written_wrongly_is_told_and_nothing_runs(
    fresh: Kernel, line: str, phrase: str
) -> None:
    assert phrase in fresh.run(f"{line}\ntrain(1)").told
    assert fresh.run("seen").result == "[]"


PRESS = """\
import threading, time, _thread
from vizgrad.debugger.session import registry
def press(times, how):
    end = time.monotonic() + 60
    done = set()
    while len(done) < times and time.monotonic() < end:
        session = registry.find(None)
        if session is not None and session.id not in done and session.status == "paused":
            done.add(session.id)
            session.step()
            getattr(session, how)()
        time.sleep(0.02)
    if len(done) < times:
        _thread.interrupt_main()
for session in registry.sessions():
    session.close()
threading.Thread(target=press, args=(TIMES, HOW), daemon=True).start()
"""


def test_before_each_the_cell_waits_until_the_session_is_at_its_end(fresh: Kernel) -> None:
    fresh.run(PRESS.replace("TIMES", "3").replace("HOW", "'continue_'"))
    cell = fresh.run("%%vizgrad debug --each\nsaid = train(3)")
    assert not cell.error
    assert [f"backward {n}: the cell waits here" in cell.printed for n in (1, 2, 3)] == [True] * 3
    mime = "application/vnd.vizgrad.session+json"
    titles = [each[mime]["title"] for each in cell.shown if mime in each]
    assert [title.partition(",")[0][-2:] for title in titles] == [" 1", " 2", " 3"]
    assert fresh.run("said, seen, w.grad.tolist()").result == "('done', [0, 1, 2], [12.0, 12.0])"


def test_a_session_that_is_stopped_ends_the_cell_that_waits(fresh: Kernel) -> None:
    fresh.run(PRESS.replace("TIMES", "1").replace("HOW", "'close'"))
    cell = fresh.run("%%vizgrad debug --each\ntrain(3)")
    assert not cell.error
    assert "The cell was ended here" in cell.printed
    assert fresh.run("seen").result == "[0]"


def test_what_a_node_raises_is_raised_in_the_cell_that_waits(fresh: Kernel) -> None:
    fresh.run(PRESS.replace("TIMES", "1").replace("HOW", "'continue_'"))
    cell = fresh.run(
        "%%vizgrad debug --each\nout = w.sum()\nbad = out * 2\n"
        "bad.register_hook(lambda grad: None)\nout.register_hook(lambda grad: 1 / 0)\nbad.backward()"
    )
    assert "ZeroDivisionError" in cell.error


def test_a_name_that_nobody_knows(fresh: Kernel) -> None:
    assert (
        "there is no 'lost' here; did you mean 'loss'"
        in fresh.run("%%vizgrad debug --when 'lost > 1'\ntrain(1)").error
    )


def test_traces_are_saved_and_loaded(fresh: Kernel) -> None:
    fresh.run("import tempfile, os\nos.chdir(tempfile.mkdtemp())")
    fresh.run("%%vizgrad debug s\ntrain(3)")
    fresh.run("%vizgrad continue")
    for name in ("run.vgtrace", "run.html"):
        told = fresh.run(f"%vizgrad save {name}").result
        assert re.fullmatch(rf"{name}: 4 steps of backward, In \[\d+\]", told)
    cell = fresh.run("%vizgrad load run.vgtrace")
    assert any("application/vnd.jupyter.widget-view+json" in each for each in cell.shown)
    assert fresh.run("%vizgrad step 2").result.startswith("2 of 4 nodes done")
    fresh.run("%%vizgrad record made\ntrain(2)")
    fresh.run("made.save('two.vgtrace')")
    assert fresh.run("vg.load_trace('two.vgtrace', backward=2).total > 0").result == "True"


def test_why_knows_the_forward_pass_of_a_cell_that_was_stopped(kernel: Kernel) -> None:
    kernel.run(
        "%%vizgrad debug divided\n"
        "w = vg.tensor([1.0, 2.0], requires_grad=True)\n"
        "a = w / vg.tensor([1.0, 0.0])\n"
        "b = a + 1.0\n"
        "(b * b).sum().backward()"
    )
    kernel.run("divided.continue_(); divided.continue_()")
    told = kernel.run("print(vg.why(w))").printed
    assert "`w / vg.tensor([1.0, 0.0])` made an infinite value on In [" in told
    assert "line 3: a = w / vg.tensor([1.0, 0.0])" in told
    kernel.run("divided.close()")


@pytest.mark.parametrize(
    ("condition", "step"),
    [
        ("loss.item() > 15", 2),
        ("step == 3", 3),
        ("grad.norm() == 1 and not isnan(loss)", 0),
        ("w.grad.norm() > 8", 2),
    ],
)
def test_a_backward_of_pytorch_is_stopped_alike(fresh: Kernel, condition: str, step: int) -> None:
    fresh.import_engine("torch")
    fresh.run(MODEL.replace("vg.tensor", "torch.tensor"))
    cell = fresh.run(f'%%vizgrad debug s --when "{condition}"\ntrain(5)')
    assert not cell.error
    assert (
        f"Stopped before backward {step + 1} of this cell, where `{condition}` holds"
        in cell.printed
    )
    assert "[0] train, In [" in cell.printed
    assert fresh.run("step").result == str(step)
    assert "finished" in fresh.run("%vizgrad continue").result
    assert fresh.run("w.grad.norm().item() > 0").result == "True"


@pytest.mark.parametrize("engine", ["vg", "torch"])
def test_conditions_and_refusals_of_both_engines(fresh: Kernel, engine: str) -> None:
    fresh.import_engine(engine)
    fresh.run(MODEL.replace("vg.tensor", f"{engine}.tensor"))
    odd = f"for n in range(4):\n    (w.sum() * (float('nan') if n == 2 else 1)).backward()  # {engine}"
    assert (
        "before backward 3" in fresh.run(f"%%vizgrad debug s --when 'isnan(loss)'\n{odd}").printed
    )
    told = fresh.run("%%vizgrad debug s --when 'epoch == 3'\ntrain(5)").error
    assert "there is no 'epoch' here" in told
    names = told.partition("names are: ")[2].split(", ")
    assert {"backward", "grad", "loss"} <= set(names)
    assert not {"In", "Out", "exit", "get_ipython", "torch", "vg", "train"} & set(names)
    stopped = fresh.run("%%vizgrad debug s --at 3\ntrain(5)").printed
    assert "before backward 3" in stopped
    assert "no 'lr'" in fresh.run("%vizgrad break Mul* if lr > 1").told
    made = fresh.run("%vizgrad break Mul* if loss.item() > 1 and step == 2 and not isnan(loss)")
    assert "Mul*, if loss.item() > 1 and step == 2" in made.result
    assert "breakpoint before" in fresh.run("%vizgrad continue").result


LATE = """\
w = {0}.ones(3, requires_grad=True)
for i in range(6):
    loss = (w * 2).sum()
    if i > 2:
        loss = loss + ((w * 0).sqrt() * 0).sum()
    loss.backward()
"""


@pytest.mark.parametrize("engine", ["vg", "torch"])
@pytest.mark.parametrize("block", [False, True])
def test_a_finding_offers_the_cell_that_debugs_it(kernel: Kernel, engine: str, block: bool) -> None:
    kernel.import_engine(engine)
    body = LATE.format(engine)
    if block:
        lines = "".join(f"    {line}\n" for line in body.splitlines())
        cell = kernel.run(f"with vg.watch() as seen:\n{lines}seen.findings", cell_id="cell-a")
    else:
        cell = kernel.run(f"%%vizgrad watch seen\n{body}", cell_id="cell-a")
    assert (
        "when: first in round 4 of `for i in range(6)`, last in round 6, in 3 rounds" in cell.result
    )
    assert "debug there: %%vizgrad debug --at 4 at the top of the cell" in cell.result
    html = next(each["text/html"] for each in cell.shown if "text/html" in each)
    assert '<button type="button" data-at="4" data-cell="cell-a">Debug there</button>' in html
    stopped = kernel.run(f"%%vizgrad debug s --at 4\n{body}")
    assert "Stopped before backward 4 of this cell" in stopped.printed
    assert kernel.run("i").result == "3"
    kernel.run("s.close()")


def test_no_cell_is_offered_where_the_numbers_of_backwards_differ(kernel: Kernel) -> None:
    lines = "".join(f"    {line}\n" for line in LATE.format("vg").splitlines())
    before = "u = vg.ones(1, requires_grad=True)\n(u * u).backward()\n"
    cell = kernel.run(f"{before}with vg.watch() as seen:\n{lines}seen.findings")
    assert "when: first in round 4" in cell.result
    assert "debug there" not in cell.result
    inner = "".join(f"    {line}\n" for line in f"with vg.watch() as seen:\n{lines}".splitlines())
    cell = kernel.run(f"def run():\n{inner}    return seen.findings\nrun()")
    assert "debug there" not in cell.result
