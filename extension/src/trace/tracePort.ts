/**
 * A port with no kernel behind it: what a view asks is answered from the file of a trace.
 *
 * Steps are the records. It opens where the run stood when the trace was saved; a run that had finished, or a recording,
 * opens at its start. Drawings are those that were made when the trace was saved: where a person opens what none of them
 * has open, the one that comes nearest is shown.
 */
import type {
  Folding,
  MadeKind,
  Message,
  Request,
  Shown,
  Standing,
  StepRecord,
  Stopped,
  Update
} from '../protocol';
import { NODE_STATES, PROTOCOL_VERSION } from '../protocol';
import type { Port } from '../store';
import type { Drawn, TraceFile } from './file';
import { TraceLook } from './look';
import { looked } from './looked';
import { Visiting } from './inside';
import { TraceStops } from './stops';

const SESSION = 'trace';

export class TracePort implements Port {
  private readonly listeners = new Set<(message: unknown) => void>();
  private readonly asked: Request[] = [];
  private position = 0;
  private revision = 1;
  private readonly stops: TraceStops;
  private stopped: Stopped | null = null;
  private readonly look: TraceLook;
  /** The visit that is gone through, and where it was when that began by going back. */
  private visiting: Visiting | null = null;
  private before: number | null = null;

  /** `name` is that of the file. */
  constructor(
    private readonly file: TraceFile,
    private readonly name = ''
  ) {
    this.look = new TraceLook(file);
    this.stops = new TraceStops(file);
    const last = file.trace.start ? file.records.at(-1) : undefined;
    if (last && (last.current !== null || last.visit.error !== '')) {
      this.position = file.records.length;
      this.stopped = this.stops.at(this.position);
    }
  }

  onMessage(callback: (message: unknown) => void): () => void {
    this.listeners.add(callback);
    return () => this.listeners.delete(callback);
  }

  /** Answers soon, and one after another, as a kernel does. */
  send(request: Request): void {
    this.asked.push(request);
    if (this.asked.length === 1) {
      queueMicrotask(() => this.work());
    }
  }

  private work(): void {
    for (let request = this.asked[0]; request; request = this.asked[0]) {
      try {
        this.answer(request);
      } finally {
        this.asked.shift();
      }
    }
  }

  private tell(message: Message): void {
    this.listeners.forEach(listener => listener(message));
  }

  // --- answering ---

  private answer(request: Request): void {
    const about = { request: request.request, session: SESSION };
    const { revision, position } = this;
    const within = this.visiting?.within?.node ?? null;
    const told = looked(request, this.look, this.file, { revision, position, within });
    if (told) {
      this.tell({ ...told, ...about });
      return;
    }
    switch (request.type) {
      case 'list_sessions':
      case 'detach':
        this.tell(this.sessions(request.request));
        return;
      case 'attach':
        this.show(request.request, request.folding, '');
        return;
      case 'look':
        this.show(request.request, request.folding, request.digest);
        return;
      case 'since':
        this.tell({ type: 'behind', ...about, revision: this.revision });
        return;
      default: {
        const problem = this.move(request);
        this.tell(
          problem === null
            ? { type: 'done', ...about, revision: this.revision }
            : { type: 'failed', ...about, message: problem, closed: false }
        );
      }
    }
  }

  private sessions(request: number): Message {
    const { position } = this;
    const { title } = this.file.trace;
    const { total } = this.file.start;
    const info = { session: SESSION, title, cell: this.name, status: this.status, position, total };
    return {
      type: 'sessions',
      request,
      sessions: [info],
      vizgrad_version: this.file.manifest.vizgrad,
      protocol_version: PROTOCOL_VERSION
    };
  }

  /**
   * First the start, then all steps up to here: a view folds them as it folds any. Until it has done so nothing comes
   * next: what goes along with the run would go back to the start, and ask for what is drawn there.
   */
  private show(request: number, folding: Folding, digest: string): void {
    const { drawing, standing } = this.nearest(folding);
    const { trace, view } = this.file;
    const { position } = this;
    this.position = 0;
    this.revision += 1;
    const shown: Shown = {
      type: 'shown',
      request,
      session: SESSION,
      revision: this.revision,
      title: trace.title,
      cell: this.name,
      nodes: trace.graph.nodes.length,
      leaves: view.leaves,
      truncated: trace.graph.truncated,
      drawing: drawing.digest === digest ? null : drawing,
      standing: {
        ...(position > 0 ? withoutNext(standing) : standing),
        ...this.head(),
        storages: trace.graph.storages,
        branches: this.look.branches(position)
      }
    };
    this.position = position;
    this.tell(shown);
    if (position > 0) {
      this.publish(0);
    }
  }

  /** The drawing that has open what is to be, and closed what is to be, as far as there is one. */
  private nearest({ opened, closed, near }: Folding): Drawn {
    const [first, ...others] = this.file.drawings;
    const wrong = ({ drawing, opened: open }: Drawn): number => {
      const hidden = near !== null && !drawing.nodes.some(({ id }) => id === near);
      const missing = opened.filter(group => !open.has(group)).length;
      return 10 * (missing + closed.filter(group => open.has(group)).length) + (hidden ? 15 : 0);
    };
    let best = first;
    for (const other of others) {
      best = wrong(other) < wrong(best) ? other : best;
    }
    return best;
  }

  // --- moving ---

  private get status(): Standing['status'] {
    const last = this.file.records.at(-1);
    if (this.position < this.file.records.length || last?.current !== null) {
      return 'paused';
    }
    return last.visit.error ? 'failed' : 'finished';
  }

  /** What is told of the run wherever it is. */
  private head(): Head {
    const { records, start, drawings } = this.file;
    const { position, status, stopped } = this;
    return {
      status,
      position,
      recorded: records.length,
      total: start.total,
      earliest: 0,
      error: status === 'failed' ? (records.at(-1)?.visit.error ?? '') : '',
      modes: drawings[0].standing.modes,
      breakpoints: this.stops.nodes,
      breakpoint_list: this.stops.listed,
      stopped,
      nonfinite: this.stops.nonfinite,
      within: this.visiting?.within ?? null,
      grows: this.hasMade('recorded'),
      recomputes: this.hasMade('recomputed'),
      one_way: false,
      can_change: false
    };
  }

  /** Does the lane beside the graph hold such things? */
  private hasMade(kind: MadeKind): boolean {
    return this.file.view.lanes.some(
      ({ node, made }) => node === null && made.some(one => one.kind === kind)
    );
  }

  /** Null, or why it cannot be. */
  private move(request: Request): string | null {
    const { position } = this;
    const { records } = this.file;
    switch (request.type) {
      case 'step':
        return this.go(position + request.count);
      case 'step_back':
        return this.go(position - request.count);
      case 'seek':
        return this.go(request.position);
      case 'restart':
        return this.go(0);
      case 'run_to': {
        const place = this.look.orders.get(request.node);
        return place === undefined ? 'this node was not run in this trace' : this.go(place);
      }
      case 'stage':
        for (let left = Math.abs(request.count); left > 0; left -= 1) {
          this.stage(request.count > 0 ? 1 : -1, false);
        }
        return null;
      case 'step_in':
        this.stage(1, true);
        return null;
      case 'step_out':
        this.toMark(this.visiting?.behindCode() ?? 0);
        return null;
      case 'run_to_leaf': {
        const { nodes } = this.file.trace.graph;
        const isLeaf = ({ current }: StepRecord): boolean =>
          current !== null && nodes[current]?.kind === 'leaf';
        const next = records.findIndex((record, index) => index >= position && isLeaf(record));
        return this.go(next < 0 ? records.length : next + 1);
      }
      case 'continue': {
        let next = position + 1;
        while (next < records.length && this.stops.at(next) === null) {
          next += 1;
        }
        return this.go(next, this.stops.at(next));
      }
      case 'set_breakpoint':
      case 'enable_breakpoint':
      case 'remove_breakpoint':
      case 'set_nonfinite':
        this.stops.set(request);
        this.publish(position);
        return null;
      case 'pause':
        return null;
      default:
        return 'a trace has no kernel that could do this';
    }
  }

  /** On or back within the node that comes next, or back into the one before. */
  private stage(way: 1 | -1, fine: boolean): void {
    const { records } = this.file;
    if (!this.visiting) {
      const record = records[way > 0 ? this.position : this.position - 1];
      if (!record) {
        this.go(this.position + (way > 0 ? 1 : 0)); // At an end: it is said where the trace is.
        return;
      }
      this.visiting = new Visiting(record);
      if (way < 0) {
        this.visiting.at = this.visiting.last;
        this.before = this.position;
        this.position -= 1;
      }
    }
    this.toMark(this.visiting.beside(way, fine));
  }

  private toMark(mark: number): void {
    const { visiting } = this;
    const before = this.before ?? this.position;
    this.before = null;
    if (!visiting) {
      return;
    }
    if (mark >= visiting.last) {
      this.position += 1;
    }
    visiting.at = mark;
    if (mark <= 0 || mark >= visiting.last) {
      this.visiting = null;
    }
    this.stopped = null;
    this.publish(before);
  }

  private go(position: number, stopped: Stopped | null = null): null {
    const { records, start } = this.file;
    const before = this.position;
    const was = this.stopped;
    const inside = this.visiting;
    this.visiting = null;
    this.position = Math.min(Math.max(position, 0), records.length);
    this.stopped = stopped;
    if (position > records.length && this.status === 'paused') {
      const text = `The trace ends here: it was saved when ${records.length} of ${start.total} nodes were done`;
      const { position: at } = this;
      this.stopped = {
        kind: 'pause',
        text,
        position: at,
        node: null,
        place: null,
        birth: null,
        breakpoint: null
      };
    }
    if (this.position !== before || this.stopped !== was || inside) {
      this.publish(before);
    }
    return null;
  }

  private publish(before: number): void {
    const { position } = this;
    this.revision += 1;
    const records = this.file.records.slice(Math.min(before, position), Math.max(before, position));
    const around = records.flatMap(({ visit, current }) => [
      visit.node,
      ...visit.routed.flatMap(({ edge }) => edge.node ?? []),
      ...(current === null ? [] : [current])
    ]);
    const update: Update = {
      ...this.head(),
      revision: this.revision,
      before,
      jumped: false,
      records,
      changes: [],
      names: this.look.names(around),
      ending: '',
      logged: 0
    };
    this.tell({ type: 'updated', session: SESSION, update });
  }
}

/** The start, where no node runs next: the one that does waits as others do. */
function withoutNext(standing: Standing): Standing {
  const { current, ready } = standing;
  if (current === null) {
    return standing;
  }
  const counts = [...standing.counts];
  const [from, to] = [NODE_STATES.indexOf('current'), NODE_STATES.indexOf('waiting')];
  counts[from] = (counts[from] ?? 0) - 1;
  counts[to] = (counts[to] ?? 0) + 1;
  return {
    ...standing,
    current: null,
    ready: ready.filter(({ node }) => node !== current),
    counts
  };
}

type Head = Pick<
  Standing,
  | 'status'
  | 'position'
  | 'recorded'
  | 'total'
  | 'earliest'
  | 'error'
  | 'modes'
  | 'breakpoints'
  | 'breakpoint_list'
  | 'stopped'
  | 'nonfinite'
  | 'within'
  | 'grows'
  | 'recomputes'
  | 'one_way'
  | 'can_change'
>;
