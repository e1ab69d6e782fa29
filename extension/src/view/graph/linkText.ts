/** What is written on a line. */
import type { DrawnLine } from '../../protocol';
import * as format from '../format';
import { flowOf } from './flow';
import type { Picture } from './picture';

/**
 * "0.53", with the tangent of forward mode "0.53 ↓36", as in the static picture: the name is on the box. Under the mouse "other · float32 [3] · ‖g‖ 0.53".
 * Of several edges in one line it is said how many, and how large the largest gradient was. Where the user has changed
 * what arrived: "1.73 → 173".
 */
export function linkText(
  picture: Picture,
  line: DrawnLine,
  norm: number | null | undefined,
  long: boolean,
  tangents: readonly (number | null)[] = [],
  /** The norm that the user has given to what arrived over it. */
  changed?: number | null
): string {
  const { boxes } = picture.drawing;
  if (boxes[line.source]?.kind === 'result' || boxes[line.target]?.kind === 'collective') {
    return '';
  }
  const flow = flowOf(norm);
  const quiet = long ? 'no gradient yet' : '';
  const text = long ? format.number : format.brief;
  const size = `${long ? '‖g‖ ' : ''}${text(norm ?? null)}${format.sizes(tangents, text)}${
    changed === undefined ? '' : ` → ${text(changed)}`
  }`;
  const nothing = long ? 'undefined' : '∅';
  const value = flow === 'value' ? size : flow === 'undefined' ? nothing : quiet;
  if (line.edges > 1) {
    const edges = long ? format.count(line.edges, 'edge') : `×${format.whole(line.edges)}`;
    return [edges, flow === 'value' ? `${long ? 'largest' : 'max'} ${value}` : value]
      .filter(Boolean)
      .join(' · ');
  }
  if (!long) {
    return value;
  }
  const target = targetOf(picture, line);
  const slot = target && target.outputs.length > 1 ? `slot ${line.slot}` : '';
  const meta = target?.outputs[line.slot];
  const parts = [line.name, slot, meta && meta.dtype !== 'unknown' && format.tensor(meta), value];
  return parts.filter(Boolean).join(' · ');
}

/** The number of the input slot at the end of a line, where there are several. */
export function slotText(picture: Picture, line: DrawnLine): string {
  const target = line.node === null ? undefined : targetOf(picture, line);
  return target && target.outputs.length > 1 ? `${line.slot}` : '';
}

function targetOf({ drawing, nodes }: Picture, line: DrawnLine) {
  return nodes.get(drawing.boxes[line.target]?.node ?? -1);
}
