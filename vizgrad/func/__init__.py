"""The public names of torch.func: transforms of functions, and modules as functions of their parameters."""

from vizgrad.func.forward import jvp as jvp
from vizgrad.func.forward import linearize as linearize
from vizgrad.func.jacobians import hessian as hessian
from vizgrad.func.jacobians import jacfwd as jacfwd
from vizgrad.func.jacobians import jacrev as jacrev
from vizgrad.func.module_state import functional_call as functional_call
from vizgrad.func.module_state import (
    replace_all_batch_norm_modules_ as replace_all_batch_norm_modules_,
)
from vizgrad.func.module_state import stack_module_state as stack_module_state
from vizgrad.func.reverse import grad as grad
from vizgrad.func.reverse import grad_and_value as grad_and_value
from vizgrad.func.reverse import vjp as vjp
from vizgrad.func.vmap import vmap as vmap
