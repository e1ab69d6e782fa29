"""Files of traces as a page reads them, in node: see `extension/tests/damaged/reader.mjs`."""

from __future__ import annotations

import ctypes
import json
import shutil
import signal
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from vizgrad.debugger.traces import TraceFileError

_EXTENSION = Path(__file__).parents[2] / "extension"
_ESBUILD = _EXTENSION / "node_modules" / "esbuild" / "bin" / "esbuild"
_SOURCE = _EXTENSION / "tests" / "damaged" / "reader.mjs"
#: Megabytes of objects: a page has not much more.
_HEAP = 512
#: Linux's PR_SET_PDEATHSIG.
_DIE_WITH_PARENT = 1


def available() -> bool:
    """Is what reads them here?"""
    return shutil.which("node") is not None and _ESBUILD.exists()


@cache
def _made() -> tempfile.TemporaryDirectory[str]:
    """A folder with the reader in one file; it goes with this process."""
    folder = tempfile.TemporaryDirectory()
    options = ["--bundle", "--platform=node", "--format=esm", "--log-level=error"]
    build = ["node", str(_ESBUILD), str(_SOURCE), *options, f"--outfile={folder.name}/reader.mjs"]
    subprocess.run(build, check=True, cwd=_EXTENSION)
    return folder


@cache
def _reader() -> subprocess.Popen[bytes]:
    command = ["node", f"--max-old-space-size={_HEAP}", f"{_made().name}/reader.mjs"]
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=_ends_with_parent if sys.platform == "linux" else None,  # noqa: PLW1509  no threads here
    )


def _ends_with_parent() -> None:
    """A reader that hangs in a file hears nothing more: it goes with who started it, however that ends."""
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)


def start() -> None:
    _reader()


def read(data: bytes) -> str:
    """What a page says of the file: "" if it shows it. TraceFileError where it refuses it, RuntimeError for
    anything else that happens.
    """
    child = _reader()
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(len(data).to_bytes(4, "little") + data)
    child.stdin.flush()
    line = child.stdout.readline()
    if not line:
        _reader.cache_clear()
        raise RuntimeError(f"the page ended with {child.wait()}")
    told = json.loads(line)
    if "refused" in told:
        raise TraceFileError(told["refused"])
    if "fault" in told:
        raise RuntimeError(told["fault"])
    return told["said"]
