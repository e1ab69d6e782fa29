"""What of a tensor cannot be deleted, and what was perhaps meant."""

from __future__ import annotations

from vizgrad.core.tensor.wrong_call import wrong_call


class NotDeletable(AttributeError, RuntimeError):
    """Both, because PyTorch raises now one, now the other."""


def not_deletable(name: str, instead: str) -> NotDeletable:
    """To be raised where `del tensor.<name>` is asked for."""
    return wrong_call(
        NotDeletable(f"Deleting {name} of a tensor is not allowed: every tensor has it; {instead}"),
        instead,
    )
