"""Errors of the machine that have no explanation, and why."""

#: File, what is raised (as far as it is written here) -> the reason.
EXEMPT: dict[tuple[str, str], str] = {
    ("engine/deep.py", "raised[0]"): "hands on what another thread raised",
    ("engine/deep.py", "interrupt"): "hands on Ctrl-C, which came while it waited for that thread",
    ("graph/node.py", "NotImplementedError("): "abstract: what every kind of node defines",
    ("autograd/mode_context.py", "NotImplementedError"): "abstract: what every mode defines",
    ("function/wrapped.py", "NotImplementedError"): "abstract: what every level defines",
    (
        "function/wrapped.py",
        "AttributeError",
    ): "asked where it is no error",
    ("function/stand_in.py", "AttributeError("): "asked by hasattr, where it is no error",
    ("function/declared.py", "TypeError("): "for who declares an operation, at import",
    ("function/primitive.py", "TypeError("): "for who declares an operation, at import",
    ("autograd/__init__.py", "AttributeError("): "asked by hasattr, where it is no error",
    ("function/custom/function.py", "AttributeError("): "asked by hasattr, where it is no error",
    ("function/custom/nested_io.py", "AttributeError("): "asked by hasattr, where it is no error",
    ("function/custom/matching.py", "_OtherShape"): "caught where it is called",
}

#: Files whose errors are reports: they say what was found, and the call is not to blame.
REPORTS = frozenset(
    {"autograd/checking.py", "autograd/checking_forward.py", "autograd/gradcheck.py"}
)
