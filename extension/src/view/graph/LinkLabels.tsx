/**
 * What lines carry, written beside those that are hovered, belong to the selected node or carry what is not
 * finite. A label covers neither a box nor an arrow head nor another label: where there is no room there is none.
 */
import type { JSX } from 'preact';

import { LabelPlaces } from './labelPlaces';
import type { Box } from './geometry';
import type { Route } from './routePath';
import type { TextMetrics } from './text';

const MAX_TEXT = 300;

export interface Label {
  readonly key: string;
  readonly route: Route;
  readonly text: string;
  readonly odd: boolean;
}

interface LinkLabelsProps {
  readonly labels: readonly Label[];
  /** Boxes and arrow heads. */
  readonly taken: () => readonly Box[];
  readonly metrics: TextMetrics;
  readonly type: number;
}

export function LinkLabels({ labels, taken, metrics, type }: LinkLabelsProps): JSX.Element {
  const height = Math.max(11, type) + 3;
  const places = new LabelPlaces(labels.length > 0 ? taken() : []);
  return (
    <>
      {labels.map(({ key, route, text, odd }) => {
        const shown = metrics.fit(text, MAX_TEXT, 'sub');
        const width = metrics.width(shown, 'sub') + 8;
        const place = places.take(route, { width, height });
        return (
          place && (
            <g
              key={key}
              class={odd ? 'vg-link-label vg-odd-label' : 'vg-link-label'}
              transform={`translate(${place.x},${place.y})`}
              aria-hidden="true"
            >
              <rect width={width} height={height} rx={4} />
              <text x={4} y={height - 4}>
                {shown}
              </text>
            </g>
          )
        );
      })}
    </>
  );
}
