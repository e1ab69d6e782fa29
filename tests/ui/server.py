"""A real JupyterLab server for the tests: its own port, token, configuration, and end."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError

from tests.fixtures.limits import HANG
from tests.fixtures.ports import free_port
from tests.fixtures.warm_kernels import warm_kernels

#: Seconds. A cold start takes 3 to 6 on two cores.
START_LIMIT = HANG
STOP_LIMIT = 60

#: What would reach for a network, move under the test's hands, or leave cells out of the page.
SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
    },
    "@jupyterlab/apputils-extension:themes": {"adaptive-theme": False},
    # It asks before it saves a notebook that a test has written anew, in a dialog over all others.
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
}
#: Each page that is loaded would ask whether JupyterLab is to be built anew, which runs node. The list of
#: clusters in its side bar would ask every five seconds, which reads all settings of ipyparallel each time.
PAGE = {"buildCheck": False, "disabledExtensions": {"ipyparallel-labextension": True}}

#: Not `jupyter lab`, which takes the first jupyter-lab on the PATH: maybe another environment's. Without the
#: grammar of addresses that tests/conftest.py leaves out: it takes a second to load.
LAB = "import sys; sys.modules['rfc3987_syntax'] = None; from jupyterlab.labapp import main; main()"

#: The labextension of this checkout, as it was built last: the one that was installed may be of another.
BUILT = Path(__file__).parents[2] / "vizgrad" / "labextension"


@dataclass(frozen=True)
class Server:
    """A running server. Files put into `root` can be opened by their path below it."""

    url: str
    token: str
    root: Path
    log: Path
    process: subprocess.Popen[bytes]
    #: To be closed at the end: its kernels, and where they are reached.
    kernels: ExitStack

    def address(self, page: str = "lab") -> str:
        return f"{self.url}/{page}{'&' if '?' in page else '?'}token={self.token}"


def start(folder: Path, *arguments: str, below: str = "") -> Server:
    """Starts a server that keeps everything it writes below `folder`, and waits until it answers. `below` is
    the path that its addresses begin with: ``/user/ada``.
    """
    root = folder / "root"
    config = folder / "config"
    root.mkdir(parents=True)
    (config / "labconfig").mkdir(parents=True)
    (config / "labconfig" / "default_setting_overrides.json").write_text(json.dumps(SETTINGS))
    (config / "labconfig" / "page_config.json").write_text(json.dumps(PAGE))

    if BUILT.is_dir():
        there = folder / "jupyter" / "labextensions"
        there.mkdir(parents=True)
        (there / "vizgrad").symlink_to(BUILT)

    port, token = free_port(), secrets.token_hex(16)
    command = [
        *(sys.executable, "-c", LAB, "--no-browser", "--ip=127.0.0.1"),
        *(f"--port={port}", "--ServerApp.port_retries=0", f"--ServerApp.root_dir={root}"),
        "--LabApp.expose_app_in_browser=True",
        "--JupyterNotebookApp.expose_app_in_browser=True",  # Notebook 7, below /notebooks
        # A port that was free may be taken by another process before the kernel takes it: that kernel ends.
        "--KernelManager.transport=ipc",
        *(["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),
        *([f"--ServerApp.base_url={below}/"] if below else []),
        *arguments,
    ]
    log = folder / "server.log"
    kernels = ExitStack()
    # below `folder` the paths of the kernels' sockets would be too long
    runtime = kernels.enter_context(tempfile.TemporaryDirectory(prefix="vizgrad"))
    with log.open("wb") as output:
        started: Any = {
            "cwd": root,
            "env": _environment(folder, token) | {"JUPYTER_RUNTIME_DIR": runtime},
            "stdout": output,
            "stderr": subprocess.STDOUT,
            "start_new_session": True,  # One group, so that what it starts ends with it.
        }
        kernels.enter_context(warm_kernels(folder, **started))
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, **started)
    server = Server(f"http://127.0.0.1:{port}{below}", token, root, log, process, kernels)
    try:
        _wait_until_it_answers(server)
    except BaseException:
        stop(server)
        raise
    return server


def stop(server: Server) -> None:
    """Ends the server and its kernels, gently first."""
    process = server.process
    for how in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, how)
            process.wait(STOP_LIMIT)
        except ProcessLookupError:
            break
        except subprocess.TimeoutExpired:
            continue
    process.wait(STOP_LIMIT)
    server.kernels.close()


def _environment(folder: Path, token: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "IPYTHON"))}
    return {
        **kept,
        "HOME": str(folder),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_PATH": str(folder / "jupyter"),
        "JUPYTER_TOKEN": token,
        "IPYTHONDIR": str(folder / "ipython"),
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }


def _wait_until_it_answers(server: Server) -> None:
    deadline = time.monotonic() + START_LIMIT
    request = urllib.request.Request(
        f"{server.url}/api/status", headers={"Authorization": f"token {server.token}"}
    )
    while True:
        try:
            with urllib.request.urlopen(request, timeout=60):
                return
        except (URLError, OSError) as error:
            if server.process.poll() is not None:
                raise RuntimeError(f"JupyterLab ended at once:\n{tail(server.log)}") from error
            if time.monotonic() > deadline:
                raise TimeoutError(
                    f"JupyterLab did not answer within {START_LIMIT} s:\n{tail(server.log)}"
                ) from error
            time.sleep(0.1)


def tail(log: Path, lines: int = 40) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
