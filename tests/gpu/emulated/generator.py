"""numpy's random numbers in the place of cupy.random.Generator, which nvcc has compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.gpu.emulated.account import ACCOUNT, unnoted

_WORD = 1 << 64


class BitGenerator:
    """Its `_state` is memory of the device, which can be copied and written to, as cupy's."""

    def __init__(self, cupy: Any, seed: Any) -> None:
        self._own = np.random.PCG64(seed)
        with unnoted():
            self._state = cupy.asarray(self._words())

    def _words(self) -> np.ndarray:
        state = self._own.state
        numbers = (state["state"]["state"], state["state"]["inc"])
        words = [part for n in numbers for part in (n % _WORD, n // _WORD)]
        return np.array([*words, state["has_uint32"], state["uinteger"]], np.uint64)

    def read(self) -> None:
        low, high, step, upper, has, rest = map(int, self._state.get())
        self._own.state = {
            "bit_generator": "PCG64",
            "state": {"state": low + high * _WORD, "inc": step + upper * _WORD},
            "has_uint32": has,
            "uinteger": rest,
        }

    def write(self) -> None:
        self._state.set(self._words())

    def state(self) -> int:
        return self._state.data.ptr


class Generator:
    """The names that cupy's has, and no others."""

    def __init__(self, cupy: Any, seed: Any) -> None:
        self._cupy = cupy
        self.bit_generator = BitGenerator(cupy, seed)
        self._own = np.random.Generator(self.bit_generator._own)

    def __getattr__(self, name: str) -> Any:
        if name not in dir(self._cupy.random.Generator):
            raise AttributeError(name)

        def draw(*args: Any, **options: Any) -> Any:
            ACCOUNT.launches.append(f"random.{name}")
            with unnoted():
                self.bit_generator.read()
                given = [a.get() if isinstance(a, self._cupy.ndarray) else a for a in args]
                found = self._cupy.asarray(getattr(self._own, name)(*given, **options))
                self.bit_generator.write()
            return found

        return draw
