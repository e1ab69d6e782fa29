/** What lines carry, written on those that are hovered or belong to the selected node. */
import type { JSX } from 'preact';

import { touches } from './geometry';
import type { Box } from './geometry';
import { pointAt } from './routePath';
import type { Route } from './routePath';
import type { TextMetrics } from './text';

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
