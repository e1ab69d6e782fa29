"""Tangents and their levels: what is kept where, and that nobody asks before there is a level."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref

import pytest

import vizgrad as vg
from vizgrad.autograd.forward_ad import attach, dual_level, make_dual, new_level, strip, unpack_dual
from vizgrad.core.engine.threads import on_another_thread
from vizgrad.core.tensor.duals import DUALS, active, tangent_of
from vizgrad.core.tensor.modes import MODES


def test_operations_do_not_ask_before_the_first_level() -> None:
    program = """
import linecache, sys
import vizgrad as vg
x = vg.ones(3) * 2
asks = lambda: "DUALS" in "".join(linecache.getlines("<vizgrad mul.record>"))
print(asks(), any(name.startswith("vizgrad.core.ops.tangents") for name in sys.modules))
with vg.autograd.forward_ad.dual_level():
    pass
y = vg.ones(3) * 2
print(asks(), y.tolist() == x.tolist())
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.split() == ["False", "False", "True", "True"]


@pytest.mark.rule("A-1")
def test_a_level_is_its_threads_own() -> None:
    seen: list[object] = []
    with dual_level():
        dual = make_dual(vg.ones(2), vg.ones(2))

        def other() -> None:
            seen.append(active())
            seen.append(unpack_dual(dual * 2).tangent)
            with dual_level():
                seen.append(unpack_dual(make_dual(vg.ones(1), vg.ones(1)) * 3).tangent.tolist())

        thread = threading.Thread(target=other)
        thread.start()
        thread.join(60)
        assert unpack_dual(dual * 2).tangent is not None
    assert seen == [(), None, [3.0]]
    assert DUALS.on == 0


@pytest.mark.rule("A-5")
def test_an_error_inside_leaves_no_level() -> None:
    with pytest.raises(KeyError), new_level():
        raise KeyError
    assert DUALS.on == 0
    assert MODES.levels == ()


@pytest.mark.rule("A-5")
def test_leaving_a_level_lets_go_of_its_tangents() -> None:
    with new_level() as level:
        x = attach(vg.ones(3).requires_grad_(), vg.ones(3), level)
        y = (x.exp() * x).tanh()
        tangent = weakref.ref(tangent_of(y, level))
        assert tangent() is not None
    gc.collect()
    assert tangent() is None
    assert y.grad_fn is not None


@pytest.mark.rule("C-5")
def test_levels_are_not_confused() -> None:
    """d/dx (x * d/dy (x + y)) is 1, not 2."""
    one = vg.tensor(1.0)
    with new_level() as outer:
        x = attach(vg.tensor(3.0), one, outer)
        with new_level() as inner:
            y = attach(vg.tensor(5.0), one, inner)
            slope = strip(x + y, inner)[1]
        assert strip(x * slope, outer)[1].item() == 1.0
        with new_level() as inner:  # of x itself: d/dx (x * d/dx x^2) = d/dx 2x^2
            y = attach(x, one, inner)
            slope = strip(y * y, inner)[1]
        assert strip(x * slope, outer)[1].item() == 12.0


@pytest.mark.rule("E-90", "A-9")
def test_a_backward_on_another_thread_has_the_levels() -> None:
    with new_level() as level:
        seen: list[object] = []
        on_another_thread(lambda: seen.append(MODES.levels))
        assert seen == [(level,)]


@pytest.mark.rule("A-8")
def test_the_root_of_a_dual_is_the_dual_itself() -> None:
    x = vg.zeros(4)
    with dual_level():
        dual = make_dual(x[1:], vg.ones(3))
        dual[1:].mul_(5.0)
        assert unpack_dual(dual).tangent.tolist() == [1, 5, 5]
        assert unpack_dual(x).tangent is None
        assert unpack_dual(x[1:]).tangent is None
