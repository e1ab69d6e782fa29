"""Mixed precision: see the README."""

from vizgrad.amp.grad_scaler import GradScaler as GradScaler
from vizgrad.amp.mode import autocast as autocast
from vizgrad.amp.mode import custom_bwd as custom_bwd
from vizgrad.amp.mode import custom_fwd as custom_fwd
from vizgrad.amp.mode import is_autocast_available as is_autocast_available
