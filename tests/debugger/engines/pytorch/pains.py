"""The programs of `tests/pains` as they would be written for PyTorch: the same lines, other imports."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.pains import programs
from tests.pains.corpus import Pain, Program

_IMPORTS = {
    "import vizgrad as T": "import torch as T",
    "from tests.pains.corpus import fine, pain": f"from {__name__} import fine, pain",
    "from vizgrad import nn, why": "from torch import nn; from vizgrad import why",
    "from vizgrad import nn": "from torch import nn",
    "from vizgrad.utils.checkpoint import checkpoint": "from torch.utils.checkpoint import checkpoint",
}

PAINS: list[Pain] = []
FINE: list[Program] = []


def pain(kind: str, tensor: str = "", seen: str = "") -> Any:
    """As `tests.pains.corpus.pain`."""

    def declare(run: Program) -> Program:
        source, first = inspect.getsourcelines(run)
        lines = [first + i for i, text in enumerate(source) if "# BLAME" in text]
        PAINS.append(Pain(run, kind, tensor, lines))
        return run

    return declare


def fine(run: Program) -> Program:
    """As `tests.pains.corpus.fine`."""
    FINE.append(run)
    return run


def load() -> None:
    """Fills the lists, once."""
    if PAINS:
        return
    for each in vars(programs).values():
        if isinstance(each, ModuleType) and each.__name__.startswith(programs.__name__ + "."):
            path = Path(str(each.__file__))
            text = path.read_text()
            for old, new in _IMPORTS.items():
                text = text.replace(f"\n{old}\n", f"\n{new}\n")
            name = f"tests.debugger.engines.pytorch.pains_{path.stem}"
            made = sys.modules[name] = ModuleType(name)
            made.__file__ = str(path)
            exec(compile(text, str(path), "exec"), made.__dict__)
