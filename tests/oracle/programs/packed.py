"""Packed sequences: what is in them, recurrent layers over them, and the way back."""

from tests.oracle.data import wave
from tests.oracle.programs.modules import fill
from tests.oracle.registry import program

_LAYERS = (
    ("RNN", {}),
    ("GRU", {"bidirectional": True}),
    ("LSTM", {}),
    ("LSTM", {"num_layers": 2, "bidirectional": True}),
    ("LSTM", {"proj_size": 2}),
)
_CASES = [
    (f"{name} {options} {'given' if given else 'zeros'} {'sorted' if in_order else 'unsorted'}",
     name, options, given, in_order)
    for name, options in _LAYERS
    for given in (False, True)
    for in_order in (False, True)
]  # fmt: skip


def packed(torch, x, lengths, **options):
    return torch.nn.utils.rnn.pack_padded_sequence(x, lengths, **options)


@program(rules="T-53", each=_CASES)
def recurrent_layers_over_packed_sequences(torch, see, case):
    _, name, options, given, in_order = case
    layer = fill(torch, getattr(torch.nn, name)(3, 4, **options).double())
    x = torch.tensor(wave(5, 4, 3), dtype=torch.float64, requires_grad=True)
    lengths = [5, 3, 3, 1] if in_order else [3, 5, 1, 3]
    state = None
    if given:
        rows = options.get("num_layers", 1) * (2 if options.get("bidirectional") else 1)
        h = torch.tensor(wave(rows, 4, options.get("proj_size", 4), seed=1), dtype=torch.float64)
        c = torch.tensor(wave(rows, 4, 4, seed=2), dtype=torch.float64)
        state = (h, c) if name == "LSTM" else h
    sequence = packed(torch, x, lengths, enforce_sorted=in_order)
    output, last = layer(sequence, state)
    see("sizes", output.batch_sizes)
    see("packed", output.data)
    padded, back = torch.nn.utils.rnn.pad_packed_sequence(output, batch_first=True)
    see("padded", padded)
    see("lengths", back)
    lasts = last if name == "LSTM" else (last,)
    see("last", list(lasts))
    (padded.square().sum() + sum(state.sum() for state in lasts)).backward()
    see("gradients", [x.grad, *(p.grad for p in layer.parameters())])


@program(rules="T-53")
def what_a_packed_sequence_holds(torch, see):
    rnn = torch.nn.utils.rnn
    x = torch.tensor(wave(3, 4, 2), requires_grad=True)
    sequence = packed(torch, x, torch.tensor([2, 4, 1]), batch_first=True, enforce_sorted=False)
    for name in ("data", "batch_sizes", "sorted_indices", "unsorted_indices"):
        see(name, getattr(sequence, name))
    sequence.data.sum().backward()
    see("gradient", x.grad)
    see("double", sequence.double().data.dtype is torch.float64)
    see("the same", sequence.to(torch.float32) is sequence)
    parts = [torch.tensor(wave(n, 2, seed=n)) for n in (3, 2, 2)]
    whole = rnn.pack_sequence(parts)
    see("of a list", whole.data)
    see("again", rnn.unpack_sequence(whole))
    see("order", whole.sorted_indices is None and whole.unsorted_indices is None)
    padded, lengths = rnn.pad_packed_sequence(whole, padding_value=-1.0, total_length=5)
    see("more padding", padded)
    see("lengths", lengths)
    see("inverse", rnn.invert_permutation(torch.tensor([2, 0, 1])))


@program(rules="T-53")
def mistakes_with_packed_sequences(torch, see):
    rnn, x = torch.nn.utils.rnn, torch.ones(3, 2, 1)
    see.raises(
        "not sorted", lambda: packed(torch, x, [1, 2]), phrase="must be sorted in decreasing order"
    )
    see.raises("empty", lambda: packed(torch, x, [1, 0]), phrase="has to be greater than 0")
    see.raises("how many", lambda: packed(torch, x, [3]), phrase="to be equal to batch_size")
    short = packed(torch, x, [3, 1])
    see.raises(
        "too short", lambda: rnn.pad_packed_sequence(short, total_length=2), phrase="total_length=2"
    )
    layer = torch.nn.GRU(2, 3)
    see.raises("width", lambda: layer(short), phrase="must be equal to input_size")
    see.raises(
        "state",
        lambda: torch.nn.GRU(1, 3)(short, torch.zeros(1, 3, 3)),
        phrase="Expected hidden size",
    )
