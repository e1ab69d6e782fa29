/** A tensor that the backward starts from. */
import type { JSX } from 'preact';

import type { DrawnBox, Node } from '../../protocol';
import { memo } from '../memo';
import { hasWord } from './titlePlaces';

interface ResultPillProps {
  readonly box: DrawnBox;
  readonly of: Node | undefined;
  /** Of the smallest type, in pixels of the picture. */
  readonly type: number;
}

function ResultPillInner({ box, of, type }: ResultPillProps): JSX.Element {
  const slot = of && of.outputs.length > 1 ? `, output ${box.slot}` : '';
  const label = `result${of ? ` of ${of.name}` : ''}${slot}`;
  const { width, height } = box;
  const written = hasWord(box, type);
  return (
    // Decoration: a tree has items, and a node says itself that it is the first.
    <g
      class={written ? 'vg-result' : 'vg-result vg-unwritten'}
      transform={`translate(${box.x},${box.y})`}
      aria-hidden="true"
    >
      <title>{label}</title>
      <rect width={width} height={height} rx={height / 2} />
      {written && (
        <text x={width / 2} y={height / 2 + 4} text-anchor="middle">
          {box.title || 'result'}
        </text>
      )}
    </g>
  );
}

export const ResultPill = memo(ResultPillInner);
