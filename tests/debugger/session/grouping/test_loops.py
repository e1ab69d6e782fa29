"""Loops and their turns."""

from __future__ import annotations

from tests.debugger.session.grouping.programs import shows


def test_a_while_loop_of_uneven_turns() -> None:
    shows(
        """
            x = w
            n = 0
            while n < 5:
                x = x * w
                if n == 3:
                    x = x.exp()
                x = x + 1
                n += 1
            y = x.sum()
        """,
        """
            loop while n < 5 [1:12]
                turn 5 of 5 [1:3]
                turn 4 of 5 [3:6]
                turn 3 of 5 [6:8]
                turn 2 of 5 [8:10]
                turn 1 of 5 [10:12]
        """,
    )


def test_continue_and_break() -> None:
    shows(
        """
            x = w
            for i in range(10):
                if i % 2:
                    x = x.exp()
                    continue
                x = x * w
                x = x + 1
                if i == 6:
                    break
            y = x.sum()
        """,
        """
            loop for i in range(10) [1:12]
                turn 7 of 7 [1:3]
                equal 1 … 6 of 7 [3:12] =3
                    turn 5 … 6 of 7 [3:6]
                        turn 5 of 7 [4:6]
                    turn 3 … 4 of 7 [6:9]
                        turn 3 of 7 [7:9]
                    turn 1 … 2 of 7 [9:12]
                        turn 1 of 7 [10:12]
        """,
    )


def test_ways_that_exclude_each_other_are_two_turns() -> None:
    shows(
        """
            x = w
            for i in range(6):
                x = x * w if i % 2 else x + 1.0
            y = x.sum()
        """,
        """
            loop for i in range(6) [1:7] =3
                turn 5 … 6 of 6 [1:3]
                turn 3 … 4 of 6 [3:5]
                turn 1 … 2 of 6 [5:7]
        """,
    )


def test_a_comprehension() -> None:
    shows(
        """
            xs = [(w * i).tanh() for i in range(4)]
            y = vg.stack(xs).sum()
        """,
        """
            loop for i in range(4) [2:10] =4
                turn 4 of 4 [2:4]
                turn 3 of 4 [4:6]
                turn 2 of 4 [6:8]
                turn 1 of 4 [8:10]
        """,
    )


def test_a_comprehension_of_a_dict() -> None:
    shows(
        """
            d = {i: (w * i).tanh() for i in range(3)}
            y = sum(d.values()).sum()
        """,
        """
            loop for i in range(3) [4:10] =3
                turn 3 of 3 [4:6]
                turn 2 of 3 [6:8]
                turn 1 of 3 [8:10]
        """,
    )


def test_a_comprehension_in_a_loop() -> None:
    shows(
        """
            x = w
            for t in range(3):
                parts = [(x * i).tanh() for i in range(4)]
                x = parts[0] + parts[1] + parts[2] + parts[3]
            y = x.sum()
        """,
        """
            loop for t in range(3) [1:34] =3
                turn 3 of 3 [1:12]
                    loop for i in range(4) [4:12] =4
                        turn 4 of 4 [4:6]
                        turn 3 of 4 [6:8]
                        turn 2 of 4 [8:10]
                        turn 1 of 4 [10:12]
                turn 2 of 3 [12:23]
                    loop for i in range(4) [15:23] =4
                        turn 4 of 4 [15:17]
                        turn 3 of 4 [17:19]
                        turn 2 of 4 [19:21]
                        turn 1 of 4 [21:23]
                turn 1 of 3 [23:34]
                    loop for i in range(4) [26:34] =4
                        turn 4 of 4 [26:28]
                        turn 3 of 4 [28:30]
                        turn 2 of 4 [30:32]
                        turn 1 of 4 [32:34]
        """,
    )


def test_a_loop_in_a_loop() -> None:
    shows(
        """
            x = w
            for i in range(3):
                x = x.exp()
                for j in range(4):
                    x = x * w
                    x = x + 1
            y = x.sum()
        """,
        """
            loop for i in range(3) [1:28] =3
                turn 3 of 3 [1:10]
                    loop for j in range(4) [1:9] =4
                        turn 4 of 4 [1:3]
                        turn 3 of 4 [3:5]
                        turn 2 of 4 [5:7]
                        turn 1 of 4 [7:9]
                turn 2 of 3 [10:19]
                    loop for j in range(4) [10:18] =4
                        turn 4 of 4 [10:12]
                        turn 3 of 4 [12:14]
                        turn 2 of 4 [14:16]
                        turn 1 of 4 [16:18]
                turn 1 of 3 [19:28]
                    loop for j in range(4) [19:27] =4
                        turn 4 of 4 [19:21]
                        turn 3 of 4 [21:23]
                        turn 2 of 4 [23:25]
                        turn 1 of 4 [25:27]
        """,
    )


def test_a_loop_in_a_loop_of_uneven_turns() -> None:
    shows(
        """
            x = w
            for i in range(4):
                x = x.exp()
                for j in range(i):
                    x = x * w
                    x = x + 1
            y = x.sum()
        """,
        """
            loop for i in range(4) [1:17]
                turn 4 of 4 [1:8]
                    loop for j in range(i) [1:7] =3
                        turn 3 of 3 [1:3]
                        turn 2 of 3 [3:5]
                        turn 1 of 3 [5:7]
                turn 3 of 4 [8:13]
                    loop for j in range(i) [8:12] =2
                        turn 2 of 2 [8:10]
                        turn 1 of 2 [10:12]
                turn 2 of 4 [13:16]
        """,
    )


def test_turns_of_the_outer_loop_that_cannot_be_told() -> None:
    shows(
        """
            x = w
            for i in range(3):
                for j in range(4):
                    x = x * w
                    x = x + 1
            y = x.sum()
        """,
        """
            loop for i in range(3) / for j in range(4) [1:25] =12
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
        """,
    )
