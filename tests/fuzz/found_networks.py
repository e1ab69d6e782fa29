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
    # a pool of rows was a view of one of images, also where nothing is recorded
    Network(
        (2, 2, 3), (("MaxPool1d(2, stride=1)", "x = checkpoint({m}, x, use_reentrant=True)"), ("SELU(inplace=True)", "x = {m}(x)")),
    ),
    Network(
        (2, 3), (("MaxPool1d(2, stride=1, padding=1)", "x = checkpoint({m}, x, use_reentrant=True)"), ("", "x = x.mul_(0.9)"), ("", "x = torch.tanh_(x)")),
    ),
)  # fmt: skip
