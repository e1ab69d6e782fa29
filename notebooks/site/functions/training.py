# Optimizers, derivatives of functions, distributions.
import vizgrad as vg

# one step of an optimizer, from 1 towards the smallest square

w = vg.nn.Parameter(vg.tensor([1.0]))
w.square().sum().backward()
optimizer = vg.optim.Adadelta([w], lr=0.1)
optimizer.step()
w.detach()

w = vg.nn.Parameter(vg.tensor([1.0]))
w.square().sum().backward()
optimizer = vg.optim.Adafactor([w], lr=0.1)
optimizer.step()
w.detach()

w = vg.nn.Parameter(vg.tensor([1.0]))
w.square().sum().backward()
optimizer = vg.optim.Adagrad([w], lr=0.1)
optimizer.step()
w.detach()

w = vg.nn.Parameter(vg.tensor([1.0]))
w.square().sum().backward()
optimizer = vg.optim.Adam([w], lr=0.1)
optimizer.step()
w.detach()

w = vg.nn.Parameter(vg.tensor([1.0]))
w.square().sum().backward()
optimizer = vg.optim.Adamax([w], lr=0.1)
optimizer.step()
w.detach()

w = vg.nn.Parameter(vg.tensor([1.0]))
w.square().sum().backward()
optimizer = vg.optim.AdamW([w], lr=0.1)
optimizer.step()
w.detach()

w = vg.nn.Parameter(vg.tensor([1.0]))
w.square().sum().backward()
optimizer = vg.optim.ASGD([w], lr=0.1)
optimizer.step()
w.detach()

w = vg.nn.Parameter(vg.tensor([1.0]))
w.square().sum().backward()
optimizer = vg.optim.NAdam([w], lr=0.1)
optimizer.step()
w.detach()

w = vg.nn.Parameter(vg.tensor([1.0]))
w.square().sum().backward()
optimizer = vg.optim.RAdam([w], lr=0.1)
optimizer.step()
w.detach()

w = vg.nn.Parameter(vg.tensor([1.0]))
w.square().sum().backward()
optimizer = vg.optim.RMSprop([w], lr=0.1)
optimizer.step()
w.detach()

w = vg.nn.Parameter(vg.tensor([1.0]))
w.square().sum().backward()
optimizer = vg.optim.Rprop([w], lr=0.1)
optimizer.step()
w.detach()

w = vg.nn.Parameter(vg.tensor([1.0]))
w.square().sum().backward()
optimizer = vg.optim.SGD([w], lr=0.1)
optimizer.step()
w.detach()

w = vg.nn.Parameter(vg.tensor([[1.0, 2.0]]))
w.square().sum().backward()
optimizer = vg.optim.Muon([w], lr=0.1)
optimizer.step()
w.shape

w = vg.nn.Parameter(vg.tensor([1.0]))


def closure():
    optimizer.zero_grad()
    loss = w.square().sum()
    loss.backward()
    return loss


optimizer = vg.optim.LBFGS([w])
optimizer.step(closure)
w.detach()

embedding = vg.nn.Embedding(4, 2, sparse=True)
embedding(vg.tensor([1])).sum().backward()
optimizer = vg.optim.SparseAdam(embedding.parameters(), lr=0.1)
optimizer.step()
embedding.weight.shape


class Plain(vg.optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, {"lr": lr})

    @vg.no_grad()
    def step(self):
        for group in self.param_groups:
            for w in group["params"]:
                w -= group["lr"] * w.grad


w = vg.ones(2, requires_grad=True)
w.sum().backward()
Plain([w], lr=0.5).step()
w.detach()

# backward, and grad modes
x = vg.tensor([1.0, 2.0], requires_grad=True)
vg.autograd.backward(x.square().sum())  # now x.grad is [2., 4.]

x = vg.tensor([1.0, 2.0], requires_grad=True)

vg.autograd.grad(x.square().sum(), x)

x = vg.tensor([1.0, 2.0], dtype=vg.float64, requires_grad=True)

vg.autograd.gradcheck(vg.sin, x)

x = vg.tensor([1.0, 2.0], dtype=vg.float64, requires_grad=True)

vg.autograd.gradgradcheck(vg.sin, x)

x = vg.tensor([1.0], requires_grad=True)
with vg.autograd.no_grad():
    y = x * 2

y.requires_grad

x = vg.tensor([1.0], requires_grad=True)
with vg.no_grad(), vg.autograd.enable_grad():
    y = x * 2

y.requires_grad

x = vg.tensor([1.0], requires_grad=True)
with vg.autograd.set_grad_enabled(False):
    y = x * 2

y.requires_grad

with vg.autograd.inference_mode():
    y = vg.ones(2)

y.is_inference()

with vg.autograd.set_detect_anomaly(True):
    inside = vg.is_anomaly_enabled()

inside

with vg.autograd.detect_anomaly():
    inside = vg.is_anomaly_enabled()

inside

vg.autograd.is_view_replay_enabled()

x = vg.ones(2, requires_grad=True)
with vg.autograd.set_multithreading_enabled(False):
    (x * 2).sum().backward()  # every node on this thread

x.grad

vg.autograd.is_multithreading_enabled()


class Double(vg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


x = vg.ones(2, requires_grad=True)
Double.apply(x).sum().backward()
x.grad

vg.autograd.Variable(vg.tensor([1.0, 2.0]))

# functions of functions
vg.func.grad(lambda x: x.sin())(vg.tensor(0.0))
vg.func.grad_and_value(lambda x: x.square())(vg.tensor(3.0))
vg.func.hessian(lambda x: x.pow(3).sum())(vg.tensor([1.0, 2.0]))
vg.func.jacfwd(vg.sin)(vg.tensor([0.0, 1.0]))
vg.func.jacrev(vg.sin)(vg.tensor([0.0, 1.0]))
vg.func.jvp(vg.sin, (vg.tensor([0.0]),), (vg.tensor([1.0]),))

value, pull_back = vg.func.vjp(vg.sin, vg.tensor([0.0]))

pull_back(vg.tensor([1.0]))

value, push = vg.func.linearize(vg.sin, vg.tensor([0.0]))

push(vg.tensor([1.0]))

vg.func.vmap(vg.dot)(vg.ones(3, 2), vg.ones(3, 2))

model = vg.nn.Linear(2, 1, bias=False)

vg.func.functional_call(model, {"weight": vg.ones(1, 2)}, vg.tensor([1.0, 2.0]))

models = [vg.nn.Linear(2, 1) for _ in range(3)]
parameters, buffers = vg.func.stack_module_state(models)

parameters["weight"].shape

net = vg.nn.Sequential(vg.nn.Linear(2, 1), vg.nn.BatchNorm1d(1))
vg.func.replace_all_batch_norm_modules_(net).state_dict().keys()

# assertions of tests
vg.testing.assert_close(vg.tensor([1.0]), vg.tensor([1.0 + 1e-7]))

x = vg.ones(2, requires_grad=True)
y = x.detach().clone().requires_grad_()

vg.testing.assert_same_gradients((x * 2).sum(), (y + y).sum())
