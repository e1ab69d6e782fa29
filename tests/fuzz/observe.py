"""What a call does on one module: what it raises, or its results, gradients and effects."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

NAMESPACE = {"inf": math.inf, "nan": math.nan}
_COMPILED: dict[str, Any] = {}


@contextmanager
def unwarned() -> Iterator[None]:
    """Warnings are not compared. numpy's warnings of floating-point errors must not reach the user:
    from vizgrad's own code they are errors.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", category=RuntimeWarning, module="vizgrad")
        warnings.filterwarnings(
            "ignore", category=np.exceptions.ComplexWarning
        )  # PyTorch warns too
        yield


def run(module: Any, lines: list[str]) -> dict[str, Any]:
    """The names after the lines have run."""
    names = {"torch": module, **NAMESPACE}
    exec(compile("\n".join(lines), "<call>", "exec"), names)
    return names


def observed(module: Any, call: Any, derivatives: bool = True) -> dict[str, Any]:
    """What can be seen of a call, by name of what is seen. Tensors are seen as arrays."""
    lines = call.source()
    with unwarned():
        try:
            names = run(module, lines[:-1])
        except Exception as error:  # noqa: BLE001  whatever it is, it is compared
            return {"operands": error}
        try:
            exec(compile(lines[-1], "<call>", "exec"), names)
        except Exception as error:  # noqa: BLE001
            # what a refused write has written by then, nobody promises
            return {"raises": error} | ({} if call.writes or call.outs else _operands(names, call))
        seen: dict[str, Any] = {}
        results: list[Any] = []
        seen["kind"] = _shape_of(module, names["result"], results)
        for k, tensor in enumerate(results):
            _describe(seen, str(k) if len(results) > 1 else "", tensor, names, call)
        seen |= _operands(names, call)
        for k in range(len(call.outs)):
            seen[f"out{k} is result"] = any(names[f"out{k}"] is r for r in results)
        if derivatives:
            seen |= _derivatives(module, names, call, results)
        return seen


def _shape_of(module: Any, result: Any, tensors: list[Any]) -> Any:
    """What kind of thing the result is; its tensors are put into the list."""
    if isinstance(result, module.Tensor):
        tensors.append(result)
        return "tensor"
    if isinstance(result, (list, tuple)) and not isinstance(result, module.Size):
        kinds = [_shape_of(module, r, tensors) for r in result]
        if type(result) not in (tuple, list):
            kinds.append(fields_of(type(result)))
        return kinds
    if isinstance(result, dict):
        return {k: _shape_of(module, v, tensors) for k, v in result.items()}
    if isinstance(result, module.Size):
        return ("Size", *result)
    if isinstance(result, str):
        return result.replace("vizgrad.", "torch.")
    if isinstance(result, (bool, int, float, complex, type(None))):
        return result
    if isinstance(result, np.ndarray):
        return ("array", result.dtype.str, result.tolist())
    text = str(result).replace("vizgrad", "torch").replace("torch.", "")
    return text if "0x" not in text else type(result).__name__


def fields_of(kind: type) -> list[str]:
    """Names of the parts of a named tuple, or of PyTorch's tuples with names."""
    own = ("count", "index", "n_fields", "n_sequence_fields", "n_unnamed_fields")
    return sorted(n for n in dir(kind) if not n.startswith("_") and n not in own)


def array(tensor: Any) -> np.ndarray:
    tensor = tensor.detach()
    if str(tensor.dtype).endswith("bfloat16"):
        tensor = tensor.float()
    if str(tensor.dtype).endswith("complex32"):  # numpy has no such type, nor has vizgrad
        tensor = tensor.cfloat()
    return np.array(tensor.resolve_conj().resolve_neg().numpy(force=True))


def _strides(tensor: Any) -> Any:
    """Of dims that have them: of no or one element, a stride says nothing."""
    if tensor.numel() < 2:
        return None
    return tuple(s for n, s in zip(tensor.shape, tensor.stride(), strict=True) if n > 1)


def _memory(tensor: Any) -> int:
    return tensor.untyped_storage().data_ptr() if tensor.numel() else 0


def _describe(seen: dict[str, Any], at: str, tensor: Any, names: dict[str, Any], call: Any) -> None:
    seen[f"dtype{at}"] = str(tensor.dtype).split(".")[-1]
    seen[f"shape{at}"] = tuple(tensor.shape)
    seen[f"requires_grad{at}"] = tensor.requires_grad
    seen[f"value{at}"] = array(tensor)
    memory = _memory(tensor)
    shared = [n for n in _operand_names(call) if memory and memory == _memory(names[n])]
    seen[f"shares{at}"] = "".join(shared)
    seen[f"{'view ' if shared else ''}strides{at}"] = _strides(tensor)
    # a result that shares nothing may be a view of something that nobody sees
    seen[f"is_view{at}"] = tensor._is_view() if shared else False
    seen[f"offset{at}"] = tensor.storage_offset() if shared else 0


def _operand_names(call: Any) -> str:
    return "abcdefghijkl"[: len(call.operands())]


def _operands(names: dict[str, Any], call: Any) -> dict[str, Any]:
    """Values and versions of what was given, after the call."""
    seen: dict[str, Any] = {}
    given = [*_operand_names(call), *(["target"] if "target" in names else [])]
    for name in [*given, *(f"out{k}" for k in range(len(call.outs)))]:
        tensor = names.get(name)
        if tensor is not None:
            seen[f"{name} after"] = array(tensor)
            seen[f"{name} version"] = tensor._version
    return seen


def weight(module: Any, like: Any, turn: float = 0.0) -> Any:
    """Uneven numbers of the same shape and type."""
    values = 1 + 0.5 * np.sin(np.arange(like.numel()) + 1.0 + turn)
    made = module.from_numpy(values.reshape(tuple(like.shape)))
    return made.to(like.dtype)


def _derivatives(
    module: Any, names: dict[str, Any], call: Any, results: list[Any]
) -> dict[str, Any]:
    wanted = [names[n] for n in _operand_names(call) if names[n].requires_grad]
    roots = [r for r in results if r.requires_grad]
    if not roots or not wanted:
        return {}
    plain = _plain(module, roots, wanted) if call.plain else {}
    return _of_graphs(module, roots, wanted) | plain


def _plain(module: Any, roots: list[Any], wanted: list[Any]) -> dict[str, Any]:
    """What an ordinary `backward` leaves in `grad`."""
    try:
        module.autograd.backward(roots, [weight(module, r) for r in roots], retain_graph=True)
    except Exception as error:  # noqa: BLE001
        return {"plain gradient raises": error}
    seen: dict[str, Any] = {}
    for k, leaf in enumerate(wanted):
        seen[f"plain gradient {k}"] = None if leaf.grad is None else array(leaf.grad)
        seen[f"plain gradient requires_grad {k}"] = (
            leaf.grad is not None and leaf.grad.requires_grad
        )
    return seen


def _of_graphs(module: Any, roots: list[Any], wanted: list[Any]) -> dict[str, Any]:
    """First derivatives with graphs of their own, and second ones."""
    seen: dict[str, Any] = {}
    grad = module.autograd.grad
    try:
        weights = [weight(module, r) for r in roots]
        firsts = grad(roots, wanted, weights, create_graph=True, allow_unused=True)
    except Exception as error:  # noqa: BLE001
        return {"gradient raises": error}
    for k, first in enumerate(firsts):
        seen[f"gradient {k}"] = None if first is None else array(first)
        seen[f"gradient requires_grad {k}"] = first is not None and first.requires_grad
    curved = [f for f in firsts if f is not None and f.requires_grad]
    if curved:
        try:
            outer = [weight(module, f, 0.3) for f in curved]
            seconds = grad(curved, wanted, outer, allow_unused=True)
        except Exception as error:  # noqa: BLE001
            seen["second raises"] = error
            return seen
        for k, second in enumerate(seconds):
            seen[f"second {k}"] = None if second is None else array(second)
    return seen
