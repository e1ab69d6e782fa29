"""Convolutions, their transposes, and windows, of operands with another number of dimensions."""

from tests.oracle.registry import program

INPUTS = {
    0: (),
    1: (4,),
    2: (2, 4),
    3: (2, 2, 4),
    4: (2, 2, 4, 4),
    5: (2, 2, 4, 4, 4),
    6: (1, 2, 2, 4, 4, 4),
}
WEIGHTS = {0: (), 1: (2,), 2: (2, 2), 3: (2, 2, 3), 4: (2, 2, 3, 3), 5: (2, 2, 3, 3, 3)}  # fmt: skip
CONVOLUTIONS = (
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
)
PADDINGS = (0, "same", "valid")
#: Words of numpy's and Python's own errors.
FOREIGN = (
    "zip()",
    "unpack",
    "index out of range",
    "broadcast",
    "axes",
    "einsum",
    "NoneType",
    "division",
)


def _said(fn):
    try:
        return tuple(fn().shape)
    except Exception as error:  # noqa: BLE001 (the error is what is observed)
        return [word for word in FOREIGN if word in str(error)]


@program(rules="Y-43 X-33", each=CONVOLUTIONS)
def operands_of_another_rank_are_refused_in_words_of_convolutions(torch, see, name):
    function = getattr(torch.nn.functional, name)
    for n, size in INPUTS.items():
        for m, kernel in WEIGHTS.items():
            for padding in PADDINGS[: 1 if "transpose" in name else 3]:

                def call(size=size, kernel=kernel, padding=padding):
                    return function(torch.ones(size), torch.ones(kernel), padding=padding)

                see.attempt(f"{n} {m} {padding}", call)
                see(f"{n} {m} {padding}: words", _said(call))


@program(rules="Y-43")
def the_message_names_both_ranks(torch, see):
    F = torch.nn.functional
    see.raises(
        "2d",
        lambda: F.conv2d(torch.ones(1, 2, 4, 4), torch.ones(2, 2, 3), padding="same"),
        phrase="Expected 3-dimensional input for 3-dimensional weight",
    )
    see.raises(
        "3d",
        lambda: F.conv3d(torch.ones(2, 4, 4, 4), torch.ones(2, 2, 3, 3), padding="same"),
        phrase="Expected 4-dimensional input for 4-dimensional weight",
    )
    see.raises(
        "no dimension",
        lambda: F.conv1d(torch.ones(2, 4), torch.ones(2), padding="same"),
        phrase="at least three dimensions",
    )
    see.raises(
        "an input",
        lambda: F.conv_transpose2d(torch.ones(4), torch.ones(2, 2, 3, 3)),
        phrase="(batched) input to conv_transpose2d",
    )


@program(rules="Y-43", each=[1, 2, 3])
def modules_refuse_inputs_of_another_rank(torch, see, dims):
    for settings in ({}, {"padding": "same"}, {"padding": 1, "padding_mode": "circular"}):
        module = getattr(torch.nn, f"Conv{dims}d")(2, 2, 3, **settings)
        for n, size in INPUTS.items():
            words = _said(lambda module=module, size=size: module(torch.ones(size)))
            see(f"{settings} {n}", words)


@program(rules="Y-43", each=[1, 2, 3])
def an_output_size_is_the_spatial_one_or_a_whole_shape(torch, see, dims):
    module = getattr(torch.nn, f"ConvTranspose{dims}d")(2, 2, 3, stride=2)
    for rest in ((2,), (1, 2)):
        x = torch.ones(rest + (4,) * dims)
        for length in range(7):
            sizes = rest + (10,) * dims if length == dims + len(rest) else (10,) * length
            see.attempt(
                f"{len(rest)} {length}",
                lambda x=x, sizes=sizes: tuple(module(x, output_size=sizes).shape),
            )
    see.raises(
        "a number", lambda: module(torch.ones(()), output_size=(9,) * 7), phrase="output_size"
    )


@program(rules="Y-43")
def windows_have_a_size_and_a_stride(torch, see):
    F = torch.nn.functional
    columns, images = torch.ones(1, 4, 4), torch.ones(1, 1, 3, 3)
    for settings in ({"stride": 0}, {"dilation": 0}, {"kernel_size": 0}, {"stride": -1}):
        given = {"kernel_size": 2, **settings}
        see.raises(f"fold {settings}", lambda given=given: F.fold(columns, (3, 3), **given),
                   phrase="should be greater than zero")  # fmt: skip
        see.raises(f"unfold {settings}", lambda given=given: F.unfold(images, **given),
                   phrase="should be greater than zero")  # fmt: skip
