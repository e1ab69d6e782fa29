/** The picture in small: frames as outlines, and all boxes of one state as one path. */
import type { Drawing, DrawnBox, NodeState } from '../../protocol';
import type { Fold } from '../../store';
import type { Box } from './geometry';
import { groupState } from './tally';

/** Path data; "odd" marks where something is not finite. */
export type StatePaths = Partial<Record<NodeState | 'odd', string>>;

/** A box is never smaller than this, on the screen. */
const LEAST = 1.5;

export function framesPath({ frames }: Drawing, sx: number, sy: number): string {
  return frames.map(frame => rectangle(frame, sx, sy)).join('');
}

/** Of a group as much is filled as "done" as is; the rest is waiting, or what its state is. */
export function statePaths(
  { boxes }: Drawing,
  fold: Pick<Fold, 'node' | 'tally'>,
  current: number | null,
  sx: number,
  sy: number
): StatePaths {
  const parts: Partial<Record<NodeState | 'odd', string[]>> = {};
  const add = (what: NodeState | 'odd', box: Box): void => {
    (parts[what] ??= []).push(rectangle(box, sx, sy));
  };
  boxes.forEach((box, index) => {
    const tally = fold.tally(index);
    if (tally) {
      const state = groupState(tally, holds(box, current));
      add(state, box);
      if (state !== 'done' && state !== 'error' && tally.done > 0) {
        add('done', { ...box, width: (box.width * tally.done) / tally.nodes });
      }
      if (tally.nonfinite > 0) {
        add('odd', box);
      }
    } else if (box.node !== null && box.kind !== 'result') {
      const { state, grad_norm } = fold.node(box.node);
      add(state, box);
      if (grad_norm !== null && !Number.isFinite(grad_norm)) {
        add('odd', box);
      }
    }
  });
  return Object.fromEntries(Object.entries(parts).map(([what, list]) => [what, list.join('')]));
}

function holds({ first, last }: DrawnBox, node: number | null): boolean {
  return node !== null && first <= node && node < last;
}

function rectangle(box: Box, sx: number, sy: number): string {
  const width = Math.max(box.width * sx, LEAST).toFixed(1);
  const height = Math.max(box.height * sy, LEAST).toFixed(1);
  return `M${(box.x * sx).toFixed(1)},${(box.y * sy).toFixed(1)}h${width}v${height}h-${width}z`;
}
