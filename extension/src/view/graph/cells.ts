/** Which of several equal cells in one box a person means. */
import type { DrawnBox, DrawnFrame } from '../../protocol';

/**
 * The cell of `box` that is nearest to the node that comes next; without one, or if that is elsewhere,
 * the cell beside the one that is shown.
 */
export function nearestCell(
  box: DrawnBox,
  frame: DrawnFrame | undefined,
  current: number | null
): number {
  const last = box.cell + box.cells - 1;
  if (current !== null && box.first <= current && current < box.last) {
    const share = (current - box.first) / (box.last - box.first);
    return Math.min(box.cell + Math.floor(share * box.cells), last);
  }
  const shown = frame?.cell;
  return shown != null && shown > last ? last : box.cell;
}
