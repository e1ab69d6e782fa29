/** What is written on a line. */
import type { DrawnLine } from '../../protocol';
import * as format from '../format';
import { flowOf } from './flow';
import type { Picture } from './picture';

/**
 * "other 0.53"; under the mouse, where there is room for one, "other · float32 [3] · ‖g‖ 0.53".
 * Of several edges in one line it is said how many, and what the first gradient was.
 */
export function linkText(
  picture: Picture,
  line: DrawnLine,
  norm: number | null | undefined,
  long: boolean
): string {
  if (picture.drawing.boxes[line.source]?.kind === 'result') {
    return '';
  }
  const flow = flowOf(norm);
  const quiet = long ? 'no gradient yet' : '';
  const size = long ? `‖g‖ ${format.number(norm ?? null)}` : format.brief(norm ?? null);
  const nothing = long ? 'undefined' : '∅';
  const value = flow === 'value' ? size : flow === 'undefined' ? nothing : quiet;
  if (line.edges > 1) {
    return [`${line.edges} edges`, value && `first ${value}`].filter(Boolean).join(' · ');
  }
  const target = targetOf(picture, line);
  const slot = target && target.outputs.length > 1 ? `slot ${line.slot}` : '';
  const meta = long ? target?.outputs[line.slot] : undefined;
  const parts = [line.name, slot, meta && format.tensor(meta), value];
  return parts.filter(Boolean).join(long ? ' · ' : ' ');
}

/** The number of the input slot at the end of a line, where there are several. */
export function slotText(picture: Picture, line: DrawnLine): string {
  const target = line.node === null ? undefined : targetOf(picture, line);
  return target && target.outputs.length > 1 ? `${line.slot}` : '';
}

function targetOf({ drawing, nodes }: Picture, line: DrawnLine) {
  return nodes.get(drawing.boxes[line.target]?.node ?? -1);
}
