/** Sends what the user asks a session to do: where to go, where to stop, what if. */
import type { ArrayName, BreakpointKind, Unnumbered } from '../protocol';
import type { Observable } from './observable';
import { MOVES } from './requestQueue';
import type { RequestQueue } from './requestQueue';
import type { DebuggerState } from './state';
import { causeOf } from './why';

export type Move =
  | { readonly kind: 'steps'; readonly count: number }
  /** Within nodes. */
  | { readonly kind: 'stages'; readonly count: number }
  | { readonly kind: 'step_in' }
  | { readonly kind: 'step_out' }
  | { readonly kind: 'run_to_leaf' }
  | { readonly kind: 'seek'; readonly position: number }
  | { readonly kind: 'continue' }
  | { readonly kind: 'restart' }
  | { readonly kind: 'run_to'; readonly node: number };

/** Those that lead on from wherever the run is, not to a place. */
const RELATIVE: readonly Move['kind'][] = ['steps', 'stages', 'step_in', 'step_out', 'run_to_leaf'];

/**
 * Moves that the user asks for while an earlier one is under way wait here.
 *
 * A held-down key asks for thirty steps a second. They are added up and sent as one request when
 * the kernel has answered the one before, so that the kernel is never flooded and the view never
 * lags behind the finger.
 */
export class SessionActions {
  private moves: readonly Move[] = [];

  constructor(
    private readonly state: Observable<DebuggerState>,
    private readonly requests: RequestQueue,
    /** Show a node in the inspector. */
    private readonly select: (node: number) => void,
    /** Whether the user chose another session, such as that of another rank, which is not shown yet. */
    private readonly isLeaving: () => boolean
  ) {}

  // --- moving ---

  step(count = 1): void {
    this.move({ kind: 'steps', count });
  }

  back(count = 1): void {
    this.move({ kind: 'steps', count: -count });
  }

  continue(): void {
    this.move({ kind: 'continue' });
  }

  /** From now on moves are of all ranks, or of the one that is shown. */
  moveTogether(enabled: boolean): void {
    const { session } = this.state.value;
    if (session) {
      this.requests.send({ type: 'move_together', session: session.session, enabled });
    }
  }

  stage(count = 1): void {
    this.move({ kind: 'stages', count });
  }

  stepIn(): void {
    this.move({ kind: 'step_in' });
  }

  stepOut(): void {
    this.move({ kind: 'step_out' });
  }

  runToLeaf(): void {
    this.move({ kind: 'run_to_leaf' });
  }

  runTo(node: number): void {
    this.move({ kind: 'run_to', node });
  }

  seek(position: number): void {
    this.move({ kind: 'seek', position });
  }

  restart(): void {
    this.move({ kind: 'restart' });
  }

  /** Stop what runs. It is answered before what was asked earlier. */
  pause(): void {
    this.clearMoves();
    this.send(session => ({ type: 'pause', session }));
  }

  /** Not while another session is about to be shown: it is not clear which of the two the user means. */
  stop(): void {
    this.clearMoves();
    if (!this.isLeaving()) {
      this.send(session => ({ type: 'stop', session }));
    }
  }

  /**
   * Sends the move that comes next, if none is under way. After the user chose another session, moves wait until
   * it is shown: they are meant for it.
   */
  nextMove(): void {
    const [move, ...rest] = this.moves;
    if (move && !this.requests.has(...MOVES) && !this.isLeaving()) {
      this.moves = rest;
      this.send(session => requestFor(move, session));
    }
  }

  /** Forgets the moves that wait. */
  clearMoves(): void {
    this.moves = [];
  }

  private move(move: Move): void {
    if (this.isLeaving() && isPlace(move)) {
      return; // It names a place in the picture that is about to go.
    }
    this.moves = enqueue(this.moves, move);
    this.nextMove();
  }

  // --- breakpoints ---

  toggleBreakpoint(node: number): void {
    const run = this.state.value.session?.run;
    if (run) {
      const enabled = !run.breakpoints.includes(node);
      this.send(session => ({ type: 'set_breakpoint', session, node, enabled }));
    }
  }

  /** `text` as a person writes it; what is not understood is said. */
  addBreakpoint(
    kind: BreakpointKind,
    text: string,
    asked: { readonly condition: string; readonly hits: number; readonly log: string }
  ): void {
    this.send(session => ({ type: 'add_breakpoint', session, kind, text, ...asked }));
  }

  /** By its `id`. */
  enableBreakpoint(breakpoint: number, enabled: boolean): void {
    this.send(session => ({ type: 'enable_breakpoint', session, breakpoint, enabled }));
  }

  removeBreakpoint(breakpoint: number): void {
    this.send(session => ({ type: 'remove_breakpoint', session, breakpoint }));
  }

  /** What breakpoints have written is forgotten. */
  clearLog(): void {
    this.send(session => ({ type: 'clear_log', session }));
  }

  /** Continue is to stop where a NaN is born, or not. */
  stopAtNonfinite(enabled: boolean): void {
    this.send(session => ({ type: 'set_nonfinite', session, enabled }));
  }

  // --- the watch list ---

  addWatch(expression: string): void {
    this.send(session => ({ type: 'add_watch', session, expression }));
  }

  /** By its `id`. */
  editWatch(watch: number, expression: string): void {
    this.send(session => ({ type: 'edit_watch', session, watch, expression }));
  }

  removeWatch(watch: number): void {
    this.send(session => ({ type: 'remove_watch', session, watch }));
  }

  // --- branches ---

  /** Changes what waits at the first slot of a node, as `value` says, and goes on on a branch. */
  changeGradient(node: number, value: string): void {
    this.send(session => ({ type: 'set_grad', session, node, value, slot: 0 }));
  }

  undoChange(): void {
    this.send(session => ({ type: 'undo_change', session }));
  }

  switchBranch(name: string): void {
    this.send(session => ({ type: 'switch_branch', session, name }));
  }

  /** Run a branch that was left to its end, and come back. */
  finishBranch(name: string): void {
    this.send(session => ({ type: 'finish_branch', session, name }));
  }

  dropBranch(name: string): void {
    this.send(session => ({ type: 'drop_branch', session, name }));
  }

  /** Open the backward of the gradients that this one has made, and show that. */
  openSecond(): void {
    this.send(session => ({ type: 'open_second', session }));
  }

  /** The kernel is to make a picture of it for those who read the notebook later; `first`: there is none yet. */
  askPicture(first: boolean): void {
    this.send(session => ({ type: 'get_picture', session, first }));
  }

  /** The kernel is to write the trace to a file, and says which. */
  saveTrace(): void {
    this.send(session => ({ type: 'save_trace', session }));
  }

  // --- explanations ---

  /** Ask why a node is as it is, and show it. */
  askWhy(node: number): void {
    this.select(node);
    this.send(session => ({ type: 'get_why', session, node }));
  }

  /** Ask who wrote an array last; where a step did, the view goes there. */
  askWriter(of: ArrayName): void {
    this.send(session => ({ type: 'get_writer', session, of }));
  }

  /** Go to where so many steps are done, and select a node. */
  goToStep(position: number, node: number | null): void {
    if (position !== this.state.value.session?.run.position) {
      this.seek(position);
    }
    if (node !== null) {
      this.select(node);
    }
  }

  /** Go to the step where what was explained happened, and select the node that the explanation is about. */
  showCause(): void {
    const { why } = this.state.value;
    const cause = why && causeOf(why.told);
    if (why === null || cause === null) {
      return;
    }
    if (
      why.told.position !== null &&
      why.told.position !== this.state.value.session?.run.position
    ) {
      this.seek(why.told.position);
    }
    this.select(cause);
  }

  /** What was explained is read. */
  closeWhy(): void {
    this.state.patch({ why: null });
  }

  /** Sends a request about the session that is shown, if that is open. */
  private send(make: (session: string) => Unnumbered): void {
    const { session } = this.state.value;
    if (session && !session.closed) {
      this.requests.send(make(session.session));
    }
  }
}

/** Add `move` to the queue. A new place to be makes what was queued before it pointless. */
export function enqueue(queue: readonly Move[], move: Move): readonly Move[] {
  if (!RELATIVE.includes(move.kind)) {
    return [move];
  }
  const last = queue[queue.length - 1];
  if (last?.kind !== move.kind) {
    return [...queue, move];
  }
  if (!('count' in move && 'count' in last)) {
    return queue; // Of a key that is held down one waits.
  }
  const count = last.count + move.count;
  const rest = queue.slice(0, -1);
  return count === 0 ? rest : [...rest, { kind: move.kind, count }];
}

function isPlace({ kind }: Move): boolean {
  return kind === 'seek' || kind === 'run_to';
}

function requestFor(move: Move, session: string): Unnumbered {
  switch (move.kind) {
    case 'steps':
      return move.count > 0
        ? { type: 'step', session, count: move.count }
        : { type: 'step_back', session, count: -move.count };
    case 'stages':
      return { type: 'stage', session, count: move.count };
    case 'seek':
      return { type: 'seek', session, position: move.position };
    case 'run_to':
      return { type: 'run_to', session, node: move.node };
    default:
      return { type: move.kind, session };
  }
}
