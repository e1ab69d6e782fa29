/** The inside of a node's card. */
import type { JSX } from 'preact';

import * as format from '../format';
import { Badge, BADGE_LEAST } from './Badge';
import { CHIPS_TOP, chipsOf, NAME_LINE, portsOf, sideOf, TYPE_LINE, typeIn } from './card';
import { Chips } from './Chips';
import type { NodeBoxProps } from './nodeProps';

const HOOK_WIDTH = 18;
const GAP = 10;

export function NodeCard(props: NodeBoxProps): JSX.Element {
  const { box, node, run, running, saved, starts, oddStarts, made, metrics } = props;
  const side = sideOf(node);
  const room = box.width - 2 * side;
  const hooks = node.hooks.length > 0;
  const type = typeIn(node.outputs, room - BADGE_LEAST, metrics);
  const used = type && metrics.width(type, 'type') + GAP;
  return (
    <>
      <text class="vg-name" x={side} y={NAME_LINE}>
        {metrics.fit(node.name, room - (hooks ? HOOK_WIDTH : 0), 'name')}
      </text>
      {hooks && <HookMark hooks={node.hooks} left={box.width - side - 12} />}
      <text class="vg-type" x={side} y={TYPE_LINE}>
        {type}
      </text>
      <Badge
        run={run}
        running={running}
        made={made}
        odd={props.odd}
        got={props.got}
        instead={props.differs?.brief}
        right={box.width - side}
        room={room - (used || 0)}
        y={TYPE_LINE}
        metrics={metrics}
      />
      {saved.length > 0 && (
        <g class="vg-chips" transform={`translate(${side},${CHIPS_TOP})`}>
          <Chips {...chipsOf(saved, box, side, metrics)} />
        </g>
      )}
      {portsOf(box, starts, metrics).map(({ text, x }) => (
        <text
          key={x}
          class={
            oddStarts.some(start => Math.abs(start - x - box.x) < 0.5)
              ? 'vg-port vg-odd-port'
              : 'vg-port'
          }
          x={x}
          y={box.height - 5}
          text-anchor="middle"
        >
          {text}
        </text>
      ))}
    </>
  );
}

/** A hook on the node, as on a coat rack. */
function HookMark({ hooks, left }: { hooks: readonly string[]; left: number }): JSX.Element {
  return (
    <g class="vg-hook" transform={`translate(${left},7)`}>
      <title>{`${format.count(hooks.length, 'hook')}: ${hooks.join(', ')}`}</title>
      <rect width="12" height="14" fill="transparent" />
      <path d="M6 1v6a3 3 0 1 1-4.4-1.6" fill="none" stroke="currentColor" stroke-width="1.5" />
    </g>
  );
}
