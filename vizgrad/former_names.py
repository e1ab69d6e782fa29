"""Names that modules had before they moved to `core/` and `debugger/`. Each still imports its module.

Only documented names are listed, and what lies below them: `vizgrad.ops.pointwise` follows from
`vizgrad.ops`. An old name and the new one import the same module object.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from importlib.abc import Loader  # at run time it would import `tempfile` and `pathlib`

#: The old name of a module or a package, and its name now.
MOVED = {
    "vizgrad.arrays": "vizgrad.core.arrays",
    "vizgrad.batching": "vizgrad.core.batching",
    "vizgrad.checking": "vizgrad.debugger.check",
    "vizgrad.commands": "vizgrad.debugger.commands",
    "vizgrad.debugger.engines.pytorch.abilities": "vizgrad.debugger.engines.pytorch.function_card",
    "vizgrad.debugger.engines.pytorch.captured_tensor": "vizgrad.debugger.engines.pytorch.summary",
    "vizgrad.debugger.engines.pytorch.edges": "vizgrad.debugger.engines.pytorch.torch_nodes",
    "vizgrad.debugger.engines.pytorch.edits": "vizgrad.debugger.engines.pytorch.effects",
    "vizgrad.debugger.engines.pytorch.example": "vizgrad.debugger.engines.pytorch.function_runs",
    "vizgrad.debugger.engines.pytorch.parts": "vizgrad.debugger.engines.pytorch.elements",
    "vizgrad.debugger.engines.pytorch.source_places": "vizgrad.debugger.engines.pytorch.torch_nodes",
    "vizgrad.debugger.engines.pytorch.torch_names": "vizgrad.debugger.engines.pytorch.torch_nodes",
    "vizgrad.debugger.engines.pytorch.unneeded_gradients": "vizgrad.debugger.engines.pytorch.function_runs",
    "vizgrad.debugger.engines.pytorch.watched_run": "vizgrad.debugger.engines.pytorch.watched_backward",
    "vizgrad.debugger.engines.vizgrad.bounds": "vizgrad.debugger.engines.common.nonfinite_origin",
    "vizgrad.debugger.engines.vizgrad.code_lines": "vizgrad.debugger.engines.vizgrad.operation_lane",
    "vizgrad.debugger.engines.vizgrad.edit_effects": "vizgrad.debugger.engines.vizgrad.effects",
    "vizgrad.debugger.engines.vizgrad.new_values": "vizgrad.debugger.engines.vizgrad.edits",
    "vizgrad.debugger.engines.vizgrad.node_description": "vizgrad.debugger.engines.vizgrad.graph_source",
    "vizgrad.debugger.engines.vizgrad.node_origins": "vizgrad.debugger.engines.vizgrad.graph_source",
    "vizgrad.debugger.engines.vizgrad.nonfinite_steps": "vizgrad.debugger.engines.common.nonfinite_origin",
    "vizgrad.debugger.engines.vizgrad.origin_of_nan": "vizgrad.debugger.engines.common.nonfinite_origin",
    "vizgrad.debugger.engines.vizgrad.recomputed": "vizgrad.debugger.engines.vizgrad.second_order",
    "vizgrad.debugger.engines.vizgrad.recorded_graph": "vizgrad.debugger.engines.vizgrad.recording",
    "vizgrad.debugger.engines.vizgrad.relative_difference": "vizgrad.debugger.engines.vizgrad.fork",
    "vizgrad.debugger.engines.vizgrad.second_order_graph": "vizgrad.debugger.engines.vizgrad.second_order",
    "vizgrad.debugger.engines.vizgrad.second_order_run": "vizgrad.debugger.engines.vizgrad.run",
    "vizgrad.debugger.engines.vizgrad.source_places": "vizgrad.debugger.engines.vizgrad.storages",
    "vizgrad.debugger.engines.vizgrad.tangents": "vizgrad.debugger.engines.vizgrad.summary",
    "vizgrad.debugger.engines.vizgrad.variable_names": "vizgrad.debugger.engines.common.variable_names",
    "vizgrad.debugger.engines.vizgrad.written_call": "vizgrad.debugger.engines.vizgrad.operation_lane",
    "vizgrad.debugger.engines.vizgrad.written_memory": "vizgrad.debugger.engines.vizgrad.storages",
    "vizgrad.debugger.session.breakpoints.expressions": "vizgrad.debugger.expressions",
    "vizgrad.engine": "vizgrad.core.engine",
    "vizgrad.engine.array_domain": "vizgrad.core.engine.domain",
    "vizgrad.engine.deep": "vizgrad.core.engine.threads",
    "vizgrad.engine.thread_modes": "vizgrad.core.engine.task_state",
    "vizgrad.errors": "vizgrad.core.errors",
    "vizgrad.explaining": "vizgrad.debugger.explain",
    "vizgrad.function": "vizgrad.core.function",
    "vizgrad.graph": "vizgrad.core.graph",
    "vizgrad.graph.saved_group": "vizgrad.core.graph.saved",
    "vizgrad.graph.saved_view": "vizgrad.core.graph.packing",
    "vizgrad.heap": "vizgrad.debugger.memory",
    "vizgrad.inspection": "vizgrad.debugger.session",
    "vizgrad.inspection.abilities": "vizgrad.debugger.engines.api.abilities",
    "vizgrad.inspection.branches": "vizgrad.debugger.session.history.branches",
    "vizgrad.inspection.conditions": "vizgrad.debugger.session.breakpoints.conditions",
    "vizgrad.inspection.expressions": "vizgrad.debugger.expressions",
    "vizgrad.inspection.fold": "vizgrad.debugger.session.history.fold",
    "vizgrad.inspection.frameworks": "vizgrad.debugger.engines.api.frameworks",
    "vizgrad.inspection.history": "vizgrad.debugger.session.history.history",
    "vizgrad.inspection.model": "vizgrad.debugger.model",
    "vizgrad.inspection.openers": "vizgrad.debugger.engines.api.openers",
    "vizgrad.inspection.protocols": "vizgrad.debugger.engines.api.protocols",
    "vizgrad.inspection.summarizer": "vizgrad.debugger.engines.api.summarizer",
    "vizgrad.inspection.wire": "vizgrad.debugger.wire.wire",
    "vizgrad.interactive": "vizgrad.debugger.api",
    "vizgrad.magics": "vizgrad.debugger.jupyter.magics",
    "vizgrad.observing": "vizgrad.core.observing",
    "vizgrad.ops": "vizgrad.core.ops",
    "vizgrad.progress": "vizgrad.core.progress",
    "vizgrad.provenance": "vizgrad.debugger.watch",
    "vizgrad.pytorch": "vizgrad.debugger.engines.pytorch",
    "vizgrad.rendering": "vizgrad.debugger.drawing",
    "vizgrad.stepping": "vizgrad.debugger.engines.vizgrad",
    "vizgrad.tensor": "vizgrad.core.tensor",
    "vizgrad.traces": "vizgrad.debugger.traces",
    "vizgrad.widgets": "vizgrad.debugger.jupyter.widget",
    "vizgrad.widgets.server": "vizgrad.debugger.jupyter.server",
}

#: Modules of the debugger that were merged into others.
MERGED = {
    "vizgrad.amp.custom": "vizgrad.amp.mode",
    "vizgrad.amp.enable": "vizgrad.amp.mode",
    "vizgrad.amp.policies": "vizgrad.amp.mode",
    "vizgrad.amp.state": "vizgrad.amp.mode",
    "vizgrad.autograd.batched": "vizgrad.autograd.roots",
    "vizgrad.autograd.current": "vizgrad.autograd.graph",
    "vizgrad.autograd.edges": "vizgrad.autograd.graph",
    "vizgrad.autograd.forward_columns": "vizgrad.autograd.gradcheck_forward",
    "vizgrad.autograd.functional_arguments": "vizgrad.autograd.functional",
    "vizgrad.autograd.multi_grad": "vizgrad.autograd.graph",
    "vizgrad.autograd.mutation": "vizgrad.autograd.saved_hooks",
    "vizgrad.autograd.pre_backward": "vizgrad.autograd.running",
    "vizgrad.autograd.strict_mode": "vizgrad.autograd.saved_hooks",
    "vizgrad.core.arrays.current_device": "vizgrad.core.arrays.backend",
    "vizgrad.core.arrays.fusion.whole": "vizgrad.core.arrays.fusion.look",
    "vizgrad.core.arrays.sparse.elementwise": "vizgrad.core.arrays.sparse.functions",
    "vizgrad.core.arrays.sparse.library": "vizgrad.core.arrays.sparse.base",
    "vizgrad.core.batching.loop": "vizgrad.core.batching.rules",
    "vizgrad.core.engine.anomaly": "vizgrad.core.engine.explain",
    "vizgrad.core.engine.delivery": "vizgrad.core.engine.visit",
    "vizgrad.core.engine.observed_visit": "vizgrad.core.engine.visit",
    "vizgrad.core.explanation_headings": "vizgrad.core.errors",
    "vizgrad.core.function.copy_slices": "vizgrad.core.function.inplace",
    "vizgrad.core.function.custom.outputs": "vizgrad.core.function.custom.apply",
    "vizgrad.core.function.zero_derivative": "vizgrad.core.function.compile_node",
    "vizgrad.core.graph.accumulate": "vizgrad.core.graph.edges",
    "vizgrad.core.graph.device": "vizgrad.core.graph.edges",
    "vizgrad.core.ops.arrange": "vizgrad.core.ops.shape",
    "vizgrad.core.ops.bessel": "vizgrad.core.ops.special",
    "vizgrad.core.ops.public.ranges": "vizgrad.core.ops.public.creation",
    "vizgrad.core.tensor.conjugates": "vizgrad.core.tensor.storage",
    "vizgrad.core.tensor.kinds": "vizgrad.core.tensor.requirements",
    "vizgrad.core.tensor.views": "vizgrad.core.tensor.state",
    "vizgrad.debugger.check.differences": "vizgrad.debugger.check.examination",
    "vizgrad.debugger.check.forwards": "vizgrad.debugger.check.backwards",
    "vizgrad.debugger.check.freeing": "vizgrad.debugger.check.checks",
    "vizgrad.debugger.check.line_trace": "vizgrad.debugger.check.example",
    "vizgrad.debugger.check.randomness": "vizgrad.debugger.check.example",
    "vizgrad.debugger.check.transforms": "vizgrad.debugger.check.checks",
    "vizgrad.debugger.check.unneeded_gradients": "vizgrad.debugger.check.backwards",
    "vizgrad.debugger.check.writes": "vizgrad.debugger.check.checks",
    "vizgrad.debugger.commands.view": "vizgrad.debugger.commands.kinds",
    "vizgrad.debugger.drawing.card_rows": "vizgrad.debugger.drawing.chips",
    "vizgrad.debugger.drawing.compound": "vizgrad.debugger.drawing.layered",
    "vizgrad.debugger.drawing.coordinates": "vizgrad.debugger.drawing.layout_steps",
    "vizgrad.debugger.drawing.crossings": "vizgrad.debugger.drawing.layout_steps",
    "vizgrad.debugger.drawing.difference_overlay": "vizgrad.debugger.drawing.overlay",
    "vizgrad.debugger.drawing.explained": "vizgrad.debugger.drawing.overlay",
    "vizgrad.debugger.drawing.frame_heads": "vizgrad.debugger.drawing.geometry",
    "vizgrad.debugger.drawing.graphviz_layout": "vizgrad.debugger.drawing.dot",
    "vizgrad.debugger.drawing.group_cards": "vizgrad.debugger.drawing.cards",
    "vizgrad.debugger.drawing.headings": "vizgrad.debugger.drawing.chips",
    "vizgrad.debugger.drawing.heap_page": "vizgrad.debugger.drawing.heap_picture",
    "vizgrad.debugger.drawing.heap_text": "vizgrad.debugger.drawing.heap_picture",
    "vizgrad.debugger.drawing.heap_words": "vizgrad.debugger.drawing.heap_picture",
    "vizgrad.debugger.drawing.metrics": "vizgrad.debugger.drawing.geometry",
    "vizgrad.debugger.drawing.norm_curve": "vizgrad.debugger.drawing.cards",
    "vizgrad.debugger.drawing.open_groups": "vizgrad.debugger.drawing.visible",
    "vizgrad.debugger.drawing.picture": "vizgrad.debugger.drawing.static",
    "vizgrad.debugger.drawing.ranks": "vizgrad.debugger.drawing.layout_steps",
    "vizgrad.debugger.drawing.svg": "vizgrad.debugger.drawing.scene",
    "vizgrad.debugger.drawing.text_run": "vizgrad.debugger.drawing.text",
    "vizgrad.debugger.drawing.text_trace": "vizgrad.debugger.drawing.text",
    "vizgrad.debugger.drawing.text_versions": "vizgrad.debugger.drawing.text",
    "vizgrad.debugger.drawing.titles": "vizgrad.debugger.drawing.cards",
    "vizgrad.debugger.engines.api.capabilities": "vizgrad.debugger.engines.api.abilities",
    "vizgrad.debugger.engines.api.node_origin": "vizgrad.debugger.engines.api.summarizer",
    "vizgrad.debugger.engines.common.captured_value": "vizgrad.debugger.engines.common.new_values",
    "vizgrad.debugger.engines.common.grad_effect": "vizgrad.debugger.engines.common.new_values",
    "vizgrad.debugger.engines.pytorch.function_names": "vizgrad.debugger.engines.pytorch.function_card",
    "vizgrad.debugger.engines.pytorch.numbering": "vizgrad.debugger.engines.pytorch.graph_source",
    "vizgrad.debugger.engines.pytorch.step": "vizgrad.debugger.engines.pytorch.run",
    "vizgrad.debugger.engines.pytorch.torch_memory": "vizgrad.debugger.engines.pytorch.torch_tensors",
    "vizgrad.debugger.engines.vizgrad.captured_value": "vizgrad.debugger.engines.vizgrad.summary",
    "vizgrad.debugger.engines.vizgrad.nonfinite_origin": "vizgrad.debugger.engines.common.nonfinite_origin",
    "vizgrad.debugger.engines.vizgrad.recording": "vizgrad.debugger.engines.vizgrad.recorder",
    "vizgrad.debugger.engines.vizgrad.saved_readers": "vizgrad.debugger.engines.vizgrad.step",
    "vizgrad.debugger.engines.vizgrad.step_log_reader": "vizgrad.debugger.engines.vizgrad.steplog",
    "vizgrad.debugger.engines.vizgrad.thread_modes": "vizgrad.debugger.engines.vizgrad.run",
    "vizgrad.debugger.explain.accumulated_gradients": "vizgrad.debugger.explain.training_faults",
    "vizgrad.debugger.explain.advice": "vizgrad.debugger.explain.nonfinite",
    "vizgrad.debugger.explain.carried_state": "vizgrad.debugger.explain.kept_graphs",
    "vizgrad.debugger.explain.chains": "vizgrad.debugger.explain.answers",
    "vizgrad.debugger.explain.custom_functions": "vizgrad.debugger.explain.function_faults",
    "vizgrad.debugger.explain.from_session_steps": "vizgrad.debugger.explain.stepped",
    "vizgrad.debugger.explain.gradient_scale": "vizgrad.debugger.explain.gradient_size",
    "vizgrad.debugger.explain.hook_effects": "vizgrad.debugger.explain.function_faults",
    "vizgrad.debugger.explain.in_words": "vizgrad.debugger.explain.wording",
    "vizgrad.debugger.explain.loss_minima": "vizgrad.debugger.explain.gradient_size",
    "vizgrad.debugger.explain.module_modes": "vizgrad.debugger.explain.training_faults",
    "vizgrad.debugger.explain.not_repeatable": "vizgrad.debugger.explain.function_faults",
    "vizgrad.debugger.explain.parameters": "vizgrad.debugger.explain.training_faults",
    "vizgrad.debugger.explain.pending_gradients": "vizgrad.debugger.explain.unexplained",
    "vizgrad.debugger.explain.products": "vizgrad.debugger.explain.nonfinite",
    "vizgrad.debugger.explain.recorded": "vizgrad.debugger.explain.from_records",
    "vizgrad.debugger.explain.retained_graphs": "vizgrad.debugger.explain.kept_graphs",
    "vizgrad.debugger.explain.scopes": "vizgrad.debugger.explain.number_flow",
    "vizgrad.debugger.explain.second_order_losses": "vizgrad.debugger.explain.loss_faults",
    "vizgrad.debugger.explain.suspects": "vizgrad.debugger.explain.loss_faults",
    "vizgrad.debugger.explain.unnoted": "vizgrad.debugger.explain.unexplained",
    "vizgrad.debugger.explain.untracked_writes": "vizgrad.debugger.explain.function_faults",
    "vizgrad.debugger.explain.verified": "vizgrad.debugger.explain.loss_faults",
    "vizgrad.debugger.explain.zero_gradients": "vizgrad.debugger.explain.gradient_size",
    "vizgrad.debugger.expressions.functions": "vizgrad.debugger.expressions.elements",
    "vizgrad.debugger.jupyter.magics.breakpoint_commands": "vizgrad.debugger.jupyter.magics.line_commands",
    "vizgrad.debugger.jupyter.widget.build_drawing": "vizgrad.debugger.jupyter.widget.drawing",
    "vizgrad.debugger.jupyter.widget.build_lane": "vizgrad.debugger.jupyter.widget.query_answers",
    "vizgrad.debugger.jupyter.widget.build_standing": "vizgrad.debugger.jupyter.widget.query_answers",
    "vizgrad.debugger.jupyter.widget.build_why": "vizgrad.debugger.jupyter.widget.query_answers",
    "vizgrad.debugger.jupyter.widget.executed_cells": "vizgrad.debugger.jupyter.widget.line_messages",
    "vizgrad.debugger.jupyter.widget.heap_view": "vizgrad.debugger.jupyter.widget.controller",
    "vizgrad.debugger.jupyter.widget.idle": "vizgrad.debugger.jupyter.widget.commtarget",
    "vizgrad.debugger.jupyter.widget.interrupts": "vizgrad.debugger.jupyter.widget.request_worker",
    "vizgrad.debugger.jupyter.widget.liveness": "vizgrad.debugger.jupyter.widget.commtarget",
    "vizgrad.debugger.jupyter.widget.move_requests": "vizgrad.debugger.jupyter.widget.handlers",
    "vizgrad.debugger.jupyter.widget.preferences": "vizgrad.debugger.jupyter.widget.line_messages",
    "vizgrad.debugger.jupyter.widget.protocol.changes": "vizgrad.debugger.jupyter.widget.protocol.requests",
    "vizgrad.debugger.jupyter.widget.protocol.moves": "vizgrad.debugger.jupyter.widget.protocol.requests",
    "vizgrad.debugger.jupyter.widget.protocol.whole": "vizgrad.debugger.jupyter.widget.protocol.answers",
    "vizgrad.debugger.jupyter.widget.saved_picture": "vizgrad.debugger.jupyter.widget.saved_data",
    "vizgrad.debugger.jupyter.widget.subshells": "vizgrad.debugger.jupyter.widget.commtarget",
    "vizgrad.debugger.memory.notebook_variables": "vizgrad.debugger.memory.reading",
    "vizgrad.debugger.memory.object_kinds": "vizgrad.debugger.memory.walk",
    "vizgrad.debugger.memory.reach": "vizgrad.debugger.memory.retention_paths",
    "vizgrad.debugger.memory.roots": "vizgrad.debugger.memory.walk",
    "vizgrad.debugger.memory.storage_owners": "vizgrad.debugger.memory.graph_holders",
    "vizgrad.debugger.model.branches": "vizgrad.debugger.model.run",
    "vizgrad.debugger.model.breakpoints": "vizgrad.debugger.model.run",
    "vizgrad.debugger.model.byte_sizes": "vizgrad.debugger.model.arrays",
    "vizgrad.debugger.model.code": "vizgrad.debugger.model.nodes",
    "vizgrad.debugger.model.graph": "vizgrad.debugger.model.nodes",
    "vizgrad.debugger.model.heap": "vizgrad.debugger.model.memory",
    "vizgrad.debugger.model.records": "vizgrad.debugger.model.nodes",
    "vizgrad.debugger.model.stops": "vizgrad.debugger.model.run",
    "vizgrad.debugger.model.trace_files": "vizgrad.debugger.model.trace",
    "vizgrad.debugger.model.within": "vizgrad.debugger.model.nodes",
    "vizgrad.debugger.session.array_slices": "vizgrad.debugger.session.session_reader",
    "vizgrad.debugger.session.available_memory": "vizgrad.debugger.session.history.history",
    "vizgrad.debugger.session.breakpoints.node_search": "vizgrad.debugger.session.breakpoints.node_selectors",
    "vizgrad.debugger.session.breakpoints.nonfinite_step": "vizgrad.debugger.session.breakpoints.breakpoints",
    "vizgrad.debugger.session.breakpoints.targets": "vizgrad.debugger.session.breakpoints.node_selectors",
    "vizgrad.debugger.session.calling": "vizgrad.debugger.session.opening",
    "vizgrad.debugger.session.gc_pause": "vizgrad.debugger.session.opening",
    "vizgrad.debugger.session.grouping.places": "vizgrad.debugger.session.grouping.program",
    "vizgrad.debugger.session.grouping.positions": "vizgrad.debugger.session.grouping.program",
    "vizgrad.debugger.session.grouping.repeats": "vizgrad.debugger.session.grouping.arrange",
    "vizgrad.debugger.session.grouping.stretch": "vizgrad.debugger.session.grouping.arrange",
    "vizgrad.debugger.session.grouping.turns": "vizgrad.debugger.session.grouping.frames",
    "vizgrad.debugger.session.history.branch_comparison": "vizgrad.debugger.session.history.branches",
    "vizgrad.debugger.session.history.edits": "vizgrad.debugger.session.history.fold",
    "vizgrad.debugger.session.history.memory_curve": "vizgrad.debugger.session.history.fold",
    "vizgrad.debugger.session.history.node_stages": "vizgrad.debugger.session.history.lanes",
    "vizgrad.debugger.session.history.saved_memory": "vizgrad.debugger.session.history.fold",
    "vizgrad.debugger.session.history.step_log_reader": "vizgrad.debugger.session.history.fold",
    "vizgrad.debugger.session.interrupts": "vizgrad.debugger.session.moves_under_way",
    "vizgrad.debugger.session.lines.compiled_lines": "vizgrad.debugger.session.lines.source_files",
    "vizgrad.debugger.session.lines.line_mark": "vizgrad.debugger.session.lines.line_table",
    "vizgrad.debugger.session.lines.line_nodes": "vizgrad.debugger.session.lines.line_table",
    "vizgrad.debugger.session.lines.line_norms": "vizgrad.debugger.session.lines.line_table",
    "vizgrad.debugger.session.lines.line_turns": "vizgrad.debugger.session.lines.line_table",
    "vizgrad.debugger.session.lines.notebook_cells": "vizgrad.debugger.session.lines.source_files",
    "vizgrad.debugger.session.progress_updates": "vizgrad.debugger.session.moves_under_way",
    "vizgrad.debugger.session.publishing": "vizgrad.debugger.session.run_control",
    "vizgrad.debugger.session.reopening": "vizgrad.debugger.session.registry",
    "vizgrad.debugger.session.run_position": "vizgrad.debugger.session.history.history",
    "vizgrad.debugger.session.session_arrays": "vizgrad.debugger.session.open_session",
    "vizgrad.debugger.session.session_branches": "vizgrad.debugger.session.session_parts",
    "vizgrad.debugger.session.session_breakpoints": "vizgrad.debugger.session.session_parts",
    "vizgrad.debugger.session.session_stages": "vizgrad.debugger.session.session_parts",
    "vizgrad.debugger.session.session_trace": "vizgrad.debugger.session.open_session",
    "vizgrad.debugger.traces.forward_difference": "vizgrad.debugger.traces.difference",
    "vizgrad.debugger.traces.loading": "vizgrad.debugger.traces.files",
    "vizgrad.debugger.traces.page": "vizgrad.debugger.traces.files",
    "vizgrad.debugger.traces.rounding_bounds": "vizgrad.debugger.traces.difference",
    "vizgrad.debugger.traces.saving": "vizgrad.debugger.traces.files",
    "vizgrad.debugger.traces.side_by_side": "vizgrad.debugger.traces.difference",
    "vizgrad.debugger.traces.trace_drawings": "vizgrad.debugger.traces.files",
    "vizgrad.debugger.traces.trace_gradients": "vizgrad.debugger.traces.matching",
    "vizgrad.debugger.watch.ctx_attributes": "vizgrad.debugger.watch.functions",
    "vizgrad.debugger.watch.events": "vizgrad.debugger.watch.notes",
    "vizgrad.debugger.watch.function_hooks": "vizgrad.debugger.watch.functions",
    "vizgrad.debugger.watch.graph_weight": "vizgrad.debugger.watch.vizgrad_tensors",
    "vizgrad.debugger.watch.history_loss": "vizgrad.debugger.watch.grad_history",
    "vizgrad.debugger.watch.hooked_functions": "vizgrad.debugger.watch.functions",
    "vizgrad.debugger.watch.layer_modes": "vizgrad.debugger.watch.training",
    "vizgrad.debugger.watch.line_callbacks": "vizgrad.debugger.watch.untracked_memory",
    "vizgrad.debugger.watch.listeners": "vizgrad.debugger.watch.call_recorder",
    "vizgrad.debugger.watch.optimizer_steps": "vizgrad.debugger.watch.training",
    "vizgrad.debugger.watch.repeated_functions": "vizgrad.debugger.watch.functions",
    "vizgrad.debugger.watch.usage_patterns": "vizgrad.debugger.watch.training",
    "vizgrad.debugger.wire.columnar_reading": "vizgrad.debugger.wire.columnar",
    "vizgrad.debugger.wire.wire_plan": "vizgrad.debugger.wire.wire",
    "vizgrad.distributions.parameters": "vizgrad.distributions.distribution",
    "vizgrad.distributions.relaxed": "vizgrad.distributions.relaxed_categorical",
    "vizgrad.func.captured": "vizgrad.func.differentiating",
    "vizgrad.nn.functional.ctc": "vizgrad.nn.functional.classification",
    "vizgrad.nn.functional.differentiable": "vizgrad.nn.functional.losses",
    "vizgrad.nn.functional.distance": "vizgrad.nn.functional.linear",
    "vizgrad.nn.functional.fractional": "vizgrad.nn.functional.pooling",
    "vizgrad.nn.functional.loss_arguments": "vizgrad.nn.functional.losses",
    "vizgrad.nn.functional.multi_head": "vizgrad.nn.functional.attention",
    "vizgrad.nn.functional.sampling": "vizgrad.nn.functional.vision",
    "vizgrad.nn.functional.shapes": "vizgrad.core.ops.public.arguments",
    "vizgrad.nn.functional.train": "vizgrad.nn.functional.top_level",
    "vizgrad.nn.functional.with_indices": "vizgrad.nn.functional.top_level",
    "vizgrad.nn.modules.attention": "vizgrad.nn.modules.transformer",
    "vizgrad.nn.modules.backward_hooks": "vizgrad.nn.modules.hooks",
    "vizgrad.nn.modules.cells": "vizgrad.nn.modules.recurrent",
    "vizgrad.nn.modules.converting": "vizgrad.nn.modules.walk",
    "vizgrad.nn.modules.fractional": "vizgrad.nn.modules.pooling",
    "vizgrad.nn.modules.making": "vizgrad.nn.modules.linear",
    "vizgrad.nn.modules.naming": "vizgrad.nn.modules.module",
    "vizgrad.nn.modules.parameters": "vizgrad.nn.modules.container",
    "vizgrad.nn.modules.recurrent_loop": "vizgrad.nn.modules.recurrent",
    "vizgrad.nn.modules.recurrent_steps": "vizgrad.nn.modules.recurrent",
    "vizgrad.nn.modules.showing": "vizgrad.nn.modules.module",
    "vizgrad.nn.modules.state_hooks": "vizgrad.nn.modules.state",
    "vizgrad.nn.modules.vision": "vizgrad.nn.modules.padding",
    "vizgrad.nn.modules.windows": "vizgrad.nn.modules.pooling",
    "vizgrad.nn.packed": "vizgrad.nn.utils.rnn",
    "vizgrad.nn.utils.replaced_state": "vizgrad.nn.utils.stateless",
    "vizgrad.optim.adam_variants": "vizgrad.optim.adam",
    "vizgrad.optim.in_parts": "vizgrad.optim.optimizer",
    "vizgrad.optim.line_search": "vizgrad.optim.lbfgs",
    "vizgrad.optim.lr_scheduler.combined": "vizgrad.optim.lr_scheduler.simple",
    "vizgrad.optim.lr_scheduler.cosine": "vizgrad.optim.lr_scheduler.simple",
    "vizgrad.optim.lr_scheduler.cyclic": "vizgrad.optim.lr_scheduler.simple",
    "vizgrad.optim.lr_scheduler.plateau": "vizgrad.optim.lr_scheduler.base",
    "vizgrad.optim.parameters": "vizgrad.optim.optimizer",
    "vizgrad.optim.sparse_adam": "vizgrad.optim.adam",
    "vizgrad.serialization.legacy": "vizgrad.serialization.loading",
    "vizgrad.serialization.nesting": "vizgrad.serialization.unpickling",
    "vizgrad.serialization.pickling": "vizgrad.serialization.saving",
    "vizgrad.serialization.rebuilding": "vizgrad.serialization.names",
    "vizgrad.serialization.storages": "vizgrad.serialization.archive",
    "vizgrad.utils.checkpoint.failing": "vizgrad.utils.checkpoint.hooks_based",
    "vizgrad.utils.checkpoint.fingerprint": "vizgrad.utils.checkpoint.hooks_based",
    "vizgrad.utils.checkpoint.operations": "vizgrad.utils.checkpoint.hooks_based",
    "vizgrad.utils.checkpoint.reentrant": "vizgrad.utils.checkpoint.calling",
    "vizgrad.utils.checkpoint.rng_and_autocast": "vizgrad.utils.checkpoint.calling",
    "vizgrad.utils.checkpoint.runs": "vizgrad.utils.checkpoint.hooks_based",
    "vizgrad.utils.checkpoint.sequential": "vizgrad.utils.checkpoint.calling",
    "vizgrad.utils.checkpoint.settings": "vizgrad.utils.checkpoint.calling",
    "vizgrad.utils.checkpoint.watched": "vizgrad.utils.checkpoint.hooks_based",
    "vizgrad.utils.data.loader": "vizgrad.utils.data.dataloader",
    "vizgrad.utils.nests": "vizgrad.utils._pytree",
}


def name_now(name: str) -> str | None:
    """The present name of a module that was called `name`, or None if `name` is no old name."""
    if name in MERGED:
        return MERGED[name]
    head, rest = name, ""
    while head:
        if head in MOVED:
            now = MOVED[head] + rest
            return MERGED.get(now, now)
        head, _, tail = head.rpartition(".")
        rest = f".{tail}{rest}"
    return None


class _Moved:
    """Gives the module at its new place; the module keeps its own name and spec."""

    def __init__(self, name: str) -> None:
        self.name = name

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(self.name)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec  # the import system has put the spec of the old name there

    def get_code(self, fullname: str) -> CodeType | None:
        """The code that `python -m` runs."""
        spec = find_spec(self.name)
        return spec.loader.get_code(self.name) if spec and spec.loader else None  # type: ignore[attr-defined]


class _Finder:
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        now = name_now(fullname) if fullname.startswith("vizgrad.") else None
        found = now and find_spec(now)
        if not now or not found:
            return None
        spec = ModuleSpec(fullname, cast("Loader", _Moved(now)), origin=found.origin)
        spec.submodule_search_locations = found.submodule_search_locations
        return spec


def install() -> None:
    """Makes the old names importable. Called once, by `import vizgrad`.

    The finder comes first: a package that was imported under its old name knows its folder, and the usual
    finder would load the files in it a second time.
    """
    sys.meta_path.insert(0, _Finder())
    # Packages with the name of a public function: imported later, they would take its place in `vizgrad`.
    for name in ("vizgrad.graph", "vizgrad.tensor"):
        sys.modules[name] = sys.modules[MOVED[name]]
