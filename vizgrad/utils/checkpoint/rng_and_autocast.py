"""The state that a computation depends on besides its arguments: random numbers and autocast, to be
restored later.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from vizgrad.amp.mode import autocast, has_cuda
from vizgrad.amp.policies import STATE
from vizgrad.core.arrays.backend import CPU, Device
from vizgrad.core.arrays.dtypes import DType
from vizgrad.core.arrays.random import default_generator
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.utils._pytree import tree_iter


class DefaultDeviceType:
    """The kind of device that a checkpoint is for which has no tensors of a GPU among its arguments."""

    _default_device_type: str | None = None

    @staticmethod
    def set_device_type(device: str = "cuda") -> None:
        DefaultDeviceType._default_device_type = device

    @staticmethod
    def get_device_type() -> str:
        return DefaultDeviceType._default_device_type or ("cuda" if has_cuda() else "cpu")


def _devices(values: Any) -> list[Device]:
    """Other devices than the CPU on which the tensors among them are, each once."""
    found = (v.device for v in tree_iter(values) if isinstance(v, Tensor))
    return list(dict.fromkeys(device for device in found if device != CPU))


def get_device_states(*args: Any) -> tuple[list[int], list[Any]]:
    """(numbers of the GPUs on which the arguments are, states of their random numbers)."""
    devices = _devices(args)
    return [d.index or 0 for d in devices], [default_generator(d).get_state() for d in devices]


def set_device_states(
    devices: list[int], states: list[Any], *, device_type: str | None = None
) -> None:
    """Puts the random numbers of these GPUs back to the states."""
    for number, state in zip(devices, states, strict=True):
        default_generator(Device(device_type or "cuda", number)).set_state(state)


def _autocast() -> list[tuple[str, DType, bool, bool]]:
    """The arguments of `autocast` for each kind of device."""
    return [
        (kind, STATE.dtypes[kind], on, STATE.cache_enabled) for kind, on in STATE.enabled.items()
    ]


class Surroundings:
    """As they are when this is made: autocast and, if `preserve`, the random numbers of the CPU and of the
    devices on which `arguments` are.
    """

    def __init__(self, arguments: Any, preserve: bool) -> None:
        self._devices = [CPU, *_devices(arguments)] if preserve else []
        self._states = [default_generator(d).get_state() for d in self._devices]
        self._autocast = _autocast()

    @contextmanager
    def restored(self) -> Iterator[None]:
        """Within the block they are again what they were; afterwards, what they were before the block."""
        now = [default_generator(d).get_state() for d in self._devices]
        with ExitStack() as stack:
            for setting in self._autocast:
                if setting not in _autocast():
                    stack.enter_context(autocast(*setting))
            try:
                self._set(self._states)
                yield
            finally:
                self._set(now)

    def _set(self, states: list[Any]) -> None:
        for device, state in zip(self._devices, states, strict=True):
            default_generator(device).set_state(state)
