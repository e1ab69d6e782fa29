/** The inside of a pin: the variable, what it is, and which of its uses this is. */
import type { JSX } from 'preact';

import * as format from '../format';
import { Badge } from './Badge';
import { mainText, typeIn, typeText } from './card';
import type { NodeBoxProps } from './nodeProps';
import { fitTitle } from './titleForms';

const SIDE = 14;
const GAP = 8;
/** How far the sign of the state reaches into the rounded end, and what it takes of the line. */
const INTO_END = 3;
const SIGN_ROOM = 15;

export function PinCard(props: NodeBoxProps): JSX.Element {
  const { box, node, run, running, odd, got, differs, metrics } = props;
  const room = box.width - 2 * SIDE;
  const line = room + INTO_END;
  const name = fitTitle(metrics, mainText(node), line - SIGN_ROOM, 'leaf');
  const used = metrics.width(name, 'leaf');
  const spoken = box.uses > 1 ? `use ${format.whole(box.use)} of ${format.whole(box.uses)}` : '';
  const free = room - metrics.width(typeText(node.outputs), 'type') - GAP;
  const use = metrics.width(spoken, 'port') <= free ? spoken : ''; // Its name says it, too.
  const type = typeIn(node.outputs, room, metrics);
  return (
    <>
      <text class="vg-name" x={SIDE} y={14}>
        {name}
      </text>
      <Badge
        run={run}
        running={running}
        odd={odd}
        got={got}
        instead={differs?.brief}
        right={box.width - SIDE + INTO_END}
        room={line - used - 4}
        y={14}
        metrics={metrics}
      />
      <text class="vg-type" x={SIDE} y={28}>
        {type}
      </text>
      {use && (
        <text class="vg-port" x={box.width - SIDE} y={28} text-anchor="end">
          {use}
        </text>
      )}
    </>
  );
}
