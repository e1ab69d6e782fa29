"""Calls that once kept more than PyTorch does, refused what it allows, or were spoilt by a write in silence."""

from __future__ import annotations

from tests.fuzz.saved import Saved
from tests.fuzz.values import Code, Given

MATRIX = Given((3, 3), "float64", (0.1, 2.0, 0.3, 4.0, 0.5, 0.6, 0.7, 0.8, 9.0), grad=True)
THETA = Given((1, 2, 3), "float64", (1.0, 0.2, 0.3, 0.4, 1.5, 0.6), grad=True)
TALL = Given((32, 2), "float64", tuple(0.1 * k for k in range(64)), grad=True)
SURE = Given((5,), "float64", (-0.1, -0.2, -0.3, -0.4, -0.5), grad=True)

FOUND = (
    # the permutation was read without a check
    Saved("L.lu", "function", "linalg.lu", (MATRIX,)),
    # the base of all grids was saved, and so freed
    Saved("F.affine_grid", "function", "nn.functional.affine_grid", (THETA, Code("[1, 1, 2, 2]"))),
    # indices that are a part of the whole order kept all of it
    Saved("topk", "function", "topk", (TALL, 1, 0)),
    Saved("kthvalue", "function", "kthvalue", (TALL, 1, 0)),
    # both operands and two copies were saved
    Saved("F.kl_div", "function", "nn.functional.kl_div", (SURE, SURE), (("log_target", True),)),
)
