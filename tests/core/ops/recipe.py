"""The page of CONTRIBUTING.md that says how an operation is added, as blocks of code."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[3]


def blocks() -> list[str]:
    """What stands between fences in that section, in order."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    section = text.partition("## How to add an op in one page\n")[2].partition("\n## ")[0]
    found = re.findall(r"^( *)```\w*\n(.*?)^\1```$", section, re.DOTALL | re.MULTILINE)
    return [textwrap.dedent(block) for _, block in found]


#: What a person would look at afterwards. `vizgrad` is imported.
CHECKS = """
import numpy, scipy.special

plain = numpy.array([-800.0, -1.5, 0.0, 0.25, 3.0])
slope = scipy.special.expit(plain)
x = vizgrad.tensor(plain.tolist(), dtype=vizgrad.float64, requires_grad=True)


def same(tensor, array):
    numpy.testing.assert_allclose(tensor.detach().numpy(), array, rtol=1e-12)


def derivatives(y):
    same(y, numpy.logaddexp(0, plain))
    (first,) = vizgrad.autograd.grad(y.sum(), x, create_graph=True)
    same(first, slope)
    same(vizgrad.autograd.grad(first.sum(), x)[0], slope * (1 - slope))


for name in ("softplus1", "one_softplus"):
    derivatives(getattr(vizgrad, name)(x))
    derivatives(getattr(x, name)())
    target = x * 1
    assert getattr(target, name + "_")() is target
    assert target._version == 1
    derivatives(target)
    out = vizgrad.empty(5, dtype=vizgrad.float64)
    assert getattr(vizgrad, name)(x.detach(), out=out) is out
    same(out, numpy.logaddexp(0, plain))
    whole = getattr(vizgrad, name)(vizgrad.tensor([0, 1]))
    assert whole.dtype is vizgrad.float32, whole
assert vizgrad.softplus1(x).grad_fn.name() == "Softplus1Backward0"
print("as it should be")
"""
