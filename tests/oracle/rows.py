"""The spec table's rows twice: calling vizgrad, and the same source calling PyTorch."""

from __future__ import annotations

import builtins
from importlib import util
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from tests.specs.row import Row, Sample

SPECS = Path(__file__).parents[1] / "specs"
FILES = ("elementwise", "special", "reductions", "shapes", "indexing", "products", "decompositions",
         "collections", "complexes", "activations", "layers")  # fmt: skip


class NotThere(Exception):
    """PyTorch has no function of this name: vizgrad's own."""


class _Names(ModuleType):
    """PyTorch (or a part of it) under vizgrad's name."""

    def __init__(self, real: Any) -> None:
        super().__init__("vizgrad")
        self._real = real

    def __getattr__(self, name: str) -> Any:
        try:
            found = getattr(self._real, name)
        except AttributeError:
            return _absent(name)
        return _Names(found) if isinstance(found, ModuleType) else found


def _absent(name: str) -> Any:
    def call(*args: Any, **options: Any) -> Any:
        raise NotThere(name)

    return call


def rows_of(torch: Any) -> dict[str, tuple[Row, Row]]:
    """For each row "file: name", the row on vizgrad and on PyTorch."""
    found = {}
    for name in FILES:
        ours = __import__(f"tests.specs.{name}", fromlist=["ROWS"]).ROWS
        theirs = _loaded(name, _Names(torch)).ROWS
        assert [r.name for r in ours] == [r.name for r in theirs]
        for position, pair in enumerate(zip(ours, theirs, strict=True)):
            found[f"{name} {position}: {pair[0].name}"] = pair
    return found


def _loaded(name: str, module: ModuleType) -> Any:
    """The file anew, with `import vizgrad` giving `module`."""
    spec = util.spec_from_file_location(f"tests.specs._torch_{name}", SPECS / f"{name}.py")
    assert spec is not None
    made = util.module_from_spec(spec)
    made.__dict__["__builtins__"] = {**vars(builtins), "__import__": _importing(module)}
    made.__package__ = "tests.specs"
    source = (SPECS / f"{name}.py").read_text()
    exec(compile(source, str(SPECS / f"{name}.py"), "exec"), made.__dict__)
    return made


def _importing(module: ModuleType) -> Any:
    real = builtins.__import__

    def load(
        name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ):
        if name == "vizgrad":
            return module
        if name.startswith("vizgrad."):  # what is vizgrad's own is not there
            return SimpleNamespace(**{n: _Names(SimpleNamespace()) for n in fromlist or ()})
        return real(name, globals, locals, fromlist, level)

    return load


def seen(torch: Any, row: Row, sample: Sample) -> list[np.ndarray] | BaseException:
    """Values, gradients and their gradients of the row at the sample; or what was raised."""
    try:
        return _derivatives(torch, row, sample)
    except NotThere:
        raise
    except Exception as error:  # noqa: BLE001  whatever it is, it is compared
        return error


def _derivatives(torch: Any, row: Row, sample: Sample) -> list[np.ndarray]:
    leaves = [_leaf(torch, a) for a in sample.arrays]
    made = row.call(*leaves)
    results = list(made) if isinstance(made, (tuple, list)) else [made]
    found = [r.detach() for r in results]
    roots = [r for r in results if r.requires_grad]
    wanted = [x for x in leaves if x.requires_grad]
    if roots:
        options = {"allow_unused": True, "materialize_grads": True}
        weights = [_weight(torch, r) for r in roots]
        firsts = torch.autograd.grad(roots, wanted, weights, create_graph=row.twice, **options)
        found += [g.detach() for g in firsts]
        curved = [g for g in firsts if g.requires_grad]
        if row.twice and curved:
            outer = [_weight(torch, g) for g in curved]
            found += torch.autograd.grad(curved, wanted, outer, **options)
        elif row.twice:
            found += [torch.zeros_like(x) for x in wanted]
    return [np.asarray(t.resolve_conj().numpy(force=True)) for t in found]


def _leaf(torch: Any, array: np.ndarray) -> Any:
    """A tensor over a copy of the elements, with the same strides."""
    if not array.size or array.flags.c_contiguous:
        leaf = torch.from_numpy(array.copy())
    else:
        reach = sum((n - 1) * s for n, s in zip(array.shape, array.strides, strict=True))
        room = np.zeros(reach // array.itemsize + 1, array.dtype)
        view = np.lib.stride_tricks.as_strided(room, array.shape, array.strides)
        view[...] = array
        strides = tuple(s // array.itemsize for s in array.strides)
        leaf = torch.from_numpy(room).as_strided(array.shape, strides)
    return leaf.requires_grad_() if array.dtype.kind in "fc" else leaf


def _weight(torch: Any, like: Any) -> Any:
    """Uneven numbers of the same shape and type."""
    count = int(np.prod(tuple(like.shape)))
    values = 1 + 0.5 * np.sin(np.arange(count) + 1.0).reshape(tuple(like.shape))
    return torch.from_numpy(np.asarray(values)).to(like.dtype)
