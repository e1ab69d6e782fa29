/** Below a box: a cell for each rank, from left to right; one that leaves the others is taller. */
import type { JSX } from 'preact';

import { letter } from '../../store';

/** Heights of a cell: of a rank that leaves the others, and of any other. */
const TALL = 9;
const LOW = 5;

export function RankStrip({
  cells,
  width,
  top
}: {
  readonly cells: string;
  readonly width: number;
  readonly top: number;
}): JSX.Element {
  const room = width / cells.length;
  const gap = Math.min(2, room / 4);
  return (
    <g class="vg-ranks" aria-hidden="true" transform={`translate(0,${top + 2})`}>
      {Array.from(cells).map((cell, at) => {
        const kind = letter(cell);
        return (
          <rect
            key={at}
            data-cell={kind === '.' ? 'none' : kind}
            x={at * room + gap / 2}
            width={room - gap}
            height={kind === '.' || kind === 'o' ? LOW : TALL}
            rx={gap}
          />
        );
      })}
    </g>
  );
}
