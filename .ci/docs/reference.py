"""The reference: a page for each part of the public API, from signatures and docstrings.

Examples of the debugger are those of `notebooks/site/examples.py`, which `tests/packaging/test_docs.py` runs.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
#: Functions of the debugger, in the order of the guide.
DEBUGGER = (
    "debug", "graph", "why", "watch", "versions", "memory", "compare", "check", "card", "record", "scope",
    "attach", "load_trace", "load_traces", "compare_ranks", "ranks", "demo", "report",
)  # fmt: skip
#: Other parts: the page, its title, the module, and what it is for.
PARTS = (
    ("nn", "vizgrad.nn", "vizgrad.nn", "Modules: layers, losses, containers."),
    ("functional", "vizgrad.nn.functional", "vizgrad.nn.functional", "Layers and losses as functions."),
    ("optim", "vizgrad.optim", "vizgrad.optim", "Optimizers."),
    ("autograd", "vizgrad.autograd", "vizgrad.autograd", "Backward, grad modes, and Functions of your own."),
    ("func", "vizgrad.func", "vizgrad.func", "Function transforms."),
    ("linalg", "vizgrad.linalg", "vizgrad.core.ops.public.linalg", "Linear algebra."),
    ("fft", "vizgrad.fft", "vizgrad.core.ops.public.fft", "Discrete Fourier transforms."),
    ("special", "vizgrad.special", "vizgrad.core.ops.public.special", "Special functions."),
    ("distributions", "vizgrad.distributions", "vizgrad.distributions", "Distributions."),
    ("testing", "vizgrad.testing", "vizgrad.testing", "Assertions for tests."),
)  # fmt: skip
BUILTIN = {"int", "float", "bool", "str", "None", "object", "bytes"}
HOW = (
    "Names, signatures and meanings are PyTorch's; [what differs](../pytorch.md) is listed. "
    "`python -m vizgrad.ops NAME` says what an operation saves, and how it is differentiated and batched."
)


def signature(thing: Any) -> str:
    """As text, in parentheses, without addresses of objects."""
    try:
        found = str(inspect.signature(thing))
    except (TypeError, ValueError):
        return "(...)"
    found = re.sub(r"<[^<>]*>", "...", found.replace("'", "'"))
    return re.sub(r"'((?:[^'\\]|\\.)*)'", lambda m: _unquoted(m[0], m[1]), found)


def _unquoted(whole: str, inside: str) -> str:
    """Annotations are strings, defaults too: what reads as a type loses its quotes."""
    is_name = re.fullmatch(r"[A-Za-z_][\w.]*(\[.*\])?( \| [\w.\[\], ]+)*", inside)
    is_type = inside[:1].isupper() or "|" in inside or inside in BUILTIN
    return inside if is_name and is_type else whole


def entry(kind: str, name: str, thing: Any, example: str = "", *, inner: str = "") -> str:
    """One directive."""
    doc = inspect.getdoc(thing) or ""
    call = "" if kind == "attribute" else signature(thing)
    if kind == "method":
        call = re.sub(r"^\((self|input)(: [^,)]*)?(, )?", "(", call)
    shown = f"\n\n```python\n{example.strip()}\n```" if example else ""
    return f"`````{{py:{kind}}} {name}{call}\n\n{_safe(doc)}{shown}{inner}\n`````\n"


def _safe(doc: str) -> str:
    """A docstring as Markdown: what would be a heading or a math sign is text."""
    return re.sub(r"(?m)^(#+) ", r"\\\1 ", doc).replace("$", "\\$")


def examples() -> dict[str, str]:
    """The sections of `notebooks/site/examples.py` by the names in their heads."""
    text = (ROOT / "notebooks" / "site" / "examples.py").read_text("utf-8")
    parts = re.split(r"^# %% (\S+)\n", text, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def public(module: Any) -> Iterator[tuple[str, Any]]:
    """Functions and classes of vizgrad's that it shows."""
    for name in sorted(getattr(module, "__all__", dir(module)), key=str.lower):
        thing = getattr(module, name)
        home = str(getattr(thing, "__module__", ""))
        if not name.startswith("_") and callable(thing) and home.startswith("vizgrad"):
            yield name, thing


def debugger(vizgrad: Any) -> str:
    shown = examples()
    body = [
        entry("function", f"vizgrad.{name}", getattr(vizgrad, name), shown.pop(name))
        for name in DEBUGGER
    ]
    if shown:
        raise SystemExit(f"notebooks/site/examples.py has examples of nothing: {[*shown]}")
    return _page("The debugger", "All work on vizgrad's tensors and on PyTorch's.", body)


def session() -> str:
    from vizgrad.debugger.session.session import Session

    body = []
    for name, thing in sorted(vars(Session).items()):
        documented = inspect.getdoc(thing)
        if name.startswith("_") or not documented:
            continue
        kind = "attribute" if isinstance(thing, property) else "method"
        body.append(entry(kind, f"Session.{name}", thing))
    return _page(
        "Session", "`vizgrad.debug(loss)` returns one: a backward pass that is paused.", body
    )


def tensor(vizgrad: Any) -> str:
    body = []
    for name in sorted(dir(vizgrad.Tensor)):
        thing = inspect.getattr_static(vizgrad.Tensor, name)
        if name.startswith("_") or not inspect.getdoc(thing):
            continue
        kind = "method" if callable(getattr(vizgrad.Tensor, name)) else "attribute"
        body.append(
            entry(
                kind,
                f"Tensor.{name}",
                thing if kind == "attribute" else getattr(vizgrad.Tensor, name),
            )
        )
    return _page("Tensor", HOW, body)


def functions(vizgrad: Any) -> str:
    from vizgrad.core.ops.forms import FORMS

    body = []
    for name, forms in sorted(FORMS.items()):
        if forms.function is None:
            continue
        if forms.alias_of:
            body.append(
                f"`````{{py:function}} vizgrad.{name}\n\nAlias of `vizgrad.{forms.alias_of}`.\n`````\n"
            )
        else:
            body.append(entry("function", f"vizgrad.{name}", getattr(vizgrad, name)))
    return _page("Functions of tensors", HOW, body)


def part(title: str, name: str, what: str) -> str:
    module = importlib.import_module(name)
    body = []
    for called, thing in public(module):
        kind = "class" if inspect.isclass(thing) else "function"
        body.append(entry(kind, f"{title}.{called}", thing))
    return _page(title, f"{what} {HOW}", body)


def _page(title: str, what: str, body: list[str]) -> str:
    return f"# {title}\n\n{what}\n\n" + "\n".join(body)


def write_reference(folder: Path) -> None:
    """Writes the pages and their index."""
    import vizgrad

    folder.mkdir(parents=True, exist_ok=True)
    pages = {"debugger": debugger(vizgrad), "session": session(), "tensor": tensor(vizgrad)}
    pages["functions"] = functions(vizgrad)
    pages |= {page: part(title, name, what) for page, title, name, what in PARTS}
    for page, text in pages.items():
        (folder / f"{page}.md").write_text(text, "utf-8")
    listed = "\n".join(pages)
    toctree = f"```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n"
    index = f"# Reference\n\nEvery public name, from its docstring.\n\n{toctree}"
    (folder / "index.md").write_text(index, "utf-8")
