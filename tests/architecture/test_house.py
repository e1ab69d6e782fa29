"""The front door: the picture, the walk, the list of notes and the old names are true of the source."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import vizgrad as vg
from tests.architecture import design_index, picture
from tests.architecture.rooms import PACKAGE, ROOT, arrows, floors, part, reduced
from vizgrad.former_names import MERGED, MOVED, name_now

DEBUGGER = part("debugger.api")
HOUSE = (PACKAGE / "README.md").read_text("utf-8")


def test_the_picture_is_drawn_from_the_source() -> None:
    wanted = picture.draw()
    assert picture.PICTURE.read_text("utf-8") == wanted, (
        "run `python -m tests.architecture.picture`"
    )


def test_few_rooms_stand_at_the_top() -> None:
    top = {name.split(".")[0] for name in arrows()}
    assert {"core", "debugger"} <= top
    folders = {name for name in top if (ROOT / "vizgrad" / name).is_dir()}
    assert len(folders) <= 18
    # each a namespace of PyTorch's that is too small for a folder
    files = {
        "accelerator",
        "compiler",
        "futures",
        "multiprocessing",
        "quasirandom",
        "random",
        "sparse",
    }
    assert top - folders == files


def test_imports_between_the_parts_only_point_down() -> None:
    graph = arrows()
    assert [(a, b) for a, to in graph.items() for b in to if part(b) < part(a)] == []
    assert floors(graph)  # ValueError if imports go in a circle


def test_a_circle_is_refused_and_an_arrow_that_follows_is_left_out() -> None:
    with pytest.raises(ValueError, match="a -> b -> a"):
        floors({"a": {"b"}, "b": {"a"}})
    assert reduced({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == {
        "a": {"b"},
        "b": {"c"},
        "c": set(),
    }


def test_every_room_of_the_debugger_has_a_floor() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (layers,) = (
        c["layers"] for c in contracts if c["name"] == "Inside the debugger imports point downward"
    )
    listed = {
        name.strip().removeprefix("vizgrad.") for layer in layers for name in layer.split("|")
    }
    assert listed == {name for name in arrows() if part(name) == DEBUGGER}


@pytest.mark.parametrize(
    "readme",
    [
        PACKAGE / "README.md",
        *(PACKAGE / wing / "README.md" for wing in ("core", "debugger")),
        design_index.INDEX,
    ],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_links_lead_somewhere(readme: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", readme.read_text("utf-8"))
    assert [link for link in links if not (readme.parent / link).exists()] == []


def test_the_project_readme_leads_here() -> None:
    assert "(vizgrad/README.md)" in (ROOT / "README.md").read_text("utf-8")


# --- backward in ten lines -----------------------------------------------------------------------------


def _edges_into(root: Any) -> Counter[Any]:
    count: Counter[Any] = Counter()
    stack = [root]
    while stack:
        for target, _ in stack.pop().next_functions:
            if target is not None:
                if not count[target]:
                    stack.append(target)
                count[target] += 1
    return count


def _run(node: Any, grad: Any) -> tuple[Any, ...]:
    if hasattr(node, "variable"):
        leaf = node.variable
        leaf.grad = grad if leaf.grad is None else leaf.grad + grad
        return ()
    routed = node(grad)
    return routed if isinstance(routed, tuple) else (routed,)


def test_backward_in_ten_lines_is_what_the_engine_does() -> None:
    (source,) = re.findall(r"```python\n(def backward.*?)```", HOUSE, re.DOTALL)
    assert len(source.splitlines()) <= 11
    order: list[str] = []

    def run(node: Any, grad: Any) -> tuple[Any, ...]:
        order.append(node.name())
        return _run(node, grad)

    scope: dict[str, Any] = {
        "ones_like": vg.ones_like, "edges_into": _edges_into, "run": run,
        "sequence_nr": lambda node: node._sequence_nr(),
    }  # fmt: skip
    exec(source, scope)

    def made() -> tuple[vg.Tensor, vg.Tensor, vg.Tensor]:
        x = vg.tensor([0.5, 2.0], requires_grad=True)
        w = vg.tensor([3.0, -1.0], requires_grad=True)
        h = (x * w).tanh()
        return x, w, (h * h + x + h.exp()).sum()

    x, w, loss = made()
    scope["backward"](loss)
    ours = x.grad.tolist(), w.grad.tolist()
    x, w, loss = made()
    session = vg.debug(loss, display=False)
    session.continue_()
    assert ours == (x.grad.tolist(), w.grad.tolist())
    names = [node.name for node in session.graph.nodes]
    assert order == [names[visit.node] for visit in session.trace.visits]
    session.close()


# --- the walk ------------------------------------------------------------------------------------------


def _files_called(call: Any) -> list[str]:
    found: list[str] = []

    def profile(frame: Any, event: str, _: Any) -> None:
        if event == "call":
            path = Path(frame.f_code.co_filename)
            if path.is_relative_to(PACKAGE):
                found.append(path.relative_to(PACKAGE).as_posix())

    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(None)
    return list(dict.fromkeys(found))


def _files_said(start: str, end: str) -> list[str]:
    text = HOUSE.split(start)[1].split(end)[0]
    return re.findall(r"\]\(([a-z_/]+\.py)\)", text)


def test_the_walk_passes_the_files_that_it_names() -> None:
    x = vg.tensor([0.5, 2.0], requires_grad=True)
    x.tanh()
    record = _files_called(lambda: vg.tensor([0.5, 2.0], requires_grad=True).tanh())
    said = _files_said("**`y = x.tanh()`**", "**`loss.backward()`**")
    assert [f for f in said if f not in record] == [
        "core/ops/pointwise.py",
        "core/function/compile_record.py",
    ]
    backward = _files_called(x.tanh().sum().backward)
    assert set(_files_said("**`loss.backward()`**", "**A click on Step**")) <= set(backward)
    session = vg.debug(x.tanh().sum(), display=False)
    step = _files_called(session.step)
    said = _files_said("**A click on Step**", "## Where to look")
    inside = [
        f
        for f in said
        if f.startswith(("debugger/session", "debugger/engines/vizgrad/run", "core/"))
    ]
    assert len(inside) >= 4
    assert set(inside) <= set(step)
    session.close()


# --- notes and old names -------------------------------------------------------------------------------


def test_the_list_of_notes_is_complete() -> None:
    wanted = design_index.index()
    assert design_index.INDEX.read_text("utf-8") == wanted, (
        "run `python -m tests.architecture.design_index`"
    )


def test_each_note_has_a_number_of_its_own() -> None:
    counted = Counter(design_index.number(note) for note in design_index.notes())
    assert [number for number, count in counted.items() if count > 1] == []


def test_a_note_that_is_superseded_says_by_which() -> None:
    (note,) = (note for note in design_index.notes() if design_index.number(note) == "0003")
    assert design_index.superseded_by(note) == "0016"
    assert "superseded by [0016]" in design_index.index()


def test_old_names_still_import_the_same_modules() -> None:
    renamed = {**MOVED, **MERGED}
    without = {old for old, new in renamed.items() if needs_missing_torch(new)}
    lines = "".join(
        f"assert import_module({old!r}) is import_module({new!r})\n"
        for old, new in renamed.items()
        if old not in without
    )
    for old in without:  # without PyTorch the old name fails as the new one does
        lines += (
            f"try:\n    import_module({old!r})\n"
            "except ModuleNotFoundError as error:\n    assert error.name == 'torch'\n"
            "else:\n    raise AssertionError\n"
        )
    program = (
        "from importlib import import_module\nimport vizgrad\n"
        + lines
        + "import vizgrad.ops.aten\n"
        "from vizgrad.function.primitive import primitive\n"
        "from vizgrad.arrays import xp\n"
        "from vizgrad.graph.node import Node\n"
        "import vizgrad.core.graph.node as now\n"
        "assert Node is now.Node and now.__name__ == now.__spec__.name == 'vizgrad.core.graph.node'\n"
        "assert callable(vizgrad.graph) and callable(vizgrad.tensor)\n"
        "try:\n    import vizgrad.nothing\nexcept ModuleNotFoundError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("No module named 'vizgrad.nothing'\n", "")


def test_a_name_now_follows_from_the_longest_old_name() -> None:
    assert name_now("vizgrad.inspection.model.graph") == "vizgrad.debugger.model.nodes"
    assert name_now("vizgrad.inspection.session") == "vizgrad.debugger.session.session"
    assert name_now("vizgrad.nn") is None
    assert [
        new
        for new in (*MOVED.values(), *MERGED.values())
        if not needs_missing_torch(new) and find_spec(new) is None
    ] == []


def needs_missing_torch(module: str) -> bool:
    return ".pytorch" in module and find_spec("torch") is None
