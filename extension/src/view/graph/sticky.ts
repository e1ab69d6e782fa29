/**
 * Titles of frames stay in sight: of a frame that begins above or left of the screen, as long as some of it is
 * on it, the title stands at the edge. Below each other where frames are in frames.
 */
import { padded, touches } from './geometry';
import type { Box, Point } from './geometry';

export interface Head {
  readonly frame: Box;
  /** The place in the list of the frame around it; -1: none, or one without a title. */
  readonly parent: number;
  /** Where its title begins, from the left edge of the frame, how wide it is and how high. */
  readonly left: number;
  readonly width: number;
  readonly height: number;
  /** So narrow it may be made, where that keeps it off a box. */
  readonly least: number;
  /** Writes it so wide on its element. */
  narrow?(element: SVGGElement, width: number): void;
}

/** How far a title is moved, and how wide it may be there. */
export interface Moved extends Point {
  readonly width: number;
}

/** By so many of its heights a title steps down, at most, to cover no box. */
const DOWN = 5;

/**
 * How far each title is moved, in the order of `heads`, frames before those in them. It steps aside from `boxes`: it is
 * made narrower, else goes beside them, else below them, and never over the title of a frame around it; null: it has no
 * place there. `air`: from the edge.
 */
export function movedHeads(
  heads: readonly Head[],
  seen: Box,
  air: number,
  boxes: readonly Box[] = []
): readonly (Moved | null)[] {
  const ends: number[] = [];
  const placed: (Box | null)[] = [];
  const isOver = (title: Box, parent: number): boolean => {
    for (let each = parent; each >= 0; each = heads[each]?.parent ?? -1) {
      const other = placed[each];
      if (other && touches(other, padded(title, -1))) {
        return true;
      }
    }
    return false;
  };
  return heads.map(({ frame, parent, left, width, height, least }, i) => {
    const first = ends[parent] ?? seen.y;
    const lowest = frame.y + frame.height - height;
    const top = within(frame.y, first, lowest);
    ends[i] = top + height;
    const begin = frame.x + left;
    const start = within(begin, seen.x + air, frame.x + frame.width - width - air);
    if (top === frame.y && start === begin) {
      return { x: 0, y: 0, width };
    }
    const right = Math.min(frame.x + frame.width, seen.x + seen.width) - width - air;
    const most = { x: Math.max(right, start), y: Math.min(lowest, top + DOWN * height) };
    const found = freeOf({ x: start, y: top, width, height }, least, most, air, boxes);
    // Where its frame ends, there may be no room left below the titles around it.
    const free = found && isOver({ ...found, height }, parent) ? null : found;
    placed[i] = free && { ...free, height };
    ends[i] = free === null ? first : free.y + height;
    return free && { x: free.x - begin, y: free.y - frame.y, width: free.width };
  });
}

/** Where a title covers no box, as near to its place as can be: not left of it or above it, and up to `most`. */
function freeOf(
  title: Box,
  least: number,
  most: Point,
  air: number,
  boxes: readonly Box[]
): Moved | null {
  let next = title.y;
  while (next <= most.y) {
    const y = next;
    const beside = boxes
      .filter(box => box.y < y + title.height && y < box.y + box.height)
      .sort((one, other) => one.x - other.x);
    const ahead = beside.filter(box => title.x < box.x + box.width);
    const room = Math.min(title.width, ...ahead.map(box => box.x - air - title.x));
    if (room >= least) {
      return { x: title.x, y, width: room };
    }
    let { x } = title;
    for (const box of ahead) {
      if (box.x < x + title.width + air && x < box.x + box.width) {
        x = box.x + box.width + air;
      }
    }
    if (x <= most.x) {
      return { x, y, width: title.width };
    }
    next = Math.min(...beside.map(box => box.y + box.height)) + air;
  }
  return null;
}

/** As near to `at` as `least` allows, but not beyond `most`. */
function within(at: number, least: number, most: number): number {
  return Math.max(at, Math.min(least, most));
}
