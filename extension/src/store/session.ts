/** One session as the view knows it, and how what the kernel tells changes that. */
import {
  checkDrawing,
  checkNodes,
  checkStanding,
  checkStorages,
  checkUpdate,
  Malformed
} from '../protocol';
import type { Compared } from './compared';
import type {
  Drawing,
  Folding,
  Inspection,
  Lane,
  LogLines,
  Memory,
  Name,
  Node,
  Run,
  Shown,
  Standing,
  StepRecord,
  Storage,
  Update,
  Visit,
  VisitLine,
  Watches
} from '../protocol';
import { DoesNotFollow, Fold } from './fold';
import { History } from './history';
import { Names } from './names';
import { SavedValues } from './saved';
import { Storages } from './storages';

/** Visits, and nodes that are not drawn, that are kept to be shown while the kernel is asked about them. */
const KEPT = 200;

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
  | 'stopped'
> &
  Pick<
    Standing,
    | 'nonfinite'
    | 'ending'
    | 'breakpoint_list'
    | 'logged'
    | 'branches'
    | 'within'
    | 'grows'
    | 'recomputes'
    | 'one_way'
    | 'can_change'
  >;

/** What was found for `query`: the first of `total` nodes. */
export interface Finding {
  readonly query: string;
  readonly total: number;
  readonly names: readonly Name[];
}

/**
 * A new object after each change. `fold`, `saved`, `storages`, `names`, `history` and `visits` are one object
 * for many of them, and changed in place: who keeps something computed from them computes it again when `run`
 * is another object.
 */
export interface SessionState {
  readonly session: string;
  readonly revision: number;
  readonly title: string;
  /** The cell that opened it, `In [7]`; empty: none. */
  readonly cell: string;
  /** How many nodes the graph has, how many of them are leaves, and whether some were left out. */
  readonly size: number;
  readonly leaves: number;
  readonly truncated: number;
  readonly closed: boolean;
  /** The same object for as long as nothing moves, whatever values do. */
  readonly drawing: Drawing;
  /** Collectives were told of that the drawing does not have. */
  readonly undrawn: boolean;
  /** What was asked to be drawn so: another one than the view's while the kernel draws anew. */
  readonly folding: Folding;
  readonly run: RunHead;
  readonly fold: Fold;
  /** Nodes that are drawn, and those that were inspected last. */
  readonly nodes: ReadonlyMap<number, Node>;
  readonly names: Names;
  readonly saved: SavedValues;
  readonly storages: Storages;
  readonly history: History;
  /** The latest visits seen, by node; those of undone ones are not there. */
  readonly visits: Map<number, Visit>;
  /** What the search found last. */
  readonly found: Finding | null;
  /** What saved values held when that was asked last. */
  readonly memory: Memory | null;
  /** The messages of breakpoints that log, when that was asked last. */
  readonly log: LogLines | null;
  /** The watch list as it was told last; null where nobody looks. */
  readonly watches: Watches | null;
  /** The lane beside the graph, as it was told last. */
  readonly lane: Lane | null;
  /** How two branches differ, when that was asked last. */
  readonly compared: Compared | null;
}

/** Looks at it anew; `names` are kept of a session that was shown before. Throws if it cannot be drawn. */
export function fromShown(
  shown: Shown,
  folding: Folding,
  previous: SessionState | null,
  newNames: () => Names = () => new Names()
): SessionState {
  const { session, revision, title, cell, nodes: size, leaves, truncated, standing } = shown;
  const before = previous?.session === session ? previous : null;
  const drawing = drawingOf(shown, before);
  /** What is known of steps is of the branch that it was shown on. */
  const same = before !== null && branchOf(before.run) === branchOf(standing) ? before : null;
  checkStanding(standing, drawing, size);
  const names = before?.names ?? newNames();
  names.learn(standing.names);
  names.learn(namesIn(drawing, standing));
  const storages = new Storages(standing.storages, standing.quiet, before?.storages);
  const fold = new Fold(drawing, standing, names);
  return {
    session,
    revision,
    title,
    cell,
    size,
    leaves,
    truncated,
    closed: standing.status === 'closed',
    drawing,
    undrawn: false,
    folding,
    run: headOf(standing),
    fold,
    nodes: drawing === before?.drawing ? before.nodes : nodesOf(drawing, before),
    names,
    saved: new SavedValues(drawing, standing, storages, (node, by) => fold.turnStale(node, by)),
    storages,
    history: same?.history ?? new History(),
    visits: visitsAt(same, standing.position),
    found: before?.found ?? null,
    memory: before?.memory ?? null,
    log: keptLog(before?.log ?? null, standing.logged),
    watches: before?.watches ?? null,
    lane: before?.lane ?? null,
    compared: before?.compared ?? null
  };
}

/** Folds the update that follows. Throws, having done nothing, where it does not. */
export function withUpdate(state: SessionState, update: Update): SessionState {
  const { fold, saved, storages, names, history, visits } = state;
  checkUpdate(update, state.size);
  checkFollows(state, update);
  names.learn(update.names);
  const back = update.position < update.before;
  for (const record of back ? update.records.toReversed() : update.records) {
    const { visit, released } = record;
    if (back) {
      fold.unapply(record);
      saved.giveBack(visit.node, released);
      visits.delete(visit.node);
    } else {
      fold.apply(record);
      saved.release(visit.node, released);
      keep(visits, visit.node, visit);
    }
    history.learn([lineOf(visit)]);
  }
  for (const change of update.changes) {
    const storage = storages.apply(change);
    change.saved.forEach(each => saved.tell(each, storage));
    if (change.opened) {
      saved.meet(storage);
    } else {
      saved.written(storage);
    }
  }
  return {
    ...state,
    undrawn: state.undrawn || update.records.some(record => !drawsCalls(state.drawing, record)),
    revision: update.revision,
    log: keptLog(state.log, update.logged),
    run: headOf({
      ...update,
      current: fold.current,
      breakpoint_list: update.breakpoint_list ?? state.run.breakpoint_list,
      logged: update.logged,
      branches: state.run.branches,
      grows: state.run.grows,
      recomputes: state.run.recomputes,
      one_way: state.run.one_way,
      can_change: state.run.can_change && update.status !== 'closed'
    }),
    closed: update.status === 'closed'
  };
}

/** None of messages that were cleared: there have been fewer since. */
function keptLog(log: LogLines | null, logged: number): LogLines | null {
  return log !== null && log.total > logged ? null : log;
}

/** The kernel said all about a node. */
export function withInspected(state: SessionState, inspection: Inspection): SessionState {
  const { node, names, storages } = inspection;
  checkNodes([{ node: node.id }, ...names], state.size, 'inspection');
  checkStorages(storages, state.size);
  state.names.learn(names);
  const next = withStorages(state, storages);
  if (state.fold.draws(node.id)) {
    return next;
  }
  const nodes = new Map(state.nodes);
  nodes.delete(node.id); // The latest is the last.
  return { ...next, nodes: nodes.set(node.id, node) };
}

/** The kernel told of storages that were not known. */
export function withStorages(state: SessionState, storages: readonly Storage[]): SessionState {
  const added = storages.filter(({ id }) => !state.storages.get(id));
  state.storages.learn(added);
  added.forEach(storage => state.saved.meet(storage));
  return { ...state };
}

/** The kernel closed it and let go of its graph: what is shown stays. */
export function closedAt(state: SessionState, revision: number, ending = ''): SessionState {
  return { ...state, revision, closed: true, run: { ...state.run, status: 'closed', ending } };
}

/** Does the drawing have all collectives of a step, with their ends? */
function drawsCalls({ collectives }: Drawing, { collectives: told }: StepRecord): boolean {
  return told.every(({ group, number, seconds }) =>
    collectives.some(
      each =>
        each.group === group && each.number === number && (seconds === null || each.end !== null)
    )
  );
}

function drawingOf({ drawing, nodes }: Shown, before: SessionState | null): Drawing {
  if (drawing === null) {
    if (!before) {
      throw new Malformed('a drawing', drawing).within('drawing').within('shown');
    }
    return before.drawing;
  }
  if (drawing.digest === before?.drawing.digest) {
    return before.drawing;
  }
  checkDrawing(drawing, nodes);
  return drawing;
}

function namesIn({ nodes }: Drawing, standing: Standing): Name[] {
  return nodes.map(({ id, name, label }, place) => {
    const run = standing.nodes[place];
    const needed = run === undefined || run.state === 'skipped' ? 0 : run.needed;
    return { node: id, name, label, needed };
  });
}

/** Those of the drawing, and some that are not drawn. */
function nodesOf(drawing: Drawing, before: SessionState | null): ReadonlyMap<number, Node> {
  const nodes = new Map(drawing.nodes.map(node => [node.id, node]));
  const others = [...(before?.nodes.values() ?? [])].filter(({ id }) => !nodes.has(id));
  for (const node of others.slice(-KEPT)) {
    nodes.set(node.id, node);
  }
  return nodes;
}

/** The branch that the run is on; empty: the original, of which there is no branch. */
function branchOf({ branches }: Pick<Standing, 'branches'>): string {
  return branches.find(({ current, parent }) => current && parent !== '')?.name ?? '';
}

/** Visits that are done at this position. */
function visitsAt(before: SessionState | null, position: number): Map<number, Visit> {
  const visits = [...(before?.visits ?? [])];
  return new Map(visits.filter(([, { index }]) => index < position));
}

function lineOf({ index, node, incoming }: Visit): VisitLine {
  return { index, node, norm: incoming[0]?.norm ?? null };
}

function headOf(run: RunHead): RunHead {
  const { status, position, recorded, total, current, breakpoints, earliest, error } = run;
  const { modes, stopped, nonfinite, ending, breakpoint_list, branches, within, logged } = run;
  const { grows, recomputes, one_way, can_change } = run;
  return {
    status,
    position,
    recorded,
    total,
    current,
    breakpoints,
    earliest,
    error,
    modes,
    stopped,
    nonfinite,
    ending,
    breakpoint_list,
    logged,
    branches,
    within,
    grows,
    recomputes,
    one_way,
    can_change
  };
}

function checkFollows({ fold, storages }: SessionState, update: Update): void {
  const { before, position, jumped, records, changes } = update;
  const first = Math.min(before, position);
  if (
    jumped ||
    before !== fold.position ||
    records.length !== Math.abs(position - before) ||
    records.some(({ visit }, i) => visit.index !== first + i) ||
    !changes.every(change => storages.follows(change))
  ) {
    throw new DoesNotFollow(`from ${before} to ${position}, at ${fold.position}`);
  }
}

function keep<T>(map: Map<number, T>, key: number, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > KEPT) {
    for (const oldest of map.keys()) {
      map.delete(oldest);
      break;
    }
  }
}
