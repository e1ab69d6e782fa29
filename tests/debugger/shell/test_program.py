"""A program runs as without vizgrad: as `__main__`, with its own exit status and tracebacks."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import vizgrad
from tests.debugger.shell.conftest import Ran, Run
from vizgrad.debugger.shell.main import main


def test_a_script_is_main_and_gets_its_arguments(run: Run, tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("here = 1")
    ran = run(
        """
        import sys, beside
        if __name__ == "__main__":
            assert sys.modules["__main__"].__dict__ is globals()
            assert (__package__, __spec__, __doc__) == (None, None, None)
            print(sys.argv, sys.path[0], __file__, sep="|")
        """,
        arguments=("--stop-at", "x", "-h"),
    )
    where = tmp_path.resolve()
    assert ran.out == f"['train.py', '--stop-at', 'x', '-h']|{where}|{tmp_path / 'train.py'}\n"
    assert ran.status == 0
    assert ran.err == "vizgrad: no problems found (0 backwards, 0 steps)\n"


@pytest.mark.parametrize(
    ("end", "status", "said"),
    [("", 0, ""), ("5", 5, ""), ("'no data'", 1, "no data\n"), ("None", 0, "")],
)
def test_the_exit_status_is_the_scripts(run: Run, end: str, status: int, said: str) -> None:
    ran = run(f"import sys\nsys.exit({end})")
    assert ran.status == status
    assert ran.err.startswith(said)


def test_a_traceback_has_no_frames_of_vizgrad(run: Run) -> None:
    ran = run("def f():\n    raise KeyError('k')\nf()", "--json")
    assert ran.status == 1
    lines = ran.err.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert [line for line in lines if line.startswith("  File")] == [
        f'  File "{Path.cwd()}/train.py", line 3, in <module>',
        f'  File "{Path.cwd()}/train.py", line 2, in f',
    ]
    assert lines[-1] == "KeyError: 'k'"
    told = ran.json
    assert (told["stopped"], told["reason"], told["where"], told["status"]) == (
        True, "error", "train.py:2", 1,
    )  # fmt: skip


def test_a_syntax_error_is_shown_as_python_does(run: Run) -> None:
    ran = run("x = (1,\n  ]")
    assert ran.status == 1
    assert f'  File "{Path.cwd()}/train.py", line 2' in ran.err
    assert "SyntaxError: closing parenthesis ']' does not match" in ran.err
    assert "vizgrad" not in ran.err.replace(str(Path.cwd()), "")


def test_an_interrupt_ends_it(run: Run) -> None:
    ran = run("raise KeyboardInterrupt")
    assert ran.status == 130
    assert "line 1, in <module>" in ran.err
    assert "KeyboardInterrupt" in ran.err


def test_a_module_and_a_package_run(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    package = tmp_path / "pack"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "part.py").write_text(
        "import sys\nfrom . import __name__ as n\nprint(__name__, n, *sys.argv)"
    )
    (package / "__main__.py").write_text("print('whole', __package__)")
    run("")  # whose fixture puts all back
    assert main(["-m", "pack.part", "a"]) == 0
    assert capsys.readouterr().out == f"__main__ pack {package / 'part.py'} a\n"
    assert main(["-m", "pack"]) == 0
    assert capsys.readouterr().out == "whole pack\n"
    assert main(["pack"]) == 0  # a folder
    assert capsys.readouterr().out == "whole \n"
    assert sys.path[0] == str(package)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["no.py"], "can't open 'no.py': No such file or directory"),
        (["--"], "a script is missing"),
        (["-m"], "-m needs the name of a module"),
        (["-m", "no.such"], "there is no module named no.such"),
        (["."], "there is no '__main__' module in '.'"),
        (["--what", "train.py"], "unrecognized arguments: --what"),
        (["--stop-at", "nan", "train.py"], "argument --stop-at: invalid choice: 'nan'"),
        (["--at", "0", "train.py"], "argument --at: it takes a whole number, from 1"),
        (["--findings", "no/such", "train.py"], "can't write 'no/such': No such file or directory"),
    ],
)
def test_a_wrong_command_line_is_refused(
    run: Run, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    run("raise AssertionError", "--stop-at", "never")
    capsys.readouterr()
    assert main(words) == 2
    told = capsys.readouterr()
    assert said in told.err
    assert "Traceback" not in told.err
    assert told.out == ""


def test_without_a_word_it_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    told = capsys.readouterr().out
    named = re.findall(r"vizgrad\.(\w+)\(", told)
    assert len(named) >= 5
    assert all(callable(getattr(vizgrad, name)) for name in named)
    assert "train.py" in told


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"vizgrad {vizgrad.__version__}\n"


def test_help_says_all_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    told = capsys.readouterr().out
    for option in (
        "--stop-at",
        "--at N",
        "--dump FILE",
        "--findings FILE",
        "--pm",
        "--json",
        "-m module",
        "--attach",
        "--wait SECONDS",
        "attach [PID [COMMAND]]",
    ):
        assert option in told


def test_what_runs_at_exit_and_in_threads_finds_the_program(run: Run) -> None:
    ran: Ran = run(
        """
        import pickle, threading
        class Own: pass
        def work(): print(type(pickle.loads(pickle.dumps(Own()))) is Own)
        thread = threading.Thread(target=work); thread.start(); thread.join()
        """
    )
    assert ran.out == "True\n"
