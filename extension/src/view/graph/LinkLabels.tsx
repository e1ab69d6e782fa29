/** What lines carry, written on those that are hovered or belong to the selected node. */
import type { JSX } from 'preact';

import type { Graph } from '../../protocol';
import * as format from '../format';
import { touches } from '../layout/boxes';
import type { Box, Route } from '../layout/types';
import type { EdgeFlow } from './flow';
import { pointAt } from './routePath';
import type { TextMetrics } from './text';
import type { Link } from './visible';

const HEIGHT = 18;
const MAX_TEXT = 300;
/** Where on the line a label may sit, best first. */
const PLACES = [0.5, 0.6, 0.4, 0.7, 0.3, 0.8, 0.2] as const;

export interface Label {
  readonly key: string;
  readonly route: Route;
  readonly text: string;
  /** The boxes at its ends, which it had better not cover. */
  readonly ends: readonly Box[];
}

interface LinkLabelsProps {
  readonly labels: readonly Label[];
  readonly metrics: TextMetrics;
}

export function LinkLabels({ labels, metrics }: LinkLabelsProps): JSX.Element {
  const placed: (Box & { key: string; text: string })[] = [];
  for (const { key, route, text, ends } of labels) {
    const shown = metrics.fit(text, MAX_TEXT, 'sub');
    const width = metrics.width(shown, 'sub') + 12;
    const boxes = PLACES.flatMap(share => {
      const { x, y } = pointAt(route, share);
      // On the line, or beside it.
      return [-width / 2, 5, -5 - width].map(dx => ({
        x: x + dx,
        y: y - HEIGHT / 2,
        width,
        height: HEIGHT
      }));
    });
    // Or beside a label that is in the way, as with two lines between the same boxes.
    const beside = placed.flatMap(other => [
      { x: other.x + other.width + 3, y: other.y, width, height: HEIGHT },
      { x: other.x - width - 3, y: other.y, width, height: HEIGHT }
    ]);
    const near = beside.filter(box => Math.abs(box.y - (boxes[0] as Box).y) < HEIGHT);
    const clear = [...boxes, ...near].filter(box => !placed.some(other => touches(box, other)));
    const free = clear.find(box => !ends.some(end => touches(box, end)));
    placed.push({ ...(free ?? clear[0] ?? (boxes[0] as Box)), key, text: shown });
  }
  return (
    <>
      {placed.map(({ key, x, y, width, height, text }) => (
        <g key={key} class="vg-link-label" transform={`translate(${x},${y})`} aria-hidden="true">
          <rect width={width} height={height} rx={4} />
          <text x={6} y={12.5}>
            {text}
          </text>
        </g>
      ))}
    </>
  );
}

/**
 * "other 0.53"; under the mouse, where there is room for one, "other · float32 [3] · ‖g‖ 0.53".
 * Several edges in one line are only counted.
 */
export function labelOf(link: Link, { flow, norm }: EdgeFlow, graph: Graph, long: boolean): string {
  const quiet = long ? 'no gradient yet' : '';
  const size = long ? `‖g‖ ${format.number(norm)}` : format.brief(norm);
  const nothing = long ? 'undefined' : '∅';
  const value = flow === 'value' ? size : flow === 'undefined' ? nothing : quiet;
  const separator = long ? ' · ' : ' ';
  const [ref, ...others] = link.edges;
  if (!ref) {
    return '';
  }
  if (others.length > 0) {
    const largest = value && `largest ${value}`;
    return [`${link.edges.length} edges`, largest].filter(Boolean).join(' · ');
  }
  const edge = graph.nodes[ref.node]?.edges[ref.edge];
  const target = edge?.node == null ? undefined : graph.nodes[edge.node];
  const slot = target && target.outputs.length > 1 ? `slot ${edge?.input_nr}` : '';
  const meta = long ? target?.outputs[edge?.input_nr ?? 0] : undefined;
  const parts = [edge?.name, slot, meta && format.tensor(meta), value];
  return parts.filter(Boolean).join(separator);
}
