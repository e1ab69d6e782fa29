/**
 * Titles of frames stay in sight: of a frame that begins left of the screen, as long as some of it is on it, the title
 * stands at the edge. It never leaves the upper edge of its frame, where the kernel leaves room for it: further down it
 * would float among the boxes, at another place after each step. What is above the screen is said in the head of the
 * graph (`framePath.ts`).
 */
import type { Box } from './geometry';

export interface Head {
  readonly frame: Box;
  /** Where its title begins, from the left edge of the frame, and how wide it is. */
  readonly left: number;
  readonly width: number;
}

/** How far each title is moved to the right, in the order of `heads`. `air`: from the edges. */
export function movedHeads(heads: readonly Head[], seen: Box, air: number): readonly number[] {
  return heads.map(({ frame, left, width }) => {
    const begin = frame.x + left;
    const most = frame.x + frame.width - width - air;
    return Math.max(begin, Math.min(seen.x + air, most)) - begin;
  });
}
