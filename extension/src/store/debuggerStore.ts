/** The store: sends what a person asks for, applies what the kernel answers. */
import { Malformed, PROTOCOL_VERSION, readAnswer } from '../protocol';
import type { Answer, Request, Run, Snapshot } from '../protocol';
import { announce } from './announce';
import { nextFrame } from './frame';
import type { Schedule } from './frame';
import { enqueue } from './moves';
import type { Move } from './moves';
import { Observable } from './observable';
import { Pending } from './pending';
import type { Port } from './port';
import { followed, fromSnapshot, withRun, withVersions } from './session';
import type { SessionState } from './session';
import { INITIAL_STATE } from './state';
import type { DebuggerState, Notice } from './state';
import type { ViewState } from './view';

type Unnumbered = Request extends infer R
  ? R extends Request
    ? Omit<R, 'request'>
    : never
  : never;

const MOVES: Request['type'][] = ['step', 'step_back', 'continue', 'run_to', 'seek', 'restart'];

export interface StoreOptions {
  /** The session to attach to; null or absent: the newest (a widget's comm knows only its own). */
  readonly session?: string | null;
  /** Attach to every session that opens later, as the side panel does. */
  readonly followNewest?: boolean;
  readonly schedule?: Schedule;
}

export class DebuggerStore {
  readonly state: Observable<DebuggerState>;
  private readonly pending: Pending;
  private readonly ends: (() => void)[] = [];
  private moves: readonly Move[] = [];
  /** The last node asked about, at which revision. */
  private asked = '';

  constructor(
    private readonly port: Port,
    private readonly options: StoreOptions = {}
  ) {
    this.state = new Observable<DebuggerState>(INITIAL_STATE, options.schedule ?? nextFrame);
    this.pending = new Pending(() => this.pendingChanged());
    this.ends.push(port.onMessage(message => this.receive(message)));
    if (port.onStatus) {
      this.ends.push(port.onStatus(status => this.portChanged(status)));
    } else {
      this.portChanged({ state: 'open' });
    }
  }

  dispose(): void {
    this.pending.clear();
    for (const end of this.ends.splice(0)) {
      end();
    }
  }

  // --- what a person asks for ---

  attach(session: string | null): void {
    this.send({ type: 'attach', session });
  }

  step(count = 1): void {
    this.move({ kind: 'steps', count });
  }

  back(count = 1): void {
    this.move({ kind: 'steps', count: -count });
  }

  continue(): void {
    this.move({ kind: 'continue' });
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

  stop(): void {
    this.moves = [];
    this.about(session => ({ type: 'stop', session }));
  }

  toggleBreakpoint(node: number): void {
    const run = this.state.value.session?.run;
    if (run) {
      const enabled = !run.breakpoints.includes(node);
      this.about(session => ({ type: 'set_breakpoint', session, node, enabled }));
    }
  }

  /** Show a node in the inspector; it stays there until the person selects or follows again. */
  select(node: number | null): void {
    this.view({ selection: node, follow: false });
    this.inspect();
  }

  /** Let the selection go along with the steps, or not. */
  follow(on: boolean): void {
    const { session, view } = this.state.value;
    this.view({ follow: on, selection: on && session ? followed(session) : view.selection });
    this.inspect();
  }

  view(fields: Partial<ViewState>): void {
    this.state.patch({ view: { ...this.state.value.view, ...fields } });
    this.state.flush();
  }

  /** Forget what was never answered and ask for everything again. */
  retry(): void {
    this.moves = [];
    this.asked = '';
    this.pending.clear();
    this.state.patch({ notice: null });
    const session = this.state.value.session?.session ?? this.options.session ?? null;
    if (this.options.followNewest && session === null) {
      this.send({ type: 'list_sessions' }); // There may be none to attach to yet.
    } else {
      this.attach(session);
    }
  }

  dismiss(): void {
    this.state.patch({ notice: null });
  }

  // --- sending ---

  private send(request: Unnumbered): void {
    const numbered = { ...request, request: this.pending.add(request.type) } as Request;
    try {
      this.port.send(numbered);
    } catch (error) {
      this.pending.settle(numbered.request);
      this.complain(
        `The request could not be sent (${messageOf(error)}): the kernel this view belongs to is ` +
          'gone or was restarted. Run the cell again.'
      );
    }
  }

  private about(make: (session: string) => Unnumbered): void {
    const session = this.state.value.session;
    if (session && !session.closed) {
      this.send(make(session.session));
    }
  }

  private move(move: Move): void {
    this.moves = enqueue(this.moves, move);
    this.nextMove();
  }

  private nextMove(): void {
    const [move, ...rest] = this.moves;
    if (!move || this.pending.has(...MOVES)) {
      return;
    }
    this.moves = rest;
    this.about(session => {
      switch (move.kind) {
        case 'steps':
          return move.count > 0
            ? { type: 'step', session, count: move.count }
            : { type: 'step_back', session, count: -move.count };
        case 'seek':
          return { type: 'seek', session, position: move.position };
        case 'run_to':
          return { type: 'run_to', session, node: move.node };
        default:
          return { type: move.kind, session };
      }
    });
  }

  private inspect(): void {
    const { session, view, inspection } = this.state.value;
    const node = view.selection;
    if (!session || node === null || this.pending.has('inspect')) {
      return; // The answer under way asks again if it is about another node or revision.
    }
    if (inspection?.node.id === node && inspection.revision >= session.revision) {
      return;
    }
    const question = `${session.session} ${session.revision} ${node}`;
    if (question === this.asked) {
      return; // Answered with an error: asking the same again would go on for ever.
    }
    this.asked = question;
    // A closed session still answers: its last state stays readable.
    this.send({ type: 'inspect', session: session.session, node });
  }

  // --- receiving ---

  private receive(message: unknown): void {
    let answer: Answer;
    try {
      answer = readAnswer(message);
    } catch (error) {
      if (!(error instanceof Malformed)) {
        throw error;
      }
      this.pending.settle(requestOf(message));
      this.complain(
        `The kernel sent a message this view cannot read (${error.message}). ` +
          'The Python package and the extension are probably of different versions: ' +
          'reinstall vizgrad, restart the kernel and reload the page.'
      );
      return;
    }
    const question = 'request' in answer ? this.pending.settle(answer.request) : undefined;
    this.apply(answer, question);
    this.nextMove();
    this.inspect();
  }

  private apply(answer: Answer, question: Request['type'] | undefined): void {
    const { session } = this.state.value;
    switch (answer.type) {
      case 'sessions':
        this.applySessions(answer);
        break;
      case 'snapshot':
        if (answer.request > 0 || answer.session === session?.session) {
          this.applySnapshot(answer);
        }
        break;
      case 'state':
        this.advance(answer.session, answer.revision, answer.run, state =>
          withRun(state, answer.revision, answer.run)
        );
        break;
      case 'versions':
        this.advance(answer.session, answer.revision, answer.run, state =>
          withVersions(state, answer)
        );
        break;
      case 'inspection':
        if (answer.session === session?.session && answer.node.id < session.graph.nodes.length) {
          this.state.patch({ inspection: answer });
        }
        break;
      case 'failed':
        this.moves = [];
        if (question !== 'inspect' || !session?.closed) {
          this.complain(answer.message);
        }
        break;
      case 'closed':
        if (answer.session === session?.session) {
          const revision = Math.max(answer.revision, session.revision);
          this.moved({ ...session, revision, closed: true });
        }
        break;
    }
  }

  private applySessions(answer: Answer & { type: 'sessions' }): void {
    const known = new Set(this.state.value.sessions.map(info => info.session));
    const opened = answer.sessions.some(info => !known.has(info.session));
    this.state.patch({ sessions: answer.sessions, kernelVersion: answer.vizgrad_version });
    if (answer.protocol_version > PROTOCOL_VERSION) {
      this.complain(
        `The kernel runs vizgrad ${answer.vizgrad_version}, which is newer than this view. ` +
          'Reinstall vizgrad where Jupyter runs, and reload the page.'
      );
    }
    if (this.options.followNewest && opened) {
      this.attach(null);
    }
  }

  private applySnapshot(snapshot: Snapshot): void {
    const { session, view } = this.state.value;
    if (session?.session === snapshot.session && snapshot.revision < session.revision) {
      return;
    }
    const next = fromSnapshot(snapshot, session);
    const isNew = session?.session !== next.session;
    if (isNew) {
      this.state.patch({
        inspection: null,
        notice: null,
        view: { ...view, selection: null, follow: true, groups: new Map() }
      });
    }
    this.moved(next, isNew);
  }

  /** Apply `change` if it is about our session and in order; else ask for everything. */
  private advance(
    id: string,
    revision: number,
    run: Run,
    change: (state: SessionState) => SessionState
  ): void {
    const { session } = this.state.value;
    if (session?.session !== id || revision < session.revision) {
      return;
    }
    const fits = run.nodes.length === session.graph.nodes.length;
    if (fits) {
      this.moved(change(session));
    }
    const gap = revision > session.revision + 1;
    if ((!fits || gap) && !this.pending.has('get_snapshot')) {
      this.send({ type: 'get_snapshot', session: id });
    }
  }

  private moved(next: SessionState, isNew = false): void {
    const { session, view, announcement } = this.state.value;
    const before = isNew ? null : (session?.run ?? null);
    let selection = view.follow || isNew ? followed(next) : view.selection;
    if (selection !== null && selection >= next.graph.nodes.length) {
      selection = null;
    }
    this.state.patch({
      session: next,
      announcement: announce(before, next) || announcement,
      view: { ...this.state.value.view, selection }
    });
    this.inspect();
  }

  private pendingChanged(): void {
    const patience = this.pending.patience;
    const moving = this.pending.has(...MOVES, 'stop');
    const { state } = this;
    if (patience !== state.value.patience || moving !== state.value.moving) {
      state.patch({ patience, moving });
    }
  }

  private portChanged(status: DebuggerState['port']): void {
    const before = this.state.value.port.state;
    this.state.patch({ port: status });
    if (status.state === 'open' && before !== 'open') {
      // Never trust what the browser remembers: a reopened comm starts from a snapshot.
      this.retry();
    } else if (status.state !== 'open') {
      this.moves = [];
      this.asked = '';
      this.pending.clear();
      if (this.options.followNewest) {
        // Another kernel, or none: what it knew is not what comes next.
        this.state.patch({
          session: null,
          sessions: [],
          inspection: null,
          notice: null,
          announcement: ''
        });
      }
    }
  }

  private complain(text: string, level: Notice['level'] = 'error'): void {
    this.state.patch({ notice: { level, text } });
  }
}

function requestOf(message: unknown): number {
  const request =
    typeof message === 'object' && message !== null
      ? (message as { request?: unknown }).request
      : undefined;
  return typeof request === 'number' ? request : 0;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
