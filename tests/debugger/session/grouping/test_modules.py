"""Calls of modules and `vg.scope` blocks."""

from __future__ import annotations

from tests.debugger.session.grouping.programs import shows


def test_a_module_is_grouped_as_its_parent_names_it() -> None:
    shows(
        """
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.body = nn.Sequential(nn.Linear(3, 3), nn.LayerNorm(3), nn.GELU())
                    self.head = nn.Linear(3, 2)
                def forward(self, x):
                    x = self.body(x)
                    x = x * 2
                    return self.head(x)
            y = (Net()(w) ** 2).sum()
        """,
        """
            module Net [2:13]
                module head: Linear [2:6]
                module body: Sequential [7:13]
                    module 0: Linear [9:13]
        """,
    )


def test_a_module_called_again_at_once_is_numbered() -> None:
    shows(
        """
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.same = nn.Linear(3, 3)
                def forward(self, x):
                    return self.same(self.same(x)).tanh()
            y = Net()(w).sum()
        """,
        """
            module Net [1:10]
                turn same: Linear · 2 of 2 [2:6]
                turn same: Linear · 1 of 2 [6:10]
        """,
    )


def test_a_module_called_again_later_is_two_groups() -> None:
    shows(
        """
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.same = nn.Linear(3, 3)
                def forward(self, x):
                    x = self.same(x)
                    x = x.tanh()
                    return self.same(x)
            y = Net()(w).sum()
        """,
        """
            module Net [1:10]
                module same: Linear [1:5]
                module same: Linear [6:10]
        """,
    )


def test_layers_of_a_list_are_turns_of_the_loop_over_them() -> None:
    shows(
        """
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(4)])
                def forward(self, x):
                    for layer in self.layers:
                        x = layer(x).tanh()
                    return x
            y = Net()(w).sum()
        """,
        """
            loop Net / for layer in self.layers [1:21] =4
                turn 4 of 4 [1:6]
                    module layers.3: Linear [2:6]
                turn 3 of 4 [6:11]
                    module layers.2: Linear [7:11]
                turn 2 of 4 [11:16]
                    module layers.1: Linear [12:16]
                turn 1 of 4 [16:21]
                    module layers.0: Linear [17:21]
        """,
    )


def test_a_method_that_forward_calls_is_a_function() -> None:
    shows(
        """
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.a = nn.Linear(3, 3)
                    self.b = nn.Linear(3, 3)
                def _encode(self, x):
                    return self.b(self.a(x).tanh())
                def forward(self, x):
                    x = x * 2
                    x = self._encode(x)
                    return x + 1
            y = Net()(w).sum()
        """,
        """
            module Net [1:12]
                function _encode [2:11]
                    module b: Linear [2:6]
                    module a: Linear [7:11]
        """,
    )


def test_equal_layers_are_cells() -> None:
    shows(
        """
            layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True, dropout=0.0)
            x = vg.ones(1, 2, 4, requires_grad=True)
            y = nn.TransformerEncoder(layer, 3)(x).sum()
        """,
        """
            equal TransformerEncoder / TransformerEncoderLayer · 3 equal [1:106] =3
                module layers.2: TransformerEncoderLayer [1:36]
                    module linear2: Linear [3:7]
                    module linear1: Linear [8:12]
                    module self_attn: MultiheadAttention [14:36]
                module layers.1: TransformerEncoderLayer [36:71]
                    module linear2: Linear [38:42]
                    module linear1: Linear [43:47]
                    module self_attn: MultiheadAttention [49:71]
                module layers.0: TransformerEncoderLayer [71:106]
                    module linear2: Linear [73:77]
                    module linear1: Linear [78:82]
                    module self_attn: MultiheadAttention [84:106]
        """,
    )


def test_what_repeats_in_a_module_of_ours_is_cells() -> None:
    shows(
        """
            out, _ = nn.LSTM(3, 4).double()(vg.ones(4, 1, 3).double())
            y = out.sum()
        """,
        """
            module LSTM [1:52]
                equal time step · 4 equal [2:46] =4
                    turn 4 of 4 [2:13]
                    turn 3 of 4 [13:24]
                    turn 2 of 4 [24:35]
                    turn 1 of 4 [35:46]
        """,
    )


def test_a_cell_in_a_loop_of_forward() -> None:
    shows(
        """
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.cell = nn.LSTMCell(3, 4)
                def forward(self, xs):
                    h, c = vg.zeros(1, 4), vg.zeros(1, 4)
                    outs = []
                    for x in xs:
                        h, c = self.cell(x, (h, c))
                        outs.append(h)
                    return vg.stack(outs)
            y = Net()(vg.ones(5, 1, 3)).sum()
        """,
        """
            module Net [1:77]
                loop for x in xs [2:77] =5
                    turn 5 of 5 / cell: LSTMCell [2:17]
                    turn 4 of 5 / cell: LSTMCell [17:32]
                    turn 3 of 5 / cell: LSTMCell [32:47]
                    turn 2 of 5 / cell: LSTMCell [47:62]
                    turn 1 of 5 / cell: LSTMCell [62:77]
        """,
    )


def test_a_cell_in_a_loop() -> None:
    shows(
        """
            cell = nn.LSTMCell(3, 4)
            h, c = vg.zeros(1, 4), vg.zeros(1, 4)
            for x in vg.ones(3, 1, 3):
                h, c = cell(x, (h, c))
            y = h.sum()
        """,
        """
            loop for x in vg.ones(3, 1, 3) [1:46] =3
                turn 3 of 3 / LSTMCell [1:16]
                turn 2 of 3 / LSTMCell [16:31]
                turn 1 of 3 / LSTMCell [31:46]
        """,
    )


def test_scopes_within_scopes() -> None:
    shows(
        """
            with vg.scope("outer"):
                x = w * 2
                with vg.scope("inner"):
                    x = x * w
                    x = x + 1
                with vg.scope("inner"):
                    x = x * w
                    x = x + 1
            y = x.sum()
        """,
        """
            scope outer [1:6]
                turn inner · 2 of 2 [1:3]
                turn inner · 1 of 2 [3:5]
        """,
    )


def test_a_scope_at_each_turn() -> None:
    shows(
        """
            x = w
            for i in range(4):
                with vg.scope(f"step {i}"):
                    x = x * w
                    x = x + 1
            y = x.sum()
        """,
        """
            loop for i in range(4) [1:9] =4
                turn step 3 [1:3]
                turn step 2 [3:5]
                turn step 1 [5:7]
                turn step 0 [7:9]
        """,
    )


def test_scopes_that_count_are_equal() -> None:
    shows(
        """
            x = w
            def step(i, x):
                with vg.scope(f"step {i}"):
                    x = x * w
                    return x + 1
            x = step(0, x)
            x = step(1, x)
            x = step(2, x)
            x = step(3, x)
            y = x.sum()
        """,
        """
            equal step / step 0 … step 3 · 4 equal [1:9] =4
                scope step / step 3 [1:3]
                scope step / step 2 [3:5]
                scope step / step 1 [5:7]
                scope step / step 0 [7:9]
        """,
    )


def test_a_turn_that_ends_with_an_error() -> None:
    shows(
        """
            x = w
            for i in range(3):
                try:
                    x = x * w
                    with vg.scope("s"):
                        x = x + 1
                        x = x.tanh()
                    if i:
                        raise ValueError
                except ValueError:
                    x = x.exp()
            y = x.sum()
        """,
        """
            loop for i in range(3) [1:12]
                turn 3 of 3 [1:5]
                    scope s [2:4]
                turn 2 of 3 [5:9]
                    scope s [6:8]
                turn 1 of 3 [9:12]
                    scope s [9:11]
        """,
    )
