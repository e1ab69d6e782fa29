"""Runs cells in a real ipykernel, as a notebook does."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from tests.fixtures.limits import HANG

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass
class Cell:
    """What came out of a cell."""

    printed: str = ""
    error: str = ""
    #: What was shown of each error, without colours.
    tracebacks: list[str] = field(default_factory=list[str])
    #: text/plain of the result, and all mime types of what was displayed.
    result: str = ""
    shown: list[dict[str, Any]] = field(default_factory=list)
    #: All mime types of what replaced something that was displayed.
    replaced: list[dict[str, Any]] = field(default_factory=list)

    @property
    def told(self) -> str:
        """What a person reads of a failure: IPython prints a UsageError, and raises the others."""
        return self.printed + self.error


class Kernel:
    def __init__(self, found: Path | None = None) -> None:
        """`found`: the folder of kernels to take it from (warm_kernels.py)."""
        where = {} if found is None else {"kernel_dirs": [str(found / "kernels")]}
        self._folder = TemporaryDirectory(prefix="vizgrad")
        self._manager = KernelManager(
            kernel_name="python3",
            kernel_spec_manager=KernelSpecManager(**where),
            transport="ipc",  # a port that was free may be taken before the kernel takes it
            # The sockets stand beside it; without one, all kernels would choose among the same names.
            connection_file=str(Path(self._folder.name) / "kernel.json"),
        )
        self._manager.start_kernel()
        self._client = self._manager.client()
        self._client.start_channels()
        self._client.wait_for_ready(timeout=HANG)

    def run(self, code: str, cell_id: str = "") -> Cell:
        """Runs one cell; an exception is in `error`, not raised. `cell_id`: which one it is."""
        cell = Cell()

        def heard(message: dict[str, Any]) -> None:
            kind, content = message["msg_type"], message["content"]
            if kind == "stream":
                cell.printed += content["text"]
            elif kind == "error":
                cell.error = f"{content['ename']}: {content['evalue']}"
                cell.tracebacks.append(_COLOURS.sub("", "\n".join(content["traceback"])))
            elif kind == "execute_result":
                cell.result = content["data"].get("text/plain", "")
                cell.shown.append(content["data"])
            elif kind == "display_data":
                cell.shown.append(content["data"])
            elif kind == "update_display_data":
                cell.replaced.append(content["data"])

        with self._saying(cell_id):
            self._client.execute_interactive(code, timeout=HANG, output_hook=heard)
        return cell

    def import_engine(self, name: str) -> None:
        """`torch` is imported by a cell, and the test skipped where it is not installed; `vg` is there."""
        if name == "torch" and "ModuleNotFoundError" in self.run("import torch").error:
            pytest.skip("PyTorch is not installed")

    @contextmanager
    def _saying(self, cell_id: str) -> Generator[None]:
        """Requests carry the id of the cell, as JupyterLab's do."""
        session = self._client.session
        before = session.metadata
        session.metadata = {"cellId": cell_id} if cell_id else before
        yield
        session.metadata = before

    def open_comm(self, target: str) -> None:
        """As a front end opens one over the connection that runs cells."""
        opened = {"comm_id": f"comm {target}", "target_name": target, "data": {}}
        session = self._client.session
        self._client.shell_channel.send(session.msg("comm_open", opened))

    @contextmanager
    def over_another_connection(self) -> Generator[None]:
        """Requests are those of another front end."""
        session = self._client.session
        before, session.session = session.session, "another"
        yield
        session.session = before

    def complete(self, text: str) -> list[str]:
        """What Tab offers at the end of `text`."""
        reply = self._client.complete(text, reply=True, timeout=HANG)
        return [text[: reply["content"]["cursor_start"]] + m for m in reply["content"]["matches"]]

    def help(self, text: str) -> str:
        """What `text?` shows."""
        reply = self._client.inspect(text, reply=True, timeout=HANG)
        return reply["content"]["data"].get("text/plain", "")

    def shut_down(self) -> None:
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)
        self._folder.cleanup()
