/** One session as the view knows it, and how what the kernel tells changes that. */
import { checkUpdate } from '../protocol';
import type { Graph, Run, SavedRun, Snapshot, Start, State, Update, Visit } from '../protocol';
import { DoesNotFollow, Fold } from './fold';
import { Held } from './held';
import { SavedValues } from './saved';
import { Storages } from './storages';

/** Visits that are kept to be shown while the kernel is asked about their node. */
const VISITS_KEPT = 200;

/** What is told of a run in a few words. */
export type RunHead = Pick<
  Run,
  | 'status'
  | 'position'
  | 'recorded'
  | 'total'
  | 'current'
  | 'breakpoints'
  | 'earliest'
  | 'error'
  | 'modes'
>;

/**
 * A new object after each change. What takes time proportional to the graph to copy (`fold` and what
 * is below it) is one object for all of them, and changed in place: who keeps something computed
 * from it computes it again when `run` is another object.
 */
export interface SessionState {
  readonly session: string;
  readonly revision: number;
  /**
   * The same object for as long as the graph's shape stays: layout depends on this one, so that
   * nothing moves when only values changed.
   */
  readonly graph: Graph;
  readonly start: Start;
  readonly run: RunHead;
  readonly closed: boolean;
  readonly fold: Fold;
  readonly saved: SavedValues;
  readonly storages: Storages;
  readonly held: Held;
  /** `history[i]` is the node of visit `i`, for every visit seen so far, undone ones included. */
  readonly history: (number | undefined)[];
  /** The latest visits seen, by node; those of undone ones are not there. */
  readonly visits: Map<number, Visit>;
}

export function fromSnapshot(snapshot: Snapshot, previous: SessionState | null): SessionState {
  const { session, revision, graph, start, run } = snapshot;
  const before =
    previous?.session === session && sameGraph(previous.graph, graph) ? previous : null;
  return {
    session,
    revision,
    graph: before?.graph ?? graph,
    start,
    run: headOf(run),
    closed: run.status === 'closed',
    ...unfolded(graph, start, run, new Storages(graph.storages), before?.history ?? [])
  };
}

/** The kernel told where the run is, without the records that lead there. */
export function withState(state: SessionState, { revision, run, storages }: State): SessionState {
  state.storages.replace(storages);
  return {
    ...state,
    revision,
    run: headOf(run),
    closed: run.status === 'closed',
    ...unfolded(state.graph, state.start, run, state.storages, state.history)
  };
}

/** Folds the update that follows. Throws, having done nothing, where it does not. */
export function withUpdate(state: SessionState, update: Update): SessionState {
  const { fold, saved, storages } = state;
  checkUpdate(update, state.graph.nodes.length);
  checkFollows(fold, update);
  const back = update.position < update.before;
  for (const record of back ? update.records.toReversed() : update.records) {
    const { visit } = record;
    if (back) {
      fold.unapply(record);
      state.visits.delete(visit.node);
    } else {
      fold.apply(record);
      state.history[visit.index] = visit.node;
      keepVisit(state.visits, visit);
    }
    saved.renew(visit.node);
    state.held.mark(fold.position);
  }
  for (const change of update.changes) {
    storages.apply(change);
    change.saved.forEach(each => saved.tell(each));
    storages.get(change.storage)?.saves.forEach(({ node }) => saved.renew(node));
  }
  return {
    ...state,
    revision: update.revision,
    run: headOf({ ...update, current: fold.current }),
    closed: update.status === 'closed'
  };
}

/** The kernel closed it and let go of its graph: what is shown stays. */
export function closedAt(state: SessionState, revision: number): SessionState {
  return { ...state, revision, closed: true, run: { ...state.run, status: 'closed' } };
}

/** The node whose visit led to the present position; before the first visit, the next one. */
export function followed(state: SessionState): number | null {
  const { position, current } = state.run;
  return position > 0 ? (state.history[position - 1] ?? current) : current;
}

function headOf(run: RunHead): RunHead {
  const { status, position, recorded, total, current, breakpoints, earliest, error, modes } = run;
  return { status, position, recorded, total, current, breakpoints, earliest, error, modes };
}

function checkFollows(fold: Fold, { before, position, jumped, records }: Update): void {
  const first = Math.min(before, position);
  if (
    jumped ||
    before !== fold.position ||
    records.length !== Math.abs(position - before) ||
    records.some(({ visit }, i) => visit.index !== first + i)
  ) {
    throw new DoesNotFollow(`from ${before} to ${position}, at ${fold.position}`);
  }
}

/** Everything that is folded, made from the state that the kernel told as a whole. */
function unfolded(
  graph: Graph,
  start: Start,
  run: Run,
  storages: Storages,
  seen: SessionState['history']
): Pick<SessionState, 'fold' | 'saved' | 'storages' | 'held' | 'history' | 'visits'> {
  const fold = Fold.of(start, run, freedIn(run.saved));
  const held = new Held();
  const saved = new SavedValues(graph, run.saved, fold, storages, held);
  const history = seen.slice(0, run.recorded);
  run.nodes.forEach(({ order }, node) => {
    if (order !== null) {
      history[order] = node;
    }
  });
  markSteps(held, graph, storages, fold, history);
  return { fold, saved, storages, held, history, visits: new Map() };
}

function freedIn(changes: readonly SavedRun[]): (readonly [number, string])[] {
  return changes.flatMap(({ node, name, state }) =>
    state === 'freed' ? [[node, name] as const] : []
  );
}

/**
 * What was held at each step of the past. A visit that is done released what is freed now; one that
 * was undone is taken to release all again.
 */
function markSteps(
  now: Held,
  graph: Graph,
  storages: Storages,
  fold: Fold,
  history: SessionState['history']
): void {
  const past = new Held();
  const values = (node: number, done: boolean, by: 1 | -1): void => {
    const freed = fold.released.get(node) ?? [];
    graph.nodes[node]?.saved.forEach((value, index) => {
      if (value.state !== 'freed' && (!done || freed.includes(value.name))) {
        const bytes = storages.get(value.storage)?.bytes ?? value.bytes;
        past.count(node, index, value, bytes, by);
      }
    });
  };
  graph.nodes.forEach(({ id }) => values(id, false, 1));
  past.mark(0);
  history.forEach((node, index) => {
    if (node !== undefined) {
      values(node, index < fold.position, -1);
    }
    past.mark(index + 1);
  });
  now.steps.push(...past.steps);
  now.peak = past.peak;
  now.mark(fold.position);
}

function keepVisit(visits: Map<number, Visit>, visit: Visit): void {
  visits.set(visit.node, visit);
  if (visits.size > VISITS_KEPT) {
    for (const oldest of visits.keys()) {
      visits.delete(oldest);
      break;
    }
  }
}

function sameGraph(a: Graph, b: Graph): boolean {
  return (
    a.nodes.length === b.nodes.length &&
    a.nodes.every((node, i) => {
      const other = b.nodes[i];
      return (
        node.name === other?.name &&
        node.sequence_nr === other.sequence_nr &&
        node.saved.length === other.saved.length &&
        node.edges.length === other.edges.length &&
        node.edges.every((edge, k) => edge.node === other.edges[k]?.node)
      );
    })
  );
}
