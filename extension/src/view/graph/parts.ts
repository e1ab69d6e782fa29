/** What of a picture is on the screen. */
import { touches } from './geometry';
import type { Box } from './geometry';
import type { Picture } from './picture';

/** Small pictures are drawn whole: nothing to gain by leaving boxes out. */
const DRAW_ALL = 150;

/** Places in the drawing's lists. */
export interface Parts {
  readonly frames: readonly number[];
  readonly lines: readonly number[];
  readonly boxes: readonly number[];
}

/** The parts that touch `within`, and always the box that has the focus. */
export function partsOn(
  { drawing, extents }: Picture,
  within: Box,
  focusKey: string | null
): Parts {
  const all = drawing.boxes.length <= DRAW_ALL;
  const on = (box: Box): boolean => all || touches(box, within);
  return {
    frames: indices(drawing.frames, on),
    lines: indices(extents, on),
    boxes: indices(drawing.boxes, box => box.key === focusKey || on(box))
  };
}

function indices<T>(list: readonly T[], wanted: (item: T) => boolean): readonly number[] {
  return list.flatMap((item, index) => (wanted(item) ? [index] : []));
}
