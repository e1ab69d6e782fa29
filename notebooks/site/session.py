"""An example of what a session does, as the reference shows it. `tests/packaging/test_docs.py` runs them.

Each section runs by itself after the first, in an empty folder.
"""

# pyright: basic, reportOptionalMemberAccess=false, reportOptionalOperand=false

# %% session
import vizgrad as vg

x = vg.tensor([0.5, 1.0, 2.0], requires_grad=True)
loss = (x.tanh() * 2).sum()
session = vg.debug(loss)  # SumBackward0, MulBackward0, TanhBackward0, and the leaf x

# %% step
session.step()
session.step(2)
assert session.position == 3

# %% back
session.step(4)
assert x.grad is not None
session.back()  # as if the leaf had not taken its gradient
assert x.grad is None

# %% continue_
session.continue_()
assert session.status == "finished"

# %% restart
session.continue_()
session.restart()
assert session.position == 0
assert x.grad is None

# %% seek
session.seek(3)
assert session.where == "3 of 4 nodes done; next is AccumulateGrad x (node 3)"

# %% run_to
session.run_to("TanhBackward0")  # before it runs; a number, a node, a pattern or a line does, too
assert session.position == 2
session.run_to("Mul*")  # behind: back to it
assert session.position == 1

# %% run_to_leaf
session.run_to_leaf()
assert session.node.kind == "leaf"

# %% where
assert session.where == "0 of 4 nodes done; next is SumBackward0 (node 0)"

# %% node
assert session.node.name == "SumBackward0"
session.continue_()
assert session.node is None

# %% nodes
assert session.nodes == session.total == 4

# %% position
session.step()
assert session.position == 1

# %% name
assert session.name == "loss"

# %% ready
assert [node.name for node in session.ready] == ["SumBackward0"]

# %% buffers
session.step()
[buffer] = session.buffers  # the gradient that has arrived at MulBackward0

# %% saved
assert [(node.name, value.name) for node, value in session.saved] == [
    ("MulBackward0", "other"),
    ("TanhBackward0", "result"),
]

# %% inspect
session.step()
node, visit, arrived, grad = session.inspect(1)
assert node.name == "MulBackward0"
assert visit is None  # it has not run
assert arrived[0].norm > 1.7

# %% graph
assert [node.name for node in session.graph.nodes][:2] == ["SumBackward0", "MulBackward0"]

# %% break_at
session.break_at("Tanh*")
session.break_at(when="grad.norm() > 3")  # after the node that made it
session.continue_()
assert session.position == 2

# %% add_breakpoint
session.add_breakpoint("op", "Tanh*")
session.continue_()
assert session.position == 2

# %% breakpoints
session.break_at("Tanh*")
assert len(session.breakpoints) == 1

# %% enable_breakpoint
number = session.break_at("Tanh*").id
session.enable_breakpoint(number, False)
session.continue_()
assert session.status == "finished"

# %% remove_breakpoint
number = session.break_at("Tanh*").id
session.remove_breakpoint(number)
assert len(session.breakpoints) == 0

# %% clear_breakpoints
session.break_at("Tanh*")
session.clear_breakpoints()
assert len(session.breakpoints) == 0

# %% stopped
session.break_at("Tanh*")
session.continue_()
assert session.stopped is not None

# %% stop_at_nonfinite
session.stop_at_nonfinite = False  # continue_ runs on over NaN and Inf

# %% logged
session.break_at("Mul*", log="norm {grad.norm():.3f}")
session.continue_()
assert "norm 1.732" in str(session.logged)

# %% set_grad
session.step()
session.set_grad("MulBackward0", "g * 0")  # on a branch: the original run stays as it was
session.continue_()
assert x.grad.tolist() == [0, 0, 0]

# %% set_saved
session.set_saved("MulBackward0", "other", 3.0)
session.continue_()
assert x.grad is not None

# %% set_leaf
session.set_leaf(x, 0.0)
assert x.tolist() == [0, 0, 0]

# %% branch
session.step()
session.branch("try")
session.continue_()

# %% branches
session.branch("try")
assert [each.name for each in session.branches] == ["original", "try"]

# %% switch
session.step()
session.branch("try")
session.continue_()
session.switch("original")
assert session.position == 1

# %% drop_branch
session.branch("try")
session.switch("original")
session.drop_branch("try")
assert len(session.branches) == 1

# %% compare
session.continue_()
session.seek(1)
session.set_grad("MulBackward0", "g * 2")
session.continue_()
differences = session.compare("branch 1")  # node by node, beside the original
assert differences

# %% comparison
session.continue_()
session.seek(1)
session.set_grad("MulBackward0", "g * 2")
session.continue_()
comparison = session.comparison("branch 1")
assert comparison.first == 1  # the node that differs first

# %% stage
session.stage()  # within the visit of a node: what arrives, hooks, the formula, what it sends on
assert session.within is not None

# %% stages
assert session.stages is not None

# %% within
assert session.within is None  # between two nodes
session.stage()
assert session.within is not None


# %% step_in
class Double(vg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        twice = grad * 2
        return twice


session = vg.debug(Double.apply(x).sum())
session.step()
session.step_in()  # into backward: after its first line
assert session.within.lines == 1
session.step_out()  # to the end of backward
session.step_out()  # to the end of the node
assert session.position == 2

# %% step_out
session.stage()
session.step_out()
assert session.within is None

# %% lane
assert session.lane is None  # nothing was stepped line by line

# %% second
y = vg.tensor([2.0], requires_grad=True)
session = vg.debug((y**3).sum(), create_graph=True)
session.continue_()
second = session.second()  # the backward of y.grad, 3 * y**2
second.continue_()
assert y.grad.tolist() == [12.0 + 12.0]

# %% versions
assert session.versions is not None  # in-place writes to what the graph has saved

# %% trace
session.continue_()
session.trace.save("run.vgtrace")
assert vg.load_trace("run.vgtrace").total == 4

# %% watches
session.watches.add("x.grad")
session.continue_()
[watched] = session.watches
assert watched.expression == "x.grad"

# %% frames
assert session.frames == ()  # no cell was stopped

# %% close
session.close()
assert session.closed

# %% close_if_idle
assert session.close_if_idle()

# %% ending
session.close(because="not needed")
assert session.ending == "not needed"

# %% pause
assert session.pause() is False  # no move is under way on another thread

# %% name_of
assert session.name_of(3) is not None

# %% listen
told = []
listening = session.listen(told.append)
session.step()
listening.end()
assert told
