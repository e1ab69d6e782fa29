"""The public names of torch.func, as far as they are there: modules as functions of their parameters."""

from vizgrad.func.module_state import functional_call as functional_call
from vizgrad.func.module_state import stack_module_state as stack_module_state
