"""Which devices there are, what they can do, and which is the current one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from vizgrad.core.arrays.backend import Device, namespace_for, parse_device, placed

_CUDA = Device("cuda")


def is_available() -> bool:
    """Is there a device, and cupy to use it?"""
    return device_count() > 0


def device_count() -> int:
    """How many devices there are; 0 without cupy or a driver."""
    try:
        return int(runtime().getDeviceCount())
    except RuntimeError:
        return 0


def init() -> None:
    """Looks for a device, which is done when one is first needed, too. RuntimeError without one."""
    runtime()


def is_initialized() -> bool:
    """Has a device been asked for successfully? vizgrad looks for one when it is first needed."""
    return is_available()


def current_device() -> int:
    """The number of the device that "cuda" stands for."""
    return int(runtime().getDevice())


def set_device(device: Any) -> None:
    """Sets the device that "cuda" stands for; a negative number changes nothing."""
    number = number_of(device)
    if number >= 0:
        library().cuda.Device(number).use()


class device:
    """Inside `with device(1):` "cuda" stands for "cuda:1". None and negative numbers change nothing."""

    def __init__(self, device: Any) -> None:
        self.idx = -1 if device is None else number_of(device)
        self._outer: list[Any] = []

    def __enter__(self) -> Self:
        entered = library().cuda.Device(self.idx) if self.idx >= 0 else None
        if entered is not None:
            entered.__enter__()
        self._outer.append(entered)
        return self

    def __exit__(self, *error: object) -> None:
        entered = self._outer.pop()
        if entered is not None:
            entered.__exit__(*error)


class device_of(device):
    """Inside, "cuda" is the device that a tensor is on; for a tensor on the CPU nothing changes."""

    def __init__(self, obj: Any) -> None:
        super().__init__(obj.device.index if obj.is_cuda else None)


def synchronize(device: Any = None) -> None:
    """Waits until the device has done all it was asked to."""
    library().cuda.Device(number_of(device)).synchronize()


# --- properties ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DeviceProperties:
    """The answers of CUDA's runtime about a device, under PyTorch's names; sizes in bytes."""

    name: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int
    warp_size: int
    max_threads_per_block: int
    shared_memory_per_block: int

    def __repr__(self) -> str:
        return (
            f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, "
            f"total_memory={self.total_memory >> 20}MB, multi_processor_count={self.multi_processor_count})"
        )


def get_device_properties(device: Any = None) -> DeviceProperties:
    """Name, compute capability, memory and sizes of the device."""
    told = runtime().getDeviceProperties(number_of(device))
    name = told["name"]
    return DeviceProperties(
        name.decode() if isinstance(name, bytes) else str(name),
        *(
            int(told[key])
            for key in (
                "major",
                "minor",
                "totalGlobalMem",
                "multiProcessorCount",
                "warpSize",
                "maxThreadsPerBlock",
                "sharedMemPerBlock",
            )
        ),
    )


def get_device_name(device: Any = None) -> str:
    """The maker's name of the device."""
    return get_device_properties(device).name


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """Major and minor number of the compute capability."""
    found = get_device_properties(device)
    return found.major, found.minor


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Are there numbers of bfloat16? Kernels compute with them on each device, by float32; devices
    from 8.0 on have instructions for them.
    """
    return including_emulation or get_device_capability()[0] >= 8


def can_device_access_peer(device: Any, peer_device: Any) -> bool:
    """Can a kernel on the first device read memory of the second? RuntimeError for a device that is not."""
    return bool(runtime().deviceCanAccessPeer(number_of(device), number_of(peer_device)))


# --- how the rest of the package asks -----------------------------------------------------------------


def library() -> Any:
    """cupy; RuntimeError that says what is missing."""
    return namespace_for(_CUDA)


def runtime() -> Any:
    return library().cuda.runtime


def number_of(device: Any) -> int:
    """The number of a CUDA device given as number, name or Device; None is the current one."""
    if device is None:
        return current_device()
    if isinstance(device, int):
        if device > 0:
            namespace_for(Device("cuda", device))  # is there such a device?
        return device
    wanted = parse_device(device)
    if wanted.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {wanted}")
    found = placed(wanted).index
    assert found is not None
    return found
