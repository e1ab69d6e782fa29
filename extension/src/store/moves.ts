/**
 * Moves a person asked for while an earlier one is still on its way.
 *
 * A held-down key asks for thirty steps a second. They are added up and sent as one request when
 * the kernel has answered the one before, so that the kernel is never flooded and the view never
 * lags behind the finger.
 */
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
