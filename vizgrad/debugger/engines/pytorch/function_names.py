"""How a function of PyTorch's is noted: by its name, as `TorchFunctionMode` tells of it."""

from __future__ import annotations

from typing import Any

from vizgrad.debugger.watch.functions import LEAKS, LIKE, MAKE

#: Getters whose result is a tensor of the values of another.
_VIEWS = frozenset({"T", "mT", "H", "mH", "real", "imag"})
#: They neither make tensors nor write to any, or what they make tells nothing.
_PASSED = frozenset(
    {
        "size", "dim", "ndimension", "numel", "nelement", "stride", "is_complex", "is_floating_point",
        "is_contiguous", "element_size", "storage_offset", "data_ptr", "untyped_storage", "__len__",
        "is_inference", "is_signed", "is_same_size", "is_set_to", "get_device", "__hash__",
        "__bool__", "__repr__", "__format__", "__str__", "__dir__", "requires_grad_", "retain_grad",
        "_set_grad_enabled", "is_tensor", "register_post_accumulate_grad_hook", "result_type", "can_cast",
        "is_grad_enabled", "zeros", "ones", "empty", "arange", "_backward_hooks",
        "__deepcopy__", "__reduce_ex__", "__setstate__", "_is_view", "is_nonzero", "empty_like",
    }
)  # fmt: skip
_KINDS = {"register_hook": "hook", "backward": "run", "grad": "run"}


def heard_as(func: Any) -> tuple[str, str]:
    """(kind, name). Kinds are those of `vizgrad.debugger.watch.hooked_functions`; "pass": nothing is
    noted of it, "run": it runs a backward, of which the engine tells.
    """
    try:
        known = _known.get(func)
    except TypeError:
        return _heard_as(func)
    if known is None:
        known = _heard_as(func)
        if len(_known) < _MOST_KNOWN:
            _known[func] = known
    return known


_known: dict[Any, tuple[str, str]] = {}
_MOST_KNOWN = 10_000


def _heard_as(func: Any) -> tuple[str, str]:
    name = str(getattr(func, "__name__", ""))
    if name in ("__get__", "__set__", "__delete__"):
        return _of_attribute(name, str(getattr(func.__self__, "__name__", "")))
    name = name.partition(".")[0]  # of an overload: add.Tensor
    if name in _PASSED or name.startswith("_record_function"):
        return "pass", name
    if name in _KINDS:
        return _KINDS[name], name
    if name in LEAKS:
        return "leak", name
    if name in LIKE:
        return "like", name
    return ("make" if name in MAKE else "op"), name


def _of_attribute(access: str, name: str) -> tuple[str, str]:
    if name == "data":
        return ("data" if access == "__get__" else "assign"), name
    return ("op" if access == "__get__" and name in _VIEWS else "pass"), name
