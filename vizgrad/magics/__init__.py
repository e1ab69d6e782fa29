"""``%load_ext vizgrad``: the notebook magics."""

from vizgrad.magics.extension import load_ipython_extension as load_ipython_extension
from vizgrad.magics.extension import unload_ipython_extension as unload_ipython_extension
