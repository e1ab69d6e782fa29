"""The suite notices what it is there to notice: shown with PyTorch in both roles."""

from __future__ import annotations

import pytest

from tests.oracle.compare import differences, meets, same_error
from tests.oracle.data import wave
from tests.oracle.harness import execute, faults_of_the_program, faults_of_vizgrad
from tests.oracle.observations import GraphSeen, NodeSeen, Raised
from tests.oracle.recorder import Recorder
from tests.oracle.registry import Program, all_programs, program


def seen(module, thing):
    see = Recorder(module)
    see("thing", thing)
    return see.seen["thing"]


def test_equal_tensors_agree(oracle):
    make = lambda: oracle.tensor([1.0, float("nan")], requires_grad=True)  # noqa: E731
    assert not list(differences("x", seen(oracle, make()), seen(oracle, make())))


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda t: t + 1e-3, "values"),
        (lambda t: t.double(), "dtype"),
        (lambda t: t[None], "shape"),
        (lambda t: t.clone().requires_grad_(), "requires_grad"),
    ],
)
def test_unequal_tensors_do_not(oracle, change, word):
    t = oracle.tensor([1.0, 2.0])
    (difference,) = differences("x", seen(oracle, t), seen(oracle, change(t)))
    assert word in difference


def test_the_largest_difference_is_named(oracle):
    theirs = oracle.tensor([1.0, float("nan"), float("inf"), 2.0])
    ours = oracle.tensor([1.0, float("nan"), float("inf"), 2.5])
    (difference,) = differences("x", seen(oracle, theirs), seen(oracle, ours))
    assert "x: values, 0.5 apart at most" in difference


def test_rounding_is_no_difference(oracle):
    t = oracle.tensor([1.0, 2.0])
    assert not list(differences("x", seen(oracle, t), seen(oracle, t * (1 + 1e-6))))


def test_integers_are_compared_exactly(oracle):
    big = oracle.tensor([2**60])
    assert list(differences("x", seen(oracle, big), seen(oracle, big + 1)))


def test_nests_name_the_place_that_differs():
    (difference,) = differences("x", {"a": (1, [2])}, {"a": (1, [3])})
    assert difference.startswith("x['a'][1][0]")
    assert list(differences("x", (1, 2), (1,)))
    assert list(differences("x", (1, 2), [1, 2]))
    assert list(differences("x", True, 1))


def test_a_subclass_of_the_error_will_do():
    class Explained(IndexError):
        pass

    class LinAlgError(RuntimeError):
        pass

    OfTorch = type("LinAlgError", (RuntimeError,), {})
    assert same_error(IndexError, Explained)
    assert same_error(OfTorch, LinAlgError)
    assert not same_error(Explained, IndexError)
    assert not list(differences("x", Raised(IndexError, "a"), Raised(Explained, "b")))


def test_shared_nodes_differ_from_equal_ones(oracle):
    x = oracle.ones(2, requires_grad=True)
    y = x.exp()
    see = Recorder(oracle)
    see.graph("shared", y + y)
    see.graph("equal", x.exp() + x.exp())
    assert see.seen["shared"] == GraphSeen(
        (
            NodeSeen("AddBackward0", ((1, 0), (1, 0))),
            NodeSeen("ExpBackward0", ((2, 0),)),
            NodeSeen("AccumulateGrad", ()),
        )
    )
    assert list(differences("x", see.seen["shared"], see.seen["equal"]))


def test_claims_are_checked_where_they_are_made(oracle):
    see = Recorder(oracle)
    see("wrong", oracle.ones(2), expect=[1, 2])
    see.raises("silent", lambda: None)
    see.raises("phrase", {}.popitem, phrase="backward")
    see.warns("no warning", lambda: None)
    see.differs("side", 1, torch=2, vizgrad=1, because="of this test")
    assert len(see.broken) == 5


def test_literals_pin_the_rule_not_the_bits(oracle):
    assert meets(seen(oracle, oracle.tensor([1 / 3])), [0.333333])
    assert not meets(seen(oracle, oracle.tensor([1.0])), 1.0)
    assert not meets(1, True)


def test_a_name_is_seen_once(oracle):
    see = Recorder(oracle)
    see("a", 1)
    with pytest.raises(ValueError, match="twice"):
        see("a", 2)


def run(oracle, fn):
    return execute(Program("test", "program", ("E-1",), "first", fn), oracle)


def test_a_failing_program_is_blamed_on_the_side_that_fails(oracle):
    def fails(torch, see):
        see("before", 1)
        raise KeyError("boom")

    good, bad = run(oracle, lambda torch, see: see("before", 1)), run(oracle, fails)
    assert "boom" in faults_of_the_program(bad)[0]
    assert not faults_of_the_program(good)
    (fault,) = faults_of_vizgrad(good, bad)
    assert "fails on vizgrad" in fault


def test_what_only_one_side_sees_is_a_fault(oracle):
    one = run(oracle, lambda torch, see: (see("a", 1), see("b", 2)))
    other = run(oracle, lambda torch, see: see("a", 1))
    assert len(faults_of_vizgrad(one, other)) == len(faults_of_vizgrad(other, one)) == 1


def test_grad_mode_is_restored(oracle):
    run(oracle, lambda torch, see: torch.set_grad_enabled(False))
    assert oracle.is_grad_enabled()


def test_rules_and_milestones_are_checked():
    with pytest.raises(ValueError, match="rules"):
        program(rules="V20")
    with pytest.raises(ValueError, match="milestone"):
        program(rules="V-20", milestone="soon")


def test_values_are_plain_and_the_same_each_time():
    values = wave(2, 3)
    assert values == wave(2, 3) != wave(2, 3, seed=1)
    assert isinstance(values[0][0], float)


def test_programs_have_names_of_their_own():
    ids = [one.id for one in all_programs()]
    assert len(ids) == len(set(ids)) > 60
