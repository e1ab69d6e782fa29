"""vizgrad: PyTorch's autograd machine, made of glass.

`import vizgrad as torch` runs ordinary dense PyTorch code; `vizgrad.debug(loss)` opens the backward pass
of `loss` in a notebook and steps it node by node, forwards and backwards.
"""

from vizgrad import autograd as autograd
from vizgrad import ops as ops
from vizgrad.arrays.backend import Device as device
from vizgrad.arrays.dtypes import bool_ as bool
from vizgrad.arrays.dtypes import float32 as float32
from vizgrad.arrays.dtypes import float64 as float64
from vizgrad.arrays.dtypes import get_default_dtype as get_default_dtype
from vizgrad.arrays.dtypes import int64 as int64
from vizgrad.arrays.dtypes import promote_types as promote_types
from vizgrad.arrays.dtypes import set_default_dtype as set_default_dtype
from vizgrad.autograd.grad_mode import enable_grad as enable_grad
from vizgrad.autograd.grad_mode import no_grad as no_grad
from vizgrad.autograd.grad_mode import set_grad_enabled as set_grad_enabled
from vizgrad.interactive import debug as debug
from vizgrad.interactive import graph as graph
from vizgrad.interactive import load_ipython_extension as load_ipython_extension
from vizgrad.interactive import on_import as _on_import
from vizgrad.interactive import record as record
from vizgrad.interactive import scope as scope
from vizgrad.interactive import unload_ipython_extension as unload_ipython_extension
from vizgrad.interactive import versions as versions
from vizgrad.tensor.modes import is_grad_enabled as is_grad_enabled
from vizgrad.tensor.tensor import Size as Size
from vizgrad.tensor.tensor import Tensor as Tensor
from vizgrad.version import __version__ as __version__

_on_import()
