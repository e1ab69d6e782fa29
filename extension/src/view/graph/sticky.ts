/**
 * Titles of frames stay in sight: of a frame that begins above or left of the screen, as long as some of it is
 * on it, the title stands at the edge. Below each other where frames are in frames.
 */
import type { Box, Point } from './geometry';

export interface Head {
  readonly frame: Box;
  /** The place in the list of the frame around it; -1: none, or one without a title. */
  readonly parent: number;
  /** Where its title begins, from the left edge of the frame, how wide it is and how high. */
  readonly left: number;
  readonly width: number;
  readonly height: number;
}

export const IN_PLACE: Point = { x: 0, y: 0 };

/**
 * How far each title is moved, in the order of `heads`, frames before those in them. It steps aside from `boxes`, where
 * there is room for it beside them. `air`: from the edge.
 */
export function movedHeads(
  heads: readonly Head[],
  seen: Box,
  air: number,
  boxes: readonly Box[] = []
): readonly Point[] {
  const tops: number[] = [];
  return heads.map(({ frame, parent, left, width, height }, i) => {
    const around = tops[parent];
    const first = around === undefined ? seen.y : around + (heads[parent]?.height ?? 0);
    const top = within(frame.y, first, frame.y + frame.height - height);
    tops[i] = top;
    const begin = frame.x + left;
    const start = within(begin, seen.x + air, frame.x + frame.width - width - air);
    if (top === frame.y && start === begin) {
      return IN_PLACE;
    }
    const most = Math.min(frame.x + frame.width, seen.x + seen.width) - width - air;
    const free = freeOf({ x: start, y: top, width, height }, most, air, boxes);
    return { x: free - begin, y: top - frame.y };
  });
}

/** Where, as near to its left edge as can be but not left of it, a title covers no box; there, if nowhere up to `most`. */
function freeOf(title: Box, most: number, air: number, boxes: readonly Box[]): number {
  const beside = boxes
    .filter(({ y, height }) => y < title.y + title.height && title.y < y + height)
    .sort((one, other) => one.x - other.x);
  let { x } = title;
  for (const box of beside) {
    if (box.x < x + title.width + air && x < box.x + box.width) {
      x = box.x + box.width + air;
    }
  }
  return x <= most ? x : title.x;
}

/** As near to `at` as `least` allows, but not beyond `most`. */
function within(at: number, least: number, most: number): number {
  return Math.max(at, Math.min(least, most));
}
