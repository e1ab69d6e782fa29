"""Saving to files and loading from them, without running what a file says."""

from vizgrad.core.arrays.files import memory_limit as memory_limit
from vizgrad.serialization.loading import load as load
from vizgrad.serialization.names import add_safe_globals as add_safe_globals
from vizgrad.serialization.names import clear_safe_globals as clear_safe_globals
from vizgrad.serialization.names import get_safe_globals as get_safe_globals
from vizgrad.serialization.names import safe_globals as safe_globals
from vizgrad.serialization.saving import save as save
