/**
 * The state of a run, as far as a view needs it: what the kernel told of it at one moment, kept by going over
 * the records that follow, forwards with `apply`, backwards with `unapply`.
 *
 * Both take time proportional to what the step did, and change the fold in place. A view does not have the
 * whole graph: of a node that is not drawn it is known what the queue, the buffers and the records since say.
 */
import { NODE_STATES } from '../protocol';
import type {
  Buffer,
  Drawing,
  NodeRun,
  NodeState,
  Reached,
  Ready,
  Standing,
  StepRecord,
  Tally,
  TensorSummary,
  Visit
} from '../protocol';
import { Buffers } from './buffers';
import { Flows, sizesOf } from './flows';
import type { Names } from './names';
import { Places } from './places';
import { Queue } from './queue';
import { Tallying } from './tallying';

/** A record that does not follow on what is there: the run has to be looked at anew. */
export class DoesNotFollow extends Error {}

/** What stays of a node's visit. */
interface Visited {
  readonly state: NodeState;
  readonly order: number;
  readonly norm: number | null;
  readonly tangents: readonly (number | null)[];
}

export class Fold {
  position: number;
  current: number | null;
  /** How many nodes of the graph are in each state, by its place in `NODE_STATES`. */
  private readonly counts: number[];
  private readonly ready: Queue;
  private readonly buffers: Buffers;
  private readonly visited = new Map<number, Visited>();
  private readonly delivered = new Map<number, number>();
  private readonly needed = new Map<number, number>();
  /** Nodes that some gradient has reached, but not all. */
  private readonly partial = new Set<number>();
  /** Of those that are drawn. */
  private readonly skipped = new Set<number>();
  private readonly drawn = new Set<number>();
  /** Those whose state some record changed. */
  private readonly met = new Set<number>();
  private readonly flows = new Flows();
  private readonly places: Places;
  private readonly boxes: readonly (Tallying | null)[];
  private readonly frames: readonly Tallying[];
  /** What `node` gave: the same object until something of the node changes. */
  private readonly given = new Map<number, NodeRun>();

  /** Where the kernel says that the run stands; `names` tells of nodes that are not drawn. */
  constructor(
    drawing: Drawing,
    standing: Standing,
    private readonly names: Names
  ) {
    this.places = new Places(drawing);
    this.position = standing.position;
    this.current = standing.current;
    this.counts = [...standing.counts];
    this.ready = new Queue(standing.ready);
    this.buffers = new Buffers(standing.buffers);
    for (const { node, delivered, needed } of standing.reached) {
      this.delivered.set(node, delivered);
      this.needed.set(node, needed);
      this.partial.add(node);
    }
    standing.nodes.forEach((run, index) => {
      const node = drawing.nodes[index]?.id;
      if (node !== undefined) {
        this.learn(node, run);
      }
    });
    for (const { line, node, norm, tangents } of standing.flows) {
      this.flows.add(line, node, norm, tangents);
    }
    this.boxes = drawing.boxes.map(({ first, last }, place) => {
      const tally = standing.boxes[place];
      return tally ? new Tallying(tally, first, last) : null;
    });
    const groups = new Map(drawing.groups.map(group => [group.id, group]));
    this.frames = drawing.frames.map(({ group }, place) => {
      const { first = 0, last = 0 } = groups.get(group) ?? {};
      return new Tallying(standing.frames[place] as Tally, first, last);
    });
  }

  /** A node that is drawn. */
  private learn(node: number, run: NodeRun): void {
    const { state, order, delivered, needed, grad_norm, tangents } = run;
    this.drawn.add(node);
    this.given.set(node, run);
    this.delivered.set(node, delivered);
    this.needed.set(node, needed);
    if (order !== null) {
      this.visited.set(node, { state, order, norm: grad_norm, tangents });
    } else if (state === 'skipped') {
      this.skipped.add(node);
    }
  }

  // --- going over records ---

  /** Goes over the record that follows. */
  apply(record: StepRecord): void {
    const { visit, state, arrived, readied, current } = record;
    const { node } = visit;
    if (visit.index !== this.position || this.visited.has(node)) {
      throw new DoesNotFollow(`visit ${visit.index} after ${this.position} steps`);
    }
    const before = this.statesAround(record);
    const norm = normOf(visit);
    this.ready.take(node);
    this.buffers.clear(node);
    const tangents = sizesOf(visit.incoming[0]);
    this.visited.set(node, { state, order: visit.index, norm, tangents });
    for (const { node: target, input_nr, after } of arrived) {
      this.buffers.put(target, input_nr, after);
    }
    for (const { edge, routed, index } of visit.routed) {
      if (edge.node !== null) {
        this.deliver(edge.node, (this.delivered.get(edge.node) ?? 0) + 1);
        const line = this.places.line(node, index, edge.node);
        if (line !== undefined) {
          this.flows.add(line, node, routed?.norm ?? null, sizesOf(routed));
        }
      }
    }
    this.ready.put(readied);
    this.current = current;
    this.position++;
    this.turn(before, visit);
    this.tallies(node).forEach(tally => tally.visit(node, norm));
  }

  /** Takes the record that was applied last back. */
  unapply(record: StepRecord): void {
    const { visit, state, ready, arrived, readied } = record;
    const { node } = visit;
    const known = this.visited.get(node);
    if (visit.index !== this.position - 1 || (known && known.order !== visit.index)) {
      throw new DoesNotFollow(`visit ${visit.index} is not the last of ${this.position}`);
    }
    const norm = normOf(visit);
    // It may have been run before the view came.
    const tangents = sizesOf(visit.incoming[0]);
    this.visited.set(node, { state, order: visit.index, norm, tangents });
    const before = this.statesAround(record);
    for (const { node: target } of readied) {
      this.ready.take(target);
      this.complete(target);
    }
    for (const { edge, index } of visit.routed) {
      if (edge.node !== null) {
        this.deliver(edge.node, (this.delivered.get(edge.node) ?? 0) - 1);
        const line = this.places.line(node, index, edge.node);
        if (line !== undefined) {
          this.flows.takeBack(line, node);
        }
      }
    }
    for (const { node: target, input_nr, before: value } of arrived.toReversed()) {
      this.buffers.restore(target, input_nr, value);
    }
    this.visited.delete(node);
    visit.incoming.forEach((value, nr) => {
      if (value !== null) {
        this.buffers.put(node, nr, value);
      }
    });
    this.ready.putFirst(ready);
    this.current = node;
    this.position--;
    this.turn(before, visit);
    this.tallies(node).forEach(tally => tally.unvisit(node, norm));
  }

  /** So many saved tensors more of `node` are stale, or fewer. */
  turnStale(node: number, by: number): void {
    this.tallies(node).forEach(tally => tally.stale(by));
  }

  // --- looking ---

  /** The ready queue, in the order in which it would run. */
  get queue(): readonly Ready[] {
    return this.ready.list;
  }

  get readyCount(): number {
    return this.ready.size;
  }

  /** Gradients that have arrived and are not used yet. */
  get waiting(): readonly Buffer[] {
    return this.buffers.list;
  }

  /** Nodes that some gradients have reached, but not all. */
  get reached(): readonly Reached[] {
    return [...this.partial]
      .sort((a, b) => a - b)
      .map(node => {
        const { delivered, needed } = this.node(node);
        return { node, delivered, needed };
      });
  }

  /** What has arrived at each slot of a node and is not used yet. */
  arrived(node: number, slots: number): readonly (TensorSummary | null)[] {
    return this.buffers.at(node, slots);
  }

  /** How many nodes of the whole graph are in this state. */
  count(state: NodeState): number {
    return this.counts[NODE_STATES.indexOf(state)] ?? 0;
  }

  /** The line that edge number `edge` of `node`, to `target`, is part of; undefined if it is not drawn. */
  line(node: number, edge: number, target: number): number | undefined {
    return this.places.line(node, edge, target);
  }

  /** Has this node a place of its own in the drawing? */
  draws(node: number): boolean {
    return this.drawn.has(node);
  }

  /** Is it known how this node stands? Of one that is not drawn it may not be. */
  knows(node: number): boolean {
    return (
      this.drawn.has(node) ||
      this.met.has(node) ||
      this.partial.has(node) ||
      this.ready.has(node) ||
      node === this.current
    );
  }

  state(node: number): NodeState {
    const visited = this.visited.get(node);
    if (visited) {
      return visited.state;
    }
    if (node === this.current) {
      return 'current';
    }
    return this.ready.has(node) ? 'ready' : this.skipped.has(node) ? 'skipped' : 'waiting';
  }

  /** Where one node stands. */
  node(node: number): NodeRun {
    let run = this.given.get(node);
    if (!run) {
      const visited = this.visited.get(node);
      const state = this.state(node);
      const needed = this.neededBy(node);
      // Who is not drawn and has all it needs was not counted.
      const least = state === 'waiting' || state === 'skipped' ? 0 : needed;
      run = {
        state,
        delivered: this.delivered.get(node) ?? least,
        needed,
        order: visited?.order ?? null,
        reason: REASONS[state] ?? '',
        grad_norm: visited?.norm ?? null,
        tangents: visited?.tangents ?? []
      };
      this.given.set(node, run);
    }
    return run;
  }

  /** How the nodes behind box number `box` of the drawing are doing; null: it is of one node. */
  tally(box: number): Tally | null {
    return this.boxes[box]?.tally ?? null;
  }

  /** How the nodes in frame number `frame` of the drawing are doing. */
  frame(frame: number): Tally {
    return (this.frames[frame] as Tallying).tally;
  }

  /**
   * The norm of the largest that went over line number `line`; null: all was undefined; undefined: nothing went yet.
   */
  flow(line: number): number | null | undefined {
    return this.flows.largest(line);
  }

  /** The norms of its tangents, in forward mode. */
  flowTangents(line: number): readonly (number | null)[] {
    return this.flows.tangents(line);
  }

  // --- keeping count ---

  private neededBy(node: number): number {
    return this.needed.get(node) ?? this.names.peek(node)?.needed ?? 0;
  }

  /** All gradients had arrived, or it would not have been ready; of who is not drawn they were not counted. */
  private complete(node: number): void {
    if (!this.delivered.has(node)) {
      this.delivered.set(node, this.neededBy(node));
    }
  }

  private deliver(node: number, delivered: number): void {
    this.delivered.set(node, Math.max(delivered, 0));
    this.given.delete(node);
  }

  /** The states of the nodes that going over the record may change. */
  private statesAround({ visit, readied, current }: StepRecord): Map<number, NodeState> {
    const states = new Map<number, NodeState>();
    for (const node of [visit.node, this.current, current, ...readied.map(each => each.node)]) {
      if (node !== null) {
        states.set(node, this.state(node));
      }
    }
    return states;
  }

  /** Counts those whose state is another one than before. */
  private turn(before: ReadonlyMap<number, NodeState>, { routed }: Visit): void {
    for (const [node, from] of before) {
      const to = this.state(node);
      this.given.delete(node);
      this.met.add(node);
      if (from !== to) {
        this.recount(from, -1);
        this.recount(to, 1);
        this.tallies(node).forEach(tally => tally.turn(from, to));
      }
      this.renewPartial(node);
    }
    for (const { edge } of routed) {
      if (edge.node !== null) {
        this.renewPartial(edge.node);
      }
    }
  }

  private recount(state: NodeState, by: 1 | -1): void {
    const code = NODE_STATES.indexOf(state);
    this.counts[code] = (this.counts[code] ?? 0) + by;
  }

  private renewPartial(node: number): void {
    if (this.state(node) === 'waiting' && (this.delivered.get(node) ?? 0) > 0) {
      this.partial.add(node);
    } else {
      this.partial.delete(node);
    }
  }

  /** Of the box that a node is behind, and of the frames that it is in. */
  private tallies(node: number): readonly Tallying[] {
    const behind = this.places.behind(node);
    const box = behind === undefined ? null : this.boxes[behind];
    const frames = this.places.inside(node).map(place => this.frames[place] as Tallying);
    return box ? [box, ...frames] : frames;
  }
}

function normOf({ incoming }: Visit): number | null {
  return incoming[0]?.norm ?? null;
}

/** Why a node is in a state, where that needs saying. */
const REASONS: Partial<Record<NodeState, string>> = {
  captured: 'its gradient was asked for; it is not run itself',
  skipped: 'no asked-for tensor is reachable from it'
};
