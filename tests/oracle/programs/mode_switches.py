"""The finer points of the modes' objects: what they take, when they act, what they give back."""

from tests.oracle.registry import program


@program(rules="M-4", each=(1, 0, None, "on", []))
def only_a_bool_switches_recording(torch, see, case):
    see.raises("refused", lambda: torch.set_grad_enabled(case), phrase="must be bool")
    see("unchanged", torch.is_grad_enabled(), expect=True)


@program(rules="M-5")
def an_object_restores_what_was_before_it_was_made(torch, see):
    log = []
    with torch.no_grad():
        made_inside = torch.set_grad_enabled(True)
    with made_inside:
        log.append(torch.is_grad_enabled())
    log.append(torch.is_grad_enabled())
    torch.set_grad_enabled(True)
    see("entered later", log, expect=[True, False])


@program(rules="M-3")
def decorating_keeps_what_a_function_is(torch, see):
    @torch.no_grad
    def documented(x, *, k=1):
        """What it does."""
        return x, k, torch.is_grad_enabled()

    class Methods:
        @torch.no_grad
        def bare(self):
            return torch.is_grad_enabled()

        @staticmethod
        @torch.no_grad()
        def static():
            return torch.is_grad_enabled()

        @classmethod
        @torch.inference_mode
        def of_class(cls):
            return torch.is_inference_mode_enabled()

    see("name", (documented.__name__, documented.__doc__), expect=("documented", "What it does."))
    see("arguments", documented(1, k=3), expect=(1, 3, False))
    see("methods", (Methods().bare(), Methods.static(), Methods.of_class()))


@program(rules="M-6")
def a_mode_set_by_a_generator_does_not_leak(torch, see):
    @torch.no_grad
    def switching():
        torch.set_grad_enabled(True)
        yield torch.is_grad_enabled()
        yield torch.is_grad_enabled()

    log = [(inside, torch.is_grad_enabled()) for inside in switching()]
    see("inside and outside", log, expect=[(True, True), (False, True)])


@program(rules="M-6")
def a_generator_within_a_generator(torch, see):
    @torch.no_grad()
    def inner():
        yield torch.is_grad_enabled()
        return 3

    @torch.enable_grad()
    def outer():
        returned = yield from inner()
        yield returned, torch.is_grad_enabled()

    with torch.no_grad():
        see("modes", list(outer()), expect=[False, (3, True)])


@program(rules="M-6 M-20")
def inference_mode_of_a_generator(torch, see):
    @torch.inference_mode()
    def made():
        yield torch.ones(1).is_inference()
        yield torch.is_inference_mode_enabled()

    log = [(inside, torch.is_inference_mode_enabled()) for inside in made()]
    see("inside and outside", log, expect=[(True, False), (True, False)])


@program(rules="M-7", each=("no_grad", "inference_mode"))
def a_decorated_class_is_made_in_the_mode(torch, see, mode):
    class Plain:
        def __init__(self):
            self.made = torch.is_grad_enabled()

        def later(self):
            return torch.is_grad_enabled()

    decorated = see.warns("decorating", lambda: getattr(torch, mode)()(Plain), FutureWarning)
    see("in the mode", (decorated().made, decorated().later()), expect=(False, True))


@program(rules="M-12")
def clones(torch, see):
    one = torch.no_grad()
    other = one.clone()
    see(
        "another object of the class",
        (type(other) is type(one), other is one),
        expect=(True, False),
    )
    see("arguments", torch.inference_mode(False).clone().mode, expect=False)
    fresh = torch.set_grad_enabled(False).clone()
    see("keeps the flag, and acts at once", (fresh.mode, torch.is_grad_enabled()))
    torch.set_grad_enabled(True)


@program(rules="M-8")
def what_makes_leaves_works_under_no_grad(torch, see):
    with torch.no_grad():
        leaf = torch.ones(2, requires_grad=True)
        made = {
            "factory": leaf,
            "parameter": torch.nn.Parameter(torch.ones(2)),
            "asked later": torch.ones(2).requires_grad_(),
            "tensor": torch.tensor([1.0], requires_grad=True),
            "like": torch.zeros_like(leaf, requires_grad=True),
            "view": leaf[:1],
            "product": leaf * 2,
            "clone": leaf.clone(),
            "detached": leaf.detach(),
            "plain like": torch.zeros_like(leaf),
        }
    for name, one in made.items():
        see(name, (one.requires_grad, one.is_leaf, one.grad_fn))


@program(rules="M-10 E-26 E-79")
def backward_leaves_the_mode_as_it_was(torch, see):
    log = []
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    x.register_hook(lambda g: log.append(torch.is_grad_enabled()))
    with torch.no_grad():
        y.backward(retain_graph=True)
        log.append(torch.is_grad_enabled())
        y.backward(retain_graph=True, create_graph=True)
        log.append(torch.is_grad_enabled())
    x.register_hook(lambda g: 1 / 0)
    see.raises("a hook that fails", y.backward)
    see("modes", [*log, torch.is_grad_enabled()], expect=[False, False, True, False, False, True])


@program(rules="M-40", each=(1, None, "on"))
def only_a_bool_switches_threads(torch, see, case):
    see.raises(
        "refused", lambda: torch.autograd.set_multithreading_enabled(case), phrase="must be bool"
    )


@program(rules="M-40")
def decorating_switches_threads_for_good(torch, see):
    enabled = torch.autograd.is_multithreading_enabled
    try:
        decorated = torch.autograd.set_multithreading_enabled(False)(enabled)
        log = [enabled()]
        torch.autograd.set_multithreading_enabled(True)
        log += [decorated(), enabled()]
    finally:
        torch.autograd.set_multithreading_enabled(True)
    see("after decorating, inside, after the call", log, expect=[False, False, True])


@program(rules="M-41", each=(1, None, "on"))
def only_a_bool_switches_anomaly_mode(torch, see, case):
    see.raises("mode", lambda: torch.autograd.set_detect_anomaly(case), phrase="must be bool")
    see.raises(
        "check_nan", lambda: torch.autograd.set_detect_anomaly(True, case), phrase="must be bool"
    )
    see("unchanged", (torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()))


@program(rules="M-41")
def nested_anomaly_modes(torch, see):
    def state():
        return torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()

    log = [state()]
    with torch.autograd.detect_anomaly(False):
        log.append(state())
        with torch.autograd.set_detect_anomaly(False):
            log.append(state())
        log.append(state())
    log.append(state())
    torch.autograd.set_detect_anomaly(False, False)
    log.append(state())
    torch.autograd.set_detect_anomaly(False)
    see("states", [*log, state()])
    see.warns("making one", torch.autograd.detect_anomaly, phrase="Anomaly Detection")


@program(rules="M-44 T-1", each=("int32", "bool", "complex64"))
def the_default_type_is_floating(torch, see, case):
    see.raises("refused", lambda: torch.set_default_dtype(getattr(torch, case)))


@program(rules="M-44 T-7")
def the_default_type_in_use(torch, see):
    before = torch.get_default_dtype()
    try:
        torch.set_default_dtype(torch.float64)
        see(
            "types",
            [
                t.dtype
                for t in (
                    torch.ones(1),
                    torch.tensor(1.0),
                    torch.tensor([1]) * 1.5,
                    torch.arange(2.0),
                    torch.tensor([1]) / 2,
                )
            ],
            expect=["float64"] * 5,
        )
    finally:
        torch.set_default_dtype(before)
