/**
 * The values of an array as colours: blue below zero, orange above, white at it.
 *
 * A canvas, not boxes: 24 by 24 cells for each of several gradients, new at every step, would be
 * most of the elements on the page.
 */
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

import type { TensorSummary } from '../../protocol';
import * as format from '../format';
import { memo } from '../memo';

const CELL = 6;

function HeatMapInner({ summary }: { summary: TensorSummary }): JSX.Element | null {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { heat } = summary;
  const rows = heat.length;
  const columns = heat.reduce((most, row) => Math.max(most, row.length), 0);
  const { largest, odd } = extent(heat);
  useLayoutEffect(() => {
    if (canvas.current) {
      draw(canvas.current, heat, largest);
    }
  }, [heat, largest]);
  if (rows === 0 || columns === 0) {
    return null;
  }
  const total = summary.shape.reduce((a, b) => a * b, 1);
  const label = [
    `Heat map, ${rows} by ${columns}`,
    `colours up to ±${format.number(largest)}`,
    rows * columns < total ? 'block means' : '',
    odd > 0 ? `${format.count(odd, 'cell')} not finite` : ''
  ];
  return (
    <canvas
      ref={canvas}
      class="vg-heat"
      width={columns * CELL}
      height={rows * CELL}
      style={{ aspectRatio: `${columns} / ${rows}` }}
      role="img"
      aria-label={label.filter(Boolean).join(', ')}
      onMouseMove={event => {
        const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
        const row = Math.floor(((event.clientY - top) / height) * rows);
        const column = Math.floor(((event.clientX - left) / width) * columns);
        const value = heat[row]?.[column] ?? null;
        event.currentTarget.title = value === null ? 'not finite' : format.number(value);
      }}
    />
  );
}

function extent(heat: TensorSummary['heat']): { largest: number; odd: number } {
  let largest = 0;
  let odd = 0;
  for (const row of heat) {
    for (const value of row) {
      if (value === null || !Number.isFinite(value)) {
        odd++;
      } else {
        largest = Math.max(largest, Math.abs(value));
      }
    }
  }
  return { largest, odd };
}

function draw(canvas: HTMLCanvasElement, heat: TensorSummary['heat'], largest: number): void {
  if (navigator.userAgent.includes('jsdom')) {
    return; // It has the element without the drawing, and says so on the console.
  }
  const context = canvas.getContext('2d');
  if (!context) {
    return;
  }
  context.clearRect(0, 0, canvas.width, canvas.height);
  heat.forEach((row, y) =>
    row.forEach((value, x) => {
      if (value !== null && Number.isFinite(value)) {
        context.fillStyle = colour(largest > 0 ? value / largest : 0);
        context.fillRect(x * CELL, y * CELL, CELL, CELL);
      } else {
        cross(context, x * CELL, y * CELL);
      }
    })
  );
}

/** What is not finite is crossed out. */
function cross(context: CanvasRenderingContext2D, x: number, y: number): void {
  context.strokeStyle = '#d32f2f';
  context.lineWidth = 1.2;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x + CELL, y + CELL);
  context.moveTo(x + CELL, y);
  context.lineTo(x, y + CELL);
  context.stroke();
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
