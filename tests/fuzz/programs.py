"""Random programs of about ten statements: operations, views, writes, hooks, modules, backward and grad.

A program is lines of source text, run one by one on both libraries. A line that raises binds nothing, and
the next one runs; so a shorter program is made by leaving lines out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.fuzz.draw import Draw
from tests.fuzz.observe import NAMESPACE, unwarned
from tests.fuzz.program_lines import (
    AROUND,
    BINARY,
    CUSTOM,
    FUNCTIONS,
    GRADS,
    HOOKS,
    MODULES,
    OF_MODULE,
    OPTIMIZERS,
    RUNS,
    SET,
    SEVERAL,
    UNARY,
    VIEWS,
    WITH_MODULE,
    WITH_OPTIMIZER,
    WRITES,
    WRITES_TWO,
)

Program = list[str]

_FUNCTIONS: dict[Any, dict[str, Any]] = {}


def functions(module: Any) -> dict[str, Any]:
    """The classes of `FUNCTIONS`, made once of each module."""
    made = _FUNCTIONS.get(module)
    if made is None:
        names = {"torch": module, "__name__": "program"}
        exec(compile(FUNCTIONS, "<functions>", "exec"), names)
        made = _FUNCTIONS[module] = {k: v for k, v in names.items() if isinstance(v, type)}
    return made


class Side:
    """The names of a program on one module, and what each line did."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.names: dict[str, Any] = {
            "torch": module,
            "seen": [],
            **NAMESPACE,
            **functions(module),
        }
        self.lines: Program = []
        self.outcomes: list[Any] = []
        self.first_versions: dict[str, tuple[Any, Any]] = {}

    def run(self, line: str) -> None:
        self.lines.append(line)
        with unwarned():
            try:
                exec(compile(line, "<program>", "exec"), self.names)
            except Exception as error:  # noqa: BLE001  its class is what is compared
                self.outcomes.append(error)
            else:
                self.outcomes.append(None)

    def tensors(self) -> dict[str, Any]:
        return self._of(self.module.Tensor)

    def modules(self) -> dict[str, Any]:
        return self._of(self.module.nn.Module)

    def optimizers(self) -> dict[str, Any]:
        return self._of(self.module.optim.Optimizer)

    def _of(self, kind: type) -> dict[str, Any]:
        return {k: v for k, v in self.names.items() if isinstance(v, kind)}

    def written(self, name: str) -> Any:
        """Was the tensor written to since it was first seen? What made it may have written, too."""
        tensor = self.names[name]
        try:
            version = tensor._version
        except RuntimeError as error:  # of an inference tensor
            return error
        known, first = self.first_versions.get(name, (None, 0))
        if known is not tensor:
            self.first_versions[name] = tensor, version
            return False
        return version > first


def drawn(torch: Any, seed: Any, note: Callable[[str], None] = lambda text: None) -> Program:
    """A program: what can follow is seen by running it on PyTorch. `note` is told each line before it runs."""
    d = Draw(f"program {seed}")
    d.odd = d.special = False
    side, program = Side(torch), []
    kinds = THEMES[d.pick(("anything", "anything", *THEMES))]
    count = d.whole(6, 18)

    def add(line: str) -> None:
        program.append(line)
        note("\n".join(program))
        side.run(line)

    for _ in range(d.whole(1, 3)):
        add(f"x{len(program)} = {_leaf(d)}")
    while len(program) < count:
        for line in _lines(d, side, len(program), kinds):
            add(line)
        if side.outcomes[-1] is not None and d.chance(0.8):
            # a line that is refused is kept at times: refusals are compared too
            program.pop()
            side.outcomes.pop()
    return program


def _leaf(d: Draw) -> str:
    shape = d.pick(((3,), (2, 3), (2, 3), (3, 3), (), (1, 3), (2, 1), (2, 2, 3), (1,)))
    given = d.tensor(shape, d.pick(("float64",) * 6 + ("float32", "complex128")), -2, 2)
    source = given.source()
    if given.memory != "plain" and d.chance(
        0.85
    ):  # a leaf that is a view is seldom what people have
        source = source.replace(".requires_grad_()", ".clone().requires_grad_()")
    return source


#: What the statements of a program are, by what it is about.
THEMES = {
    "anything": ("unary",) * 10 + ("binary",) * 10 + ("view",) * 8 + ("write",) * 7 + ("write two",) * 5 + ("hook",) * 5
    + ("run",) * 5 + ("grad",) * 4 + ("leaf",) * 2 + ("module",) * 5 + ("drop",) * 2 + ("several",) * 3
    + ("custom",) * 3 + ("optimizer",) * 3 + ("remove",),
    "views": ("view",) * 8 + ("several",) * 3 + ("write",) * 8 + ("write two",) * 5 + ("hook",) * 3 + ("unary",) * 3
    + ("binary",) * 3 + ("run",) * 4 + ("grad",) * 2 + ("custom",),
    "training": ("module",) * 8 + ("optimizer",) * 8 + ("run",) * 2 + ("hook",) * 2 + ("unary",) * 2 + ("binary",) * 2
    + ("drop", "grad", "write", "remove"),
    "derivatives": ("run",) * 5 + ("grad",) * 6 + ("hook",) * 6 + ("custom",) * 4 + ("unary",) * 6 + ("binary",) * 6
    + ("view",) * 3 + ("write",) * 3 + ("remove",) * 2 + ("drop",) * 2,
}  # fmt: skip
#: What makes a line that may stand under a mode.
MODAL = ("unary", "binary", "view", "write", "write two", "several", "custom")
TABLES = {"unary": UNARY, "binary": BINARY, "view": VIEWS, "write": WRITES, "write two": WRITES_TWO, "hook": HOOKS,
          "run": RUNS, "grad": GRADS, "several": SEVERAL, "custom": CUSTOM}  # fmt: skip


def _lines(d: Draw, side: Side, number: int, kinds: tuple[str, ...]) -> list[str]:
    """The next statement, mostly one line; a few are several in one mode."""
    if d.chance(0.06):
        first, second = d.pick(("view", "unary", "several", "binary", "leaf")), d.pick(MODAL)
        names = list(side.tensors()) or ["x0"]
        made = _statement(d, side, number, first, names)
        # what follows may use what was just made
        made += _statement(d, side, number + 1, second, [*names, f"x{number}", f"x{number}"])
        return [d.pick(AROUND) + "; ".join(made)]
    kind = d.pick(kinds)
    lines = _statement(d, side, number, kind, list(side.tensors()) or ["x0"])
    if kind in MODAL and d.chance(0.12):
        lines = [d.pick(AROUND) + line for line in lines]
    return lines


def _statement(d: Draw, side: Side, number: int, kind: str, names: list[str]) -> list[str]:
    x, y = _recent(d, names), _recent(d, names)
    bind = f"x{number} = "
    if kind == "leaf":
        return [bind + _leaf(d)]
    if kind == "module":
        return _module_lines(d, side, number, x)
    if kind == "optimizer":
        return _optimizer_lines(d, side, number, x, y)
    if kind == "remove":
        handles = [k for k in side.names if k.startswith("h")]
        return [f"{d.pick(handles)}.remove()" if handles else bind + _leaf(d)]
    if kind == "drop":
        return [d.pick((f"{x}.grad = None", f"del {x}", f"{x}.grad.zero_()", f"{x}.grad.add_(1)"))]
    line = d.pick(TABLES[kind]).format(x=x, y=y)
    if kind in ("unary", "binary", "view", "grad", "custom"):
        line = bind + line
    if kind == "several":
        line = f"x{number}, x{number}b = {line}"
    if kind == "hook":
        line = _hooked(d, line, number)
    return [line]


def _hooked(d: Draw, line: str, number: int) -> str:
    """PyTorch's process ends where the first hook is put on a view whose base was written since: its
    history is asked for first.
    """
    several = re.match(r"torch\.autograd\.graph\.register_multi_grad_hook\(\((\w+), (\w+)\)", line)
    if several:
        return f"{several.group(1)}.grad_fn; {several.group(2)}.grad_fn; {line}"
    name = line.split(".", maxsplit=1)[0]
    if line.startswith(f"{name}.register_hook"):
        return f"{name}.grad_fn; h{number} = {line}" if d.chance(0.5) else f"{name}.grad_fn; {line}"
    return line


def _recent(d: Draw, names: list[str]) -> str:
    """The newest most often."""
    return names[-1 - min(len(names) - 1, int(d.random.expovariate(0.6)))]


def _module_lines(d: Draw, side: Side, number: int, x: str) -> list[str]:
    made = list(side.modules())
    if made and d.chance(0.75):
        m = d.pick(made)
        if d.chance(0.45):
            x = _first_input(side, m) if d.chance(0.5) else x
            return [f"x{number} = {m}({x})" + d.pick(("", "", "", "[0]"))]
        if d.chance(0.2):
            return [f"x{number} = {d.pick(OF_MODULE).format(m=m)}"]
        if d.chance(0.3):
            other = "eval" if side.names[m].training else "train"
            return [f"{m}.{other}()", f"x{number} = {m}({_first_input(side, m)})"]
        return [d.pick(WITH_MODULE).format(m=m, x=x)]
    tensor = side.names.get(x)
    n = tensor.shape[-1] if tensor is not None and tensor.dim() else 3
    m = f"m{number}"
    kind = "float64" if tensor is None or tensor.dtype is side.module.float64 else "float32"
    return [
        f"{m} = {d.pick(MODULES).format(n=n)}.to(torch.{kind}); {SET.format(m=m)}",
        f"x{number} = {m}({x})",
    ]


def _first_input(side: Side, m: str) -> str:
    """What the layer was made for."""
    called = (re.search(rf"= {m}\((x\d+b?)\)", line) for line in side.lines)
    return next(found.group(1) for found in called if found)


def _optimizer_lines(d: Draw, side: Side, number: int, x: str, y: str) -> list[str]:
    made = list(side.optimizers())
    if made and d.chance(0.8):
        layers = list(side.modules())
        m = d.pick(layers) if layers else "abs"
        i = _first_input(side, m) if layers else x
        return [d.pick(WITH_OPTIMIZER).format(o=d.pick(made), x=x, m=m, i=i)]
    owners = [f"{m}.parameters()" for m in side.modules()]
    leaves = [k for k, t in side.tensors().items() if t._is_view() is False and t.grad_fn is None]
    owners += [f"[{k}]" for k in leaves if side.names[k].requires_grad] or [
        f"[{x}]" if side.names.get(x) is side.names.get(y) else f"[{x}, {y}]"
    ]
    return [f"o{number} = {d.pick(OPTIMIZERS).format(p=d.pick(owners))}"]


def shown(program: Program) -> str:
    """The program as a whole that runs on either library."""
    lines = [
        "import torch  # or: import vizgrad as torch",
        "from math import inf, nan",
        "seen = []",
    ]
    used = [
        f"class {name}" for name in _names_of_functions() if f"{name}.apply" in "\n".join(program)
    ]
    parts = FUNCTIONS.strip().split("\n\n\n")
    lines += (
        [part + "\n" for part in parts if part.startswith(tuple(f"{u}(" for u in used))]
        if used
        else []
    )
    return "\n".join([*lines, *program])


def _names_of_functions() -> list[str]:
    return [
        line.split()[1].split("(")[0] for line in FUNCTIONS.splitlines() if line.startswith("class")
    ]
