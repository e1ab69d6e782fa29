/** The open groups around what is seen, as far as their titles are above the screen. */
import type { DrawnFrame } from '../../protocol';
import { HEAD } from './frameHead';
import type { Box } from './geometry';
import type { Picture } from './picture';

/** The titles of these groups, the outermost first: of groups beside each other that of which most is seen. */
export function framePath({ drawing, groups }: Picture, seen: Box): readonly string[] {
  const titles: string[] = [];
  let parent: number | null = null;
  for (;;) {
    const inside = drawing.frames
      .map((frame, index) => ({ frame, index, shown: shown(frame, seen) }))
      .filter(({ frame, shown }) => frame.parent === parent && shown > 0)
      .sort((one, other) => other.shown - one.shown)[0];
    if (inside === undefined || inside.frame.y + HEAD / 2 >= seen.y) {
      return titles;
    }
    titles.push(groups.get(inside.frame.group)?.title ?? '');
    parent = inside.index;
  }
}

/** How much of a frame is seen. */
function shown(frame: DrawnFrame, seen: Box): number {
  const width = Math.min(frame.x + frame.width, seen.x + seen.width) - Math.max(frame.x, seen.x);
  const height = Math.min(frame.y + frame.height, seen.y + seen.height) - Math.max(frame.y, seen.y);
  return Math.max(width, 0) * Math.max(height, 0);
}
