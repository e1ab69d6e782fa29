"""The sentences about alarms."""

from __future__ import annotations

AGAIN = "{count} of `w.run`, which was run again in the full watch"
SEEN = "{count}, which was watched in full"
NOT_AGAIN = "{count}; not explained by a second run: {reason}"
FOLLOWED = "; {times} of the rounds after it were watched in full"
MORE = "; the alarm sounded in {times} of the rounds after it, too"

NO_STEP = "no function runs the round (call it by `w.run(step, batch)`)"
STEPPED = "an optimizer had stepped before in this round"
CLOSURE = "the optimizer runs the step as a closure"
ITERATOR = "an argument of the step is an iterator"
BATCH_WRITTEN = "the step has written to its arguments in place"
GRAPH_KEPT = "the graph is kept for another backward"
PROCESSES = "other processes would have to run the step, too"
RAISED = "the step raised {error}"
NOT_SO_AGAIN = "all was finite then: the step depends on something that was not kept"
OTHER_LOSS = "the loss was {value} then: the step depends on something that was not kept"
NO_ROOM = "no memory for a copy of the parameters ({error})"

TWICE = "a watch is entered once: make another with vizgrad.watch()"
NOT_OPEN = "w.run(step, batch) needs an open watch: call it inside the `with` block"
NESTED = "w.run was called within a step that it runs; call it once for each step"
