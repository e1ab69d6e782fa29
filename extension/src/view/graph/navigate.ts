/** Walking the graph with the arrow keys. */
import type { DrawnBox } from '../../protocol';
import { centre } from './geometry';
import { frameKey, frameOf } from './picture';
import type { Picture } from './picture';

export type Direction = 'up' | 'down' | 'left' | 'right';

/**
 * The box to go to from `key`. Up and down go along lines (the way gradients came and go), to the
 * end that is nearest in the picture; left and right go to the nearest box at about the same
 * height. Where there is no such box, to the nearest in that direction. From the title of an open group
 * down goes to the first box in it.
 */
export function neighbour(picture: Picture, key: string, direction: Direction): string | null {
  const { drawing, boxes, leaving, arriving } = picture;
  const frame = frameOf(picture, key);
  if (frame) {
    const inside = direction === 'down' ? topmost(insideOf(picture, frame.group)) : null;
    return inside?.key ?? null;
  }
  const index = boxes.get(key);
  const here = index === undefined ? undefined : drawing.boxes[index];
  if (index === undefined || !here) {
    return null;
  }
  const vertical = direction === 'up' || direction === 'down';
  if (vertical) {
    const lines = (direction === 'down' ? leaving[index] : arriving[index]) ?? [];
    const linked = lines.flatMap(line => {
      const end = drawing.lines[line]?.[direction === 'down' ? 'target' : 'source'];
      return drawing.boxes[end ?? -1] ?? [];
    });
    const best = nearest(here, linked.filter(isPlace), direction, 1);
    if (best) {
      return best.key;
    }
  }
  return nearest(here, drawing.boxes.filter(isPlace), direction, vertical ? 2 : 6)?.key ?? null;
}

/** The title of the open group around what has this key; null if there is none. */
export function outwards(picture: Picture, key: string): string | null {
  const { drawing, boxes } = picture;
  const around = frameOf(picture, key)?.parent ?? drawing.boxes[boxes.get(key) ?? -1]?.frame;
  const frame = drawing.frames[around ?? -1];
  return frame ? frameKey(frame.group) : null;
}

/** The first and the last box of the picture, from top to bottom. */
export function ends({ drawing }: Picture): { first: string | null; last: string | null } {
  const places = drawing.boxes.filter(isPlace);
  const last = places.reduce<DrawnBox | null>((a, b) => (a && a.y >= b.y ? a : b), null);
  return { first: topmost(places)?.key ?? null, last: last?.key ?? null };
}

/** Results are decoration: they have no state and nothing to inspect. */
export function isPlace({ kind }: DrawnBox): boolean {
  return kind !== 'result';
}

function topmost(boxes: readonly DrawnBox[]): DrawnBox | null {
  return boxes.reduce<DrawnBox | null>((a, b) => (a && a.y <= b.y ? a : b), null);
}

function insideOf({ drawing }: Picture, group: number): readonly DrawnBox[] {
  const open = new Set<number>();
  drawing.frames.forEach((frame, index) => {
    if (frame.group === group || (frame.parent !== null && open.has(frame.parent))) {
      open.add(index);
    }
  });
  return drawing.boxes.filter(box => box.frame !== null && open.has(box.frame) && isPlace(box));
}

/** By distance along the direction, plus `stray` times the distance across it. */
function nearest(
  from: DrawnBox,
  candidates: readonly DrawnBox[],
  direction: Direction,
  stray: number
): DrawnBox | null {
  const a = centre(from);
  let best: DrawnBox | null = null;
  let least = Infinity;
  for (const candidate of candidates) {
    if (candidate.key === from.key) {
      continue;
    }
    const b = centre(candidate);
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
