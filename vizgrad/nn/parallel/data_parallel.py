"""DataParallel: what programs wrap their model in, whether there are several GPUs or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vizgrad.core.arrays.backend import Device, namespace_for
from vizgrad.nn.modules.module import Module


class DataParallel(Module):
    """`module` under the name `module`, as its state dict has it.

    Without a GPU it runs where it is. With GPUs it is moved to the first of `device_ids` and runs on that
    one: here a batch is not shared out.
    """

    module: Module

    def __init__(
        self,
        module: Module,
        device_ids: Sequence[Any] | None = None,
        output_device: Any = None,
        dim: int = 0,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.module = module
        self.device_ids: list[Any] = []
        self.output_device = output_device
        try:
            namespace_for(Device("cuda"))
        except RuntimeError:
            return
        self.device_ids = list(device_ids) if device_ids is not None else [0]
        self.output_device = self.device_ids[0] if output_device is None else output_device
        module.to(Device("cuda", int(getattr(self.device_ids[0], "index", self.device_ids[0]))))

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)
