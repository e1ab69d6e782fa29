"""The reference: a page for each part of the public API, from signatures and docstrings.

Examples of the debugger are those of `notebooks/site/examples.py`, examples of functions of tensors those
of `notebooks/site/functions/`, with their values (function_examples.py). `tests/packaging/test_docs.py` runs
all of them.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from function_examples import Example, function_examples, method_examples

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
    ("windows", "vizgrad.signal.windows", "vizgrad.signal.windows", "Windows of signals."),
    ("testing", "vizgrad.testing", "vizgrad.testing", "Assertions for tests."),
)  # fmt: skip
#: Classes to inherit from and functions that are used in classes only: they have no call to show.
NO_CALL = {
    "distributions.Distribution", "distributions.ExponentialFamily", "distributions.Transform",
    "distributions.register_kl", "distributions.identity_transform", "nn.RNNBase", "nn.RNNCellBase",
}  # fmt: skip
#: They need a device, call a function of the user's later, raise here, or are older names.
METHODS_WITHOUT = {
    "as_subclass", "hardshrink", "pin_memory", "record_stream", "register_hook",
    "register_post_accumulate_grad_hook",
    "resize", "resize_as", "resize_as_", "retain_grad", "stft", "to_sparse_bsc", "to_sparse_bsr",
    "wanting_grad",
}  # fmt: skip
BUILTIN = {"int", "float", "bool", "str", "None", "object", "bytes", "tuple", "list", "dict"}
HOW = (
    "Names, signatures and meanings are PyTorch's; [what differs](../pytorch.md) is listed. "
    "`python -m vizgrad.ops NAME` says what an operation saves, and how it is differentiated and batched."
)
#: In examples.
AS = "In the examples, `vg` is vizgrad, and `vg.manual_seed(0)` has been called."
#: The first two say only that there are no sparse tensors in blocks; the last is called once in a process.
WITHOUT = {"sparse_bsc_tensor", "sparse_bsr_tensor", "set_num_interop_threads"}


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
    is_type = inside[:1].isupper() or "|" in inside or inside.partition("[")[0] in BUILTIN
    return inside if is_name and is_type else whole


def entry(kind: str, name: str, thing: Any, example: str = "", *, inner: str = "") -> str:
    """One directive."""
    doc = inspect.getdoc(thing) or ""
    call = "" if kind == "attribute" else signature(thing)
    if kind == "method":
        call = re.sub(r"^\((self|input)(: [^,)]*)?(, )?", "(", call)
    language = "pycon" if example.startswith(">>> ") else "python"
    shown = f"\n\n```{language}\n{example.strip()}\n```" if example else ""
    return f"`````{{py:{kind}}} {name}{call}\n\n{_safe(doc)}{shown}{inner}\n`````\n"


def _safe(doc: str) -> str:
    """A docstring as Markdown: what would be a heading or a math sign is text."""
    return re.sub(r"(?m)^(#+) ", r"\\\1 ", doc).replace("$", "\\$")


def examples(file: str = "examples") -> dict[str, str]:
    """The sections of `notebooks/site/examples.py`, or of another file there, by the names in their heads."""
    text = (ROOT / "notebooks" / "site" / f"{file}.py").read_text("utf-8")
    parts = re.split(r"^# %% (\S+)\n", text, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def public(module: Any) -> Iterator[tuple[str, Any]]:
    """Functions and classes of vizgrad's that it shows; not what a file of functions imports for itself."""
    own = module.__name__.endswith(".fft")
    for name in sorted(getattr(module, "__all__", dir(module)), key=str.lower):
        thing = getattr(module, name)
        home = str(getattr(thing, "__module__", ""))
        wanted = home == module.__name__ if own else home.startswith("vizgrad")
        if not name.startswith("_") and callable(thing) and wanted:
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


#: What views and hosts ask a session, and who watches one.
SESSION_WITHOUT = {
    "at_rest", "has_told", "interrupt", "is_moving", "last_write", "listen_to_work", "look_between",
    "notice_writes", "raise_error", "revision", "run", "set_breakpoint", "set_line_breakpoint", "start",
    "updates_since", "watched",
}  # fmt: skip


def session() -> str:
    from vizgrad.debugger.session.session import Session

    shown = examples("session")
    body = [f"```python\n{shown.pop('session').strip()}\n```\n"]
    for name, thing in sorted(vars(Session).items()):
        documented = inspect.getdoc(thing)
        if name.startswith("_") or not documented:
            continue
        kind = "attribute" if isinstance(thing, property) else "method"
        example = shown.pop(name, "")
        if not example and name not in SESSION_WITHOUT:
            raise SystemExit(f"notebooks/site/session.py has no example of {name}")
        body.append(entry(kind, f"Session.{name}", thing, example))
    if shown:
        raise SystemExit(f"notebooks/site/session.py has examples of nothing: {[*shown]}")
    what = "`vizgrad.debug(loss)` returns one: a backward pass that is paused. Each example begins with"
    return _page("Session", what, body)


def methods(vizgrad: Any) -> list[str]:
    """The methods and attributes of Tensor that the reference shows."""
    names = sorted(name for name in dir(vizgrad.Tensor) if not name.startswith("_"))
    return [n for n in names if inspect.getdoc(inspect.getattr_static(vizgrad.Tensor, n))]


def shown_methods(vizgrad: Any) -> dict[str, Example]:
    """The examples of methods of Tensor; SystemExit where one is missing."""
    from vizgrad.core.ops.forms import FORMS

    names = methods(vizgrad)
    found = method_examples(shown_functions(), names)
    aliases = {name for name in names if name in FORMS and FORMS[name].alias_of}
    if missing := {*names} - {*found} - METHODS_WITHOUT - aliases:
        raise SystemExit(f"notebooks/site/methods.py has no example of {sorted(missing)}")
    return found


def tensor(vizgrad: Any) -> str:
    body = []
    shown = shown_methods(vizgrad)
    for name in methods(vizgrad):
        thing = inspect.getattr_static(vizgrad.Tensor, name)
        kind = "method" if callable(getattr(vizgrad.Tensor, name)) else "attribute"
        body.append(
            entry(
                kind,
                f"Tensor.{name}",
                thing if kind == "attribute" else getattr(vizgrad.Tensor, name),
                shown[name].shown(vizgrad) if name in shown else "",
            )
        )
    return _page("Tensor", f"{HOW} {AS}", body)


def _within(title: str) -> str:
    """The part as it is called after `vizgrad.`."""
    return title.removeprefix("vizgrad.")


def shown_functions() -> dict[str, Example]:
    """The examples of functions, by their names after `vizgrad.`; SystemExit where one is missing."""
    from vizgrad.core.ops.forms import FORMS

    parts = [(_within(title), importlib.import_module(module)) for _, title, module, _ in PARTS]
    names = [name for name, forms in FORMS.items() if forms.function is not None]
    aliases = [name for name in names if FORMS[name].alias_of]
    names += [f"{part}.{name}" for part, module in parts for name, _ in public(module)]
    found = function_examples(names)
    if missing := {*names} - {*found} - {*aliases} - WITHOUT - NO_CALL:
        raise SystemExit(f"notebooks/site/functions/ has no example of {sorted(missing)}")
    return found


def functions(vizgrad: Any) -> str:
    from vizgrad.core.ops.forms import FORMS

    shown = shown_functions()
    body = []
    for name, forms in sorted(FORMS.items()):
        if forms.function is None:
            continue
        if forms.alias_of:
            body.append(
                f"`````{{py:function}} vizgrad.{name}\n\nAlias of `vizgrad.{forms.alias_of}`.\n`````\n"
            )
        else:
            example = shown[name].shown(vizgrad) if name in shown else ""
            body.append(entry("function", f"vizgrad.{name}", getattr(vizgrad, name), example))
    return _page("Functions of tensors", f"{HOW} {AS}", body)


def part(page: str, title: str, name: str, what: str) -> str:
    import vizgrad

    module = importlib.import_module(name)
    shown = shown_functions()
    body = []
    for called, thing in public(module):
        kind = "class" if inspect.isclass(thing) else "function"
        example = shown.get(f"{_within(title)}.{called}")
        code = example.shown(vizgrad) if example is not None else ""
        body.append(entry(kind, f"{title}.{called}", thing, code))
    return _page(title, f"{what} {HOW} {AS}", body)


def _page(title: str, what: str, body: list[str]) -> str:
    return f"# {title}\n\n{what}\n\n" + "\n".join(body)


def write_reference(folder: Path) -> None:
    """Writes the pages and their index."""
    import vizgrad

    folder.mkdir(parents=True, exist_ok=True)
    pages = {"debugger": debugger(vizgrad), "session": session(), "tensor": tensor(vizgrad)}
    pages["functions"] = functions(vizgrad)
    pages |= {page: part(page, title, name, what) for page, title, name, what in PARTS}
    for page, text in pages.items():
        (folder / f"{page}.md").write_text(text, "utf-8")
    listed = "\n".join(pages)
    toctree = f"```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n"
    index = f"# Reference\n\nEvery public name, from its docstring.\n\n{toctree}"
    (folder / "index.md").write_text(index, "utf-8")
