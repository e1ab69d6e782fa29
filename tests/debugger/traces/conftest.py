"""What all tests here share."""

from tests.fixtures.modes import modes_are_given_back as modes_are_given_back
