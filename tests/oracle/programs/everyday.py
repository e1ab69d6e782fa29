"""Names that ordinary scripts use beside the operations: limits of types, windows, old constructors."""

from tests.oracle.registry import program

_WINDOWS = [
    (f"{name} {length} {periodic} {args}", name, length, periodic, args)
    for name, *args in (
        ("hann",), ("hamming",), ("hamming", 0.6, 0.4), ("blackman",), ("bartlett",), ("kaiser",),
        ("kaiser", 3.0),
    )
    for length in (0, 1, 2, 7)
    for periodic in (False, True)
]  # fmt: skip


@program(rules="T-40", each=_WINDOWS)
def windows(torch, see, case):
    _, name, length, periodic, args = case
    window = getattr(torch, f"{name}_window")
    see("window", window(length, periodic, *args, dtype=torch.float64))
    see("type", window(length).dtype is torch.float32)
    see("leaf", window(length, requires_grad=True).requires_grad)


@program(rules="T-40")
def mistakes_with_windows(torch, see):
    see.raises("negative", lambda: torch.hann_window(-1), phrase="non-negative window_length")
    see.raises(
        "integers",
        lambda: torch.kaiser_window(3, dtype=torch.int64),
        phrase="expects floating point dtypes",
    )


@program(rules="T-1", each=["float16", "float32", "float64", "complex64", "complex128"])
def limits_of_floating_point_types(torch, see, case):
    limits = torch.finfo(getattr(torch, case))
    for name in ("bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution", "dtype"):
        see(name, getattr(limits, name))
    see("printed", repr(limits))
    see("equal", limits == torch.finfo(getattr(torch, case)))


@program(rules="T-1", each=["uint8", "int8", "int16", "int32", "int64"])
def limits_of_integer_types(torch, see, case):
    limits = torch.iinfo(getattr(torch, case))
    for name in ("bits", "max", "min", "dtype"):
        see(name, getattr(limits, name))
    see("printed", repr(limits))


@program(rules="T-1")
def types_without_such_limits(torch, see):
    see("default", torch.finfo().dtype)
    see.raises("finfo", lambda: torch.finfo(torch.int64), phrase="requires a floating point")
    see.raises("iinfo", lambda: torch.iinfo(torch.float32), phrase="requires an integer")
    see.raises("bool", lambda: torch.iinfo(torch.bool), phrase="not supported by torch.iinfo")


@program(
    rules="T-7", each=["Float", "Double", "Half", "Byte", "Char", "Short", "Int", "Long", "Bool"]
)
def constructors_by_type(torch, see, case):
    make = getattr(torch, f"{case}Tensor")
    see("numbers", make([1, 0, 1]))
    see("sizes", make(2, 3).shape)
    see("size", make(torch.Size([4])).shape)
    see("none", make().shape)
    x = torch.ones(2, dtype=torch.float64).type(make)
    see("converted", x)
    see("instance", isinstance(x, make))
    see("another", isinstance(torch.ones(2, dtype=torch.complex64), make))
    see.raises("other type", lambda: make(torch.ones(1, dtype=torch.complex64)))


@program(rules="T-31")
def layouts_and_formats(torch, see):
    x = torch.ones(2, 3)
    see("strided", x.layout is torch.strided)
    see("is a layout", isinstance(x.layout, torch.layout))
    see("zeros", torch.zeros(2, layout=torch.strided))
    see("copied", x.t().clone(memory_format=torch.contiguous_format).stride())
    see("kept", x.t().clone(memory_format=torch.preserve_format).stride())
    see("new axis", x[:, torch.newaxis].shape)
