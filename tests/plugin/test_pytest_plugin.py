"""`pytest --vizgrad`: findings fail a test, and without the flag nothing of vizgrad is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import vizgrad  # before tests within this process, which forget what they imported

pytest_plugins = ["pytester"]
ROOT = Path(__file__).parents[2]

FAULTY = """
import pytest
import vizgrad as vg

def train():
    w = vg.ones(2, requires_grad=True)
    opt = vg.optim.SGD([w], lr=0.1)
    for _ in range(3):
        (w * 2).sum().backward()
        opt.step()

def test_right():
    w = vg.ones(2, requires_grad=True)
    (w * 2).sum().backward()
    assert w.grad.tolist() == [2.0, 2.0]

def test_faulty():
    train()

def test_broken():
    train()
    assert False, "its own"

@pytest.mark.vizgrad_ignore("grad-accumulated")
def test_meant():
    train()

@pytest.mark.vizgrad_ignore("unused")
def test_other_kind():
    train()

@pytest.mark.vizgrad_ignore
def test_all_meant():
    train()
"""


def outcomes(run: pytest.RunResult) -> dict[str, int]:
    return {name: count for name, count in run.parseoutcomes().items() if name != "warnings"}


def run(pytester: pytest.Pytester, program: str, *options: str) -> pytest.RunResult:
    pytester.makepyfile(program)
    options = ("-p", "pytest_vizgrad", "-p", "no:xdist", "-p", "no:timeout", *options)
    return pytester.runpytest_inprocess("-Werror", *options)


def test_findings_fail_a_test_with_their_explanation(pytester: pytest.Pytester) -> None:
    found = run(pytester, FAULTY, "--vizgrad")
    assert vizgrad.__version__
    assert outcomes(found) == {"passed": 3, "failed": 3}
    found.stdout.fnmatch_lines(
        [
            "vizgrad has a finding in this test.",
            "Gradients not zeroed (grad-accumulated):",
            "backward on line 8 added to a gradient of `w` *",
            "  where: *:8: (w ?* 2).sum().backward()",
            "  fix: call zero_grad() *",
            "*its own*",
        ]
    )
    failed = [line for line in found.outlines if line.startswith("FAILED")]
    assert [line.split("::")[1].split(" ")[0] for line in failed] == [
        "test_faulty", "test_broken", "test_other_kind",
    ]  # fmt: skip


def test_the_fixture_watches_one_test(pytester: pytest.Pytester) -> None:
    program = FAULTY + (
        "\ndef test_watched(vizgrad_watch):\n"
        "    assert 'open' in repr(vizgrad_watch)\n"
        "    w = vg.ones(2, requires_grad=True)\n"
        "    assert vizgrad_watch.findings == []\n"
        "\ndef test_watched_and_faulty(vizgrad_watch):\n    train()\n"
    )
    found = run(pytester, program, "-k", "watched or test_faulty")
    assert outcomes(found) == {"passed": 2, "failed": 1, "deselected": 5}
    assert outcomes(run(pytester, program, "--vizgrad", "-k", "watched")) == {
        "passed": 1, "failed": 1, "deselected": 6,
    }  # fmt: skip


def test_without_the_flag_nothing_is_imported(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import sys\n\ndef test_it():\n    found = [n for n in sys.modules if n.startswith('vizgrad')]\n"
        "    assert found == []\n"
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "pytest_vizgrad",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(
        [*command, "-p", "no:hypothesispytest", "test_it.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(ROOT / "extension" / "pytest")},
    )  # fmt: skip
    assert "1 passed" in done.stdout, done.stdout + done.stderr


def test_it_is_an_entry_point() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    assert '[project.entry-points.pytest11]\npytest_vizgrad = "pytest_vizgrad"\n' in text
    assert '"extension/pytest/pytest_vizgrad.py" = "pytest_vizgrad.py"\n' in text
