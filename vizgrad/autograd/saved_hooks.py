"""Hooks on what is saved for backward: pack it when it is saved, unpack it when it is read (spec 03 G)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from vizgrad.core.arrays.backend import CPU, to_device
from vizgrad.core.errors import explained, place_of
from vizgrad.core.graph.packing import HookPair, set_saved_hooks
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.source_location import line_of_the_with
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.core.tensor.wrong_call import wrong_call


class saved_tensors_hooks:
    """Within the block, each tensor that a node saves is kept as `pack_hook(tensor)`, any object.

    `unpack_hook(object)` must give a tensor of the same shape and dtype; it is called at each use. The
    pack hook runs without grad mode and must not write to its argument (RuntimeError). Only the innermost
    pair is applied. What is packed is not checked for in-place changes any more.

    Raises TypeError on entering if one is not callable, RuntimeError where hooks are disabled.
    """

    def __init__(
        self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]
    ) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        for name, hook in (("pack_hook", self.pack_hook), ("unpack_hook", self.unpack_hook)):
            if not callable(hook):
                raise wrong_call(
                    TypeError(
                        f"saved_tensors_hooks: {name} must be callable, got {type(hook).__name__}"
                    ),
                    "give it two functions",
                    "hook-effect",
                )
        if MODES.hooks_disabled is not None:
            raise _disabled(MODES.hooks_disabled)
        set_saved_hooks(HookPair(self.pack_hook, self.unpack_hook, MODES.saved_hooks))

    def __exit__(self, *exc: object) -> None:
        pair = MODES.saved_hooks
        if pair is None:
            raise wrong_call(
                RuntimeError(
                    "saved_tensors_hooks: one exit too many, no pair of hooks is entered. What a hook or "
                    "a backward function enters holds only until the visit of its node ends"
                ),
                "leave each pair once, where it was entered: use `with`",
                "hook-effect",
            )
        set_saved_hooks(pair.around)


def _disabled(message: str) -> RuntimeError:
    return explained(
        RuntimeError(message),
        kind="hook-effect",
        culprit=place_of(line_of_the_with()),
        fix="do not use saved tensor hooks (or what is made of them: save_on_cpu, checkpoint) inside "
        "disable_saved_tensors_hooks",
    )


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Within the block, entering `saved_tensors_hooks` raises RuntimeError(error_message) (V-67)."""
    if MODES.saved_hooks is not None:
        raise _disabled(error_message)
    before, MODES.hooks_disabled = MODES.hooks_disabled, error_message
    try:
        yield
    finally:
        MODES.hooks_disabled = before


class save_on_cpu(saved_tensors_hooks):
    """Within the block, saved tensors wait for backward as copies in host memory (V-68)."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        def pack(tensor: Tensor) -> tuple[Any, Tensor]:
            array = tensor._array
            on_host = array.copy() if tensor.device == CPU else to_device(array, CPU)
            return tensor.device, new_tensor(on_host)

        def unpack(packed: tuple[Any, Tensor]) -> Tensor:
            device, tensor = packed
            return tensor if device == CPU else new_tensor(to_device(tensor._array, device))

        super().__init__(pack, unpack)
