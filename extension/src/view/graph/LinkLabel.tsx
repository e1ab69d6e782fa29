/** What a line carries, written on it while it is hovered or its node is selected. */
import type { JSX } from 'preact';

import type { Graph } from '../../protocol';
import * as format from '../format';
import type { Route } from '../layout/types';
import type { EdgeFlow } from './flow';
import { middle } from './routePath';
import { CHAR_11, fit } from './sizes';
import type { Link } from './visible';

export function LinkLabel({ route, text }: { route: Route; text: string }): JSX.Element {
  const { x, y } = middle(route);
  const shown = fit(text, 260, CHAR_11);
  const width = shown.length * CHAR_11 + 12;
  return (
    <g class="vg-link-label" transform={`translate(${x - width / 2},${y - 9})`} aria-hidden="true">
      <rect width={width} height={18} rx={4} />
      <text x={6} y={12.5}>
        {shown}
      </text>
    </g>
  );
}

/** "other → slot 0 · ‖g‖ 0.53"; several edges in one line are only counted. */
export function labelOf(link: Link, flow: EdgeFlow, graph: Graph, long: boolean): string {
  const value =
    flow.flow === 'value'
      ? `‖g‖ ${format.number(flow.norm)}`
      : flow.flow === 'undefined'
        ? 'undefined'
        : long
          ? 'no gradient yet'
          : '';
  const [ref, ...others] = link.edges;
  if (!ref) {
    return flow.flow === 'value' ? value : '';
  }
  if (others.length > 0) {
    return [`${link.edges.length} edges`, value && `largest ${value}`].filter(Boolean).join(' · ');
  }
  const edge = graph.nodes[ref.node]?.edges[ref.edge];
  const target = edge?.node == null ? undefined : graph.nodes[edge.node];
  const slot = target && target.outputs.length > 1 ? `slot ${edge?.input_nr}` : '';
  const meta = long ? target?.outputs[edge?.input_nr ?? 0] : undefined;
  return [edge?.name, slot, meta && format.tensor(meta), value].filter(Boolean).join(' · ');
}
