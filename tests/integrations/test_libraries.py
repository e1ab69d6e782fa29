"""The callbacks and writers in the real libraries (`make pytorch-models` installs them)."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad as vg  # noqa: E402
from tests.integrations.torchvision_beside import make_importable  # noqa: E402

make_importable()  # before the first library that looks whether it is there
BAD = 3
pytestmark = pytest.mark.filterwarnings("ignore")  # of libraries, about their own future


def batches() -> Any:
    torch.manual_seed(0)
    return [torch.rand(4, 3) + 1 for _ in range(6)]


def network(spoil: bool) -> Any:
    """A log of what is negative in one batch: that which begins with 0."""

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.drop = torch.nn.Linear(3, 4), torch.nn.Dropout(0.2)
            self.last = torch.nn.Linear(4, 1)

        def forward(self, x: Any) -> Any:
            out = self.last(self.drop(self.first(x)))
            if spoil and bool(x[0, 0] == 0):
                out = (out - 100).log()
            return out.mean()

    torch.manual_seed(1)
    return Net()


def data(spoil: bool) -> Any:
    rows = batches()
    if spoil:
        rows[BAD][0, 0] = 0.0
    return rows


# --- Lightning -----------------------------------------------------------------------------------------


def fit(spoil: bool, callbacks: list[Any], path: Path, **options: Any) -> tuple[Any, list[float]]:
    import lightning.pytorch as pl

    class Module(pl.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.net, self.losses = network(spoil), []

        def training_step(self, batch: Any, batch_idx: int) -> Any:
            loss = self.net(batch)
            self.log("loss", loss)
            self.losses.append(float(loss))
            return loss

        def configure_optimizers(self) -> Any:
            return torch.optim.Adam(self.parameters(), lr=0.01)

    module = Module()
    trainer = pl.Trainer(
        max_epochs=1, callbacks=callbacks, default_root_dir=path, accelerator="cpu", logger=False,
        enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False, **options,
    )  # fmt: skip
    torch.manual_seed(2)
    trainer.fit(module, torch.utils.data.DataLoader(data(spoil), batch_size=None))
    return module, [p.tolist() for p in module.parameters()]


@pytest.mark.parametrize("options", [{}, {"accumulate_grad_batches": 2, "gradient_clip_val": 1.0}])
def test_lightning(tmp_path: Path, caplog: Any, options: dict[str, Any]) -> None:
    pytest.importorskip("lightning")
    from vizgrad.integrations.lightning import WatchCallback

    good = WatchCallback(every=2)
    assert repr(fit(False, [good], tmp_path, **options)[1]) == repr(
        fit(False, [], tmp_path, **options)[1]
    )
    assert good.findings == []
    bad = WatchCallback()
    with caplog.at_level(logging.WARNING):
        module, left = fit(True, [bad], tmp_path, **options)
    assert repr(left) == repr(fit(True, [], tmp_path, **options)[1])
    found = bad.findings[0]
    assert "(out - 100).log()" in found.culprit.text
    assert found.when.startswith(f"round {BAD + 1} of `w.run`, which was run again")
    assert found.story in caplog.text
    assert len([x for x in module.losses[: BAD + 2] if x != x]) == 2  # it was run twice


def test_lightning_stops(tmp_path: Path) -> None:
    pytest.importorskip("lightning")
    from vizgrad.integrations.lightning import WatchCallback

    module, _ = fit(True, [WatchCallback(stop=True)], tmp_path)
    assert len(module.losses) == BAD + 2  # one batch twice, and none after it
    callback = WatchCallback("full")
    with pytest.raises(ZeroDivisionError):
        fit(False, [callback, _Raising()], tmp_path)
    assert callback.findings == []


def _Raising() -> Any:
    from lightning.pytorch.callbacks import Callback

    class Raising(Callback):
        def on_before_zero_grad(self, *args: Any) -> None:
            raise ZeroDivisionError

    return Raising()


# --- transformers --------------------------------------------------------------------------------------


def trained(spoil: bool, callbacks: list[Any], path: Path) -> list[Any]:
    import transformers

    class Wrapped(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = network(spoil)

        def forward(self, x: Any) -> Any:
            return {"loss": self.net(x)}

    model = Wrapped()
    args = transformers.TrainingArguments(
        output_dir=str(path), num_train_epochs=1, per_device_train_batch_size=4, report_to=[],
        save_strategy="no", use_cpu=True, disable_tqdm=True, seed=2, logging_strategy="no",
    )  # fmt: skip
    rows = [{"x": row} for batch in data(spoil) for row in batch]
    args.remove_unused_columns = False
    torch.manual_seed(2)
    trainer = transformers.Trainer(model=model, args=args, train_dataset=rows, callbacks=callbacks)
    trainer.train()
    return [p.tolist() for p in model.parameters()]


def test_transformers(tmp_path: Path, caplog: Any) -> None:
    pytest.importorskip("transformers")
    from vizgrad.integrations.transformers import WatchCallback

    good = WatchCallback(every=2)
    assert repr(trained(False, [good], tmp_path)) == repr(trained(False, [], tmp_path))
    assert good.findings == []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.nn.Linear, "forward", lambda self, x: (x - 100).log() @ self.weight.t())
        bad = WatchCallback(stop=True)
        with caplog.at_level(logging.WARNING):
            trained(False, [bad], tmp_path)
    found = bad.findings[0]
    assert found.kind == "nonfinite-forward"
    assert "no function runs the round" in found.when
    assert found.story in caplog.text


# --- trackers ------------------------------------------------------------------------------------------


def faulty() -> tuple[Any, Any]:
    """A model with gradients, and a watch with a finding."""
    net = network(True)
    x = data(True)[BAD]
    with vg.watch(level="alarms") as watch:
        watch.run(lambda batch: net(batch).backward(), x)
    assert len(watch.findings) == 1
    return net, watch


def test_tensorboard(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from torch.utils.tensorboard import SummaryWriter

    from vizgrad.integrations.tensorboard import WatchWriter

    net, watch = faulty()
    with SummaryWriter(str(tmp_path)) as writer:
        watching = WatchWriter(writer)
        for step in range(2):
            watching.write(net, step, watch)
    read = EventAccumulator(str(tmp_path))
    read.Reload()
    scalars = read.Tags()["scalars"]
    assert sorted(scalars) == [
        f"{kind}_norm/{name}" for kind in ("grad", "weight") for name in ("first", "last")
    ]
    assert [event.step for event in read.Scalars("weight_norm/first")] == [0, 1]
    (event,) = read.Tensors("vizgrad/findings/text_summary")
    text = event.tensor_proto.string_val[0].decode()
    assert watch.findings[0].heading in text
    assert "(out - 100).log()" in text


def test_wandb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wandb")
    import wandb

    from vizgrad.integrations.wandb import WatchWriter

    monkeypatch.setenv("WANDB_SILENT", "true")
    net, watch = faulty()
    alerts: list[str] = []
    run = wandb.init(mode="offline", dir=str(tmp_path), project="test")
    monkeypatch.setattr(run, "alert", lambda title, text: alerts.append(f"{title}\n{text}"))
    watching = WatchWriter(run)
    for step in range(2):
        watching.write(net, step, watch)
    summary = dict(run.summary)
    run.finish()
    assert summary["vizgrad/findings"] == 1
    assert summary["weight_norm/last"] == pytest.approx(layer_norm(net.last))
    assert len(alerts) == 1
    assert "(out - 100).log()" in alerts[0]


def layer_norm(layer: Any) -> float:
    return float(torch.cat([p.detach().reshape(-1) for p in layer.parameters()]).norm())


def test_accelerate(tmp_path: Path, capsys: Any) -> None:
    pytest.importorskip("accelerate")
    from accelerate import Accelerator
    from accelerate.tracking import GeneralTracker

    from vizgrad.integrations.accelerate import WatchLog

    class Tracker(GeneralTracker):
        name, requires_logging_directory = "kept", False

        def __init__(self) -> None:
            super().__init__(_blank=True)
            self.logged: list[Any] = []

        @property
        def tracker(self) -> Any:
            return self.logged

        def log(self, values: dict[str, Any], step: int | None = None, **kwargs: Any) -> None:
            self.logged.append((step, values))

    tracker = Tracker()
    accelerator = Accelerator(cpu=True, log_with=tracker)
    accelerator.init_trackers("test")
    net = network(True)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    net, optimizer = accelerator.prepare(net, optimizer)

    def step(batch: Any) -> None:
        optimizer.zero_grad()
        accelerator.backward(net(batch))
        optimizer.step()

    log = WatchLog(accelerator)
    with vg.watch(level="alarms") as watch:
        for number, batch in enumerate(data(True)):
            watch.run(step, batch)
            log.log(net, number, watch)
    assert [number for number, _ in tracker.logged] == [0, 1, 2, 3, 4, 5]
    counts = [values["vizgrad/findings"] for _, values in tracker.logged]
    assert counts[: BAD + 1] == [0, 0, 0, 1]
    assert "grad_norm/first" in tracker.logged[0][1]
    assert "which was run again" in watch.findings[0].when
    assert "(out - 100).log()" in capsys.readouterr().out
