"""A transformer block on 8 sequences of 64 tokens of width 128: 4 heads, a hidden layer of 512."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from tests.benchmarks.case import Case, Run, both, constant, fill, training_step
from tests.benchmarks.memory import peak_of

BATCH, LENGTH, WIDTH, HEADS = 8, 64, 128, 4


#: How many blocks follow each other where each is a checkpoint, and the name of its memory.
BLOCKS, PEAK = 6, "megabytes at the worst moment"


def cases() -> Iterator[Case]:
    yield Case("transformer block 8x64x128", both(build), tolerance=1e-3)
    for name, checkpointed in (("", False), (", checkpointed", True)):
        yield Case(
            f"transformer of {BLOCKS} blocks{name}",
            both(partial(build, blocks=BLOCKS, checkpointed=checkpointed)),
            tolerance=1e-3,
            measures={PEAK: at_worst},
        )


def at_worst(run: Run) -> float:
    run.reset()
    return peak_of(run.step) / 2**20


def build(lib: Any, blocks: int = 1, checkpointed: bool = False) -> Run:
    nn = lib.nn

    class Block(nn.Module):
        """In operations that both libraries have in common, none of them fused by hand."""

        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
            self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
            self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

        def forward(self, x: Any) -> Any:
            q, k, v = (
                part.reshape(BATCH, LENGTH, HEADS, WIDTH // HEADS).transpose(1, 2)
                for part in self.qkv(self.first(x)).chunk(3, -1)
            )
            weights = (q @ k.transpose(-2, -1) * (WIDTH // HEADS) ** -0.5).softmax(-1)
            x = x + self.out((weights @ v).transpose(1, 2).reshape(BATCH, LENGTH, WIDTH))
            return x + self.down(nn.functional.gelu(self.up(self.second(x)), approximate="tanh"))

    model = nn.Sequential(*[Block() for _ in range(blocks)])
    parameters = fill(lib, model)
    values = np.random.default_rng(3)
    x = constant(lib, values.standard_normal((BATCH, LENGTH, WIDTH), dtype=np.float32))

    def through() -> Any:
        found = x
        for block in model:
            if checkpointed:
                found = lib.utils.checkpoint.checkpoint(block, found, use_reentrant=False)
            else:
                found = block(found)
        return found

    return training_step(parameters, lambda: through().square().mean())
