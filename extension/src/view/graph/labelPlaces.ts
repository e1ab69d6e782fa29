/** Where the label of a line may be: beside it, and over nothing that is to be read or seen. */
import { touches } from './geometry';
import type { Box, Size } from './geometry';
import { pointAt } from './routePath';
import type { Route } from './routePath';

/** Shares of a line, best first. */
const SHARES = [0.5, 0.6, 0.4, 0.7, 0.3, 0.8, 0.2, 0.9, 0.1] as const;
/** From the line to its label. */
const BESIDE = 4;
/** Half the width of an arrow head, and its height. */
const HEAD = { half: 5, height: 9 } as const;

/** Height of the number of a slot above the box. */
const SLOT = 17;

export class LabelPlaces {
  private readonly taken: Box[];

  constructor(taken: readonly Box[]) {
    this.taken = [...taken];
  }

  /** A place for a label of this size, which nobody else gets then; null if there is none. */
  take(route: Route, { width, height }: Size): Box | null {
    for (const share of SHARES) {
      const { x, y } = pointAt(route, share);
      for (const left of [x + BESIDE, x - BESIDE - width]) {
        const box = { x: left, y: y - height / 2, width, height };
        if (!this.taken.some(other => touches(other, box))) {
          this.taken.push(box);
          return box;
        }
      }
    }
    return null;
  }
}

/** What the arrow head at the end of a line covers, with the number of a slot `beside` it. */
export function headBox(route: Route, beside = 0): Box {
  const x = route[route.length - 2] ?? 0;
  const y = route[route.length - 1] ?? 0;
  const height = beside > 0 ? Math.max(HEAD.height, SLOT) : HEAD.height;
  return { x: x - HEAD.half - beside, y: y - height, width: 2 * HEAD.half + beside, height };
}
