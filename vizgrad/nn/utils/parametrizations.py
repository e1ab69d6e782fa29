"""Parametrizations to use: orthogonal weights, and weights by length or by largest singular value."""

from __future__ import annotations

from typing import Any

from vizgrad.autograd.grad_mode import no_grad
from vizgrad.core.ops.public import linalg
from vizgrad.core.ops.public.creation import eye
from vizgrad.core.ops.public.joining import cat
from vizgrad.core.ops.public.lapack import geqrf
from vizgrad.core.ops.public.linalg_functions import matrix_exp
from vizgrad.core.ops.public.random_sampling import randn
from vizgrad.nn.functional.linear import normalize
from vizgrad.nn.modules.module import Module
from vizgrad.nn.utils.parametrize import register_parametrization
from vizgrad.nn.utils.weight_norm import _length

_MAPS = ("matrix_exp", "cayley", "householder")


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, length: Any, direction: Any) -> Any:
        return direction * (length / _length(direction, self.dim))

    def right_inverse(self, weight: Any) -> Any:
        return _length(weight, self.dim), weight


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Learns the length and the direction of a weight apart, as `original0` and `original1`.

    T. Salimans, D. Kingma, Weight Normalization (2016). `dim` None: one length for all. Files of
    `nn.utils.weight_norm`'s names (NAME_g, NAME_v) can be loaded.
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def older_names(state: dict[str, Any], prefix: str, *_: Any) -> None:
        older = [prefix + name + end for end in ("_g", "_v")]
        if all(each in state for each in older):
            for k, each in enumerate(older):
                state[f"{prefix}parametrizations.{name}.original{k}"] = state.pop(each)

    module._register_load_state_dict_pre_hook(older_names)
    return module


class _SpectralNorm(Module):
    def __init__(self, weight: Any, steps: int, dim: int, eps: float) -> None:
        super().__init__()
        if dim not in range(-weight.ndim, weight.ndim):
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{weight.ndim}, {weight.ndim - 1}], "
                f"but got {dim})"
            )
        if steps <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={steps}"
            )
        self.dim = dim % weight.ndim
        self.eps = eps
        self.n_power_iterations = steps
        if weight.ndim > 1:
            matrix = self._matrix(weight).detach()
            height, width = matrix.shape
            for end, n in (("_u", height), ("_v", width)):
                start = randn(n, dtype=matrix.dtype, device=matrix.device)
                self.register_buffer(end, normalize(start, dim=0, eps=eps))
            self._step(matrix, 15)

    def _matrix(self, weight: Any) -> Any:
        if self.dim:
            weight = weight.movedim(self.dim, 0)
        return weight.flatten(1) if weight.ndim > 1 else weight

    def _step(self, matrix: Any, steps: int) -> None:
        with no_grad():
            u, v = self._u, self._v
            for _ in range(steps):
                u = normalize(matrix.mv(v), dim=0, eps=self.eps)
                v = normalize(matrix.mH.mv(u), dim=0, eps=self.eps)
            # a backward may still need those of the last forward: they are not written
            self._u, self._v = u, v

    def forward(self, weight: Any) -> Any:
        if weight.ndim == 1:
            return normalize(weight, dim=0, eps=self.eps)
        matrix = self._matrix(weight)
        if self.training:
            self._step(matrix.detach(), self.n_power_iterations)
        return weight / self._u.vdot(matrix.mv(self._v))

    def right_inverse(self, value: Any) -> Any:
        return value


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12,
    dim: int | None = None,
) -> Any:  # fmt: skip
    """Divides a weight by its largest singular value, estimated by power iteration in training mode.

    T. Miyato et al., Spectral Normalization for Generative Adversarial Networks (2018).
    """
    weight = getattr(module, name, None)
    if weight is None or not hasattr(weight, "ndim"):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        dim = 1 if getattr(module, "transposed", False) else 0
    return register_parametrization(
        module, name, _SpectralNorm(weight, n_power_iterations, dim, eps)
    )


class _Orthogonal(Module):
    """A matrix with orthonormal columns (rows, if it is wide) from the triangle of another."""

    base: Any

    def __init__(self, weight: Any, kind: str, use_trivialization: bool) -> None:
        super().__init__()
        if weight.is_complex() and kind == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.kind = kind
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, x: Any) -> Any:
        rows, columns = x.shape[-2:]
        if rows < columns:
            return self._tall(x.mT).mT
        return self._tall(x)

    def _tall(self, x: Any) -> Any:
        n, k = x.shape[-2:]
        if self.kind == "householder":
            below = x.tril(-1)
            tau = 2 / (1 + (below * below).sum(-2))
            # a sign for each column, which `right_inverse` has put on the diagonal
            made = linalg.householder_product(below, tau)
            made = made * x.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        else:
            lower = x.tril()
            if n != k:
                lower = cat([lower, lower.new_zeros((*x.shape[:-1], n - k))], -1)
            skew = lower - lower.mH
            if self.kind == "matrix_exp":
                made = matrix_exp(skew)
            else:
                one = eye(n, dtype=x.dtype, device=x.device)
                made = linalg.solve(one - skew / 2, one + skew / 2)
            made = made[..., :k]
        base = getattr(self, "base", None)
        return made if base is None else base @ made

    def right_inverse(self, weight: Any) -> Any:
        if weight.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape "
                f"{weight.shape}."
            )
        rows, columns = weight.shape[-2:]
        if rows < columns:
            return self._start(weight.mT).mT
        return self._start(weight)

    def _start(self, weight: Any) -> Any:
        n, k = weight.shape[-2:]
        if "base" not in self._buffers:
            if self.kind != "householder":
                raise NotImplementedError(
                    f"It is not possible to assign to a weight that is orthogonal by {self.kind!r} without "
                    "a base to start from; set use_trivialization=True, or orthogonal_map='householder'"
                )
            found, tau = geqrf(weight)
            signs = found.diagonal(dim1=-2, dim2=-1)
            signs.sign_()
            signs[tau == 0] *= -1
            return found
        if n != k:
            weight = cat([weight, weight.new_empty((*weight.shape[:-1], n - k)).normal_()], -1)
        found, tau = geqrf(weight)
        made = linalg.householder_product(found, tau)
        self.base = made * found.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)
        return -eye(n, k, dtype=weight.dtype, device=weight.device).expand(*weight.shape[:-2], n, k)


def orthogonal(
    module: Any, name: str = "weight", orthogonal_map: str | None = None, *,
    use_trivialization: bool = True,
) -> Any:  # fmt: skip
    """Keeps the columns (or rows) of a weight, or batch of weights, orthonormal.

    `orthogonal_map` is one of "matrix_exp" (for square and complex matrices), "cayley" and "householder" (for
    others); with `use_trivialization` it starts from the weight as it is, made orthogonal.
    M. Lezcano-Casado, Trivializations for Gradient-Based Optimization on Manifolds (2019).
    """
    weight = getattr(module, name, None)
    if weight is None or not hasattr(weight, "ndim"):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(
            f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions."
        )
    if orthogonal_map is None:
        square = weight.shape[-2] == weight.shape[-1]
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    if orthogonal_map not in _MAPS:
        raise ValueError(
            'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: '
            f"{orthogonal_map}"
        )
    made = _Orthogonal(weight, orthogonal_map, use_trivialization)
    return register_parametrization(module, name, made, unsafe=True)
