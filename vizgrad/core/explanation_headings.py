"""The heading of an explanation, on screen and in print, by its kind: words instead of the id."""

from __future__ import annotations

#: By `Explanation.kind`. A kind covers several causes: its heading says what they share.
HEADINGS: dict[str, str] = {
    "saved-overwritten": "Saved value modified in place",
    "hidden-write": "Write that autograd does not track",
    "forbidden-write": "In-place write not allowed",
    "graph-freed": "Graph already released",
    "history-kept": "Graph kept in memory",
    "reference-cycle": "Reference cycle",
    "nonfinite-forward": "NaN or Inf in the forward pass",
    "nonfinite-backward": "NaN or Inf in the backward pass",
    "nonfinite-masked": "NaN or Inf in a masked branch",
    "cut-detach": "Gradient cut off",
    "cut-dtype": "Gradient cut off by a dtype",
    "grad-mode": "Gradient mode",
    "unused": "Not used by the loss",
    "not-a-leaf": "Not a leaf tensor",
    "not-scalar": "Not a scalar",
    "zero-derivative": "Gradient is zero",
    "ill-scaled": "Badly scaled gradient",
    "function-return": "Error in a custom Function",
    "function-dirty": "Input modified without mark_dirty()",
    "second-order-cut": "Second-order gradient cut off",
    "not-repeatable": "Result not repeatable",
    "hook-effect": "Effect of a hook",
    "grad-accumulated": "Gradients not zeroed",
    "shape-broadcast": "Unintended broadcasting",
    "double-normalised": "Normalised twice",
    "module-mode": "Wrong training or evaluation mode",
    "not-optimized": "Parameter not in the optimizer",
    "step-too-large": "Optimizer step too large",
    "needless-gradient": "Unneeded gradient computed",
    "wrong-call": "Wrong arguments",
    "internal": "Defect in vizgrad",
    "healthy": "No problems found",
}


def heading(kind: str) -> str:
    """The heading of explanations of this kind; of a kind that is not known its id, in words."""
    return HEADINGS.get(kind) or kind.replace("-", " ").capitalize()
