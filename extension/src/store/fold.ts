/**
 * The state of a run, kept by going over its records: forwards with `apply`, backwards with `unapply`.
 *
 * Both take time proportional to what the step did, and change the fold in place. The kernel has the
 * same two, in `inspection/fold.py`; both meet the golden files of `tests/fixtures/folds`.
 */
import { NODE_STATES } from '../protocol';
import type {
  Buffer,
  NodeRun,
  NodeState,
  Ready,
  Run,
  Start,
  StepRecord,
  TensorSummary
} from '../protocol';

const EDGES_PER_NODE = 2 ** 20;

/** One number for edge `edge` of node `node`. */
export function edgeKey(node: number, edge: number): number {
  return node * EDGES_PER_NODE + edge;
}

/** A record that does not follow on what is there: the run has to be read anew. */
export class DoesNotFollow extends Error {}

/** What stays of a node's visit. */
interface Visited {
  readonly state: NodeState;
  readonly order: number;
  readonly norm: number | null;
}

/** A place in the queue: of equal priorities the smaller turn is first. */
interface Turn {
  readonly priority: number | null;
  readonly turn: number;
}

const CODES = Object.fromEntries(NODE_STATES.map((state, code) => [state, code])) as Readonly<
  Record<NodeState, number>
>;

export class Fold {
  position = 0;
  current: number | null;
  /** Gradients that went over edges: norm by `edgeKey`; null: an undefined gradient. */
  readonly flows = new Map<number, number | null>();
  /** Names of saved values that were released, by node. */
  readonly released = new Map<number, readonly string[]>();
  /** Nodes that some gradient has reached, but not all. */
  readonly partial = new Set<number>();
  /** How many nodes are in each state, by its place in `NODE_STATES`. */
  readonly counts: number[];
  private readonly ready = new Map<number, Turn>();
  /** Turns before and behind all in the queue. */
  private before = -1;
  private behind = 0;
  private readonly buffers = new Map<number, Map<number, TensorSummary | null>>();
  private readonly visited = new Map<number, Visited>();
  private readonly delivered = new Map<number, number>();
  private readonly skipped: ReadonlySet<number>;
  private readonly codes: Uint8Array;
  /** What `node` gave: the same object until something of the node changes. */
  private readonly given = new Map<number, NodeRun>();

  constructor(
    private readonly start: Start,
    readonly size: number
  ) {
    this.current = start.current;
    this.enqueue(start.ready);
    for (const { node, input_nr, value } of start.buffers) {
      this.slots(node).set(input_nr, value);
    }
    this.skipped = new Set(start.skipped);
    this.codes = new Uint8Array(size);
    this.counts = NODE_STATES.map(() => 0);
    this.counts[0] = size;
    this.touchAll();
  }

  /** The state that the kernel tells as a whole. */
  static of(start: Start, run: Run, freed: Iterable<readonly [number, string]>): Fold {
    const fold = new Fold(start, run.nodes.length);
    fold.position = run.position;
    fold.current = run.current;
    fold.ready.clear();
    fold.enqueue(run.ready);
    fold.buffers.clear();
    for (const { node, input_nr, value } of run.buffers) {
      fold.slots(node).set(input_nr, value);
    }
    run.nodes.forEach(({ state, order, delivered, grad_norm }, node) => {
      if (delivered > 0) {
        fold.delivered.set(node, delivered);
      }
      if (order !== null) {
        fold.visited.set(node, { state, order, norm: grad_norm });
      }
    });
    for (const { node, edge, norm } of run.edges) {
      fold.flows.set(edgeKey(node, edge), norm);
    }
    for (const [node, name] of freed) {
      fold.released.set(node, [...(fold.released.get(node) ?? []), name]);
    }
    fold.touchAll();
    return fold;
  }

  /** Goes over the record that follows. */
  apply(record: StepRecord): void {
    const { visit, state, arrived, readied, released, current } = record;
    const { node } = visit;
    if (visit.index !== this.position || this.visited.has(node)) {
      throw new DoesNotFollow(`visit ${visit.index} after ${this.position} steps`);
    }
    const was = this.current;
    this.ready.delete(node);
    this.buffers.delete(node);
    this.visited.set(node, { state, order: visit.index, norm: visit.incoming[0]?.norm ?? null });
    for (const { node: target, input_nr, after } of arrived) {
      this.slots(target).set(input_nr, after);
    }
    visit.routed.forEach(({ edge, routed }, index) => {
      if (edge.node !== null) {
        this.delivered.set(edge.node, (this.delivered.get(edge.node) ?? 0) + 1);
        this.flows.set(edgeKey(node, index), routed === null ? null : routed.norm);
      }
    });
    this.enqueue(readied);
    if (released.length > 0) {
      this.released.set(node, released);
    }
    this.current = current;
    this.position++;
    this.touchAround(record, was);
  }

  /** Takes the record that was applied last back. */
  unapply(record: StepRecord): void {
    const { visit, ready, arrived, readied } = record;
    const { node } = visit;
    if (visit.index !== this.position - 1 || this.visited.get(node)?.order !== visit.index) {
      throw new DoesNotFollow(`visit ${visit.index} is not the last of ${this.position}`);
    }
    const was = this.current;
    this.released.delete(node);
    for (const { node: target } of readied) {
      this.ready.delete(target);
    }
    visit.routed.forEach(({ edge }, index) => {
      if (edge.node !== null) {
        this.delivered.set(edge.node, (this.delivered.get(edge.node) ?? 0) - 1);
        this.flows.delete(edgeKey(node, index));
      }
    });
    for (const { node: target, input_nr, before } of arrived.toReversed()) {
      const slots = this.slots(target);
      if (before === null) {
        slots.delete(input_nr);
        if (slots.size === 0) {
          this.buffers.delete(target);
        }
      } else {
        slots.set(input_nr, before);
      }
    }
    this.visited.delete(node);
    visit.incoming.forEach((value, nr) => {
      if (value !== null) {
        this.slots(node).set(nr, value);
      }
    });
    // It was the first of the queue when it was taken out.
    this.ready.set(node, { priority: ready.priority, turn: this.before-- });
    this.current = node;
    this.position--;
    this.touchAround(record, was);
  }

  // --- looking ---

  /** The ready queue, in the order in which it would run. */
  get queue(): readonly Ready[] {
    return [...this.ready]
      .sort(([, a], [, b]) => compare(a, b))
      .map(([node, { priority }]) => ({ node, priority }));
  }

  get readyCount(): number {
    return this.ready.size;
  }

  /** Gradients that have arrived and are not used yet. */
  get waiting(): readonly Buffer[] {
    return [...this.buffers]
      .flatMap(([node, slots]) =>
        [...slots].map(([input_nr, value]) => ({ node, input_nr, value }))
      )
      .sort((a, b) => a.node - b.node || a.input_nr - b.input_nr);
  }

  /** What has arrived at each slot of a node and is not used yet. */
  arrived(node: number, slots: number): readonly (TensorSummary | null)[] {
    const found = this.buffers.get(node);
    return Array.from({ length: slots }, (_, nr) => found?.get(nr) ?? null);
  }

  state(node: number): NodeState {
    return NODE_STATES[this.codes[node] ?? 0] ?? 'waiting';
  }

  count(state: NodeState): number {
    return this.counts[CODES[state]] ?? 0;
  }

  /** Where one node stands. */
  node(number: number): NodeRun {
    let run = this.given.get(number);
    if (!run) {
      const visited = this.visited.get(number);
      const state = this.state(number);
      run = {
        state,
        delivered: this.delivered.get(number) ?? 0,
        needed: this.start.needed[number] ?? 0,
        order: visited?.order ?? null,
        reason: REASONS[state] ?? '',
        grad_norm: visited?.norm ?? null
      };
      this.given.set(number, run);
    }
    return run;
  }

  // --- keeping count ---

  private enqueue(ready: readonly Ready[]): void {
    for (const { node, priority } of ready) {
      this.ready.set(node, { priority, turn: this.behind++ });
    }
  }

  private slots(node: number): Map<number, TensorSummary | null> {
    let slots = this.buffers.get(node);
    if (!slots) {
      slots = new Map();
      this.buffers.set(node, slots);
    }
    return slots;
  }

  private touchAround({ visit, readied }: StepRecord, was: number | null): void {
    this.touch(visit.node);
    for (const { edge } of visit.routed) {
      if (edge.node !== null) {
        this.touch(edge.node);
      }
    }
    for (const { node } of readied) {
      this.touch(node);
    }
    for (const node of [was, this.current]) {
      if (node !== null) {
        this.touch(node);
      }
    }
  }

  private touchAll(): void {
    for (let node = 0; node < this.size; node++) {
      this.touch(node);
    }
  }

  private touch(node: number): void {
    this.given.delete(node);
    const code = CODES[this.stateOf(node)];
    const old = this.codes[node] ?? 0;
    if (code !== old) {
      this.codes[node] = code;
      this.counts[old] = (this.counts[old] ?? 0) - 1;
      this.counts[code] = (this.counts[code] ?? 0) + 1;
    }
    if (code === CODES.waiting && (this.delivered.get(node) ?? 0) > 0) {
      this.partial.add(node);
    } else {
      this.partial.delete(node);
    }
  }

  private stateOf(node: number): NodeState {
    const visited = this.visited.get(node);
    if (visited) {
      return visited.state;
    }
    if (node === this.current) {
      return 'current';
    }
    return this.ready.has(node) ? 'ready' : this.skipped.has(node) ? 'skipped' : 'waiting';
  }
}

/** Why a node is in a state, where that needs saying. */
const REASONS: Partial<Record<NodeState, string>> = {
  captured: 'its gradient was asked for; it is not run itself',
  skipped: 'no asked-for tensor is reachable from it'
};

/** Larger priorities run first, and those without one (leaves) before all. */
function compare(a: Turn, b: Turn): number {
  if (a.priority === b.priority) {
    return a.turn - b.turn;
  }
  if (a.priority === null || b.priority === null) {
    return a.priority === null ? -1 : 1;
  }
  return b.priority - a.priority;
}
