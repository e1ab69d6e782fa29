// Made by `make types` from debugger/commands/ and jupyter/widget/preferences.py: do not edit.
/** Commands and preferences: declared once, in Python. */

// prettier-ignore
export type CommandName = 'continue' | 'pause' | 'step' | 'step-back' | 'stage' | 'stage-back' | 'step-in' | 'step-out' | 'run-to-leaf' | 'run-to-cursor' | 'debug-second' | 'run-to-here' | 'toggle-breakpoint' | 'stop-at-nan' | 'restart' | 'stop' | 'open' | 'outwards' | 'previous-cell' | 'next-cell' | 'next-problem' | 'why' | 'show-cause' | 'search' | 'zoom-to-fit' | 'zoom-to-selection' | 'zoom-in' | 'zoom-out' | 'fold-all' | 'open-groups' | 'colour-by-gradient' | 'save-svg' | 'save-png' | 'copy-picture' | 'compare-branch' | 'menu' | 'follow' | 'last-node' | 'next-part' | 'previous-part' | 'presentation' | 'pop-out' | 'open-window' | 'help' | 'toggle-line-breakpoint' | 'choose-line-node' | 'show-value' | 'open-panel' | 'memory' | 'refresh-memory' | 'save-trace';

// prettier-ignore
export type CommandIcon = 'back' | 'breakpoint' | 'continue' | 'fit' | 'fold' | 'follow' | 'heat' | 'help' | 'memory' | 'minus' | 'nan' | 'pause' | 'plus' | 'popOut' | 'presentation' | 'refresh' | 'restart' | 'runTo' | 'save' | 'search' | 'second' | 'stage' | 'stageBack' | 'step' | 'stepIn' | 'stepOut' | 'stop' | 'toLeaf' | 'toLine' | 'unfold' | 'warning' | 'why' | 'window';

// prettier-ignore
export type Section = 'Run' | 'Graph' | 'View' | 'Notebook';

// prettier-ignore
export type Enabled = 'always' | 'shown' | 'open' | 'can_run' | 'running' | 'can_go_back' | 'can_restart' | 'node' | 'other_node' | 'inside' | 'can_step_in';

// prettier-ignore
export type MenuOf = 'node' | 'group' | 'graph' | 'step';

export interface Command {
  readonly name: CommandName;
  readonly label: string;
  /** Instead of the label in a menu, where it is on already. */
  readonly labelOn: string;
  readonly help: string;
  readonly section: Section;
  readonly icon: CommandIcon | null;
  /** As `strokeOf` writes what was pressed. */
  readonly keys: readonly string[];
  /** Where the keys work: anywhere in the view, or where the graph has the focus. */
  readonly reach: 'view' | 'graph';
  readonly enabled: Enabled;
  readonly menus: readonly MenuOf[];
  /** Only where the host of the view offers it. */
  readonly byHost: boolean;
  /** How the same is written in code, and as a magic; '' if it cannot be. */
  readonly code: string;
  readonly magic: string;
}

/** What only code and magics do. */
export interface InCode {
  readonly label: string;
  readonly help: string;
  readonly code: string;
  readonly magic: string;
}

export interface Gesture {
  readonly keys: string;
  readonly help: string;
}

// prettier-ignore
export const COMMANDS: readonly Command[] = [
  { name: 'continue', label: 'Continue', labelOn: 'Continue', help: 'Run to the next breakpoint, to the first NaN or Inf, or to the end.', section: 'Run', icon: 'continue', keys: ['F9'], reach: 'view', enabled: 'can_run', menus: [], byHost: false, code: 'session.continue_()', magic: '%vizgrad continue' },
  { name: 'pause', label: 'Pause', labelOn: 'Pause', help: 'Interrupt a long run between two nodes, or inside a node that runs Python.', section: 'Run', icon: 'pause', keys: ['F8'], reach: 'view', enabled: 'running', menus: [], byHost: false, code: 'session.pause()', magic: '' },
  { name: 'step', label: 'Step', labelOn: 'Step', help: 'Run the next node.', section: 'Run', icon: 'step', keys: ['F10'], reach: 'view', enabled: 'can_run', menus: [], byHost: false, code: 'session.step()', magic: '%vizgrad step [N]' },
  { name: 'step-back', label: 'Step back', labelOn: 'Step back', help: 'Undo the last node and everything that it changed.', section: 'Run', icon: 'back', keys: ['Shift F10'], reach: 'view', enabled: 'can_go_back', menus: [], byHost: false, code: 'session.back()', magic: '%vizgrad back [N]' },
  { name: 'stage', label: 'Step one stage', labelOn: 'Step one stage', help: 'Run one stage of the current node: hooks, formula, release, delivery.', section: 'Run', icon: 'stage', keys: ['.'], reach: 'view', enabled: 'can_run', menus: ['step'], byHost: false, code: 'session.stage()', magic: '%vizgrad stage [N]' },
  { name: 'stage-back', label: 'Step back one stage', labelOn: 'Step back one stage', help: 'Undo the last stage, or the last line of your code.', section: 'Run', icon: 'stageBack', keys: [','], reach: 'view', enabled: 'can_go_back', menus: ['step'], byHost: false, code: '', magic: '' },
  { name: 'step-in', label: 'Step in', labelOn: 'Step in', help: 'Enter the backward of a custom Function, or a hook, and run it line by line.', section: 'Run', icon: 'stepIn', keys: ['F11'], reach: 'view', enabled: 'can_step_in', menus: ['step'], byHost: false, code: 'session.step_in()', magic: '%vizgrad step_in' },
  { name: 'step-out', label: 'Step out', labelOn: 'Step out', help: 'Run to the end of the current function, or of the current node.', section: 'Run', icon: 'stepOut', keys: ['Shift F11'], reach: 'view', enabled: 'inside', menus: ['step'], byHost: false, code: 'session.step_out()', magic: '%vizgrad step_out' },
  { name: 'run-to-leaf', label: 'Run to next leaf', labelOn: 'Run to next leaf', help: 'Run until a leaf is next to receive its gradient.', section: 'Run', icon: 'toLeaf', keys: ['l'], reach: 'graph', enabled: 'can_run', menus: ['step'], byHost: false, code: 'session.run_to_leaf()', magic: '%vizgrad run_to_leaf' },
  { name: 'run-to-cursor', label: 'Run to cursor', labelOn: 'Run to cursor', help: 'Run until a node that the line with the cursor recorded is next.', section: 'Run', icon: 'toLine', keys: [], reach: 'view', enabled: 'can_run', menus: ['step'], byHost: true, code: '', magic: '' },
  { name: 'debug-second', label: 'Debug second order', labelOn: 'Debug second order', help: 'Open the backward of the gradients that this run has computed (needs create_graph=True).', section: 'Run', icon: 'second', keys: [], reach: 'view', enabled: 'open', menus: [], byHost: false, code: 'session.second()', magic: '%vizgrad second' },
  { name: 'run-to-here', label: 'Run to here', labelOn: 'Run to here', help: 'Run, or step back, until the selected node is next.', section: 'Run', icon: 'runTo', keys: ['r'], reach: 'graph', enabled: 'other_node', menus: ['node'], byHost: false, code: 'session.run_to("MulBackward0")', magic: '%vizgrad run_to NODE' },
  { name: 'toggle-breakpoint', label: 'Add breakpoint', labelOn: 'Remove breakpoint', help: 'Pause before the selected node.', section: 'Run', icon: 'breakpoint', keys: ['b'], reach: 'graph', enabled: 'node', menus: ['node'], byHost: false, code: 'session.break_at("MulBackward0")', magic: '%vizgrad break NODE [if CONDITION] [hits N] [log MESSAGE]' },
  { name: 'stop-at-nan', label: 'Pause on NaN', labelOn: 'Pause on NaN', help: 'Pause after a node that turns finite values into NaN or Inf.', section: 'Run', icon: 'nan', keys: [], reach: 'view', enabled: 'open', menus: [], byHost: false, code: 'session.stop_at_nonfinite = True', magic: '%vizgrad nonfinite [on|off]' },
  { name: 'restart', label: 'Restart', labelOn: 'Restart', help: 'Go back to before the first node.', section: 'Run', icon: 'restart', keys: [], reach: 'view', enabled: 'can_restart', menus: ['graph'], byHost: false, code: 'session.restart()', magic: '%vizgrad restart' },
  { name: 'stop', label: 'Stop', labelOn: 'Stop', help: 'End the session and release its memory.', section: 'Run', icon: 'stop', keys: ['Shift F9'], reach: 'view', enabled: 'open', menus: [], byHost: false, code: 'session.close()', magic: '%vizgrad close' },
  { name: 'open', label: 'Select or open', labelOn: 'Select or open', help: 'Select the node; expand or collapse the group.', section: 'Graph', icon: null, keys: ['Enter', 'Space'], reach: 'graph', enabled: 'shown', menus: ['group'], byHost: false, code: '', magic: '' },
  { name: 'outwards', label: 'Go to enclosing group', labelOn: 'Go to enclosing group', help: 'Move to the title of the group around the box in focus.', section: 'Graph', icon: null, keys: ['Backspace'], reach: 'graph', enabled: 'shown', menus: [], byHost: false, code: '', magic: '' },
  { name: 'previous-cell', label: 'Previous cell', labelOn: 'Previous cell', help: 'Show the previous one of a row of equal groups.', section: 'Graph', icon: null, keys: ['['], reach: 'graph', enabled: 'shown', menus: ['group'], byHost: false, code: '', magic: '' },
  { name: 'next-cell', label: 'Next cell', labelOn: 'Next cell', help: 'Show the next one of a row of equal groups.', section: 'Graph', icon: null, keys: [']'], reach: 'graph', enabled: 'shown', menus: ['group'], byHost: false, code: '', magic: '' },
  { name: 'next-problem', label: 'Next problem', labelOn: 'Next problem', help: 'Select the next node that failed, has a stale saved value, or has a NaN or Inf gradient.', section: 'Graph', icon: 'warning', keys: ['n'], reach: 'view', enabled: 'shown', menus: ['graph'], byHost: false, code: '', magic: '' },
  { name: 'why', label: 'Why?', labelOn: 'Why?', help: 'Explain the selected node (NaN, stale, all zero, badly scaled) and mark the path to the cause.', section: 'Graph', icon: 'why', keys: ['w'], reach: 'view', enabled: 'node', menus: ['node'], byHost: false, code: 'vizgrad.why(w)', magic: '%vizgrad why TENSOR' },
  { name: 'show-cause', label: 'Show me', labelOn: 'Show me', help: 'Go to the step where the cause that Why? found happened, and select its node.', section: 'Graph', icon: 'toLine', keys: [], reach: 'view', enabled: 'open', menus: [], byHost: false, code: '', magic: '' },
  { name: 'search', label: 'Search nodes', labelOn: 'Search nodes', help: 'Find nodes by name, variable, scope or source line.', section: 'Graph', icon: 'search', keys: ['/'], reach: 'view', enabled: 'shown', menus: ['graph'], byHost: false, code: '', magic: '' },
  { name: 'zoom-to-fit', label: 'Zoom to fit', labelOn: 'Zoom to fit', help: 'Show the whole graph; collapse groups until names can be read.', section: 'Graph', icon: 'fit', keys: ['f'], reach: 'graph', enabled: 'shown', menus: ['graph'], byHost: false, code: '', magic: '' },
  { name: 'zoom-to-selection', label: 'Zoom to selection', labelOn: 'Zoom to selection', help: 'Zoom in on the selected node.', section: 'Graph', icon: null, keys: ['z'], reach: 'graph', enabled: 'shown', menus: ['node'], byHost: false, code: '', magic: '' },
  { name: 'zoom-in', label: 'Zoom in', labelOn: 'Zoom in', help: 'Enlarge the graph.', section: 'Graph', icon: 'plus', keys: ['+', '='], reach: 'graph', enabled: 'shown', menus: [], byHost: false, code: '', magic: '' },
  { name: 'zoom-out', label: 'Zoom out', labelOn: 'Zoom out', help: 'Shrink the graph.', section: 'Graph', icon: 'minus', keys: ['-'], reach: 'graph', enabled: 'shown', menus: [], byHost: false, code: '', magic: '' },
  { name: 'fold-all', label: 'Collapse all groups', labelOn: 'Collapse all groups', help: 'Collapse every group.', section: 'Graph', icon: 'fold', keys: [], reach: 'view', enabled: 'shown', menus: ['graph', 'group'], byHost: false, code: '', magic: '' },
  { name: 'open-groups', label: 'Expand one level', labelOn: 'Expand one level', help: 'Expand every collapsed group by one level.', section: 'Graph', icon: 'unfold', keys: [], reach: 'view', enabled: 'shown', menus: ['graph', 'group'], byHost: false, code: '', magic: '' },
  { name: 'colour-by-gradient', label: 'Colour by gradient', labelOn: 'Colour by gradient', help: 'Colour nodes by gradient size instead of by state.', section: 'Graph', icon: 'heat', keys: [], reach: 'view', enabled: 'shown', menus: ['graph'], byHost: false, code: '', magic: '' },
  { name: 'save-svg', label: 'Save picture as SVG', labelOn: 'Save picture as SVG', help: 'Save what the graph shows now as an SVG file.', section: 'Graph', icon: null, keys: [], reach: 'view', enabled: 'shown', menus: ['graph'], byHost: false, code: '', magic: '' },
  { name: 'save-png', label: 'Save picture as PNG', labelOn: 'Save picture as PNG', help: 'Save what the graph shows now as a PNG file.', section: 'Graph', icon: null, keys: [], reach: 'view', enabled: 'shown', menus: ['graph'], byHost: false, code: '', magic: '' },
  { name: 'copy-picture', label: 'Copy picture', labelOn: 'Copy picture', help: 'Copy what the graph shows now to the clipboard, as a PNG.', section: 'Graph', icon: null, keys: [], reach: 'view', enabled: 'shown', menus: ['graph'], byHost: false, code: '', magic: '' },
  { name: 'compare-branch', label: 'Compare branch', labelOn: 'Stop comparing', help: 'Show, by colours and numbers, how a branch or another run differs from this one.', section: 'Graph', icon: null, keys: [], reach: 'view', enabled: 'shown', menus: ['graph'], byHost: false, code: 'session.compare("trial")', magic: '%vizgrad compare NAME [with OTHER], or LOSS LOSS' },
  { name: 'menu', label: 'Menu', labelOn: 'Menu', help: 'List the commands for the box in focus.', section: 'Graph', icon: null, keys: ['m', 'ContextMenu'], reach: 'graph', enabled: 'shown', menus: [], byHost: false, code: '', magic: '' },
  { name: 'follow', label: 'Return to current node', labelOn: 'Return to current node', help: 'Select the node that the run is paused at; steps then select the next one.', section: 'View', icon: 'follow', keys: ['Escape'], reach: 'graph', enabled: 'shown', menus: ['node', 'graph'], byHost: false, code: '', magic: '' },
  { name: 'last-node', label: 'Show last node', labelOn: 'Show last node', help: 'Select the node that ran last; again: return to the current node.', section: 'View', icon: 'back', keys: ['d'], reach: 'view', enabled: 'shown', menus: [], byHost: false, code: '', magic: '' },
  { name: 'next-part', label: 'Focus next part', labelOn: 'Focus next part', help: 'Move the focus to the next part of the view: toolbar, graph, inspector and so on.', section: 'View', icon: null, keys: ['F6'], reach: 'view', enabled: 'shown', menus: [], byHost: false, code: '', magic: '' },
  { name: 'previous-part', label: 'Focus previous part', labelOn: 'Focus previous part', help: 'Move the focus to the previous part of the view.', section: 'View', icon: null, keys: ['Shift F6'], reach: 'view', enabled: 'shown', menus: [], byHost: false, code: '', magic: '' },
  { name: 'presentation', label: 'Teach layout', labelOn: 'Teach layout', help: 'Show Engine and Saved tensors beside the graph, all larger; PageDown and PageUp step.', section: 'View', icon: 'presentation', keys: ['p'], reach: 'view', enabled: 'always', menus: [], byHost: false, code: '', magic: '' },
  { name: 'pop-out', label: 'Open in a tab', labelOn: 'Open in a tab', help: 'Show the session in a separate tab.', section: 'View', icon: 'popOut', keys: [], reach: 'view', enabled: 'shown', menus: [], byHost: true, code: '', magic: '' },
  { name: 'open-window', label: 'Open in a window', labelOn: 'Open in a window', help: 'Show the session in a separate window, for a second screen.', section: 'View', icon: 'window', keys: [], reach: 'view', enabled: 'shown', menus: [], byHost: true, code: '', magic: '' },
  { name: 'help', label: 'Help', labelOn: 'Help', help: 'Show the keys, the signs, and the Python code for each command.', section: 'View', icon: 'help', keys: ['?'], reach: 'view', enabled: 'always', menus: [], byHost: false, code: '', magic: '' },
  { name: 'toggle-line-breakpoint', label: 'Add breakpoint at line', labelOn: 'Add breakpoint at line', help: 'Pause each time the run arrives at the line with the cursor, or remove that breakpoint.', section: 'Notebook', icon: null, keys: [], reach: 'view', enabled: 'shown', menus: [], byHost: true, code: '', magic: '' },
  { name: 'choose-line-node', label: 'Choose a node of the line', labelOn: 'Choose a node of the line', help: 'Move to the list of nodes that the line with the cursor recorded, if there are several.', section: 'Notebook', icon: null, keys: [], reach: 'view', enabled: 'shown', menus: [], byHost: true, code: '', magic: '' },
  { name: 'show-value', label: 'Show value at cursor', labelOn: 'Show value at cursor', help: 'Show shape, statistics and a picture of the variable at the cursor, where the run stands.', section: 'Notebook', icon: null, keys: [], reach: 'view', enabled: 'shown', menus: [], byHost: true, code: '', magic: '' },
  { name: 'open-panel', label: 'Show the backward graph panel', labelOn: 'Show the backward graph panel', help: 'Open the newest session of the active notebook in the side panel.', section: 'Notebook', icon: null, keys: [], reach: 'view', enabled: 'always', menus: [], byHost: true, code: '', magic: '' },
  { name: 'memory', label: 'Memory of the notebook', labelOn: 'Memory of the notebook', help: 'List all storages, what holds them, and which variables keep graphs alive.', section: 'Notebook', icon: 'memory', keys: [], reach: 'view', enabled: 'always', menus: [], byHost: false, code: 'vizgrad.memory()', magic: '%vizgrad memory' },
  { name: 'refresh-memory', label: 'Refresh memory', labelOn: 'Refresh memory', help: 'Read the memory of the notebook again.', section: 'Notebook', icon: 'refresh', keys: [], reach: 'view', enabled: 'always', menus: [], byHost: false, code: '', magic: '' },
  { name: 'save-trace', label: 'Save the trace', labelOn: 'Save the trace', help: 'Save the steps so far as a file beside the notebook; it opens without a kernel.', section: 'Notebook', icon: 'save', keys: [], reach: 'view', enabled: 'open', menus: ['graph'], byHost: false, code: 'session.save("run.vgtrace")', magic: '%vizgrad save [--full] FILE' },
];

// prettier-ignore
export const IN_CODE: readonly InCode[] = [
  { label: 'Breakpoints', help: 'List all breakpoints with their conditions and hit counts.', code: 'session.breakpoints', magic: '%vizgrad breakpoints [on|off|remove N, clear]' },
  { label: 'Watch expression', help: 'Show the value of an expression wherever the run pauses.', code: 'session.watches.add("w.grad.norm()")', magic: '%vizgrad display [EXPRESSION]' },
  { label: 'Remove watch', help: 'Stop showing the value of an expression.', code: 'session.watches.remove(1)', magic: '%vizgrad undisplay [N]' },
  { label: 'Change gradient', help: 'Change the gradient that has arrived at a node, and continue on a new branch.', code: 'session.set_grad("MulBackward0", "g * 0.5")', magic: '%vizgrad set NODE VALUE' },
  { label: 'Branch', help: 'Continue on a new branch; the original run does not change.', code: 'session.branch("trial")', magic: '%vizgrad branch [NAME]' },
  { label: 'Branches', help: 'List the branches of the run and the changes made on each.', code: 'session.branches', magic: '%vizgrad branches' },
  { label: 'Switch branch', help: 'Switch to a branch, or to the original, at the step where it was left.', code: 'session.switch("original")', magic: '%vizgrad switch NAME' },
  { label: 'Delete branch', help: 'Delete a branch and the branches that started from it.', code: 'session.drop_branch("trial")', magic: '%vizgrad drop NAME' },
  { label: 'Go to step', help: 'Jump to step N; in the view, use the slider or the list of events.', code: 'session.seek(3)', magic: '%vizgrad seek N' },
  { label: 'Debug', help: 'Open the backward pass of a tensor, paused before its first node, and show the live view.', code: 'vizgrad.debug(loss)', magic: '%vizgrad debug TENSOR' },
  { label: 'Graph', help: 'Draw the backward graph of a tensor without running it.', code: 'vizgrad.graph(loss)', magic: '%vizgrad graph TENSOR' },
  { label: 'Saved tensors', help: 'List saved tensors with their versions, and mark stale and released ones.', code: 'session.saved', magic: '%vizgrad saved' },
  { label: 'Versions', help: 'List the in-place writes to a tensor, and the saved values that depend on them.', code: 'vizgrad.versions(w)', magic: '%vizgrad versions [TENSOR]' },
  { label: 'Check a Function', help: 'Test a custom Function on example inputs, and report each error with its line.', code: 'vizgrad.check(Square, x)', magic: '%vizgrad check FUNCTION INPUTS' },
  { label: 'Capability card', help: 'Draw the abilities of a custom Function: passed on the example inputs, failed, or untested.', code: 'vizgrad.card(Square, x)', magic: '%vizgrad card FUNCTION INPUTS' },
  { label: 'Record', help: 'Record the forward and backward operations of a block or cell.', code: 'with vizgrad.record() as recording: train()', magic: '%%vizgrad record [NAME]' },
  { label: 'Watch', help: 'Watch a block or cell, and report its silent problems, worst first.', code: 'with vizgrad.watch() as watched: train()', magic: '%%vizgrad watch [NAME] [--keep N]' },
  { label: 'Watch every cell', help: 'Note the lines and modules of PyTorch\'s nodes in every cell, as a watch does for a block.', code: 'with vizgrad.watch(): loss = train()', magic: '%vizgrad watch on|off' },
  { label: 'Debug a cell', help: 'Run a cell up to its first backward() and debug it there, with the local variables at hand.', code: 'vizgrad.debug(loss)', magic: '%%vizgrad debug [NAME] [--at N] [--when CONDITION] [--each]' },
  { label: 'Load a trace', help: 'Load a trace from a file, to view and step like a session; nothing is computed.', code: 'vizgrad.load_trace("run.vgtrace")', magic: '%vizgrad load FILE' },
  { label: 'Attach to a program', help: 'Look at a program that runs under `python -m vizgrad`: losses, norms, findings, and its stop.', code: 'vizgrad.attach(pid)', magic: '%vizgrad attach [PID [COMMAND]]' },
];

// prettier-ignore
export const GESTURES: readonly Gesture[] = [
  { keys: 'Arrows', help: 'Move through the graph: up and down along edges, sideways on the same level.' },
  { keys: 'Home End', help: 'Go to the first or the last box.' },
  { keys: 'PageDown PageUp', help: 'In the Teach layout: step, and step back; a clicker sends these.' },
  { keys: 'Wheel', help: 'Zoom, if the graph has the focus; with Ctrl, always.' },
  { keys: 'Drag, pinch', help: 'Move the graph, and zoom with two fingers.' },
  { keys: 'Right click, long press', help: 'Open the menu of a node or group.' },
  { keys: 'Escape', help: 'Close help, search or a menu; from the toolbar, return to the graph.' },
];

// prettier-ignore
export const PREFERENCES = {
  presentation: false as boolean,
  colour_by_gradient: false as boolean,
  arrangement: 'auto' as 'auto' | 'columns' | 'tabs',
};

export type Preferences = typeof PREFERENCES;
