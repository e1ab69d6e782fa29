"""The programs of the gallery's states."""

from __future__ import annotations

NONFINITE = """
import vizgrad as vg
x = vg.tensor([0.0, 1.0, 4.0], requires_grad=True)
loss = vg.where(x > 0, x.sqrt(), vg.zeros(3)).sum()
"""
STALE = """
import vizgrad as vg
w = vg.ones(3, requires_grad=True)
h = w.exp()
loss = (h * 2).tanh().sum() + h.sin().sum()
h.detach().mul_(3.0)
"""
SLOW = """
import time
import vizgrad as vg
x = vg.ones(3, requires_grad=True)
h = x.exp()
h.register_hook(lambda grad: time.sleep(8))
loss = (h * 2).sum()
"""
RNN = """
import vizgrad as vg
from vizgrad import nn
vg.manual_seed(0)
cell = nn.RNNCell(4, 8)
h = vg.zeros(2, 8)
for t in range(8):
    h = cell(vg.randn(2, 4), h)
loss = (h * h).sum()
"""

GPT = """
import vizgrad as vg
from vizgrad import nn
vg.manual_seed(0)

class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
    def forward(self, x):
        y = self.ln1(x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        return x + self.mlp(self.ln2(x))

class GPT(nn.Module):
    def __init__(self, words=20, width=16, blocks=12):
        super().__init__()
        self.token, self.position = nn.Embedding(words, width), nn.Embedding(8, width)
        self.h = nn.ModuleList([Block(width, 2) for _ in range(blocks)])
        self.lnf, self.head = nn.LayerNorm(width), nn.Linear(width, words)
    def forward(self, text):
        x = self.token(text) + self.position(vg.arange(8))
        for block in self.h:
            x = block(x)
        return self.head(self.lnf(x))

gpt = GPT()
text = vg.randint(0, 20, (4, 8))
loss = nn.functional.cross_entropy(gpt(text).reshape(-1, 20), text.reshape(-1))
"""

#: The gradients of a dual, and a vmap whose rules compute in several steps.
TRANSFORMS = """
import vizgrad as vg
from vizgrad import func
from vizgrad.autograd import forward_ad as fw
w = vg.tensor([[0.5, 2.0], [1.0, -1.0], [0.3, 0.1]], requires_grad=True)
scores = func.vmap(lambda x: (x @ w).tanh().sum())(vg.ones(5, 4, 3))
fw.enter_dual_level()
p = vg.tensor([0.5, 2.0], requires_grad=True)
x = fw.make_dual(p, vg.tensor([1.0, 3.0]))
loss = scores.mean() + (x * x * x).sum()
"""
CHECKPOINT = """
import vizgrad as vg
from vizgrad.utils.checkpoint import checkpoint
w = vg.tensor([2.0, 3.0], requires_grad=True)
x = vg.tensor([1.0, 2.0], requires_grad=True)
block = lambda x: (x * w).sin() * (x + w).exp()
loss = checkpoint(block, x.exp(), use_reentrant=False).sum()
"""


WHY = """
%load_ext vizgrad
import vizgrad as vg
w = vg.tensor([0.0, 1.0, 4.0], requires_grad=True)
square = w * w
distance = square.sqrt()
loss = (distance * 2).sum()
"""
#: Answers to Why? in outputs: of a value, of a cut gradient, of the findings of a cell, of an error.
ANSWERS = (
    """
%load_ext vizgrad
import vizgrad as vg
a = vg.tensor([2.0, -1.0], requires_grad=True)
with vg.watch():
    gain = a * 0.5
    loss = gain.log().sum()
vg.why(loss)""",
    """
with vg.watch():
    w = vg.tensor([1.0, 2.0], requires_grad=True)
    pred = (w * 3.0).detach()
    loss = ((pred - 1.0) * w.new_ones(2, requires_grad=True)).sum()
    loss.backward()
vg.why(w)""",
    """
%%vizgrad watch seen
model = vg.nn.Linear(2, 1)
steps = vg.optim.SGD(model.parameters(), lr=0.1)
for i in range(4):
    loss = (model(vg.ones(3, 2)) - vg.ones(3)).square().mean()
    loss.backward()
    steps.step()""",
    """
x = vg.tensor([0.5, 1.0], requires_grad=True)
y = x.exp()
loss = (y * 2.0).sum()
y += 1.0
loss.backward()""",
)
