"""Does the emulated device see what a review once found? Each mistake is put back, in a copy, and looked for.

    python -m tests.gpu.emulated.put_back [words of names]

A program for each prints the same on the device as on the CPU; where its mistake is back, it does not.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[3]


class Mistake(NamedTuple):
    """In the file of vizgrad `old` was once `new`; the program is a function `found(d)` of a device."""

    name: str
    file: str
    old: str
    new: str
    program: str
    #: The same of another file that keeps it from happening.
    also: tuple[str, str, str] | None = None


MISTAKES = (
    Mistake(
        "a broadcast gradient is added to in place",
        "core/arrays/layout.py",
        "return made if isinstance(array, np.ndarray) else made[...]",
        "return made",
        """x = vg.ones(3, 4, device=d, requires_grad=True)
h = x * 1
(h * 1 + h.sum(0)).sum().backward()
return x.grad.tolist()""",
        ("core/engine/domain.py", " or not layout.overlaps_itself(total)", " or True"),
    ),
    Mistake(
        "a bfloat16 becomes an array of the host",
        "core/function/bfloat16.py",
        "return as_array(result.astype(dtype))",
        "return xp.asarray(result, dtype)",
        "return (vg.ones(3, dtype=vg.bfloat16, device=d) + 1).tolist()",
    ),
    Mistake(
        "scatter_reduce rounds doubles to floats",
        "core/arrays/kernels/places.py",
        "            _write_in_order(ufunc, out, index, values)\n        else",
        "            ufunc.at(out, index, values)\n        else",
        """i = vg.tensor([0, 1], device=d)
v = vg.tensor([0.1, 16777217.0], dtype=vg.float64, device=d)
return vg.zeros(2, dtype=vg.float64, device=d).scatter_reduce(0, i, v, "amax").tolist()""",
    ),
    Mistake(
        "complex numbers are not added at places",
        "core/arrays/kernels/places.py",
        "if out.dtype.char in _ADDED:",
        "if True:",
        """x = vg.ones(3, dtype=vg.complex64, device=d, requires_grad=True)
x[vg.tensor([0, 0], device=d)].sum().abs().backward()
return x.grad.tolist()""",
    ),
    Mistake(
        "polygamma is given a number",
        "core/arrays/kernels/special.py",
        "n if isinstance(x, (np.ndarray, np.generic)) else np.full_like(x, n, np.float64)",
        "n",
        "return vg.special.polygamma(1, vg.ones(2, device=d)).round(decimals=4).tolist()",
    ),
    Mistake(
        "remainder by the floor of a quotient",
        "core/arrays/kernels/elementwise.py",
        "return _where((rest != 0) & ((rest < 0) != (b < 0)), rest + b, rest)",
        "return np.remainder(a, b)",
        """x, y = (vg.tensor(v, device=d) for v in ([1.0, 5.0], [0.1, float("inf")]))
return vg.remainder(x, y).tolist()""",
    ),
    Mistake(
        "the number of a device is ignored",
        "core/arrays/backend.py",
        "        if device.index is None:\n            yield library",
        "        if True:\n            yield library",
        "return vg.ones(3, device=d + ':1' if d == 'cuda' else d).sum().device.index in (None, 1)",
    ),
    Mistake(
        "fusion refuses to copy",
        "core/arrays/fusion/program.py",
        'def copy(self, order: str = "C")',
        "def copy(self)",
        "return vg.sign(vg.tensor([True, False], device=d)).tolist()",
    ),
    Mistake(
        "erf of a half is a double",
        "core/arrays/kernels/special.py",
        "return special_functions(x).erf(x).astype(x.dtype, copy=False)",
        "return special_functions(x).erf(x)",
        "return str(vg.erf(vg.ones(2, dtype=vg.float16, device=d)).dtype)",
    ),
    Mistake(
        "a singular matrix has an inverse",
        "core/arrays/kernels/linalg.py",
        'errstate(linalg="raise")',
        'errstate(linalg="ignore")',
        "return vg.linalg.inv(vg.zeros(2, 2, device=d)).shape",
    ),
)

_PROGRAM = """
from tests.gpu import emulated
emulated.start(devices=2)
import vizgrad as vg

def found(d):
{body}

def told(d):
    try:
        return found(d)
    except Exception as error:
        return type(error).__name__

print("same" if told("cpu") == told("cuda") else "different")
"""


def run(package: Path, program: str) -> str:
    body = "\n".join(f"    {line}" for line in program.splitlines())
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(package), str(ROOT)])}
    command = [sys.executable, "-c", _PROGRAM.format(body=body)]
    done = subprocess.run(
        command, cwd=package, env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or f"crashed: {done.stderr.strip()[-200:]}"


def main() -> int:
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        hidden = shutil.ignore_patterns("__pycache__", "static", "labextension")
        shutil.copytree(ROOT / "vizgrad", copy / "vizgrad", ignore=hidden)
        for mistake in MISTAKES:
            if not any(word in mistake.name for word in sys.argv[1:] or [""]):
                continue
            mended = run(copy, mistake.program)
            changes = [mistake[1:4], *([mistake.also] if mistake.also else [])]
            for file, old, new in changes:
                text = (ROOT / "vizgrad" / file).read_text("utf-8")
                assert text.count(old) == 1, mistake.name
                (copy / "vizgrad" / file).write_text(text.replace(old, new), "utf-8")
            back = run(copy, mistake.program)
            for file, *_ in changes:
                shutil.copyfile(ROOT / "vizgrad" / file, copy / "vizgrad" / file)
            wrong += mended != "same" or back == "same"
            print(f"{mistake.name}: {mended}; put back: {back}", flush=True)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
