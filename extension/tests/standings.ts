/** What a view shows of a session, in the words of a kernel's standing: both must say the same. */
import type { Drawing, Saved, Standing } from '../src/protocol';
import type { Fold, SessionState } from '../src/store';

/** Everything that is folded. */
export function folded(fold: Fold, drawing: Drawing): unknown {
  return {
    position: fold.position,
    current: fold.current,
    counts: (['waiting', 'ready', 'current', 'done', 'skipped', 'captured', 'error'] as const).map(
      state => fold.count(state)
    ),
    nodes: drawing.nodes.map(({ id }) => fold.node(id)),
    boxes: drawing.boxes.map((_, place) => fold.tally(place)),
    frames: drawing.frames.map((_, place) => fold.frame(place)),
    flows: drawing.lines.map((_, place) => fold.flow(place)),
    ready: fold.queue,
    buffers: fold.waiting,
    reached: fold.reached
  };
}

/** The same, as the kernel tells it. */
export function told(standing: Standing, drawing: Drawing): unknown {
  const { position, current, counts, nodes, boxes, frames, ready, buffers, reached } = standing;
  const flows = new Map(standing.flows.map(({ line, norm }) => [line, norm]));
  return {
    position,
    current,
    counts,
    nodes,
    boxes,
    frames,
    flows: drawing.lines.map((_, place) => flows.get(place)),
    ready,
    buffers,
    reached
  };
}

/** All of a session that a standing speaks of. */
export function shownIn(state: SessionState, standing: Standing): object {
  const { run, fold, saved, storages, drawing } = state;
  return {
    ...run,
    fold: folded(fold, drawing),
    stale: saved.stale,
    saved: drawing.nodes.map(({ id }) => saved.of(id).map(essence)),
    // What nothing happened to any more may still be known.
    storages: standing.storages.map(({ id }) => timeline(storages.get(id)))
  };
}

export function toldIn(state: SessionState, standing: Standing): object {
  const { status, position, recorded, total, current, earliest, error, modes, ending } = standing;
  const { drawing } = state;
  const changes = new Map(standing.saved.map(change => [`${change.node} ${change.name}`, change]));
  return {
    status,
    position,
    recorded,
    total,
    current,
    earliest,
    error,
    modes,
    ending,
    stopped: standing.stopped,
    nonfinite: standing.nonfinite,
    breakpoints: standing.breakpoints,
    breakpoint_list: standing.breakpoint_list,
    logged: standing.logged,
    branches: standing.branches,
    within: standing.within,
    grows: standing.grows,
    recomputes: standing.recomputes,
    one_way: standing.one_way,
    can_change: standing.can_change,
    fold: told(standing, drawing),
    stale: standing.stale,
    saved: drawing.nodes.map(node =>
      node.saved.map(value => essence({ ...value, ...changes.get(`${node.id} ${value.name}`) }))
    ),
    storages: standing.storages.map(timeline)
  };
}

/** Of a released value nothing else is known. */
function essence({ name, state, version_now, culprit }: Saved): unknown {
  return state === 'freed' ? { name, state } : { name, state, version_now, culprit };
}

function timeline(storage: Standing['storages'][number] | undefined): unknown {
  if (!storage) {
    return undefined;
  }
  const { id, version, writes, writes_dropped } = storage;
  return { id, version, writes, writes_dropped };
}
