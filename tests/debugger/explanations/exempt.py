"""Errors of the machine that have no explanation, and why."""

#: File, what is raised (as far as it is written here) -> the reason.
EXEMPT: dict[tuple[str, str], str] = {
    ("core/engine/threads.py", "raised[0]"): "hands on what another thread raised",
    (
        "core/engine/threads.py",
        "interrupt",
    ): "hands on Ctrl-C, which came while it waited for that thread",
    ("core/graph/node.py", "NotImplementedError("): "abstract: what every kind of node defines",
    ("autograd/mode_context.py", "NotImplementedError"): "abstract: what every mode defines",
    (
        "core/function/transform_tensor.py",
        "NotImplementedError",
    ): "abstract: what every level defines",
    (
        "core/function/transform_tensor.py",
        "AttributeError",
    ): "asked where it is no error",
    (
        "core/function/abstract_array.py",
        "AttributeError(",
    ): "asked by hasattr, where it is no error",
    ("core/function/declared.py", "TypeError("): "for who declares an operation, at import",
    ("core/function/primitive.py", "TypeError("): "for who declares an operation, at import",
    ("autograd/__init__.py", "AttributeError("): "asked by hasattr, where it is no error",
    (
        "core/function/custom/function.py",
        "AttributeError(",
    ): "asked by hasattr, where it is no error",
    (
        "core/function/custom/nested_io.py",
        "AttributeError(",
    ): "asked by hasattr, where it is no error",
    (
        "core/function/views.py",
        "_shared_place('its windows",
    ): "explained like a write to an expanded tensor; shown by tests/oracle (overlapping_windows)",
    ("core/function/custom/signature.py", "_OtherShape"): "caught where it is called",
    (
        "autograd/profiler/profile.py",
        "RuntimeError(",
    ): "of the profiler, which a backward never raises",
    (
        "autograd/profiler/averages.py",
        "AttributeError(",
    ): "of the profiler's table, which names what may be asked for",
}

#: Files whose errors are reports: they say what was found, and the call is not to blame.
REPORTS = frozenset(
    {"autograd/gradcheck_backward.py", "autograd/gradcheck_forward.py", "autograd/gradcheck.py"}
)
