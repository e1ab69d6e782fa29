/**
 * Moves a person asked for while an earlier one is still on its way.
 *
 * A held-down key asks for thirty steps a second. They are added up and sent as one request when
 * the kernel has answered the one before, so that the kernel is never flooded and the view never
 * lags behind the finger.
 */
import type { Request, Unnumbered } from '../protocol';

/** The requests that a move becomes. */
export const MOVES: readonly Request['type'][] = [
  'step',
  'step_back',
  'continue',
  'run_to',
  'seek',
  'restart',
  'stage',
  'step_in',
  'step_out',
  'run_to_leaf'
];

export type Move =
  | { readonly kind: 'steps'; readonly count: number }
  /** Within nodes. */
  | { readonly kind: 'stages'; readonly count: number }
  | { readonly kind: 'step_in' }
  | { readonly kind: 'step_out' }
  | { readonly kind: 'run_to_leaf' }
  | { readonly kind: 'seek'; readonly position: number }
  | { readonly kind: 'continue' }
  | { readonly kind: 'restart' }
  | { readonly kind: 'run_to'; readonly node: number };

/** Those that lead on from wherever the run is, not to a place. */
const RELATIVE: readonly Move['kind'][] = ['steps', 'stages', 'step_in', 'step_out', 'run_to_leaf'];

/** Add `move` to the queue. A new place to be makes what was queued before it pointless. */
export function enqueue(queue: readonly Move[], move: Move): readonly Move[] {
  if (!RELATIVE.includes(move.kind)) {
    return [move];
  }
  const last = queue[queue.length - 1];
  if (last?.kind !== move.kind) {
    return [...queue, move];
  }
  if (!('count' in move && 'count' in last)) {
    return queue; // Of a key that is held down one waits.
  }
  const count = last.count + move.count;
  const rest = queue.slice(0, -1);
  return count === 0 ? rest : [...rest, { kind: move.kind, count }];
}

export function requestFor(move: Move, session: string): Unnumbered {
  switch (move.kind) {
    case 'steps':
      return move.count > 0
        ? { type: 'step', session, count: move.count }
        : { type: 'step_back', session, count: -move.count };
    case 'stages':
      return { type: 'stage', session, count: move.count };
    case 'seek':
      return { type: 'seek', session, position: move.position };
    case 'run_to':
      return { type: 'run_to', session, node: move.node };
    default:
      return { type: move.kind, session };
  }
}
