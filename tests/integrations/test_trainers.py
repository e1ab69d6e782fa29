"""Trainers of other libraries leave the same behind: plainly, in a watch, and with each backward stepped."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
from tests.integrations.left_behind import Backward, Left, left_of, trained  # noqa: E402
from tests.integrations.library_models import Made, bert, gpt2, ids  # noqa: E402
from tests.integrations.test_unchanged import is_unchanged  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # of libraries, about their own future


def lightning(backward: Backward, folder: Path) -> Left:
    """Batches are accumulated, gradients clipped."""
    import lightning.pytorch as pl

    class Module(pl.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.net, self.next_loss = torch.nn.Linear(4, 2), torch.nn.MSELoss()

        def training_step(self, batch: Any, batch_idx: int) -> Any:
            loss = self.next_loss(self.net(batch), batch[:, :2])
            self.log("loss", loss)
            return loss

        def backward(self, loss: Any, *args: Any, **kwargs: Any) -> None:
            backward(loss)

        def configure_optimizers(self) -> Any:
            return torch.optim.AdamW(self.parameters())

    torch.manual_seed(0)
    module = Module()
    trainer = pl.Trainer(
        max_epochs=1, default_root_dir=folder, accelerator="cpu", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, accumulate_grad_batches=2,
        gradient_clip_val=1.0,
    )  # fmt: skip
    trainer.fit(module, torch.utils.data.DataLoader(torch.randn(12, 4), batch_size=2))
    (optimizer,) = trainer.optimizers
    return left_of(module.net, optimizer)


def transformers(backward: Backward, folder: Path) -> Left:
    import transformers

    torch.manual_seed(0)
    model, _ = bert()
    rows = [
        {"input_ids": tokens, "labels": tokens} for tokens in torch.cat([ids() for _ in range(3)])
    ]
    args = transformers.TrainingArguments(
        output_dir=str(folder), max_steps=3, per_device_train_batch_size=2, report_to=[], use_cpu=True,
        save_strategy="no", logging_strategy="no", disable_tqdm=True,
    )  # fmt: skip
    trainer = transformers.Trainer(model=model, args=args, train_dataset=rows)
    trainer.accelerator.backward = lambda loss, **_: backward(loss)
    trainer.train()
    return left_of(model, trainer.optimizer.optimizer)


def accelerate(backward: Backward, folder: Path) -> Left:
    import accelerate

    torch.manual_seed(0)
    accelerator = accelerate.Accelerator(cpu=True, gradient_accumulation_steps=2)
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    batches = torch.utils.data.DataLoader(torch.randn(12, 4), batch_size=2)
    model, optimizer, batches = accelerator.prepare(
        model, torch.optim.AdamW(model.parameters()), batches
    )
    for batch in batches:
        with accelerator.accumulate(model):
            backward(model(batch).pow(2).mean())
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
    return left_of(model, optimizer.optimizer)


@pytest.mark.parametrize("train", [lightning, transformers, accelerate], ids=lambda f: f.__name__)
def test_a_trainer_is_the_same(train: Callable[[Backward, Path], Left], tmp_path: Path) -> None:
    pytest.importorskip(train.__name__)

    def run(backward: Backward) -> Left:
        left = train(backward, tmp_path)
        gc.collect()
        return left

    is_unchanged(run)


# --- distributed: one process of a group; two are in tests/debugger/engines/pytorch/test_trainings.py


@pytest.fixture
def group() -> Iterator[None]:
    import torch.distributed as dist

    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()


def replicated() -> Made:
    model, _ = gpt2()
    replica = torch.nn.parallel.DistributedDataParallel(model)

    def loss() -> Any:
        tokens = ids()
        return replica(input_ids=tokens, labels=tokens).loss

    return replica, loss


def sharded() -> Made:
    from torch.distributed.fsdp import fully_shard

    model, loss = gpt2()
    for block in model.transformer.h:
        fully_shard(block)
    fully_shard(model)
    return model, loss


@pytest.mark.usefixtures("group")
@pytest.mark.parametrize("make", [replicated, sharded], ids=lambda make: make.__name__)
def test_a_distributed_model_is_the_same(make: Callable[[], Made]) -> None:
    pytest.importorskip("transformers")
    is_unchanged(lambda backward: trained(make, backward))
