"""Grad modes: contexts, decorators, generators, coroutines, stacks."""

from __future__ import annotations

import asyncio
import inspect
import threading
import warnings

import pytest

import vizgrad as vg
from vizgrad.core.tensor.modes import GUARD


@pytest.fixture(autouse=True)
def _mode_comes_back():
    assert vg.is_grad_enabled()
    yield
    left_on = vg.is_grad_enabled()
    vg.set_grad_enabled(True)
    assert left_on
    assert not GUARD.no_grad


@pytest.mark.rule("M-1")
def test_each_thread_starts_with_grad_on():
    seen = []
    with vg.no_grad():
        thread = threading.Thread(target=lambda: seen.append(vg.is_grad_enabled()))
        thread.start()
        thread.join()
        assert not vg.is_grad_enabled()
    assert seen == [True]


@pytest.mark.rule("M-2")
def test_blocks_restore_also_on_errors():
    def fails():
        with vg.no_grad():
            raise KeyError

    with pytest.raises(KeyError):
        fails()
    assert vg.is_grad_enabled()
    with vg.no_grad():
        assert not vg.is_grad_enabled()
        with vg.enable_grad():
            assert vg.is_grad_enabled()
        assert not vg.is_grad_enabled()
    assert vg.is_grad_enabled()


@pytest.mark.rule("M-3")
def test_decorators_with_and_without_parentheses():
    @vg.no_grad()
    def with_parentheses(depth):
        """Says whether grad is on at the bottom."""
        return with_parentheses(depth - 1) if depth else vg.is_grad_enabled()

    @vg.no_grad
    def bare():
        with vg.enable_grad():
            return vg.is_grad_enabled(), inner()

    @vg.no_grad
    def inner():
        return vg.is_grad_enabled()

    assert with_parentheses(3) is False
    assert with_parentheses.__doc__ == "Says whether grad is on at the bottom."
    assert bare() == (True, False)
    with pytest.raises(TypeError, match="decorates functions"):
        vg.no_grad(3)


@pytest.mark.rule("M-4")
def test_set_grad_enabled_acts_at_once():
    vg.set_grad_enabled(False)
    assert not vg.is_grad_enabled()
    vg.set_grad_enabled(mode=True)
    with vg.set_grad_enabled(False):
        assert not vg.is_grad_enabled()
    assert vg.is_grad_enabled()

    @vg.set_grad_enabled(False)
    def inside():
        return vg.is_grad_enabled()

    assert vg.is_grad_enabled()
    assert inside() is False
    assert inside() is False
    assert vg.is_grad_enabled()
    for wrong in (0, 1, None, "on"):
        with pytest.raises(TypeError, match="must be bool"):
            vg.set_grad_enabled(wrong)


@pytest.mark.rule("M-5")
def test_an_object_made_earlier_restores_the_mode_before_it_was_made():
    off = vg.set_grad_enabled(False)
    with off:
        pass
    assert vg.is_grad_enabled()


@pytest.mark.rule("M-6")
def test_generators_give_the_mode_back_while_suspended():
    log = []

    @vg.no_grad()
    def body():
        try:
            got = yield vg.is_grad_enabled()
            log.append((got, vg.is_grad_enabled()))
            try:
                yield vg.is_grad_enabled()
            except KeyError:
                log.append(("thrown", vg.is_grad_enabled()))
            yield "last"
            return "returned"
        finally:
            log.append(("closing", vg.is_grad_enabled()))

    assert inspect.isgeneratorfunction(body)
    run = body()
    assert next(run) is False
    assert vg.is_grad_enabled()
    assert run.send("sent") is False
    assert run.throw(KeyError()) == "last"
    assert vg.is_grad_enabled()
    with pytest.raises(StopIteration) as end:
        next(run)
    assert end.value.value == "returned"
    assert log == [("sent", False), ("thrown", False), ("closing", False)]

    log.clear()
    run = body()
    next(run)
    run.close()
    assert log == [("closing", False)]


@pytest.mark.rule("M-7")
def test_coroutines_give_the_mode_back_while_suspended():
    log = []

    @vg.no_grad()
    async def body(name):
        log.append((name, vg.is_grad_enabled()))
        await asyncio.sleep(0)
        log.append((name, vg.is_grad_enabled()))
        return name

    async def watcher():
        for _ in range(3):
            log.append(("outside", vg.is_grad_enabled()))
            await asyncio.sleep(0)

    async def main():
        return await asyncio.gather(body("a"), watcher(), body("b"))

    assert inspect.iscoroutinefunction(body)
    assert asyncio.run(main()) == ["a", None, "b"]
    assert all(on == (name == "outside") for name, on in log)
    assert len(log) == 7


@pytest.mark.rule("M-7")
def test_async_generators_give_the_mode_back_while_suspended():
    log = []

    @vg.no_grad
    async def body():
        try:
            while True:
                await asyncio.sleep(0)
                got = yield vg.is_grad_enabled()
                log.append((got, vg.is_grad_enabled()))
        except KeyError:
            yield "caught"
        finally:
            log.append(("closing", vg.is_grad_enabled()))

    async def main():
        run = body()
        assert await anext(run) is False
        assert vg.is_grad_enabled()
        assert await run.asend(1) is False
        assert await run.athrow(KeyError()) == "caught"
        with pytest.raises(StopAsyncIteration):
            await anext(run)
        run = body()
        await anext(run)
        await run.aclose()
        assert vg.is_grad_enabled()

    assert inspect.isasyncgenfunction(body)
    asyncio.run(main())
    assert log == [(1, False), ("closing", False), ("closing", False)]


@pytest.mark.rule("M-7")
def test_a_decorated_class_is_only_instantiated_in_the_mode():
    class Plain:
        def __init__(self):
            self.made = vg.is_grad_enabled()

        def method(self):
            return vg.is_grad_enabled()

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        decorated = vg.no_grad()(Plain)
    assert [w.category for w in caught] == [FutureWarning]
    assert decorated().made is False
    assert decorated().method() is True


@pytest.mark.rule("M-12")
def test_an_object_can_be_entered_inside_itself():
    mode = vg.no_grad()
    with mode, mode:
        assert not vg.is_grad_enabled()
    assert vg.is_grad_enabled()
    off = vg.set_grad_enabled(False)
    with off:
        with off:
            pass
        assert not vg.is_grad_enabled()
    assert vg.is_grad_enabled()
    assert isinstance(mode.clone(), vg.no_grad)
    assert mode.clone() is not mode
    assert off.clone().mode is False
    vg.set_grad_enabled(True)
