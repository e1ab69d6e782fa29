"""The lock around what a tensor or a node gets when it is first asked for: storage, node of a leaf, hooks."""

from __future__ import annotations

import threading

#: Two threads may ask at once: both get the same. Reentrant, because a garbage collection within may run code
#: that asks, too.
FIRST_USE = threading.RLock()
