/** The store: sends what a person asks for, applies what the kernel answers. */
import { ANSWERS, Malformed, PROTOCOL_VERSION, readMessage } from '../protocol';
import type { Message, Request, Sessions, Snapshot, State, Update } from '../protocol';
import { announce } from './announce';
import { nextFrame } from './frame';
import type { Schedule } from './frame';
import { enqueue, MOVES, requestFor } from './moves';
import type { Move } from './moves';
import type { Unnumbered } from './pending';
import { Missing } from './missing';
import { Observable } from './observable';
import { Pending } from './pending';
import type { Port } from './port';
import { DoesNotFollow } from './fold';
import { closedAt, followed, fromSnapshot, withState, withUpdate } from './session';
import type { SessionState } from './session';
import { INITIAL_STATE } from './state';
import type { DebuggerState, Notice } from './state';
import type { ViewState } from './view';

/** Their answers bring the view to where the session is. */
const READS: Request['type'][] = ['attach', 'get_snapshot', 'get_state', 'since'];

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
  /** The session that the view is to show next, until it does. */
  private attaching: string | null | undefined;
  private readonly missing = new Missing();

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

  /** The view is gone: the kernel need not keep its session for it. */
  dispose(): void {
    const ends = this.ends.splice(0);
    for (const end of ends) {
      end();
    }
    if (ends.length > 0 && this.state.value.port.state === 'open') {
      try {
        this.port.send({ type: 'detach', request: this.pending.add('detach') });
      } catch {
        // Nobody is there any more who could keep anything.
      }
    }
    this.pending.clear();
  }

  // --- what a person asks for ---

  attach(session: string | null): void {
    this.attaching = session;
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
    this.about(session => requestFor(move, session));
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

  private receive(value: unknown): void {
    let message: Message;
    try {
      message = readMessage(value);
    } catch (error) {
      if (!(error instanceof Malformed)) {
        throw error;
      }
      this.pending.settle(requestOf(value));
      this.misread(error);
      return;
    }
    const request = 'request' in message ? message.request : 0;
    if (request !== 0 && !this.pending.gave(request)) {
      return; // Another display of this widget asked.
    }
    const question = this.pending.settle(request);
    if (answers(message, question)) {
      this.apply(message, question);
    }
    this.catchUp();
    this.nextMove();
    this.inspect();
  }

  private apply(message: Message, question: Request['type'] | undefined): void {
    const { session } = this.state.value;
    const ours = 'session' in message && message.session === session?.session;
    switch (message.type) {
      case 'sessions':
        this.applySessions(message);
        break;
      case 'snapshot':
        this.applySnapshot(message);
        break;
      case 'state':
        if (ours) {
          this.applyState(message);
        }
        break;
      case 'updates':
        if (ours) {
          message.updates.forEach(update => this.applyUpdate(update));
        }
        break;
      case 'updated':
        if (ours) {
          this.applyUpdate(message.update);
        }
        break;
      case 'at_revision':
        this.applyRevision(message.session, message.revision);
        break;
      case 'inspection':
        if (ours && message.node.id < session.graph.nodes.length) {
          this.state.patch({ inspection: message });
        }
        break;
      case 'failed':
        this.applyFailed(message.message, question);
        break;
      case 'done':
        break; // What it changed was told before.
    }
  }

  private applySessions({ sessions, vizgrad_version, protocol_version }: Sessions): void {
    const known = new Set(this.state.value.sessions.map(info => info.session));
    const opened = sessions.some(info => !known.has(info.session));
    this.state.patch({ sessions, kernelVersion: vizgrad_version });
    if (protocol_version > PROTOCOL_VERSION) {
      this.complain(
        `The kernel runs vizgrad ${vizgrad_version}, which is newer than this view. ` +
          'Reinstall vizgrad where Jupyter runs, and reload the page.'
      );
    }
    if (this.options.followNewest && opened) {
      this.attach(null);
    }
  }

  private applySnapshot(snapshot: Snapshot): void {
    const { session, view } = this.state.value;
    const isNew = session?.session !== snapshot.session;
    this.attaching = undefined;
    if (!isNew && snapshot.revision < session.revision) {
      return;
    }
    const next = fromSnapshot(snapshot, session);
    this.missing.restart(next.revision, isNew);
    if (isNew) {
      this.state.patch({
        inspection: null,
        notice: null,
        view: { ...view, selection: null, follow: true, groups: new Map() }
      });
    }
    this.moved(next, isNew);
  }

  private applyState(state: State): void {
    const { session } = this.state.value;
    if (!session || state.revision < session.revision) {
      return;
    }
    if (state.run.nodes.length !== session.graph.nodes.length) {
      this.send({ type: 'get_snapshot', session: session.session });
      return;
    }
    this.missing.caughtUp(state.revision);
    this.moved(withState(session, state));
  }

  /** Folds an update that comes next; of one that comes later it is noted that others are missing. */
  private applyUpdate(update: Update): void {
    const { session } = this.state.value;
    if (!session || update.revision <= session.revision) {
      return;
    }
    if (!this.missing.hears(update, session.revision)) {
      return;
    }
    try {
      this.moved(withUpdate(session, update));
    } catch (error) {
      if (error instanceof Malformed) {
        this.misread(error);
      } else if (!(error instanceof DoesNotFollow)) {
        throw error;
      }
      this.missing.lose();
    }
  }

  /** A message may have got lost: whatever is still open is asked again. */
  private applyRevision(id: string, revision: number): void {
    this.pending.clear();
    this.asked = '';
    if (this.attaching !== undefined) {
      this.attach(this.attaching);
    } else if (id === this.state.value.session?.session) {
      this.missing.hearsOf(revision);
    }
  }

  private applyFailed(text: string, question: Request['type'] | undefined): void {
    const { session } = this.state.value;
    if (question === 'get_state' || question === 'since' || question === 'get_snapshot') {
      this.missing.refuse();
      if (session && this.missing.closed) {
        this.moved(closedAt(session, this.missing.heard)); // A closed one tells no more of a large graph.
        return;
      }
    }
    this.attaching = question === 'attach' ? undefined : this.attaching;
    this.moves = [];
    if (question !== 'inspect' || !session?.closed) {
      this.complain(text);
    }
  }

  /** Asks for what is missing between what is shown and what was heard of. */
  private catchUp(): void {
    const { session } = this.state.value;
    const question = session && this.missing.question(session.revision);
    if (question && !this.pending.has(...READS)) {
      const about = { session: session.session };
      this.send(
        question === 'since'
          ? { type: 'since', ...about, revision: session.revision }
          : { type: 'get_state', ...about }
      );
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
    const worse =
      patience !== state.value.patience && (patience === 'slow' || patience === 'silent');
    if (patience !== state.value.patience || moving !== state.value.moving) {
      state.patch({ patience, moving });
    }
    if (worse) {
      this.knock();
    }
  }

  /** Asks a small thing, in case an answer got lost: the kernel says then if it knows so. */
  private knock(): void {
    const { session } = this.state.value;
    if (session === null || this.pending.has('attach')) {
      this.send({ type: 'list_sessions' });
    } else {
      this.send({ type: 'since', session: session.session, revision: session.revision });
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

  private misread(error: Malformed): void {
    this.complain(
      `The kernel sent a message this view cannot read (${error.message}). ` +
        'The Python package and the extension are probably of different versions: ' +
        'reinstall vizgrad, restart the kernel and reload the page.'
    );
  }

  private complain(text: string, level: Notice['level'] = 'error'): void {
    this.state.patch({ notice: { level, text } });
  }
}

/** Is it what such a question is answered with, or nobody's answer? */
function answers({ type }: Message, question: Request['type'] | undefined): boolean {
  const expected: readonly Message['type'][] = question ? ANSWERS[question] : [type];
  return type === 'failed' || expected.includes(type);
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
