"""The profiler: which events there are, how often, under which names; schedules; the form of its table."""

from tests.oracle.registry import program


def kept(events, names):
    """How often each of these was called."""
    return {name: sum(e.count for e in events if e.key == name) for name in names}


@program(rules="T-50")
def operations_and_nodes_are_counted_by_name(torch, see):
    profiler = torch.profiler
    x = torch.ones(4, 4, requires_grad=True)
    with profiler.profile(activities=[profiler.ProfilerActivity.CPU], record_shapes=True) as prof:
        with profiler.record_function("model"):
            y = (x @ x).relu().sum()
        for _ in range(2):
            torch.zeros(3)
        y.backward()
    names = ["model", "aten::mm", "aten::relu", "aten::sum", "aten::zeros", "MmBackward0", "ReluBackward0",
             "SumBackward0", "torch::autograd::AccumulateGrad", "aten::exp"]  # fmt: skip
    averages = prof.key_averages()
    see("counts", kept(averages, names))
    model = next(event for event in prof.events() if event.name == "model")
    within = {event.name for event in model.cpu_children}
    see("within", {"aten::relu", "aten::sum"} <= within)
    see("annotation", (model.is_user_annotation, model.cpu_parent is None))
    shapes = [
        e.input_shapes
        for e in prof.key_averages(group_by_input_shape=True)
        if e.key == "aten::relu"
    ]
    see("shapes", [[list(shape) for shape in each] for each in shapes])
    average = next(each for each in averages if each.key == "aten::zeros")
    see("average", abs(average.cpu_time * 2 - average.cpu_time_total) < 1e-3)
    see("own time", 0 <= average.self_cpu_time_total <= average.cpu_time_total)
    total = sum(each.self_cpu_time_total for each in averages)
    see("total", abs(averages.self_cpu_time_total - total) <= 1e-3 + total / 1000)


@program(rules="T-50")
def the_table_has_pytorchs_columns(torch, see):
    with torch.profiler.profile() as prof:
        torch.ones(2).exp()
    averages = prof.key_averages()
    for by in ("cpu_time_total", "self_cpu_time_total", "count", "cpu_time"):
        lines = averages.table(sort_by=by, row_limit=2).splitlines()
        see(f"{by}: columns", [w.strip() for w in lines[1].split("  ") if w.strip()])
        see(
            f"{by}: rules",
            (lines[0] == lines[2] == lines[-2], lines[-1].startswith("Self CPU time")),
        )
        values = [getattr(each, by) for each in averages]
        first = next(each for each in averages if each.key == lines[3].split()[0])
        see(f"{by}: first", getattr(first, by) == max(values))
    shaped = prof.key_averages(group_by_input_shape=True).table(row_limit=1)
    see("no shapes", "Input Shapes" in shaped.splitlines()[1])
    with torch.profiler.profile(record_shapes=True) as prof:
        torch.ones(2).exp()
    shaped = prof.key_averages(group_by_input_shape=True).table()
    see("shapes", "Input Shapes" in shaped.splitlines()[1])
    titled = averages.table(row_limit=1, header="A title").splitlines()
    see("title", (titled[0].strip("="), titled[1]))
    see.raises("nonsense", lambda: averages.table(sort_by="x"), phrase="has no attribute 'x'")


@program(rules="T-50")
def schedules_say_what_each_step_does(torch, see):
    schedule = torch.profiler.schedule
    settings = {
        "rounds": {"wait": 1, "warmup": 1, "active": 2, "repeat": 2, "skip_first": 3},
        "for ever": {"wait": 2, "warmup": 1, "active": 1},
        "no first wait": {
            "wait": 2, "warmup": 1, "active": 1, "skip_first": 2, "skip_first_wait": 1, "repeat": 2,
        },
    }  # fmt: skip
    for name, each in settings.items():
        of = schedule(**each)
        see(name, [of(step).name for step in range(16)])
        see.raises(
            f"{name}: before", lambda of=of: of(-1), phrase="Step must be non-negative. Got -1."
        )
    for name in ("wait", "warmup", "repeat"):
        wrong = {"wait": 1, "warmup": 1, "active": 1, name: -1}
        see.raises(name, lambda wrong=wrong: schedule(**wrong), phrase=f"{name}=-1 (need >= 0)")
    see.raises("active", lambda: schedule(wait=1, warmup=1, active=0), phrase="active=0 (need > 0)")
    see.raises("by position", lambda: schedule(1, 1, 1))
    see.warns(
        "no warmup", lambda: schedule(wait=1, warmup=0, active=1), phrase="won't be using warmup"
    )


@program(rules="T-50")
def a_scheduled_profiler_tells_of_each_round(torch, see):
    profiler = torch.profiler
    for active, steps in ((2, 9), (3, 5)):
        told = []

        def ready(prof, told=told):
            steps = [event.name for event in prof.events() if event.name.startswith("ProfilerStep")]
            exp = [event.name for event in prof.events() if event.name == "aten::exp"]
            told.append((prof.step_num, len(steps), len(exp)))

        when = profiler.schedule(wait=1, warmup=1, active=active, repeat=2)
        with profiler.profile(schedule=when, on_trace_ready=ready, acc_events=False) as prof:
            for _ in range(steps):
                torch.ones(2).exp()
                prof.step()
        see(f"{active} of {steps}", told)
        see(f"{active} steps", prof.step_num)


@program(rules="T-50")
def what_a_profiler_refuses(torch, see):
    profiler = torch.profiler
    see.raises(
        "nothing", lambda: profiler.profile(activities=[]), phrase="No valid profiler activities"
    )
    see.raises("too early", lambda: profiler.profile().events(), phrase="must be initialized")
    see.raises("averages", lambda: profiler.profile().key_averages(), phrase="must be initialized")
    see.raises("no name", profiler.record_function)
    see("supported", sorted(each.name for each in profiler.supported_activities()))
    old = torch.autograd.profiler.profile()
    with old:
        torch.ones(2).exp()
    see("old", sum(event.name == "aten::exp" for event in old.function_events))
    see.raises("again", old.__enter__, phrase="Profiler context manager is not reentrant")
    see("table", old.table().splitlines()[1].split()[0])

    @profiler.record_function("named")
    def function(x):
        return x + 1

    with profiler.profile() as prof:
        function(function(1))
    see("decorator", [(e.key, e.count) for e in prof.key_averages()])
