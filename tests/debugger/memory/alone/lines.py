"""Lines of the list of commands that go through all objects; test_lines_of_code.py tries the others."""

from __future__ import annotations

from tests.fixtures.sessions import no_sessions


def test_lines_that_go_through_all_objects_do_not_fail() -> None:
    from tests.debugger.commands.test_lines_of_code import READS_ALL, does_not_fail

    assert READS_ALL
    with no_sessions():
        for line in READS_ALL:
            does_not_fail(line)
