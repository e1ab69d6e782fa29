"""Networks that once differed, made small."""

from __future__ import annotations

from tests.fuzz.networks import Network

FOUND = (
    # hooks of a module whose operands require grad, where nothing is recorded: a StopIteration
    Network(
        (2, 3, 2), (("Flatten()", "x = checkpoint({m}, x, use_reentrant=True)"),),
        before=("net.m0.register_full_backward_hook(lambda m, gi, go: None)",),
    ),
    Network(
        (2, 3), (("Linear(3, 2)", "x = x[:, :2] + checkpoint({m}, x, use_reentrant=True)"),),
        before=("net.m0.register_full_backward_pre_hook(lambda m, go: None)",),
    ),
)  # fmt: skip
