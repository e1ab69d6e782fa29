/** What can be done in one view, by the names that its buttons, menus, keys and host share. */
import { COMMANDS } from '../protocol';
import type { Command, CommandName, Enabled } from '../protocol';
import { causeOf, nextProblem, nodeTitle } from '../store';
import type { DebuggerState, DebuggerStore, RunHead, SessionState } from '../store';
import { hostOf } from './host';

/** What a part of the view does, while it is there. */
export interface Doer {
  act(): void;
  can?(): boolean;
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
    return doer !== null && this.why(name) === '' && (doer.can?.() ?? true);
  }

  /** Why it makes no sense now, as a sentence goes on: "the run is at its end"; '': it does, or it is plain to see. */
  why(name: CommandName): string {
    return whyNot(this.store.state.value, commandOf(name).enabled, this.node);
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
    return 'no session is shown';
  }
  if (enabled === 'shown') {
    return '';
  }
  if (session.closed) {
    return 'the session is closed';
  }
  if (port.state !== 'open') {
    return 'the kernel does not answer';
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
      return said(run.within !== null, 'the run is paused between two nodes, not inside one');
    case 'can_go_back':
      return said(
        run.within !== null || run.position > run.earliest,
        run.position === 0 ? 'the run is at its start' : 'older steps are not kept'
      );
    case 'can_restart':
      return run.earliest > 0
        ? 'older steps are not kept'
        : said(
            run.position > 0 || run.within !== null || run.status === 'failed',
            'the run is at its start'
          );
    case 'node':
      return said(node !== null, 'no node is selected');
    case 'other_node':
      return node === null
        ? 'no node is selected'
        : said(run.current !== node, 'this node is already next');
  }
}

const RUNS = 'the backward is running';

/** Why nothing runs any more; '': something is left. */
function ended({ status, current }: RunHead): string {
  if (status === 'failed') {
    return 'a node raised an error';
  }
  return status === 'paused' && current !== null ? '' : 'the backward has finished';
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
      can: () => store.state.value.session?.run.grows ?? false
    },
    why: { act: withNode(one => store.actions.askWhy(one)) },
    'show-cause': {
      act: () => store.actions.showCause(),
      can: () => {
        const { why } = store.state.value;
        return why !== null && causeOf(why.told) !== null;
      }
    },
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
      can: () => (store.state.value.session && nextProblem(store.state.value.session, null)) != null
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
      isOn: () => view().heap
    },
    'refresh-memory': {
      act: () => store.showHeap(),
      can: () => store.state.value.port.state === 'open' && !store.state.value.heapAsked
    },
    follow: { act: () => store.follow(!view().follow), isOn: () => view().follow },
    presentation: {
      act: () => store.view({ presentation: !view().presentation }),
      isOn: () => view().presentation
    },
    help: { act: () => store.view({ help: !view().help }), isOn: () => view().help }
  };
}
