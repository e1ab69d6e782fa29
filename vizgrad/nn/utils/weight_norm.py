"""A weight as a direction and a length, or divided by its largest singular value."""

from __future__ import annotations

from typing import Annotated, Any

from vizgrad.core.arrays import xp
from vizgrad.core.tensor.requirements import Requirement, checked
from vizgrad.core.tensor.tensor import new_tensor
from vizgrad.nn.modules.module import Module
from vizgrad.nn.parameter import Parameter


def _length(v: Any, dim: int | None) -> Any:
    """The norm of all of `v`, or of each of its slices along `dim`, shaped to multiply it."""
    if dim is None or dim == -1:
        return v.norm()
    flat = v.transpose(0, dim).reshape(v.shape[dim], -1).norm(2, 1)
    return flat.view(*(-1 if d == dim else 1 for d in range(v.ndim)))


class WeightNorm:
    """Computes the weight anew before every forward: g * v / |v|."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = dim

    def compute(self, module: Any) -> Any:
        g, v = getattr(module, self.name + "_g"), getattr(module, self.name + "_v")
        return v * (g / _length(v, self.dim))

    def __call__(self, module: Any, args: Any) -> None:
        setattr(module, self.name, self.compute(module))


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Learns the length and the direction of a weight apart, as `name`_g and `name`_v.

    T. Salimans, D. Kingma, Weight Normalization (2016). `dim` None: one length for all.
    """
    if name + "_g" in module._parameters:
        raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    hook = WeightNorm(name, dim)
    weight: Any = getattr(module, name)
    delattr(module, name)
    module.register_parameter(name + "_g", Parameter(_length(weight, dim).detach()))
    module.register_parameter(name + "_v", Parameter(weight.detach()))
    setattr(module, name, hook.compute(module))
    module.register_forward_pre_hook(hook)
    return module


def _take_hook(module: Module, kind: type, name: str) -> Any:
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, kind) and hook.name == name:
            del module._forward_pre_hooks[key]
            return hook
    what = "weight_norm" if kind is WeightNorm else "spectral_norm"
    raise ValueError(f"{what} of '{name}' not found in {module}")


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """Makes the weight one parameter again."""
    hook = _take_hook(module, WeightNorm, name)
    weight = hook.compute(module).detach()
    delattr(module, name)
    del module._parameters[name + "_g"], module._parameters[name + "_v"]
    setattr(module, name, Parameter(weight))
    return module


class SpectralNorm:
    """Divides the weight by an estimate of its largest singular value before every forward."""

    def __init__(self, name: str, steps: int, eps: float, dim: int) -> None:
        self.name = name
        self.steps = steps
        self.eps = eps
        self.dim = dim

    def matrix(self, weight: Any) -> Any:
        if self.dim:
            order = [self.dim, *(d for d in range(weight.ndim) if d != self.dim)]
            weight = weight.permute(*order)
        return weight.reshape(weight.shape[0], -1)

    def compute(self, module: Any) -> Any:
        weight = getattr(module, self.name + "_orig")
        matrix = self.matrix(weight)
        u, v = getattr(module, self.name + "_u"), getattr(module, self.name + "_v")
        if module.training:
            values = matrix.detach()
            for _ in range(self.steps):
                v = values.t().mv(u)
                v = v / v.norm().clamp_min(self.eps)
                u = values.mv(v)
                u = u / u.norm().clamp_min(self.eps)
            setattr(module, self.name + "_u", u)
            setattr(module, self.name + "_v", v)
        return weight / u.dot(matrix.mv(v))

    def __call__(self, module: Any, args: Any) -> None:
        setattr(module, self.name, self.compute(module))


_ITERATIONS = Requirement(
    "{0} <= 0",
    "Expected n_power_iterations to be positive, but got n_power_iterations={value}",
    ValueError,
)


@checked
def spectral_norm(
    module: Module, name: str = "weight",
    n_power_iterations: Annotated[int, _ITERATIONS] = 1, eps: float = 1e-12,
    dim: int | None = None,
) -> Module:  # fmt: skip
    """Divides a weight by its largest singular value, estimated by power iteration.

    T. Miyato et al., Spectral Normalization for Generative Adversarial Networks (2018).
    """
    if name + "_orig" in module._parameters:
        raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
    if dim is None:
        dim = 1 if getattr(module, "transposed", False) else 0
    hook = SpectralNorm(name, n_power_iterations, eps, dim)
    weight: Any = getattr(module, name)
    delattr(module, name)
    module.register_parameter(name + "_orig", weight)
    matrix = hook.matrix(weight.detach())._array
    for end, n in (("_u", matrix.shape[0]), ("_v", matrix.shape[1])):
        start: Any = new_tensor(xp.zeros_like(matrix, shape=(n,), order="C")).normal_()
        module.register_buffer(name + end, start / start.norm().clamp_min(eps))
    setattr(module, name, weight.detach())
    module.register_forward_pre_hook(hook)
    return module


def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """Makes the weight, divided as it is now, one parameter again."""
    hook = _take_hook(module, SpectralNorm, name)
    training, module.training = module.training, False  # no further step of the estimate
    weight = hook.compute(module).detach()
    module.training = training
    delattr(module, name)
    for end in ("_u", "_v"):
        delattr(module, name + end)
    delattr(module, name + "_orig")
    module.register_parameter(name, Parameter(weight))
    return module
