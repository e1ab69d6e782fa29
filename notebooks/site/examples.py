"""An example of each function of the debugger, as the reference shows it. `tests/packaging/test_docs.py` runs them.

Each section runs by itself, after `import vizgrad` and in an empty folder.
"""

# %% debug
x = vizgrad.tensor([0.5, 1.0], requires_grad=True)
loss = (x.tanh() * 2).sum()
session = vizgrad.debug(loss)  # paused before its first node; in a notebook: the live view
session.step()
assert x.grad is None  # not there yet
session.continue_()
assert x.grad is not None
session.back()  # as if the last node had not run
assert x.grad is None

# %% graph
x = vizgrad.ones(3, requires_grad=True)
picture = vizgrad.graph((x * 2).tanh().sum())  # in a notebook: the drawing
svg = picture.to_svg()
assert svg.startswith("<svg")

# %% why
x = vizgrad.tensor([0.0, 4.0], requires_grad=True)
with vizgrad.watch():
    vizgrad.where(x > 1, x.sqrt(), x).sum().backward()
answer = vizgrad.why(x)  # which operation, on which line, and what to write instead
assert answer.kind == "nonfinite-masked"

# %% watch
net = vizgrad.nn.Linear(2, 4)
with vizgrad.watch() as w:
    probabilities = net(vizgrad.ones(3, 2)).softmax(1)
    vizgrad.nn.functional.cross_entropy(probabilities, vizgrad.tensor([0, 1, 2])).backward()
assert w.findings[0].kind == "double-normalised"  # cross_entropy applies a softmax of its own

# %% versions
w = vizgrad.ones(3, requires_grad=True)
hidden = (w * 2).tanh()  # saves its result for the backward
hidden.mul_(0.5)
print(vizgrad.versions(hidden))  # who wrote, on which line, and which saved value is stale

# %% memory
kept = [vizgrad.ones(1000, requires_grad=True) * i for i in range(3)]
print(vizgrad.memory())  # all storages of the process, and who holds them

# %% compare
x = vizgrad.tensor([0.5, 1.0], requires_grad=True)
found = vizgrad.compare((x * x).sum(), (x * x * 2).sum())  # before and after a change
assert not found.same
print(found)  # the first node where they differ, and its line


# %% check
class Cube(vizgrad.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x  # wrong: it should be x**2


x = vizgrad.tensor([0.5, 2.0], dtype=vizgrad.float64, requires_grad=True)
findings = vizgrad.check(Cube, x)
assert findings  # says which derivative is wrong, and by how much


# %% card
class Double(vizgrad.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


x = vizgrad.tensor([0.5, 2.0], dtype=vizgrad.float64, requires_grad=True)
print(
    vizgrad.card(Double, x)
)  # backward, second backward, forward mode, vmap: proven, failed or untested

# %% record
x = vizgrad.ones(3, requires_grad=True)
with vizgrad.record() as recorded:
    x.exp().sum().backward()  # runs as usual, at full speed
trace = recorded.trace
assert len(trace.visits) == 3

# %% scope
x = vizgrad.ones(3, requires_grad=True)
with vizgrad.scope("encoder"):  # a frame in pictures, as modules make by themselves
    y = x.tanh()
vizgrad.graph(y.sum())

# %% attach
# Beside a program that `python -m vizgrad train.py` has started:
#
#     run = vizgrad.attach(1234)  # its process number
#     run.status                  # losses, findings, where it is
assert callable(vizgrad.attach)

# %% load_trace
x = vizgrad.ones(3, requires_grad=True)
session = vizgrad.debug(x.tanh().sum())
session.continue_()
session.trace.save("run.vgtrace")
loaded = vizgrad.load_trace("run.vgtrace")  # elsewhere, later: no engine and no data is needed
loaded.step()

# %% load_traces
x = vizgrad.ones(3, requires_grad=True)
for rank in range(2):
    session = vizgrad.debug((x * (rank + 1)).sum(), display=False)
    session.continue_()
    session.trace.save(f"run.rank{rank}.vgtrace")
print(vizgrad.load_traces("run.rank*.vgtrace"))  # where one rank leaves the others

# %% compare_ranks
# In a program that torchrun started, on every rank:
#
#     loss = model(batch).mean()
#     found = vizgrad.compare_ranks(loss)  # before loss.backward()
#     if found:
#         print(found)  # on rank 0: which rank leaves the others, and at which node
assert callable(vizgrad.compare_ranks)

# %% ranks
# In a notebook whose engines of ipyparallel are the ranks:
#
#     session = vizgrad.ranks(client[:]).debug("loss")
#     session.step()
assert callable(vizgrad.ranks)

# %% demo
course = vizgrad.demo("course")  # copies the notebooks
print(course)  # and says how to open the first

# %% report
print(vizgrad.report())
