"""The public names of torch.autograd.function (F-1)."""

from vizgrad.function.custom.backward_class import BackwardCFunction as BackwardCFunction
from vizgrad.function.custom.context import FunctionCtx as FunctionCtx
from vizgrad.function.custom.context import _ContextMethodMixin as _ContextMethodMixin
from vizgrad.function.custom.context import _HookMixin as _HookMixin
from vizgrad.function.custom.function import Function as Function
from vizgrad.function.custom.function import FunctionMeta as FunctionMeta
from vizgrad.function.custom.function import traceable as traceable
from vizgrad.function.custom.once import once_differentiable as once_differentiable
