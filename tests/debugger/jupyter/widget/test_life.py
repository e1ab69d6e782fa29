"""Cells run again and again, in a real kernel: a debug cell starts over, and what nobody uses ends itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.debugger.jupyter.magics.kernel import Kernel
from tests.fixtures.warm_kernels import warm_kernels
from vizgrad.debugger.jupyter.widget.protocol import COMM_TARGET
from vizgrad.debugger.jupyter.widget.saved_data import MIME

FORWARD = "x = vg.tensor([1.0, 2.0], requires_grad=True)\nloss = (x.tanh() * x).sum()"
WIDGET = "application/vnd.jupyter.widget-view+json"
COUNT = "from vizgrad.debugger.session import registry; len(registry.sessions())"


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with warm_kernels(tmp_path_factory.mktemp("warm")) as found:
        yield found


@pytest.fixture
def kernel(kernels: Path) -> Iterator[Kernel]:
    running = Kernel(kernels)
    running.run("import vizgrad as vg\n%load_ext vizgrad")
    yield running
    running.shut_down()


def done(kernel: Kernel, code: str, cell: str = "") -> str:
    """What the cell returned; it raised nothing, and printed nothing."""
    made = kernel.run(code, cell)
    assert not made.told
    return made.result


def number(kernel: Kernel) -> int:
    """The N of the In [N] that runs next."""
    return int(done(kernel, "len(In)"))


@pytest.mark.parametrize("steps", [0, 1, 3, 4])
def test_running_the_debug_cell_again_starts_over(kernel: Kernel, steps: int) -> None:
    done(kernel, FORWARD)
    stepped = f"s = vg.debug(loss)\ns.step({steps})"
    assert done(kernel, stepped, "debug") == ""  # the view says it
    first = done(kernel, "s.where")
    assert first.startswith(f"{steps} of 4")
    done(kernel, "earlier = s")
    following = number(kernel)
    done(kernel, stepped, "debug")
    assert done(kernel, "s.where") == first
    where = f"the session is closed: it was debugged again in In [{following}]"
    assert done(kernel, "earlier.where").endswith(where)
    assert done(kernel, "s.continue_(); x.grad") == done(
        kernel, "y = x.detach().requires_grad_(); (y.tanh() * y).sum().backward(); y.grad"
    )
    assert done(kernel, COUNT) == "1"


def test_what_gradients_were_there_before_stays(kernel: Kernel) -> None:
    done(kernel, FORWARD + "\nx.grad = vg.ones(2)")
    for _ in range(3):
        done(kernel, "vg.debug(loss).step(3)", "debug")
        assert done(kernel, "x.grad") == "tensor([1., 1.])"


def test_a_run_that_ended_and_kept_its_graph_stays_as_it_is(kernel: Kernel) -> None:
    done(kernel, FORWARD)
    done(kernel, "one = vg.debug(loss, retain_graph=True); one.continue_()", "one")
    grad = done(kernel, "x.grad")
    done(kernel, "two = vg.debug(loss, retain_graph=True)", "two")
    assert done(kernel, "one.closed, two.position") == "(False, 0)"
    assert done(kernel, "x.grad") == grad
    done(kernel, "one = vg.debug(loss, retain_graph=True)", "one")
    assert done(kernel, "two.closed, one.closed, x.grad is None") == "(True, False, True)"


def test_other_graphs_are_left_alone(kernel: Kernel) -> None:
    done(kernel, FORWARD + "\nother = (x * 3).sum()")
    done(kernel, "s = vg.debug(loss); s.step(2)")
    done(kernel, "t = vg.debug(other); t.step()")
    assert done(kernel, "s.position, s.closed, t.closed") == "(2, False, False)"
    done(kernel, "u = vg.debug([other, loss])")
    assert done(kernel, "s.closed, t.closed, u.closed") == "(True, True, False)"


def test_what_cannot_be_taken_back_is_said(kernel: Kernel) -> None:
    done(kernel, FORWARD)
    done(kernel, "s = vg.debug(loss); s.step(4)")
    done(kernel, "x.grad = None")
    again = kernel.run("t = vg.debug(loss)")
    assert "This graph was released by the backward on line 1 of In [" in again.error
    warning = again.printed
    assert "could not be taken back to its start" in warning
    assert "In [" in warning
    assert "vizgrad/" not in warning  # it is told at the person's line
    assert done(kernel, "s.closed, s.position") == "(False, 4)"


def test_a_debug_that_fails_leaves_the_earlier_session_open(kernel: Kernel) -> None:
    done(kernel, FORWARD)
    done(kernel, "s = vg.debug(loss); s.step(3)")
    assert "RuntimeError" in kernel.run("vg.debug(loss, vg.ones(7))").error
    assert "3 of 4 nodes done" in done(kernel, "s")
    assert done(kernel, "s.step()").startswith("4 of 4")


def test_sessions_are_named_by_variable_and_cell(kernel: Kernel) -> None:
    done(kernel, FORWARD)
    following = number(kernel)
    done(kernel, "s = vg.debug(loss); s.step()")
    assert done(kernel, "s").startswith(f"<Session loss, In [{following}]: 1 of 4 nodes done")
    assert done(kernel, "def opened():\n    return vg.debug(loss)") == ""
    following = number(kernel)
    assert done(kernel, "s = opened(); s") == ""  # its view is shown
    assert f"loss, In [{following}]: 0 of 4" in done(kernel, "s")


def test_sessions_in_the_history_of_outputs_end_themselves(kernel: Kernel) -> None:
    for _ in range(5):
        done(kernel, FORWARD, "forward")
        done(kernel, "vg.debug(loss, display=False)", "debug")
        assert done(kernel, COUNT) == "1"


def test_a_session_that_somebody_holds_does_not_end(kernel: Kernel) -> None:
    done(kernel, FORWARD)
    done(kernel, "held = [vg.debug(loss, display=False)]; held[0]")
    done(kernel, FORWARD)
    for _ in range(4):
        done(kernel, "1 + 1")
    assert done(kernel, "held[0].step()").startswith("1 of 4")


def test_a_session_of_a_nameless_loss_lives_as_long_as_it_can_be_used(kernel: Kernel) -> None:
    done(kernel, FORWARD)
    done(kernel, "vg.debug(x.exp().sum(), display=False)")
    assert done(kernel, "_.step()").startswith("1 of 3")
    assert done(kernel, "__.step()").startswith("2 of 3")
    for _ in range(3):
        done(kernel, "1 + 1")
    assert done(kernel, COUNT) == "0"


def test_a_view_is_heard_on_the_subshell_that_it_names_whoever_wrote_to_it(kernel: Kernel) -> None:
    """As ipykernel asks, from 7.4 on, for each message that comes."""
    done(kernel, FORWARD + "\nfrom vizgrad.debugger.jupyter.widget.debugview import DebugView")
    done(kernel, "view = DebugView(vg.debug(loss, display=False)); view.send({})")
    asked = "getattr(view.comm, '_reply_subshell_for', lambda _, named: named)({}, 'named')"
    assert done(kernel, asked) == "'named'"


def test_a_page_with_the_labextension_is_sent_no_widget(kernel: Kernel) -> None:
    """Its own comm says that it has one. Another front end of the same kernel has not."""
    done(kernel, FORWARD + "\nimport gc\nfrom vizgrad.debugger.session import registry")
    assert WIDGET in kernel.run("s = vg.debug(loss)").shown[0]
    kernel.open_comm(COMM_TARGET)
    (shown,) = kernel.run("s = vg.debug(loss)").shown
    assert set(shown) == {MIME, "image/svg+xml", "text/plain"}
    name = shown[MIME]["session"]
    done(kernel, "del s; gc.collect(); None")
    assert done(kernel, f"registry.look_at({name!r})") == "True"  # it is held until a page shows it
    with kernel.over_another_connection():
        assert WIDGET in kernel.run("s = vg.debug(loss)").shown[0]
