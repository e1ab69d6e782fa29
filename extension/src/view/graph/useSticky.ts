/** Moves titles of frames along with the view, so that they stay in sight: nothing is drawn for that. */
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

import type { Observable } from '../../store';
import type { Box, Size } from './geometry';
import { movedHeads } from './sticky';
import type { Head } from './sticky';
import { seen } from './viewport';
import type { View } from './viewport';

const NONE: readonly Box[] = [];

/** Pixels of the screen between its edge and a title. */
const AIR = 9;

/**
 * `heads` as they stand in the drawing: that of the i-th is on the i-th element of the class `vg-sticky`. They step
 * aside from `boxes`, and one that would cover some wherever it went is not seen.
 */
export function useSticky(
  world: RefObject<SVGGElement>,
  view: Observable<View>,
  screen: Size,
  heads: readonly Head[],
  boxes: readonly Box[] = NONE
): void {
  useLayoutEffect(() => {
    const elements = [...(world.current?.querySelectorAll<SVGGElement>('.vg-sticky') ?? [])];
    const before: string[] = [];
    const move = (): void => {
      const { value } = view;
      movedHeads(heads, seen(value, screen), AIR / value.zoom, boxes).forEach((place, i) => {
        const element = elements[i];
        const { x, y, width } = place ?? { x: 0, y: 0, width: heads[i]?.width ?? 0 };
        const moved = x === 0 && y === 0 ? '' : `translate(${x.toFixed(1)},${y.toFixed(1)})`;
        element?.classList.toggle('vg-no-room', place === null);
        if (before[i] !== moved) {
          before[i] = moved;
          element?.setAttribute('transform', moved);
          element?.classList.toggle('vg-stuck', moved !== '');
        }
        if (element) {
          heads[i]?.narrow?.(element, width);
        }
      });
    };
    move();
    return view.subscribe(move);
  }, [world, view, screen, heads, boxes]);
}
