"""Functions: which nodes are in which call."""

from __future__ import annotations

from tests.debugger.session.grouping.programs import shows


def test_calls_of_a_function() -> None:
    shows(
        """
            def f(x):
                x = x * w
                return x + 1
            x = f(w)
            x = x.tanh()
            x = f(x)
            x = f(x)
            y = x.sum()
        """,
        """
            turn f · 2 of 2 [1:3]
            turn f · 1 of 2 [3:5]
            function f [6:8]
        """,
    )


def test_a_function_that_is_called_by_another_and_by_the_program() -> None:
    shows(
        """
            def g(x):
                x = x * w
                return x + 1
            def f(x):
                x = x.exp()
                x = g(x)
                x = x.tanh()
                return x
            x = f(w)
            x = x * 2
            x = f(x)
            x = g(x)
            y = x.sum()
        """,
        """
            function g [1:3]
            function f [3:7]
                function g [4:6]
            function f [8:12]
                function g [9:11]
        """,
    )


def test_one_call_by_a_function_and_one_by_the_program() -> None:
    shows(
        """
            def g(x):
                x = x * w
                return x + 1
            def f(x):
                x = x.exp()
                return g(x)
            x = f(w)
            x = g(x)
            y = x.sum()
        """,
        """
            function g [1:3]
            function f [3:6]
                function g [3:5]
        """,
    )


def test_a_function_that_begins_with_the_call_of_another() -> None:
    shows(
        """
            def g(x):
                x = x * w
                return x + 1
            def f(x):
                return g(x) * 2
            x = w
            for t in range(3):
                x = f(x)
            y = x.sum()
        """,
        """
            loop for t in range(3) [1:10] =3
                turn 3 of 3 / f [1:4]
                    function g [2:4]
                turn 2 of 3 / f [4:7]
                    function g [5:7]
                turn 1 of 3 / f [7:10]
                    function g [8:10]
        """,
    )


def test_a_parameter_that_is_called_first() -> None:
    shows(
        """
            def sq(x):
                x = x * x
                return x + 1
            def loop(fn, x):
                for i in range(3):
                    x = fn(x)
                    x = x.tanh()
                    x = x.exp()
                return x
            y = loop(sq, w).sum()
        """,
        """
            loop loop / for i in range(3) [1:13] =3
                turn 3 of 3 [1:5]
                    function sq [3:5]
                turn 2 of 3 [5:9]
                    function sq [7:9]
                turn 1 of 3 [9:13]
                    function sq [11:13]
        """,
    )


def test_a_parameter_that_is_called_last() -> None:
    shows(
        """
            def sq(x):
                x = x * x
                return x + 1
            def loop(fn, x):
                for i in range(3):
                    x = x.tanh()
                    x = x.exp()
                    x = fn(x)
                return x
            y = loop(sq, w).sum()
        """,
        """
            loop loop / for i in range(3) [1:13] =3
                turn 3 of 3 [1:5]
                    function sq [1:3]
                turn 2 of 3 [5:9]
                    function sq [5:7]
                turn 1 of 3 [9:13]
                    function sq [9:11]
        """,
    )


def test_a_loop_that_does_nothing_but_call() -> None:
    shows(
        """
            def f(x):
                x = x * w
                return x + 1
            def g(x):
                x = x.exp()
                return x * 2
            x = w
            for i in range(3):
                x = f(x)
                x = g(x)
            y = x.sum()
        """,
        """
            loop for i in range(3) [1:13] =3
                turn 3 of 3 [1:5]
                    function g [1:3]
                    function f [3:5]
                turn 2 of 3 [5:9]
                    function g [5:7]
                    function f [7:9]
                turn 1 of 3 [9:13]
                    function g [9:11]
                    function f [11:13]
        """,
    )


def test_the_function_that_holds_all_is_no_group() -> None:
    shows(
        """
            def main():
                x = w
                for t in range(3):
                    x = x * w
                    x = x + 1
                return x.sum()
            y = main()
        """,
        """
            loop for t in range(3) [1:7] =3
                turn 3 of 3 [1:3]
                turn 2 of 3 [3:5]
                turn 1 of 3 [5:7]
        """,
    )


def test_calls_of_unlike_structure() -> None:
    shows(
        """
            def f(x, n):
                x = x * w
                if n % 2:
                    x = x.exp()
                return x + 1
            y = f(f(f(f(w, 0), 1), 2), 3).sum()
        """,
        """
            function f · 4 calls [1:11]
                turn f · 4 of 4 [1:4]
                turn f · 3 of 4 [4:6]
                turn f · 2 of 4 [6:9]
                turn f · 1 of 4 [9:11]
        """,
    )


def test_a_lambda_called_by_reduce() -> None:
    shows(
        """
            import functools
            y = functools.reduce(lambda a, b: a * b + 1, [w] * 10).sum()
        """,
        """
            equal lambda · 9 equal [1:19] =9
                turn lambda · 9 of 9 [1:3]
                turn lambda · 8 of 9 [3:5]
                turn lambda · 7 of 9 [5:7]
                turn lambda · 6 of 9 [7:9]
                turn lambda · 5 of 9 [9:11]
                turn lambda · 4 of 9 [11:13]
                turn lambda · 3 of 9 [13:15]
                turn lambda · 2 of 9 [15:17]
                turn lambda · 1 of 9 [17:19]
        """,
    )


def test_a_lambda_with_a_name() -> None:
    shows(
        """
            f = lambda x: (x * w).tanh()
            x = w
            for i in range(3):
                x = f(x)
            y = x.sum()
        """,
        """
            loop for i in range(3) [1:7] =3
                turn 3 of 3 / lambda [1:3]
                turn 2 of 3 / lambda [3:5]
                turn 1 of 3 / lambda [5:7]
        """,
    )


def test_what_one_call_adds_up_is_one_call() -> None:
    shows(
        """
            def f():
                return sum([w, w, w, w])
            y = f().sum()
        """,
        """
            function f [1:5]
        """,
    )


def test_a_generator_works_at_the_beginning_of_each_turn() -> None:
    shows(
        """
            def gen(x):
                for i in range(4):
                    x = x * w
                    x = x + 1
                    yield x
            y = 0
            for x in gen(w):
                y = y + x.exp()
            y = y.sum()
        """,
        """
            loop for x in gen(w) [1:17] =4
                turn 4 of 4 [1:5]
                    function gen [3:5]
                turn 3 of 4 [5:9]
                    function gen [7:9]
                turn 2 of 4 [9:13]
                    function gen [11:13]
                turn 1 of 4 [13:17]
                    function gen [15:17]
        """,
    )


def test_a_generator_expression_within_sum() -> None:
    shows(
        """
            y = sum(v * w for v in [w] * 4).sum()
        """,
        """
            loop for v in [w] * 4 [1:9] =4
                turn 4 of 4 [1:3]
                turn 3 of 4 [3:5]
                turn 2 of 4 [5:7]
                turn 1 of 4 [7:9]
        """,
    )
