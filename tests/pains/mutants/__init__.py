"""Bugs that are planted at random places of correct programs: `python -m tests.pains.mutants`."""
