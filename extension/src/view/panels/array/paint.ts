/** Draws blocks on a canvas: elements of the page would be most of it, new at every step. */
import type { Blocks } from '../../../protocol';
import { colour, phaseColour } from './scale';

/** Pixels of the canvas for one of the page: marks stay sharp. */
export const FINE = 2;
/** In smaller cells a sign would be a speck. */
const ROOM_FOR_SIGN = 8;
const LEAST_MARK = 7;
const ODD = '#e53935';

export interface CellSize {
  readonly width: number;
  readonly height: number;
}

export function paint(
  canvas: HTMLCanvasElement,
  { values, phases }: Blocks,
  cell: CellSize,
  largest: number,
  phase: boolean
): void {
  if (navigator.userAgent.includes('jsdom')) {
    return; // It has the element without the drawing, and says so on the console.
  }
  const context = canvas.getContext('2d');
  if (!context) {
    return;
  }
  context.setTransform(FINE, 0, 0, FINE, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  const { width, height } = cell;
  const marks: (() => void)[] = [];
  values.forEach((row, y) =>
    row.forEach((value, x) => {
      const [left, top] = [x * width, y * height];
      const angle = phases[y]?.[x] ?? NaN;
      if (!Number.isFinite(value) && (!phase || Number.isNaN(angle))) {
        marks.push(() => mark(context, value, left + width / 2, top + height / 2, cell));
      } else if (!phase) {
        context.fillStyle = colour(largest > 0 ? value / largest : 0);
        context.fillRect(left, top, width, height);
        if (value < 0 && Math.min(width, height) >= ROOM_FOR_SIGN) {
          context.fillStyle = 'rgba(128, 128, 128, 0.9)';
          context.fillRect(left + width / 2 - 2, top + height / 2 - 0.5, 4, 1);
        }
      } else if (value !== 0) {
        context.fillStyle = phaseColour(angle); // Zero has no angle.
        context.fillRect(left, top, width, height);
      }
    })
  );
  marks.forEach(draw => draw());
}

/**
 * What is not finite: crossed out, or a wedge that points up or down; on a clear ground, and larger than a
 * small cell. One among a thousand is what a person looks for.
 */
function mark(
  context: CanvasRenderingContext2D,
  value: number,
  x: number,
  y: number,
  { width, height }: CellSize
): void {
  const half = Math.max(Math.min(width, height), LEAST_MARK) / 2;
  context.clearRect(x - half - 1, y - half - 1, 2 * half + 2, 2 * half + 2);
  context.fillStyle = context.strokeStyle = ODD;
  context.lineWidth = 1.8;
  context.beginPath();
  if (Number.isNaN(value)) {
    context.moveTo(x - half, y - half);
    context.lineTo(x + half, y + half);
    context.moveTo(x + half, y - half);
    context.lineTo(x - half, y + half);
    context.stroke();
    return;
  }
  const tip = value > 0 ? -half : half;
  context.moveTo(x - half, y - tip);
  context.lineTo(x, y + tip);
  context.lineTo(x + half, y - tip);
  context.fill();
}
