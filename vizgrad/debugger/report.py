"""`vizgrad.report()`: the versions and the surroundings that an error report should state."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from vizgrad.version import __version__

#: Packages whose versions matter, in the order in which they are listed.
PACKAGES = (
    "numpy", "scipy", "ml_dtypes", "opt_einsum", "safetensors", "torch", "cupy-cuda12x", "cupy-cuda13x",
    "ipython", "ipykernel", "ipywidgets", "anywidget", "jupyterlab", "notebook", "graphviz", "ipyparallel",
    "marimo",
)  # fmt: skip


class Report:
    """Lines of text, by subject. Prints itself; holds no path, no name and no data of the user."""

    def __init__(self, facts: dict[str, str]) -> None:
        self.facts = facts

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {fact}" for name, fact in self.facts.items())


def report() -> Report:
    """The versions of vizgrad and of what it works with, and where it runs, for a report of an error.

    Nothing is imported for it, and nothing is read but versions, the system and its processors.
    """
    facts = {
        "vizgrad": __version__,
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors",
        "host": _host(),
    }
    return Report(facts | {name: found for name in PACKAGES if (found := _installed(name))})


def _installed(package: str) -> str:
    try:
        found = version(package)
    except PackageNotFoundError:
        return ""
    module = package.partition("-")[0]
    return f"{found} (imported)" if module.lower() in map(str.lower, sys.modules) else found


def _host() -> str:
    """The program that the user works in."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is None:
        marimo = sys.modules.get("marimo")
        return "Python" if marimo is None or not marimo.running_in_notebook() else "marimo"
    if getattr(shell, "kernel", None) is None:
        return "IPython in a terminal"
    named = {
        "COLAB_RELEASE_TAG": "Colab",
        "KAGGLE_KERNEL_RUN_TYPE": "Kaggle",
        "VSCODE_PID": "VS Code",
    }
    return next((f"Jupyter kernel in {name}" for key, name in named.items() if key in os.environ),
                "Jupyter kernel")  # fmt: skip
