"""In-place writes: seen, unseen, and refused."""

# Gradients may be None as far as types tell, and these programs are as people write them.
# pyright: reportOperatorIssue=false, reportOptionalMemberAccess=false

from __future__ import annotations

from typing import Any

import vizgrad as T
from tests.pains.corpus import fine, pain
from vizgrad import why


@pain("saved-overwritten", "g", seen="https://github.com/pytorch/pytorch/issues/15803")
def a_gate_is_scaled_in_place() -> None:
    x = T.tensor([0.5, -1.0], requires_grad=True)
    g = T.sigmoid(x)
    g.mul_(0.5)  # BLAME
    g.sum().backward()


@pain("saved-overwritten", "x", seen="https://github.com/pytorch/pytorch/issues/96265")
def a_factor_is_changed_after_the_product() -> None:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    x = T.tensor([3.0, 4.0])
    y = w * x
    x += 1.0  # BLAME
    y.sum().backward()


@pain("saved-overwritten", seen="https://github.com/Seanny123/da-rnn/issues/14")
def an_element_is_assigned_after_use() -> None:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    h = T.exp(w)
    loss = (h * h).sum()
    h[0] = 0.0  # BLAME
    loss.backward()


@pain("saved-overwritten", "w", seen="https://github.com/pytorch/pytorch/issues/15803")
def a_step_comes_before_the_second_backward() -> None:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    other = T.tensor([0.5, 0.5], requires_grad=True)
    opt = T.optim.SGD([w], lr=0.1)
    shared = w * other
    first, second = (shared * w).sum(), (shared * other).sum()
    first.backward(retain_graph=True)
    opt.step()  # BLAME
    second.backward()


@pain(
    "hidden-write", "image", seen="https://github.com/mrdbourke/pytorch-deep-learning/issues/1279"
)
def numpy_rescales_the_data() -> Any:
    image = T.tensor([0.0, 0.5, 1.0])
    w = T.ones(3, requires_grad=True)
    loss = (w * image).sum()
    pixels = image.numpy()
    pixels *= 255.0  # BLAME
    loss.backward()


@pain("hidden-write", seen="https://github.com/mrdbourke/pytorch-deep-learning/issues/1279")
def a_buffer_behind_a_tensor_is_filled_again() -> Any:
    buffer = T.tensor([1.0, 2.0, 3.0]).numpy().copy()
    x = T.from_numpy(buffer)
    w = T.ones(3, requires_grad=True)
    loss = (w * x).sum()
    buffer[:] = 0.0  # BLAME
    loss.backward()


@pain("hidden-write", "w")
def data_is_written_between_forward_and_backward() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * w).sum()
    w.data.mul_(3.0)  # BLAME
    loss.backward()


@pain("hidden-write")
def weights_are_clipped_through_data_too_early() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    other = T.tensor([2.0, 3.0], requires_grad=True)
    loss = (w * other).sum()
    w.data[0] = 0.5  # BLAME
    loss.backward()


@pain("hidden-write", "w")
def data_is_replaced_before_backward() -> None:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    other = T.tensor([2.0, 3.0], requires_grad=True)
    loss = (w * other).sum()
    w.data = T.tensor([9.0, 9.0])  # BLAME
    loss.backward()


@pain("hidden-write", "x")
def a_helper_centres_an_array_in_place() -> None:
    def centred(a: Any) -> Any:
        a -= a.mean()  # BLAME
        return a

    x = T.tensor([1.0, 2.0])
    w = T.ones(2, requires_grad=True)
    loss = (w * x).sum()
    centred(x.numpy())
    loss.backward()


@pain("forbidden-write", "w", seen="https://github.com/pytorch/pytorch/pull/103185")
def a_leaf_is_updated_with_history() -> None:
    w = T.tensor(1.0, requires_grad=True)
    (w * 2.0).backward()
    w -= 0.1 * w.grad  # BLAME


@pain("forbidden-write", "w")
def a_view_of_a_leaf_is_written() -> None:
    w = T.zeros(3, requires_grad=True)
    w[0] = 1.0  # BLAME


@pain("forbidden-write")
def one_of_several_views_is_written() -> None:
    x = T.ones(2, 2, requires_grad=True) * 2.0
    first, _ = x.unbind(0)
    first.mul_(2.0)  # BLAME


@pain(
    "graph-freed",
    seen="https://discuss.pytorch.org/t/runtimeerror-trying-to-backward-through-the-graph-a-second-time-but-the-buffers-have-already-been-freed-specify-retain-graph-true-when-calling-backward-the-first-time/6795",
)
def two_losses_share_an_encoder() -> None:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    code = T.tanh(w)
    first, second = (code * 2.0).sum(), (code**2).sum()
    first.backward()  # BLAME
    second.backward()


@pain(
    "graph-freed",
    seen="https://discuss.pytorch.org/t/runtimeerror-trying-to-backward-through-the-graph-a-second-time-but-the-buffers-have-already-been-freed-specify-retain-graph-true-when-calling-backward-the-first-time/6795",
)
def features_are_computed_once_for_all_steps() -> None:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    features = T.tanh(w)  # BLAME
    for factor in (1.0, 2.0):
        loss = (features * factor).sum()
        loss.backward()


@fine
def a_hidden_layer_is_scaled_through_a_view() -> Any:
    w = T.full((3, 4), 0.3, requires_grad=True)
    hidden = T.ones(2, 3) @ w
    hidden[:, :2].mul_(0.5)
    hidden.sum().backward()
    return why(w)


@fine
def a_copy_is_drawn() -> Any:
    image = T.tensor([0.0, 0.5, 1.0])
    w = T.ones(3, requires_grad=True)
    loss = (w * image).sum()
    pixels = image.numpy().copy()
    pixels *= 255.0
    loss.backward()
    return why(w)


@fine
def numpy_prepares_data_before_it_is_used() -> Any:
    image = T.tensor([0.0, 0.5, 1.0])
    pixels = image.numpy()
    pixels *= 255.0
    w = T.ones(3, requires_grad=True)
    (w * image).sum().backward()
    pixels /= 255.0
    return why(w)


@fine
def a_step_by_data_after_backward() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(3):
        loss = (w * w).sum()
        loss.backward()
        w.data -= 0.1 * w.grad.data
        w.grad.data.zero_()
    return why(w)


@fine
def a_batch_buffer_is_used_again() -> Any:
    w = T.ones(3, requires_grad=True)
    buffer = T.zeros(3).numpy()
    x = T.from_numpy(buffer)
    for step in range(3):
        buffer[:] = step + 1.0
        w.grad = None
        (w * x).sum().backward()
    return why(w)


@fine
def losses_are_added_before_one_backward() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    code = T.tanh(w)
    loss = (code * 2.0).sum() + (code**2).sum()
    loss.backward()
    return why(w)


@fine
def a_graph_is_kept_for_a_second_loss() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    code = T.tanh(w)
    first, second = (code * 2.0).sum(), (code**2).sum()
    first.backward(retain_graph=True)
    second.backward()
    return why(w)
