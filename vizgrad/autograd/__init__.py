"""The public names of torch.autograd."""

from vizgrad.autograd import tensor_methods as tensor_methods
from vizgrad.autograd.running import backward as backward
from vizgrad.autograd.running import grad as grad
