"""Random programs of about ten statements: operations, views, writes, hooks, modules, backward and grad.

A program is lines of source text, run one by one on both libraries. A line that raises binds nothing, and
the next one runs; so a shorter program is made by leaving lines out.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.fuzz.compare import Difference
from tests.fuzz.draw import Draw
from tests.fuzz.known_programs import known_program
from tests.fuzz.observe import NAMESPACE, array
from tests.oracle.compare import same_error

UNARY = (
    "{x}.tanh()", "{x}.exp()", "{x}.sin()", "{x}.sigmoid()", "-{x}", "{x}.abs()", "{x} * 2", "{x} ** 2", "{x} ** 3",
    "{x}.relu()", "{x}.clamp(-0.5, 1)", "{x}.sum()", "{x}.mean()", "{x}.sum(0)", "{x}.cumsum(0)", "{x}.cumprod(-1)",
    "{x}.prod()", "{x}.softmax(-1)", "{x}.log_softmax(0)", "{x}.amax()", "{x}.max(0).values", "{x}.min(-1)[0]",
    "{x}.sort(-1).values", "{x}.norm()", "{x}.var()", "{x}.std(0)", "{x}.logsumexp(-1)", "{x}.clone()", "{x}.flip(0)",
    "{x}.roll(1, 0)", "{x}.median()", "{x}.square()", "({x} * {x}).sqrt()", "({x}.abs() + 1).log()", "{x}.triu()",
    "torch.nn.functional.gelu({x})", "torch.nn.functional.pad({x}, (1, 1))", "{x}.cummax(0).values",
    "torch.nn.functional.leaky_relu({x})", "torch.nn.functional.softplus({x})", "{x}.to(torch.float32)",
    "torch.nn.functional.elu({x})", "{x}.repeat_interleave(2, 0)", "{x}.gather(0, torch.zeros_like({x}).long())",
    "{x}.index_select(0, torch.tensor([0, 0]))", "{x}[torch.tensor([0, -1])]", "{x}[{x} > 0]", "{x}.topk(1, 0).values",
    "{x}.masked_fill({x} > 0.5, 0.25)", "{x}.reciprocal()", "{x}.frac()", "{x}.diff()", "{x}.trace()", "{x}.cos()",
    "torch.where({x} > 0, {x}, {x} * 3)", "torch.nn.functional.normalize({x}, dim=0)", "{x}.erf()", "{x}.expm1()",
    "{x}.matrix_power(2)", "torch.linalg.inv({x} + 4 * torch.eye({x}.shape[-1], dtype={x}.dtype))",
    "torch.fft.rfft({x}).abs()", "torch.complex({x}, {x} * 2)", "{x}.real", "torch.view_as_real({x})",
    "torch.nn.functional.layer_norm({x}, {x}.shape[-1:])", "{x}.unfold(0, 2, 1)", "{x}.requires_grad_()",
)  # fmt: skip
BINARY = (
    "{x} + {y}", "{x} - {y}", "{x} * {y}", "{x} / ({y} * {y} + 1)", "{x} @ {y}", "{x} @ {y}.mT", "torch.maximum({x}, {y})",
    "torch.where({x} > {y}, {x}, {y})", "torch.cat([{x}, {y}])", "torch.stack([{x}, {y}])", "torch.lerp({x}, {y}, 0.3)",
    "torch.addcmul({x}, {x}, {y}, value=0.5)", "torch.atan2({x}, {y})", "torch.nn.functional.mse_loss({x}, {y})",
    "{x}.abs() ** {y}", "torch.einsum('...i,...i->...', {x}, {y})", "torch.dist({x}, {y})", "torch.outer({x}, {y})",
    "torch.hypot({x}, {y})", "{x}.expand_as({y})", "torch.logaddexp({x}, {y})", "torch.fmod({x}, {y})",
    "torch.nn.functional.linear({x}, {y})", "{x}.view_as({y})", "torch.minimum({x}, {y})", "torch.addmm({x}, {x}, {y})",
    "torch.nn.functional.smooth_l1_loss({x}, {y})", "{x}.scatter(0, torch.zeros_like({y}).long(), {y})",
    "{x}.index_add(0, torch.tensor([0]), {y}[:1])", "{x}.masked_scatter({x} > 0, {y})",
)  # fmt: skip
VIEWS = (
    "{x}[0]", "{x}[-1]", "{x}[1:]", "{x}[..., -1]", "{x}[..., 1:]", "{x}[::2]", "{x}.t()", "{x}.mT", "{x}.view(-1)",
    "{x}.reshape(-1)", "{x}.transpose(0, -1)", "{x}.expand(2, *{x}.shape)", "{x}.unsqueeze(0)", "{x}.squeeze()",
    "{x}.diagonal()", "{x}.unbind(0)[0]", "{x}.chunk(2)[0]", "{x}.split(1)[-1]", "{x}.narrow(0, 0, 1)", "{x}.select(-1, 0)",
    "{x}.detach()", "{x}.view({x}.shape)", "{x}.flatten()", "{x}[None]", "{x}[...]", "{x}.permute(-1, *range({x}.dim() - 1))",
    "{x}.data", "{x}.contiguous()", "{x}.as_strided((2,), (1,))", "{x}.swapaxes(0, -1)", "{x}.movedim(0, -1)", "{x}.ravel()",
)  # fmt: skip
WRITES = (
    "{x}.mul_(2)", "{x}.add_(1)", "{x}.zero_()", "{x}.fill_(0.5)", "{x}.tanh_()", "{x}.exp_()", "{x}.relu_()", "{x}.neg_()",
    "{x}.clamp_(-0.5, 0.5)", "{x}.sigmoid_()", "{x}[0] = 0.25", "{x}[..., 0] = 1.5", "{x}[1:] *= 2", "{x}[{x} > 0] = 0",
    "{x} += 1", "{x} *= {x}", "{x}.masked_fill_({x} > 0, 0.5)", "{x}.pow_(2)", "{x}.sqrt_()", "{x}.t_()", "{x}.unsqueeze_(0)",
    "{x}.squeeze_()", "{x}.detach_()", "{x}.cumsum_(0)", "{x}.triu_()", "{x}.transpose_(0, -1)", "{x}.data.mul_(2)",
    "{x}[torch.tensor([0, 0])] = 0.125", "{x}.index_fill_(0, torch.tensor([0]), 2.0)", "{x}.requires_grad_()",
    "{x}.set_({x}.detach().clone())", "{x}.requires_grad_(False)", "{x}.data = {x}.data * 2", "{x}.fill_diagonal_(1)",
)  # fmt: skip
WRITES_TWO = (
    "{x}.add_({y})", "{x}.mul_({y})", "{x}.copy_({y})", "{x} += {y}", "{x} -= {y}", "{x}[...] = {y}", "{x}[0] = {y}",
    "{x}.sub_({y}, alpha=2)", "{x}.div_({y}.exp())", "{x}[1:] = {y}", "{x}.lerp_({y}, 0.5)", "{x}.addcmul_({y}, {y})",
    "{x}.index_add_(0, torch.tensor([0]), {y})", "{x}.index_copy_(0, torch.tensor([0]), {y})", "{x}.data.copy_({y})",
    "{x}[{x} > 0] = {y}", "{x}.masked_scatter_({x} > 0, {y})", "{x}.atan2_({y})", "{x}.index_put_((torch.tensor([0]),), {y}, accumulate=True)",
    "torch.mul({x}, {y}, out={x})", "{x}.baddbmm_({y}, {y})", "{x}.addmm_({y}, {y})", "{x}.where({x} > 0, {y}, out={x})",
)  # fmt: skip
HOOKS = (
    "{x}.register_hook(lambda g: g * 2)", "{x}.register_hook(lambda g: seen.append(g.sum().item()))", "{x}.retain_grad()",
    "{x}.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.sum().item()))",
    "{x}.grad_fn.register_hook(lambda gi, go: seen.append([None if g is None else g.sum().item() for g in gi]))",
    "{x}.grad_fn.register_prehook(lambda go: tuple(None if g is None else g * 3 for g in go))",
    "{x}.register_hook(lambda g: (g * {x}.detach()).sum().expand_as(g))",
    "{x}.register_post_accumulate_grad_hook(lambda p: setattr(p, 'grad', None))",
    "{x}.register_hook(lambda g: None)", "{x}.register_hook(lambda g: g.mul_(2))", "{x}.register_hook(lambda g: g[:1])",
)  # fmt: skip
RUNS = (
    "{x}.sum().backward()", "({x} * {x}).sum().backward()", "{x}.backward(torch.ones_like({x}))", "{x}.sum().backward(retain_graph=True)",
    "({x} * {x}).sum().backward(create_graph=True)", "{x}.backward()",
    "({x} * 2).sum().backward(inputs=[{y}]) if {y}.is_leaf else None",  # of a result the two differ: E-27 [D]
)  # fmt: skip
GRADS = (
    "torch.autograd.grad({x}.sum(), {y})[0]", "torch.autograd.grad({x}.sum(), {y}, create_graph=True, allow_unused=True)[0]",
    "torch.autograd.grad({x}, {y}, torch.ones_like({x}), retain_graph=True)[0]",
    "torch.autograd.grad(({x} * {x}).sum(), {y}, create_graph=True)[0]",
    "torch.autograd.grad(({x} * {x}).sum(), [{y}, {x}], create_graph=True)[1]", "{x}.grad",
    "torch.autograd.grad({x}.sum(), {y}, allow_unused=True, materialize_grads=True, retain_graph=True)[0]",
    "torch.autograd.grad(torch.autograd.grad(({x} ** 3).sum(), {y}, create_graph=True)[0].sum(), {y})[0]",
)  # fmt: skip
#: Modules for an input of this last size, `{n}`.
MODULES = (
    "torch.nn.Linear({n}, 2)", "torch.nn.LayerNorm({n})", "torch.nn.BatchNorm1d({n})", "torch.nn.PReLU()", "torch.nn.Dropout(0.0)",
    "torch.nn.Sequential(torch.nn.Linear({n}, 3), torch.nn.Tanh(), torch.nn.BatchNorm1d(3))", "torch.nn.Softmax(-1)",
    "torch.nn.Bilinear({n}, {n}, 2)", "torch.nn.GRUCell({n}, 2)", "torch.nn.LSTM({n}, 2)", "torch.nn.RNN({n}, 2, batch_first=True)",
    "torch.nn.BatchNorm1d({n}, track_running_stats=False)", "torch.nn.Conv1d({n}, 2, 1)", "torch.nn.RMSNorm({n})",
    "torch.nn.utils.weight_norm(torch.nn.Linear({n}, 2))", "torch.nn.BatchNorm1d({n}, momentum=None)",
    "torch.nn.InstanceNorm1d({n}, affine=True)", "torch.nn.MultiheadAttention({n}, 1)", "torch.nn.GroupNorm(1, {n})",
)  # fmt: skip
#: Weights that both sides have: they are drawn by neither.
SET = "[p.data.copy_(torch.linspace(-1, 1, p.numel(), dtype=p.dtype).reshape(p.shape)) for p in {m}.parameters()]"
WITH_MODULE = (
    "{m}.eval()", "{m}.train()", "{m}.zero_grad()", "torch.optim.SGD({m}.parameters(), lr=0.1, momentum=0.9).step()",
    "torch.optim.Adam({m}.parameters(), lr=0.1).step()", "{m}.register_forward_hook(lambda m, i, o: o * 2 if isinstance(o, torch.Tensor) else None)",
    "{m}.register_full_backward_hook(lambda m, gi, go: seen.append([None if g is None else g.sum().item() for g in gi]))",
    "{m}.requires_grad_(False)", "torch.nn.utils.clip_grad_norm_({m}.parameters(), 0.5)", "{m}.load_state_dict({m}.state_dict())",
    "{m}.register_forward_pre_hook(lambda m, i: tuple(t * 2 for t in i))",
)  # fmt: skip
AROUND = ("with torch.no_grad(): ", "with torch.enable_grad(): ", "with torch.inference_mode(): ",
          "with torch.set_grad_enabled(False): ", "with torch.autograd.detect_anomaly(check_nan=False): ",
          "with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach() * 1, lambda t: t): ")  # fmt: skip

Program = list[str]


class Side:
    """The names of a program on one module, and what each line did."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.names: dict[str, Any] = {"torch": module, "seen": [], **NAMESPACE}
        self.outcomes: list[Any] = []
        self.first_versions: dict[str, tuple[Any, Any]] = {}

    def run(self, line: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                exec(compile(line, "<program>", "exec"), self.names)
            except Exception as error:  # noqa: BLE001  its class is what is compared
                self.outcomes.append(error)
            else:
                self.outcomes.append(None)

    def tensors(self) -> dict[str, Any]:
        return {k: v for k, v in self.names.items() if isinstance(v, self.module.Tensor)}

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

    def modules(self) -> list[str]:
        return [k for k, v in self.names.items() if isinstance(v, self.module.nn.Module)]


def drawn(torch: Any, seed: Any, count: int = 10) -> Program:
    """A program: what can follow is seen by running it on PyTorch."""
    d = Draw(f"program {seed}")
    d.odd = d.special = False
    side, program = Side(torch), []

    def add(line: str) -> None:
        program.append(line)
        side.run(line)

    for _ in range(d.whole(1, 3)):
        add(f"x{len(program)} = {_leaf(d)}")
    while len(program) < count:
        for line in _statement(d, side, len(program)):
            add(line)
        if side.outcomes[-1] is not None and d.chance(0.8):
            # a line that is refused is kept at times: refusals are compared too
            program.pop()
            side.outcomes.pop()
    return program


def _leaf(d: Draw) -> str:
    shape = d.pick(((3,), (2, 3), (2, 3), (3, 3), (), (1, 3), (2, 1), (2, 2, 3), (1,)))
    given = d.tensor(shape, d.pick(("float64",) * 6 + ("float32", "complex128")), -2, 2)
    return given.source()


def _statement(d: Draw, side: Side, number: int) -> list[str]:
    x, y = _name(d, side), _name(d, side)
    kind = d.pick(
        ("unary",) * 5 + ("binary",) * 5 + ("view",) * 4 + ("write",) * 3 + ("write two",) * 2
        + ("hook",) * 2 + ("run",) * 2 + ("grad",) * 2 + ("leaf", "module", "module", "drop")
    )  # fmt: skip
    fill: Callable[[str], str] = lambda text: text.format(x=x, y=y)  # noqa: E731
    bind = f"x{number} = "
    if kind == "leaf":
        return [bind + _leaf(d)]
    if kind == "module":
        return _module_lines(d, side, number, x)
    if kind == "drop":
        return [d.pick((f"{x}.grad = None", f"del {x}", f"{x}.grad.zero_()", f"{x}.grad.add_(1)"))]
    tables = {"unary": UNARY, "binary": BINARY, "view": VIEWS, "write": WRITES, "write two": WRITES_TWO,
              "hook": HOOKS, "run": RUNS, "grad": GRADS}  # fmt: skip
    line = fill(d.pick(tables[kind]))
    if kind in ("unary", "binary", "view", "grad"):
        line = bind + line
    if kind in ("unary", "binary", "view", "write", "write two") and d.chance(0.12):
        line = d.pick(AROUND) + line
    return [line]


def _name(d: Draw, side: Side) -> str:
    """The newest most often."""
    names = list(side.tensors())
    if not names:
        return "x0"
    return names[-1 - min(len(names) - 1, int(d.random.expovariate(0.6)))]


def _module_lines(d: Draw, side: Side, number: int, x: str) -> list[str]:
    made = side.modules()
    if made and d.chance(0.75):
        m = d.pick(made)
        if d.chance(0.5):
            return [f"x{number} = {m}({x})" + d.pick(("", "", "", "[0]"))]
        return [d.pick(WITH_MODULE).format(m=m)]
    tensor = side.names.get(x)
    n = tensor.shape[-1] if tensor is not None and tensor.dim() else 3
    m = f"m{number}"
    kind = ".double()" if tensor is None or tensor.dtype is side.module.float64 else ""
    return [
        f"{m} = {d.pick(MODULES).format(n=n)}{kind}; {SET.format(m=m)}",
        f"x{number} = {m}({x})",
    ]


# --- comparing ----------------------------------------------------------------------------------------


def differences(torch: Any, vizgrad: Any, program: Program) -> list[Difference]:
    """The first line that does not do the same on both, or what differs at the end."""
    theirs, ours = Side(torch), Side(vizgrad)
    for number, line in enumerate(program):
        theirs.run(line)
        ours.run(line)
        there, here = theirs.outcomes[-1], ours.outcomes[-1]
        if isinstance(there, NotImplementedError):
            return []  # vizgrad has more types and derivatives: what follows is not comparable
        if (there is None) != (here is None) or (
            there is not None and not same_error(type(there), type(here))
        ):
            found = [Difference(f"raises, line {number}", there, here)]
        else:
            found = _states(theirs, ours)
        if found:
            return [] if known_program(line, theirs, ours, found[0]) else found
    return []


def _states(theirs: Side, ours: Side) -> list[Difference]:
    here = ours.names
    for name, tensor in theirs.tensors().items():
        if not isinstance(here.get(name), ours.module.Tensor):
            return [Difference(f"{name} there", type(tensor), type(here.get(name)))]
        a = {"version": theirs.written(name), **visible(tensor)}
        b = {"version": ours.written(name), **visible(here[name])}
        for what, value in a.items():
            if not _same(value, b.get(what)):
                return [Difference(f"{what} of {name}", value, b[what])]
    for name in theirs.modules():
        for (what, p), (_, q) in zip(
            theirs.names[name].state_dict().items(), here[name].state_dict().items(), strict=True
        ):
            if not _same(array(p), array(q)):
                return [Difference(f"weight {name}.{what}", array(p), array(q))]
    a, b = theirs.names["seen"], here["seen"]
    return [] if _same(a, b) else [Difference("what hooks saw", a, b)]


def visible(tensor: Any) -> dict[str, Any]:
    """All that a person can see of a tensor."""
    seen: dict[str, Any] = {
        "dtype": str(tensor.dtype).split(".")[-1],
        "value": array(tensor),
        "requires_grad": tensor.requires_grad,
    }
    try:
        seen["is_leaf"] = tensor.is_leaf
    except RuntimeError as error:  # after a write that the history does not know how to follow
        seen["is_leaf"] = error
        return seen
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        grad = tensor.grad
    seen["gradient"] = None if grad is None else array(grad)
    seen["gradient requires_grad"] = grad is not None and grad.requires_grad
    return seen


def _same(there: Any, here: Any) -> bool:
    if isinstance(there, Exception):
        return isinstance(here, type(there))
    if isinstance(there, np.ndarray) and isinstance(here, np.ndarray):
        if there.shape != here.shape or there.dtype != here.dtype:
            return False
        if there.dtype.kind not in "fc":
            return bool(np.array_equal(there, here))
        relative = 1e-4 if there.dtype.char in "fF" else 1e-7
        with np.errstate(all="ignore"):
            return bool(np.allclose(here, there, rtol=relative, atol=relative, equal_nan=True))
    if isinstance(there, complex) and isinstance(here, complex):
        return _same(there.real, here.real) and _same(there.imag, here.imag)
    if isinstance(there, float) and isinstance(here, float):
        return math.isclose(there, here, rel_tol=1e-4, abs_tol=1e-6) or (
            there != there and here != here
        )
    if isinstance(there, (list, tuple)) and isinstance(here, (list, tuple)):
        return len(there) == len(here) and all(map(_same, there, here))
    return type(there) is type(here) and bool(there == here)


def kind_of(found: Difference) -> str:
    """What differs, without names and numbers."""
    word = found.what.split(" of ")[0].split(",")[0].split(" m")[0]
    if word == "raises":
        return f"raises: {_class(found.theirs)}, {_class(found.ours)}"
    return word


def _class(value: Any) -> str:
    return type(value).__name__ if value is not None else "nothing"


def smallest(torch: Any, vizgrad: Any, program: Program, kind: str) -> Program:
    """Without the lines that are not needed for a difference of this kind."""

    def fails(lines: Program) -> bool:
        found = differences(torch, vizgrad, lines)
        return bool(found) and kind_of(found[0]) == kind

    going = True
    while going:
        going = False
        for k in reversed(range(len(program))):
            shorter = program[:k] + program[k + 1 :]
            if fails(shorter):
                program, going = shorter, True
        for k, line in enumerate(program):
            for around in AROUND:
                plain = [*program[:k], line.removeprefix(around), *program[k + 1 :]]
                if line.startswith(around) and fails(plain):
                    program, going = plain, True
    return program
