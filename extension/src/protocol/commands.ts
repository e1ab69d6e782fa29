// Made by `make types` from debugger/commands/ and jupyter/widget/preferences.py: do not edit.
/** What a person can do, and what they can set: declared once, in Python. */

// prettier-ignore
export type CommandName = 'continue' | 'pause' | 'step' | 'step-back' | 'stage' | 'stage-back' | 'step-in' | 'step-out' | 'run-to-leaf' | 'run-to-cursor' | 'debug-second' | 'run-to-here' | 'toggle-breakpoint' | 'stop-at-nan' | 'restart' | 'stop' | 'open' | 'outwards' | 'previous-cell' | 'next-cell' | 'next-problem' | 'why' | 'show-cause' | 'search' | 'zoom-to-fit' | 'zoom-to-selection' | 'zoom-in' | 'zoom-out' | 'fold-all' | 'open-groups' | 'colour-by-gradient' | 'compare-branch' | 'menu' | 'follow' | 'next-part' | 'previous-part' | 'presentation' | 'pop-out' | 'open-window' | 'help' | 'toggle-line-breakpoint' | 'choose-line-node' | 'open-panel' | 'memory' | 'refresh-memory';

// prettier-ignore
export type CommandIcon = 'back' | 'breakpoint' | 'continue' | 'fit' | 'fold' | 'follow' | 'heat' | 'help' | 'memory' | 'minus' | 'nan' | 'pause' | 'plus' | 'popOut' | 'presentation' | 'refresh' | 'restart' | 'runTo' | 'search' | 'second' | 'stage' | 'stageBack' | 'step' | 'stepIn' | 'stepOut' | 'stop' | 'toLeaf' | 'toLine' | 'unfold' | 'warning' | 'why' | 'window';

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
  { name: 'continue', label: 'Continue', labelOn: 'Continue', help: 'Runs to the next breakpoint, to where a NaN is born, or to the end.', section: 'Run', icon: 'continue', keys: ['F9'], reach: 'view', enabled: 'can_run', menus: [], byHost: false, code: 'session.continue_()', magic: '%vizgrad continue' },
  { name: 'pause', label: 'Pause', labelOn: 'Pause', help: 'Stops a run that takes long between two nodes, or within one that runs Python.', section: 'Run', icon: 'pause', keys: ['F8'], reach: 'view', enabled: 'running', menus: [], byHost: false, code: 'session.pause()', magic: '' },
  { name: 'step', label: 'Step', labelOn: 'Step', help: 'Runs the next node.', section: 'Run', icon: 'step', keys: ['F10'], reach: 'view', enabled: 'can_run', menus: [], byHost: false, code: 'session.step()', magic: '%vizgrad step [N]' },
  { name: 'step-back', label: 'Step back', labelOn: 'Step back', help: 'Takes the last node back, with all it changed.', section: 'Run', icon: 'back', keys: ['Shift F10'], reach: 'view', enabled: 'can_go_back', menus: [], byHost: false, code: 'session.back()', magic: '%vizgrad back [N]' },
  { name: 'stage', label: 'Step by stage', labelOn: 'Step by stage', help: 'Goes one stage of the visit of a node on: hooks, formula, release, delivery.', section: 'Run', icon: 'stage', keys: ['.'], reach: 'view', enabled: 'can_run', menus: ['step'], byHost: false, code: 'session.stage()', magic: '%vizgrad stage [N]' },
  { name: 'stage-back', label: 'Stage back', labelOn: 'Stage back', help: 'Takes the last stage back, or the last line of your code.', section: 'Run', icon: 'stageBack', keys: [','], reach: 'view', enabled: 'can_go_back', menus: ['step'], byHost: false, code: '', magic: '' },
  { name: 'step-in', label: 'Step in', labelOn: 'Step in', help: 'Goes into the backward of a custom Function or into a hook, and on in it line by line.', section: 'Run', icon: 'stepIn', keys: ['F11'], reach: 'view', enabled: 'can_step_in', menus: ['step'], byHost: false, code: 'session.step_in()', magic: '%vizgrad step_in' },
  { name: 'step-out', label: 'Step out', labelOn: 'Step out', help: 'Goes on to behind the code that it is in, else to behind the node.', section: 'Run', icon: 'stepOut', keys: ['Shift F11'], reach: 'view', enabled: 'inside', menus: ['step'], byHost: false, code: 'session.step_out()', magic: '%vizgrad step_out' },
  { name: 'run-to-leaf', label: 'Run to the next leaf', labelOn: 'Run to the next leaf', help: 'Runs until a leaf is the next to take its gradient.', section: 'Run', icon: 'toLeaf', keys: ['l'], reach: 'graph', enabled: 'can_run', menus: ['step'], byHost: false, code: 'session.run_to_leaf()', magic: '%vizgrad run_to_leaf' },
  { name: 'run-to-cursor', label: 'Run to the cursor', labelOn: 'Run to the cursor', help: 'Runs until what the line with the cursor recorded is the next.', section: 'Run', icon: 'toLine', keys: [], reach: 'view', enabled: 'can_run', menus: ['step'], byHost: true, code: '', magic: '' },
  { name: 'debug-second', label: 'Debug the second order', labelOn: 'Debug the second order', help: 'Opens the backward of the gradients that this one has made, with create_graph=True.', section: 'Run', icon: 'second', keys: [], reach: 'view', enabled: 'open', menus: [], byHost: false, code: 'session.second()', magic: '%vizgrad second' },
  { name: 'run-to-here', label: 'Run to here', labelOn: 'Run to here', help: 'Runs, or steps back, until the selected node is the next.', section: 'Run', icon: 'runTo', keys: ['r'], reach: 'graph', enabled: 'other_node', menus: ['node'], byHost: false, code: 'session.run_to("MulBackward0")', magic: '%vizgrad run_to NODE' },
  { name: 'toggle-breakpoint', label: 'Add breakpoint', labelOn: 'Remove breakpoint', help: 'Makes Continue stop before the selected node, or not any more.', section: 'Run', icon: 'breakpoint', keys: ['b'], reach: 'graph', enabled: 'node', menus: ['node'], byHost: false, code: 'session.break_at("MulBackward0")', magic: '%vizgrad break NODE [if CONDITION] [hits N]' },
  { name: 'stop-at-nan', label: 'Stop at NaN', labelOn: 'Stop at NaN', help: 'Makes Continue stop where a NaN or an infinity is born, or run on.', section: 'Run', icon: 'nan', keys: [], reach: 'view', enabled: 'open', menus: [], byHost: false, code: 'session.stop_at_nonfinite = True', magic: '%vizgrad nonfinite [on|off]' },
  { name: 'restart', label: 'Restart', labelOn: 'Restart', help: 'Goes back to before the first node.', section: 'Run', icon: 'restart', keys: [], reach: 'view', enabled: 'can_restart', menus: ['graph'], byHost: false, code: 'session.restart()', magic: '%vizgrad restart' },
  { name: 'stop', label: 'Stop', labelOn: 'Stop', help: 'Closes the session and lets go of what it holds.', section: 'Run', icon: 'stop', keys: ['Shift F9'], reach: 'view', enabled: 'open', menus: [], byHost: false, code: 'session.close()', magic: '%vizgrad close' },
  { name: 'open', label: 'Select or open', labelOn: 'Select or open', help: 'Selects the node; opens or closes the group.', section: 'Graph', icon: null, keys: ['Enter', 'Space'], reach: 'graph', enabled: 'shown', menus: ['group'], byHost: false, code: '', magic: '' },
  { name: 'outwards', label: 'Out to the group around', labelOn: 'Out to the group around', help: 'Goes to the title of the group around.', section: 'Graph', icon: null, keys: ['Backspace'], reach: 'graph', enabled: 'shown', menus: [], byHost: false, code: '', magic: '' },
  { name: 'previous-cell', label: 'Cell before', labelOn: 'Cell before', help: 'Shows the one before, of equal groups.', section: 'Graph', icon: null, keys: ['['], reach: 'graph', enabled: 'shown', menus: ['group'], byHost: false, code: '', magic: '' },
  { name: 'next-cell', label: 'Cell after', labelOn: 'Cell after', help: 'Shows the one after, of equal groups.', section: 'Graph', icon: null, keys: [']'], reach: 'graph', enabled: 'shown', menus: ['group'], byHost: false, code: '', magic: '' },
  { name: 'next-problem', label: 'Next problem', labelOn: 'Next problem', help: 'Selects the next node that failed, or whose saved value is stale or gradient not finite.', section: 'Graph', icon: 'warning', keys: ['n'], reach: 'view', enabled: 'shown', menus: ['graph'], byHost: false, code: '', magic: '' },
  { name: 'why', label: 'Why?', labelOn: 'Why?', help: 'Explains the selected node: NaN, stale, all zero, badly scaled; marks the way to the cause.', section: 'Graph', icon: 'why', keys: ['w'], reach: 'view', enabled: 'node', menus: ['node'], byHost: false, code: 'vizgrad.why(w)', magic: '%vizgrad why TENSOR' },
  { name: 'show-cause', label: 'Show me', labelOn: 'Show me', help: 'Goes to the step where what Why? explains happened, and selects its node.', section: 'Graph', icon: 'toLine', keys: [], reach: 'view', enabled: 'open', menus: [], byHost: false, code: '', magic: '' },
  { name: 'search', label: 'Search nodes', labelOn: 'Search nodes', help: 'Finds nodes by name, variable, scope or source line.', section: 'Graph', icon: 'search', keys: ['/'], reach: 'view', enabled: 'shown', menus: ['graph'], byHost: false, code: '', magic: '' },
  { name: 'zoom-to-fit', label: 'Zoom to fit', labelOn: 'Zoom to fit', help: 'Shows the whole graph.', section: 'Graph', icon: 'fit', keys: ['f'], reach: 'graph', enabled: 'shown', menus: ['graph'], byHost: false, code: '', magic: '' },
  { name: 'zoom-to-selection', label: 'Zoom to the selection', labelOn: 'Zoom to the selection', help: 'Comes close to the selected node.', section: 'Graph', icon: null, keys: ['z'], reach: 'graph', enabled: 'shown', menus: ['node'], byHost: false, code: '', magic: '' },
  { name: 'zoom-in', label: 'Zoom in', labelOn: 'Zoom in', help: 'Comes nearer.', section: 'Graph', icon: 'plus', keys: ['+', '='], reach: 'graph', enabled: 'shown', menus: [], byHost: false, code: '', magic: '' },
  { name: 'zoom-out', label: 'Zoom out', labelOn: 'Zoom out', help: 'Goes further away.', section: 'Graph', icon: 'minus', keys: ['-'], reach: 'graph', enabled: 'shown', menus: [], byHost: false, code: '', magic: '' },
  { name: 'fold-all', label: 'Fold all groups', labelOn: 'Fold all groups', help: 'Closes every group.', section: 'Graph', icon: 'fold', keys: [], reach: 'view', enabled: 'shown', menus: ['graph', 'group'], byHost: false, code: '', magic: '' },
  { name: 'open-groups', label: 'Open groups, one level more', labelOn: 'Open groups, one level more', help: 'Opens every group that is drawn closed.', section: 'Graph', icon: 'unfold', keys: [], reach: 'view', enabled: 'shown', menus: ['graph', 'group'], byHost: false, code: '', magic: '' },
  { name: 'colour-by-gradient', label: 'Colour by gradient', labelOn: 'Colour by gradient', help: 'Lets colours say how large gradients are, or how far the run is.', section: 'Graph', icon: 'heat', keys: [], reach: 'view', enabled: 'shown', menus: ['graph'], byHost: false, code: '', magic: '' },
  { name: 'compare-branch', label: 'Compare the branch', labelOn: 'Compare no more', help: 'Lets colours and numbers say how far a branch, or another run, is from this one.', section: 'Graph', icon: null, keys: [], reach: 'view', enabled: 'shown', menus: ['graph'], byHost: false, code: 'session.compare("trial")', magic: '%vizgrad compare NAME [with OTHER], or LOSS LOSS' },
  { name: 'menu', label: 'Menu', labelOn: 'Menu', help: 'Lists what can be done with what has the focus.', section: 'Graph', icon: null, keys: ['m', 'ContextMenu'], reach: 'graph', enabled: 'shown', menus: [], byHost: false, code: '', magic: '' },
  { name: 'follow', label: 'Follow the run', labelOn: 'Follow the run', help: 'Lets the selection go along with the run, or stay.', section: 'View', icon: 'follow', keys: ['Escape'], reach: 'graph', enabled: 'shown', menus: ['node', 'graph'], byHost: false, code: '', magic: '' },
  { name: 'next-part', label: 'Next part', labelOn: 'Next part', help: 'Goes to the next part of the view: toolbar, graph, inspector and so on.', section: 'View', icon: null, keys: ['F6'], reach: 'view', enabled: 'shown', menus: [], byHost: false, code: '', magic: '' },
  { name: 'previous-part', label: 'Previous part', labelOn: 'Previous part', help: 'Goes to the part of the view before.', section: 'View', icon: null, keys: ['Shift F6'], reach: 'view', enabled: 'shown', menus: [], byHost: false, code: '', magic: '' },
  { name: 'presentation', label: 'Presentation size', labelOn: 'Presentation size', help: 'Draws everything larger, for a projector, or as before.', section: 'View', icon: 'presentation', keys: ['p'], reach: 'view', enabled: 'always', menus: [], byHost: false, code: '', magic: '' },
  { name: 'pop-out', label: 'Open in a tab', labelOn: 'Open in a tab', help: 'Shows the session in a tab of its own, which can be put anywhere.', section: 'View', icon: 'popOut', keys: [], reach: 'view', enabled: 'shown', menus: [], byHost: true, code: '', magic: '' },
  { name: 'open-window', label: 'Open in a window', labelOn: 'Open in a window', help: 'Shows the session in a window of its own, for a second screen.', section: 'View', icon: 'window', keys: [], reach: 'view', enabled: 'shown', menus: [], byHost: true, code: '', magic: '' },
  { name: 'help', label: 'Help', labelOn: 'Help', help: 'Shows keys, signs, and how the same is written in code.', section: 'View', icon: 'help', keys: ['?'], reach: 'view', enabled: 'always', menus: [], byHost: false, code: '', magic: '' },
  { name: 'toggle-line-breakpoint', label: 'Add breakpoint at line', labelOn: 'Add breakpoint at line', help: 'Makes Continue stop before what the line with the cursor recorded, or not any more.', section: 'Notebook', icon: null, keys: [], reach: 'view', enabled: 'shown', menus: [], byHost: true, code: '', magic: '' },
  { name: 'choose-line-node', label: 'Choose a node of the line', labelOn: 'Choose a node of the line', help: 'Goes to the list of the nodes that the line with the cursor recorded, if these are several.', section: 'Notebook', icon: null, keys: [], reach: 'view', enabled: 'shown', menus: [], byHost: true, code: '', magic: '' },
  { name: 'open-panel', label: 'Show the backward graph panel', labelOn: 'Show the backward graph panel', help: 'Draws and steps the newest session of the notebook in front, beside it.', section: 'Notebook', icon: null, keys: [], reach: 'view', enabled: 'always', menus: [], byHost: true, code: '', magic: '' },
  { name: 'memory', label: 'Memory of the notebook', labelOn: 'Memory of the notebook', help: 'Lists all storages, who holds them, and which variables keep graphs alive.', section: 'Notebook', icon: 'memory', keys: [], reach: 'view', enabled: 'always', menus: [], byHost: false, code: 'vizgrad.memory()', magic: '%vizgrad memory' },
  { name: 'refresh-memory', label: 'Read the memory again', labelOn: 'Read the memory again', help: 'Reads again what lives in the memory of the notebook, and who holds it.', section: 'Notebook', icon: 'refresh', keys: [], reach: 'view', enabled: 'always', menus: [], byHost: false, code: '', magic: '' },
];

// prettier-ignore
export const IN_CODE: readonly InCode[] = [
  { label: 'Breakpoints', help: 'Lists all breakpoints, with what they ask and how often they came about.', code: 'session.breakpoints', magic: '%vizgrad breakpoints [on|off|remove N, clear]' },
  { label: 'Change the gradient', help: 'Changes the gradient that waits at a node, and goes on on a branch.', code: 'session.set_grad("MulBackward0", "g * 0.5")', magic: '%vizgrad set NODE VALUE' },
  { label: 'Branch', help: 'Goes on on a branch from here; the original stays as it is.', code: 'session.branch("trial")', magic: '%vizgrad branch [NAME]' },
  { label: 'Branches', help: 'Lists the branches of the run, and what was changed on each.', code: 'session.branches', magic: '%vizgrad branches' },
  { label: 'Go to a branch', help: 'Goes to where a branch, or the original, was left.', code: 'session.switch("original")', magic: '%vizgrad switch NAME' },
  { label: 'Throw a branch away', help: 'Throws a branch away, with those that left it; nothing of it stays.', code: 'session.drop_branch("trial")', magic: '%vizgrad drop NAME' },
  { label: 'Go to a position', help: 'Goes to where so many nodes are done; in the view by the slider and the list of events.', code: 'session.seek(3)', magic: '%vizgrad seek N' },
  { label: 'Debug', help: 'Opens the backward of a tensor, stopped before its first node, and shows the live view.', code: 'vizgrad.debug(loss)', magic: '%vizgrad debug TENSOR' },
  { label: 'Graph', help: 'Draws the backward graph of a tensor; nothing is run.', code: 'vizgrad.graph(loss)', magic: '%vizgrad graph TENSOR' },
  { label: 'Saved tensors', help: 'Lists what nodes have saved, with versions: what is stale, and what was let go of.', code: 'session.saved', magic: '%vizgrad saved' },
  { label: 'Versions', help: 'Shows who wrote a tensor in place, and which saved values rely on it.', code: 'vizgrad.versions(w)', magic: '%vizgrad versions [TENSOR]' },
  { label: 'Check a Function', help: 'Examines a custom Function on example inputs, and says what is wrong with it, line by line.', code: 'vizgrad.check(Square, x)', magic: '%vizgrad check FUNCTION INPUTS' },
  { label: 'Capability card', help: 'Draws what a custom Function can do: each proven on example inputs, failed, or untested.', code: 'vizgrad.card(Square, x)', magic: '%vizgrad card FUNCTION INPUTS' },
  { label: 'Record', help: 'Records what is computed in a block or a cell, forward and backward.', code: 'with vizgrad.record() as recording: train()', magic: '%%vizgrad record [NAME]' },
  { label: 'Watch', help: 'Listens to a block or a cell, and tells its silent problems, worst first.', code: 'with vizgrad.watch() as watched: train()', magic: '%%vizgrad watch [NAME]' },
  { label: 'Debug a cell', help: 'Stops a cell before its first backward, and opens that; what the calling frames know is left.', code: 'vizgrad.debug(loss)', magic: '%%vizgrad debug [NAME] [--at N] [--when CONDITION] [--each]' },
  { label: 'Load a trace', help: 'Reads a trace from a file; it is shown and stepped like a session, and nothing is run.', code: 'vizgrad.load_trace("run.vgtrace")', magic: '%vizgrad load FILE' },
  { label: 'Save the trace', help: 'Writes what was stepped so far to a file, or as one page for any browser.', code: 'session.trace.save("run.vgtrace")', magic: '%vizgrad save FILE' },
];

// prettier-ignore
export const GESTURES: readonly Gesture[] = [
  { keys: 'Arrows', help: 'Walk the graph: up and down along edges, to the sides at the same height.' },
  { keys: 'Home End', help: 'To the first and the last box.' },
  { keys: 'Wheel', help: 'Zooms once the graph has the focus; with Ctrl always.' },
  { keys: 'Drag, pinch', help: 'Move the graph, and zoom with two fingers.' },
  { keys: 'Right click, long press', help: 'The menu of a node or group.' },
  { keys: 'Escape', help: 'Closes help, search or a menu; from the toolbar back to the graph.' },
];

// prettier-ignore
export const PREFERENCES = {
  presentation: false as boolean,
  colour_by_gradient: false as boolean,
  arrangement: 'auto' as 'auto' | 'columns' | 'tabs',
};

export type Preferences = typeof PREFERENCES;
