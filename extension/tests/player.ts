/**
 * Plays a session that was recorded (`recordings.ts`) to a view, answering as `widgets/controller.py` does.
 *
 * Nothing of the run is made up: graph, records, states and gradients are those that a kernel told. The
 * player only knows where among the steps it stands. Messages go through JSON, as they do on a comm.
 */
import type {
  Graph,
  Inspection,
  Message,
  Request,
  Run,
  Sessions,
  Snapshot,
  State,
  StorageChange,
  Update
} from '../src/protocol';
import type { Port, PortStatus } from '../src/store';
import type { Recording } from './recordings';

/** More steps than this are not told one by one; the kernel has a larger number. */
const RECORDS_CARRIED = 8;

export class Player implements Port {
  readonly requests: Request[] = [];
  /** Milliseconds until an answer; null: answers only when `flush` is called. */
  delay: number | null = 0;
  /** What comes out of the way to the view for a message; null: it failed, and the kernel knows. */
  transport: (message: Message) => readonly Message[] | null = message => [message];
  position = 0;
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
  ) {}

  get revision(): number {
    return this.updates.length + 1;
  }

  get graph(): Graph {
    return this.recording.snapshot.graph;
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

  // --- what somebody else does ---

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
    const { status, recorded, total, earliest, breakpoints, error, modes } = this.run();
    const update: Update = {
      revision: this.revision + 1,
      status,
      before,
      position,
      recorded,
      total,
      earliest,
      jumped,
      records: jumped ? [] : this.recording.records.slice(...steps),
      changes,
      breakpoints,
      error,
      modes
    };
    this.updates.push(update);
    if (this.attached) {
      this.tell({ type: 'updated', session, update });
    }
  }

  // --- answering ---

  private answer(request: Request): Message {
    const { session, revision } = this;
    const number = request.request;
    switch (request.type) {
      case 'list_sessions':
        return this.sessions(number);
      case 'detach':
        this.attached = false;
        return this.sessions(number);
      case 'attach':
        this.attached = true;
        return this.snapshot(number);
      case 'get_snapshot':
        return this.snapshot(number);
      case 'get_state':
        return this.state(number);
      case 'since': {
        const missed = revision - request.revision;
        return missed >= 0 && missed <= this.updates.length
          ? {
              type: 'updates',
              request: number,
              session,
              updates: this.updates.slice(this.updates.length - missed)
            }
          : this.snapshot(number);
      }
      case 'inspect':
        return this.inspection(number, request.node);
      default:
        return this.move(request)
          ? { type: 'done', request: number, session, revision: this.revision }
          : { type: 'failed', request: number, session, message: 'There is no such node ahead.' };
    }
  }

  /** False where that cannot be. */
  private move(request: Exclude<Request, { node: number; type: 'inspect' }>): boolean {
    const { records } = this.recording;
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
    this.position = Math.min(Math.max(position, 0), this.recording.records.length);
    this.recorded = Math.max(this.recorded, this.position);
    if (this.position !== before) {
      this.publish(before);
    }
  }

  sessions(request: number): Sessions {
    const { session, position } = this;
    const { status, total } = this.run();
    const sessions = [{ session, title: this.graph.title, status, position, total }];
    return { type: 'sessions', request, sessions, vizgrad_version: '0', protocol_version: 2 };
  }

  snapshot(request: number): Snapshot {
    const { session, revision } = this;
    return { ...this.recording.snapshot, request, session, revision, run: this.run() };
  }

  state(request: number): State {
    const { session, revision } = this;
    const { storages } = this.graph;
    return { type: 'state', request, session, revision, run: this.run(), storages };
  }

  run(): Run {
    const run = this.recording.runs.get(this.position) ?? this.recording.snapshot.run;
    const { recorded } = this;
    const breakpoints = [...this.breakpoints].sort((a, b) => a - b);
    const paused = run.position < recorded ? 'paused' : run.status;
    return { ...run, recorded, breakpoints, status: this.closed ? 'closed' : paused };
  }

  private inspection(request: number, node: number): Inspection {
    const { session, revision, recording } = this;
    const run = this.run();
    const order = run.nodes[node]?.order ?? null;
    const [before, after] = [recording.before[node], recording.after[node]];
    const told = order === null ? before : after;
    if (!told) {
      throw new Error(`nothing is recorded of node ${node}`);
    }
    const buffers = told.buffers.map(
      (_, nr) => run.buffers.find(each => each.node === node && each.input_nr === nr)?.value ?? null
    );
    return { ...told, request, session, revision, buffers };
  }
}

/** A graph that nobody steps: what a session told of it would be. */
export function still(graph: Graph): Recording {
  const current = graph.roots[0]?.[0] ?? null;
  const needed = graph.nodes.map(() => 0);
  for (const { edges } of graph.nodes) {
    for (const { node } of edges) {
      if (node !== null) {
        needed[node] = (needed[node] ?? 0) + 1;
      }
    }
  }
  const ready = current === null ? [] : [{ node: current, priority: 1 }];
  const total = graph.nodes.length;
  const modes = {
    grad: true,
    inference: false,
    anomaly: false,
    forward_level: -1,
    multithreading: true
  };
  const run: Run = {
    status: 'paused',
    position: 0,
    recorded: 0,
    total,
    current,
    nodes: graph.nodes.map(({ id }) => ({
      state: id === current ? 'current' : 'waiting',
      delivered: 0,
      needed: needed[id] ?? 0,
      order: null,
      reason: '',
      grad_norm: null
    })),
    ready,
    buffers: [],
    edges: [],
    saved: [],
    breakpoints: [],
    earliest: 0,
    error: '',
    modes
  };
  const start = { total, current, ready, buffers: [], needed, skipped: [] };
  const told = { request: 0, session: 's1', revision: 1 };
  return {
    snapshot: { type: 'snapshot', ...told, graph, start, run },
    records: [],
    runs: new Map([[0, run]]),
    before: graph.nodes.map(node => ({
      type: 'inspection',
      ...told,
      node,
      visit: null,
      buffers: node.outputs.map(() => null),
      grad: null
    })),
    after: []
  };
}

/** Non-finite floats travel as strings. */
function plain(_: string, value: unknown): unknown {
  if (typeof value !== 'number' || Number.isFinite(value)) {
    return value;
  }
  return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
}
