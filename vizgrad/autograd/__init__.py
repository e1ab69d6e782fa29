"""The public names of torch.autograd."""

from vizgrad.autograd import function as function
from vizgrad.autograd import tensor_methods as tensor_methods
from vizgrad.autograd.function import Function as Function
from vizgrad.autograd.grad_mode import enable_grad as enable_grad
from vizgrad.autograd.grad_mode import no_grad as no_grad
from vizgrad.autograd.grad_mode import set_grad_enabled as set_grad_enabled
from vizgrad.autograd.running import backward as backward
from vizgrad.autograd.running import grad as grad
