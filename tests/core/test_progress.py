"""The clock that tells how far long work is."""

from __future__ import annotations

import threading
import time
import weakref

from vizgrad.core.progress import Clock


class Subscriber:
    def __init__(self) -> None:
        self.ticked = threading.Event()

    def tick(self) -> None:
        self.ticked.set()


def test_a_subscriber_that_was_removed_does_not_live_as_long_as_the_thread() -> None:
    clock = Clock()
    subscriber = Subscriber()
    clock.add(subscriber)
    assert subscriber.ticked.wait(60)
    clock.remove(subscriber)
    gone = weakref.ref(subscriber)
    del subscriber
    for _ in range(20):  # two seconds: the thread lives for five
        if gone() is None:
            break
        time.sleep(clock.EVERY)
    assert gone() is None


def test_the_thread_ends_when_nobody_subscribes_and_begins_anew() -> None:
    clock = Clock()
    clock.LINGERS = 0.0
    for _ in range(2):
        subscriber = Subscriber()
        clock.add(subscriber)
        thread = clock._thread
        assert thread is not None
        assert subscriber.ticked.wait(60)
        clock.remove(subscriber)
        thread.join(60)
        assert not thread.is_alive()
