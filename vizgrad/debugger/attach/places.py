"""Where the sockets of running programs are, and that they belong to this user alone."""

from __future__ import annotations

import os
import socket
import stat
import tempfile
from pathlib import Path

#: Bytes of the path of a Unix socket, with its end: the least of Linux and macOS.
_LONGEST = 104


class AttachError(RuntimeError):
    """A program cannot be attached to; the message says why, and what to do."""


def sockets_there() -> None:
    """AttachError where Python has no Unix sockets."""
    if not hasattr(socket, "AF_UNIX") or not hasattr(os, "getuid"):
        raise AttachError(
            "attaching needs Unix sockets, which this Python does not have (on Windows it has none): "
            "run the program with --findings FILE and --dump FILE, and read those"
        )


def folder() -> Path:
    """The folder of this user's sockets; it may not exist yet."""
    sockets_there()
    return Path(tempfile.gettempdir()) / f"vizgrad-{os.getuid()}"


def socket_of(pid: int) -> Path:
    """AttachError where the path is too long for a socket."""
    path = folder() / f"{pid}.sock"
    if len(os.fsencode(path)) >= _LONGEST:
        raise AttachError(f"{path} is too long for a socket: set TMPDIR to a shorter folder")
    return path


def made_folder() -> Path:
    """The folder, made if it was not there. AttachError for one that others can enter."""
    path = folder()
    path.mkdir(mode=0o700, exist_ok=True)
    refuse_others(path)
    return path


def refuse_others(path: Path) -> None:
    """AttachError for what another user owns or may enter, and for links: who made them is not known."""
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        raise AttachError(f"{path} is a link, not a folder of sockets: remove it")
    if found.st_uid != os.getuid():
        raise AttachError(f"{path} belongs to another user (uid {found.st_uid})")
    if stat.S_IMODE(found.st_mode) & 0o077:
        raise AttachError(f"other users may enter {path}: run `chmod go= {path}`")


def pids() -> list[int]:
    """The processes that have, or had, a socket here; a process that was killed leaves its own behind."""
    path = folder()
    if not path.exists():
        return []
    refuse_others(path)
    return sorted(int(each.stem) for each in path.glob("*.sock") if each.stem.isdecimal())


def connected(pid: int, seconds: float) -> socket.socket:
    """A connection to a program. AttachError where there is none; the socket of a dead process is removed."""
    path = socket_of(pid)
    absent = AttachError(
        f"no program that can be attached to runs as process {pid}: start it with "
        "`python -m vizgrad train.py`; `vizgrad attach` lists those that run"
    )
    if not path.exists():
        raise absent
    refuse_others(path.parent)
    refuse_others(path)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(seconds)
    try:
        connection.connect(os.fspath(path))
    except OSError as error:
        connection.close()
        if isinstance(error, ConnectionRefusedError | FileNotFoundError):
            path.unlink(missing_ok=True)
            raise absent from None
        raise AttachError(f"process {pid} does not answer: {error}") from None
    return connection
