"""What is a turn of a loop, and what is none."""

from __future__ import annotations

from tests.debugger.session.grouping.programs import outline, run, same, shows


def test_one_turn_is_no_loop() -> None:
    shows(
        """
            x = w
            for i in range(1):
                x = x * w
                x = x + 1
            y = x.sum()
        """,
        """

        """,
    )


def test_operations_of_several_nodes() -> None:
    shows(
        """
            x = w
            for i in range(3):
                x = nn.functional.gelu(nn.functional.layer_norm(x, (3,)))
            y = x.sum()
        """,
        """
            loop for i in range(3) [1:7] =3
                turn 3 of 3 [1:3]
                turn 2 of 3 [3:5]
                turn 1 of 3 [5:7]
        """,
    )


def test_operations_of_several_nodes_beside_others() -> None:
    shows(
        """
            x = vg.ones(2, 3, requires_grad=True)
            t = vg.tensor([0, 1])
            y = 0
            for i in range(3):
                y = y + nn.functional.cross_entropy(x * i, t)
        """,
        """
            loop for i in range(3) [0:12] =3
                turn 3 of 3 [0:4]
                turn 2 of 3 [4:8]
                turn 1 of 3 [8:12]
        """,
    )


def test_operations_of_several_nodes_alone() -> None:
    shows(
        """
            x = vg.ones(2, 3, requires_grad=True)
            t = vg.tensor([0, 1])
            ys = []
            for i in range(3):
                ys.append(nn.functional.cross_entropy(x, t))
            y = vg.stack(ys).sum()
        """,
        """
            loop for i in range(3) [2:8] =3
                turn 3 of 3 [2:4]
                turn 2 of 3 [4:6]
                turn 1 of 3 [6:8]
        """,
    )


def test_writes_in_place() -> None:
    shows(
        """
            x = w * 1
            for i in range(3):
                x[0] += w[1]
                x.mul_(2)
            y = x.sum()
        """,
        """
            loop for i in range(3) [1:16] =3
                turn 3 of 3 [1:6]
                turn 2 of 3 [6:11]
                turn 1 of 3 [11:16]
        """,
    )


def test_the_graph_of_a_gradient() -> None:
    shows(
        """
            x = w
            for i in range(3):
                x = x * w
                x = x.sin()
            (g,) = vg.autograd.grad(x.sum(), w, create_graph=True)
            y = (g * g).sum()
        """,
        """
            loop for i in range(3) [17:22]
                turn 2 of 3 [18:20]
                turn 1 of 3 [20:22]
        """,
    )


def test_a_first_turn_that_is_unlike_the_others() -> None:
    shows(
        """
            h = vg.zeros(3)
            for i in range(6):
                h = h * 0.5
                h = (h + w).tanh()
            y = h.sum()
        """,
        """
            loop for i in range(6) [1:18]
                equal 2 … 6 of 6 [1:16] =5
                    turn 6 of 6 [1:4]
                    turn 5 of 6 [4:7]
                    turn 4 of 6 [7:10]
                    turn 3 of 6 [10:13]
                    turn 2 of 6 [13:16]
                turn 1 of 6 [16:18]
        """,
    )


def test_a_long_statement_is_cut_in_its_middle() -> None:
    shows(
        """
            x = w
            for i in range(2):
                x = x * w
                for name in ["a very long name indeed, it is", "another one, and one that is long"]:
                    x = x + 1
                    x = x.tanh()
            y = x.sum()
        """,
        """
            loop for i in range(2) [1:11] =2
                turn 2 of 2 [1:6]
                    loop for name in ['a very long name indee…another one, and one that is long'] [1:5] =2
                        turn 2 of 2 [1:3]
                        turn 1 of 2 [3:5]
                turn 1 of 2 [6:11]
                    loop for name in ['a very long name indee…another one, and one that is long'] [6:10] =2
                        turn 2 of 2 [6:8]
                        turn 1 of 2 [8:10]
        """,
    )


def test_without_the_text_only_what_repeats_is_known() -> None:
    y = run(
        """
            def f(x):
                x = x * w
                return x + 1
            x = w
            for i in range(12):
                x = f(x)
            for i in range(12):
                x = x.exp()
                x = x * 2
            y = x.sum()
        """,
        source=False,
    )
    same(
        outline(y),
        """
            equal ExpBackward0, MulBackward0 · 12 equal [1:25] =12
                turn 12 of 12 [1:3]
                turn 11 of 12 [3:5]
                turn 10 of 12 [5:7]
                turn 9 of 12 [7:9]
                turn 8 of 12 [9:11]
                turn 7 of 12 [11:13]
                turn 6 of 12 [13:15]
                turn 5 of 12 [15:17]
                turn 4 of 12 [17:19]
                turn 3 of 12 [19:21]
                turn 2 of 12 [21:23]
                turn 1 of 12 [23:25]
            equal f · 12 equal [25:49] =12
                turn f · 12 of 12 [25:27]
                turn f · 11 of 12 [27:29]
                turn f · 10 of 12 [29:31]
                turn f · 9 of 12 [31:33]
                turn f · 8 of 12 [33:35]
                turn f · 7 of 12 [35:37]
                turn f · 6 of 12 [37:39]
                turn f · 5 of 12 [39:41]
                turn f · 4 of 12 [41:43]
                turn f · 3 of 12 [43:45]
                turn f · 2 of 12 [45:47]
                turn f · 1 of 12 [47:49]
        """,
    )


def test_without_the_text_modules_are_known() -> None:
    y = run(
        """
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.a = nn.Linear(3, 3)
                def forward(self, x):
                    for i in range(3):
                        x = self.a(x).tanh()
                    return x
            y = Net()(w).sum()
        """,
        source=False,
    )
    same(
        outline(y),
        """
            module Net [1:16]
                module a: Linear [2:6]
                module a: Linear [7:11]
                module a: Linear [12:16]
        """,
    )
