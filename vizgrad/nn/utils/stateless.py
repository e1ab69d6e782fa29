"""The older place of `vizgrad.func.functional_call`."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.nn.modules.module import Module

# A module's call with other tensors in the place of its parameters and buffers.

_MISSING = object()


def call_with(
    module: Module, state: dict[str, Any], args: Any, kwargs: Any, tie_weights: bool, strict: bool
) -> Any:
    """`module(*args, **kwargs)` with the tensors of `state`, by dotted path; see `functional_call`."""
    kwargs = {} if kwargs is None else kwargs
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with _replaced(module, state, tie_weights, strict):
        return module(*args, **kwargs)


@contextmanager
def _replaced(
    module: Module, state: dict[str, Any], tie_weights: bool, strict: bool
) -> Iterator[None]:
    """Within the block the module has the tensors of `state`, afterwards its own again.

    A replacement that the module has made in the meantime is put into `state`.
    """
    held = _members(module)
    wanted = _with_tied(held, state) if tie_weights else dict(state)
    if strict:
        _check_keys(module, held, wanted)
    before: dict[str, Any] = {}
    try:
        for path, value in wanted.items():
            before[path] = _swap(module, path, value)
        yield
    finally:
        for path, value in before.items():
            now = _swap(module, path, value)
            if path in state and now is not state[path] and now is not _MISSING:
                state[path] = now


def _members(module: Module) -> dict[str, Tensor]:
    """All parameters and buffers, shared ones under each of their names."""
    members: dict[str, Tensor] = dict(module.named_parameters(remove_duplicate=False))
    members.update(module.named_buffers(remove_duplicate=False))
    return members


def _with_tied(held: dict[str, Tensor], state: dict[str, Any]) -> dict[str, Any]:
    """`state` with the other names of tensors that the module holds under several."""
    names: dict[int, list[str]] = {}
    for path, tensor in held.items():
        names.setdefault(id(tensor), []).append(path)
    wanted = dict(state)
    for group in names.values():
        given = [path for path in group if path in state]
        if not given:
            continue
        if any(state[path] is not state[given[0]] for path in given):
            raise wrong_call(
                ValueError(
                    f"functional_call got multiple values for keys {sorted(given)}, which are tied. "
                    "Consider using tie_weights=False"
                ),
                "give one of them, or the same tensor for all",
            )
        wanted.update(dict.fromkeys(group, state[given[0]]))
    return wanted


def _check_keys(module: Module, held: dict[str, Tensor], wanted: dict[str, Any]) -> None:
    found = {
        "Unexpected": sorted(set(wanted) - set(held)),
        "Missing": sorted(set(held) - set(wanted)),
    }
    lines = [
        f"\n\t{what} key(s): {', '.join(map(repr, keys))}." for what, keys in found.items() if keys
    ]
    if lines:
        raise wrong_call(
            RuntimeError(
                f"Error(s) in reparametrizing for {type(module).__name__}:{''.join(lines)}"
            ),
            "give a tensor for each parameter and buffer, or leave strict out",
        )


def _owner(module: Module, path: list[str]) -> Module:
    owner: Any = module
    for name in path:
        inner = owner._modules.get(name)
        if inner is None:
            raise wrong_call(
                AttributeError(f"{type(owner).__name__} has no attribute `{name}`"),
                "take the names from named_parameters() or state_dict()",
            )
        owner = inner
    return owner


def _swap(module: Module, path: str, value: Any) -> Any:
    """Puts `value` (`_MISSING`: nothing) where the path leads, past all checks; returns what was there."""
    *parents, name = path.split(".")
    owner = _owner(module, parents)
    for members in (owner._parameters, owner._buffers):
        if name in members:
            known = members[name]
            members[name] = _tensor(value)
            return known
    known = getattr(owner, name, _MISSING)
    if known is not _MISSING:
        _tensor(known)
    if value is _MISSING:
        delattr(owner, name)
    else:
        setattr(owner, name, _tensor(value))
    return known


def _tensor(value: Any) -> Any:
    if value is not None and not isinstance(value, Tensor):
        raise wrong_call(
            TypeError(f"{value} is not an instance of vizgrad.Tensor"), "give tensors by name"
        )
    return value


def functional_call(
    module: Module,
    parameters_and_buffers: dict[str, Tensor],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """As `vizgrad.func.functional_call`, for one dict; warns (FutureWarning)."""
    warnings.warn(
        "`vizgrad.nn.utils.stateless.functional_call` is deprecated: use "
        "`vizgrad.func.functional_call`, which takes the same.",
        FutureWarning,
        stacklevel=2,
    )
    return call_with(module, parameters_and_buffers, args, kwargs, tie_weights, strict)
