"""Kernels that start at once: a process that has loaded what a kernel loads, and is forked for each.

A kernel costs a second of computing before it runs its first cell, and nearly all of it is imports. Here they
are done once for all tests. What is forked is a kernel like any other, in a process of its own, which has
run no cell; `import vizgrad` in it does what it does in a kernel, as if the files had been read.

    python tests/ui/warm.py SOCKET                      keeps the loaded process; it ends with its input
    python tests/ui/warm.py SOCKET CONNECTION_FILE      what Jupyter starts and takes for the kernel

Needs `fork`, as Linux has it and macOS. Runs without the package `tests`, like a kernel.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import selectors
import signal
import socket
import sys
import time
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

#: Seconds until a process that cannot be asked is taken for dead.
STILL_LOADING = 300

LOADED = (
    "ipykernel.kernelapp",
    "ipykernel.zmqshell",
    "anywidget",
    "numpy",
    "vizgrad",
    "vizgrad.magics",
    "vizgrad.nn",
    "vizgrad.optim",
    "vizgrad.rendering",
    "vizgrad.stepping.opener",
    "vizgrad.traces",
    "vizgrad.widgets.commtarget",
    "vizgrad.widgets.debugview",
    "vizgrad.widgets.showing",
)


# --- the process that is forked -----------------------------------------------------------------------


def keep(path: str) -> None:
    for name in LOADED:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    asked = _serve(path)
    if asked is not None:
        _be_a_kernel(asked)


def _serve(path: str) -> dict[str, Any] | None:
    """Forks when asked. Returns in a child, with what it was asked, and at the end of the input."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    forks = _Forks(listener)
    while True:
        for key, _ in forks.events.select():
            if key.fileobj is listener:
                asked = forks.fork()
                if asked is not None:
                    return asked
            elif key.fileobj is forks.ends:
                forks.tell_ends()
            elif key.fileobj is sys.stdin.buffer:
                forks.kill()
                return None
            else:  # who asked is gone: killed, as Jupyter kills a kernel
                forks.kill(key.fileobj)


class _Forks:
    """The processes that were forked, and who asked for which."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self.ends, self._ended = socket.socketpair()
        self._ended.setblocking(False)
        signal.set_wakeup_fd(self._ended.fileno())
        self._askers: dict[int, socket.socket] = {}
        self.events = selectors.DefaultSelector()
        for each in (listener, self.ends, sys.stdin.buffer):
            self.events.register(each, selectors.EVENT_READ)

    def fork(self) -> dict[str, Any] | None:
        """What was asked, in the child."""
        asker, _ = self._listener.accept()
        asked = json.loads(asker.makefile("rb").readline())
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            self.events.close()
            for one in (self._listener, self.ends, self._ended, asker, *self._askers.values()):
                one.close()
            return asked
        asker.sendall(b"%d\n" % pid)
        self._askers[pid] = asker
        self.events.register(asker, selectors.EVENT_READ)
        return None

    def tell_ends(self) -> None:
        self.ends.recv(4096)
        with contextlib.suppress(ChildProcessError):
            while (one := os.waitpid(-1, os.WNOHANG))[0]:
                asker = self._askers.pop(one[0])
                self.events.unregister(asker)
                with contextlib.suppress(OSError), asker:
                    asker.sendall(b"%d\n" % os.waitstatus_to_exitcode(one[1]))

    def kill(self, asker: object = None) -> None:
        """Those that `asker` asked for; all, if None."""
        for pid, one in self._askers.items():
            if asker is None or one is asker:
                os.kill(pid, signal.SIGKILL)


# --- a kernel -------------------------------------------------------------------------------------------


def _be_a_kernel(asked: dict[str, Any]) -> None:
    for one in (signal.SIGCHLD, signal.SIGINT):
        signal.signal(one, signal.default_int_handler if one is signal.SIGINT else signal.SIG_DFL)
    os.setsid()
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    sys.argv = [sys.argv[0], "-f", asked["file"]]
    importlib.import_module("numpy").random.seed()  # the others draw anew after a fork

    import ipywidgets
    from ipykernel.kernelapp import IPKernelApp

    sys.meta_path.insert(0, _Again("vizgrad"))
    app = IPKernelApp.instance(parent_handle=os.getppid())
    app.initialize(sys.argv[1:])
    ipywidgets._handle_ipython()  # what importing it does in a kernel
    app.start()


class _Again:
    """Finds a module that is loaded already when it is imported for the first time."""

    def __init__(self, name: str) -> None:
        self._module = sys.modules.pop(name)
        self._spec = self._module.__spec__

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != self._module.__name__:
            return None
        sys.meta_path.remove(self)
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec
        sys.modules["vizgrad.interactive"].on_import()


# --- what Jupyter starts ----------------------------------------------------------------------------------


def ask(path: str, file: str) -> int:
    """Stands for the kernel: hands signals on, dies with it, and it with this."""
    asking = socket.socket(socket.AF_UNIX)
    for _ in range(STILL_LOADING * 20):
        try:
            asking.connect(path)
            break
        except (FileNotFoundError, ConnectionRefusedError):
            time.sleep(0.05)
    asked = {"file": file, "cwd": str(Path.cwd()), "env": dict(os.environ)}
    asking.sendall(json.dumps(asked).encode() + b"\n")
    lines = asking.makefile("rb")
    pid = int(lines.readline())
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(one, lambda number, _: os.kill(pid, number))
    code = int(lines.readline() or 1)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit(ask(*sys.argv[1:]))
    sys.path.remove(str(Path(__file__).parent))  # where a kernel would not look
    keep(sys.argv[1])
