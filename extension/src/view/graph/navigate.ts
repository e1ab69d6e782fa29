/** Walking the graph with the arrow keys. */
import { centre } from '../layout/boxes';
import type { Layout } from '../layout/types';
import type { Visible } from './visible';

export type Direction = 'up' | 'down' | 'left' | 'right';

/**
 * The box to go to from `key`. Up and down go along edges (the way gradients came and go), to the
 * end that is nearest in the picture; left and right go to the nearest box at about the same
 * height. Where there is no such box, to the nearest in that direction.
 */
export function neighbour(
  visible: Visible,
  layout: Layout,
  key: string,
  direction: Direction
): string | null {
  const here = layout.items.get(key);
  if (!here) {
    return null;
  }
  const vertical = direction === 'up' || direction === 'down';
  if (vertical) {
    const linked = visible.links.flatMap(link =>
      direction === 'down'
        ? link.from === key
          ? [link.to]
          : []
        : link.to === key
          ? [link.from]
          : []
    );
    const best = nearest(layout, key, linked.filter(isPlace), direction, 1);
    if (best) {
      return best;
    }
  }
  const all = visible.items.map(item => item.key).filter(isPlace);
  return nearest(layout, key, all, direction, vertical ? 2 : 6);
}

/** Results are decoration: they have no state and nothing to inspect. */
function isPlace(key: string): boolean {
  return !key.startsWith('r');
}

/** Distance along the direction, plus `stray` times the distance across it. */
function nearest(
  layout: Layout,
  key: string,
  candidates: readonly string[],
  direction: Direction,
  stray: number
): string | null {
  const from = layout.items.get(key);
  if (!from) {
    return null;
  }
  const a = centre(from);
  let best: string | null = null;
  let least = Infinity;
  for (const candidate of candidates) {
    const box = layout.items.get(candidate);
    if (!box || candidate === key) {
      continue;
    }
    const b = centre(box);
    const dx = b.x - a.x;
    const dy = b.y - a.y;
    const along = { up: -dy, down: dy, left: -dx, right: dx }[direction];
    const across = direction === 'up' || direction === 'down' ? Math.abs(dx) : Math.abs(dy);
    const distance = along + stray * across;
    if (along > 1 && distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}
