"""Runs a program on one module, and reports where two runs differ."""

from __future__ import annotations

import gc
import importlib
import traceback
import warnings
from dataclasses import dataclass
from typing import Any

from tests.oracle.compare import differences, shown
from tests.oracle.recorder import Recorder
from tests.oracle.registry import Program


@dataclass(frozen=True)
class Run:
    """What one module showed: observations by name, broken claims, and how the program ended."""

    seen: dict[str, Any]
    broken: list[str]
    crash: str | None = None


def load(name: str) -> Any:
    """The module a program gets, quiet and set to warn each time."""
    module = importlib.import_module(name)
    for part in ("nn", "nn.functional", "optim", "autograd", "autograd.function", "autograd.graph"):
        try:
            importlib.import_module(f"{name}.{part}")
        except ModuleNotFoundError:
            continue  # the program that needs it will say so
    if hasattr(module, "set_warn_always"):
        module.set_warn_always(True)
    return module


def execute(one: Program, module: Any) -> Run:
    """Runs the program; grad mode is restored whatever it does."""
    see = Recorder(module)
    crash = None
    gc.collect(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with module.enable_grad():
                one.run(module, see)
        except Exception:  # noqa: BLE001 (whatever it raises is part of the report)
            crash = traceback.format_exc(limit=-6)
    return Run(see.seen, see.broken, crash)


def faults_of_the_program(theirs: Run) -> list[str]:
    """Why the program is wrong about PyTorch: then there is nothing to compare with."""
    faults = list(theirs.broken)
    if theirs.crash:
        faults.append(f"the program fails on PyTorch:\n{theirs.crash}")
    if not theirs.seen:
        faults.append("the program sees nothing")
    return faults


def faults_of_vizgrad(theirs: Run, ours: Run) -> list[str]:
    """All differences, in the order the program sees things."""
    faults = [f"on vizgrad: {claim}" for claim in ours.broken]
    for name, their in theirs.seen.items():
        if name in ours.seen:
            faults.extend(differences(name, their, ours.seen[name]))
        elif not ours.crash:
            faults.append(f"{name}\n    PyTorch {shown(their)}\n    vizgrad never comes to see it")
    faults.extend(f"{name}: only vizgrad sees it" for name in ours.seen if name not in theirs.seen)
    if ours.crash:
        faults.append(f"the program fails on vizgrad:\n{ours.crash}")
    return faults
