"""Groups of a graph: the stretches of it that mean something to who wrote the program."""

from vizgrad.debugger.session.grouping.hierarchy import groups_of as groups_of
