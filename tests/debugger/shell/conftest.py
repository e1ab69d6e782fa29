"""Runs programs through `main`, in this process."""

from __future__ import annotations

import io
import json
import linecache
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tests.fixtures.sessions import alone as alone  # a session of another test is no program's
from vizgrad.debugger.shell import main as entrance

#: The first line of programs that are stepped: the numbers of their lines begin with 2.
VIZGRAD = "import vizgrad as torch\n"


@dataclass(frozen=True)
class Ran:
    """What a run printed, and its exit status."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.out.splitlines()[-1])


Run = Callable[..., Ran]


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Run]:
    """`run(source, "--json", arguments=("a",))` writes the source to ``train.py`` and runs it there."""
    argv, path, module = list(sys.argv), list(sys.path), sys.modules["__main__"]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(entrance, "_interactive", lambda: False)
    for name in ("RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)

    def running(
        source: str, *options: str, arguments: tuple[str, ...] = (), name: str = "train.py"
    ) -> Ran:
        (tmp_path / name).write_text(dedent(source))
        linecache.checkcache()
        capsys.readouterr()
        status = entrance.main([*options, name, *arguments])
        told = capsys.readouterr()
        return Ran(status, told.out, told.err)

    yield running
    sys.argv[:], sys.path[:], sys.modules["__main__"] = argv, path, module


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], io.StringIO]:
    """`typed("step\\nquit")` lets debuggers read these lines; what they write is in the result."""
    from vizgrad.debugger.shell import terminal

    made = terminal.Terminal

    def typing(lines: str) -> io.StringIO:
        streams = io.StringIO(lines + "\n"), io.StringIO()

        def opened(*args: Any, **kwargs: Any) -> Any:
            return made(*args, streams=streams, **kwargs)

        monkeypatch.setattr(entrance, "_interactive", lambda: True)
        monkeypatch.setattr(terminal, "Terminal", opened)
        return streams[1]

    return typing
