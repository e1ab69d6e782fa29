"""What the site shows runs: each example of the reference, and each program of its own pages."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import vizgrad
from vizgrad.core.ops.forms import FORMS
from vizgrad.debugger.session.session import Session

#: A rule of tests/rules.
RULE = re.compile(r"\b[A-Z]-\d+\b")
ROOT = Path(__file__).parents[2]
DOCS = ROOT / "notebooks" / "site"


def sections(file: str) -> dict[str, str]:
    parts = re.split(r"^# %% (\S+)\n", (DOCS / file).read_text("utf-8"), flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


EXAMPLES = sections("examples.py")
#: These go through all objects of the process: tried in tests/debugger/memory/alone, where there are few.
READS_ALL = ("memory",)
OF_SESSIONS = sections("session.py")
BEGINNING = OF_SESSIONS.pop("session")
PROGRAMS = {
    f"{page.stem}-{number}": code
    for page in (*sorted(DOCS.glob("*.md")), ROOT / "README.md")
    for number, code in enumerate(
        re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    )
}


def run(code: str, folder: Path, name: str) -> None:
    """From a file, where its lines can be read."""
    file = folder / f"{name}.py"
    file.write_text(code, "utf-8")
    scope = {"vizgrad": vizgrad, "__name__": name, "__file__": str(file)}
    exec(compile(code, str(file), "exec"), scope)


@pytest.mark.parametrize("name", [each for each in EXAMPLES if each not in READS_ALL])
def test_an_example_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run(EXAMPLES[name], tmp_path, name)


@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph")
@pytest.mark.parametrize("name", OF_SESSIONS)
def test_an_example_of_a_session_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run(BEGINNING + OF_SESSIONS[name], tmp_path, name)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_of_a_page_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = PROGRAMS[name]
    for needed in re.findall(r"^import (torch|jax)\b", code, re.MULTILINE):
        pytest.importorskip(needed)
    monkeypatch.chdir(tmp_path)
    run(code, tmp_path, name.replace("-", "_"))


@pytest.fixture
def reference(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The script that writes the reference."""
    monkeypatch.syspath_prepend(str(ROOT / ".ci" / "docs"))
    import reference  # pyright: ignore[reportMissingImports]  a script

    yield reference
    for name in ("reference", "function_examples"):
        monkeypatch.delitem(sys.modules, name)


def test_each_function_of_the_debugger_has_an_example(reference: ModuleType) -> None:
    assert {*EXAMPLES} == {*reference.DEBUGGER}
    text = reference.debugger(vizgrad)
    for name in EXAMPLES:
        assert f"{{py:function}} vizgrad.{name}(" in text
    assert "<" not in reference.signature(vizgrad.debug)
    assert "betas: tuple[float, float] = " in reference.signature(vizgrad.optim.Adam)


def test_what_a_session_does_has_an_example(reference: ModuleType) -> None:
    """Without one `session` refuses; but for what views ask."""
    text = reference.session()
    assert "`````{py:method} Session.run_to(" in text
    assert text.count("```python") == len(OF_SESSIONS) + 1
    assert {*OF_SESSIONS}.isdisjoint(reference.SESSION_WITHOUT)


def test_each_function_of_tensors_has_an_example_that_runs(reference: ModuleType) -> None:
    """Whose value the reference shows; a function without one is refused."""
    shown = reference.shown_functions()
    assert len(shown) > 600
    text = reference.functions(vizgrad)
    assert ">>> vg.cumsum(vg.tensor([1.0, 2.0, 3.0]), dim=0)\ntensor([1., 3., 6.])\n" in text
    assert ">>> x = vg.tensor([4.0, 2.0])\n>>> vg.sqrt_(x)\ntensor([2.0000, 1.4142])\n" in text
    for page, title, module, what in reference.PARTS:
        part = reference.part(page, title, module, what)
        without = sum(
            each.startswith(f"{title.removeprefix('vizgrad.')}.") for each in reference.NO_CALL
        )
        assert part.count("```pycon") == part.count("`````{py:") - without > 0, page


def test_differences_name_no_programs_of_the_tests(reference: ModuleType) -> None:
    told = importlib.import_module("stage").differences()
    assert "**Here:**" in told
    assert "program:" not in told


def test_docstrings_speak_to_readers(reference: ModuleType) -> None:
    """No numbers of rules, which a reader of the site does not know: they stand in comments."""
    parts = [(page, importlib.import_module(module)) for page, _, module, _ in reference.PARTS]
    shown = {
        f"{page}.{name}": thing
        for page, module in parts
        for name, thing in reference.public(module)
    }
    shown |= {name: getattr(vizgrad, name) for name in (*reference.DEBUGGER, "Tensor")}
    shown |= {name: forms.function for name, forms in FORMS.items() if forms.function is not None}
    shown["Session"] = Session
    for name, thing in list(shown.items()):
        if inspect.isclass(thing):
            shown |= {
                f"{name}.{each}": inspect.getattr_static(thing, each)
                for each in dir(thing)
                if each[0] != "_"
            }
    wrong = {name for name, thing in shown.items() if RULE.search(inspect.getdoc(thing) or "")}
    assert wrong == set()


def test_each_method_has_an_example(reference: ModuleType) -> None:
    shown = reference.shown_methods(vizgrad)
    assert len(shown) > 400
    for name, example in shown.items():
        assert "0x" not in repr(example.run(vizgrad)), name  # no address of an object


def test_examples_give_what_pytorch_gives(reference: ModuleType) -> None:
    torch = pytest.importorskip("torch")
    generator_state = torch.get_rng_state()
    try:
        for name, example in reference.shown_functions().items():
            if name in OURS or name in CHANCE:
                continue
            _compare(name, example.run(vizgrad), example.run(torch))
    finally:
        torch.set_rng_state(generator_state)


#: PyTorch 2.13 has none of this name, or refuses the call; `is_conj`: here no tensor is conjugated lazily.
OURS = {
    "indices_copy", "is_conj", "linalg.cholesky_inverse", "linalg.cholesky_solve", "linalg.inverse",
    "linalg.logdet", "linalg.lu_unpack", "segment_max", "segment_mean", "segment_softmax", "segment_sum",
    "testing.assert_same_gradients",
    "values_copy",
}  # fmt: skip
#: They draw from a generator of another kind.
CHANCE = {
    "get_rng_state", "normal", "poisson", "rand", "rand_like", "randint", "randint_like", "randn",
    "randn_like", "randperm",
}  # fmt: skip


def test_methods_give_what_pytorch_gives(reference: ModuleType) -> None:
    torch = pytest.importorskip("torch")
    generator_state = torch.get_rng_state()
    try:
        for name, example in reference.shown_methods(vizgrad).items():
            # PyTorch has no method `isin`; `normal_` and `bernoulli_` draw
            if name not in OURS | CHANCE | {"isin", "normal_", "bernoulli_"}:
                _compare(name, example.run(vizgrad), example.run(torch))
    finally:
        torch.set_rng_state(generator_state)


def _dense(tensor: Any) -> Any:
    tensor = tensor.detach()
    return tensor if str(tensor.layout).endswith("strided") else tensor.to_dense()


def _compare(name: str, ours: Any, theirs: Any) -> None:
    if isinstance(theirs, tuple | list):
        assert isinstance(ours, tuple | list), name
        assert len(ours) == len(theirs), name
        for one, other in zip(ours, theirs, strict=True):
            _compare(name, one, other)
    elif hasattr(theirs, "detach"):
        found, wanted = (_dense(each).tolist() for each in (ours, theirs))
        assert repr(ours.dtype).split(".")[-1] == repr(theirs.dtype).split(".")[-1], name
        _compare(name, found, wanted)
    elif isinstance(theirs, float | complex) and not isinstance(theirs, bool):
        both_nan = ours != ours and theirs != theirs
        assert both_nan or abs(ours - theirs) <= 1e-4 * (1 + abs(theirs)) or ours == theirs, name
    else:
        assert str(ours).replace("vizgrad", "torch") == str(theirs), name
