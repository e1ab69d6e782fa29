"""Only this user is let in, and what is said wrongly harms nobody."""

from __future__ import annotations

import os
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.debugger.attach.conftest import sockets
from tests.debugger.shell.conftest import Run, run
from vizgrad.debugger.attach import places
from vizgrad.debugger.attach.messages import Answer, Asked, Line
from vizgrad.debugger.attach.places import AttachError
from vizgrad.debugger.attach.program import Attached, running
from vizgrad.debugger.shell import main as entrance
from vizgrad.debugger.shell.listener import Listener

__all__ = ["run", "sockets"]  # fixtures


@pytest.fixture
def listener(sockets: Path) -> Iterator[Listener]:
    made = Listener(lambda asked: (Answer(text=asked.line, size=3), b"abc"))
    assert made.begin() == ""
    yield made
    made.end()
    assert list(sockets.iterdir()) == []


def asked(asking: Asked) -> tuple[Answer, bytes]:
    with places.connected(os.getpid(), 10.0) as connection:
        line = Line(connection, 10.0)
        line.send(asking)
        return line.receive(Answer, 1000), line.bytes(3)


@pytest.mark.parametrize(
    "said",
    [
        b"", b"\0", struct.pack(">I", 2**31), struct.pack(">I", 2) + b"[]",
        struct.pack(">I", 9) + b"not JSON!",
        struct.pack(">I", 3) + b"\x80\x04.", struct.pack(">I", 4) + b"[[[[",
    ],
)  # fmt: skip
def test_what_is_no_question_gets_no_answer_and_the_next_one_does(
    listener: Listener, said: bytes
) -> None:
    with places.connected(os.getpid(), 10.0) as connection:
        connection.sendall(said)
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(100) == b""
    assert asked(Asked("command", "x")) == (Answer(text="x", size=3), b"abc")


def test_another_form_of_the_messages_is_told(listener: Listener) -> None:
    with places.connected(os.getpid(), 10.0) as connection:
        line = Line(connection, 10.0)
        line.send(Asked("status", protocol=99))
        assert "which has other messages" in line.receive(Answer, 1000).error


def test_the_thread_is_none_that_a_program_counts_or_joins(listener: Listener) -> None:
    before = threading.enumerate()
    asked(Asked("status"))
    # A thread of a test before this one may end meanwhile.
    assert [thread for thread in threading.enumerate() if thread not in before] == []


def test_a_folder_of_others_is_refused_at_both_ends(
    sockets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listener = Listener(lambda asked: (Answer(), b""))
    sockets.mkdir(mode=0o755)
    assert f"run `chmod go= {sockets}`" in listener.begin()
    with pytest.raises(AttachError, match="other users may enter"):
        running()
    sockets.rmdir()
    real = sockets.with_name("real")
    real.mkdir(mode=0o700)
    sockets.symlink_to(real)
    assert "is a link" in listener.begin()
    sockets.unlink()
    real.rename(sockets)
    monkeypatch.setattr(places, "folder", lambda: sockets)
    monkeypatch.setattr(os, "getuid", lambda: 12345678)
    assert "belongs to another user" in listener.begin()


def test_where_sockets_cannot_be_it_says_what_is_missing(
    sockets: Path, monkeypatch: pytest.MonkeyPatch, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TMPDIR", "/tmp")
    with monkeypatch.context() as deep:
        deep.setattr(places, "folder", lambda: sockets / ("x" * 100))
        with pytest.raises(AttachError, match="set TMPDIR to a shorter folder"):
            places.socket_of(1)
    monkeypatch.delattr(socket, "AF_UNIX")  # as on Windows
    assert entrance.main(["attach"]) == 1
    assert "on Windows it has none" in capsys.readouterr().err
    with pytest.raises(AttachError, match="--findings FILE"):
        Attached(1).pause()
    assert run("print(1)").err == "vizgrad: no problems found (0 backwards, 0 steps)\n"
    assert "will not find this program" in run("print(1)", "--attach", "control").err


def test_nobody_asks_and_nothing_is_read(
    sockets: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[entrance._Run] = []
    begin = entrance._Run.run
    monkeypatch.setattr(entrance._Run, "run", lambda self: runs.append(self) or begin(self))
    program = (
        "import vizgrad as torch\nw = torch.ones(2, requires_grad=True)\n"
        "for _ in range(3):\n    w.sum().backward()\n"
    )
    assert run(program).status == 0
    assert runs[0]._looked_at.reads == 0
    assert list(sockets.iterdir()) == []
    assert run(program, "--attach", "off").status == 0
    assert run(program, "--level", "alarms").status == 0
