"""Each block of code on the site's pages runs in a test: in one here, or in the one that the table names."""

from __future__ import annotations

import importlib
import multiprocessing
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any, NamedTuple

import pytest

import vizgrad
from tests.debugger.attach.conftest import Started, until
from tests.debugger.attach.conftest import sockets as sockets
from tests.debugger.attach.conftest import started as started
from tests.debugger.jupyter.magics.kernel import Kernel
from tests.debugger.shell import recorded
from tests.fixtures.limits import HANG
from tests.fixtures.ports import free_port
from vizgrad.debugger.shell import attached

ROOT = Path(__file__).parents[2]
HERE = "tests/packaging/test_code_blocks.py"
FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>[^\n]*)\n(?P<text>.*?)^(?P=indent)```$",
    re.DOTALL | re.MULTILINE,
)
#: Pages of what was decided and found at their time; a rule's program is in the test that shows the rule.
HISTORY = ("notebooks/design/", "tests/rules/")

#: By page and the beginning of a block: the file, and the test in it, that runs the block.
RUN_IN = {
    ("README.md", "make demo"): (HERE, "test_each_target_of_make_that_a_page_names_exists"),
    ("README.md", "import torch, vizgrad"): ("tests/packaging/test_docs.py", "PROGRAMS"),
    ("README.md", "pip install '.[lab]'"): (".ci/release/fresh.py", "vizgrad.demo("),
    ("README.md", "The derivative of"): (HERE, "test_why_prints_what_the_readme_says"),
    ("README.md", "pip install .  "): (".ci/release/fresh.py", "new.install"),
    ("CONTRIBUTING.md", "make demo"): (HERE, "test_each_target_of_make_that_a_page_names_exists"),
    ("CONTRIBUTING.md", "@primitive("): ("tests/core/ops/recipe.py", "def blocks"),
    ("CONTRIBUTING.md", "python -m vizgrad"): ("tests/core/ops/recipe.py", "def blocks"),
    ("CONTRIBUTING.md", "ROWS +="): ("tests/core/ops/recipe.py", "def blocks"),
    ("CONTRIBUTING.md", "import vizgrad"): ("tests/core/ops/recipe.py", "def blocks"),
    ("notebooks/guide.md", "RuntimeError:"): (HERE, "test_an_error_is_as_the_guide_shows"),
    ("notebooks/guide.md", "$ python -m"): (HERE, "test_torch_script_stops_as_the_guide_shows"),
    ("notebooks/guide.md", "$ vizgrad attach"): (HERE, "test_attach_talks_as_the_guide_shows"),
    ("notebooks/guide.md", "def train(rank"): (HERE, "test_torch_workers_of_the_guide"),
    ("notebooks/terminal.md", "$"): ("tests/debugger/shell/test_recorded.py", "recorded.page()"),
    ("notebooks/site/hosts.md", "pip install jupyterlite"): (".ci/lite", "jupyter lite build"),
    ("notebooks/site/pytorch.md", "import"): ("tests/packaging/test_docs.py", "PROGRAMS"),
    ("notebooks/site/torch_graphs.md", "import"): ("tests/packaging/test_docs.py", "PROGRAMS"),
    ("notebooks/site/start.md", "pip install"): (".ci/release/fresh.py", "new.install"),
    ("notebooks/site/start.md", "python -c"): (".ci/release/fresh.py", "vizgrad.demo("),
    ("notebooks/site/start.md", "import"): ("tests/packaging/test_docs.py", "PROGRAMS"),
    ("notebooks/site/start.md", "session.step()"): (HERE, "test_the_cells_of_the_first_page"),
    ("notebooks/site/start.md", "%"): (HERE, "test_the_cells_of_the_first_page"),
    ("vizgrad/README.md", "def backward"): ("tests/architecture/test_house.py", "def backward"),
    ("vizgrad/README.md", "def reference_loop"): (
        "tests/core/engine/test_two_loops.py",
        "vizgrad/README.md",
    ),
    ("vizgrad/core/engine/README.md", "def reference_loop"): (
        "tests/core/engine/test_two_loops.py",
        "vizgrad/core/engine/README.md",
    ),
    ("vizgrad/debugger/engines/pytorch/README.md", "import torch"): (
        HERE,
        "test_torch_program_of_a_readme_runs",
    ),
    ("vizgrad/profiler/README.md", "from vizgrad.profiler"): (HERE, "test_the_profiler_prints"),
}
#: Blocks that are drawings of files and arrows.
DRAWINGS = ("vizgrad/debugger/session/README.md", "vizgrad/debugger/shell/README.md")


class Block(NamedTuple):
    page: str
    text: str


def blocks_of(page: str) -> list[Block]:
    text = (ROOT / page).read_text("utf-8")
    found = [each for each in FENCE.finditer(text) if not each["language"].startswith("{")]
    return [Block(page, dedent(each["text"])) for each in found]


def block(page: str, beginning: str) -> str:
    (found,) = (each.text for each in blocks_of(page) if each.text.startswith(beginning))
    return found


def words(text: str) -> list[str]:
    """Without where lines end, which a page wraps."""
    return text.split()


def claims(each: Block) -> list[tuple[str, str]]:
    return [key for key in RUN_IN if key[0] == each.page and each.text.startswith(key[1])]


def test_each_block_of_a_page_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / ".ci" / "docs"))
    stage = importlib.import_module("stage")
    pages = {path.relative_to(ROOT).as_posix() for path in stage.pages().values()} | {"README.md"}
    read = sorted(each for each in pages if not each.startswith(HISTORY) and each not in DRAWINGS)
    blocks = [each for page in read for each in blocks_of(page)]
    assert [each for each in blocks if len(claims(each)) != 1] == []
    assert {claims(each)[0] for each in blocks} == {*RUN_IN}
    for file, words_ in RUN_IN.values():
        assert words_ in (ROOT / file).read_text("utf-8"), (file, words_)
    for page in DRAWINGS:
        assert [re.search("->|--", each.text) is None for each in blocks_of(page)] == [False]


def test_each_target_of_make_that_a_page_names_exists() -> None:
    targets = {*re.findall(r"^\.PHONY: (\S+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)}
    for page in ("README.md", "CONTRIBUTING.md", *{name for name, _ in RUN_IN}):
        text = (ROOT / page).read_text("utf-8")
        named = {*re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE)}
        assert named <= targets, (page, named - targets)


# --- what programs print -------------------------------------------------------------------------------


def test_why_prints_what_the_readme_says(tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    before = "import vizgrad\nimport vizgrad as torch\nx = torch.tensor([0.0, 4.0], requires_grad=True)\n"
    inside = (
        "with vizgrad.watch():\n    y = torch.where(x > 0, x.sqrt(), x)\n    y.sum().backward()\n"
    )
    program.write_text(before.ljust(len(before) + 8, "\n") + inside + "print(vizgrad.why(x))\n")
    printed = recorded.run_in(tmp_path, [str(program)]).stdout
    told = block("README.md", "The derivative of").replace("/home/ada", str(tmp_path))
    assert words(printed) == words(told)


def test_the_profiler_prints(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    made = (
        "import vizgrad\nmodel, x = vizgrad.nn.Linear(4, 2), vizgrad.ones(3, 4)\nvizgrad.ones(2)\n"
    )
    program.write_text(made + block("vizgrad/profiler/README.md", "from vizgrad.profiler"))
    done = recorded.run_in(tmp_path, [str(program)])
    assert done.returncode == 0, done.stderr
    assert "forward" in done.stdout
    assert "AddmmBackward0" in done.stdout


def test_torch_program_of_a_readme_runs(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    model, x = torch.nn.Linear(4, 2), torch.ones(3, 4)
    scope: dict[str, Any] = {"model": model, "x": x}
    file = tmp_path / "program.py"
    file.write_text(block("vizgrad/debugger/engines/pytorch/README.md", "import torch"))
    exec(compile(file.read_text(), str(file), "exec"), scope)
    session = scope["session"]
    session.continue_()
    assert model.weight.grad is not None
    session.close()


#: The script of the guide, of which it shows the lines around the twelfth.
SCRIPT = """\
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

for step in range(1000):
    a, b = net(torch.randn(2, 16, 4))
    if step == 700:
        b = a.detach()  # a batch of equal pairs
    distance = (a - b).pow(2).sum(-1).sqrt()
    loss = (distance - 1).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_torch_script_stops_as_the_guide_shows(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    told = block("notebooks/guide.md", "$ python -m vizgrad --keep-graphs train.py")
    (tmp_path / "train.py").write_text(SCRIPT)
    lines = re.findall(r"^\(vizgrad\) (.*)$", told, re.MULTILINE)
    asked = told.splitlines()[0].split()[2:]
    status, printed = recorded.typed(tmp_path, asked, lines)
    assert words(f"$ python {' '.join(asked)}\n{printed}$ echo $?\n{status}") == words(told)


#: The program that the guide attaches to. It ends when there is a file `enough`.
RUNNING = """\
import os, time
import vizgrad as torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
while not os.path.exists("enough"):
    x = torch.randn(16, 4)
    loss = (net(x) - x.sum(1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    time.sleep(0.005)
"""


def test_attach_talks_as_the_guide_shows(
    started: Started,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = block("notebooks/guide.md", "$ vizgrad attach").splitlines()
    prompt = re.compile(r"^\(vizgrad \d+\) ")
    typed = iter([*(prompt.sub("", line) for line in told if prompt.match(line)), "leave"])

    def answered(asked: str) -> str:
        line = next(typed)
        print(f"{asked}{line}")
        return line

    run, process = started(RUNNING, "--attach", "control")
    until(lambda: run.status.steps > 3)
    monkeypatch.setattr("builtins.input", answered)
    monkeypatch.setattr(attached, "_interactive", lambda: True)
    assert attached.main([str(run.pid)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [_without_numbers(line) for line in printed[: len(told) - 1]] == [
        _without_numbers(line) for line in told[1:]
    ]
    (tmp_path / "enough").touch()
    assert process.wait(HANG) == 0


def _without_numbers(line: str) -> str:
    """A line of what is shown of a program; the line that runs is another each time."""
    line = re.sub(r"now: train\.py:\d+ in .*", "now: train.py", line)
    return re.sub(r"\d[\d,]*(\.\d+)?(e-?\d+)?( m?s\b)?", "N", line)


# --- cells -----------------------------------------------------------------------------------------------


@pytest.fixture
def kernel() -> Iterator[Kernel]:
    running = Kernel()
    yield running
    running.shut_down()


def test_an_error_is_as_the_guide_shows(kernel: Kernel) -> None:
    assert not kernel.run("import vizgrad as vg").error
    assert not kernel.run("%load_ext vizgrad").error
    made = "inputs, w1 = vg.ones(4, 3), vg.ones(3, 2, requires_grad=True)\n"
    cell = kernel.run(
        made.ljust(len(made) + 5, "\n") + "hidden = (inputs @ w1).tanh()\n"
        "hidden *= 0.5\nhidden.sum().backward()"
    )  # fmt: skip
    first, *rest = block("notebooks/guide.md", "RuntimeError:").splitlines()
    (traceback,) = cell.tracebacks
    assert first.removesuffix("...") in traceback
    assert words(traceback)[-len(words("\n".join(rest))) :] == words("\n".join(rest))


def test_the_cells_of_the_first_page(kernel: Kernel) -> None:
    page = "notebooks/site/start.md"
    assert not kernel.run(block(page, "import vizgrad as vg\n\nx = vg.tensor([0.5")).error
    assert not kernel.run(block(page, "session.step()")).error
    assert kernel.run("print(session.position, x.grad is None)").printed == "4 False\n"
    assert not kernel.run(block(page, "%load_ext")).error
    assert "0 of 4 nodes done" in str(kernel.run(block(page, "%%vizgrad debug")).shown)


# --- workers of Ray and Dask -------------------------------------------------------------------------------


def _worker(rank: int, size: int, port: int, folder: str) -> None:
    """`train` of the guide, in a process as those of Dask and Ray are, with a loss for its dots."""
    source = block("notebooks/guide.md", "def train(rank").partition("\nfutures =")[0]
    loss = "net = torch.nn.Linear(2, 1)\n    loss = net(torch.full((3, 2), rank + 1.0)).sum()"
    made = "import os, torch, vizgrad\nimport torch.distributed as dist\n"
    file = Path(folder) / f"train{rank}.py"
    file.write_text(made + source.replace("    ...\n", f"    torch.manual_seed(0)\n    {loss}\n"))
    scope: dict[str, Callable[..., None]] = {}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    scope["train"](rank, size, "127.0.0.1", port, folder)


def test_torch_workers_of_the_guide(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    port = free_port()
    processes = [
        multiprocessing.get_context("spawn").Process(
            target=_worker, args=(rank, 2, port, str(tmp_path))
        )
        for rank in range(2)
    ]
    for each in processes:
        each.start()
    for each in processes:
        each.join(HANG)
    assert [each.exitcode for each in processes] == [0, 0]
    traces = vizgrad.load_traces(f"{tmp_path}/run.rank*.vgtrace")
    assert len(traces) == 2
