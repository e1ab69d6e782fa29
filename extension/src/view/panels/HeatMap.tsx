/** The values of an array as colours: blue below zero, orange above, white at it. */
import type { JSX } from 'preact';

import type { TensorSummary } from '../../protocol';
import * as format from '../format';
import { memo } from '../memo';

const CELL = 10;

function HeatMapInner({ summary }: { summary: TensorSummary }): JSX.Element | null {
  const { heat } = summary;
  const rows = heat.length;
  const columns = heat.reduce((most, row) => Math.max(most, row.length), 0);
  if (rows === 0 || columns === 0) {
    return null;
  }
  let largest = 0;
  for (const row of heat) {
    for (const value of row) {
      if (value !== null && Number.isFinite(value)) {
        largest = Math.max(largest, Math.abs(value));
      }
    }
  }
  const total = summary.shape.reduce((a, b) => a * b, 1);
  const means = rows * columns < total ? ', block means' : '';
  return (
    <svg
      class="vg-heat"
      viewBox={`0 0 ${columns * CELL} ${rows * CELL}`}
      style={{ aspectRatio: `${columns} / ${rows}` }}
      preserveAspectRatio="none"
      shape-rendering="crispEdges"
      role="img"
      aria-label={`Heat map, ${rows} by ${columns}, colours up to ±${format.number(largest)}${means}`}
    >
      {heat.map((row, y) =>
        row.map((value, x) => {
          const at = { x: x * CELL, y: y * CELL, width: CELL, height: CELL };
          return value === null || !Number.isFinite(value) ? (
            <g key={x} class="vg-heat-odd">
              <rect {...at} />
              <path d={`M${at.x},${at.y}l${CELL},${CELL}m0,${-CELL}l${-CELL},${CELL}`} />
              <title>not finite</title>
            </g>
          ) : (
            <rect key={x} {...at} fill={colour(largest > 0 ? value / largest : 0)}>
              <title>{format.number(value)}</title>
            </rect>
          );
        })
      )}
    </svg>
  );
}

const LOW = [33, 102, 172] as const;
const ZERO = [247, 247, 247] as const;
const HIGH = [214, 96, 20] as const;

/** Share from -1 to 1; blue and orange are told apart by nearly everybody. */
function colour(share: number): string {
  const end = share < 0 ? LOW : HIGH;
  const weight = Math.sqrt(Math.min(Math.abs(share), 1)); // Small values stay visible.
  const parts = ZERO.map((from, i) => Math.round(from + ((end[i] ?? 0) - from) * weight));
  return `rgb(${parts.join(',')})`;
}

export const HeatMap = memo(HeatMapInner);
