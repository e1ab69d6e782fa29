"""Pruning: weights that a mask holds at zero, as torch.nn.utils.prune.

A pruned parameter `weight` is replaced by the parameter `weight_orig` and the buffer `weight_mask`; before
each forward a hook writes their product to `module.weight`. Gradients reach `weight_orig` through the mask.
"""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from vizgrad.autograd.grad_mode import no_grad
from vizgrad.core.ops.public.joining import cat
from vizgrad.core.tensor.in_memory import contiguous_format
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.nn.modules.module import Module


class BasePruningMethod(ABC):
    """A way to choose which elements are pruned. As a hook of a module it writes the pruned tensor.

    A method of the user's own defines `compute_mask`, and `PRUNING_TYPE`: "unstructured" for single
    elements, "structured" for whole channels along `self.dim`, "global" for what looks at all elements.
    """

    PRUNING_TYPE: ClassVar[str]
    _tensor_name: str

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask: `default_mask` with more zeros, chosen by the scores `t` of its shape."""

    def apply_mask(self, module: Module) -> Tensor:
        """The parameter times its mask."""
        name = self._tensor_name
        mask, original = getattr(module, f"{name}_mask"), getattr(module, f"{name}_orig")
        return mask.to(original.dtype) * original

    @classmethod
    def apply(
        cls, module: Module, name: str, *args: Any, importance_scores: Tensor | None = None, **kwargs: Any
    ) -> BasePruningMethod:  # fmt: skip
        """Prunes the parameter `name` of the module, more so if it is pruned already.

        `importance_scores`, of its shape, say which elements are chosen in place of the parameter.
        AssertionError for scores of another shape.
        """
        before = _take_hook(module, name)
        method: BasePruningMethod = cls(*args, **kwargs)
        method._tensor_name = name
        if before is not None:
            container = before if isinstance(before, PruningContainer) else PruningContainer(before)
            container._tensor_name = name
            container.add_pruning_method(method)
            method = container
        tensor = getattr(module, name)
        scores = tensor if importance_scores is None else importance_scores
        try:
            _check_scores(scores, tensor, f"parameter {name} of {module}")
            if before is None:
                default = tensor.detach().new_ones(tensor.shape)
            else:
                default = (
                    getattr(module, f"{name}_mask").detach().clone(memory_format=contiguous_format)
                )
            with no_grad():
                mask = method.compute_mask(scores.detach(), default)
        except Exception:
            if before is not None:
                module.register_forward_pre_hook(before)
            raise
        if before is None:
            del module._parameters[name]
            module.register_parameter(f"{name}_orig", tensor)
        module.register_buffer(f"{name}_mask", mask)
        method(module, ())
        module.register_forward_pre_hook(method)
        return method

    def prune(
        self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None
    ) -> Tensor:
        """`t` with the elements that the method chooses set to 0."""
        scores = t if importance_scores is None else importance_scores
        _check_scores(scores, t, "tensor t")
        default = t.detach().new_ones(t.shape) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default)

    def remove(self, module: Module) -> None:
        """Makes the pruned tensor a parameter of its own again, with its zeros, and forgets the mask."""
        name = self._tensor_name
        pruned = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        parameter = module._parameters.pop(f"{name}_orig")
        assert parameter is not None
        parameter.data = pruned.data
        del module._buffers[f"{name}_mask"]
        setattr(module, name, parameter)


def _check_scores(scores: Tensor, tensor: Tensor, what: str) -> None:
    if scores.shape != tensor.shape:
        raise AssertionError(
            f"importance_scores should have the same shape as {what}: {list(tensor.shape)}, not "
            f"{list(scores.shape)}"
        )


def _take_hook(module: Module, name: str) -> BasePruningMethod | None:
    """Unhooks what prunes the parameter, and returns it."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            del module._forward_pre_hooks[key]
            return hook
    return None


class PruningContainer(BasePruningMethod):
    """Methods that prune one parameter, one after the other: each chooses among what the last left."""

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[BasePruningMethod, ...] = ()
        if len(args) == 1 and not isinstance(args[0], Iterable):
            self._tensor_name = args[0]._tensor_name
            self.add_pruning_method(args[0])
            return
        methods = args[0] if len(args) == 1 else args
        for method in methods:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """TypeError for what is no pruning method, ValueError for one of another parameter."""
        if not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        name = getattr(self, "_tensor_name", None)
        if name is not None and name != method._tensor_name:
            raise ValueError(
                "Can only add pruning methods acting on the parameter named "
                f"'{name}' to PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[BasePruningMethod]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: Any) -> Any:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The last method's mask of what `default_mask` leaves."""
        method = self._pruning_methods[-1]
        mask = default_mask.to(t.dtype).clone()
        left = _left(method, mask)
        mask[left] = method.compute_mask(t[left], default_mask[left]).to(mask.dtype)
        return mask


def _left(method: BasePruningMethod, mask: Tensor) -> Any:
    """The index of the elements that are not pruned yet, as the method may see them."""
    kind = method.PRUNING_TYPE
    if kind == "unstructured":
        return mask == 1
    if kind == "global":
        return (slice(None),) * mask.dim()
    if kind != "structured":
        raise ValueError(f"Unrecognized PRUNING_TYPE {kind}")
    dim = getattr(method, "dim", 0) % mask.dim()
    others = tuple(each for each in range(mask.dim()) if each != dim)
    channels = mask.sum(others) != 0
    return tuple(channels if each == dim else slice(None) for each in range(mask.dim()))


class Identity(BasePruningMethod):
    """Prunes nothing; the mask is all ones."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return default_mask


class _ByAmount(BasePruningMethod):
    """`amount`: how many elements (an int), or what part of them (a float between 0 and 1)."""

    def __init__(self, amount: Any) -> None:
        if not isinstance(amount, numbers.Real):
            raise TypeError(f"Invalid type for amount: {amount}. Must be number.")
        given: Any = int(amount) if isinstance(amount, numbers.Integral) else amount
        if given < 0 or (given.__class__ is not int and given > 1):
            raise ValueError(
                f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer"
            )
        self.amount: Any = given

    def _count(self, size: int) -> int:
        """How many of `size` are pruned. ValueError for more than there are."""
        if isinstance(self.amount, int):
            if self.amount > size:
                raise ValueError(
                    f"amount={self.amount} should be smaller than the number of parameters to prune={size}"
                )
            return self.amount
        return round(self.amount * size)


class _Elements(_ByAmount):
    PRUNING_TYPE = "unstructured"

    def _scores(self, t: Tensor) -> Tensor:
        """The elements with the lowest scores are pruned."""
        raise NotImplementedError

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = self._count(t.numel())
        mask = default_mask.clone(memory_format=contiguous_format)
        if count:
            mask.view(-1)[self._scores(t).reshape(-1).topk(count, largest=False).indices] = 0
        return mask


class RandomUnstructured(_Elements):
    """Prunes elements that are drawn at random."""

    def _scores(self, t: Tensor) -> Tensor:
        return t.new_empty(t.shape).uniform_()


class L1Unstructured(_Elements):
    """Prunes the elements that are smallest, by absolute value."""

    def _scores(self, t: Tensor) -> Tensor:
        return t.abs()


class _Channels(_ByAmount):
    PRUNING_TYPE = "structured"

    def __init__(self, amount: Any, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def _scores(self, t: Tensor) -> Tensor:
        """One for each channel: those with the lowest are pruned."""
        raise NotImplementedError

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        if t.dim() <= 1:
            raise ValueError(
                "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
                f"{tuple(t.shape)} with {t.dim()} dims"
            )
        if not -t.dim() <= self.dim < t.dim():
            raise IndexError(f"Invalid index {self.dim} for tensor of size {tuple(t.shape)}")
        count = self._count(t.shape[self.dim])
        if not count:
            return default_mask
        scores = self._scores(t)
        kept = scores.new_ones(scores.shape)
        kept[scores.topk(count, largest=False).indices] = 0
        shape = [1] * t.dim()
        shape[self.dim] = -1
        return default_mask.to(kept.dtype) * kept.reshape(shape)


class RandomStructured(_Channels):
    """Prunes whole channels along `dim` that are drawn at random."""

    def _scores(self, t: Tensor) -> Tensor:
        return t.new_empty(t.shape[self.dim]).uniform_()


class LnStructured(_Channels):
    """Prunes the channels along `dim` whose norm of order `n` is smallest."""

    def __init__(self, amount: Any, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def _scores(self, t: Tensor) -> Tensor:
        dim = self.dim % t.dim()
        return t.norm(self.n, dim=[each for each in range(t.dim()) if each != dim])


class CustomFromMask(BasePruningMethod):
    """Prunes where `mask` is 0."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"the mask has shape {list(self.mask.shape)}, and not {list(default_mask.shape)}"
            )
        return default_mask * self.mask.to(default_mask.dtype)


def identity(module: Module, name: str) -> Module:
    """Puts a mask of ones on the parameter; returns the module."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Module, name: str, amount: Any) -> Module:
    """Prunes `amount` elements (a part of them, if it is a float) at random; returns the module."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(
    module: Module, name: str, amount: Any, importance_scores: Tensor | None = None
) -> Module:
    """Prunes the `amount` smallest elements (a part of them, if it is a float); returns the module."""
    L1Unstructured.apply(module, name, amount, importance_scores=importance_scores)
    return module


def random_structured(module: Module, name: str, amount: Any, dim: int) -> Module:
    """Prunes `amount` channels along `dim` at random; returns the module."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Module,
    name: str,
    amount: Any,
    n: Any,
    dim: int,
    importance_scores: Tensor | None = None,
) -> Module:
    """Prunes the `amount` channels along `dim` whose norm of order `n` is smallest; returns the module."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Module, name: str, mask: Tensor) -> Module:
    """Prunes where `mask` is 0; returns the module."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Any, pruning_method: Any, importance_scores: dict[Any, Tensor] | None = None, **kwargs: Any
) -> None:  # fmt: skip
    """Prunes elements of several parameters, chosen among all of them together.

    `parameters`: pairs of a module and a name. `pruning_method`: an unstructured class, made with `kwargs`.
    TypeError for another kind, and for what is no collection of pairs.
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    pairs = list(parameters)
    given = {} if importance_scores is None else importance_scores
    if not isinstance(given, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    tensors = [getattr(module, name) for module, name in pairs]
    scores = _flat(given.get(pair, tensor) for pair, tensor in zip(pairs, tensors, strict=True))
    masks = _flat(
        getattr(module, f"{name}_mask", None)
        if hasattr(module, f"{name}_mask")
        else tensor.detach().new_ones(tensor.shape)
        for (module, name), tensor in zip(pairs, tensors, strict=True)
    )
    container = PruningContainer()
    container._tensor_name = "temp"
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    container.add_pruning_method(method)
    with no_grad():
        mask = container.compute_mask(scores, masks)
    parts = mask.split([tensor.numel() for tensor in tensors])
    for (module, name), tensor, part in zip(pairs, tensors, parts, strict=True):
        custom_from_mask(module, name, part.view_as(tensor))


def _flat(tensors: Iterable[Any]) -> Tensor:
    return cat([tensor.detach().reshape(-1) for tensor in tensors])


def remove(module: Module, name: str) -> Module:
    """Makes the pruned tensor a parameter again, with its zeros; returns the module.

    ValueError where the parameter is not pruned.
    """
    method = _take_hook(module, name)
    if method is None:
        raise ValueError(
            f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed"
        )
    method.remove(module)
    return module


def is_pruned(module: Module) -> bool:
    """Is a parameter of the module, or of one in it, pruned?"""
    return any(
        isinstance(hook, BasePruningMethod)
        for _, each in module.named_modules()
        for hook in each._forward_pre_hooks.values()
    )
