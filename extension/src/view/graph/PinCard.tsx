/** The inside of a pin: the variable, what it is, and which of its uses this is. */
import type { JSX } from 'preact';

import * as format from '../format';
import { Badge, BADGE_LEAST } from './Badge';
import { mainText, typeText } from './card';
import type { NodeBoxProps } from './NodeBox';

const SIDE = 14;
const GAP = 8;

export function PinCard({ box, node, run, metrics }: NodeBoxProps): JSX.Element {
  const room = box.width - 2 * SIDE;
  const name = metrics.fit(mainText(node), room - BADGE_LEAST, 'leaf');
  const used = metrics.width(name, 'leaf');
  const use = box.uses > 1 ? `use ${format.whole(box.use)} of ${format.whole(box.uses)}` : '';
  const useRoom = use && metrics.width(use, 'port') + GAP;
  const type = metrics.fit(typeText(node.outputs), room - (useRoom || 0), 'type');
  return (
    <>
      <text class="vg-name" x={SIDE} y={14}>
        {name}
      </text>
      <Badge
        run={run}
        right={box.width - SIDE + 3}
        room={room - used - 4}
        y={14}
        metrics={metrics}
      />
      <text class="vg-type" x={SIDE} y={28}>
        {type}
      </text>
      {use && (
        <text class="vg-port" x={box.width - SIDE} y={28} text-anchor="end">
          {metrics.fit(use, room, 'port')}
        </text>
      )}
    </>
  );
}
