"""What random programs are made of really occurs in them, in lines that PyTorch takes."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

from tests.fuzz.program_compare import differences, kind_of, smallest
from tests.fuzz.program_lines import CUSTOM, FUNCTIONS
from tests.fuzz.programs import Program, Side, drawn, shown

torch = pytest.importorskip("torch")

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(600)]

PROGRAMS = 800
_BACKWARD = re.compile(r"backward\(|autograd\.grad\(")
_WRITTEN = re.compile(r"^(?:with .*?: )?(x\d+b?)(?:\.\w+_\(|\[.*\] [-+*]?= | [-+*]= )")


def _features(program: Program) -> set[str]:
    """What happens in a program."""
    side, found = Side(torch), set()
    depth: dict[str, int] = {}
    hooked: set[str] = set()
    several: set[str] = set()
    before: list[str] = []
    modes: dict[str, set[bool]] = {}
    for line in program:
        tensors = dict(side.tensors())
        side.run(line)
        if side.outcomes[-1] is not None:
            continue
        made = re.match(r"(?:with .*?: )?(x\d+)(?:, (x\d+b))? = (x\d+b?)\b", line)
        if made and made.group(3) in tensors:
            for name in filter(None, made.groups()[:2]):
                made_now = side.names.get(name)
                if isinstance(made_now, torch.Tensor) and made_now._is_view():
                    depth[name] = depth.get(made.group(3), 0) + 1
                    several |= {name} if made.group(2) else set()
        written = _WRITTEN.match(line)
        if written and written.group(1) in tensors:
            found |= _of_write(written.group(1), side, depth, several, hooked)
        hook = re.search(r"(x\d+b?)\.register_hook", line)
        hooked |= {hook.group(1)} if hook else set()
        called = re.search(r"= (m\d+)\(", line)
        if called and any(True for _ in side.names[called.group(1)].buffers()):
            modes.setdefault(called.group(1), set()).add(side.names[called.group(1)].training)
        found |= _of_line(line, before)
        before.append(line)
    if any(len(seen) == 2 for seen in modes.values()):
        found.add("a layer with buffers in both modes")
    return found


def _of_write(name: str, side: Side, depth: Any, several: Any, hooked: Any) -> set[str]:
    tensor, found = side.names[name], {"a write"}
    if depth.get(name, 0) > 1:
        found.add("a write to a view of a view")
    if name in several:
        found.add("a write to one of several views")
    if name in hooked:
        found.add("a write to a tensor with a hook")
    if tensor._is_view() and type(tensor._base.grad_fn).__name__ == "CopySlices":
        found.add("a recorded write to a view")
    return found


def _of_line(line: str, before: list[str]) -> set[str]:
    found = {f"{name}.apply" for name in re.findall(r"(\w+)\.apply\(", line)}
    earlier = "\n".join(before)
    if line.startswith("with torch.no_grad(): ") and "; " in line:
        found.add("a block of no_grad")
    if line.startswith("with torch.inference_mode(): ") and "; " in line:
        found.add("a block of inference_mode")
    if ".remove()" in line:
        found.add("a hook removed")
    if _BACKWARD.search(line):
        found |= {"backward"} | _of_backward(line, before)
    if ".step(" in line and "backward(" in earlier:
        found.add("a step after a backward")
    if "state_dict" in line and line.startswith("o"):
        found.add("an optimizer's state loaded")
    return found


def _of_backward(line: str, before: list[str]) -> set[str]:
    runs = [k for k, each in enumerate(before) if "backward(" in each]
    found = set()
    if any("retain_graph=True" in before[k] for k in runs):
        found.add("backward once more")
    if any(".step(" in each for k in runs for each in before[k:]):
        found.add("a step between two backwards")
    if "create_graph=True)[0].sum()" in line or any("create_graph" in each for each in before):
        found.add("backward twice over")
    return found


@pytest.fixture(scope="module")
def occurring() -> Counter[str]:
    counted: Counter[str] = Counter()
    for seed in range(PROGRAMS):
        counted.update(_features(drawn(torch, f"features {seed}")))
    return counted


WANTED = (
    "a write", "a write to a view of a view", "a write to one of several views", "a write to a tensor with a hook",
    "a recorded write to a view", "a block of no_grad", "a block of inference_mode", "a hook removed", "backward",
    "backward once more", "a step between two backwards", "backward twice over", "a step after a backward",
    "a layer with buffers in both modes", "an optimizer's state loaded",
    *(f"{name}.apply" for name in sorted({text.split(".")[0] for text in CUSTOM})),
)  # fmt: skip


@pytest.mark.parametrize("feature", WANTED)
def test_it_occurs(occurring: Counter[str], feature: str) -> None:
    assert occurring[feature] >= 3, occurring.most_common()


def test_a_program_is_shown_with_the_functions_it_calls() -> None:
    text = shown(["x0 = torch.ones(2).requires_grad_()", "x1 = Cube.apply(x0)"])
    assert "class Cube(" in text
    assert "class Exp(" not in text
    names: dict[str, Any] = {}
    exec(text, names)
    assert names["x1"].requires_grad


def test_functions_are_all_of_them_called() -> None:
    defined = set(re.findall(r"^class (\w+)\(", FUNCTIONS, re.MULTILINE))
    assert defined == {name for text in WANTED for name in re.findall(r"(\w+)\.apply", text)} | {
        "Marked"
    }


class _Wrong:
    """A module whose `sin` has the right value and a wrong gradient."""

    def __init__(self, module: Any) -> None:
        self.module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self.module, name)

    def sin(self, x: Any) -> Any:
        return torch.sin(x) + (x - x.detach())


@pytest.mark.parametrize("each_line", [True, False])
def test_a_wrong_gradient_is_found_and_made_small(each_line: bool) -> None:
    program = [
        "x0 = torch.tensor([0.5, 1.0], dtype=torch.float64).requires_grad_()", "x1 = x0 * 2", "x2 = x1[0]",
        "with torch.enable_grad(): x3 = torch.sin(x0)", "x4 = x3 + 1; x5 = x4 * 2", "x4.sum().backward()", "x6 = x0 * 3",
    ]  # fmt: skip
    found = differences(torch, _Wrong(torch), program, each_line)
    assert [kind_of(f) for f in found] == ["gradient"]
    small = smallest(torch, _Wrong(torch), program, "gradient", each_line)
    assert small == [program[0], "x3 = torch.sin(x0)", "x4 = x3 + 1", "x4.sum().backward()"]
