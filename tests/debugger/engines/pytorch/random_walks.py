"""Goes about in every model at random: `python -m tests.debugger.engines.pytorch.random_walks --count 200`.

200 moves (stops, backs, continues, jumps, breakpoints) in each layer, model and training; what is different
from an undisturbed backward is printed, and the exit status says so. Libraries that are not installed are
left out.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable

import torch

from tests.debugger.engines.pytorch import layers
from tests.debugger.engines.pytorch.compiled import COMPILED
from tests.debugger.engines.pytorch.libraries import LIBRARIES
from tests.debugger.engines.pytorch.models import MODELS
from tests.debugger.engines.pytorch.networks import NETWORKS
from tests.debugger.engines.pytorch.programs import PROGRAMS
from tests.debugger.engines.pytorch.test_trainings import in_two_processes, is_what_it_is_without
from tests.debugger.engines.pytorch.trainings import TRAININGS
from tests.debugger.engines.pytorch.walks import check


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.debugger.engines.pytorch.random_walks", description=__doc__
    )
    parser.add_argument("--count", type=int, default=200, help="moves in each model")
    parser.add_argument("--only", default="", help="part of a name")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    walks: dict[str, Callable[[], None]] = {}
    for name in layers.names():
        walks[f"nn.{name}"] = lambda name=name: check(layers.loss_of(name), asked.count)
    for make in MODELS + PROGRAMS + NETWORKS + COMPILED + LIBRARIES:
        walks[make.__name__] = lambda make=make: check(make, asked.count)
    for training in TRAININGS:
        walks[training.__name__] = lambda t=training: is_what_it_is_without(t, asked.count)
    walks["ddp_of_two_processes"] = _ddp
    chosen = {name: walk for name, walk in walks.items() if asked.only in name}
    failed = 0
    for name, walk in chosen.items():
        began = time.perf_counter()
        try:
            walk()
        except Exception:  # noqa: BLE001  whatever it is is told, and the others go on
            failed += 1
            print(f"FAILED {name}\n{traceback.format_exc()}", flush=True)
        else:
            print(f"{name}: {time.perf_counter() - began:.1f} s", flush=True)
    print(
        f"PyTorch {torch.__version__}: {len(chosen)} walks of {asked.count} moves, {failed} failed"
    )
    return int(failed > 0)


def _ddp() -> None:
    with tempfile.TemporaryDirectory() as folder:
        in_two_processes(folder)


if __name__ == "__main__":
    raise SystemExit(main())
