"""A failure in words: a program that runs, and what the two libraries have."""

from __future__ import annotations

from tests.fuzz import saved
from tests.fuzz.calls import Call
from tests.fuzz.compare import Difference
from tests.fuzz.saved import Saved
from tests.fuzz.transforms import Transformed

_GRAD = """
leaves = [t for t in ({operands},) if t.requires_grad]
roots = [r for r in (result if isinstance(result, (tuple, list)) else [result]) if r.requires_grad]
weights = [(1 + 0.5 * torch.sin(torch.arange(1.0, r.numel() + 1))).reshape(r.shape).to(r.dtype) for r in roots]
firsts = torch.autograd.grad(roots, leaves, weights, create_graph=True, allow_unused=True)
print(firsts)"""
_PLAIN = """
torch.autograd.backward(roots, weights)
print([leaf.grad for leaf in leaves])"""
_SECOND = """
curved = [g for g in firsts if g is not None and g.requires_grad]
weights = [(1 + 0.5 * torch.sin(torch.arange(1.0, g.numel() + 1) + 0.3)).reshape(g.shape).to(g.dtype) for g in curved]
print(torch.autograd.grad(curved, leaves, weights, allow_unused=True))"""


def program(call: Call, what: str) -> str:
    """Source text for both libraries: its first line chooses."""
    lines = ["import torch  # or: import vizgrad as torch", "from math import inf, nan"]
    if isinstance(call, Transformed):
        lines.append("from tests.fuzz.transformed import batch, weight, weighted")
        return "\n".join([*lines, *call.source(), "print(result)"])
    if isinstance(call, Saved):
        lines.append("from tests.fuzz.saved_observe import _shape_of, gradients, spoil")
        return "\n".join([*lines, *call.source(), *saved.asking(call, what)])
    lines += call.source()
    names = ", ".join("abcdefghijkl"[: len(call.operands())])
    if "gradient" in what or "second" in what:
        lines += _GRAD.format(operands=names).strip().splitlines()
    else:
        lines.append("print(result)")
    if what.startswith("plain"):
        lines += _PLAIN.strip().splitlines()
    if "second" in what:
        lines += _SECOND.strip().splitlines()
    return "\n".join(lines)


def short(call: Call) -> str:
    """The call in one line."""
    return "; ".join(call.source())


def told(call: Call, difference: Difference, seed: object) -> str:
    head = f"--- {call.operation}: {difference.kind}   (seed {seed})"
    return f"{head}\n{program(call, difference.what)}\n  differs in {difference}\n"
