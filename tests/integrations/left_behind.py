"""All that a program can ask of a training that has run: its tensors, modules, hooks, threads and memory."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from typing import Any
from weakref import ref

import torch
from torch.nn.modules import module as of_modules
from torch.optim import optimizer as of_optimizers

from tests.debugger.engines.pytorch.threads import held_threads
from tests.integrations.library_models import Made

#: Runs the backward of a loss.
Backward = Callable[[Any], None]
Left = dict[str, Any]
STEPS = 3
#: It beats for runs that take long, and ends some seconds after the last of them.
_LINGERS = "vizgrad's clock"
_HOOKS = (
    "_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks", "_state_dict_hooks",
)  # fmt: skip


def trained(make: Callable[[], Made], backward: Backward) -> Left:
    """Three steps of AdamW with clipping, from the same seed."""
    torch.manual_seed(0)
    model, next_loss = make()
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)
    losses: list[str] = []
    alive: list[bool] = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = next_loss()
        backward(loss)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item().hex())
        gone = ref(loss)
        del loss
        alive.append(gone() is not None)
    left = left_of(model, optimizer)
    left |= {"losses": losses, "a loss lives on": alive}
    kept = {
        "model": ref(model),
        "optimizer": ref(optimizer),
        "parameter": ref(next(model.parameters())),
    }
    del model, next_loss, optimizer
    gc.collect()
    left["lives on"] = [name for name, known in kept.items() if known() is not None]
    return left


#: The place of the version in a state. That of a gradient is left out: PyTorch adds gradients in place, and
#: counts a write, where nobody else holds them; a hook that reads them later, as those of a watch do, holds
#: them.
VERSION = 4


def left_of(model: Any, optimizer: Any = None) -> Left:
    """The state of a model, of its optimizer, and of the process, in plain values that can be compared."""
    left: Left = {"random numbers": torch.get_rng_state().numpy().tobytes()}
    owners: dict[int, str] = {}
    tensors = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    for name, tensor in tensors.items():
        left[name] = state(tensor, name, owners)
        if tensor.grad is not None:
            found = state(tensor.grad, f"{name}.grad", owners)
            left[f"{name}.grad"] = (*found[:VERSION], *found[VERSION + 1 :])
    if optimizer is not None:
        for number, values in enumerate(optimizer.state.values()):
            for key, value in values.items():
                if isinstance(value, torch.Tensor):
                    left[f"optimizer {number} {key}"] = state(value, key, owners)
    for name, module in model.named_modules():
        left[f"module {name}"] = (
            [len(getattr(module, hooks)) for hooks in _HOOKS], sorted(vars(module)), module.training,
        )  # fmt: skip
    return left | process()


def state(tensor: Any, name: str, owners: dict[int, str]) -> tuple[Any, ...]:
    """Its bits, and all that can be asked of it and of its memory."""
    local = tensor.to_local() if hasattr(tensor, "to_local") else tensor
    storage = local.untyped_storage()
    hooks, after = tensor._backward_hooks, tensor._post_accumulate_grad_hooks
    own = sorted(
        name for name in vars(tensor) if not name.startswith("_dynamo")
    )  # of a first compilation
    return (
        local.detach().contiguous().view(torch.uint8).numpy().tobytes() if local.dim() else local.item(),
        tuple(tensor.shape), tensor.stride(), str(tensor.dtype), tensor._version, tensor.requires_grad,
        tensor.is_leaf, type(tensor).__name__, own,
        None if hooks is None else len(hooks), None if after is None else len(after),
        storage.nbytes(), storage.resizable(), storage.is_shared(),
        torch._C._storage_Use_Count(storage._cdata),
        owners.setdefault(storage.data_ptr(), name),
    )  # fmt: skip


def process() -> Left:
    """Hooks and modes of the whole process, and its threads."""
    for thread in held_threads():
        thread.join(60)
    counts = {
        name: len(value)
        for module in (of_modules, of_optimizers)
        for name, value in vars(module).items()
        if name.startswith("_global_") and hasattr(value, "__len__")
    }
    return {
        "global hooks": counts,
        "modes": (
            torch._C._len_torch_function_stack(), torch._C._len_torch_dispatch_stack(),
            torch.is_grad_enabled(), torch.is_anomaly_enabled(),
            torch._C._autograd._top_saved_tensors_default_hooks(True) is not None,
        ),
        "threads": sorted(
            thread.name for thread in threading.enumerate() if thread.name != _LINGERS
        ),
        "finders": len(sys.meta_path),
    }  # fmt: skip
