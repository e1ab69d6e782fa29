"""no_grad, enable_grad, set_grad_enabled: contexts, decorators, functions, generators, threads."""

import contextlib
import threading

from tests.oracle.registry import program


@program(rules="M-1 M-2")
def no_grad_is_restored_in_every_case(torch, see):
    log = [torch.is_grad_enabled()]
    with torch.no_grad():
        log.append(torch.is_grad_enabled())
        with torch.enable_grad():
            log.append(torch.is_grad_enabled())
        log.append(torch.is_grad_enabled())
    log.append(torch.is_grad_enabled())
    with contextlib.suppress(ValueError), torch.no_grad():
        int("not a number")
    log.append(torch.is_grad_enabled())
    see("modes", log, expect=[True, False, True, False, True, True])


@program(rules="M-2")
def results_inside_have_no_history(torch, see):
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        y = x * 2
        see("inside", y)
        with torch.enable_grad():
            see("enabled again", x * 2)
    see("afterwards too", y * 1)
    see("with x again", y * x)


@program(rules="M-1")
def a_new_thread_starts_with_grad_on(torch, see):
    found = []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: found.append(torch.is_grad_enabled()))
        thread.start()
        thread.join()
        found.append(torch.is_grad_enabled())
    see("thread, then here", found, expect=[True, False])


@program(rules="M-3")
def decorators_with_and_without_parentheses(torch, see):
    x = torch.ones(2, requires_grad=True)

    @torch.no_grad()
    def called(t):
        return t * 2

    @torch.no_grad
    def bare(t):
        return t * 2

    @torch.enable_grad()
    def enabled(t):
        return t * 2

    see("with", called(x).requires_grad, expect=False)
    see("without", bare(x).requires_grad, expect=False)
    see("name kept", bare.__name__, expect="bare")
    with torch.no_grad():
        see("enable_grad", enabled(x).requires_grad, expect=True)
    see("after", torch.is_grad_enabled(), expect=True)


@program(rules="M-3")
def a_decorated_function_enters_anew_each_time(torch, see):
    log = []

    @torch.no_grad()
    def recursive(depth):
        log.append(torch.is_grad_enabled())
        with torch.enable_grad():
            if depth:
                recursive(depth - 1)
            log.append(torch.is_grad_enabled())

    recursive(2)
    see("modes", log, expect=[False, False, False, True, True, True])
    see("after", torch.is_grad_enabled(), expect=True)


@program(rules="M-4")
def set_grad_enabled_acts_at_once(torch, see):
    log = []
    torch.set_grad_enabled(False)
    log.append(torch.is_grad_enabled())
    torch.set_grad_enabled(True)
    log.append(torch.is_grad_enabled())
    with torch.set_grad_enabled(False):
        log.append(torch.is_grad_enabled())
    log.append(torch.is_grad_enabled())
    see("modes", log, expect=[False, True, False, True])
    see.raises("an int", lambda: torch.set_grad_enabled(1), phrase="bool")


@program(rules="M-4")
def set_grad_enabled_as_a_decorator(torch, see):
    @torch.set_grad_enabled(False)
    def inside():
        return torch.is_grad_enabled()

    see("after decorating", torch.is_grad_enabled(), expect=True)
    see("inside", inside(), expect=False)
    see("after the call", torch.is_grad_enabled(), expect=True)


@program(rules="M-5")
def an_object_entered_later_restores_the_mode_before_it_was_made(torch, see):
    mode = torch.set_grad_enabled(False)
    log = [torch.is_grad_enabled()]
    with mode:
        log.append(torch.is_grad_enabled())
    log.append(torch.is_grad_enabled())
    see("modes", log, expect=[False, False, True])


@program(rules="M-6")
def generators_keep_their_own_mode(torch, see):
    log = []

    @torch.no_grad()
    def numbers():
        log.append(("body", torch.is_grad_enabled()))
        sent = yield 1
        log.append((sent, torch.is_grad_enabled()))
        try:
            yield 2
        except KeyError:
            log.append(("thrown", torch.is_grad_enabled()))
        yield 3
        return "done"

    steps = numbers()
    log.append((next(steps), torch.is_grad_enabled()))
    log.append((steps.send("sent"), torch.is_grad_enabled()))
    log.append((steps.throw(KeyError()), torch.is_grad_enabled()))
    try:
        next(steps)
    except StopIteration as stop:
        log.append((stop.value, torch.is_grad_enabled()))
    see("log", log)


@program(rules="M-7")
def decorating_a_class_warns(torch, see):
    def decorate():
        @torch.no_grad()
        class Model:
            def __init__(self):
                self.mode = torch.is_grad_enabled()

            def run(self):
                return torch.is_grad_enabled()

        return Model()

    model = see.warns("warning", decorate, FutureWarning)
    see("only the constructor", (model.mode, model.run()), expect=(False, True))


@program(rules="M-7")
def coroutines_keep_the_mode_in_vizgrad_only(torch, see):
    @torch.no_grad()
    async def body():
        return torch.is_grad_enabled()

    def run(coroutine):
        try:
            coroutine.send(None)
        except StopIteration as stop:
            return stop.value

    see.differs(
        "inside a coroutine",
        run(body()),
        torch=True,
        vizgrad=False,
        because="M-7: the decorator holds for coroutine functions too",
    )


@program(rules="M-8")
def what_no_grad_does_not_touch(torch, see):
    with torch.no_grad():
        made = torch.ones(2, requires_grad=True)
        see("factory", made)
        see("parameter", torch.nn.Parameter(torch.ones(2)))
        see("requires_grad_", torch.ones(2).requires_grad_())
        see("an operation", made * 2)
        view = made[0]
    see("a view", (view.requires_grad, view.is_leaf), expect=(True, True))


@program(rules="M-9")
def nothing_is_saved_but_versions_count(torch, see):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    loss = (y * y).sum()
    with torch.no_grad():
        z = y.exp()
        y.add_(1)
    see("no node", z.grad_fn, expect=None)
    see("version", y._version, expect=1)
    see.raises("the saved value is stale", loss.backward, phrase="modified by an inplace operation")


@program(rules="M-10")
def backward_restores_the_callers_mode(torch, see):
    x = torch.ones(2, requires_grad=True)
    log = []
    y = (x * x).sum()
    x.register_hook(lambda g: log.append(torch.is_grad_enabled()))
    y.backward()
    log.append(torch.is_grad_enabled())
    with torch.no_grad():
        see.raises("an error inside", y.backward, phrase="second time")
        log.append(torch.is_grad_enabled())
    see("modes", log, expect=[False, True, False])


@program(rules="M-12")
def one_object_entered_one_after_the_other(torch, see):
    mode = torch.no_grad()
    log = []
    for _ in range(2):
        with mode:
            log.append(torch.is_grad_enabled())
        log.append(torch.is_grad_enabled())
    see("modes", log, expect=[False, True, False, True])
    fresh = mode.clone()
    with fresh:
        log.append(torch.is_grad_enabled())
    see("a clone", log[-1], expect=False)


@program(rules="M-12")
def one_object_entered_inside_itself(torch, see):
    mode = torch.no_grad()
    with mode, mode:
        pass
    after = torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    see.differs(
        "grad mode after both exits",
        after,
        torch=False,
        vizgrad=True,
        because="M-12: vizgrad's objects keep a stack",
    )
