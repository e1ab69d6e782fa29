/** Moves titles of frames along with the view, so that they stay in sight: nothing is drawn for that. */
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

import type { Observable } from '../../store';
import type { Size } from './geometry';
import { movedHeads } from './sticky';
import type { Head } from './sticky';
import { seen } from './viewport';
import type { View } from './viewport';

/** Pixels of the screen between its edge and a title. */
const AIR = 9;

/** `heads` as they stand in the drawing: that of the i-th is on the i-th element of the class `vg-sticky`. */
export function useSticky(
  world: RefObject<SVGGElement>,
  view: Observable<View>,
  screen: Size,
  heads: readonly Head[]
): void {
  useLayoutEffect(() => {
    const elements = [...(world.current?.querySelectorAll<SVGGElement>('.vg-sticky') ?? [])];
    const before: string[] = [];
    const move = (): void => {
      const { value } = view;
      movedHeads(heads, seen(value, screen), AIR / value.zoom).forEach((x, i) => {
        const moved = x === 0 ? '' : `translate(${x.toFixed(1)},0)`;
        if (before[i] !== moved) {
          before[i] = moved;
          elements[i]?.setAttribute('transform', moved);
          elements[i]?.classList.toggle('vg-stuck', moved !== '');
        }
      });
    };
    move();
    return view.subscribe(move);
  }, [world, view, screen, heads]);
}
