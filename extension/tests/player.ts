/**
 * Plays a session that was recorded (`recordings.ts`) to a view, answering as `debugger/jupyter/widget/controller.py` does.
 *
 * Nothing of the run is made up: drawings, standings, records and gradients are those that a kernel told. The
 * player only knows where among the steps it stands. Messages go through JSON, as they do on a comm.
 */
import type {
  GetPart,
  Inspection,
  Message,
  Part,
  Request,
  Sessions,
  Shown,
  Standing,
  StepRecord,
  StorageChange,
  TensorSummary,
  Update,
  VisitLine,
  Watched,
  Why
} from '../src/protocol';
import type { Port, PortStatus } from '../src/store';
import { namesOf, plainView } from './recordings';
import type { RecordedView, Recording } from './recordings';

/** More steps than this are not told one by one; the kernel has a larger number. */
const RECORDS_CARRIED = 8;

/** There is nothing to explain. */
export const NO_REASON: Why = {
  type: 'why',
  request: 0,
  session: 's1',
  revision: 0,
  node: 0,
  kind: 'healthy',
  tensor: '',
  story: '',
  fix: '',
  mended: '',
  culprit: null,
  lines: [],
  chain: [],
  position: null,
  check: '',
  heading: '',
  when: '',
  at: 0,
  cell: ''
};

export class Player implements Port {
  readonly requests: Request[] = [];
  /** Milliseconds until an answer; null: answers only when `flush` is called. */
  delay: number | null = 0;
  /** What comes out of the way to the view for a message; null: it failed, and the kernel knows. */
  transport: (message: Message) => readonly Message[] | null = message => [message];
  position = 0;
  /** What there is of an array; null: nothing. */
  part: (asked: GetPart) => Part | null = () => null;
  /** Why a node is as it is, whichever is asked about. */
  why: Why = NO_REASON;
  /** Updates that are kept for who missed some. */
  kept = Infinity;
  readonly records: readonly StepRecord[];
  /** The watch list. */
  watched: readonly Watched[] = [];
  private recorded = 0;
  private closed = false;
  private attached = false;
  /** A message was lost on the way. */
  private behind = false;
  private readonly updates: Update[] = [];
  private readonly breakpoints = new Set<number>();
  private readonly listeners = new Set<(message: unknown) => void>();
  private readonly watchers = new Set<(status: PortStatus) => void>();
  private readonly queue: Message[] = [];

  constructor(
    readonly recording: Recording,
    readonly session = 's1'
  ) {
    this.records = recording.updates.flatMap(update => update.records);
  }

  get revision(): number {
    return this.updates.length + 1;
  }

  send(request: Request): void {
    this.requests.push(JSON.parse(JSON.stringify(request)) as Request);
    const told = this.queue.length;
    this.tell(this.answer(request));
    this.catchUp();
    if (this.delay !== null) {
      const messages = this.queue.splice(told);
      setTimeout(() => messages.forEach(message => this.emit(message)), this.delay);
    }
  }

  onMessage(callback: (message: unknown) => void): () => void {
    this.listeners.add(callback);
    return () => this.listeners.delete(callback);
  }

  onStatus(callback: (status: PortStatus) => void): () => void {
    this.watchers.add(callback);
    callback({ state: 'open' });
    return () => this.watchers.delete(callback);
  }

  become(status: PortStatus): void {
    this.watchers.forEach(watcher => watcher(status));
  }

  /** Deliver what was held back. */
  flush(): void {
    for (const message of this.queue.splice(0)) {
      this.emit(message);
    }
  }

  /** Deliver anything at all. */
  emit(message: unknown): void {
    const copy: unknown = JSON.parse(JSON.stringify(message, plain));
    this.listeners.forEach(listener => listener(copy));
  }

  // --- what other views do ---

  /** Another view moves the session, or a cell. */
  moveTo(position: number): void {
    this.go(position);
    this.release();
  }

  /** A cell writes to tensors of the graph. */
  write(...changes: readonly StorageChange[]): void {
    this.publish(this.position, changes);
    this.release();
  }

  /** A cell has run: views that may have missed something are told so. */
  afterCell(): void {
    this.catchUp();
    this.release();
  }

  // --- telling ---

  private release(): void {
    if (this.delay !== null) {
      this.flush();
    }
  }

  private tell(message: Message): void {
    const arriving = this.transport(message);
    this.behind ||= arriving === null;
    this.queue.push(...(arriving ?? []));
  }

  private catchUp(): void {
    if (this.behind && this.attached) {
      this.behind = false;
      this.tell({ type: 'at_revision', session: this.session, revision: this.revision });
    }
  }

  private publish(before: number, changes: readonly StorageChange[] = []): void {
    const { position, session } = this;
    const jumped = Math.abs(position - before) > RECORDS_CARRIED;
    const steps = [Math.min(before, position), Math.max(before, position)] as const;
    const { status, recorded, total, earliest, breakpoints, error } = this.head();
    const { modes, stopped, nonfinite } = this.head();
    const update: Update = {
      revision: this.revision + 1,
      status,
      before,
      position,
      recorded,
      total,
      earliest,
      jumped,
      records: jumped ? [] : this.records.slice(...steps),
      changes,
      breakpoints,
      error,
      modes,
      stopped,
      nonfinite,
      breakpoint_list: null,
      logged: 0,
      within: null,
      names: jumped ? [] : this.recording.updates.slice(...steps).flatMap(({ names }) => names),
      ending: this.closed ? 'it was stopped' : ''
    };
    this.updates.push(update);
    if (this.attached) {
      this.tell({ type: 'updated', session, update });
    }
  }

  /** The length of an expression is its value; one that ends in an operator is refused. */
  private watch(request: Extract<Request, { type: `${string}_watch` }>): boolean {
    if (request.type === 'remove_watch') {
      this.watched = this.watched.filter(({ id }) => id !== request.watch);
    } else {
      const { expression } = request;
      if (expression.endsWith('+')) {
        return false;
      }
      const id = request.type === 'edit_watch' ? request.watch : this.watched.length + 1;
      const entry: Watched = {
        id,
        expression,
        text: String(expression.length),
        summary: null,
        error: ''
      };
      this.watched = [...this.watched.filter(each => each.id !== id), entry];
    }
    this.publish(this.position);
    return true;
  }

  // --- answering ---

  private answer(request: Request): Message {
    const { session, revision } = this;
    const about = { request: request.request, session };
    const names = namesOf(this.recording);
    const called = (nodes: Iterable<number>) =>
      [...new Set(nodes)].flatMap(node => names.get(node) ?? []);
    switch (request.type) {
      case 'list_sessions':
        return this.sessions(request.request);
      case 'detach':
        this.attached = false;
        return this.sessions(request.request);
      case 'attach':
        this.attached = true;
        return this.shown(request.request, this.viewOf(request.folding));
      case 'look':
        return this.shown(request.request, this.viewOf(request.folding), request.digest);
      case 'since': {
        const missed = revision - request.revision;
        return missed >= 0 && missed <= Math.min(this.updates.length, this.kept)
          ? { type: 'updates', ...about, updates: this.updates.slice(request.revision - 1) }
          : { type: 'behind', ...about, revision };
      }
      case 'inspect':
        return this.inspection(request.request, request.node);
      case 'get_part': {
        const part = this.part(request);
        const gone = part ? '' : 'it is not kept any more';
        return { type: 'array_part', ...about, revision, of: request.of, part, gone };
      }
      case 'get_why':
        return { ...this.why, ...about, revision, node: request.node };
      case 'get_names':
        return { type: 'names', ...about, names: called(request.nodes) };
      case 'get_visits': {
        const visits = this.visits().slice(request.first, request.first + request.count);
        return { type: 'visits', ...about, visits, names: called(visits.map(({ node }) => node)) };
      }
      case 'get_memory': {
        const memory = this.recording.memory.get(this.position);
        return memory
          ? { ...memory, ...about, revision }
          : { type: 'failed', ...about, message: 'Nothing is recorded of it here.', closed: false };
      }
      case 'get_watches':
        return { type: 'watches', ...about, revision, watched: this.watched };
      case 'add_watch':
      case 'edit_watch':
      case 'remove_watch':
        return this.watch(request)
          ? { type: 'done', ...about, revision: this.revision }
          : { type: 'failed', ...about, message: 'This is no expression.', closed: false };
      case 'get_storages':
        return { ...this.recording.storages, ...about, revision };
      case 'find': {
        const found = [...names.values()].filter(({ name, label }) =>
          `${name} ${label}`.toLowerCase().includes(request.query.toLowerCase())
        );
        return {
          type: 'found',
          ...about,
          total: found.length,
          names: found.sort((a, b) => a.node - b.node)
        };
      }
      default:
        return this.move(request)
          ? { type: 'done', ...about, revision: this.revision }
          : { type: 'failed', ...about, message: 'There is no such node ahead.', closed: false };
    }
  }

  /** False where that cannot be. */
  private move(request: Request): boolean {
    const { records } = this;
    if (this.closed) {
      return false;
    }
    switch (request.type) {
      case 'step':
        this.go(this.position + request.count);
        return true;
      case 'step_back':
        this.go(this.position - request.count);
        return true;
      case 'seek':
        this.go(request.position);
        return true;
      case 'restart':
        this.go(0);
        return true;
      case 'run_to': {
        const place = records.findIndex(({ visit }) => visit.node === request.node);
        if (place >= 0) {
          this.go(place);
        }
        return place >= 0;
      }
      case 'continue': {
        const stop = records.findIndex(
          ({ visit }, i) => i > this.position && this.breakpoints.has(visit.node)
        );
        this.go(stop < 0 ? records.length : stop);
        return true;
      }
      case 'set_breakpoint':
        this.breakpoints[request.enabled ? 'add' : 'delete'](request.node);
        this.publish(this.position);
        return true;
      case 'stop':
        this.closed = true;
        this.publish(this.position);
        return true;
      default:
        return false;
    }
  }

  private go(position: number): void {
    const before = this.position;
    this.position = Math.min(Math.max(position, 0), this.records.length);
    this.recorded = Math.max(this.recorded, this.position);
    if (this.position !== before) {
      this.publish(before);
    }
  }

  sessions(request: number): Sessions {
    const { session, position } = this;
    const { status, total } = this.head();
    const { title, cell } = plainView(this.recording).shown;
    const sessions = [{ session, title, cell, status, position, total }];
    return { type: 'sessions', request, sessions, vizgrad_version: '0', protocol_version: 3 };
  }

  /** What a view is shown; the drawing is left out if it has it. */
  shown(request: number, view = plainView(this.recording), digest = ''): Shown {
    const { session, revision } = this;
    const drawing = view.drawing.digest === digest ? null : view.drawing;
    const standing = this.standing(view);
    return { ...view.shown, request, session, revision, drawing, standing };
  }

  standing({ standings }: RecordedView = plainView(this.recording)): Standing {
    const standing = standings.get(this.position);
    if (!standing) {
      throw new Error(`nothing is recorded of position ${this.position}`);
    }
    const { status, recorded, breakpoints } = this.head();
    const ending = this.closed ? 'it was stopped' : '';
    return { ...standing, status, recorded, breakpoints, ending };
  }

  /** What is told of the run wherever it is. */
  private head(): Head {
    const { position, recorded } = this;
    const { updates } = this.recording;
    const told: Head = updates[position - 1] ?? plainView(this.recording).shown.standing;
    const breakpoints = [...this.breakpoints].sort((a, b) => a - b);
    const status = position < recorded ? 'paused' : told.status;
    return { ...told, recorded, breakpoints, status: this.closed ? 'closed' : status };
  }

  /** As a view was folded when it was recorded; another folding shows the plain one. */
  private viewOf(folding: unknown): RecordedView {
    const { views } = this.recording;
    const wanted = JSON.stringify(folding);
    return views.find(view => JSON.stringify(view.folding) === wanted) ?? plainView(this.recording);
  }

  private visits(): readonly VisitLine[] {
    return this.records.slice(0, this.recorded).map(({ visit: { index, node, incoming } }) => ({
      index,
      node,
      norm: index < this.position ? (incoming[0]?.norm ?? null) : null
    }));
  }

  private inspection(request: number, node: number): Inspection {
    const { session, revision, recording } = this;
    const isDone = this.records.slice(0, this.position).some(({ visit }) => visit.node === node);
    const told = (isDone ? recording.after : recording.before)[node];
    if (!told) {
      throw new Error(`nothing is recorded of node ${node}`);
    }
    const buffers = told.buffers.map((_, nr) => this.waitingAt(node, nr));
    return { ...told, request, session, revision, buffers };
  }

  /** What has arrived at a slot and is not used yet. */
  private waitingAt(node: number, slot: number): TensorSummary | null {
    const { buffers } = plainView(this.recording).shown.standing;
    let value = buffers.find(each => each.node === node && each.input_nr === slot)?.value ?? null;
    for (const { visit, arrived } of this.records.slice(0, this.position)) {
      value = visit.node === node ? null : value;
      for (const { node: target, input_nr, after } of arrived) {
        value = target === node && input_nr === slot ? after : value;
      }
    }
    return value;
  }
}

type Head = Pick<
  Standing,
  | 'status'
  | 'recorded'
  | 'total'
  | 'earliest'
  | 'error'
  | 'modes'
  | 'breakpoints'
  | 'stopped'
  | 'nonfinite'
>;

/** Non-finite floats travel as strings. */
function plain(_: string, value: unknown): unknown {
  if (typeof value !== 'number' || Number.isFinite(value)) {
    return value;
  }
  return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
}
