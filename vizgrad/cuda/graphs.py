"""Graphs of launches: what a device is asked for is noted once, and repeated by one launch.

    g = cuda.CUDAGraph()
    with cuda.graph(g):          # after a few steps on another stream, which compile and allocate
        loss = model(x).square().sum()
        loss.backward()
        optimizer.step()
    x.copy_(next_batch)
    g.replay()                   # the same launches, with the same memory

Inside, nothing is computed: whatever asks for a value raises. A replay repeats launches alone, no Python: no
hook, no path that the program would take with other values, and no number of the host. Random generators go
on from replay to replay as they would without a graph. Memory of the graph is in a pool of its own.
"""

from __future__ import annotations

import gc
from contextlib import suppress
from typing import Any, Self

from vizgrad.amp.mode import clear_autocast_cache
from vizgrad.core.arrays.graph_capture import Capture, Pool, new_handle, pool_of
from vizgrad.core.arrays.philox import before_launch
from vizgrad.core.arrays.random import Generator
from vizgrad.cuda.devices import library, synchronize
from vizgrad.cuda.memory import empty_cache
from vizgrad.cuda.streams import Stream, StreamContext, current_stream, default_stream

_MODES = ("global", "thread_local", "relaxed")


def graph_pool_handle() -> tuple[int, int]:
    """The name of a pool of memory that several graphs may share: pass it as `pool=`."""
    return new_handle()


class CUDAGraph:
    """Launches that were captured, and that `replay` repeats. As torch.cuda.CUDAGraph.

    `keep_graph` is accepted: cupy makes the graph ready at once, and keeps nothing that could be modified.
    """

    def __init__(self, keep_graph: bool = False) -> None:
        self._capture: Capture | None = None
        self._stream: Stream | None = None
        self._own: Any = None
        self._pool: Pool | None = None

    def capture_begin(
        self,
        pool: tuple[int, int] | None = None,
        capture_error_mode: str = "global",
        check_input_liveness: bool = False,
    ) -> None:
        """From now on what the current stream is asked for is noted. `graph` calls it.

        RuntimeError on the default stream, and if there is a graph already. Each `capture_error_mode` is
        "relaxed", in which other threads go on: cupy takes memory in a way that the others refuse.
        """
        if capture_error_mode not in _MODES:
            raise RuntimeError(
                "Unknown capture error mode. Expected `global`, `thread_local`, or `relaxed`, got "
                f"{capture_error_mode}"
            )
        if check_input_liveness:
            raise NotImplementedError(
                "check_input_liveness=True: inputs of a graph are not followed"
            )
        if self._own is not None or self._capture is not None:
            raise RuntimeError(
                "This CUDAGraph instance already owns a captured graph. To capture a new graph, create a new "
                "instance."
            )
        stream = current_stream()
        if stream == default_stream():
            raise RuntimeError(
                "CUDA graphs must be captured on a non-default stream. (However, after capture, it's ok to "
                "replay them on the default stream.)"
            )
        clear_autocast_cache()  # what it has was computed before
        made = Capture(library(), pool_of(library(), pool))
        made.begin()
        self._capture, self._stream, self._pool = made, stream, made.pool

    def capture_end(self) -> None:
        """Ends the capture. RuntimeError, of CUDA's, where what was asked for cannot be repeated."""
        if self._capture is None or self._own is not None:
            raise RuntimeError("capture_end without a capture that has begun")
        if current_stream() != self._stream:
            raise RuntimeError("Capture must end on the same stream it began on.")
        try:
            self._own = self._capture.end()
        finally:
            clear_autocast_cache()  # what it has was never computed
            if self._own is None:
                self._capture = self._pool = None

    def instantiate(self) -> None:
        """Nothing is left to do: cupy makes the graph ready when the capture ends."""

    def replay(self) -> None:
        """Does all of it again, on the current stream."""
        if self._own is None or self._capture is None:
            raise RuntimeError("Called CUDAGraph::replay without a preceding successful capture.")
        for place in self._capture.places.values():
            before_launch(library(), place)
        self._own.launch()

    def reset(self) -> None:
        """Forgets the graph, and gives its memory back as far as no tensor has it."""
        self._capture = self._stream = self._own = self._pool = None

    def pool(self) -> tuple[int, int]:
        """The name of its pool of memory, for another graph that may share it."""
        if self._pool is None:
            raise RuntimeError("Called CUDAGraph::pool() without a preceding successful capture.")
        return self._pool.handle

    def register_generator_state(self, generator: Generator) -> None:
        """Accepted: a generator is known to the graph once a launch of it draws."""
        if generator.device.type != "cuda":
            raise RuntimeError("a graph of launches knows generators of CUDA devices alone")

    def abandon(self) -> None:
        """Ends a capture within which an error was raised; there is no graph."""
        if self._capture is None or self._own is not None:
            return
        with suppress(RuntimeError):  # CUDA's, that an error came before
            self.capture_end()
        self.reset()


class graph:
    """Captures what is asked for inside into a graph, on a stream beside the default one: torch.cuda.graph.

    RuntimeError, of CUDA's or cupy's, for what cannot be repeated: a value that is asked for, a wait, a copy
    from or to the host.
    """

    default_capture_stream: Stream | None = None

    def __init__(
        self,
        cuda_graph: CUDAGraph,
        pool: tuple[int, int] | None = None,
        stream: Stream | None = None,
        capture_error_mode: str = "global",
    ) -> None:
        if stream is None:
            if graph.default_capture_stream is None:
                graph.default_capture_stream = Stream()
            stream = graph.default_capture_stream
        self.cuda_graph = cuda_graph
        self.capture_stream = stream
        self.capture_error_mode = capture_error_mode
        self.pool = pool
        self._context = StreamContext(stream)

    def __enter__(self) -> Self:
        synchronize()
        gc.collect()
        empty_cache()
        self._context.__enter__()
        try:
            self.cuda_graph.capture_begin(self.pool, self.capture_error_mode)
        except BaseException:
            self._context.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        try:
            if kind is None:
                self.cuda_graph.capture_end()
            else:
                self.cuda_graph.abandon()
        finally:
            self._context.__exit__(kind, *error)
