"""Optimizer: groups of parameters, their state, and one step over all of them (T-60)."""

from __future__ import annotations

import copy
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from contextlib import nullcontext
from typing import Any, ClassVar, Final, TypeVar

from vizgrad.core import errors
from vizgrad.core.arrays import Array, xp
from vizgrad.core.arrays.backend import DEVICES, current, go_back, is_on_host, make_current
from vizgrad.core.arrays.fusion.many import together
from vizgrad.core.arrays.graph_capture import check_not_captured, is_captured
from vizgrad.core.arrays.heap import keep_freed_memory
from vizgrad.core.arrays.kernels import optimizers as rule
from vizgrad.core.arrays.kernels.elementwise import as_complex, as_real
from vizgrad.core.arrays.layout import shaped
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.graph.node import RemovableHandle, add_hook
from vizgrad.core.tensor.modes import GUARD, about_to_write, set_grad_mode
from vizgrad.core.tensor.source_location import Site, caller
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor, new_tensor, storage_of
from vizgrad.optim import multi_tensor

U = TypeVar("U", bound=Callable[..., None])

_ONE_BY_ONE: Final = nullcontext()
_ndarray = xp.ndarray

# The argument of an optimizer: parameters in an order, with names or without.


def listed(params: Any) -> tuple[list[Any], list[str]]:
    """Parameters as a list, and their names if they came as (name, parameter)."""
    if isinstance(params, Tensor):
        return [params], []
    given = list(ordered(params))
    if given and all(isinstance(p, tuple) for p in given):
        return [p for _, p in given], [name for name, _ in given]
    if any(isinstance(p, tuple) for p in given):
        raise ValueError("all optimizer params should be with/without names. Some have no name")
    return given, []


def ordered(params: Iterable[Any]) -> Iterable[Any]:
    """TypeError for a set, which has no order."""
    if isinstance(params, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but the ordering of "
            "tensors in sets will change between runs. Please use a list instead."
        )
    return params


def check_parameter(param: Any, *, recorded: bool = False) -> None:
    """TypeError unless it is a Tensor, ValueError unless it keeps its gradient or steps are `recorded`."""
    if not isinstance(param, Tensor):
        raise TypeError(
            f"optimizer can only optimize Tensors, but one of the params is {type(param).__name__}"
        )
    if not (recorded or param.is_leaf or param.retains_grad):
        raise errors.explained(
            ValueError(
                "can't optimize a non-leaf Tensor: this one is the result of "
                f"{param.grad_fn.name()}"
            ),
            kind="not-a-leaf",
            fix="give the optimizer the tensor it was computed from, or `x.detach().requires_grad_()`",
            culprit=errors.place_of(caller()),
        )


# Complex parameters: rules step their real and imaginary parts as two numbers, as PyTorch does.


class StateInParts(MutableMapping[str, Any]):
    """The state of a complex parameter as its rule sees it: complex tensors as pairs of real numbers.

    The rule's state for each number of `pairs` becomes a complex tensor on the same memory.
    """

    def __init__(self, state: MutableMapping[str, Any], pairs: Array) -> None:
        self._state = state
        self._shape = pairs.shape

    def __getitem__(self, name: str) -> Any:
        value = self._state[name]
        if isinstance(value, Tensor) and value._array.dtype.kind == "c":
            return new_tensor(as_real(value._array))
        return value

    def __setitem__(self, name: str, value: Any) -> None:
        if isinstance(value, Tensor) and value._array.shape == self._shape:
            value = new_tensor(as_complex(value._array))
        self._state[name] = value

    def __delitem__(self, name: str) -> None:
        del self._state[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._state)

    def __len__(self) -> int:
        return len(self._state)


def flat_parts(array: Array) -> Array:
    """All elements as one vector; of complex ones their parts, one after the other."""
    return (as_real(array) if array.dtype.kind == "c" else array).reshape(-1)


Group = dict[str, Any]
State = MutableMapping[str, Any]


class _Required:
    """Stands where an option has no default."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()


class Optimizer:
    """Base class. A subclass gives its defaults and `update`, which changes one parameter's array.

    `params` are tensors, (name, tensor) pairs, or dicts: groups with options of their own. Raises
    ValueError for no parameters, a tensor that is not a leaf, or one in two groups; TypeError for what
    is not a collection of tensors.
    """

    #: By the `id` of a group: its plan for stepping small parameters at once.
    _small: defaultdict[int, multi_tensor.Group]
    _step_pre_hooks: OrderedDict[int, Any]
    _step_post_hooks: OrderedDict[int, Any]
    _state_dict_pre_hooks: OrderedDict[int, Any]
    _state_dict_post_hooks: OrderedDict[int, Any]
    _load_state_dict_pre_hooks: OrderedDict[int, Any]
    _load_state_dict_post_hooks: OrderedDict[int, Any]

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, "
                "but got one Tensor; put it in a list"
            )
        if defaults.get("differentiable") and self.update_recorded is None:
            raise NotImplementedError(
                f"{type(self).__name__} does not support differentiable=True: its steps run without "
                "recording. SGD, Adam and AdamW do; or write the update in tensor operations"
            )
        keep_freed_memory()
        self.defaults = defaults
        self.param_groups: list[Group] = []
        self.state: defaultdict[Tensor, State] = defaultdict(dict)
        self.__dict__.update(_new())
        groups = list(ordered(params))
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def __getstate__(self) -> dict[str, Any]:
        """Options, state and parameters; hooks stay with the original."""
        return {
            "defaults": self.defaults, "state": self.state, "param_groups": self.param_groups,
        }  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({**_new(), **state})

    # --- parameters ----------------------------------------------------------------------------

    def add_param_group(self, param_group: Group) -> None:
        """Adds a dict with the key "params" and any options that differ from the defaults."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group).__name__}")
        group = dict(param_group)
        group["params"], names = listed(group["params"])
        if names:
            group["param_names"] = names
        for param in group["params"]:
            check_parameter(param, recorded=bool(self.defaults.get("differentiable")))
        for name, default in self.defaults.items():
            if default is required and name not in group:
                raise ValueError(
                    f"parameter group didn't specify a value of required option {name}"
                )
            group.setdefault(name, default)
        params = group["params"]
        if len({id(p) for p in params}) != len(params):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; each is updated "
                "once for every time it is listed",
                UserWarning,
                stacklevel=3,
            )
        if not {id(p) for g in self.param_groups for p in g["params"]}.isdisjoint(map(id, params)):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clears the gradients of all parameters: to None, or, in place, to zeros."""
        for group in self.param_groups:
            for param in group["params"]:
                grad = param._grad
                if grad is None:
                    continue
                if set_to_none:
                    param._grad = None
                else:
                    grad = (
                        grad.detach_() if grad.grad_fn is not None else grad.requires_grad_(False)
                    )
                    grad.zero_()

    # --- stepping ------------------------------------------------------------------------------

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Changes every parameter that has a gradient, in place and without recording.

        `closure` computes the loss anew and calls backward; what it returns is returned. Values that
        a graph has saved of a parameter are stale afterwards, and the line of this call is what the
        version error then names.
        """
        for hook in list(self._step_pre_hooks.values()):
            hook(self, (closure,), {})
        loss = None
        if closure is not None:
            before = set_grad_mode(True)
            try:
                loss = closure()
            finally:
                set_grad_mode(before)
        site = caller()
        if is_captured():
            self._check_capture()
        recorded = self.defaults.get("differentiable", False)
        before = set_grad_mode(recorded)
        device = current() if DEVICES.several else -1
        try:
            for group in self.param_groups:
                if recorded:
                    self._step_recorded(group)
                else:
                    self._step_group(group, site)
        finally:
            set_grad_mode(before)
            if device >= 0:
                go_back(device)
        for hook in list(self._step_post_hooks.values()):
            hook(self, (closure,), {})
        return loss

    #: How its steps may be captured into a graph of launches: "as they are", or "by count" with
    #: `capturable=True`, if the number of steps is in memory of the device then. "" if they cannot be.
    captured: ClassVar[str] = ""

    def _check_capture(self) -> None:
        """RuntimeError, in PyTorch's words, where a graph would repeat the numbers of one step."""
        name = type(self).__name__
        if self.captured == "as they are":
            return
        if not self.captured:
            raise NotImplementedError(
                f"step() of {name} cannot be captured into a CUDA graph, which would repeat the numbers of "
                "this step. SGD can, and Adam and AdamW with capturable=True; or take steps outside of it"
            )
        if not all(group["capturable"] for group in self.param_groups):
            raise RuntimeError(
                f"Attempting CUDA graph capture of step() for an instance of {name} but param_groups' "
                "capturable is False."
            )

    def _step_group(self, group: Group, site: Site | None) -> None:
        name = type(self).__name__ + ".step"
        changed: list[Tensor] = []
        if self.captured == "by count" and group["capturable"]:
            with together():
                for param in group["params"]:
                    if param._grad is not None:
                        rule.count(steps_beside(self.state[param], param._array))
        update = type(self).update
        many = None if "update" in self.__dict__ else getattr(update, "many", None)
        try:
            with together() if getattr(update, "only_writes", False) else _ONE_BY_ONE:
                if many is not None and len(group["params"]) >= multi_tensor.FEWEST:
                    changed = [param for param in group["params"] if param._grad is not None]
                    if (left := many(self, group, self._small[id(group)])) is not None:
                        for param in left:
                            self._step_one(param, group)
                        return
                    changed = []
                for param in group["params"]:
                    if param._grad is not None:
                        changed.append(param)
                        self._step_one(param, group)
        finally:
            for param in changed:
                (param._storage or storage_of(param)).wrote(name, site)

    def _step_recorded(self, group: Group) -> None:
        update = type(self).update_recorded
        assert update is not None
        for param in group["params"]:
            grad = param._grad
            if grad is not None:
                update(param, -grad if group["maximize"] else grad, self.state[param], group)

    def _step_one(self, param: Tensor, group: Group) -> None:
        if DEVICES.several:
            make_current(param)
        grad: Any = param._grad._array  # pyright: ignore[reportOptionalMemberAccess]
        array = param._array
        plain = grad.__class__ is _ndarray and array.dtype.kind != "c"
        if not plain and is_sparse(grad):
            self.check_sparse(group)
        if group.get("maximize", False):
            grad = -grad
        if GUARD.scoped or GUARD.transforms:
            about_to_write(param)
            array = param._array
        if plain:
            self.update(array, grad, self.state[param], group)
            return
        if array.dtype.kind == "c" and not is_sparse(grad):
            pairs = as_real(array)
            self.update(pairs, as_real(grad), StateInParts(self.state[param], pairs), group)
        else:
            self.update(array, grad, self.state[param], group)

    def check_sparse(self, group: Group) -> None:
        """Raises RuntimeError for a sparse gradient: `update` gets one only where this says otherwise."""
        raise wrong_call(
            RuntimeError(f"{type(self).__name__} does not support sparse gradients"),
            "make the embedding with sparse=False, or use SGD, Adagrad or SparseAdam",
        )

    def update(self, param: Array, grad: Array, state: State, group: Group) -> None:
        """Changes the array `param` in place; `grad` is not to be changed. Both are real: of complex
        parameters the rule is given real and imaginary parts.
        """
        raise NotImplementedError(f"{type(self).__name__} must define update() or step()")

    #: The same in operations of tensors, for `differentiable=True`: (param, grad, state, group). Few have it.
    update_recorded: ClassVar[Callable[[Tensor, Tensor, Any, Group], None] | None] = None

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """`hook(optimizer, args, kwargs)` before each step."""
        return add_hook(self._step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """`hook(optimizer, args, kwargs)` after each step."""
        return add_hook(self._step_post_hooks, hook)

    def register_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """`hook(optimizer)` before `state_dict` collects."""
        return _add(self._state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """`hook(optimizer, state_dict)` after; what it returns, if anything, is given instead."""
        return _add(self._state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """`hook(optimizer, state_dict)` before loading; what it returns, if anything, is loaded instead."""
        return _add(self._load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """`hook(optimizer)` after loading."""
        return _add(self._load_state_dict_post_hooks, hook, prepend)

    # --- state ---------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """{"state": {number: state}, "param_groups": [...]}: parameters by number, in group order."""
        for hook in list(self._state_dict_pre_hooks.values()):
            hook(self)
        numbers: dict[int, int] = {}
        groups: list[Group] = []
        for group in self.param_groups:
            for param in group["params"]:
                numbers.setdefault(id(param), len(numbers))
            packed = {k: v for k, v in group.items() if k != "params"}
            packed["params"] = [numbers[id(p)] for p in group["params"]]
            groups.append(packed)
        state = {
            numbers[id(p)] if isinstance(p, Tensor) else p: s for p, s in self.state.items() if s
        }
        found = {"state": state, "param_groups": groups}
        for hook in list(self._state_dict_post_hooks.values()):
            found = _or_else(hook(self, found), found)
        return found

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes options and state from another optimizer of the same parameters.

        Tensors of the state are copied, and cast to the type of their parameter. Raises ValueError
        when the groups differ in number or length.
        """
        state_dict = dict(state_dict)
        for hook in list(self._load_state_dict_pre_hooks.values()):
            state_dict = _or_else(hook(self, state_dict), state_dict)
        saved = state_dict["param_groups"]
        if len(saved) != len(self.param_groups):
            raise ValueError(
                f"loaded state dict has a different number of parameter groups: {len(saved)}, and "
                f"this optimizer has {len(self.param_groups)}"
            )
        params: dict[Any, Tensor] = {}
        for number, (own, other) in enumerate(zip(self.param_groups, saved, strict=True)):
            if len(own["params"]) != len(other["params"]):
                raise ValueError(
                    "loaded state dict contains a parameter group that doesn't match the size of "
                    f"optimizer's group: group {number} has {len(other['params'])} parameters, and "
                    f"this optimizer's has {len(own['params'])}"
                )
            params.update(zip(other["params"], own["params"], strict=True))
        self.state = defaultdict(dict)
        for key, state in state_dict["state"].items():
            if key in params:
                param = params[key]
                self.state[param] = {n: _restored(n, v, param) for n, v in state.items()}
            else:
                self.state[key] = copy.deepcopy(state)
        for own, other in zip(self.param_groups, saved, strict=True):
            loaded = {k: copy.deepcopy(v) for k, v in other.items() if k != "params"}
            for name in list(own):
                if name not in ("params", *loaded):
                    loaded[name] = own[name]
            kept = own["params"]
            own.clear()
            own.update(params=kept, **loaded)
        for hook in list(self._load_state_dict_post_hooks.values()):
            hook(self)

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {number}")
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join([*lines, ")"])


def _new() -> dict[str, Any]:
    """The attributes that a copy of an optimizer has anew."""
    return {"_small": defaultdict(multi_tensor.Group)} | {
        table: OrderedDict()
        for table in (
            "_step_pre_hooks", "_step_post_hooks", "_state_dict_pre_hooks", "_state_dict_post_hooks",
            "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
        )
    }  # fmt: skip


def _add(table: OrderedDict[int, Any], hook: Callable[..., Any], prepend: bool) -> RemovableHandle:
    handle = add_hook(table, hook)
    if prepend:
        table.move_to_end(handle.id, last=False)
    return handle


def _or_else(replaced: Any, kept: Any) -> Any:
    return kept if replaced is None else replaced


def _restored(name: str, value: Any, param: Tensor) -> Any:
    """A loaded piece of state: tensors in the parameter's type, the count of steps as it is."""
    if not isinstance(value, Tensor):
        return copy.deepcopy(value)
    array = value._array
    if name != "step" and param.is_floating_point():
        array = array.astype(param._array.dtype)
    return new_tensor(array.copy())


def only_writes(update: U) -> U:
    """Marks an `update` that calls one fused rule, and reads nothing of what this writes: on a device that is
    one launch for all parameters of a group.
    """
    update.only_writes = True  # pyright: ignore[reportFunctionMemberAccess]  a mark on a function
    return update


def with_many(many: Callable[..., list[Tensor] | None]) -> Callable[[U], U]:
    """Gives an `update` a form for many parameters: `many(optimizer, group, known)` steps the small ones at
    once and returns the others, or None, with nothing written, where all must be stepped one by one.
    """

    def mark(update: U) -> U:
        update.many = many  # pyright: ignore[reportFunctionMemberAccess]  a mark on a function
        return update

    return mark


def count_step(state: State) -> float:
    """Raises the number of steps taken, a 0-dim float32 tensor as in PyTorch, and returns it."""
    step = state.get("step")
    if step is None:
        step = state["step"] = new_tensor(xp.zeros((), "float32"))
    elif not isinstance(step, Tensor):
        step = state["step"] = new_tensor(xp.asarray(step, "float32"))
    step._array += 1
    return float(step._array)


def steps_beside(state: State, param: Array) -> Array:
    """The number of steps taken, a 0-dim float32 tensor beside the parameter, as PyTorch has it with
    `capturable=True`. RuntimeError for a parameter of the CPU.
    """
    if is_on_host(param):
        raise RuntimeError(
            "capturable=True is for parameters on CUDA devices, and one is on the CPU: leave it away"
        )
    step = state.get("step")
    if step is None or not step.is_cuda:
        check_not_captured("an optimizer makes its state in its first step", "take a step before")
        taken = 0.0 if step is None else float(step)
        step = state["step"] = new_tensor(
            shaped(xp.full_like, param, taken, dtype="float32", shape=())
        )
    return step._array


def buffer(state: State, name: str, like: Array, fill: float = 0.0) -> Array:
    """The array of state tensor `name`, made now, filled with `fill`, if there is none yet."""
    known = state.get(name)
    if known is None:
        check_not_captured("an optimizer makes its state in its first step", "take a step before")
        array = xp.zeros_like(like) if not fill else xp.full_like(like, fill)
        state[name] = new_tensor(array)
        known = state[name]
    return known._array


def check_at_least(name: str, value: Any, low: float = 0.0) -> None:
    """ValueError unless `value >= low`."""
    _check_single(value)
    if not low <= value:
        raise ValueError(f"Invalid {name}: {value}; it must be at least {low:g}")


def _check_single(value: Any) -> None:
    if isinstance(value, Tensor) and value.numel() != 1:
        raise ValueError(f"Tensor lr must be 1-element, but it has {value.numel()} elements")


def require_at_least(name: str, value: Any, low: float = 0) -> None:
    """ValueError unless `value >= low`, in the words that PyTorch's newer optimizers have for it."""
    _check_single(value)
    if not low <= value:
        raise ValueError(f"{name} should be >= {low} but is: {value}")


def check_betas(betas: tuple[float, float]) -> None:
    """ValueError unless all are in [0, 1)."""
    for index, beta in enumerate(betas):
        if not 0.0 <= beta < 1.0:
            raise ValueError(
                f"Invalid beta parameter at index {index}: {beta}; it must be in [0, 1)"
            )


def options(**given: Any) -> dict[str, Any]:
    """Defaults of an optimizer."""
    return given
