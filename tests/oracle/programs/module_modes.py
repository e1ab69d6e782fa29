"""What a module's train and eval have to do with the modes of autograd: nothing."""

from tests.oracle.registry import program


@program(rules="M-43")
def train_and_eval_are_no_grad_modes(torch, see):
    model = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.Dropout(0.5))
    for name in ("eval", "train"):
        getattr(model, name)()
        see(f"{name}: modes", (torch.is_grad_enabled(), torch.is_inference_mode_enabled()))
        see(f"{name}: recorded", model[0](torch.ones(3, 2)).requires_grad, expect=True)
    with torch.no_grad():
        model.train()
        see("train under no_grad", (model.training, torch.is_grad_enabled()), expect=(True, False))
