"""Tangents that are kept apart from what was given, and forward mode that is switched off."""

from tests.oracle.registry import program


def level_of(torch):
    return torch.autograd.forward_ad


PRIMALS = (
    ("a part", lambda torch: torch.zeros(5)[:4]),
    ("a part behind others", lambda torch: torch.zeros(5)[1:]),
    ("a detached part", lambda torch: torch.zeros(5)[:4].detach()),
    ("a part that requires grad", lambda torch: torch.zeros(5)[:4].requires_grad_()),
    ("rows", lambda torch: torch.zeros(2, 4)[0]),
    ("every other element", lambda torch: torch.zeros(8)[::2]),
    ("all of it", lambda torch: torch.zeros(4)),
    ("a slice of all of it", lambda torch: torch.zeros(4)[:]),
    ("a copy of a part", lambda torch: torch.zeros(5)[:4].clone()),
)


@program(rules="Y-24", each=PRIMALS)
def a_tangent_for_a_part_of_memory_is_copied(torch, see, case):
    _, make = case
    fw = level_of(torch)
    for name, tangent in (
        ("whole", torch.ones(4)),
        ("the first of five", torch.ones(5)[:4]),
        ("the last of five", torch.ones(5)[1:]),
    ):
        before = tangent.clone()
        with fw.dual_level():
            kept = fw.unpack_dual(fw.make_dual(make(torch), tangent)).tangent
            see(f"{name}: the same object", kept is tangent)
            see(f"{name}: the same memory", kept.data_ptr() == tangent.data_ptr())
            see(f"{name}: strides", kept.stride())
            see(f"{name}: value", kept, expect=[1, 1, 1, 1])
            kept.mul_(3)
            see(f"{name}: a write arrives", bool((tangent != before).any()))


@program(rules="Y-24")
def inner_views_of_such_a_dual_follow(torch, see):
    fw = level_of(torch)
    given = torch.ones(4)
    with fw.dual_level():
        dual = fw.make_dual(torch.zeros(5)[:4], given)
        dual[:2].mul_(0)
        see("tangent", fw.unpack_dual(dual).tangent, expect=[0, 0, 1, 1])
    see("what was given", given, expect=[1, 1, 1, 1])


def seen(torch, dual):
    tangent = level_of(torch).unpack_dual(dual).tangent
    return None if tangent is None else tangent.tolist()


@program(rules="Y-23 A-11")
def forward_mode_stays_off_in_a_level_that_is_entered(torch, see):
    fw = level_of(torch)
    with fw._set_fwd_grad_enabled(False):
        with fw.dual_level():
            dual = fw.make_dual(torch.ones(2), torch.ones(2))
            see("in the level", seen(torch, dual), expect=None)
            see("of a result", seen(torch, dual * 2), expect=None)
            with fw._set_fwd_grad_enabled(True):
                see("switched on again", seen(torch, dual * 2))
            see("and off", seen(torch, dual * 2), expect=None)
        with fw.dual_level():
            see("in the next level", seen(torch, fw.make_dual(torch.ones(2), torch.ones(2))))
    with fw.dual_level():
        see("afterwards", seen(torch, fw.make_dual(torch.ones(2), torch.ones(2))), expect=[1, 1])


@program(rules="Y-23")
def a_level_entered_while_it_is_off_is_seen_afterwards(torch, see):
    fw = level_of(torch)
    with fw._set_fwd_grad_enabled(False):
        fw.enter_dual_level()
        dual = fw.make_dual(torch.ones(2), torch.ones(2))
        see("off", seen(torch, dual * 3), expect=None)
    see("on", seen(torch, dual * 3))
    later = fw.make_dual(torch.ones(2), torch.ones(2))
    see("made afterwards", seen(torch, later * 3), expect=[3, 3])
    fw.exit_dual_level()
    see("left", seen(torch, later * 3), expect=None)


@program(rules="Y-23")
def a_level_left_while_it_is_off(torch, see):
    fw = level_of(torch)
    fw.enter_dual_level()
    with fw._set_fwd_grad_enabled(False):
        fw.exit_dual_level()
    with fw.dual_level():
        dual = fw.make_dual(torch.ones(2), torch.ones(2))
        see("another level", seen(torch, dual * 3), expect=[3, 3])


@program(rules="Y-23")
def a_call_acts_at_once(torch, see):
    fw = level_of(torch)
    with fw.dual_level():
        dual = fw.make_dual(torch.ones(2), torch.ones(2))
        off = fw._set_fwd_grad_enabled(False)
        see("off at once", seen(torch, dual * 2), expect=None)
        with off:
            see("in its block", seen(torch, dual * 2), expect=None)
        see("its block restores what was before the call", seen(torch, dual * 2), expect=[2, 2])
        fw._set_fwd_grad_enabled(False)
        see("off", seen(torch, dual * 2), expect=None)
        fw._set_fwd_grad_enabled(True)
        see("on", seen(torch, dual * 2), expect=[2, 2])


@program(rules="Y-23")
def transforms_switch_it_on_for_themselves(torch, see):
    fw = level_of(torch)
    x = torch.ones(2)
    with fw._set_fwd_grad_enabled(False):
        see("jvp", torch.func.jvp(lambda x: x * 3, (x,), (x,))[1], expect=[3, 3])
        see("jacfwd", torch.func.jacfwd(lambda x: x * 3)(x), expect=[[3, 0], [0, 3]])
