"""Whole trainings of a few steps, whose backwards run plainly, or stepped."""

from __future__ import annotations

from collections.abc import Callable
from time import sleep
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

#: Runs the backward of a loss.
Backward = Callable[[Any], None]
#: What a training leaves behind.
Left = dict[str, Any]


def _model() -> nn.Sequential:
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 2))


def _batch() -> tuple[Any, Any]:
    return torch.randn(6, 4), torch.randn(6, 2)


def with_a_grad_scaler(backward: Backward) -> Left:
    """In half precision; one step overflows, and the scaler leaves it out."""
    model = _model()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10, growth_interval=2)
    scales: list[float] = []
    for step in range(4):
        x, y = _batch()
        with torch.autocast("cpu", torch.bfloat16):
            loss = F.mse_loss(model(x).float(), y * (1e38 if step == 1 else 1.0))
        optimizer.zero_grad()
        backward(scaler.scale(loss))
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        scales.append(scaler.get_scale())
    assert min(scales) < scales[0]  # it has overflown once
    return {**model.state_dict(), "scales": torch.tensor(scales)}


def of_several_batches_a_step(backward: Backward) -> Left:
    model = _model()
    optimizer = torch.optim.AdamW(model.parameters(), 0.01)
    for step in range(4):
        x, y = _batch()
        backward(F.mse_loss(model(x), y) / 2)
        if step % 2:
            optimizer.step()
            optimizer.zero_grad()
    return model.state_dict()


def of_checkpointed_parts(backward: Backward) -> Left:
    model = _model()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(3):
        x, y = _batch()
        hidden: Any = checkpoint(model[:2], x, use_reentrant=False)
        optimizer.zero_grad()
        backward(F.mse_loss(model[2:](hidden), y))
        optimizer.step()
    return model.state_dict()


class Module(nn.Module):
    """As Lightning has them: the framework owns the loop of the training, and the step is a closure."""

    def __init__(self) -> None:
        super().__init__()
        self.net = _model()
        self.logged: list[float] = []

    def training_step(self, batch: tuple[Any, Any], number: int) -> Any:
        x, y = batch
        loss = F.mse_loss(self.net(x), y)
        self.logged.append(loss.item())
        return loss

    def on_after_backward(self) -> None:
        self.logged.append(float(self.net[0].weight.grad.norm()))

    def configure_optimizers(self) -> Any:
        return torch.optim.Adam(self.parameters(), 0.01)


def by_a_trainer(backward: Backward) -> Left:
    module = Module()
    optimizer = module.configure_optimizers()
    for number in range(3):
        batch = _batch()

        def closure(batch: Any = batch, number: int = number) -> Any:
            optimizer.zero_grad()
            loss = module.training_step(batch, number)
            backward(loss)
            module.on_after_backward()
            return loss

        optimizer.step(closure)
    return {**module.state_dict(), "logged": torch.tensor(module.logged)}


def of_a_compiled_model(backward: Backward) -> Left:
    torch._dynamo.reset()
    model = _model()
    run: Any = torch.compile(model, backend="aot_eager")
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(3):
        x, y = _batch()
        optimizer.zero_grad()
        backward(F.mse_loss(run(x), y))
        optimizer.step()
    return model.state_dict()


def _leave_group() -> None:
    """Gloo's threads need the GIL to release the work of a collective that ran in a mode, such as a watch,
    and the end of a group waits for these threads with the GIL held (PyTorch 2.13): so they come first.
    """
    sleep(0.2)
    torch.distributed.destroy_process_group()


def distributed(backward: Backward, store: Any = None, rank: int = 0, world: int = 1) -> Left:
    """DDP over gloo. `store`: where the processes meet; of one alone nobody else needs it."""
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel

    store = dist.HashStore() if store is None else store
    dist.init_process_group("gloo", store=store, rank=rank, world_size=world)
    try:
        model = DistributedDataParallel(_model())
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        torch.manual_seed(rank)
        for _ in range(3):
            x, y = _batch()
            optimizer.zero_grad()
            backward(F.mse_loss(model(x), y))
            optimizer.step()
        return model.module.state_dict()
    finally:
        _leave_group()


def sharded(backward: Backward, store: Any = None, rank: int = 0, world: int = 1) -> Left:
    """FSDP2 over gloo: it frees the memory of parameters, and gathers them again when they are used."""
    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh

    store = dist.HashStore() if store is None else store
    dist.init_process_group("gloo", store=store, rank=rank, world_size=world)
    try:
        mesh = init_device_mesh("cpu", (world,))
        model = _model()
        for part in (model[0], model[3], model):
            fully_shard(part, mesh=mesh)
        optimizer = torch.optim.AdamW(model.parameters(), 0.1)
        torch.manual_seed(rank)
        for _ in range(3):
            x, y = _batch()
            optimizer.zero_grad()
            backward(F.mse_loss(model(x), y))
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        return {name: value.full_tensor() for name, value in model.state_dict().items()}
    finally:
        _leave_group()


TRAININGS = [
    with_a_grad_scaler, of_several_batches_a_step, of_checkpointed_parts, by_a_trainer, of_a_compiled_model,
    distributed,
]  # fmt: skip
try:
    from torch.distributed.fsdp import fully_shard
except ImportError:  # before PyTorch 2.6
    pass
else:
    TRAININGS.append(sharded)
