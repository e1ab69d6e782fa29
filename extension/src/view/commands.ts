/** What can be done in one view, by the names that its buttons, menus, keys and host share. */
import { COMMANDS } from '../protocol';
import type { Command, CommandName, Enabled } from '../protocol';
import { causeOf, focusOf, isAway, lastRun, nextProblem, nodeTitle } from '../store';
import type { DebuggerState, DebuggerStore, RunHead, SessionState } from '../store';
import { hostOf } from './host';
import { remember } from './layout';

/** What a part of the view does, while it is there. */
export interface Doer {
  act(): void;
  can?(): boolean;
  /** Why it makes no sense where `can` says so, and what to do, as a sentence goes on. */
  readonly otherwise?: string;
  /** Of what is either on or off. */
  isOn?(): boolean;
}
export type Doers = Partial<Record<CommandName, Doer>>;

const DECLARED = new Map(COMMANDS.map(command => [command.name, command]));

export function commandOf(name: CommandName): Command {
  return DECLARED.get(name) as Command;
}

export class Commands {
  /** The node that has the keyboard: what is done to a node is done to this, selected or not. */
  focused: () => number | null = () => null;
  private readonly parts = new Set<() => Doers>();
  private readonly own: Doers;

  /** `ask` tells the host what it is to do. */
  constructor(
    private readonly store: DebuggerStore,
    private readonly ask: (name: CommandName) => void,
    /** What makes no sense for this view. */
    private readonly without: readonly CommandName[] = []
  ) {
    this.own = ownDoers(store, () => this.node);
  }

  /** A part of the view is there until what this returns is called. */
  offer(doers: () => Doers): () => void {
    this.parts.add(doers);
    return () => this.parts.delete(doers);
  }

  /** Whether it can be done here at all, now or later. */
  has(name: CommandName): boolean {
    return this.doer(name) !== null;
  }

  /** Whether it makes sense now. The kernel has the last word: it answers `Failed`. */
  can(name: CommandName): boolean {
    const doer = this.doer(name);
    return (
      doer !== null &&
      whyNot(this.state, commandOf(name).enabled, this.node) === '' &&
      possible(doer)
    );
  }

  /** Why it makes no sense now, as a sentence goes on: "the run is at its end"; '': it does, or it is plain to see. */
  why(name: CommandName): string {
    const doer = this.doer(name);
    const reason = whyNot(this.state, commandOf(name).enabled, this.node);
    return reason || (doer && !possible(doer) ? (doer.otherwise ?? '') : '');
  }

  isOn(name: CommandName): boolean {
    return this.doer(name)?.isOn?.() ?? false;
  }

  /** Do it, if it makes sense by what is known at this moment. */
  perform(name: CommandName): void {
    if (this.can(name)) {
      this.doer(name)?.act();
    }
  }

  private get state(): DebuggerState {
    return this.store.state.value;
  }

  private get node(): number | null {
    return this.focused() ?? this.store.state.value.view.selection;
  }

  private doer(name: CommandName): Doer | null {
    if (this.without.includes(name)) {
      return null;
    }
    if (commandOf(name).byHost) {
      const offered = hostOf(document).commands.includes(name);
      return offered ? { act: () => this.ask(name) } : null;
    }
    for (const part of this.parts) {
      const doer = part()[name];
      if (doer) {
        return doer;
      }
    }
    return this.own[name] ?? null;
  }
}

const possible = (doer: Doer): boolean => doer.can?.() ?? true;

/** Does what is shown allow it? `node` is the one that it would be done to. */
export function allows(
  state: DebuggerState,
  enabled: Enabled,
  node: number | null = null
): boolean {
  return whyNot(state, enabled, node) === '';
}

/** What is in the way of it; '': nothing. */
function whyNot(
  { session, port, working }: DebuggerState,
  enabled: Enabled,
  node: number | null
): string {
  if (enabled === 'always') {
    return '';
  }
  const run = session?.run;
  if (!run) {
    return 'no session is shown. Open one with vizgrad.debug(loss)';
  }
  if (enabled === 'shown') {
    return '';
  }
  if (session.closed) {
    return 'the session is closed. Run the cell again';
  }
  if (port.state !== 'open') {
    return port.state === 'connecting'
      ? 'there is no connection to the kernel yet'
      : 'the connection to the kernel is closed. Run the cell again';
  }
  const moves = working?.what === 'running';
  const said = (holds: boolean, otherwise: string): string => (holds ? '' : otherwise);
  switch (enabled) {
    case 'open':
      return '';
    case 'running':
      return said(moves, 'nothing is running');
    case 'can_run':
      return moves ? RUNS : ended(run);
    case 'can_step_in':
      return moves ? RUNS : ended(run) || nothingIn(session);
    case 'inside':
      return said(
        run.within !== null,
        'the run is paused between two nodes. Step in, or step one stage, first'
      );
    case 'can_go_back':
      return said(
        run.within !== null || run.position > run.earliest,
        run.position === 0 ? AT_START : OLDER
      );
    case 'can_restart':
      return run.earliest > 0
        ? OLDER
        : said(run.position > 0 || run.within !== null || run.status === 'failed', AT_START);
    case 'node':
      return said(node !== null, NO_NODE);
    case 'other_node':
      return node === null ? NO_NODE : said(run.current !== node, 'this node is already next');
  }
}

const RUNS = 'the backward is running. Pause it first';
const NO_KERNEL = 'there is no connection to the kernel';
const AT_START = 'the run is at its start';
const OLDER = 'older steps are not kept. Run the cell again to start over';
const NO_NODE = 'no node is selected. Click one';

/** Why nothing runs any more; '': something is left. */
function ended({ status, current }: RunHead): string {
  if (status === 'failed') {
    return 'a node raised an error. Step back, or restart';
  }
  return status === 'paused' && current !== null
    ? ''
    : 'the backward has finished. Step back, or restart';
}

/** Why there is nothing to go into; '': there is, or it is not known. */
function nothingIn(session: SessionState): string {
  const { run, nodes } = session;
  const { current, within } = run;
  if (within) {
    return within.lines < within.code.length ? '' : 'no more of your code runs in this node';
  }
  const node = current === null ? undefined : nodes.get(current);
  if (!node || node.kind === 'function' || node.hooks.length > 0) {
    return '';
  }
  return `${nodeTitle(session, node.id)} runs none of your Python code`;
}

/** What needs no more than the store. */
function ownDoers(store: DebuggerStore, node: () => number | null): Doers {
  const view = () => store.state.value.view;
  const withNode = (act: (node: number) => void) => () => {
    const one = node();
    if (one !== null) {
      act(one);
    }
  };
  return {
    continue: { act: () => store.actions.continue() },
    pause: { act: () => store.actions.pause() },
    step: { act: () => store.actions.step() },
    'step-back': { act: () => store.actions.back() },
    stage: { act: () => store.actions.stage() },
    'stage-back': { act: () => store.actions.stage(-1) },
    'step-in': { act: () => store.actions.stepIn() },
    'step-out': { act: () => store.actions.stepOut() },
    'run-to-leaf': { act: () => store.actions.runToLeaf() },
    'run-to-here': { act: withNode(one => store.actions.runTo(one)) },
    'toggle-breakpoint': {
      act: withNode(one => store.actions.toggleBreakpoint(one)),
      isOn: () => {
        const { session } = store.state.value;
        return session?.run.breakpoints.includes(node() ?? -1) ?? false;
      }
    },
    'stop-at-nan': {
      act: () => store.actions.stopAtNonfinite(!(store.state.value.session?.run.nonfinite ?? true)),
      isOn: () => store.state.value.session?.run.nonfinite ?? true
    },
    'debug-second': {
      act: () => store.actions.openSecond(),
      can: () => store.state.value.session?.run.grows ?? false,
      otherwise: 'no gradient with a history was computed. Debug with create_graph=True'
    },
    why: { act: withNode(one => store.actions.askWhy(one)) },
    'show-cause': {
      act: () => store.actions.showCause(),
      can: () => {
        const { why } = store.state.value;
        return why !== null && causeOf(why.told) !== null;
      },
      otherwise: 'no cause with a step is shown. Ask Why? first'
    },
    'save-trace': { act: () => store.actions.saveTrace() },
    restart: { act: () => store.actions.restart() },
    stop: { act: () => store.actions.stop() },
    search: {
      act: () => store.view({ search: view().search ? null : { query: '', index: -1 } }),
      isOn: () => view().search !== null
    },
    'next-problem': {
      act: () => {
        const { session } = store.state.value;
        const next = session && nextProblem(session, view().selection);
        if (next != null) {
          store.select(next);
        }
      },
      can: () =>
        (store.state.value.session && nextProblem(store.state.value.session, null)) != null,
      otherwise: 'no node failed, is stale, or has a NaN or Inf gradient'
    },
    memory: {
      act: () => {
        if (view().heap) {
          store.view({ heap: false });
        } else {
          store.showHeap();
        }
      },
      can: () => view().heap || store.state.value.port.state === 'open',
      otherwise: NO_KERNEL,
      isOn: () => view().heap
    },
    'refresh-memory': {
      act: () => store.showHeap(),
      can: () => store.state.value.port.state === 'open' && !store.state.value.heapAsked,
      otherwise: 'the kernel is reading the memory, or there is no connection to it'
    },
    follow: {
      act: () => store.home(),
      can: () => isAway(store.state.value),
      otherwise: 'the current node is selected'
    },
    'last-node': {
      act: () => store.selectLast(),
      can: () => {
        const { session } = store.state.value;
        const last = session && lastRun(session);
        return last !== null && last !== (session && focusOf(session));
      },
      otherwise: 'no other node has run'
    },
    presentation: {
      act: () => {
        const teach = !view().presentation;
        store.view({ presentation: teach });
        // The next run of the cell makes a new view.
        remember({ teach: teach === hostOf(document).preferences.presentation ? null : teach });
      },
      isOn: () => view().presentation
    },
    help: { act: () => store.view({ help: !view().help }), isOn: () => view().help }
  };
}
