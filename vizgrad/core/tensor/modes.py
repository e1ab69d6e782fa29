"""Per-thread switches: grad mode, and the scope that names what is being recorded.

Reading a thread-local for every operation is measurable, so `GUARD` knows the threads that are *not*
in the default state: while there are none, recording asks nothing else.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from itertools import count
from typing import Any, ClassVar, Literal, NamedTuple, final

from vizgrad.core.observing import Observer
from vizgrad.core.tensor.source_location import Site
from vizgrad.core.tensor.state import refuse_saved
from vizgrad.core.tensor.storage import InferenceStorage


class Scope:
    """A named stretch of forward code: a `vg.scope(...)` block, or a module's call."""

    __slots__ = ("name", "parent", "site")

    kind: ClassVar[Literal["module", "scope", "transform"]] = "scope"

    def __init__(self, name: str, parent: Scope | None, site: Site | None) -> None:
        self.name: str = name
        self.parent: Scope | None = parent
        self.site: Site | None = site

    def path(self) -> tuple[str, ...]:
        """Names from the outermost scope to this one."""
        names: list[str] = []
        scope: Scope | None = self
        while scope is not None:
            names.append(scope.name)
            scope = scope.parent
        return tuple(reversed(names))


@final
class ModuleScope(Scope):
    """One call of a module."""

    __slots__ = ()

    kind = "module"


@final
class TransformScope(Scope):
    """A `vmap`, `grad` or `jvp` that is under way."""

    __slots__ = ()

    kind = "transform"


class Mark(NamedTuple):
    """A batch of a result: `number` of its vmap, `size` examples, the scope that frames the vmap.

    It is dimension `dim` (-1: the first behind those of outer ones), each example being so many `rows` of it.
    """

    number: int
    size: int
    frame: Scope
    dim: int = -1
    rows: int = 1


@final
class BatchedScope(Scope):
    """`around`, for a node of whose result it is known which dimensions are batches: `marks`, the outermost
    first, and none of the vmaps framed by `without`.

    `closed`: a rule of a person's own has made it, on a way that is not followed.
    """

    __slots__ = ("around", "closed", "marks", "without")

    def __init__(
        self,
        around: Scope,
        marks: tuple[Mark, ...],
        without: tuple[Scope, ...] = (),
        closed: bool = False,
    ) -> None:
        super().__init__(around.name, around.parent, around.site)
        self.around = around
        self.marks = marks
        self.without = without
        self.closed = closed

    def knows(self, mark: Mark) -> bool:
        """Is it known whether the result is a batch of the same vmap?"""
        return any(own.frame is mark.frame for own in self.marks) or mark.frame in self.without


@final
class _Guard:
    __slots__ = ("inference", "lock", "no_grad", "scoped", "strict_hooks", "transforms")

    def __init__(self) -> None:
        #: Reentrant: what the garbage collector closes, anywhere, may switch modes too.
        self.lock = threading.RLock()
        #: Threads in inference mode.
        self.inference = 0
        #: Threads that do not record, by `Share.thread`: their grad mode is off, or they are in inference
        #: mode. A set, because adding to one asks for no lock.
        self.no_grad: set[int] = set()
        #: Hooks are given gradients that cannot be written to (E-72).
        self.strict_hooks = False
        #: Scopes and recordings that are open, over all threads.
        self.scoped = 0
        #: Transforms (`vizgrad.core.function.transform_tensor.Level`) that are under way, over all threads.
        self.transforms = 0


class _Modes(threading.local):
    """A new thread starts with grad mode on (M-1)."""

    #: Does this thread record? Always False in inference mode.
    grad = True
    #: The grad mode that was set in inference mode, where it has no effect (M-22).
    grad_in_inference = False
    #: In inference mode: what stands for the memory of new tensors.
    inference: InferenceStorage | None = None
    anomaly = False
    check_nan = True
    multithreading = True
    scope: Scope | None = None
    #: The listener of this thread (`vizgrad.debugger.engines.vizgrad.recorder`), or None.
    recorder: Listening | None = None
    #: The GraphTask that this thread is driving, or None.
    task: Any = None
    #: Called with (node, outputs) for each node that this thread records.
    on_record: tuple[Callable[[Any, Any], None], ...] = ()
    #: The innermost pair of `saved_tensors_hooks` (`vizgrad.core.graph.packing.HookPair`), or None.
    saved_hooks: Any = None
    #: Why `saved_tensors_hooks` may not be entered, or None.
    hooks_disabled: str | None = None
    #: Called with a tensor before it is written in place, or None.
    before_write: Callable[[Any], None] | None = None
    #: The same, for a debugger that undoes the write later.
    keep_before_write: Callable[[Any], None] | None = None
    #: Called with a leaf before a hook of the library's own writes its `.grad`: the debugger undoes that.
    before_grad_write: Callable[[Any], None] | None = None
    #: Levels of forward mode (`vizgrad.core.tensor.duals.DualLevel`) that are active, the outermost first.
    levels: tuple[Any, ...] = ()
    #: Transforms (`vizgrad.core.function.transform_tensor.Level`) that this thread is inside of, the
    #: outermost first.
    transforms: tuple[Any, ...] = ()
    #: The counts that this thread has added to `GUARD`.
    share: Share | None = None


_threads = count(1).__next__

GUARD = _Guard()
MODES = _Modes()


@final
class Share:
    """The counts that one thread has added to `GUARD`: taken back when the thread ends, in whatever
    mode that is.

    `switches` counts how often this thread switched a mode that a backward puts back: while it stands
    still, none of them has to be looked at.
    """

    __slots__ = ("inference", "scoped", "switches", "thread")

    def __init__(self) -> None:
        self.inference = self.scoped = self.switches = 0
        self.thread = _threads()

    def __del__(self) -> None:
        GUARD.no_grad.discard(self.thread)
        with GUARD.lock:
            GUARD.inference -= self.inference
            GUARD.scoped -= self.scoped


def share_of_thread() -> Share:
    share = MODES.share
    if share is None:
        share = MODES.share = Share()
    return share


def set_multithreading(allowed: bool) -> bool:
    """Says whether a backward of this thread may use others; returns what it was."""
    before, MODES.multithreading = MODES.multithreading, allowed
    share_of_thread().switches += 1
    return before


def _listening(more: int) -> None:
    """Counts a scope, a recording or a listener of this thread, or its end."""
    share = share_of_thread()
    with GUARD.lock:
        GUARD.scoped += more
        share.scoped += more


def is_grad_enabled() -> bool:
    """This thread's grad mode: whether operations record a graph (outside inference mode)."""
    return MODES.grad if MODES.inference is None else MODES.grad_in_inference


def set_grad_mode(enabled: bool) -> bool:
    """Sets this thread's grad mode and returns what it was."""
    if GUARD.inference and MODES.inference is not None:
        before, MODES.grad_in_inference = MODES.grad_in_inference, enabled
        share_of_thread().switches += 1
        return before
    before = MODES.grad
    if before is not enabled:
        share = MODES.share or share_of_thread()
        share.switches += 1
        if enabled:  # whatever is interrupted in between: who does not record is in the set
            MODES.grad = True
            GUARD.no_grad.discard(share.thread)
        else:
            GUARD.no_grad.add(share.thread)
            MODES.grad = False
    return before


def is_inference_mode_enabled() -> bool:
    """True when new tensors of this thread are inference tensors."""
    return MODES.inference is not None


#: Blocks of inference mode whose tensors may still be around.
inference_blocks: list[weakref.ref[InferenceStorage]] = []


def enter_inference(enabled: bool) -> tuple[Any, bool]:
    """Enters inference mode, or (`enabled` False) the normal mode with grad on (M-22)."""
    before = MODES.inference, is_grad_enabled()
    _set_inference(InferenceStorage() if enabled else None)
    set_grad_mode(not enabled)
    return before


def leave_inference(before: tuple[Any, bool]) -> None:
    _set_inference(before[0])
    set_grad_mode(before[1])


def _inferring(more: int) -> None:
    share = share_of_thread()
    with GUARD.lock:
        GUARD.inference += more
        share.inference += more


def _set_inference(storage: InferenceStorage | None) -> None:
    inside = MODES.inference is not None
    if storage is not None and not inside:
        set_grad_mode(False)
        _inferring(1)
        MODES.grad_in_inference = False
    elif storage is None and inside:
        _inferring(-1)
    if storage is not None and all(known() is not storage for known in inference_blocks):
        with GUARD.lock:
            GUARD.scoped += 1
            inference_blocks.append(weakref.ref(storage))
    MODES.inference = storage
    share_of_thread().switches += 1


def _look_for_inference_tensors(node: Any) -> None:
    """Refuses to save one (M-25); stops looking for blocks of which nothing is left."""
    for known in list(inference_blocks):
        if known() is None:
            with GUARD.lock:
                if known in inference_blocks:
                    inference_blocks.remove(known)
                    GUARD.scoped -= 1
    if inference_blocks:
        refuse_saved(node)


def push_scope(name: str, site: Site | None, cls: type[Scope] = Scope) -> Scope | None:
    """Opens a scope; returns the one to give to `pop_scope`."""
    before = MODES.scope
    MODES.scope = cls(name, before, site)
    _listening(1)
    return before


def pop_scope(before: Scope | None) -> None:
    MODES.scope = before
    _listening(-1)


def noted(node: Any, outputs: Any = ()) -> Scope | None:
    """Tells the listeners of this thread about a new node; returns the scope it belongs to.

    Recording functions call this only while `GUARD.scoped` is not zero; those that are compiled look
    themselves at the scope, and call it only if a listener is there, or `inference_blocks` are around.
    """
    node.scope = scope = MODES.scope
    if inference_blocks:
        _look_for_inference_tensors(node)
    for listener in MODES.on_record:
        try:
            listener(node, outputs)
        except Exception as error:
            heard = MODES.recorder
            if heard is None or listener is not heard.recorded:
                raise
            _hear(None)
            heard.observer.raised(error)
    return scope


class Listening(NamedTuple):
    """The listener of a thread, until it raises: then it is dropped, and that is reported once.

    `recorded` is the recorder's method for new nodes, among `MODES.on_record` for as long as it listens.
    """

    recorder: Any
    recorded: Callable[[Any, Any], None]
    observer: Observer


def tell_recorder(event: str, *what: Any) -> Any:
    """Calls the method `event` of the recorder of this thread, if there is one."""
    if MODES.recorder is None:
        return None
    recorder, _, observer = MODES.recorder
    return observer.ask(getattr(recorder, event), *what)


def start_recording(recorder: Any) -> Any:
    """Lets `recorder` listen to this thread; returns the one to give to `stop_recording`."""
    before = MODES.recorder
    observer = Observer("a recorder", removed=lambda: _hear(None))
    _hear(Listening(recorder, recorder.recorded, observer))
    _listening(1)
    return before


def stop_recording(before: Any) -> None:
    _hear(before if before is None or before.observer.active else None)
    _listening(-1)


def _hear(listening: Listening | None) -> None:
    """From here on this thread tells this recorder alone."""
    known = MODES.recorder
    others = tuple([one for one in MODES.on_record if known is None or one is not known.recorded])
    MODES.recorder = listening
    MODES.on_record = others if listening is None else (*others, listening.recorded)


def add_listener(listener: Callable[[Any, Any], None]) -> None:
    """Calls `listener(node, outputs)` for each node that this thread records from now on."""
    MODES.on_record = (*MODES.on_record, listener)
    _listening(1)


def remove_listener(listener: Callable[[Any, Any], None]) -> None:
    listeners = list(MODES.on_record)
    listeners.remove(listener)
    MODES.on_record = tuple(listeners)
    _listening(-1)


def keep_before_writes(keep: Callable[[Any], None] | None) -> None:
    """Calls `keep(tensor)` before this thread writes a tensor in place, from now on; None: no more."""
    before, MODES.keep_before_write = MODES.keep_before_write, keep
    _listening((keep is not None) - (before is not None))


def in_a_transform() -> bool:
    """Is this thread inside of a function that a transform calls? To be asked only while there are any.

    A batch of tangents alone is none: the function does not see it.
    """
    return any(not level.of_tangents for level in MODES.transforms)


def about_to_write(tensor: Any) -> None:
    """To be called before the memory of `tensor` is changed in place (V-70)."""
    if GUARD.transforms:
        for transform in MODES.transforms:
            transform.before_write(tensor)
    if GUARD.scoped:
        if MODES.before_write is not None:
            MODES.before_write(tensor)
        if MODES.keep_before_write is not None:
            MODES.keep_before_write(tensor)
