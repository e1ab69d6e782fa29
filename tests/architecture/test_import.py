"""What `import vizgrad` brings: the public names, and nothing heavy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
HEAVY = ("IPython", "ipywidgets", "anywidget", "graphviz", "scipy", "traitlets", "cupy", "torch")


def run(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_nothing_heavy_is_imported() -> None:
    found = run(f"import sys, vizgrad; print(*[m for m in {HEAVY!r} if m in sys.modules])")
    assert found == ""


def test_what_is_loaded_later_is_not_imported() -> None:
    later = (
        "cuda", "nn", "optim", "distributions", "serialization", "utils", "core.ops.stub",
        "core.ops.registry",
        "core.ops.aten", "autograd.functional", "autograd.gradcheck_report", "autograd.forward_ad",
        "core.function.custom.jvp", "core.function.kernel_dispatch", "core.ops.tangents",
        "debugger.traces", "debugger.jupyter.widget", "debugger.model", "debugger.ranks",
        "debugger.engines.vizgrad.run", "core.engine.noted_loop", "core.arrays.statistics",
    )  # fmt: skip
    found = run(
        f"import sys, vizgrad; print(*[m for m in {later!r} if 'vizgrad.' + m in sys.modules])\n"
        "print(*[n for n in dir(vizgrad) if not hasattr(vizgrad, n)])\n"
        "print(vizgrad.conv2d is vizgrad.nn.functional.conv2d)"
    )
    assert found.split() == ["True"]


def test_parts_are_modules_too() -> None:
    found = run(
        "import vizgrad.fft, vizgrad.linalg as linalg, vizgrad.special\n"
        "from vizgrad.linalg import solve\n"
        "from vizgrad.fft import fft\n"
        "from vizgrad.special import erf\n"
        "import vizgrad as v\n"
        "print(linalg is v.linalg, solve is v.linalg.solve, fft is v.fft.fft, erf is v.special.erf)"
    )
    assert found == "True True True True"


def test_the_session_and_the_recorder_need_no_notebook() -> None:
    found = run(
        "import sys, vizgrad as v\n"
        "with v.record():\n    y = v.ones(2, requires_grad=True).tanh().sum()\n"
        "s = v.debug(y, display=False); s.continue_(); s.close()\n"
        f"print(*[m for m in {HEAVY!r} if m in sys.modules])"
    )
    assert found == ""


def test_the_entry_points_are_there() -> None:
    import vizgrad

    for name in (
        "tensor", "zeros", "ones", "no_grad", "enable_grad", "debug", "graph", "record", "scope",
        "versions", "watch", "why", "Tensor", "Size", "autograd", "nn", "optim", "load_ipython_extension",
    ):  # fmt: skip
        assert hasattr(vizgrad, name), name
    for name in ("Function", "backward", "grad", "no_grad", "detect_anomaly", "graph"):
        assert hasattr(vizgrad.autograd, name), name
