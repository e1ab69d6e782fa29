"""Programs of sequences: recurrent networks, attention, text."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.benchmarks.programs.program import (
    Step,
    by_hand,
    classes,
    descend,
    drawn,
    drawn_classes,
    numbers,
    program,
    training,
    weights,
)


def _recurrent(torch: Any, kind: str, length: int, batch: int, **options: Any) -> Step:
    """Classifies sequences by the output at their end."""
    nn = torch.nn
    x, y = numbers(torch, batch, length, 16), classes(torch, 5, batch)

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = getattr(nn, kind)(16, 64, batch_first=True, **options)
            self.head = nn.Linear(128 if options.get("bidirectional") else 64, 5)

        def forward(self, x: Any) -> Any:
            found, _ = self.body(x)
            return self.head(found[:, -1])

    model = Model()
    return training(torch, model, lambda: nn.functional.cross_entropy(model(x), y))


@program("LSTM, 32 steps")
def lstm(torch: Any) -> Step:
    return _recurrent(torch, "LSTM", 32, 16)


@program("LSTM of 2 layers, 32 steps")
def deep_lstm(torch: Any) -> Step:
    return _recurrent(torch, "LSTM", 32, 16, num_layers=2)


@program("GRU, 32 steps")
def gru(torch: Any) -> Step:
    return _recurrent(torch, "GRU", 32, 16)


@program("bi-RNN, 32 steps")
def bi_rnn(torch: Any) -> Step:
    return _recurrent(torch, "RNN", 32, 16, bidirectional=True)


@program("bi-LSTM, 32 steps")
def bi_lstm(torch: Any) -> Step:
    return _recurrent(torch, "LSTM", 32, 16, bidirectional=True)


@program("char-RNN by hand, 25 steps")
def char_rnn(torch: Any) -> Step:
    nn = torch.nn
    text, following = classes(torch, 30, 25), classes(torch, 30, 25, seed=1)

    class RNN(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.wx = nn.Parameter(torch.zeros(30, 64))
            self.wh = nn.Parameter(torch.zeros(64, 64))
            self.wy = nn.Parameter(torch.zeros(64, 30))
            self.bh = nn.Parameter(torch.zeros(64))
            self.by = nn.Parameter(torch.zeros(30))

    model, seen = RNN(), torch.eye(30)[text]

    def loss() -> Any:
        h, total = torch.zeros(1, 64), 0.0
        for t in range(25):
            h = torch.tanh(seen[t : t + 1] @ model.wx + h @ model.wh + model.bh)
            z = h @ model.wy + model.by
            total = total + nn.functional.cross_entropy(z, following[t : t + 1])
        return total / 25

    return training(torch, model, loss, sgd=True)


@by_hand("char-RNN by hand, 25 steps")
def char_rnn_in_numpy() -> Step:
    text, following = drawn_classes(30, 25), drawn_classes(30, 25, seed=1)
    values = weights([(30, 64), (64, 64), (64, 30), (64,), (30,)])
    speeds = [np.zeros_like(value) for value in values]
    seen = np.eye(30, dtype=np.float32)[text]

    def step() -> float:
        wx, wh, wy, bh, by = values
        hs, shares, total = [np.zeros((1, 64), np.float32)], [], 0.0
        for t in range(25):
            hs.append(np.tanh(seen[t : t + 1] @ wx + hs[-1] @ wh + bh))
            e = np.exp(hs[-1] @ wy + by)
            shares.append(e / e.sum())
            total -= float(np.log(shares[-1][0, following[t]]))
        slopes = [np.zeros_like(value) for value in values]
        later = np.zeros((1, 64), np.float32)
        for t in reversed(range(25)):
            gz = shares[t]
            gz[0, following[t]] -= 1
            gz /= 25
            slopes[2] += hs[t + 1].T @ gz
            slopes[4] += gz[0]
            gh = (gz @ wy.T + later) * (1 - hs[t + 1] ** 2)
            slopes[0] += seen[t : t + 1].T @ gh
            slopes[1] += hs[t].T @ gh
            slopes[3] += gh[0]
            later = gh @ wh.T
        descend(values, speeds, slopes)
        return total / 25

    return step


@program("LSTM cell by hand, 30 steps")
def lstm_by_hand(torch: Any) -> Step:
    nn = torch.nn
    x, y = numbers(torch, 30, 16, 16), numbers(torch, 16, 32, seed=1)

    class Cell(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.gates = nn.Linear(16 + 32, 4 * 32)

        def forward(self, x: Any, state: Any) -> Any:
            h, c = state
            i, f, g, o = self.gates(torch.cat([x, h], 1)).chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            return torch.sigmoid(o) * torch.tanh(c), c

    cell = Cell()

    def loss() -> Any:
        state = torch.zeros(16, 32), torch.zeros(16, 32)
        for now in x:
            state = cell(now, state)
        return nn.functional.mse_loss(state[0], y)

    return training(torch, cell, loss)


@program("time series, LSTMCell and Linear")
def time_series(torch: Any) -> Step:
    nn = torch.nn
    waves = torch.from_numpy(np.sin(np.arange(40) / 5 + drawn(16, 1)).astype(np.float32))

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cell, self.out = nn.LSTMCell(1, 51), nn.Linear(51, 1)

        def forward(self, wave: Any) -> Any:
            h, c, outputs = torch.zeros(16, 51), torch.zeros(16, 51), []
            for now in wave.split(1, dim=1):
                h, c = self.cell(now, (h, c))
                outputs.append(self.out(h))
            return torch.cat(outputs, dim=1)

    model = Model()
    return training(
        torch, model, lambda: nn.functional.mse_loss(model(waves[:, :-1]), waves[:, 1:])
    )


@program("seq2seq with attention, 12 to 12")
def seq2seq(torch: Any) -> Step:
    nn = torch.nn
    given, wanted = classes(torch, 100, 16, 12), classes(torch, 100, 16, 12, seed=1)

    class Translator(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.source, self.target = nn.Embedding(100, 32), nn.Embedding(100, 32)
            self.encoder = nn.GRU(32, 64, batch_first=True)
            self.decoder = nn.GRUCell(32 + 64, 64)
            self.out = nn.Linear(128, 100)

        def forward(self, given: Any, wanted: Any) -> Any:
            states, last = self.encoder(self.source(given))
            h, outputs = last[0], []
            for t in range(wanted.size(1)):
                scores = torch.bmm(states, h.unsqueeze(2)).squeeze(2)
                context = torch.bmm(scores.softmax(1).unsqueeze(1), states).squeeze(1)
                h = self.decoder(torch.cat([self.target(wanted[:, t]), context], 1), h)
                outputs.append(self.out(torch.cat([h, context], 1)))
            return torch.stack(outputs, 1)

    model = Translator()

    def loss() -> Any:
        return nn.functional.cross_entropy(model(given, wanted).flatten(0, 1), wanted.flatten())

    return training(torch, model, loss)


@program("GPT of 2 layers, 8x32x64")
def gpt(torch: Any) -> Step:
    return _gpt(torch, layers=2, batch=8, length=32, width=64)


@program("GPT of 4 layers, 4x64x128")
def larger_gpt(torch: Any) -> Step:
    return _gpt(torch, layers=4, batch=4, length=64, width=128)


def _gpt(torch: Any, layers: int, batch: int, length: int, width: int) -> Step:
    nn, F = torch.nn, torch.nn.functional
    text = classes(torch, 65, batch, length + 1)
    heads = 4

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.mlp = nn.Sequential(
                nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
            )
            self.register_buffer("mask", torch.tril(torch.ones(length, length)) == 0)

        def forward(self, x: Any) -> Any:
            B, T, C = x.shape
            q, k, v = self.qkv(self.ln1(x)).split(C, dim=2)
            k = k.view(B, T, heads, C // heads).transpose(1, 2)
            q = q.view(B, T, heads, C // heads).transpose(1, 2)
            v = v.view(B, T, heads, C // heads).transpose(1, 2)
            scores = (q @ k.transpose(-2, -1)) * (C // heads) ** -0.5
            scores = scores.masked_fill(self.mask[:T, :T], float("-inf"))
            y = F.softmax(scores, dim=-1) @ v
            x = x + self.out(y.transpose(1, 2).contiguous().view(B, T, C))
            return x + self.mlp(self.ln2(x))

    class GPT(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.tokens, self.places = nn.Embedding(65, width), nn.Embedding(length, width)
            self.blocks = nn.Sequential(*[Block() for _ in range(layers)])
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 65, bias=False)

        def forward(self, text: Any) -> Any:
            x = self.tokens(text) + self.places(torch.arange(text.size(1)))
            return self.head(self.norm(self.blocks(x)))

    model = GPT()

    def loss() -> Any:
        return F.cross_entropy(model(text[:, :-1]).view(-1, 65), text[:, 1:].reshape(-1))

    return training(torch, model, loss)


@program("transformer encoder by modules, 8x20x64")
def encoder(torch: Any) -> Step:
    nn = torch.nn
    text, y = classes(torch, 200, 8, 20), classes(torch, 4, 8)
    layer = nn.TransformerEncoderLayer(64, 4, 128, 0.0, batch_first=True)
    body = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    model = nn.ModuleList([nn.Embedding(200, 64), body, nn.Linear(64, 4)])

    def loss() -> Any:
        return nn.functional.cross_entropy(model[2](body(model[0](text)).mean(1)), y)

    return training(torch, model, loss)


@program("transformer, encoder and decoder, 4x10x32")
def transformer(torch: Any) -> Step:
    nn = torch.nn
    given, wanted = numbers(torch, 4, 10, 32), numbers(torch, 4, 10, 32, seed=1)
    model = nn.Transformer(32, 4, 1, 1, 64, 0.0, batch_first=True)
    mask = nn.Transformer.generate_square_subsequent_mask(10)
    return training(
        torch,
        model,
        lambda: nn.functional.mse_loss(model(given, wanted, tgt_mask=mask), wanted),
    )


@program("text CNN, 16x40")
def text_cnn(torch: Any) -> Step:
    nn = torch.nn
    text, y = classes(torch, 500, 16, 40), classes(torch, 2, 16)

    class TextCNN(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(500, 32)
            self.windows = nn.ModuleList([nn.Conv1d(32, 16, k) for k in (3, 4, 5)])
            self.out = nn.Linear(48, 2)

        def forward(self, text: Any) -> Any:
            x = self.words(text).transpose(1, 2)
            found = [torch.relu(conv(x)).max(dim=2)[0] for conv in self.windows]
            return self.out(torch.cat(found, 1))

    model = TextCNN()
    return training(torch, model, lambda: nn.functional.cross_entropy(model(text), y))


@program("bag of words")
def bag_of_words(torch: Any) -> Step:
    nn = torch.nn
    text, y = classes(torch, 1000, 32, 20), classes(torch, 4, 32)
    model = nn.Sequential(nn.EmbeddingBag(1000, 32, mode="mean"), nn.Linear(32, 4))
    return training(torch, model, lambda: nn.functional.cross_entropy(model(text), y), sgd=True)


@program("WaveNet, dilated convolutions, 4x16x64")
def wavenet(torch: Any) -> Step:
    nn = torch.nn
    x, y = numbers(torch, 4, 16, 64), numbers(torch, 4, 16, 64, seed=1)

    class Layer(nn.Module):
        def __init__(self, dilation: int) -> None:
            super().__init__()
            self.filter = nn.Conv1d(16, 16, 2, dilation=dilation)
            self.gate = nn.Conv1d(16, 16, 2, dilation=dilation)
            self.out, self.dilation = nn.Conv1d(16, 16, 1), dilation

        def forward(self, x: Any) -> Any:
            early = nn.functional.pad(x, (self.dilation, 0))
            return x + self.out(torch.tanh(self.filter(early)) * torch.sigmoid(self.gate(early)))

    model = nn.Sequential(*[Layer(2**i) for i in range(4)])
    return training(torch, model, lambda: nn.functional.mse_loss(model(x), y))
