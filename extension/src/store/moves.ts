/**
 * Moves a person asked for while an earlier one is still on its way.
 *
 * A held-down key asks for thirty steps a second. They are added up and sent as one request when
 * the kernel has answered the one before, so that the kernel is never flooded and the view never
 * lags behind the finger.
 */
import type { Request } from '../protocol';
import type { Unnumbered } from './pending';

/** The requests that a move becomes. */
export const MOVES: readonly Request['type'][] = [
  'step',
  'step_back',
  'continue',
  'run_to',
  'seek',
  'restart'
];

export type Move =
  | { readonly kind: 'steps'; readonly count: number }
  | { readonly kind: 'seek'; readonly position: number }
  | { readonly kind: 'continue' }
  | { readonly kind: 'restart' }
  | { readonly kind: 'run_to'; readonly node: number };

/** Add `move` to the queue. A new place to be makes what was queued before it pointless. */
export function enqueue(queue: readonly Move[], move: Move): readonly Move[] {
  if (move.kind !== 'steps') {
    return [move];
  }
  const last = queue[queue.length - 1];
  if (last?.kind !== 'steps') {
    return [...queue, move];
  }
  const count = last.count + move.count;
  const rest = queue.slice(0, -1);
  return count === 0 ? rest : [...rest, { kind: 'steps', count }];
}

export function requestFor(move: Move, session: string): Unnumbered {
  switch (move.kind) {
    case 'steps':
      return move.count > 0
        ? { type: 'step', session, count: move.count }
        : { type: 'step_back', session, count: -move.count };
    case 'seek':
      return { type: 'seek', session, position: move.position };
    case 'run_to':
      return { type: 'run_to', session, node: move.node };
    default:
      return { type: move.kind, session };
  }
}
