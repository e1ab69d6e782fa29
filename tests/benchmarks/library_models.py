"""The cost of watch, alarms and debug on 18 models of PyTorch and libraries, and that stepping is bitwise.

    python -m tests.benchmarks.library_models [--only gpt2,unet] [--write FILE]

needs what `make pytorch-models` installs; a model whose library is missing is left out. Times are those of
the processor, with PyTorch in one thread, plain and watched in turns: other work on the machine counts less
in them than in those of a clock. Factors are told twice, of the shortest times and of the medians.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import torch
from torch import nn

import vizgrad as vg
from tests.benchmarks.memory import peak_of
from tests.integrations import library_models as models
from tests.integrations.library_models import Made

#: Steps of each kind, of which the best counts; fewer where a step takes longer than a second.
STEPS, STEPS_OF_LARGE = 5, 2
#: So often they take turns.
TURNS = 4
#: What a watch and a session may cost, in times of the plain step and the plain backward.
MOST_WATCH, MOST_DEBUG, MOST_MEMORY = 2.0, 3.0, 1.5


def lstm() -> Made:
    model = nn.LSTM(8, 32, 2, batch_first=True)
    return model, lambda: model(torch.randn(4, 30, 8))[0].pow(2).mean()


def wgan_gp() -> Made:
    model = nn.Sequential(nn.Linear(8, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))

    def loss() -> Any:
        x = torch.randn(16, 8, requires_grad=True)
        out = model(x)
        (grad,) = torch.autograd.grad(out.sum(), x, create_graph=True)
        return out.mean() + 10 * (grad.norm(dim=1) - 1).pow(2).mean()

    return model, loss


def resnet50() -> Made:
    return models.of_images("resnet50", 64)


def convnext() -> Made:
    return models.of_images("convnext_atto", 64)


def efficientnet() -> Made:
    return models.of_images("efficientnet_b0", 64)


def gpt2_124m() -> Made:
    import transformers

    model = transformers.GPT2LMHeadModel(transformers.GPT2Config()).train()

    def loss() -> Any:
        tokens = torch.randint(50_000, (1, 64))
        return model(input_ids=tokens, labels=tokens).loss

    return model, loss


PROGRAMS: tuple[Callable[[], Made], ...] = (
    models.gpt2, models.llama, models.bert, models.t5, models.vit, models.whisper, models.gpt2_with_adapters,
    models.graph_attention, models.ode, lstm, wgan_gp, models.gpt2_checkpointed, models.gpt2_in_bfloat16,
    models.unet, convnext, efficientnet, resnet50, gpt2_124m,
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """Times are in milliseconds, memory in bytes."""

    name: str
    parameters: int
    nodes: int
    bitwise: bool
    step: float
    #: Times of the step.
    watched: str
    alarms: str
    backward: float
    debug: float
    memory: float
    debug_memory: float

    def text(self) -> str:
        debugged = self.debug / self.backward
        bits = "yes" if self.bitwise else "NO"
        return (
            f"| {self.name} ({self.parameters / 1e6:.2f} M) | {self.nodes} | {bits} "
            f"| {self.step:.1f} | {self.watched} | {self.alarms} | {self.backward:.1f} "
            f"| {debugged:.1f} | {self.memory / 1e6:.0f} / {self.debug_memory / 1e6:.0f} |"
        )


HEAD = """\
| program | nodes | bitwise | step ms | watch x | alarms x | backward ms | debug x | peak MB plain / debug |
|---|---|---|---|---|---|---|---|---|"""


def measured(make: Callable[[], Made]) -> Row:
    torch.manual_seed(0)
    model, next_loss = make()
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], 1e-4)

    def step() -> None:
        optimizer.zero_grad()
        next_loss().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    step()
    count = STEPS if _seconds(step) < 1 else STEPS_OF_LARGE

    plain: list[float] = []
    watched: list[float] = []
    alarms: list[float] = []
    for _ in range(TURNS if count == STEPS else 2):  # what else runs here changes with time
        plain += _times(step, count)
        with vg.watch():
            step()
            watched += _times(step, count)
        with vg.watch(level="alarms"):
            step()
            alarms += _times(step, count)
    nodes: list[int] = []

    def debug(loss: Any) -> None:
        with vg.debug(loss, display=False) as session:
            session.continue_()
            nodes.append(session.nodes)

    def backward(loss: Any) -> None:
        loss.backward()

    bits = [_gradients(model, next_loss, run) for run in (backward, debug)]
    bitwise = bits[0].keys() == bits[1].keys() and all(
        torch.equal(_bits(bits[0][name]), _bits(bits[1][name])) for name in bits[0]
    )
    del bits

    def of_backward(run: Callable[[Any], None]) -> tuple[float, float]:
        optimizer.zero_grad()
        losses = [next_loss() for _ in range(count)]
        times = []
        while losses:
            loss = losses.pop()
            times.append(_seconds(lambda loss=loss: run(loss)))
            optimizer.zero_grad()
        loss = next_loss()
        peak = peak_of(lambda: run(loss))
        return 1e3 * min(times), peak

    took, memory = of_backward(backward)
    debug_took, debug_memory = of_backward(debug)
    parameters = sum(p.numel() for p in model.parameters())
    return Row(
        make.__name__, parameters, nodes[-1], bitwise, min(plain), _factors(watched, plain),
        _factors(alarms, plain), took, debug_took, memory, debug_memory,
    )  # fmt: skip


def _times(run: Callable[[], None], count: int) -> list[float]:
    """In milliseconds, one after the other: with what the collector of garbage does meanwhile."""
    gc.collect()
    times: list[float] = []
    for _ in range(count):
        begin = process_time()
        run()
        times.append(1e3 * (process_time() - begin))
    return times


def _factors(slower: list[float], plain: list[float]) -> str:
    """By the shortest, and by the medians."""
    return f"{min(slower) / min(plain):.2f} / {median(slower) / median(plain):.2f}"


def _gradients(model: Any, next_loss: Callable[[], Any], run: Callable[[Any], None]) -> Any:
    torch.manual_seed(1)
    buffers = {name: each.clone() for name, each in model.named_buffers()}
    model.zero_grad()
    run(next_loss())
    for name, each in model.named_buffers():
        each.data.copy_(buffers[name])  # of norms that count their batches
    return {n: p.grad.clone() for n, p in model.named_parameters() if p.grad is not None}


def _bits(tensor: Any) -> Any:
    return tensor.reshape(-1).contiguous().view(torch.uint8)


def _seconds(run: Callable[[], None]) -> float:
    gc.collect()
    begin = process_time()
    run()
    return process_time() - begin


def main(arguments: list[str] | None = None) -> int:
    """Prints the table; the exit status is 1 where stepping gave other gradients."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--write", type=Path)
    asked = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    wanted = set(filter(None, asked.only.split(",")))
    lines = [HEAD]
    print(HEAD, flush=True)
    right = True
    for make in PROGRAMS:
        if wanted and make.__name__ not in wanted:
            continue
        try:
            row = measured(make)
        except ImportError as error:
            print(f"{make.__name__}: {error}", file=sys.stderr)
            continue
        right = right and row.bitwise
        lines.append(row.text())
        print(lines[-1], flush=True)
    if asked.write is not None:
        where = (
            f"PyTorch {torch.__version__}, Python {platform.python_version()}, one thread, processor time, "
            f"load {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores."
        )
        asked.write.write_text("\n".join([where, "", *lines, ""]))
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
