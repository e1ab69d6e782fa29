"""Where a program is stopped, what is said, and what is written."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

import vizgrad as vg
from tests.debugger.shell.conftest import VIZGRAD, Run
from vizgrad.debugger.jupyter.widget.debugview import STATIC

NAN_LOSS = (
    VIZGRAD
    + """\
w = torch.tensor([1.0, 2.0], requires_grad=True)
for step in range(5):
    loss = (w - step).log().sum()
    loss.backward()
    w.grad = None
    print("did", step)
"""
)
NAN_GRADIENT = (
    VIZGRAD
    + """\
w = torch.tensor([0.0, 4.0], requires_grad=True)
def step(w):
    loss = (w.sqrt() * w).sum()
    loss.backward()
try:
    step(w)
finally:
    print("finally")
"""
)
FAILS = (
    VIZGRAD
    + """\
w = torch.ones(3, requires_grad=True)
for _ in range(2):
    try:
        h = w.exp()
        h *= 2
        h.sum().backward()
    except Exception:
        print("caught")
"""
)


def test_a_loss_that_is_not_finite_stops_before_its_backward(run: Run) -> None:
    ran = run(NAN_LOSS, "--json")
    assert ran.status == 3
    assert ran.out.splitlines()[:-1] == ["did 0"]
    lines = ran.err.splitlines()
    assert lines[0] == "vizgrad: stopped before backward 2: `loss` is Inf (train.py:4)"
    assert lines[1].startswith(
        "`(w - step).log()` made an infinite value on line 4: log(0) = -inf at [0]"
    )
    assert "  when: round 2 of `for step in range(5)`" in lines
    told = ran.json
    assert told["stopped"]
    assert told["reason"] == "nonfinite"
    assert told["where"] == "train.py:4"
    assert told["headline"] == "before backward 2: `loss` is Inf"
    assert told["explanation"]["kind"] == "nonfinite-forward"
    assert told["status"] == 3


def test_a_gradient_that_is_not_finite_stops_after_its_backward(run: Run) -> None:
    ran = run(NAN_GRADIENT)
    assert ran.status == 3
    assert ran.out == "finally\n"
    lines = ran.err.splitlines()
    assert lines[0] == (
        "vizgrad: stopped after backward 1: the gradient of `w` has NaN (train.py:4)"
    )
    assert "`w.sqrt()`" in lines[1]
    assert lines[-4:] == [
        "  step it: start again with --at 1 if the program repeats exactly, else with --keep-graphs",
        "  called by:",
        "    train.py:5 in step: loss.backward()",
        "    train.py:7 in the program: step(w)",
    ]


def test_frames_of_libraries_are_counted(run: Run, tmp_path: Path) -> None:
    library = tmp_path / "site-packages"
    library.mkdir()
    (library / "trainer.py").write_text(
        "def fit(step):\n    inner(step)\ndef inner(step):\n    loss = step()\n    run(loss)\n"
        "def run(loss):\n    loss.backward()\n"
    )
    ran = run(
        f"import sys\nsys.path.append({str(library)!r})\nimport vizgrad as torch, trainer\n"
        "def step():\n    return torch.zeros(1, requires_grad=True).log().sum()\n"
        "def main():\n    trainer.fit(step)\n"
        "main()"
    )
    assert ran.status == 3
    assert ran.err.splitlines()[0].endswith("before backward 1: `loss` is Inf (train.py:5)")
    assert ran.err.splitlines()[-4:] == [
        "    site-packages/trainer.py:7 in run: loss.backward()",
        "    (2 more in libraries)",
        "    train.py:7 in main: trainer.fit(step)",
        "    train.py:8 in the program: main()",
    ]


def test_findings_before_an_exception_are_told(run: Run) -> None:
    ran = run(FINDING + "raise KeyError")
    assert ran.status == 1
    assert ran.err.index("KeyError") < ran.err.index("vizgrad: 1 problem found")


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_a_step_that_makes_a_parameter_infinite_stops(run: Run) -> None:
    ran = run(
        VIZGRAD
        + "w = torch.full((2,), -1e38, requires_grad=True)\n"
        + "optimizer = torch.optim.SGD([w], lr=3e38)\n"
        + "w.sum().backward()\n"
        + "optimizer.step()\n"
        + "print('not here')\n"
    )
    assert (ran.status, ran.out) == (3, "")
    assert ran.err.startswith("vizgrad: stopped after step 1: `w` has Inf (train.py:5)")


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_a_loss_that_grew_to_infinity_names_the_steps_that_were_too_large(run: Run) -> None:
    ran = run(
        VIZGRAD
        + """\
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=5.0)
x = torch.randn(64, 4)
for step in range(40):
    optimizer.zero_grad()
    loss = (net(x) - x.sum(1, keepdim=True)).pow(2).mean()
    loss.backward()
    optimizer.step()
"""
    )
    assert ran.status == 3
    lines = ran.err.splitlines()
    assert lines[0].startswith("vizgrad: stopped before backward 5: `loss` is ")
    told = "found before the stop: Optimizer step too large: "
    (found,) = [line for line in lines if line.startswith(told)]
    assert "on line 10 changed" in found
    assert lines[-1].startswith("  fix: reduce the learning rate of SGD")


def test_a_backward_that_fails_stops_though_the_program_catches_it(run: Run) -> None:
    ran = run(FAILS, "--json", "--stop-at", "error")
    assert ran.status == 3
    assert "caught" not in ran.out
    lines = ran.err.splitlines()
    assert lines[0] == "vizgrad: stopped at backward 1, which failed (train.py:6)"
    assert lines[1].startswith("RuntimeError: one of the variables needed for gradient computation")
    assert "  where: train.py:6: h *= 2" in lines
    assert ran.json["reason"] == "error"
    assert ran.json["explanation"]["kind"] == "saved-overwritten"


def test_nothing_stops_where_nothing_should(run: Run) -> None:
    for program in (NAN_LOSS, NAN_GRADIENT):
        ran = run(program, "--json", "--stop-at", "error")
        assert (ran.status, ran.json["stopped"]) == (0, False)
    ran = run(FAILS, "--stop-at", "never")
    assert (ran.status, ran.out) == (0, "caught\ncaught\n")
    assert ran.err == "vizgrad: no problems found (2 backwards, 0 steps)\n"


def test_a_program_that_catches_all_is_stopped_again(run: Run) -> None:
    ran = run(NAN_LOSS.replace("    loss.backward()", "    try: loss.backward()\n    except: pass"))
    assert ran.status == 3
    assert ran.out == "did 0\ndid 1\ndid 2\ndid 3\ndid 4\n"
    assert ran.err.count("stopped") == 1


def test_an_error_on_the_way_out_is_shown_too(run: Run) -> None:
    ran = run(NAN_GRADIENT.replace('print("finally")', "print(1 / 0)"))
    assert ran.status == 3
    assert "stopped after backward 1" in ran.err
    assert "ZeroDivisionError" in ran.err


def test_a_mask_of_infinities_stops_nothing(run: Run) -> None:
    ran = run(
        VIZGRAD
        + "w = torch.ones(2, 2, requires_grad=True)\n"
        + "masked = w + torch.full((2, 2), -torch.inf).triu(1)\n"
        + "masked.softmax(-1).pow(2).sum().backward()\n"
        + "print(torch.tensor([0.0]).log())\n"
    )
    assert (ran.status, ran.err) == (0, "vizgrad: no problems found (1 backward, 0 steps)\n")


@pytest.mark.parametrize("level", ["full", "alarms"])
def test_overflow_that_a_scaler_looks_for_stops_nothing(run: Run, level: str) -> None:
    ran = run(
        VIZGRAD
        + "w = torch.ones(2, requires_grad=True)\n"
        + "scaler = torch.amp.GradScaler('cpu', init_scale=1e30)\n"
        + "optimizer = torch.optim.SGD([w], lr=0.1)\n"
        + "for _ in range(3):\n"
        + "    optimizer.zero_grad()\n"
        + "    loss = (w * 1e10).sum()\n"
        + "    scaler.scale(loss).backward()\n"
        + "    scaler.step(optimizer)\n"
        + "    scaler.update()\n",
        "--level",
        level,
    )
    assert ran.status == 0, ran.err


def test_a_backward_within_another_is_part_of_it(run: Run) -> None:
    """As that of a checkpoint: its gradients are looked at when the outer one has ended."""
    program = (
        VIZGRAD
        + "from vizgrad.utils.checkpoint import checkpoint\n"
        + "w = torch.ones(2, requires_grad=True)\n"
        + "for step in range(2):\n"
        + "    x = torch.ones(2, requires_grad=True)\n"
        + "    checkpoint(lambda x: (x * w * step).sqrt(), x, use_reentrant=True).sum().backward()\n"
        + "    w.grad = None\n"
    ).replace("range(2)", "range(1, -1, -1)")
    for options in ((), ("--keep-graphs",)):
        ran = run(program, *options)
        assert ran.status == 3
        assert ran.err.startswith(
            "vizgrad: stopped after backward 2: the gradient of `w` has NaN ("
        )


LATE = (
    VIZGRAD
    + """\
w = torch.ones(2, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for step in range(5):
    optimizer.zero_grad()
    loss = (w * (step != 3)).sqrt().sum()
    loss.backward()
    optimizer.step()
    print("did", step)
"""
)


def test_alarms_alone_stop_before_a_step_uses_a_gradient(run: Run) -> None:
    ran = run(LATE, "--json", "--level", "alarms")
    assert ran.status == 3
    assert ran.out.splitlines()[:-1] == ["did 0", "did 1", "did 2"]
    lines = ran.err.splitlines()
    assert lines[0] == "vizgrad: stopped after backward 4: the gradient of `w` has NaN (train.py:8)"
    assert "  fix: start again with --full-from 4, if the program repeats exactly" in lines
    ran = run(LATE, "--json", "--full-from", "4")
    assert ran.json["where"] == "train.py:6"
    assert ran.json["explanation"]["tensor"] == "w * (step != 3)"
    ran = run(LATE.replace("!= 3", "!= 9"), "--level", "alarms")
    assert (ran.status, ran.err) == (0, "vizgrad: no NaN or Inf found (5 backwards, 5 steps)\n")


def test_alarms_alone_stop_at_a_backward_that_fails(run: Run) -> None:
    ran = run(FAILS, "--json", "--level", "alarms")
    assert (ran.status, ran.json["reason"], ran.json["where"]) == (3, "error", "train.py:6")
    assert "caught" not in ran.out


def test_alarms_alone_explain_a_loss_by_its_graph(run: Run) -> None:
    ran = run(NAN_LOSS, "--level", "alarms")
    assert ran.status == 3
    lines = ran.err.splitlines()
    assert lines[0] == "vizgrad: stopped before backward 2: `loss` is Inf (train.py:4)"
    assert lines[1].startswith("`(w - step).log()` on line 4 made values that are not finite")


FINDING = (
    VIZGRAD
    + """\
w = torch.ones(4, 1, requires_grad=True)
x, target = torch.ones(3, 4), torch.ones(3)
optimizer = torch.optim.SGD([w], lr=0.01)
for step in range(6):
    optimizer.zero_grad()
    loss = ((x @ w - target) ** 2).mean()
    loss.backward()
    optimizer.step()
"""
)


def test_a_finding_is_told_at_the_end_or_stops(run: Run, tmp_path: Path) -> None:
    ran = run(FINDING, "--json")
    assert ran.status == 0
    assert ran.err.startswith("vizgrad: 1 problem found (6 backwards, 6 steps)\n\n")
    assert [each["kind"] for each in ran.json["findings"]] == ["shape-broadcast"]
    assert not ran.json["stopped"]
    ran = run(FINDING, "--json", "--stop-at", "finding", "--findings", "run.jsonl")
    assert ran.status == 3
    assert (ran.json["reason"], ran.json["where"]) == ("finding", "train.py:7")
    assert ran.err.startswith(
        "vizgrad: stopped after step 1: Unintended broadcasting (train.py:7)\n"
    )
    events = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    assert [each["event"] for each in events] == ["begin", "finding", "stop", "end"]
    assert events[1]["where"] == "train.py:7"


def test_a_finding_that_is_certain_at_the_end_alone(run: Run) -> None:
    program = (
        VIZGRAD
        + "w, v = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)\n"
        + "optimizer = torch.optim.SGD([w], lr=0.1)\n"
        + "for step in range(6):\n"
        + "    (w * v).sum().backward()\n"
        + "    optimizer.step()\n"
        + "    optimizer.zero_grad()\n"
    )
    ran = run(program, "--json", "--stop-at", "finding")
    assert (ran.status, ran.json["stopped"], ran.json["reason"]) == (3, True, "finding")
    assert ran.json["headline"] == "at its end: Parameter not in the optimizer"
    assert ran.err.startswith("vizgrad: 1 problem found (6 backwards, 6 steps)")
    assert run(program).status == 0


def test_names_of_a_function_are_known_at_its_stop(run: Run) -> None:
    ran = run(
        VIZGRAD
        + "def main():\n"
        + "    net = torch.nn.Linear(2, 1)\n"
        + "    with torch.no_grad():\n"
        + "        net.weight.zero_()\n"
        + "        net.bias.zero_()\n"
        + "    net(torch.ones(3, 2)).norm().backward()\n"
        + "    net(torch.ones(3, 2)).sqrt().sum().backward()\n"
        + "main()\n"
    )
    assert ran.status == 3
    assert "stopped after backward 2: the gradient of `net.weight` has Inf (one of 2" in ran.err


def test_a_program_with_a_watch_of_its_own(run: Run) -> None:
    """Both hear: the program's watch ends with its findings, and the program is stopped within it."""
    ran = run(
        VIZGRAD
        + "x = torch.tensor([0.0, 4.0], requires_grad=True)\n"
        + "with torch.watch() as own:\n"
        + "    (x * 2).sum().backward()\n"
        + "print(list(own.findings), x.grad.tolist())\n"
        + "with torch.watch() as own:\n"
        + "    (x.sqrt() * x).sum().backward()\n"
    )
    assert (ran.status, ran.out) == (3, "[] [2.0, 2.0]\n")
    assert "vizgrad: stopped after backward 2: the gradient of `x` has NaN (train.py:7)" in ran.err


@pytest.mark.parametrize(
    ("program", "options", "steps"),
    [(NAN_LOSS, (), 4), (NAN_GRADIENT, ("--keep-graphs",), 4), (NAN_GRADIENT, (), 0)],
)
def test_a_trace_is_written(
    run: Run, tmp_path: Path, program: str, options: tuple[str, ...], steps: int
) -> None:
    if not (STATIC / "widget.js").exists():
        pytest.skip("traces are written with the built front end")
    ran = run(program, "--json", "--dump", "stop.vgtrace", *options)
    assert ran.status == 3
    assert ran.json["dump"] == "stop.vgtrace"
    assert ran.err.splitlines()[-1].startswith("vizgrad: wrote stop.vgtrace")
    trace = vg.load_trace(tmp_path / "stop.vgtrace")
    assert trace.nodes == 4
    assert trace.total == steps
    assert trace.graph.nodes[-1].label == "w"
    assert (tmp_path / "stop.vgtrace").stat().st_size < 2_000_000


def test_a_trace_that_cannot_be_written_is_said(run: Run) -> None:
    ran = run(NAN_LOSS, "--json", "--dump", "no/such/stop.vgtrace")
    assert ran.status == 3
    assert "vizgrad: no trace was written: " in ran.err
    assert ran.json["dump"] is None


def test_each_rank_says_its_number_and_has_its_own_files(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setattr("vizgrad.debugger.shell.main._interactive", lambda: True)
    run("")  # sets the variables aside
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    ran = run(NAN_LOSS, "--json", "--findings", "run.jsonl")
    assert ran.err.startswith("vizgrad (rank 1 of 2): stopped before backward 2")
    assert ran.json["rank"] == 1
    assert (tmp_path / "run.rank1.jsonl").exists()


class Pieces(io.StringIO):
    """Keeps each write apart, as a pipe does that several ranks write to."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []

    def write(self, text: str) -> int:
        self.pieces.append(text)
        return super().write(text)


def test_lines_of_ranks_are_written_in_one_piece(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    out, err = Pieces(), Pieces()
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setattr("sys.stderr", err)
    run(NAN_LOSS.replace('    print("did", step)\n', ""), "--json")
    (answer,) = out.pieces
    assert json.loads(answer)["status"] == 3
    assert err.pieces
    assert [piece for piece in (answer, *err.pieces) if not piece.endswith("\n")] == []


def test_a_training_without_a_fault_is_left_as_it_is(run: Run) -> None:
    program = (
        VIZGRAD
        + "torch.manual_seed(0)\n"
        + "net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))\n"
        + "optimizer = torch.optim.Adam(net.parameters())\n"
        + "for _ in range(4):\n"
        + "    optimizer.zero_grad()\n"
        + "    loss = (net(torch.randn(8, 4)) ** 2).mean()\n"
        + "    loss.backward()\n"
        + "    optimizer.step()\n"
        + "print(loss.item(), *[p.sum().item() for p in net.parameters()])\n"
    )
    plain: list[str] = []
    exec(program, {"print": lambda *said: plain.extend(map(str, said))})
    ran = run(program)
    assert ran.out.split() == plain
    assert ran.err == "vizgrad: no problems found (4 backwards, 4 steps)\n"
