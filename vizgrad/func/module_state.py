"""Modules as functions of their parameters, and the parameters of many modules as one (spec C-9)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from vizgrad.core.ops.public.joining import stack
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.nn.modules.batchnorm import _BatchNorm
from vizgrad.nn.modules.module import Module
from vizgrad.nn.utils.stateless import call_with


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: dict[str, Tensor] | Sequence[dict[str, Tensor]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """`module(*args, **kwargs)` with the given tensors in the place of its own, by dotted path.

    They may be in several dicts; `args` that are no tuple are one argument. Gradients go to the tensors
    given, and in-place changes (running statistics) are made in them; the module stays what it was. A tensor
    that the module holds under several names is replaced under all, unless `tie_weights=False`. With
    `strict` there must be one for each parameter and buffer, and no other (RuntimeError). ValueError for a
    name in several dicts, or different tensors under tied names; TypeError for what is no tensor;
    AttributeError for a path that leads nowhere.
    """
    return call_with(
        module, _one_dict(parameter_and_buffer_dicts), args, kwargs, tie_weights, strict
    )


def _one_dict(dicts: Any) -> dict[str, Any]:
    if isinstance(dicts, dict):
        return dicts
    bad = ""
    joined: dict[str, Any] = {}
    if not isinstance(dicts, (list, tuple)):
        bad = (
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{type(dicts)}"
        )
    elif not all(isinstance(each, dict) for each in dicts):
        bad = "Expected all elements of parameter_and_buffer_dicts to be dictionaries"
    else:
        names = [name for each in dicts for name in each]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            bad = f"{twice} appeared in multiple dictionaries; behavior of functional call is ambiguous"
        for each in dicts:
            joined.update(each)
    if bad:
        raise wrong_call(ValueError(bad), "give one dict, or several without a name in common")
    return joined


def stack_module_state(models: Sequence[Module]) -> tuple[dict[str, Any], dict[str, Any]]:
    """(parameters, buffers) of modules of one class: by name, one leaf with the modules as first dimension.

    RuntimeError for no modules, for modules of several classes or modes (`train`, `eval`), or whose tensors
    of one name have other shapes or do not all require grad.
    """
    bad = ""
    if len(models) == 0:
        bad = "Expected at least one model, got 0."
    elif len({type(model) for model in models}) > 1:
        bad = "Expected all models to be of the same class."
    elif len({model.training for model in models}) > 1:
        bad = "Expected all models to have the same training/eval mode."
    if bad:
        raise wrong_call(
            RuntimeError(f"stack_module_state: {bad}"), "give it modules made and set alike"
        )
    return (
        _stacked(models, lambda model: model.named_parameters()),
        _stacked(models, lambda model: model.named_buffers()),
    )


def _stacked(
    models: Sequence[Module], members: Callable[[Module], Iterable[tuple[str, Tensor]]]
) -> dict[str, Any]:
    each = [dict(members(model)) for model in models]
    return {name: _leaf(name, [one[name] for one in each]) for name in each[0]}


def _leaf(name: str, tensors: list[Tensor]) -> Tensor:
    flags = {tensor.requires_grad for tensor in tensors}
    if len(flags) > 1:
        raise wrong_call(
            RuntimeError(f"Expected {name} from each model to have the same .requires_grad"),
            f"freeze `{name}` in all of them, or in none",
        )
    return stack([tensor.detach() for tensor in tensors]).requires_grad_(flags.pop())


def replace_all_batch_norm_modules_(root: Module) -> Module:
    """Lets every batch norm in it keep no running statistics: `vmap` refuses writes to them. Returns it."""
    for module in root.modules():
        if isinstance(module, _BatchNorm):
            module.track_running_stats = False
            module.running_mean = module.running_var = module.num_batches_tracked = None
    return root
