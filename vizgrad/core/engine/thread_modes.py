"""The modes of this thread that code of the user's may switch: a backward leaves none behind (M-10)."""

from __future__ import annotations

from vizgrad.core.graph.packing import set_saved_hooks
from vizgrad.core.tensor.modes import (
    MODES,
    is_grad_enabled,
    leave_inference,
    set_grad_mode,
    set_multithreading,
    share_of_thread,
)


class ThreadModes:
    """The modes of this thread when it was made, to be put back after each visit, and after the backward.

    Each mode is the thread's own, which takes as long to look at as a small operation's part: so what is
    looked at is whether any was switched.
    """

    __slots__ = (
        "_inference",
        "_multithreading",
        "_saved_hooks",
        "_share",
        "_since",
        "_within",
        "grad",
    )

    def __init__(self, within: bool) -> None:
        """Switches grad mode to `within`, the mode of all visits."""
        self._share = MODES.share or share_of_thread()
        self._inference = MODES.inference
        self._multithreading = MODES.multithreading
        self._saved_hooks = MODES.saved_hooks
        self._within = within
        self.grad = set_grad_mode(within)
        self._since = self._share.switches

    def after_visit(self) -> None:
        """What was switched in a visit is switched back."""
        if self._share.switches != self._since:
            self._put_back(self._within)
            self._since = self._share.switches

    def after_backward(self) -> None:
        if self._share.switches == self._since:
            set_grad_mode(self.grad)
        else:
            self._put_back(self.grad)

    def _put_back(self, grad: bool) -> None:
        if MODES.inference is not self._inference:
            leave_inference((self._inference, grad))
        elif is_grad_enabled() is not grad:
            set_grad_mode(grad)
        if MODES.multithreading is not self._multithreading:
            set_multithreading(self._multithreading)
        if MODES.saved_hooks is not self._saved_hooks:
            set_saved_hooks(self._saved_hooks)
