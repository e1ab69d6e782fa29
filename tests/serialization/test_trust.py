"""Whose classes a file may name is said for a block, in one thread and one task, or for all."""

from __future__ import annotations

import asyncio
import io
import pickle
import threading
from pickle import UnpicklingError
from typing import Any

import vizgrad as vg
from tests.fixtures.limits import HANG
from tests.serialization.test_hostile import archive
from vizgrad import serialization
from vizgrad.serialization import safe_globals


class A:
    pass


class B:
    pass


def loads(kind: type) -> bool:
    """Would a file that names `kind` be read here?"""
    try:
        vg.load(io.BytesIO(archive(pickle.dumps(kind(), 2))))
    except UnpicklingError:
        return False
    return True


def test_blocks_that_are_left_in_another_order_leave_nothing_behind() -> None:
    a, b, nothing = safe_globals([A]), safe_globals([B]), (None, None, None)
    a.__enter__()
    b.__enter__()
    a.__exit__(*nothing)
    assert (loads(A), loads(B)) == (False, True)
    b.__exit__(*nothing)
    assert serialization.get_safe_globals() == []
    with a, a:
        with a:
            pass
        assert loads(A)
    assert not loads(A)


def test_trust_is_of_one_thread_and_of_one_task() -> None:
    seen: dict[str, Any] = {}

    def other() -> None:
        seen["thread"] = loads(A)
        with safe_globals([B]):
            inside.set()
            go_on.wait(HANG)
        seen["left"] = serialization.get_safe_globals()

    inside, go_on = threading.Event(), threading.Event()
    with safe_globals([A]):
        thread = threading.Thread(target=other)
        thread.start()
        inside.wait(HANG)
        assert (loads(A), loads(B)) == (True, False)
        go_on.set()
        thread.join()
        assert seen == {"thread": False, "left": []}

    async def task(kind: type, other: type) -> None:
        with safe_globals([kind]):
            for _ in range(3):
                await asyncio.sleep(0)
                assert (loads(kind), loads(other)) == (True, False)

    async def late(ready: asyncio.Event) -> bool:
        await ready.wait()
        return loads(A)

    async def tasks() -> bool:
        await asyncio.gather(task(A, B), task(B, A))
        ready = asyncio.Event()
        with safe_globals([A]):
            outlives = asyncio.create_task(late(ready))
            await asyncio.sleep(0)
        ready.set()
        return await outlives

    assert asyncio.run(tasks()) is False
    assert serialization.get_safe_globals() == []


def test_what_is_added_holds_in_every_thread() -> None:
    found: list[bool] = []
    serialization.add_safe_globals([A])
    try:
        thread = threading.Thread(target=lambda: found.append(loads(A)))
        thread.start()
        thread.join()
        with safe_globals([B]):
            assert serialization.get_safe_globals() == [A, B]
            serialization.clear_safe_globals()
            assert serialization.get_safe_globals() == []
    finally:
        serialization.clear_safe_globals()
    assert found == [True]
