/** Colours of values, and what a legend says of them: blue below zero, orange above, nothing at it. */
import type { Blocks } from '../../../protocol';

export interface Scale {
  /** The largest finite magnitude; 0 if there is none. */
  readonly largest: number;
  readonly negative: boolean;
  readonly nans: number;
  /** Blocks that are infinite above, and below. */
  readonly high: number;
  readonly low: number;
}

export function scaleOf({ values }: Blocks): Scale {
  let largest = 0;
  let negative = false;
  let [nans, high, low] = [0, 0, 0];
  for (const value of values.flat()) {
    if (Number.isNaN(value)) {
      nans++;
    } else if (!Number.isFinite(value)) {
      [high, low] = value > 0 ? [high + 1, low] : [high, low + 1];
    } else {
      largest = Math.max(largest, Math.abs(value));
      negative ||= value < 0;
    }
  }
  return { largest, negative, nans, high, low };
}

const LOW = '43, 123, 214';
const HIGH = '226, 104, 16';

/** Of a share of the largest magnitude, from -1 to 1; on any ground, light or dark. */
export function colour(share: number): string {
  // Small values stay visible: what is drawn is the root of the magnitude.
  const weight = Math.sqrt(Math.min(Math.abs(share), 1));
  return `rgba(${share < 0 ? LOW : HIGH}, ${weight.toFixed(3)})`;
}

/** Of an angle, in radians: angles that are near have colours that are, also around a whole turn. */
export function phaseColour(phase: number): string {
  const degrees = Math.round((phase * 180) / Math.PI + 360) % 360;
  return `hsl(${degrees}, 62%, 56%)`;
}

/** The legend's bar: the colours at evenly spaced shares. */
export function gradient(paint: (share: number) => string, from: number, to: number): string {
  const steps = 16;
  const colours = Array.from({ length: steps + 1 }, (_, i) =>
    paint(from + ((to - from) * i) / steps)
  );
  return `linear-gradient(to right, ${colours.join(', ')})`;
}
