"""The public names of torch.utils.checkpoint: values that are computed again in backward, not kept."""

from vizgrad.utils.checkpoint.calling import CheckpointFunction as CheckpointFunction
from vizgrad.utils.checkpoint.calling import DefaultDeviceType as DefaultDeviceType
from vizgrad.utils.checkpoint.calling import check_backward_validity as check_backward_validity
from vizgrad.utils.checkpoint.calling import checkpoint as checkpoint
from vizgrad.utils.checkpoint.calling import checkpoint_sequential as checkpoint_sequential
from vizgrad.utils.checkpoint.calling import detach_variable as detach_variable
from vizgrad.utils.checkpoint.calling import get_device_states as get_device_states
from vizgrad.utils.checkpoint.calling import noop_context_fn as noop_context_fn
from vizgrad.utils.checkpoint.calling import (
    set_checkpoint_debug_enabled as set_checkpoint_debug_enabled,
)
from vizgrad.utils.checkpoint.calling import set_checkpoint_early_stop as set_checkpoint_early_stop
from vizgrad.utils.checkpoint.calling import set_device_states as set_device_states
from vizgrad.utils.checkpoint.hooks_based import CheckpointError as CheckpointError
from vizgrad.utils.checkpoint.selective import CheckpointPolicy as CheckpointPolicy
from vizgrad.utils.checkpoint.selective import (
    SelectiveCheckpointContext as SelectiveCheckpointContext,
)
from vizgrad.utils.checkpoint.selective import (
    create_selective_checkpoint_contexts as create_selective_checkpoint_contexts,
)
