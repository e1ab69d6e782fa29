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

/** How far each title is moved, in the order of `heads`, frames before those in them. `air`: from the edge. */
export function movedHeads(heads: readonly Head[], seen: Box, air: number): readonly Point[] {
  const tops: number[] = [];
  return heads.map(({ frame, parent, left, width, height }, i) => {
    const around = tops[parent];
    const first = around === undefined ? seen.y : around + (heads[parent]?.height ?? 0);
    const top = within(frame.y, first, frame.y + frame.height - height);
    tops[i] = top;
    const begin = frame.x + left;
    const start = within(begin, seen.x + air, frame.x + frame.width - width - air);
    return top === frame.y && start === begin ? IN_PLACE : { x: start - begin, y: top - frame.y };
  });
}

/** As near to `at` as `least` allows, but not beyond `most`. */
function within(at: number, least: number, most: number): number {
  return Math.max(at, Math.min(least, most));
}
